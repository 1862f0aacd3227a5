//! Variables of the environment that front ends obey.

use crate::exec::TargetMachine;
use std::{env, error::Error, ffi::OsString, fmt, num::NonZeroUsize};

/// A variable of the environment that holds something else than it may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableError {
    name: String,
    value: OsString,
    /// What it may hold.
    expected: &'static str,
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VariableError { name, value, expected } = self;
        let value = crate::ir::printable(value.as_encoded_bytes());
        write!(f, "the environment variable {name} must be {expected}, not '{value}'")
    }
}

impl Error for VariableError {}

/// How many worker threads a launch uses for which nothing else is said: `TILEWRIGHT_THREADS`; none where that is not set or empty.
///
/// # Errors
/// When it is set to anything else than a number from 1.
pub fn threads() -> Result<Option<NonZeroUsize>, VariableError> {
    count("TILEWRIGHT_THREADS")
}

/// What kernels are planned for where nothing else is said: this machine; where `TILEWRIGHT_JIT` is 0, without code that is made in process.
///
/// # Errors
/// When that is set to anything else than 0 or 1.
pub fn machine() -> Result<TargetMachine, VariableError> {
    let value = env::var_os("TILEWRIGHT_JIT").unwrap_or_default();
    match value.to_str() {
        Some("" | "1") => Ok(TargetMachine::host()),
        Some("0") => Ok(TargetMachine::host().without_native_code()),
        _ => Err(VariableError { name: "TILEWRIGHT_JIT".to_owned(), value, expected: "0 or 1" }),
    }
}

/// A number from 1 that a variable holds; none where it is not set or empty. What is larger than numbers here go is the largest one.
///
/// # Errors
/// When it holds anything else.
pub fn count(name: &str) -> Result<Option<NonZeroUsize>, VariableError> {
    env::var_os(name).filter(|value| !value.is_empty()).map(|value| parse(name, value)).transpose()
}

fn parse(name: &str, value: OsString) -> Result<NonZeroUsize, VariableError> {
    let digits = value.to_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.map(|digits| digits.parse().unwrap_or(usize::MAX));
    number.and_then(NonZeroUsize::new).ok_or_else(|| VariableError { name: name.to_owned(), value, expected: "a number of at least 1" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_and_all_else_is_named() {
        let parse = |value: &str| parse("N", value.into()).map(NonZeroUsize::get).map_err(|error| error.to_string());
        assert_eq!((parse("1"), parse("0012")), (Ok(1), Ok(12)));
        assert_eq!(parse(&"9".repeat(40)), Ok(usize::MAX));
        for wrong in ["0", "-1", "+1", " 1", "1.0", "abc", "0x1", "\u{0661}"] {
            assert_eq!(parse(wrong), Err(format!("the environment variable N must be a number of at least 1, not '{wrong}'")));
        }
        assert_eq!(parse("\x1b"), Err("the environment variable N must be a number of at least 1, not '\\u{1b}'".to_owned()));
    }
}
