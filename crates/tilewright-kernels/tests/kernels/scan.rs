use std::fmt::Debug;
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_kernels::{
    ElemOp,
    ahead::Ahead,
    cpu::Level,
    rows::{RowFold, select},
};
use tilewright_passes::elem::Elem;

/// Elements that are scanned in doubling distances.
const BLOCK: usize = 16;

const SUM: ElemOp = ElemOp::AddF(RoundingMode::NearestEven, false);

/// A row scanned with an operation.
fn scan<T: Clone>(level: Level, fold: RowFold, op: ElemOp, scalar: Scalar, row: &[T]) -> Vec<T> {
    let kernel = select(level, fold, op, Elem::Num(scalar)).unwrap();
    let (mut found, mut spare) = (row.to_vec(), row.to_vec());
    // SAFETY: each array holds a row.
    unsafe {
        kernel(row.as_ptr().cast(), found.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), 1, row.len(), &mut Ahead::default());
    }
    found
}

/// The documented order, one element at a time.
pub(crate) fn in_blocks(row: &[f32]) -> Vec<f32> {
    let mut row: Vec<f32> = row.chunks(BLOCK).flat_map(doubling).collect();
    let ends: Vec<f32> = row.chunks(BLOCK).map(|block| block[block.len() - 1]).collect();
    let sums = doubling(&ends);
    row.iter_mut().enumerate().skip(BLOCK).for_each(|(i, x)| *x += sums[i / BLOCK - 1]);
    row
}

fn doubling(row: &[f32]) -> Vec<f32> {
    let mut row = row.to_vec();
    let mut distance = 1;
    while distance < row.len() {
        row = (0..row.len()).map(|i| if i < distance { row[i] } else { row[i - distance] + row[i] }).collect();
        distance *= 2;
    }
    row
}

#[test]
fn rows_are_scanned_in_the_documented_order() {
    for n in [1, 2, 8, 16, 32, 64, 512, 1024, 4096] {
        // Numbers of very different size: every order gives other sums.
        let row: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin() * 10f32.powi(i * 5 % 9)).collect();
        for level in Level::available() {
            assert_eq!(scan(level, RowFold::Scan, SUM, Scalar::F32, &row), in_blocks(&row), "{n} at {level:?}");
            let mut found = scan(level, RowFold::ScanBack, SUM, Scalar::F32, &row);
            found.reverse();
            assert_eq!(found, in_blocks(&row.iter().rev().copied().collect::<Vec<f32>>()), "{n} at {level:?}");
        }
    }
}

#[test]
fn errors_are_those_of_doubling_distances() {
    let row: Vec<f32> = (0..1 << 14).map(|i| (i * 7919 % 1013) as f32 / 1013.0).collect();
    let mut sum = 0.0;
    let exact: Vec<f64> = row
        .iter()
        .map(|x| {
            sum += f64::from(*x);
            sum
        })
        .collect();
    let worst =
        |found: &[f32]| found.iter().zip(&exact).map(|(x, exact)| (f64::from(*x) - exact).abs() / exact.max(1.0)).fold(0.0, f64::max);
    for level in Level::available() {
        let found = scan(level, RowFold::Scan, SUM, Scalar::F32, &row);
        assert!(worst(&found) < 1.5 * worst(&doubling(&row)), "at {level:?}");
    }
}

#[test]
fn integers_are_scanned() {
    fn largest<T: Copy + From<u8> + PartialOrd + Debug>(signed: bool, scalar: Scalar) {
        let row: Vec<T> = (0..256).map(|i| T::from((i * 37 % 101) as u8)).collect();
        for level in Level::available() {
            let found = scan(level, RowFold::Scan, ElemOp::MaxI(signed), scalar, &row);
            let mut so_far = row[0];
            for (x, found) in row.iter().zip(found) {
                so_far = if *x > so_far { *x } else { so_far };
                assert_eq!(found, so_far, "{scalar} at {level:?}");
            }
        }
    }
    largest::<i32>(true, Scalar::I32);
    largest::<i64>(true, Scalar::I64);
    let row: Vec<i16> = (0..256).map(|i| (i * 211 % 1009) as i16).collect();
    let sums = |sum: &mut i16, x: &i16| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    };
    let expected: Vec<i16> = row.iter().scan(0, sums).collect();
    for level in Level::available() {
        assert_eq!(scan(level, RowFold::Scan, ElemOp::AddI, Scalar::I16, &row), expected, "{level:?}");
    }
}

#[test]
fn what_few_programs_scan_has_no_loop_of_its_own() {
    for level in Level::available() {
        let has = |fold, op, scalar| select(level, fold, op, Elem::Num(scalar)).is_some();
        for (op, scalar) in [
            (ElemOp::AddI, Scalar::I8),
            (ElemOp::MaxI(false), Scalar::I32),
            (ElemOp::Or, Scalar::I1),
            (ElemOp::MulF(RoundingMode::NearestEven, false), Scalar::Bf16),
        ] {
            assert!(has(RowFold::Reduce, op, scalar) && !has(RowFold::Scan, op, scalar) && !has(RowFold::ScanBack, op, scalar), "{op:?}");
        }
        assert!(has(RowFold::ScanBack, SUM, Scalar::F16) && has(RowFold::Scan, ElemOp::AddI, Scalar::I64));
    }
}
