//! Python numbers as the bits of Tile IR numbers.

use crate::array::type_name;
use pyo3::{
    exceptions::{PyOverflowError, PyTypeError},
    prelude::*,
};
use tilewright::{array::DType, ir::Scalar, numeric::Rounding};

/// The bits of a number of this type.
///
/// Integers may lie in the signed or in the unsigned range; floats are rounded to the nearest.
///
/// # Errors
/// When the object is no number of this kind, or does not fit.
pub(crate) fn bits(scalar: Scalar, object: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Some(format) = DType::new(scalar).float_format() {
        let value: f64 = object.extract().map_err(|_| mismatch(scalar, object))?;
        return Ok(format.encode(value, Rounding::NearestEven));
    }
    let value: i128 = match object.extract::<i64>() {
        Ok(value) => value.into(),
        Err(_) => match object.extract::<u64>() {
            Ok(value) => value.into(),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => return Err(error),
            Err(_) => return Err(mismatch(scalar, object)),
        },
    };
    let width = scalar.bits();
    let fits = if width == 1 { (0..=1).contains(&value) } else { value >= -(1 << (width - 1)) && value < 1 << width };
    if !fits {
        return Err(PyOverflowError::new_err(format!("{value} does not fit {scalar}")));
    }
    Ok(value as u64 & (u64::MAX >> (64 - width)))
}

fn mismatch(scalar: Scalar, object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("expected a number for {scalar}, got {}", type_name(object)))
}
