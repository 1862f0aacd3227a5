use tilewright_ir::{RoundingMode, Scalar};
use tilewright_kernels::{
    ElemOp,
    columns::{Columns, Rows, select},
    cpu::Level,
};
use tilewright_passes::elem::Elem;

/// The documented order, one element at a time.
fn tree(mut column: Vec<f32>) -> f32 {
    while column.len() > 1 {
        let half = column.len() / 2;
        column = (0..half).map(|i| column[i] + column[i + half]).collect();
    }
    column[0]
}

#[test]
fn columns_are_folded_in_the_documented_order_at_every_level() {
    for (extent, width, pitch) in [(1, 3, 3), (2, 16, 20), (4, 1, 5), (8, 33, 33), (16, 5, 9), (64, 40, 100), (256, 3, 6), (1024, 2, 4)] {
        // Numbers of very different size: every order gives another sum.
        let values: Vec<f32> = (0..extent * pitch).map(|i| (i as f32 * 0.7).sin() * 10f32.powi((i * 5 % 9) as i32)).collect();
        let column = |c: usize| tree((0..extent).map(|r| values[r * pitch + c]).collect());
        let expected: Vec<f32> = (0..width).map(column).collect();
        for level in Level::available() {
            let kernel = select(level, ElemOp::AddF(RoundingMode::NearestEven, false), Elem::Num(Scalar::F32)).unwrap();
            for next in [std::ptr::null(), values.as_ptr().cast()] {
                let (mut found, mut spare) = (vec![0f32; width], vec![0f32; extent / 2 * width]);
                let (dst, spare) = (found.as_mut_ptr().cast(), spare.as_mut_ptr().cast());
                let tile = Columns { start: values.as_ptr().cast(), next, dst, spare };
                // SAFETY: the arrays hold the rows.
                unsafe { (kernel.reduce)(tile, Rows { extent, width, pitch }) };
                assert_eq!(found, expected, "{extent} rows of {width} at {level:?}");
                let mut sums: Vec<f32> = (0..width).map(|i| i as f32).collect();
                // SAFETY: both arrays hold a row.
                unsafe { (kernel.combine)(sums.as_mut_ptr().cast(), found.as_ptr().cast(), width) };
                assert!(sums.iter().enumerate().all(|(i, sum)| *sum == i as f32 + expected[i]), "at {level:?}");
            }
        }
    }
}
