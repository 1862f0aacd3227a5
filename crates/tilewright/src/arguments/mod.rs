//! Arguments of a launch as people write them: `f32[1024]=1`, `i32:64`, `@in.npy`.
//!
//! The commands `run` and `check` take them, and so does the explorer. [`bind`](fn@bind) gives the parameters of an entry their arguments,
//! [`place`] puts these into the memory of a launch; [`Checked`] is both for launches that are checked, whose buffers may overlap or be
//! unwritten.
//!
//! ```
//! use tilewright::{arguments, exec, ir, text};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) { %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token }";
//! let module = text::parse(source, &text::ParseOptions::new()).map_err(|errors| errors[0].render(source, "k"))?;
//! let program = exec::Program::new(ir::verify(module).map_err(|findings| findings[0].to_string())?);
//! let plan = program.plan("k")?;
//!
//! let mut bound = arguments::bind(&plan, &["i32[2]=7", "i32:5"])?;
//! let mut memory = exec::Memory::new();
//! let args = arguments::place(&mut bound, &mut memory, &[]);
//! exec::launch(&plan, &mut memory, [1, 1, 1], &args, &exec::LaunchOptions::new())?;
//! drop(memory);
//! let arguments::Bound::Buffer(array) = &bound[0] else { unreachable!() };
//! assert_eq!(array.bytes(), [5, 0, 0, 0, 7, 0, 0, 0]);
//! # Ok(())
//! # }
//! ```

mod bind;
mod checked;
mod fill;

pub use bind::{Bound, OpenFn, bind, bind_from, place};
pub use checked::Checked;
pub use fill::Fill;

use crate::{
    array::{ArrayType, DType},
    exec::MAX_EXTENT,
};
use std::{fmt, path::PathBuf, str::FromStr};

/// Why arguments cannot be passed, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentError(String);

impl ArgumentError {
    fn new(what: impl fmt::Display) -> ArgumentError {
        ArgumentError(what.to_string())
    }

    /// An error with what it is about in front.
    fn about(what: impl fmt::Display, error: impl fmt::Display) -> ArgumentError {
        ArgumentError(format!("{what}: {error}"))
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ArgumentError {}

/// An argument for a parameter, as written.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// `@in.npy`: a buffer with the content of a file.
    File(PathBuf),
    /// `f32[8x8]=1`: a buffer with this content.
    Buffer(ArrayType, Fill),
    /// `f32:0.5`: a number, as stored bits.
    Number(DType, u64),
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Argument, String> {
        if let Some(path) = text.strip_prefix('@') {
            return if path.is_empty() { Err("a file name is missing after '@'".to_owned()) } else { Ok(Argument::File(path.into())) };
        }
        if let Some((name, rest)) = text.split_once('[') {
            return buffer(dtype(name)?, rest);
        }
        match text.split_once(':') {
            Some((name, value)) => {
                let dtype = dtype(name)?;
                Ok(Argument::Number(dtype, dtype.parse(value).map_err(|e| e.to_string())?))
            }
            None => Err("expected @FILE.npy, TYPE[SHAPE], TYPE[SHAPE]=VALUE or TYPE:VALUE".to_owned()),
        }
    }
}

fn dtype(name: &str) -> Result<DType, String> {
    DType::from_name(name).ok_or_else(|| format!("'{name}' is not an element type"))
}

/// The rest of `f32[` ...
fn buffer(dtype: DType, rest: &str) -> Result<Argument, String> {
    let (shape, fill) = rest.split_once(']').ok_or("']' is missing")?;
    let extents = shape.split(['x', ',']).map(str::trim).filter(|_| !shape.trim().is_empty());
    let shape: Result<Vec<u64>, String> = extents.map(|n| n.parse().map_err(|_| format!("'{n}' is not an extent"))).collect();
    let fill = match fill.strip_prefix('=') {
        Some("count") => Fill::Count,
        Some("random") => Fill::Random,
        Some(value) => Fill::Value(dtype.parse(value).map_err(|e| e.to_string())?),
        None if fill.is_empty() => Fill::Value(0),
        None => return Err(format!("expected '=VALUE' after the shape, found '{fill}'")),
    };
    let ty = ArrayType { dtype, shape: shape? };
    ty.bytes().map_err(|e| e.to_string())?;
    Ok(Argument::Buffer(ty, fill))
}

/// How many tile blocks to launch along x, y and z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grid(pub [u32; 3]);

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Grid, String> {
        let mut grid = [1; 3];
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err(format!("a grid has up to three extents, found {}", parts.len()));
        }
        for (extent, part) in grid.iter_mut().zip(parts) {
            *extent = part
                .trim()
                .parse()
                .ok()
                .filter(|n| (1..=MAX_EXTENT).contains(n))
                .ok_or_else(|| format!("'{part}' is not an extent: expected a number from 1 to {MAX_EXTENT}"))?;
        }
        Ok(Grid(grid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Argument, String> {
        text.parse()
    }

    #[test]
    fn arguments_are_told_apart() {
        let f32 = DType::from_name("f32").unwrap();
        let ty = |shape: &[u64]| ArrayType { dtype: f32, shape: shape.to_vec() };
        assert_eq!(parse("@a:b[1].npy"), Ok(Argument::File("a:b[1].npy".into())));
        assert_eq!(parse("f32[1024x64]"), Ok(Argument::Buffer(ty(&[1024, 64]), Fill::Value(0))));
        assert_eq!(parse("f32[4]=1.5"), Ok(Argument::Buffer(ty(&[4]), Fill::Value(0x3fc0_0000))));
        assert_eq!(parse("f32[]"), Ok(Argument::Buffer(ty(&[]), Fill::Value(0))));
        assert_eq!(parse("f32[4]=count"), Ok(Argument::Buffer(ty(&[4]), Fill::Count)));
        assert_eq!(parse("f32[4]=random"), Ok(Argument::Buffer(ty(&[4]), Fill::Random)));
        assert_eq!(parse("f32:-0.5"), Ok(Argument::Number(f32, 0xbf00_0000)));
        assert_eq!(parse("u8:255"), Ok(Argument::Number(DType::from_name("u8").unwrap(), 255)));
    }

    #[test]
    fn wrong_arguments_say_why() {
        let cases = [
            ("5", "expected @FILE.npy"),
            ("@", "file name is missing"),
            ("f33:1", "'f33' is not an element type"),
            ("i32:1.5", "'1.5' is not a value of i32"),
            ("f32[4", "']' is missing"),
            ("f32[4,x]", "'' is not an extent"),
            ("f32[-1]", "'-1' is not an extent"),
            ("f32[4]5", "expected '=VALUE'"),
            ("f32[4]=a", "'a' is not a value of f32"),
            ("f32[18446744073709551615]", "not an array that fits"),
        ];
        for (text, expected) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn grids_have_one_to_three_positive_extents() {
        assert_eq!("8".parse(), Ok(Grid([8, 1, 1])));
        assert_eq!("4,3,2".parse(), Ok(Grid([4, 3, 2])));
        for text in ["", "0", "1,2,3,4", "x", "1,,2", "-1", "16777216"] {
            assert!(text.parse::<Grid>().is_err(), "{text}");
        }
    }
}
