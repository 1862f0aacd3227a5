//! The machine that plans are made for, as a value: planning asks it, and not the CPU.

use crate::{cache, cpu::Level};
use tilewright_vector as vector;

/// The machine that a plan is made for: the one that runs it, or a part of what that can do. Results are the same bits on all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetMachine {
    /// What loops are chosen for that were compiled ahead of time.
    level: Level,
    /// What fused regions become vector code for; `None` leaves them to the loops that were compiled ahead of time.
    vectors: Option<vector::Level>,
    /// Whether vector code becomes native code; otherwise the portable executor runs it.
    compiles: bool,
    /// Whether weak accesses may race as the machine's own loads and stores do.
    races: bool,
    /// Whether loads whose indices are divided read a box for each quotient.
    divides: bool,
    /// Bytes of the last cache.
    last_cache: usize,
}

impl TargetMachine {
    /// The machine that this runs on.
    pub fn host() -> TargetMachine {
        TargetMachine::of(Level::best())
    }

    /// The machine that this runs on, with the instructions of one level; `None` if it does not have that level.
    pub fn at(level: Level) -> Option<TargetMachine> {
        Level::available().any(|available| available == level).then(|| TargetMachine::of(level))
    }

    fn of(level: Level) -> TargetMachine {
        let available = vector::Level::available().iter().copied();
        let vectors = match level {
            Level::Avx512 => available.rev().find(|level| level.is_avx512()),
            Level::Avx2 => Some(vector::Level::Avx2),
            // On AArch64 what every CPU has includes NEON.
            Level::Baseline => available.rev().find(|level| level.is_neon()),
        };
        TargetMachine { level, vectors, compiles: vectors.is_some(), races: true, divides: true, last_cache: cache::last_cache() }
    }

    /// A machine with AArch64 and NEON, which this one need not be: to look at what plans become there. Where it is not, the portable executor runs them.
    pub fn neon() -> TargetMachine {
        TargetMachine { vectors: Some(vector::Level::Neon), compiles: true, ..TargetMachine::of(Level::Baseline) }
    }

    /// Any machine: loops of [`Level::Baseline`], and fused regions run by the portable executor of vector code, which is slow.
    pub fn portable() -> TargetMachine {
        TargetMachine { vectors: Some(vector::Level::Avx2), ..TargetMachine::of(Level::Baseline) }.without_native_code()
    }

    /// The same without making code in process: the portable executor runs what would be native code.
    #[must_use]
    pub fn without_native_code(self) -> TargetMachine {
        TargetMachine { compiles: false, ..self }
    }

    /// The same without arithmetic of `f16`, which is computed in `f32` then.
    #[must_use]
    pub fn without_half_arithmetic(self) -> TargetMachine {
        let vectors = match self.vectors {
            Some(vector::Level::Avx512Fp16) => Some(vector::Level::Avx512),
            Some(vector::Level::NeonFp16) => Some(vector::Level::Neon),
            other => other,
        };
        TargetMachine { vectors, ..self }
    }

    /// The same with weak accesses that are made as relaxed ones, atomic on each element, and slow. A program whose blocks race on weak accesses
    /// is undefined by the rules of Tile IR; otherwise its accesses are the machine's own loads and stores, which are a race by the rules of Rust as well,
    /// and give bytes of either value. On this machine nothing of it is a race by the rules of Rust.
    #[must_use]
    pub fn without_races(self) -> TargetMachine {
        TargetMachine { races: false, ..self }
    }

    /// The same with a last cache of so many bytes.
    #[must_use]
    pub fn with_last_cache(self, bytes: usize) -> TargetMachine {
        TargetMachine { last_cache: bytes, ..self }
    }

    /// What loops are chosen for that were compiled ahead of time.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Bytes of the last cache.
    pub fn last_cache(&self) -> usize {
        self.last_cache
    }

    /// Whether weak accesses are as they are, and not relaxed.
    pub(crate) fn may_race(&self) -> bool {
        self.races
    }

    /// The same where loads whose indices are divided go lane by lane.
    pub(crate) fn without_divisions(self) -> TargetMachine {
        TargetMachine { divides: false, ..self }
    }

    /// Whether loads whose indices are divided read a box for each quotient.
    pub(crate) fn divides(&self) -> bool {
        self.divides
    }

    /// Whether fused regions become vector code.
    pub(crate) fn has_regions(&self) -> bool {
        self.vectors.is_some()
    }

    /// What vector code becomes native code for; `None` leaves it to the portable executor.
    pub(crate) fn native(&self) -> Option<vector::Level> {
        self.vectors.filter(|_| self.compiles)
    }

    /// Bytes of a vector, where fused regions become vector code.
    pub(crate) fn vector_bytes(&self) -> Option<usize> {
        Some(self.vectors?.bytes())
    }

    /// Whether vector code reads elements of `size` bytes that are `stride` elements apart about as fast as a copy brings them to a register.
    pub(crate) fn reads_apart(&self, size: usize, stride: usize) -> bool {
        // What lies further apart has a line for each element or two, which are better read once for all tiles that they are part of.
        const FURTHEST: usize = 32;
        size >= 4 && stride * size <= FURTHEST || self.permutes(size, stride)
    }

    /// The same for what is written.
    pub(crate) fn writes_apart(&self, size: usize, stride: usize) -> bool {
        // With AVX2, each element takes an instruction.
        let is_near = size >= 4 && (1..=4).contains(&stride);
        is_near && self.vectors == Some(vector::Level::Avx2) || self.permutes(size, stride)
    }

    /// Whether permutations of vectors bring elements of `size` bytes together that are `stride` elements apart.
    fn permutes(&self, size: usize, stride: usize) -> bool {
        size >= 2 && (1..=4).contains(&stride) && self.vectors.is_some_and(vector::Level::is_avx512)
    }
}

impl Default for TargetMachine {
    fn default() -> TargetMachine {
        TargetMachine::host()
    }
}
