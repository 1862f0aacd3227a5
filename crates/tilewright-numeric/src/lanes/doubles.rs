//! Numbers of `f64` that are computed together.

use super::{Bits, Branchless, Pair, Word, WordLanes};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One or more numbers of `f64`; what is done to it is done to each. All arithmetic rounds to nearest even.
///
/// Functions that are written for it run on the CPU's `f64`, on what stands for it where there are no fused multiply-adds, and on values of
/// code that is being built. So nothing branches on a number: both sides are computed, and one is selected.
pub trait DoubleLanes:
    Branchless
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// Integers of 64 bits.
    type Words: WordLanes<Floats = Self, Mask = Self::Mask>;

    /// `value`, as many times as there are numbers in `self`.
    fn splat(self, value: f64) -> Self;

    /// The product and its rounding error: exactly, below 2^990 and unless the error is subnormal.
    fn product(self, other: Self) -> Pair<Self>;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The next integer toward zero.
    fn trunc(self) -> Self;

    /// The magnitude.
    fn abs(self) -> Self;

    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// `self`, at least `low`; NaN stays.
    fn at_least(self, low: f64) -> Self;

    /// `self`, at most `high`; NaN stays.
    fn at_most(self, high: f64) -> Self;

    /// Whether `self` is less than `other`; false for NaN.
    fn is_below(self, other: Self) -> Self::Mask;

    /// Whether `self` is less than `other` or equal; false for NaN.
    fn is_at_most(self, other: Self) -> Self::Mask;

    /// Whether the numbers are equal; false for NaN.
    fn is_equal(self, other: Self) -> Self::Mask;

    /// Whether the sign bit is set.
    fn is_negative(self) -> Self::Mask;

    /// The bits.
    fn words(self) -> Self::Words;

    /// Whether `self` is NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.is_equal(self)
    }
}

/// [`DoubleLanes`] with fused multiply-adds.
pub trait FusedLanes: DoubleLanes {
    /// `self * y + z`, rounded once.
    fn fused(self, y: Self, z: Self) -> Self;
}

/// One number, by the fused multiply-add of the CPU, where loops are compiled for one that has it; else a call of the platform's library.
impl DoubleLanes for f64 {
    type Words = Word<f64>;

    #[inline(always)]
    fn splat(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn product(self, other: f64) -> Pair<f64> {
        let high = self * other;
        Pair { high, low: self.mul_add(other, -high) }
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn trunc(self) -> f64 {
        f64::trunc(self)
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn copysign(self, sign: f64) -> f64 {
        f64::copysign(self, sign)
    }

    #[inline(always)]
    fn at_least(self, low: f64) -> f64 {
        if self < low { low } else { self }
    }

    #[inline(always)]
    fn at_most(self, high: f64) -> f64 {
        if self > high { high } else { self }
    }

    #[inline(always)]
    fn is_below(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn is_at_most(self, other: f64) -> bool {
        self <= other
    }

    #[inline(always)]
    fn is_equal(self, other: f64) -> bool {
        self == other
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }

    #[inline(always)]
    fn words(self) -> Word<f64> {
        Word::new(self.to_bits())
    }
}

impl FusedLanes for f64 {
    #[inline(always)]
    fn fused(self, y: f64, z: f64) -> f64 {
        self.mul_add(y, z)
    }
}

/// One number on CPUs without fused multiply-adds: products by the products of the halves of both factors (Dekker).
#[derive(Clone, Copy, Debug)]
pub struct Halved(pub f64);

macro_rules! operators {
    ($($op:ident $method:ident;)*) => {$(
        impl $op for Halved {
            type Output = Halved;
            #[inline(always)]
            fn $method(self, other: Halved) -> Halved {
                Halved(self.0.$method(other.0))
            }
        }

        impl $op<f64> for Halved {
            type Output = Halved;
            #[inline(always)]
            fn $method(self, other: f64) -> Halved {
                Halved(self.0.$method(other))
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

impl Neg for Halved {
    type Output = Halved;
    #[inline(always)]
    fn neg(self) -> Halved {
        Halved(-self.0)
    }
}

impl DoubleLanes for Halved {
    type Words = Word<Halved>;

    #[inline(always)]
    fn splat(self, value: f64) -> Halved {
        Halved(value)
    }

    #[inline(always)]
    fn product(self, other: Halved) -> Pair<Halved> {
        let halves = |x: f64| {
            let shifted = x * 134_217_729.0;
            let high = shifted - (shifted - x);
            (high, x - high)
        };
        let (high, (ah, al), (bh, bl)) = (self.0 * other.0, halves(self.0), halves(other.0));
        Pair { high: Halved(high), low: Halved(((ah * bh - high) + ah * bl + al * bh) + al * bl) }
    }

    #[inline(always)]
    fn sqrt(self) -> Halved {
        Halved(self.0.sqrt())
    }

    #[inline(always)]
    fn trunc(self) -> Halved {
        Halved(self.0.trunc())
    }

    #[inline(always)]
    fn abs(self) -> Halved {
        Halved(self.0.abs())
    }

    #[inline(always)]
    fn copysign(self, sign: Halved) -> Halved {
        Halved(self.0.copysign(sign.0))
    }

    #[inline(always)]
    fn at_least(self, low: f64) -> Halved {
        Halved(self.0.at_least(low))
    }

    #[inline(always)]
    fn at_most(self, high: f64) -> Halved {
        Halved(self.0.at_most(high))
    }

    #[inline(always)]
    fn is_below(self, other: Halved) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn is_at_most(self, other: Halved) -> bool {
        self.0 <= other.0
    }

    #[inline(always)]
    fn is_equal(self, other: Halved) -> bool {
        self.0 == other.0
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self.0.is_sign_negative()
    }

    #[inline(always)]
    fn words(self) -> Word<Halved> {
        Word::new(self.0.to_bits())
    }
}

impl Bits for Halved {
    const COUNT: u32 = 64;

    #[inline(always)]
    fn from_bits(bits: u64) -> Halved {
        Halved(f64::from_bits(bits))
    }
}
