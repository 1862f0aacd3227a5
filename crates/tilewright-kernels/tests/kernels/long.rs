use tilewright_ir::{RoundingMode, Scalar};
use tilewright_kernels::{
    ElemOp,
    ahead::Ahead,
    cpu::Level,
    rows::{RowFold, select},
};
use tilewright_passes::{elem::Elem, elementwise::evaluate};

const LENGTHS: [usize; 7] = [32, 64, 128, 256, 512, 2048, 4096];

/// The documented order, one element at a time.
fn tree(row: &[f32], combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut row = row.to_vec();
    while row.len() > 1 {
        let half = row.len() / 2;
        row = (0..half).map(|i| combine(row[i], row[i + half])).collect();
    }
    row[0]
}

/// A row reduced with an operation.
fn reduce(level: Level, op: ElemOp, row: &[f32]) -> f32 {
    let kernel = select(level, RowFold::Reduce, op, Elem::Num(Scalar::F32)).unwrap();
    let (mut result, mut spare) = ([0f32], vec![0f32; row.len()]);
    // SAFETY: the arrays hold a row, and its result.
    unsafe {
        kernel(row.as_ptr().cast(), result.as_mut_ptr().cast(), spare.as_mut_ptr().cast(), 1, row.len(), &mut Ahead::default());
    }
    result[0]
}

/// What an operation gives by its definition.
fn defined(op: ElemOp, x: f32, y: f32) -> f32 {
    let elem = Elem::Num(Scalar::F32);
    f32::from_bits(evaluate(op, &[elem; 3], elem, [x.to_bits().into(), y.to_bits().into(), 0]) as u32)
}

#[test]
fn sums_have_the_documented_order() {
    for n in LENGTHS {
        // Numbers of very different size: every order gives another sum.
        let row: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin() * 10f32.powi((i * 5 % 9) as i32)).collect();
        for level in Level::available() {
            let sum = reduce(level, ElemOp::AddF(RoundingMode::NearestEven, false), &row);
            assert_eq!(sum, tree(&row, |x, y| x + y), "{n} at {level:?}");
        }
    }
}

#[test]
fn extremes_are_those_of_the_tree_also_of_special_values() {
    let nan = f32::NAN;
    let sets: [&[f32]; 8] = [
        &[1.5, -2.0, 3.0, 0.25],
        &[nan, 5.0, -1.0, nan, 7.0],
        &[0.0, -0.0, -1.0, nan],
        &[-0.0, -0.0, -0.0],
        &[0.0, -0.0, 1.0],
        &[nan],
        &[f32::NEG_INFINITY, nan, f32::NEG_INFINITY],
        &[f32::INFINITY, f32::INFINITY, nan],
    ];
    let bits = |x: f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
    for (n, set) in LENGTHS.into_iter().flat_map(|n| sets.map(|set| (n, set))) {
        for step in [1, 3, 7] {
            let row: Vec<f32> = (0..n).map(|i| set[i * step / 2 % set.len()]).collect();
            for op in [ElemOp::MaxF { propagate_nan: false, ftz: false }, ElemOp::MinF { propagate_nan: false, ftz: false }] {
                let expected = bits(tree(&row, |x, y| defined(op, x, y)));
                for level in Level::available() {
                    assert_eq!(bits(reduce(level, op, &row)), expected, "{op:?} of {n} of {set:?} at {level:?}");
                }
            }
        }
    }
}
