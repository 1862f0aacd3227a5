//! Gathers give the same whatever their offsets are: natively, lanes that lie side by side are loaded at once.

use tilewright_vector::{Arg, Buffer, Builder, Code, Count, Fault, Kind, Lane, Level, ParamKind, Place};

/// Lanes: more than one vector of the longest, and a rest.
const LANES: usize = 75;
/// Numbers of the table.
const NUMBERS: usize = 128;

/// What is gathered of a table of `lane` at offsets and with masks that lie in memory, and written in order.
fn code(lane: Lane, offset_lane: Lane) -> Code {
    let mut builder = Builder::new(16);
    let [table, offsets, masks, output] = std::array::from_fn(|_| builder.param(ParamKind::Buffer));
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(LANES as i64), &[]);
    let along = |buffer, size: usize| Place::of(buffer).along(axis, Count::Const(size as i64));
    let offset = builder.load(offset_lane, along(offsets, offset_lane.size()), None);
    let mask = builder.load(Lane::Mask, along(masks, 1), None);
    let value = builder.gather(lane, table, offset, Some(mask));
    builder.store(value, along(output, lane.size()), None);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

fn bytes_of(offsets: &[i64], lane: Lane) -> Vec<u8> {
    offsets.iter().flat_map(|offset| offset.to_le_bytes().into_iter().take(lane.size())).collect()
}

/// Offsets, and which lanes are active.
type Pattern = (Vec<i64>, Vec<u8>);

fn patterns(size: i64) -> Vec<Pattern> {
    let of = |offset: &dyn Fn(i64) -> i64, active: &dyn Fn(i64) -> bool| {
        let lanes = 0..LANES as i64;
        (lanes.clone().map(|i| offset(i) * size).collect(), lanes.map(|i| active(i).into()).collect())
    };
    let (last, all) = (NUMBERS as i64 - 1, |_: i64| true);
    vec![
        of(&|i| i, &all),
        of(&|i| i + last - LANES as i64 + 1, &all),
        // Round a corner.
        of(&|i| (i + 100) % NUMBERS as i64, &all),
        of(&|i| last - i, &all),
        of(&|_| 5, &all),
        of(&|i| i * 7 % 64, &all),
        // Neighbours but for one, which is another or masked off.
        of(&|i| if i % 16 == 15 { 0 } else { i }, &all),
        of(&|i| if i % 16 == 15 { 0 } else { i }, &|i| i % 16 != 15),
        of(&|i| if i % 16 == 0 { 3 } else { i }, &|i| i % 16 != 0),
        // Outside, where nothing is read.
        of(&|i| i - 20, &|i| i >= 20),
        of(&|i| i + last - 40, &|i| i <= 40),
        of(&|i| i + 1_000_000, &|_| false),
        of(&|i| i, &|i| i % 3 == 0),
    ]
}

#[test]
fn neighbours_and_others_are_gathered_alike() {
    for lane in [Lane::I8, Lane::I16, Lane::F32, Lane::F64] {
        let size = lane.size();
        let table: Vec<u8> = (0..NUMBERS * size).map(|i| (i * 37 % 251) as u8).collect();
        for offset_lane in [Lane::I32, Lane::I64] {
            let code = code(lane, offset_lane);
            let natives: Vec<_> = Level::available().iter().map(|level| code.compile(*level).expect("it compiles")).collect();
            for (offsets, masks) in patterns(size as i64) {
                let number = |offset: i64| &table[offset as usize..][..size];
                let lanes = offsets.iter().zip(&masks);
                let expected: Vec<u8> =
                    lanes.flat_map(|(offset, mask)| if *mask == 1 { number(*offset).to_vec() } else { vec![0; size] }).collect();
                let offset_bytes = bytes_of(&offsets, offset_lane);
                for native in std::iter::once(None).chain(natives.iter().map(Some)) {
                    let mut found = vec![0xa5; LANES * size];
                    let buffers = [Buffer::of(&table), Buffer::of(&offset_bytes), Buffer::of(&masks), Buffer::of_mut(&mut found)];
                    let args = buffers.map(Arg::Buffer);
                    let verdict: Result<(), Fault> = native.map_or_else(|| code.run_portable(&args), |native| native.run(&args));
                    assert_eq!((verdict, &found), (Ok(()), &expected), "{lane} at {offset_lane} {offsets:?} {masks:?}");
                }
            }
        }
    }
}

#[test]
fn neighbours_that_reach_outside_are_told() {
    let code = code(Lane::F32, Lane::I32);
    let table = [7u8; NUMBERS * 4];
    let natives: Vec<_> = Level::available().iter().map(|level| code.compile(*level).expect("it compiles")).collect();
    for first in [-1i64, NUMBERS as i64 - LANES as i64 + 1] {
        let offsets: Vec<i64> = (0..LANES as i64).map(|i| (first + i) * 4).collect();
        let (offsets, masks) = (bytes_of(&offsets, Lane::I32), [1u8; LANES]);
        for native in std::iter::once(None).chain(natives.iter().map(Some)) {
            let mut found = vec![0; LANES * 4];
            let buffers = [Buffer::of(&table), Buffer::of(&offsets), Buffer::of(&masks), Buffer::of_mut(&mut found)];
            let args = buffers.map(Arg::Buffer);
            let verdict = native.map_or_else(|| code.run_portable(&args), |native| native.run(&args));
            assert_eq!(verdict, Err(Fault::Lane));
        }
    }
}
