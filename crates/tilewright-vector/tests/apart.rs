//! Numbers that lie some distance apart are read and written where they lie, in exactly sized buffers, portably and natively alike.

use tilewright_vector::{Arg, Buffer, Builder, Code, Count, Kind, Lane, Level, ParamKind, Place};

const LANES: [Lane; 7] = [Lane::I8, Lane::I16, Lane::I32, Lane::I64, Lane::F32, Lane::F64, Lane::Mask];

/// Copies numbers, of which each is so many numbers behind the one before; as many as `times` says, or else as the code is told.
fn copy(lane: Lane, [from, to]: [usize; 2], times: Option<usize>) -> Code {
    let mut builder = Builder::new(16);
    let (source, target) = (builder.param(ParamKind::Buffer), builder.param(ParamKind::Buffer));
    let count = builder.param(ParamKind::Count);
    let times = times.map_or(Count::Param(count), |times| Count::Const(times as i64));
    let (axis, _) = builder.open(Kind::Lanes, times, &[]);
    let stride = |step: usize| Count::Const((step * lane.size()) as i64);
    let number = builder.load(lane, Place::of(source).along(axis, stride(from)), None);
    builder.store(number, Place::of(target).along(axis, stride(to)), None);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

fn check(lane: Lane, steps: [usize; 2], n: usize, known: bool) {
    let (size, [from, to]) = (lane.size(), steps);
    let bytes = |step: usize| ((n - 1) * step + 1) * size;
    let source: Vec<u8> = (0..bytes(from)).map(|i| if lane == Lane::Mask { u8::from(i % 3 == 0) } else { (i * 37 + 11) as u8 }).collect();
    let mut expected = vec![0xa5; bytes(to)];
    for i in 0..n {
        expected[i * to * size..][..size].copy_from_slice(&source[i * from * size..][..size]);
    }
    let code = copy(lane, steps, known.then_some(n));
    let natives = Level::available().iter().map(|level| Some(code.compile(*level).expect("it compiles")));
    for native in natives.chain([None]) {
        let mut target = vec![0xa5; bytes(to)];
        let args = [Arg::Buffer(Buffer::of(&source)), Arg::Buffer(Buffer::of_mut(&mut target)), Arg::Count(n as i64)];
        native.as_ref().map_or_else(|| code.run_portable(&args), |native| native.run(&args)).expect("all of it is inside");
        assert!(target == expected, "{n} numbers of {lane}, steps {steps:?}, native: {}", native.is_some());
    }
}

#[test]
fn numbers_apart_are_copied() {
    for lane in LANES {
        for steps in (1..=6).flat_map(|from| (1..=6).map(move |to| [from, to])) {
            for n in [1, 7, 16, 33, 64, 131] {
                check(lane, steps, n, true);
                check(lane, steps, n, false);
            }
        }
    }
}
