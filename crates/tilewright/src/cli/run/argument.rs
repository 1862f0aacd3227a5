//! What can be written on the command line beside arguments: devices, times, sizes, output files.

use std::{num::NonZeroUsize, path::PathBuf, str::FromStr, time::Duration};
pub(in crate::cli) use tilewright::arguments::Grid;
use tilewright::device;

/// What runs a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cli) enum Device {
    /// The engine.
    Cpu,
    /// What runs compiled kernels.
    Compiled(device::Device),
}

/// The name of a device.
pub(in crate::cli) fn device(text: &str) -> Result<Device, String> {
    match text {
        "cpu" => Ok(Device::Cpu),
        _ if text.starts_with("ptx") || text.starts_with("cuda") => text.parse().map(Device::Compiled),
        _ => Err("expected cpu, ptx or ptx:GPU, such as ptx:sm_90, cuda or cuda:N".to_owned()),
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
    fn output_files_have_a_number_and_a_path() {
        assert_eq!("6=c=d.npy".parse(), Ok(OutputFile { parameter: 6, path: "c=d.npy".into() }));
        for text in ["c.npy", "=c.npy", "6=", "-1=c.npy"] {
            assert!(text.parse::<OutputFile>().is_err(), "{text}");
        }
    }
}
