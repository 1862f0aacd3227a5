//! Vector code cannot touch what it may not, portably and natively: each kind of access, with arguments that try to.

use tilewright_vector::{Arg, Axis, Buffer, Builder, Code, Count, Fault, Kind, Lane, Level, Param, ParamKind, Place, Prim};

/// What guards a buffer on both sides.
const GUARD: u8 = 0xa5;
/// Bytes of the buffer.
const ROOM: usize = 64;

/// Code on one buffer and one count with a loop over lanes, as often as `times` says.
fn code(times: Count, body: impl FnOnce(&mut Builder, Param, Param, Axis)) -> Code {
    let mut builder = Builder::new(16);
    let (buffer, count) = (builder.param(ParamKind::Buffer), builder.param(ParamKind::Count));
    let (axis, _) = builder.open(Kind::Lanes, times, &[]);
    body(&mut builder, buffer, count, axis);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

/// Runs code in every way there is on a buffer between guards, which have to stay; all ways have to say the same.
fn run(code: &Code, count: i64, writable: bool) -> Result<(), Fault> {
    let natives: Vec<_> = Level::available().iter().map(|level| code.compile(*level).expect("it compiles")).collect();
    let ways = std::iter::once(None).chain(natives.iter().map(Some));
    let verdicts: Vec<Result<(), Fault>> = ways
        .map(|native| {
            let mut memory = [GUARD; 3 * ROOM];
            memory[ROOM..2 * ROOM].fill(0);
            let middle = &mut memory[ROOM..2 * ROOM];
            let buffer = if writable { Buffer::of_mut(middle) } else { Buffer::of(middle) };
            let args = [Arg::Buffer(buffer), Arg::Count(count)];
            let verdict = native.map_or_else(|| code.run_portable(&args), |native| native.run(&args));
            let guards = memory[..ROOM].iter().chain(&memory[2 * ROOM..]);
            assert!(guards.clone().all(|byte| *byte == GUARD), "memory outside of the buffer was written:\n{code}");
            verdict
        })
        .collect();
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}\n{code}");
    verdicts[0].clone()
}

#[test]
fn places_outside_of_a_buffer_are_refused() {
    let strides = [4, -4, 8, 1 << 40, i64::MIN, i64::MAX];
    for (stride, offset) in strides.into_iter().flat_map(|stride| [0, 4, -4, 60, i64::MAX, i64::MIN].map(|offset| (stride, offset))) {
        for (times, stores) in [1, 15, 16, 17, 33].into_iter().flat_map(|times| [(times, false), (times, true)]) {
            let code = code(Count::Const(times), |b, buffer, stride_param, axis| {
                let place = Place::of(buffer).offset_by(offset).along(axis, Count::Param(stride_param));
                if stores {
                    let value = b.f32(1.0);
                    b.store(value, place, None);
                } else {
                    b.load(Lane::F32, place, None);
                }
            });
            let last = i128::from(offset) + i128::from(stride) * i128::from(times - 1);
            let inside = [i128::from(offset), last].iter().all(|at| (0..=ROOM as i128 - 4).contains(at));
            assert_eq!(run(&code, stride, true).is_ok(), inside, "{times} times {stride} from {offset}");
        }
    }
}

#[test]
fn distances_that_no_sum_holds_are_refused() {
    // Three of these distances are more than an integer of 128 bits with a sign holds.
    for (loops, stride) in (1..=7).flat_map(|loops| [(loops, i64::MIN), (loops, i64::MAX)]) {
        for known in [false, true] {
            let mut builder = Builder::new(16);
            let (buffer, param) = (builder.param(ParamKind::Buffer), builder.param(ParamKind::Count));
            let mut place = Place::of(buffer);
            for i in 1..=loops {
                let kind = if i == loops { Kind::Lanes } else { Kind::Serial };
                let (axis, _) = builder.open(kind, Count::Const(i64::MAX), &[]);
                place = place.along(axis, if known { Count::Const(stride) } else { Count::Param(param) });
            }
            builder.load(Lane::F32, place, None);
            (0..loops).for_each(|_| drop(builder.close(&[])));
            let code = builder.finish().expect("it is valid");
            assert!(matches!(run(&code, stride, true), Err(Fault::Outside { .. })), "{loops} loops of {stride}");
        }
    }
}

#[test]
fn what_is_read_only_is_not_written() {
    let store = code(Count::Const(16), |b, buffer, _, axis| {
        let value = b.f32(1.0);
        b.store(value, Place::of(buffer).along(axis, Count::Const(4)), None);
    });
    let scatter = code(Count::Const(8), |b, buffer, _, axis| {
        let (value, offsets) = (b.f32(1.0), b.index(axis, Lane::I64));
        b.scatter(value, buffer, offsets, None);
    });
    for code in [store, scatter] {
        assert!(matches!(run(&code, 0, false), Err(Fault::Outside { .. })));
        assert_eq!(run(&code, 0, true), Ok(()));
    }
}

