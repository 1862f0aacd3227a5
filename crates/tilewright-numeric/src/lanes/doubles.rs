//! Numbers of `f64` that are computed together.

use super::Pair;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// One or more numbers of `f64`; what is done to it is done to each. All arithmetic rounds to nearest even.
///
/// Functions that are written for it run on the CPU's `f64`, on what stands for it where there are no fused multiply-adds, and on values of
/// code that is being built. So nothing branches on a number: both sides are computed, and one is selected.
pub trait DoubleLanes:
    Copy
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// Whether something holds, of each number.
    type Mask: MaskLanes;
    /// Integers of 64 bits.
    type Words: WordLanes<Doubles = Self, Mask = Self::Mask>;

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

    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The bits.
    fn words(self) -> Self::Words;

    /// Does `step` with what is carried as long as the mask holds that it hands on with it, at most `limit` times; each number for itself, and
    /// those of which the mask does not hold are left as they are. It costs what the last one takes.
    fn repeat<const N: usize>(
        running: Self::Mask,
        carried: [Self; N],
        limit: u32,
        step: impl FnMut([Self; N]) -> (Self::Mask, [Self; N]),
    ) -> [Self; N];

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

/// What a comparison gives.
pub trait MaskLanes: Copy + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {}

impl MaskLanes for bool {}

/// One or more integers of 64 bits without sign, modulo 2^64; what is done to it is done to each.
pub trait WordLanes:
    Copy
    + Not<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Add<u64, Output = Self>
    + Sub<u64, Output = Self>
    + BitAnd<u64, Output = Self>
    + BitOr<u64, Output = Self>
{
    /// The floats whose bits they are.
    type Doubles;
    /// Whether something holds, of each integer.
    type Mask: MaskLanes;

    /// `value`, as many times as there are integers in `self`.
    fn splat(self, value: u64) -> Self;

    /// The upper half of the product.
    fn mul_high(self, other: Self) -> Self;

    /// Shifted left; zero if the distance is 64 or more.
    fn shl(self, places: Self) -> Self;

    /// Shifted right, zeros moving in; zero if the distance is 64 or more.
    fn shr(self, places: Self) -> Self;

    /// Whether `self` is less than `other`.
    fn is_below(self, other: Self) -> Self::Mask;

    /// Whether the integers are equal.
    fn is_equal(self, other: Self) -> Self::Mask;

    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The integer of the table that the lowest four bits name.
    fn pick(self, table: &[u64; 16]) -> Self;

    /// The floats of these bits.
    fn doubles(self) -> Self::Doubles;

    /// Shifted left by a number of places that is known.
    #[inline(always)]
    fn left(self, places: u32) -> Self {
        self.shl(self.splat(places.into()))
    }

    /// Shifted right by a number of places that is known.
    #[inline(always)]
    fn right(self, places: u32) -> Self {
        self.shr(self.splat(places.into()))
    }
}

/// The lanes of one number.
macro_rules! repeat {
    () => {
        #[inline(always)]
        fn repeat<const N: usize>(
            mut running: bool,
            mut carried: [Self; N],
            limit: u32,
            mut step: impl FnMut([Self; N]) -> (bool, [Self; N]),
        ) -> [Self; N] {
            let mut times = 0;
            while running && times < limit {
                (running, carried) = step(carried);
                times += 1;
            }
            carried
        }
    };
}

/// One number, by the fused multiply-add of the CPU, where loops are compiled for one that has it; else a call of the platform's library.
impl DoubleLanes for f64 {
    type Mask = bool;
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
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn words(self) -> Word<f64> {
        Word::new(self.to_bits())
    }

    repeat!();
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
    type Mask = bool;
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
    fn select(mask: bool, yes: Halved, no: Halved) -> Halved {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn words(self) -> Word<Halved> {
        Word::new(self.0.to_bits())
    }

    repeat!();
}

impl From<f64> for Halved {
    #[inline(always)]
    fn from(number: f64) -> Halved {
        Halved(number)
    }
}

/// One integer: the bits of a `D`.
#[derive(Clone, Copy, Debug)]
pub struct Word<D> {
    /// The integer.
    pub bits: u64,
    doubles: std::marker::PhantomData<D>,
}

impl<D> Word<D> {
    #[inline(always)]
    fn new(bits: u64) -> Word<D> {
        Word { bits, doubles: std::marker::PhantomData }
    }
}

macro_rules! word_operators {
    ($($op:ident $method:ident $on_bits:ident;)*) => {$(
        impl<D> $op for Word<D> {
            type Output = Word<D>;
            #[inline(always)]
            fn $method(self, other: Word<D>) -> Word<D> {
                Word::new(self.bits.$on_bits(other.bits))
            }
        }

        impl<D> $op<u64> for Word<D> {
            type Output = Word<D>;
            #[inline(always)]
            fn $method(self, other: u64) -> Word<D> {
                Word::new(self.bits.$on_bits(other))
            }
        }
    )*};
}
word_operators! {
    Add add wrapping_add;
    Sub sub wrapping_sub;
    Mul mul wrapping_mul;
    BitAnd bitand bitand;
    BitOr bitor bitor;
    BitXor bitxor bitxor;
}

impl<D> Not for Word<D> {
    type Output = Word<D>;
    #[inline(always)]
    fn not(self) -> Word<D> {
        Word::new(!self.bits)
    }
}

impl<D: Copy + From<f64>> WordLanes for Word<D> {
    type Doubles = D;
    type Mask = bool;

    #[inline(always)]
    fn splat(self, value: u64) -> Self {
        Word::new(value)
    }

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        Word::new(((u128::from(self.bits) * u128::from(other.bits)) >> 64) as u64)
    }

    #[inline(always)]
    fn shl(self, places: Self) -> Self {
        Word::new(if places.bits < 64 { self.bits << places.bits } else { 0 })
    }

    #[inline(always)]
    fn shr(self, places: Self) -> Self {
        Word::new(if places.bits < 64 { self.bits >> places.bits } else { 0 })
    }

    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self.bits < other.bits
    }

    #[inline(always)]
    fn is_equal(self, other: Self) -> bool {
        self.bits == other.bits
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn pick(self, table: &[u64; 16]) -> Self {
        Word::new(table[(self.bits & 15) as usize])
    }

    #[inline(always)]
    fn doubles(self) -> D {
        f64::from_bits(self.bits).into()
    }
}
