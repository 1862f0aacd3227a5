use crate::scan::in_blocks;
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_kernels::{
    ElemOp,
    ahead::Ahead,
    cpu::Level,
    rows::{RowFold, select},
};
use tilewright_numeric::bulk;
use tilewright_passes::elem::Elem;

/// Some for vectors of them, and some that are left over.
const ROWS: usize = 37;

const SUM: ElemOp = ElemOp::AddF(RoundingMode::NearestEven, false);

fn run(fold: RowFold, op: ElemOp, level: Level, values: &[f32], extent: usize) -> Vec<f32> {
    run_of(Scalar::F32, fold, op, level, values, extent)
}

fn run_of<T: Clone + Default>(of: Scalar, fold: RowFold, op: ElemOp, level: Level, values: &[T], extent: usize) -> Vec<T> {
    let kernel = select(level, fold, op, Elem::Num(of)).unwrap();
    let mut out = vec![T::default(); if fold == RowFold::Reduce { ROWS } else { ROWS * extent }];
    let mut spare = vec![T::default(); extent];
    // SAFETY: the arrays hold the rows.
    unsafe { kernel(values.as_ptr().cast(), out.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), ROWS, extent, &mut Ahead::default()) };
    out
}

/// The documented order, one element at a time.
fn tree(row: &[f32]) -> f32 {
    let mut row = row.to_vec();
    while row.len() > 1 {
        let half = row.len() / 2;
        row = (0..half).map(|i| row[i] + row[i + half]).collect();
    }
    row[0]
}

#[test]
fn rows_are_folded_in_the_documented_order_at_every_level() {
    for extent in [1, 2, 4, 8, 16, 32, 64, 512, 2048] {
        // Numbers of very different size: every order gives another sum.
        let values: Vec<f32> = (0..ROWS * extent).map(|i| (i as f32 * 0.7).sin() * 10f32.powi((i * 5 % 9) as i32)).collect();
        let rows = || values.chunks(extent);
        let back = |row: &[f32]| row.iter().rev().copied().collect::<Vec<f32>>();
        for level in Level::available() {
            assert_eq!(run(RowFold::Reduce, SUM, level, &values, extent), rows().map(tree).collect::<Vec<_>>());
            assert_eq!(run(RowFold::Scan, SUM, level, &values, extent), rows().flat_map(in_blocks).collect::<Vec<_>>());
            let expected: Vec<f32> = rows().flat_map(|row| back(&in_blocks(&back(row)))).collect();
            assert_eq!(run(RowFold::ScanBack, SUM, level, &values, extent), expected);
        }
    }
}

#[test]
fn every_level_folds_special_values_alike() {
    let special = [0.0, -0.0, 1.5, -2.0, f32::INFINITY, f32::NEG_INFINITY, 1e-42, f32::NAN, f32::from_bits(0xff80_0001), f32::MAX];
    let ops = [false, true].map(|propagate_nan| {
        [
            ElemOp::MaxF { propagate_nan, ftz: false },
            ElemOp::MinF { propagate_nan, ftz: false },
            ElemOp::MulF(RoundingMode::NearestEven, false),
        ]
    });
    // Of NaNs only the bits differ.
    let bits = |values: Vec<f32>| values.iter().map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect::<Vec<_>>();
    for extent in [2, 8, 16, 32, 64, 128, 256] {
        // Later rows have less of each kind, down to zeros only.
        let value = |i: usize| special[(i * 7 + i / 3) % (2 + (special.len() - 1) * (ROWS - 1 - i / extent) / ROWS)];
        let values: Vec<f32> = (0..ROWS * extent).map(value).collect();
        for (op, fold) in
            ops.as_flattened().iter().flat_map(|op| [RowFold::Reduce, RowFold::Scan, RowFold::ScanBack].map(|fold| (*op, fold)))
        {
            let expected = bits(run(fold, op, Level::Baseline, &values, extent));
            for level in Level::available() {
                assert_eq!(bits(run(fold, op, level, &values, extent)), expected, "{fold:?} {op:?} of {extent} at {level:?}");
            }
        }
    }
}

/// Numbers of 16 bits of all kinds, with the same bits at every level but for those of NaNs.
#[test]
fn every_level_folds_short_floats_alike() {
    let ops = [
        SUM,
        ElemOp::MulF(RoundingMode::NearestEven, false),
        ElemOp::MaxF { propagate_nan: false, ftz: false },
        ElemOp::MinF { propagate_nan: true, ftz: false },
    ];
    let is_nan = |of: Scalar, x: u16| if of == Scalar::F16 { bulk::f16_to_f32(x).is_nan() } else { bulk::bf16_to_f32(x).is_nan() };
    for (of, extent) in [Scalar::F16, Scalar::Bf16].into_iter().flat_map(|of| [8, 16, 32, 64, 512].map(|extent| (of, extent))) {
        // Later rows have smaller exponents only, so that not all results are infinite or NaN.
        let value = |i: usize| {
            let bits = (i as u32).wrapping_mul(0x9e37_79b9) >> 16;
            bits as u16 & if i / extent < ROWS / 2 { 0xffff } else { 0xbfff }
        };
        let values: Vec<u16> = (0..ROWS * extent).map(value).collect();
        let bits = |x: Vec<u16>| x.into_iter().map(|x| if is_nan(of, x) { 0xffff } else { x }).collect::<Vec<_>>();
        let scans = [RowFold::Scan, RowFold::ScanBack].map(|fold| (SUM, fold));
        for (op, fold) in ops.map(|op| (op, RowFold::Reduce)).into_iter().chain(scans) {
            let expected = bits(run_of(of, fold, op, Level::Baseline, &values, extent));
            assert!(expected.iter().any(|x| *x != 0xffff));
            for level in Level::available() {
                let found = bits(run_of(of, fold, op, level, &values, extent));
                assert_eq!(found, expected, "{fold:?} {op:?} of {extent} {of} at {level:?}");
            }
        }
    }
}
