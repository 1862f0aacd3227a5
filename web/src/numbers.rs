//! Numbers for the page: JSON numbers where these are exact, and texts otherwise.

use serde_json::Value;
use tilewright::{
    array::{DType, Number},
    ir::Scalar,
};

/// The largest whole number up to which JavaScript has all.
const EXACT: i128 = 1 << 53;

/// The value of the bits of an element; of a pointer, its address.
pub(crate) fn number(scalar: Option<Scalar>, bits: u64) -> Value {
    let Some(scalar) = scalar else { return Value::String(format!("{bits:#x}")) };
    match DType::new(scalar).decode(bits) {
        Number::Int(value) if value.abs() <= EXACT => Value::from(value as i64),
        Number::Int(value) => Value::String(value.to_string()),
        Number::Float(value) => match serde_json::Number::from_f64(value) {
            Some(number) => Value::Number(number),
            None => Value::String(value.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_numbers_cannot_say_is_text() {
        assert_eq!(number(Some(Scalar::F32), 0x3fc0_0000), 1.5);
        assert_eq!(number(Some(Scalar::F32), 0x7fc0_0000), "NaN");
        assert_eq!(number(Some(Scalar::F32), 0xff80_0000), "-inf");
        assert_eq!(number(Some(Scalar::I8), 0xff), -1);
        assert_eq!(number(Some(Scalar::I64), i64::MAX as u64), "9223372036854775807");
        assert_eq!(number(None, 0x7000), "0x7000");
    }
}
