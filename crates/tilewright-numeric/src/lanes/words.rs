//! Masks, what they choose, and integers that are the bits of floats.

use super::{Emulated, Halved};
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Sub};

/// What a comparison gives.
pub trait MaskLanes: Copy + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {}

impl MaskLanes for bool {}

/// Numbers that are computed together, of which each may take another way: what stands in place of branches.
pub trait Branchless: Copy {
    /// Whether something holds, of each number.
    type Mask: MaskLanes;

    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Does `step` with what is carried as long as the mask holds that it hands on with it, at most `limit` times; each number for itself, and
    /// those of which the mask does not hold are left as they are. It costs what the last one takes.
    fn repeat<const N: usize>(
        running: Self::Mask,
        carried: [Self; N],
        limit: u32,
        step: impl FnMut([Self; N]) -> (Self::Mask, [Self; N]),
    ) -> [Self; N];
}

/// Declares types that hold one number: each way is a branch.
macro_rules! one_number {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> Branchless for $t {
            type Mask = bool;

            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }

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
        }
    )*};
}
one_number! {
    [] f32;
    [] f64;
    [] Emulated;
    [] Halved;
    [F: Bits] Word<F>;
}

/// One or more integers without sign, of as many bits as floats of some format have; what is done to it is done to each. Arithmetic wraps around.
///
/// Integers of 32 bits take constants that fit into them.
pub trait WordLanes:
    Branchless
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
    type Floats;

    /// `value`, as many times as there are integers in `self`.
    fn splat(self, value: u64) -> Self;

    /// The upper half of the product.
    fn mul_high(self, other: Self) -> Self;

    /// Shifted left; zero if the distance is that of all bits, or more.
    fn shl(self, places: Self) -> Self;

    /// Shifted right, zeros moving in; zero if the distance is that of all bits, or more.
    fn shr(self, places: Self) -> Self;

    /// Whether `self` is less than `other`.
    fn is_below(self, other: Self) -> Self::Mask;

    /// Whether the integers are equal.
    fn is_equal(self, other: Self) -> Self::Mask;

    /// The integer of the table that the lowest four bits name.
    fn pick(self, table: &[u64; 16]) -> Self;

    /// The floats of these bits.
    fn floats(self) -> Self::Floats;

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

/// Floats that have up to 64 bits.
pub trait Bits: Copy {
    /// How many.
    const COUNT: u32;

    /// The float of the lowest bits.
    fn from_bits(bits: u64) -> Self;
}

impl Bits for f64 {
    const COUNT: u32 = 64;

    #[inline(always)]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

impl Bits for f32 {
    const COUNT: u32 = 32;

    #[inline(always)]
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
}

/// One integer: the bits of an `F`.
#[derive(Clone, Copy, Debug)]
pub struct Word<F> {
    /// The integer.
    pub bits: u64,
    floats: std::marker::PhantomData<F>,
}

impl<F: Bits> Word<F> {
    /// The lowest bits of an integer.
    #[inline(always)]
    pub(super) fn new(bits: u64) -> Word<F> {
        Word { bits: bits & (u64::MAX >> (64 - F::COUNT)), floats: std::marker::PhantomData }
    }
}

macro_rules! word_operators {
    ($($op:ident $method:ident $on_bits:ident;)*) => {$(
        impl<F: Bits> $op for Word<F> {
            type Output = Word<F>;
            #[inline(always)]
            fn $method(self, other: Word<F>) -> Word<F> {
                Word::new(self.bits.$on_bits(other.bits))
            }
        }

        impl<F: Bits> $op<u64> for Word<F> {
            type Output = Word<F>;
            #[inline(always)]
            fn $method(self, other: u64) -> Word<F> {
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

impl<F: Bits> Not for Word<F> {
    type Output = Word<F>;
    #[inline(always)]
    fn not(self) -> Word<F> {
        Word::new(!self.bits)
    }
}

impl<F: Bits> WordLanes for Word<F> {
    type Floats = F;

    #[inline(always)]
    fn splat(self, value: u64) -> Self {
        Word::new(value)
    }

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        Word::new(((u128::from(self.bits) * u128::from(other.bits)) >> F::COUNT) as u64)
    }

    #[inline(always)]
    fn shl(self, places: Self) -> Self {
        Word::new(if places.bits < u64::from(F::COUNT) { self.bits << places.bits } else { 0 })
    }

    #[inline(always)]
    fn shr(self, places: Self) -> Self {
        Word::new(if places.bits < u64::from(F::COUNT) { self.bits >> places.bits } else { 0 })
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
    fn pick(self, table: &[u64; 16]) -> Self {
        Word::new(table[(self.bits & 15) as usize])
    }

    #[inline(always)]
    fn floats(self) -> F {
        F::from_bits(self.bits)
    }
}
