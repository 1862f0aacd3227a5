//! Whether a kernel's results are right: compared with what NumPy and PyTorch computed from the same arrays.

use super::{
    arrays::fraction,
    number::Number,
    problems::{Argument, Problem},
};
use serde::{Deserialize, Serialize};
use tilewright::{ir::Scalar, numeric::FloatFormat};

/// What an array holds after one launch.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(super) struct Expected {
    /// Which argument it is.
    argument: usize,
    /// How far an element may be off, for its own size and in any case.
    relative: f64,
    absolute: f64,
    /// The sum of all finite elements as a part of the number of all, and the same with each weighted by a random number from 0 to 1.
    mean: f64,
    weighted: f64,
    /// How many elements are infinite or NaN.
    #[serde(default)]
    non_finite: usize,
    /// Some elements.
    elements: Vec<(usize, Number)>,
}

/// Compares the results of the first launch of a problem with what is expected. `bytes` gives what the array of an argument holds.
pub(super) fn check<'m>(problem: &Problem, bytes: impl Fn(usize) -> Option<&'m [u8]>) -> anyhow::Result<()> {
    for expected in &problem.expected {
        let (Some(Argument::Array { scalar, .. }), Some(bytes)) = (problem.arguments.get(expected.argument), bytes(expected.argument))
        else {
            anyhow::bail!("{}: argument {} is no array", problem.name, expected.argument);
        };
        let elements = values(*scalar, bytes);
        compare(expected, &elements)
            .map_err(|what| anyhow::anyhow!("{}: wrong result: argument {}, {what}", problem.name, expected.argument))?;
    }
    Ok(())
}

fn compare(expected: &Expected, elements: &[f64]) -> Result<(), String> {
    for &(place, Number(want)) in &expected.elements {
        let is = *elements.get(place).ok_or_else(|| format!("has no element {place}"))?;
        if !expected.is_near(is, want) {
            return Err(format!("element {place} is {is:e}, expected {want:e}"));
        }
    }
    let non_finite = elements.iter().filter(|value| !value.is_finite()).count();
    if non_finite != expected.non_finite {
        return Err(format!("{non_finite} elements are infinite or NaN, expected {}", expected.non_finite));
    }
    let count = elements.len() as f64;
    let finite = || elements.iter().enumerate().filter(|(_, value)| value.is_finite());
    let mean = finite().map(|(_, value)| value).sum::<f64>() / count;
    let weighted = finite().map(|(place, value)| value * fraction(WEIGHTS, place as u64)).sum::<f64>() / count;
    for (name, is, want) in [("mean", mean, expected.mean), ("weighted mean", weighted, expected.weighted)] {
        if !expected.is_near(is, want) {
            return Err(format!("the {name} of all elements is {is:e}, expected {want:e}"));
        }
    }
    Ok(())
}

impl Expected {
    /// Whether a value may be what is expected. No tolerance makes of an infinity or a NaN something else.
    fn is_near(&self, is: f64, want: f64) -> bool {
        if want.is_finite() {
            // Written so that a NaN is wrong.
            return (is - want).abs() <= self.absolute + self.relative * want.abs();
        }
        is == want || is.is_nan() && want.is_nan()
    }
}

/// The seed of the weights.
const WEIGHTS: u64 = 1000;

/// The elements of an array.
fn values(scalar: Scalar, bytes: &[u8]) -> Vec<f64> {
    let size = scalar.bits().div_ceil(8) as usize;
    let value = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match scalar {
            Scalar::F64 => f64::from_bits(bits),
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F16 => FloatFormat::F16.decode(bits),
            Scalar::Bf16 => FloatFormat::Bf16.decode(bits),
            Scalar::I1 => (bits & 1) as f64,
            _ => {
                let shift = 64 - 8 * size as u32;
                ((bits << shift) as i64 >> shift) as f64
            }
        }
    };
    bytes.chunks_exact(size).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        let elements = [1.0, 2.0, 3.0, 4.0];
        let weighted = elements.iter().enumerate().map(|(i, v)| v * fraction(WEIGHTS, i as u64)).sum::<f64>() / 4.0;
        Expected { argument: 0, relative: 1e-6, absolute: 1e-6, mean: 2.5, weighted, non_finite: 0, elements: vec![(3, Number(4.0))] }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let of = |elements: &[f64]| compare(&expected(), elements);
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]), Ok(()));
        assert!(of(&[1.0, 2.0, 3.0, 4.1]).unwrap_err().contains("element 3"));
        assert!(of(&[1.0, 2.0, 3.1, 4.0]).unwrap_err().contains("the mean"));
        assert!(of(&[2.0, 1.0, 3.0, 4.0]).unwrap_err().contains("weighted"));
        assert!(of(&[1.0, f64::NAN, 3.0, 4.0]).unwrap_err().contains("NaN"));
        assert!(of(&[1.0, f64::INFINITY, 3.0, 4.0]).unwrap_err().contains("1 elements are infinite"));
        assert!(of(&[1.0]).unwrap_err().contains("no element 3"));
    }

    #[test]
    fn infinities_are_as_they_are_expected() {
        let expected = |want: f64| Expected { mean: 0.0, weighted: 0.0, non_finite: 1, elements: vec![(0, Number(want))], ..expected() };
        let values = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for (i, want) in values.into_iter().enumerate() {
            for (j, is) in values.into_iter().enumerate() {
                assert_eq!(compare(&expected(want), &[is, 0.0]).is_ok(), i == j, "{is} for {want}");
            }
            assert!(compare(&expected(want), &[1.0, want]).unwrap_err().contains("element 0"));
        }
    }
}
