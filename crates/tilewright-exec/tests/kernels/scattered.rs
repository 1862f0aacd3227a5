//! Accesses through pointers that all lie in one buffer, and atomic additions of which many go to one place.

use crate::text::{buffer, ints, program};
use std::sync::Mutex;
use tilewright_exec::{Access, AccessKind, AccessObserver, Arg, LaunchError, LaunchErrorKind, LaunchOptions, launch};
use tilewright_ir::Scalar;

/// Elements of the tiles.
const N: usize = 128;
/// Elements of the buffer.
const ELEMENTS: usize = 5000;

/// `out[(i % 8) * scale + start] op= i`, for `i` below `end`, where the operations are those of `body`.
fn kernel(body: &str) -> String {
    format!(
        "entry @k(%out: tile<ptr<i32>>, %scale: tile<i32>, %start: tile<i32>, %end: tile<i32>) {{
  %i = iota : tile<128xi32>
  %seven = constant <i32: 7> : tile<128xi32>
  %s0 = reshape %scale : tile<i32> -> tile<1xi32>
  %s1 = broadcast %s0 : tile<1xi32> -> tile<128xi32>
  %b0 = reshape %start : tile<i32> -> tile<1xi32>
  %b1 = broadcast %b0 : tile<1xi32> -> tile<128xi32>
  %e0 = reshape %end : tile<i32> -> tile<1xi32>
  %e1 = broadcast %e0 : tile<1xi32> -> tile<128xi32>
  %m = cmpi less_than %i, %e1, signed : tile<128xi32> -> tile<128xi1>
  %r = andi %i, %seven : tile<128xi32>
  %x = muli %r, %s1 : tile<128xi32>
  %y = addi %x, %b1 : tile<128xi32>
  %p0 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %p = offset %p1, %y : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
  {body}
  return
}}"
    )
}

const ADD: &str =
    "%old, %t = atomic_rmw_tko relaxed device %p, add, %i, %m : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token";
const ADD_ALL: &str = "%old, %t = atomic_rmw_tko acq_rel device %p, add, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token";
const STORE: &str = "%t = store_ptr_tko weak %p, %i, %m : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> token";
/// Loads, and adds what was loaded where it came from.
const LOAD: &str = "%v, %t0 = load_ptr_tko weak %p, %m, %seven : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
  %old, %t = atomic_rmw_tko relaxed device %p, add, %v token=%t0 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token";

/// Adds to elements what they hold, and again for those that the mask leaves; the others get what a load without padding gives.
const LOAD_TWICE: &str = "%u, %t0 = load_ptr_tko weak %p : tile<128xptr<i32>> -> tile<128xi32>, token
  %a, %t1 = atomic_rmw_tko relaxed device %p, add, %u token=%t0 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token
  %v, %t2 = load_ptr_tko weak %p, %m token=%t1 : tile<128xptr<i32>>, tile<128xi1> -> tile<128xi32>, token
  %b, %t3 = atomic_rmw_tko relaxed device %p, add, %v token=%t2 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token";

#[derive(Default)]
struct Recorder(Mutex<Vec<Access>>);

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(*access);
    }
}

#[derive(Clone, Copy, Debug)]
struct Places {
    scale: i32,
    start: i32,
    end: i32,
}

impl Places {
    /// The elements that are accessed, with the numbers that go there.
    fn accessed(self) -> impl Iterator<Item = (usize, i32)> {
        (0..N as i32).filter(move |i| *i < self.end).map(move |i| (((i & 7) * self.scale + self.start) as usize, i))
    }
}

fn numbers() -> Vec<i32> {
    (0..ELEMENTS as i32).map(|i| i * i).collect()
}

/// What the buffer, `numbers` at first, holds in the end.
fn run(body: &str, places: Places, blocks: u32, observer: Option<&Recorder>) -> Result<Vec<i32>, LaunchError> {
    let bytes: Vec<u8> = numbers().iter().flat_map(|n| n.to_le_bytes()).collect();
    let (mut memory, out) = buffer(bytes);
    let scalar = |value: i32| Arg::Scalar(Scalar::I32, value.cast_unsigned().into());
    let args = [Arg::Pointer(memory.address(out)), scalar(places.scale), scalar(places.start), scalar(places.end)];
    let options = LaunchOptions::new().threads(2);
    let options = if let Some(observer) = observer { options.observer(observer) } else { options };
    let plan = program(&kernel(body)).plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, &mut memory, [blocks, 1, 1], &args, &options)?;
    Ok(ints(memory.bytes(out)))
}

/// Elements close together and far apart, one for all, backwards; with masks.
const PLACES: [Places; 9] = [
    Places { scale: 1, start: 3, end: 128 },
    Places { scale: 100, start: 0, end: 128 },
    Places { scale: 146, start: 1, end: 128 },
    Places { scale: 0, start: 5, end: 128 },
    Places { scale: -3, start: 40, end: 128 },
    Places { scale: 2, start: 7, end: 77 },
    Places { scale: 2, start: 7, end: 0 },
    // Around a border between parts of which the sums are kept apart, and in the part behind it.
    Places { scale: 1, start: 2045, end: 128 },
    Places { scale: 3, start: 2048, end: 128 },
];

#[test]
fn additions_to_one_place_all_count() {
    for places in PLACES {
        let mut expected = numbers();
        places.accessed().for_each(|(at, i)| expected[at] = expected[at].wrapping_add(3 * i));
        assert_eq!(run(ADD, places, 3, None).unwrap(), expected, "{places:?}");
        if places.end == 128 {
            assert_eq!(run(ADD_ALL, places, 3, None).unwrap(), expected, "{places:?}");
        }
        let recorder = Recorder::default();
        assert_eq!(run(ADD, places, 1, Some(&recorder)).unwrap(), run(ADD, places, 1, None).unwrap());
        let seen = recorder.0.into_inner().unwrap();
        assert!(seen.iter().all(|a| a.kind == AccessKind::ReadModifyWrite && a.bytes == 4));
        assert_eq!(seen.len(), places.accessed().count());
    }
}

