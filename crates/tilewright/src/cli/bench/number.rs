//! Numbers in the description of a suite.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number. JSON has none that is infinite or NaN: these are the words "inf", "-inf" and "nan".
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Number(pub(super) f64);

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(String),
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = match self.0 {
            value if value.is_nan() => "nan",
            f64::INFINITY => "inf",
            f64::NEG_INFINITY => "-inf",
            value => return serializer.serialize_f64(value),
        };
        serializer.serialize_str(word)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let word = match Written::deserialize(deserializer)? {
            Written::Number(value) => return Ok(Number(value)),
            Written::Word(word) => word,
        };
        match &*word {
            "inf" => Ok(Number(f64::INFINITY)),
            "-inf" => Ok(Number(f64::NEG_INFINITY)),
            "nan" => Ok(Number(f64::NAN)),
            _ => Err(D::Error::custom(format!("expected a number, \"inf\", \"-inf\" or \"nan\", got \"{word}\""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (value, text) in
            [(1.5, "1.5"), (-2.0, "-2.0"), (f64::INFINITY, "\"inf\""), (f64::NEG_INFINITY, "\"-inf\""), (f64::NAN, "\"nan\"")]
        {
            assert_eq!(serde_json::to_string(&Number(value)).unwrap(), text);
            let Number(read) = serde_json::from_str(text).unwrap();
            assert!(read == value || read.is_nan() && value.is_nan(), "{text}");
        }
        let Number(whole) = serde_json::from_str("3").unwrap();
        assert_eq!(whole, 3.0);
        for wrong in ["-Infinity", "null", "[1]", "\"Infinity\""] {
            assert!(serde_json::from_str::<Number>(wrong).is_err(), "{wrong}");
        }
    }
}
