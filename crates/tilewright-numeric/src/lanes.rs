//! Numbers that are computed together, and the functions that are written for them.
//!
//! | numbers | functions |
//! |---|---|
//! | [`Lanes`], of `f32` | here: `exp`, `exp2` and `tanh` of `f32` |
//! | [`SingleLanes`], of `f32` | here: `log`, `log2`, `rsqrt`, `sin` and `cos` of `f32` |
//! | [`DoubleLanes`], of `f64` | [`double`](mod@double): those of `f64`; [`single`](mod@single): the others of `f32`, which compute in `f64` |
//!
//! Functions that kernels use most compute in `f32` with fused multiply-adds: twice as many numbers to a vector as in `f64`. A fused multiply-add
//! rounds once wherever it is computed, so the results are the same for every instruction set.

mod doubles;
mod words;

pub use crate::double::Pair;
pub use crate::single::{
    angle::{cos, sin},
    exponential::{exp, exp2, tanh},
    logarithm::{log, log2},
    root::rsqrt,
};
pub use doubles::{DoubleLanes, FusedLanes, Halved};
pub use words::{Bits, Branchless, MaskLanes, Word, WordLanes};

/// Functions of `f32`, on the same numbers in `f64`: what they give is to be rounded to `f32` once.
pub mod single {
    pub use crate::single::{atan2, cosh, pow, sinh, tan};
}

/// Functions of `f64`.
pub mod double {
    pub use crate::double::{
        angle::{cos, sin, tan},
        arctangent::atan2,
        exponential::{cosh, exp, exp2, sinh, tanh},
        logarithm::{log, log2},
        power::pow,
        root::rsqrt,
    };
}

use crate::float::flush_f32;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One or more numbers of `f32`; what is done to it is done to each. Sums, products and quotients are rounded to nearest.
pub trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// `value`, as many times as there are numbers in `self`.
    fn splat(self, value: f32) -> Self;

    /// `self * y + z`, rounded once.
    fn fused(self, y: Self, z: Self) -> Self;

    /// `self`, at least `low`; NaN stays.
    fn at_least(self, low: Self) -> Self;

    /// `self`, at most `high`; NaN stays.
    fn at_most(self, high: Self) -> Self;

    /// The magnitude.
    fn abs(self) -> Self;

    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// `self`, or zero of the same sign where it is subnormal.
    fn flushed(self) -> Self;

    /// The bits from the second highest of the fraction on upwards, as the lowest bits.
    fn upper_bits(self) -> Self;

    /// The number of the table that the lowest four bits name.
    fn pick(self, table: &[f32; 16]) -> Self;

    /// `self` times 2 to the power of the low bits of `shifted` but for the last three, rounded where that is subnormal. The power is an
    /// integer from -168 to 130, `self` is about from 1 to 2, and `shifted` is [`EIGHTHS`] more than the power and some eighths.
    fn scaled(self, shifted: Self) -> Self;
}

/// [`Lanes`] that are compared, and taken apart.
pub trait SingleLanes: Lanes + Branchless + Neg<Output = Self> {
    /// Integers of 32 bits.
    type Words: WordLanes<Floats = Self, Mask = Self::Mask>;

    /// The square root.
    fn sqrt(self) -> Self;

    /// Whether `self` is less than `other`; false for NaN.
    fn is_below(self, other: Self) -> Self::Mask;

    /// The exponent of a positive normal number, and the number divided by that power of two: from 3/4 to 3/2. Of others, anything.
    fn exponent_and_rest(self) -> (Self, Self);

    /// The bits.
    fn words(self) -> Self::Words;
}

/// The bits of 3/4.
pub const THREE_QUARTERS_BITS: u32 = 0.75f32.to_bits();

/// Added to a small number, it rounds to the nearest sixteenth; how many there are is then in the low bits; the next nine bits are zero.
pub const ROUND: f32 = 786_432.0;

/// The same for eighths.
pub const EIGHTHS: f32 = 1_572_864.0;

/// One number, by the fused multiply-add of the CPU, where loops are compiled for one that has it; else a call of the platform's library.
impl Lanes for f32 {
    #[inline(always)]
    fn splat(self, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn fused(self, y: f32, z: f32) -> f32 {
        self.mul_add(y, z)
    }

    #[inline(always)]
    fn at_least(self, low: f32) -> f32 {
        if self < low { low } else { self }
    }

    #[inline(always)]
    fn at_most(self, high: f32) -> f32 {
        if self > high { high } else { self }
    }

    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }

    #[inline(always)]
    fn copysign(self, sign: f32) -> f32 {
        f32::copysign(self, sign)
    }

    #[inline(always)]
    fn flushed(self) -> f32 {
        flush_f32(self)
    }

    #[inline(always)]
    fn upper_bits(self) -> f32 {
        f32::from_bits(self.to_bits() >> 21)
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 16]) -> f32 {
        table[(self.to_bits() & 15) as usize]
    }

    #[inline(always)]
    fn scaled(self, shifted: f32) -> f32 {
        // In two steps, because the power may be behind the range.
        let n = shifted.to_bits() >> 3;
        let half = n >> 1;
        self * power_of_two(half) * power_of_two(n.wrapping_sub(half))
    }
}

impl SingleLanes for f32 {
    type Words = Word<f32>;

    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn is_below(self, other: f32) -> bool {
        self < other
    }