#[test]
fn the_last_of_several_stores_to_a_place_stays() {
    for places in PLACES {
        let mut expected = numbers();
        places.accessed().for_each(|(at, i)| expected[at] = i);
        assert_eq!(run(STORE, places, 1, None).unwrap(), expected, "{places:?}");
        assert_eq!(run(STORE, places, 1, Some(&Recorder::default())).unwrap(), expected, "{places:?}, watched");
    }
}

#[test]
fn what_is_masked_off_gets_the_padding() {
    for places in PLACES {
        let before = numbers();
        let mut expected = before.clone();
        for (at, i) in (Places { end: 128, ..places }).accessed() {
            expected[at] = expected[at].wrapping_add(if i < places.end { before[at] } else { 7 });
        }
        assert_eq!(run(LOAD, places, 1, None).unwrap(), expected, "{places:?}");
        assert_eq!(run(LOAD, places, 1, Some(&Recorder::default())).unwrap(), expected, "{places:?}, watched");
    }
}

/// Not what its register held before, which depends on what ran on the thread.
#[test]
fn what_is_masked_off_without_padding_is_zero() {
    let places = Places { scale: 1, start: 3, end: 77 };
    let mut expected = numbers();
    let count = |at: usize, end: i32| Places { end, ..places }.accessed().filter(|(other, _)| *other == at).count() as i32;
    for (at, number) in expected.iter_mut().enumerate() {
        *number = number.wrapping_mul(1 + count(at, 128));
        *number = number.wrapping_mul(1 + count(at, places.end));
    }
    assert_eq!(run(LOAD_TWICE, places, 1, None).unwrap(), expected);
    assert_eq!(run(LOAD_TWICE, places, 1, Some(&Recorder::default())).unwrap(), expected, "watched");
}

#[test]
fn one_element_outside_is_an_error() {
    let last = Places { scale: 1, start: ELEMENTS as i32 - 7, end: 128 };
    for body in [ADD, STORE, LOAD] {
        for places in [last, Places { scale: 1, start: -1, end: 128 }] {
            let error = run(body, places, 1, None).unwrap_err();
            assert!(matches!(error.kind, LaunchErrorKind::Access(_)), "{error}");
        }
        // Masked off, it is none.
        assert!(run(STORE, Places { end: 7, ..last }, 1, None).is_ok());
    }
}

/// Bytes count places before and behind an address in the middle, or behind it only: added to, and made the larger one of, watched or not.
#[test]
fn bytes_are_indices() {
    for (sign, way) in ["signed", "unsigned"].into_iter().flat_map(|sign| ["add", "max"].map(|way| (sign, way))) {
        let text = format!(
            "entry @k(%from: tile<ptr<i8>>, %to: tile<ptr<i32>>, %start: tile<i64>, %end: tile<i64>) {{
  %ft = make_tensor_view %from, shape = [512], strides = [1] : tensor_view<512xi8, strides=[1]>
  %f = make_partition_view %ft : partition_view<tile=(128), tensor_view<512xi8, strides=[1]>>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %a, %t0 = load_view_tko weak %f[%bx] : partition_view<tile=(128), tensor_view<512xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
  %i = exti %a {sign} : tile<128xi8> -> tile<128xi64>
  %x = exti %a unsigned : tile<128xi8> -> tile<128xi32>
  %e0 = reshape %end : tile<i64> -> tile<1xi64>
  %e1 = broadcast %e0 : tile<1xi64> -> tile<128xi64>
  %m = cmpi less_than %i, %e1, signed : tile<128xi64> -> tile<128xi1>
  %middle = offset %to, %start : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %p0 = reshape %middle : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %p = offset %p1, %i : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %old, %t = atomic_rmw_tko relaxed device %p, {way}, %x, %m : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
  return
}}"
        );
        let plan = program(&text).plan("k").unwrap();
        assert!(!plan.to_string().contains("Offset(4) -> ptr of 128") && plan.to_string().contains(": i32[128]] mask"), "{plan}");
        let bytes: Vec<u8> = (0..512u32).map(|i| (i * 37 % 256) as u8).collect();
        for (end, watched) in [(300i64, false), (100, false), (300, true), (100, true)] {
            let mut expected = vec![0i32; 400];
            for byte in &bytes {
                let index = if sign == "signed" { i64::from(byte.cast_signed()) } else { i64::from(*byte) };
                let cell = &mut expected[(index + 130) as usize];
                if index < end {
                    *cell = if way == "add" { *cell + i32::from(*byte) } else { (*cell).max((*byte).into()) };
                }
            }
            let mut memory = tilewright_exec::Memory::new();
            let (from, to) = (memory.add(bytes.clone()), memory.add(vec![0; 1600]));
            let args = [
                Arg::Pointer(memory.address(from)),
                Arg::Pointer(memory.address(to)),
                Arg::Scalar(Scalar::I64, 130),
                Arg::Scalar(Scalar::I64, end.cast_unsigned()),
            ];
            let recorder = Recorder::default();
            let options = LaunchOptions::new().threads(1);
            let options = if watched { options.observer(&recorder) } else { options };
            launch(&plan, &mut memory, [4, 1, 1], &args, &options).unwrap();
            assert_eq!(ints(memory.bytes(to)), expected, "{sign} {way} below {end}, watched: {watched}");
        }
    }
}
