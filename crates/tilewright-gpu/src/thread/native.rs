//! What GPUs have as one instruction and vector code as several primitives, because CPUs lack it.
//!
//! These give the bits that the primitives give, but for NaN: theirs is the canonical one.

use std::fmt;
use tilewright_vector::Lane;

/// An instruction on floats; those of 16 bits are held as `i16`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Native {
    /// The larger of two `f32`, NaN if either is.
    MaximumF32,
    /// The smaller of two `f32`, NaN if either is.
    MinimumF32,
    /// The larger of two `f16`, NaN if either is.
    MaximumF16,
    /// The smaller of two `f16`, NaN if either is.
    MinimumF16,
    /// The larger of two `bf16`, NaN if either is.
    MaximumBf16,
    /// The smaller of two `bf16`, NaN if either is.
    MinimumBf16,
    /// An `f32` rounded to the nearest `f16`.
    RoundF16,
    /// An `f32` rounded to the nearest `bf16`.
    RoundBf16,
    /// The sum of two `f16`.
    AddF16,
    /// The difference of two `f16`.
    SubF16,
    /// The product of two `f16`.
    MulF16,
    /// The product of two `f16` plus a third, rounded once.
    FmaF16,
    /// The product of two `bf16` plus a third, rounded once.
    FmaBf16,
}

impl Native {
    /// All of them.
    pub const ALL: [Native; 13] = [
        Native::MaximumF32,
        Native::MinimumF32,
        Native::MaximumF16,
        Native::MinimumF16,
        Native::MaximumBf16,
        Native::MinimumBf16,
        Native::RoundF16,
        Native::RoundBf16,
        Native::AddF16,
        Native::SubF16,
        Native::MulF16,
        Native::FmaF16,
        Native::FmaBf16,
    ];

    /// As PTX names it.
    pub const fn name(self) -> &'static str {
        match self {
            Native::MaximumF32 => "max.NaN.f32",
            Native::MinimumF32 => "min.NaN.f32",
            Native::MaximumF16 => "max.NaN.f16",
            Native::MinimumF16 => "min.NaN.f16",
            Native::MaximumBf16 => "max.NaN.bf16",
            Native::MinimumBf16 => "min.NaN.bf16",
            Native::RoundF16 => "cvt.rn.f16.f32",
            Native::RoundBf16 => "cvt.rn.bf16.f32",
            Native::AddF16 => "add.rn.f16",
            Native::SubF16 => "sub.rn.f16",
            Native::MulF16 => "mul.rn.f16",
            Native::FmaF16 => "fma.rn.f16",
            Native::FmaBf16 => "fma.rn.bf16",
        }
    }

    /// How many operands it takes, and their type.
    pub const fn operands(self) -> (usize, Lane) {
        match self {
            Native::MaximumF32 | Native::MinimumF32 => (2, Lane::F32),
            Native::RoundF16 | Native::RoundBf16 => (1, Lane::F32),
            Native::FmaF16 | Native::FmaBf16 => (3, Lane::I16),
            _ => (2, Lane::I16),
        }
    }

    /// The type of its result.
    pub const fn result(self) -> Lane {
        match self {
            Native::MaximumF32 | Native::MinimumF32 => Lane::F32,
            _ => Lane::I16,
        }
    }
}

impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
