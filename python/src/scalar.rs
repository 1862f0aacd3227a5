//! Python numbers as the bits of Tile IR numbers.

use crate::array::type_name;
use pyo3::{
    exceptions::{PyOverflowError, PyTypeError},
    prelude::*,
};
use tilewright::{array::DType, ir::Scalar};

/// The bits of a number of this type.
///
/// An integer is signed, but for the unsigned numbers of NumPy: `numpy.uint32(n)` gives its bits to an `i32`. Floats are rounded to the
/// nearest.
///
/// # Errors
/// When the object is no number of this kind, or does not fit.
pub(crate) fn bits(scalar: Scalar, object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let dtype = DType::new(scalar);
    if dtype.float_format().is_some() {
        return match object.extract::<f64>() {
            Ok(value) => dtype.encode(value).ok_or_else(|| too_large(scalar, object)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Err(too_large(scalar, object)),
            Err(_) => Err(mismatch(scalar, object)),
        };
    }
    let width = scalar.bits();
    let value: i128 = match object.extract() {
        Ok(value) => value,
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => return Err(too_large(scalar, object)),
        Err(_) => return Err(mismatch(scalar, object)),
    };
    let range = match width {
        1 => 0..=1,
        _ if is_unsigned(object)? => 0..=(1 << width) - 1,
        _ => -(1 << (width - 1))..=(1 << (width - 1)) - 1,
    };
    if !range.contains(&value) {
        return Err(too_large(scalar, object));
    }
    Ok(value as u64 & (u64::MAX >> (64 - width)))
}

/// Whether this is an unsigned number of NumPy.
fn is_unsigned(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(dtype) = object.getattr_opt(pyo3::intern!(object.py(), "dtype"))? else { return Ok(false) };
    Ok(dtype.getattr_opt(pyo3::intern!(object.py(), "kind"))?.is_some_and(|kind| kind.eq("u").unwrap_or(false)))
}

fn too_large(scalar: Scalar, object: &Bound<'_, PyAny>) -> PyErr {
    // Python refuses to print integers of thousands of digits.
    let text = object.str().map(|text| text.to_string()).ok().filter(|text| text.len() <= 80);
    let bits = || object.call_method0("bit_length").map_or_else(|_| type_name(object), |bits| format!("an integer of {bits} bits"));
    PyOverflowError::new_err(format!("{} does not fit {scalar}", text.unwrap_or_else(bits)))
}

fn mismatch(scalar: Scalar, object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("expected a number for {scalar}, got {}", type_name(object)))
}