    #[inline(always)]
    fn exponent_and_rest(self) -> (f32, f32) {
        let exponent = self.to_bits().wrapping_sub(THREE_QUARTERS_BITS).cast_signed() >> 23;
        (exponent as f32, f32::from_bits(self.to_bits().wrapping_sub(exponent.cast_unsigned() << 23)))
    }

    #[inline(always)]
    fn words(self) -> Word<f32> {
        Word::new(self.to_bits().into())
    }
}

/// 2 to the power of the low bits of a number, from -126 to 127.
#[inline(always)]
fn power_of_two(n: u32) -> f32 {
    f32::from_bits((n << 23).wrapping_add(1.0f32.to_bits()))
}

/// One number, by arithmetic that every CPU has vectors for.
#[derive(Clone, Copy, Debug)]
pub struct Emulated(pub f32);

macro_rules! operators {
    ($($op:ident $method:ident;)*) => {$(
        impl $op for Emulated {
            type Output = Emulated;
            #[inline(always)]
            fn $method(self, other: Emulated) -> Emulated {
                Emulated(self.0.$method(other.0))
            }
        }
    )*};
}
operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Lanes for Emulated {
    #[inline(always)]
    fn splat(self, value: f32) -> Emulated {
        Emulated(value)
    }

    /// The product is exact in `f64`. The sum is rounded to odd: the last bit tells that there is more behind it, so that rounding
    /// once more gives what rounding once would have given.
    #[inline(always)]
    fn fused(self, y: Emulated, z: Emulated) -> Emulated {
        let (product, z) = (f64::from(self.0) * f64::from(y.0), f64::from(z.0));
        let sum = product + z;
        let part = sum - product;
        let error = (product - (sum - part)) + (z - part);
        let bits = sum.to_bits();
        // Away from zero or towards it; a NaN, where the sum is infinite, is neither above nor below.
        let step = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
        let inexact = (error > 0.0) | (error < 0.0);
        let odd = if inexact & (bits & 1 == 0) { bits.wrapping_add(step) } else { bits };
        Emulated(f64::from_bits(odd) as f32)
    }

    #[inline(always)]
    fn at_least(self, low: Emulated) -> Emulated {
        Emulated(self.0.at_least(low.0))
    }

    #[inline(always)]
    fn at_most(self, high: Emulated) -> Emulated {
        Emulated(self.0.at_most(high.0))
    }

    #[inline(always)]
    fn abs(self) -> Emulated {
        Emulated(self.0.abs())
    }

    #[inline(always)]
    fn copysign(self, sign: Emulated) -> Emulated {
        Emulated(self.0.copysign(sign.0))
    }

    #[inline(always)]
    fn flushed(self) -> Emulated {
        Emulated(self.0.flushed())
    }

    #[inline(always)]
    fn upper_bits(self) -> Emulated {
        Emulated(self.0.upper_bits())
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 16]) -> Emulated {
        Emulated(self.0.pick(table))
    }

    #[inline(always)]
    fn scaled(self, shifted: Emulated) -> Emulated {
        Emulated(self.0.scaled(shifted.0))
    }
}

impl Neg for Emulated {
    type Output = Emulated;
    #[inline(always)]
    fn neg(self) -> Emulated {
        Emulated(-self.0)
    }
}

impl Bits for Emulated {
    const COUNT: u32 = 32;

    #[inline(always)]
    fn from_bits(bits: u64) -> Emulated {
        Emulated(Bits::from_bits(bits))
    }
}

impl SingleLanes for Emulated {
    type Words = Word<Emulated>;

    #[inline(always)]
    fn sqrt(self) -> Emulated {
        Emulated(self.0.sqrt())
    }

    #[inline(always)]
    fn is_below(self, other: Emulated) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn exponent_and_rest(self) -> (Emulated, Emulated) {
        let (exponent, rest) = self.0.exponent_and_rest();
        (Emulated(exponent), Emulated(rest))
    }

    #[inline(always)]
    fn words(self) -> Word<Emulated> {
        Word::new(self.0.to_bits().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulated_multiply_adds_are_exact() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let edges = [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::MAX,
            -f32::MAX,
            f32::INFINITY,
            f32::NAN,
            f32::from_bits(1),
            1.0 + f32::EPSILON,
        ];
        for i in 0..2_000_000 {
            // Numbers of all sizes, then of similar size, then sums that nearly vanish.
            let number = |bits: u32| match i % 3 {
                0 => f32::from_bits(bits),
                _ => f32::from_bits(bits & 0x83ff_ffff | 0x3c00_0000),
            };
            let [x, y] = [random(), random()].map(number);
            let z = if i % 3 == 2 { f32::from_bits((-x * y).to_bits().wrapping_add(random() % 5)) } else { number(random()) };
            let pick = |x: f32, i: u32| if i.is_multiple_of(16) { edges[i as usize / 16 % edges.len()] } else { x };
            let [x, y, z] = [pick(x, random() >> 8), pick(y, random() >> 8), pick(z, random() >> 8)];
            let (native, emulated) = (x.fused(y, z), Emulated(x).fused(Emulated(y), Emulated(z)).0);
            assert!(
                native.to_bits() == emulated.to_bits() || native.is_nan() && emulated.is_nan(),
                "{x:e} * {y:e} + {z:e}: {emulated:e}, not {native:e}"
            );
        }
    }
}
