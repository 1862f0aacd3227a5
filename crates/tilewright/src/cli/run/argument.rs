//! What can be written on the command line: arguments, grids, output files.

use std::{num::NonZeroUsize, path::PathBuf, str::FromStr, time::Duration};
use tilewright::{
    array::{ArrayType, DType},
    gpu::Target,
};

/// An argument for a parameter, as written.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Argument {
    /// `@in.npy`: a buffer with the content of a file.
    File(PathBuf),
    /// `f32[8x8]=1`: a buffer filled with the stored bits of a value.
    Buffer(ArrayType, u64),
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
    let bits = match fill.strip_prefix('=') {
        Some(value) => dtype.parse(value).map_err(|e| e.to_string())?,
        None if fill.is_empty() => 0,
        None => return Err(format!("expected '=VALUE' after the shape, found '{fill}'")),
    };
    let ty = ArrayType { dtype, shape: shape? };
    ty.bytes().map_err(|e| e.to_string())?;
    Ok(Argument::Buffer(ty, bits))
}

/// How many tile blocks to launch along x, y and z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::cli) struct Grid(pub(in crate::cli) [u32; 3]);

/// The largest extent of a grid.
const MAX_EXTENT: u32 = (1 << 24) - 1;

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

/// What runs a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Device {
    /// The engine.
    Cpu,
    /// The PTX machine, with code for a GPU.
    Ptx(Target),
}

/// The name of a device.
pub(super) fn device(text: &str) -> Result<Device, String> {
    match text.split_once(':') {
        None if text == "cpu" => Ok(Device::Cpu),
        None if text == "ptx" => Ok(Device::Ptx(Target::default())),
        Some(("ptx", target)) => target.parse().map(Device::Ptx),
        _ => Err("expected cpu, ptx or ptx:GPU, such as ptx:sm_90".to_owned()),
    }
}

/// A number of threads or launches.
pub(in crate::cli) fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}

/// A time in seconds.
pub(in crate::cli) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds, such as 10 or 0.5".to_owned())
}

/// A number of bytes: plain, or with a unit of 1000 or 1024.
pub(in crate::cli) fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let (number, unit) = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1));
    let bytes = number.trim_end().parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| "expected a number of bytes, such as 1000000, 64MiB or 2GB".to_owned())
}

/// `6=c.npy`: which buffer to write where.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OutputFile {
    pub(super) parameter: usize,
    pub(super) path: PathBuf,
}

impl FromStr for OutputFile {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFile, String> {
        match text.split_once('=').map(|(n, path)| (n.parse(), path)) {
            Some((Ok(parameter), path)) if !path.is_empty() => Ok(OutputFile { parameter, path: path.into() }),
            _ => Err("expected the number of a parameter, '=' and a file, such as 2=out.npy".to_owned()),
        }
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
        assert_eq!(parse("f32[1024x64]"), Ok(Argument::Buffer(ty(&[1024, 64]), 0)));
        assert_eq!(parse("f32[4]=1.5"), Ok(Argument::Buffer(ty(&[4]), 0x3fc0_0000)));
        assert_eq!(parse("f32[]"), Ok(Argument::Buffer(ty(&[]), 0)));
        assert_eq!(parse("f32:-0.5"), Ok(Argument::Number(f32, 0xbf00_0000)));
        assert_eq!(parse("u8:255"), Ok(Argument::Number(DType::from_name("u8").unwrap(), 255)));
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!([bytes("0"), bytes("12"), bytes("12B"), bytes("3 kB"), bytes("64MiB")], [0, 12, 12, 3000, 64 << 20].map(Ok));
        for wrong in ["", "MiB", "-1", "1.5GiB", "64Mib", "17000000TiB", "1KiBB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "-1", "nan", "inf", "1s", "1e99"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
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

    #[test]
    fn output_files_have_a_number_and_a_path() {
        assert_eq!("6=c=d.npy".parse(), Ok(OutputFile { parameter: 6, path: "c=d.npy".into() }));
        for text in ["c.npy", "=c.npy", "6=", "-1=c.npy"] {
            assert!(text.parse::<OutputFile>().is_err(), "{text}");
        }
    }
}
