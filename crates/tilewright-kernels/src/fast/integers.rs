//! The functions of integers that fast kernels apply to each element, and of the bytes that hold an `i1`.
//!
//! Where an operation is undefined, they give what [`exact`](crate::exact) does.

use super::loops::{Fn1, Fn2};
use std::marker::PhantomData;

/// An integer type with the steps of division and shifts that are vector code for its width.
pub(super) trait Integer: Copy + PartialEq + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    /// All ones: the quotient of a division by zero.
    const ONES: Self;
    fn wrapping_neg(self) -> Self;
    fn wrapping_abs(self) -> Self;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    /// The quotient, truncated; wrapped where it does not fit, anything for a zero divisor.
    fn quotient(self, divisor: Self) -> Self;
    /// 0 for a count that reaches the width.
    fn left(self, count: Self) -> Self;
    /// For such a count, copies of the sign, or 0.
    fn right(self, count: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident $unsigned:ident
        |$x:ident, $y:ident| $quotient:expr,
        |$shifted:ident, $count:ident| $left:expr, $right:expr;)*) => {$(
        impl Integer for $t {
            const ZERO: $t = 0;
            const ONE: $t = 1;
            const ONES: $t = !0;
            #[inline(always)]
            fn wrapping_neg(self) -> $t {
                $t::wrapping_neg(self)
            }
            #[inline(always)]
            fn wrapping_abs(self) -> $t {
                #[allow(unused_comparisons, reason = "never true of an unsigned number")]
                if self < 0 { $t::wrapping_neg(self) } else { self }
            }
            #[inline(always)]
            fn wrapping_add(self, other: $t) -> $t {
                $t::wrapping_add(self, other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: $t) -> $t {
                $t::wrapping_sub(self, other)
            }
            #[inline(always)]
            fn wrapping_mul(self, other: $t) -> $t {
                $t::wrapping_mul(self, other)
            }
            #[inline(always)]
            fn quotient(self, divisor: $t) -> $t {
                let ($x, $y) = (self, divisor);
                $quotient
            }
            #[inline(always)]
            fn left(self, count: $t) -> $t {
                let ($shifted, $count) = (self, count as $unsigned);
                $left
            }
            #[inline(always)]
            fn right(self, count: $t) -> $t {
                let ($shifted, $count) = (self, count as $unsigned);
                $right
            }
        }
    )*};
}
// A quotient of floats with more than twice an integer's bits is never rounded up to a whole number that it does not reach. Shifts are
// those of 32 bits and more: the CPU has no others.
integers! {
    i8 u8 |x, y| (f32::from(x) / f32::from(y)) as i32 as i8,
        |x, count| (i32::from(x) << count.min(31)) as i8, (i32::from(x) >> count.min(31)) as i8;
    u8 u8 |x, y| (f32::from(x) / f32::from(y)) as i32 as u8,
        |x, count| (u32::from(x) << count.min(31)) as u8, (u32::from(x) >> count.min(31)) as u8;
    i16 u16 |x, y| (f32::from(x) / f32::from(y)) as i32 as i16,
        |x, count| (i32::from(x) << count.min(31)) as i16, (i32::from(x) >> count.min(31)) as i16;
    u16 u16 |x, y| (f32::from(x) / f32::from(y)) as i32 as u16,
        |x, count| (u32::from(x) << count.min(31)) as u16, (u32::from(x) >> count.min(31)) as u16;
    i32 u32 |x, y| if y == -1 { x.wrapping_neg() } else { (f64::from(x) / f64::from(y)) as i32 },
        |x, count| if count < 32 { x << (count & 31) } else { 0 }, x >> count.min(31);
    u32 u32 |x, y| (f64::from(x) / f64::from(y)) as u32,
        |x, count| if count < 32 { x << (count & 31) } else { 0 }, if count < 32 { x >> (count & 31) } else { 0 };
    i64 u64 |x, y| if y == 0 { 0 } else { x.wrapping_div(y) },
        |x, count| if count < 64 { x << (count & 63) } else { 0 }, x >> count.min(63);
    u64 u64 |x, y| x.checked_div(y).unwrap_or(0),
        |x, count| if count < 64 { x << (count & 63) } else { 0 }, if count < 64 { x >> (count & 63) } else { 0 };
}

pub(super) struct NegI;
impl<T: Integer> Fn1<T> for NegI {
    #[inline(always)]
    fn apply(x: T) -> T {
        x.wrapping_neg()
    }
}

/// The absolute value; the smallest number keeps its bits.
pub(super) struct AbsI;
impl<T: Integer> Fn1<T> for AbsI {
    #[inline(always)]
    fn apply(x: T) -> T {
        x.wrapping_abs()
    }
}

/// Declares functions of two integers.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl<T: Integer> Fn2<T> for $name {
            #[inline(always)]
            fn apply($x: T, $y: T) -> T {
                $body
            }
        }
    )*};
}
functions! {
    Shl |x, y| x.left(y);
    Shr |x, y| x.right(y);
    /// With the sign of the dividend, which it is for a zero divisor.
    RemI |x, y| x.wrapping_sub(x.quotient(y).wrapping_mul(y));
}

/// What a quotient that is not whole is changed by.
pub(super) trait Rounds {
    /// `below`: whether the exact quotient is below zero.
    fn change<T: Integer>(quotient: T, below: bool) -> T;
}

/// Declares roundings of quotients.
macro_rules! roundings {
    ($($name:ident |$quotient:ident, $below:ident| $change:expr;)*) => {$(
        pub(super) struct $name;
        impl Rounds for $name {
            #[inline(always)]
            fn change<T: Integer>($quotient: T, $below: bool) -> T {
                $change
            }
        }
    )*};
}
roundings! {
    ToZero |quotient, _below| quotient;
    Up |quotient, below| if below { quotient } else { quotient.wrapping_add(T::ONE) };
    Down |quotient, below| if below { quotient.wrapping_sub(T::ONE) } else { quotient };
}

pub(super) struct DivI<R>(PhantomData<R>);
impl<T: Integer, R: Rounds> Fn2<T> for DivI<R> {
    #[inline(always)]
    fn apply(x: T, y: T) -> T {
        let quotient = x.quotient(y);
        let is_whole = quotient.wrapping_mul(y) == x;
        let rounded = if is_whole { quotient } else { R::change(quotient, (x < T::ZERO) != (y < T::ZERO)) };
        if y == T::ZERO { T::ONES } else { rounded }
    }
}

/// The upper half of the product of numbers without sign.
pub(super) struct MulHi;
macro_rules! upper_halves {
    ($($t:ident $wide:ident;)*) => {$(
        impl Fn2<$t> for MulHi {
            #[inline(always)]
            fn apply(x: $t, y: $t) -> $t {
                (($wide::from(x) * $wide::from(y)) >> $t::BITS) as $t
            }
        }
    )*};
}
upper_halves! {
    u8 u16;
    u16 u32;
    u32 u64;
    u64 u128;
}

/// Functions of bits, each in a byte.
pub(super) mod bits {
    use super::Fn2;

    macro_rules! functions {
        ($($(#[$doc:meta])* $name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
            $(#[$doc])*
            pub(in crate::fast) struct $name;
            impl Fn2<u8> for $name {
                #[inline(always)]
                fn apply($x: u8, $y: u8) -> u8 {
                    $body
                }
            }
        )*};
    }
    functions! {
        First |x, _y| x;
        AndNot |x, y| x & (y ^ 1);
        OrNot |x, y| x | (y ^ 1);
        Zero |_x, _y| 0;
    }
}
