//! Versions of the Tile IR bytecode.

use std::{fmt, str::FromStr};

/// A version of Tile IR; later versions compare greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Version {
    /// 13.1, the first public version.
    V13_1 = 1,
    /// 13.2
    V13_2 = 2,
    /// 13.3
    V13_3 = 3,
    /// 13.4
    V13_4 = 4,
    /// 13.5
    V13_5 = 5,
}

impl Version {
    /// All known versions, oldest first.
    pub const ALL: [Version; 5] = [Version::V13_1, Version::V13_2, Version::V13_3, Version::V13_4, Version::V13_5];
    /// The newest version this library knows.
    pub const LATEST: Version = Version::V13_5;

    /// The version with these numbers, if it is known.
    pub const fn from_numbers(major: u8, minor: u8) -> Option<Version> {
        match (major, minor) {
            (13, 1) => Some(Version::V13_1),
            (13, 2) => Some(Version::V13_2),
            (13, 3) => Some(Version::V13_3),
            (13, 4) => Some(Version::V13_4),
            (13, 5) => Some(Version::V13_5),
            _ => None,
        }
    }

    /// The major number: 13 for every version so far.
    pub const fn major(self) -> u8 {
        13
    }

    /// The minor number.
    pub const fn minor(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.minor())
    }
}

/// The text is not a known version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownVersion(String);

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown Tile IR version '{}': expected 13.1, 13.2, 13.3, 13.4 or 13.5", self.0)
    }
}

impl std::error::Error for UnknownVersion {}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Version::ALL.into_iter().find(|v| v.to_string() == text).ok_or_else(|| UnknownVersion(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for version in Version::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
            assert_eq!(Version::from_numbers(version.major(), version.minor()), Some(version));
        }
        assert!("13.6".parse::<Version>().is_err());
        assert!(Version::V13_4 < Version::V13_5);
    }
}
