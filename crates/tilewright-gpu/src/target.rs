//! The GPUs that code is made for.

use std::{fmt, str::FromStr};

/// A GPU generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Target {
    /// Ampere (A100).
    #[default]
    Sm80,
    /// Ampere (RTX 30).
    Sm86,
    /// Ada.
    Sm89,
    /// Hopper.
    Sm90,
    /// Blackwell (B200).
    Sm100,
    /// Blackwell (RTX 50).
    Sm120,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 6] = [Target::Sm80, Target::Sm86, Target::Sm89, Target::Sm90, Target::Sm100, Target::Sm120];

    /// Its name, such as `sm_80`.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Sm80 => "sm_80",
            Target::Sm86 => "sm_86",
            Target::Sm89 => "sm_89",
            Target::Sm90 => "sm_90",
            Target::Sm100 => "sm_100",
            Target::Sm120 => "sm_120",
        }
    }

    /// Its compute capability: 9 and 0 for `sm_90`.
    pub const fn compute_capability(self) -> (u32, u32) {
        match self {
            Target::Sm80 => (8, 0),
            Target::Sm86 => (8, 6),
            Target::Sm89 => (8, 9),
            Target::Sm90 => (9, 0),
            Target::Sm100 => (10, 0),
            Target::Sm120 => (12, 0),
        }
    }

    /// The target for GPUs of a compute capability: the newest one that they run the PTX of. `None` if they are older than all.
    pub fn for_compute_capability(major: u32, minor: u32) -> Option<Target> {
        Target::ALL.into_iter().rfind(|target| target.compute_capability() <= (major, minor))
    }

    /// Bytes of shared memory that a block may have at most, and that a multiprocessor has for all of its blocks; each takes 1 KiB more.
    pub const fn shared_memory(self) -> (u32, u32) {
        match self {
            Target::Sm80 => (163 << 10, 164 << 10),
            Target::Sm86 | Target::Sm89 | Target::Sm120 => (99 << 10, 100 << 10),
            Target::Sm90 | Target::Sm100 => (227 << 10, 228 << 10),
        }
    }

    /// The oldest version of PTX that knows the target and its products, but not before 8.0.
    pub const fn ptx_version(self) -> (u32, u32) {
        match self {
            Target::Sm80 | Target::Sm86 => (8, 0),
            Target::Sm89 | Target::Sm90 => (8, 4),
            Target::Sm100 => (8, 6),
            Target::Sm120 => (8, 7),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let names = || Target::ALL.map(Target::name).join(", ");
        Target::ALL.into_iter().find(|target| target.name() == text).ok_or_else(|| format!("'{text}' is no target; there are {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_get_the_newest_target_that_they_run() {
        let target = |(major, minor)| Target::for_compute_capability(major, minor);
        for known in Target::ALL {
            let (major, minor) = known.compute_capability();
            assert_eq!((target((major, minor)), known.name()), (Some(known), format!("sm_{major}{minor}").as_str()));
        }
        assert_eq!(
            [(7, 5), (8, 7), (10, 3), (11, 0), (12, 1)].map(target),
            [None, Some(Target::Sm86), Some(Target::Sm100), Some(Target::Sm100), Some(Target::Sm120)]
        );
    }
}
