//! Whether a kernel's results are right: compared with what NumPy and PyTorch computed from the same arrays.

use super::{
    arrays::fraction,
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
    /// The sum of all elements as a part of their number, and the same with each weighted by a random number from 0 to 1.
    mean: f64,
    weighted: f64,
    /// Some elements.
    elements: Vec<(usize, f64)>,
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
    // Written so that a NaN is wrong.
    let near = |is: f64, want: f64| (is - want).abs() <= expected.absolute + expected.relative * want.abs() || is.is_nan() && want.is_nan();
    for &(place, want) in &expected.elements {
        let is = *elements.get(place).ok_or_else(|| format!("has no element {place}"))?;
        if !near(is, want) {
            return Err(format!("element {place} is {is:e}, expected {want:e}"));
        }
    }
    let count = elements.len() as f64;
    let mean = elements.iter().sum::<f64>() / count;
    let weighted = elements.iter().enumerate().map(|(place, value)| value * fraction(WEIGHTS, place as u64)).sum::<f64>() / count;
    for (name, is, want) in [("mean", mean, expected.mean), ("weighted mean", weighted, expected.weighted)] {
        if !near(is, want) {
            return Err(format!("the {name} of all elements is {is:e}, expected {want:e}"));
        }
    }
    Ok(())
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
        Expected { argument: 0, relative: 1e-6, absolute: 1e-6, mean: 2.5, weighted, elements: vec![(3, 4.0)] }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let of = |elements: &[f64]| compare(&expected(), elements);
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]), Ok(()));
        assert!(of(&[1.0, 2.0, 3.0, 4.1]).unwrap_err().contains("element 3"));
        assert!(of(&[1.0, 2.0, 3.1, 4.0]).unwrap_err().contains("the mean"));
        assert!(of(&[2.0, 1.0, 3.0, 4.0]).unwrap_err().contains("weighted"));
        assert!(of(&[1.0, f64::NAN, 3.0, 4.0]).unwrap_err().contains("NaN"));
        assert!(of(&[1.0]).unwrap_err().contains("no element 3"));
    }
}
