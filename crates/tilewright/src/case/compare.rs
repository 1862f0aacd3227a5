//! Comparing what a kernel wrote with what it should have written.

use super::spec::Tolerance;
use crate::array::{Array, Number};

/// How an array differs from the expected one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// How many elements are out of tolerance.
    pub mismatches: u64,
    /// The largest absolute error; infinite where only one of the two is NaN or infinite.
    pub largest_error: f64,
    /// The largest error as a share of what the tolerance allows there: above 1 is a mismatch.
    pub largest_of_tolerance: f64,
    /// The element with the largest share; `None` where all are equal.
    pub worst: Option<WorstElement>,
}

/// The element that comes closest to the tolerance, or exceeds it most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstElement {
    /// Position in row-major order.
    pub index: usize,
    /// What it should be.
    pub expected: Number,
    /// What it is.
    pub found: Number,
    /// The absolute error.
    pub error: f64,
}

/// Compares the bytes of a buffer with the whole array expected in it.
///
/// Equal values match, so do two NaNs and two zeros of different sign. Any other value must lie within the tolerance.
///
/// # Panics
/// If `found` is shorter than `expected`.
pub fn compare(expected: &Array, found: &[u8], tolerance: Tolerance) -> Comparison {
    let mut result = Comparison::default();
    if expected.bytes() == found {
        return result;
    }
    let dtype = expected.dtype();
    let elements = expected.bytes().len() * 8 / dtype.storage_bits() as usize;
    for index in 0..elements {
        let (e, f) = (dtype.bits_at(expected.bytes(), index), dtype.bits_at(found, index));
        if e != f {
            result.add(index, dtype.decode(e), dtype.decode(f), tolerance);
        }
    }
    result
}

impl Comparison {
    fn add(&mut self, index: usize, expected: Number, found: Number, tolerance: Tolerance) {
        let error = distance(expected, found);
        if error == 0.0 {
            return;
        }
        let allowed = tolerance.atol + tolerance.rtol * expected.to_f64().abs();
        // An infinite error is beyond any tolerance, also beyond that of an infinite expected value.
        let within = error <= allowed && error.is_finite();
        let share = if error.is_infinite() { f64::INFINITY } else { error / allowed };
        self.mismatches += u64::from(!within);
        self.largest_error = self.largest_error.max(error);
        if self.worst.is_none_or(|w| share > self.largest_of_tolerance || (share == self.largest_of_tolerance && error > w.error)) {
            self.largest_of_tolerance = share;
            self.worst = Some(WorstElement { index, expected, found, error });
        }
    }
}

/// The absolute difference, 0 for values that match, infinity where there is no finite one.
fn distance(expected: Number, found: Number) -> f64 {
    match (expected, found) {
        (Number::Int(e), Number::Int(f)) => e.abs_diff(f) as f64,
        _ => {
            let (e, f) = (expected.to_f64(), found.to_f64());
            if e == f || (e.is_nan() && f.is_nan()) {
                0.0
            } else if e.is_finite() && f.is_finite() {
                (e - f).abs()
            } else {
                f64::INFINITY
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{ArrayType, DType};

    fn array(values: &[f32]) -> Array {
        let ty = ArrayType { dtype: DType::from_name("f32").unwrap(), shape: vec![values.len() as u64] };
        let mut array = Array::filled_with_byte(ty, 0).unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        array.bytes_mut().copy_from_slice(&bytes);
        array
    }

    fn check(expected: &[f32], found: &[f32], rtol: f64, atol: f64) -> Comparison {
        compare(&array(expected), array(found).bytes(), Tolerance { rtol, atol })
    }

    #[test]
    fn equal_values_match_whatever_their_bits() {
        let nan = f32::from_bits(0x7fc0_1234);
        let same = check(&[0.0, f32::NAN, f32::INFINITY], &[-0.0, nan, f32::INFINITY], 0.0, 0.0);
        assert_eq!(same, Comparison::default());
    }

    #[test]
    fn the_tolerance_is_absolute_plus_relative() {
        let result = check(&[100.0, 1.0, 0.0], &[101.5, 1.25, 0.5], 0.01, 0.5);
        assert_eq!((result.mismatches, result.largest_error), (0, 1.5));
        assert_eq!((result.largest_of_tolerance, result.worst.unwrap().index), (1.0, 0));
        let result = check(&[100.0, 1.0, 0.0], &[101.5, 1.25, 0.75], 0.01, 0.5);
        assert_eq!((result.mismatches, result.worst.unwrap().index, result.largest_of_tolerance), (1, 2, 1.5));
    }

    #[test]
    fn no_tolerance_covers_a_wrong_infinity_or_nan() {
        for (e, f) in [(f32::INFINITY, 1.0), (1.0, f32::NAN), (f32::NAN, 1.0), (f32::INFINITY, f32::NEG_INFINITY)] {
            let result = check(&[e], &[f], 1.0, 1e30);
            assert_eq!((result.mismatches, result.largest_of_tolerance), (1, f64::INFINITY), "{e} {f}");
        }
    }

    #[test]
    fn integers_are_compared_exactly() {
        let ty = ArrayType { dtype: DType::from_name("u64").unwrap(), shape: vec![1] };
        let expected = Array::filled(ty, u64::MAX).unwrap();
        let result = compare(&expected, &(u64::MAX - 1).to_le_bytes(), Tolerance::default());
        assert_eq!((result.mismatches, result.largest_error), (1, 1.0));
    }
}