#[test]
fn lanes_that_reach_outside_do_nothing_and_are_told() {
    for (lane, stride) in [Lane::I8, Lane::I16, Lane::F32, Lane::F64]
        .into_iter()
        .flat_map(|lane| [1u64, 8, 63, 64, 1 << 32, 1 << 63, u64::MAX, 0u64.wrapping_sub(8)].map(|stride| (lane, stride)))
    {
        for (scatters, offset_lane) in [(false, Lane::I64), (true, Lane::I64), (false, Lane::I32), (true, Lane::I32)] {
            let code = code(Count::Const(20), |b, buffer, _, axis| {
                let (index, stride) = (b.index(axis, offset_lane), b.constant(offset_lane, stride & offset_lane.bits()));
                let offsets = b.prim(Prim::Mul, &[index, stride]);
                if scatters {
                    let value = b.constant(lane, 0x7f);
                    b.scatter(value, buffer, offsets, None);
                } else {
                    b.gather(lane, buffer, offsets, None);
                }
            });
            let is_inside = |i: u64| {
                let offset = i.wrapping_mul(stride);
                let offset = if offset_lane == Lane::I32 { i64::from(offset as i32) as u64 } else { offset };
                offset.checked_add(lane.size() as u64).is_some_and(|end| end <= ROOM as u64)
            };
            let inside = (0..20).all(is_inside);
            assert_eq!(run(&code, 0, true), if inside { Ok(()) } else { Err(Fault::Lane) }, "{lane} at {stride}");
        }
    }
}

#[test]
fn short_buffers_are_gathered_from_as_far_as_they_go() {
    for (length, lane) in (0..10usize).flat_map(|length| [Lane::I8, Lane::I16, Lane::F32, Lane::F64].map(|lane| (length, lane))) {
        for offset_lane in [Lane::I32, Lane::I64] {
            let mut builder = Builder::new(16);
            let (buffer, output) = (builder.param(ParamKind::Buffer), builder.param(ParamKind::Buffer));
            let (axis, _) = builder.open(Kind::Lanes, Count::Const(20), &[]);
            let offsets = builder.index(axis, offset_lane);
            let value = builder.gather(lane, buffer, offsets, None);
            builder.store(value, Place::of(output).along(axis, Count::Const(lane.size() as i64)), None);
            builder.close(&[]);
            let code = builder.finish().expect("it is valid");
            let bytes: Vec<u8> = (1..=length as u8).collect();
            let expected: Vec<u8> =
                (0..20).flat_map(|i| bytes.get(i..i + lane.size()).map_or(vec![0; lane.size()], <[u8]>::to_vec)).collect();
            let natives: Vec<_> = Level::available().iter().map(|level| code.compile(*level).expect("it compiles")).collect();
            for native in std::iter::once(None).chain(natives.iter().map(Some)) {
                let mut found = vec![GUARD; 20 * lane.size()];
                let args = [Arg::Buffer(Buffer::of(&bytes)), Arg::Buffer(Buffer::of_mut(&mut found))];
                let verdict = native.map_or_else(|| code.run_portable(&args), |native| native.run(&args));
                assert_eq!((verdict, &found), (Err(Fault::Lane), &expected), "{lane} of {length} bytes");
            }
        }
    }
}

#[test]
fn ragged_places_end_where_they_say() {
    for limit in [-5, 0, 1, 7, 16, 17, 40, -1, i64::MIN, i64::MIN + 1, i64::MIN + 20, i64::MAX] {
        let code = code(Count::Const(40), |b, buffer, limit, axis| {
            let value = b.f32(1.0);
            b.store(value, Place::of(buffer).within(axis, Count::Const(4), Count::Param(limit)), None);
        });
        assert_eq!(run(&code, limit, true).is_ok(), limit <= ROOM as i64 / 4, "{limit}");
    }
}

#[test]
fn arguments_are_what_the_parameters_are() {
    let code = code(Count::Const(1), |b, buffer, _, axis| {
        b.load(Lane::F32, Place::of(buffer).along(axis, Count::Const(4)), None);
    });
    let bytes = [0; ROOM];
    for args in
        [&[][..], &[Arg::Count(1), Arg::Count(1)], &[Arg::Buffer(Buffer::of(&bytes))], &[Arg::Buffer(Buffer::of(&bytes)), Arg::Lane(1)]]
    {
        assert!(matches!(code.run_portable(args), Err(Fault::Argument { .. })));
        for level in Level::available() {
            assert!(matches!(code.compile(*level).expect("it compiles").run(args), Err(Fault::Argument { .. })));
        }
    }
}
