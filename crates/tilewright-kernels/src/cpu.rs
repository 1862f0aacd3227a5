//! What the CPU can do, found out once.

use std::sync::OnceLock;

/// An instruction set that loops are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What every CPU of the architecture has; on AArch64 that includes NEON.
    Baseline,
    /// AVX2 with FMA and F16C: x86-64-v3.
    Avx2,
    /// AVX-512 with its byte, word and double word parts: x86-64-v4.
    Avx512,
}

impl Level {
    /// The best level of this CPU.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(detect)
    }

    /// Every level of this CPU.
    pub fn available() -> impl Iterator<Item = Level> {
        [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|level| *level <= Level::best())
    }

    /// Whether it has fused multiply-adds.
    pub const fn fuses(self) -> bool {
        !(cfg!(target_arch = "x86_64") && matches!(self, Level::Baseline))
    }

    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline if cfg!(target_arch = "aarch64") => "NEON",
            Level::Baseline if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Baseline => "portable",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}

/// Whether the CPU multiplies bytes four by four, with vectors of AVX-512.
pub(crate) fn multiplies_quads() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// Whether the CPU multiplies tiles of `bf16` and of bytes with AMX, and the system lets this process use its registers.
pub(crate) fn has_amx() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    {
        static HAS: OnceLock<bool> = OnceLock::new();
        *HAS.get_or_init(|| amx::is_there() && amx::is_allowed())
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    false
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
#[allow(unsafe_code, reason = "asks the system")]
mod amx {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    /// Whether the CPU has tiles, and products of `bf16` and of bytes: bits 24, 22 and 25 of leaf 7.
    pub(super) fn is_there() -> bool {
        const BITS: u32 = 1 << 22 | 1 << 24 | 1 << 25;
        __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & BITS == BITS
    }

    /// Asks the system to keep the registers of this process's threads, which are large.
    pub(super) fn is_allowed() -> bool {
        const ARCH_REQ_XCOMP_PERM: libc::c_int = 0x1023;
        const XFEATURE_XTILEDATA: libc::c_ulong = 18;
        // SAFETY: it changes nothing but what the process may use.
        unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    macro_rules! has {
        ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
    }
    if !has!("avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt") {
        return Level::Baseline;
    }
    if has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") { Level::Avx512 } else { Level::Avx2 }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}
