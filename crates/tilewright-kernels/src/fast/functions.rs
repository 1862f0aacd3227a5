//! The functions that fast kernels apply to each element.

use super::loops::{Cast, Fn1, Fn2, Fn3, Relation};
use std::marker::PhantomData;
use tilewright_numeric::{branch_free, float};

/// Declares functions of one float.
macro_rules! float1 {
    ($($name:ident |$x:ident| $f32:expr, $f64:expr;)*) => {$(
        pub(crate) struct $name;
        impl Fn1<f32> for $name {
            #[inline(always)]
            fn apply($x: f32) -> f32 {
                $f32
            }
        }
        impl Fn1<f64> for $name {
            #[inline(always)]
            fn apply($x: f64) -> f64 {
                $f64
            }
        }
    )*};
}
float1! {
    Ceil |x| x.ceil(), x.ceil();
    Floor |x| x.floor(), x.floor();
    Sqrt |x| x.sqrt(), x.sqrt();
}

/// Clears the sign bit of a float, whatever its other bits are: those of a NaN stay.
pub(super) struct AbsF;
/// Flips the sign bit.
pub(super) struct NegF;
macro_rules! signs {
    ($($t:ty)*) => {$(
        impl Fn1<$t> for AbsF {
            #[inline(always)]
            fn apply(x: $t) -> $t {
                x & (<$t>::MAX >> 1)
            }
        }
        impl Fn1<$t> for NegF {
            #[inline(always)]
            fn apply(x: $t) -> $t {
                x ^ !(<$t>::MAX >> 1)
            }
        }
    )*};
}
signs! { u16 u32 u64 }

/// A function of f32 with subnormal operands and results flushed to zero.
pub(super) struct Flushed<F>(PhantomData<F>);
impl<F: Fn1<f32>> Fn1<f32> for Flushed<F> {
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        float::flush_f32(F::apply(float::flush_f32(x)))
    }
}
impl<F: Fn2<f32>> Fn2<f32> for Flushed<F> {
    #[inline(always)]
    fn apply(x: f32, y: f32) -> f32 {
        float::flush_f32(F::apply(float::flush_f32(x), float::flush_f32(y)))
    }
}

impl<F: Fn3<f32>> Fn3<f32> for Flushed<F> {
    #[inline(always)]
    fn apply(x: f32, y: f32, z: f32) -> f32 {
        float::flush_f32(F::apply(float::flush_f32(x), float::flush_f32(y), float::flush_f32(z)))
    }
}

/// The larger float, without branches: +0 above -0, and the first operand where the one named last is NaN. With `y` there, a NaN is
/// passed over; with `x`, it comes out.
macro_rules! larger {
    ($x:ident, $y:ident, $nan:ident) => {
        if ($x > $y) | (($x == $y) & $x.is_sign_positive()) | $nan.is_nan() { $x } else { $y }
    };
}

/// The smaller float; see `larger`.
macro_rules! smaller {
    ($x:ident, $y:ident, $nan:ident) => {
        if ($x < $y) | (($x == $y) & $x.is_sign_negative()) | $nan.is_nan() { $x } else { $y }
    };
}

/// Declares functions of two floats.
macro_rules! float2 {
    ($($name:ident |$x:ident, $y:ident| $f32:expr, $f64:expr;)*) => {$(
        pub(crate) struct $name;
        impl Fn2<f32> for $name {
            #[inline(always)]
            fn apply($x: f32, $y: f32) -> f32 {
                $f32
            }
        }
        impl Fn2<f64> for $name {
            #[inline(always)]
            fn apply($x: f64, $y: f64) -> f64 {
                $f64
            }
        }
    )*};
}
float2! {
    AddF |x, y| x + y, x + y;
    SubF |x, y| x - y, x - y;
    MulF |x, y| x * y, x * y;
    DivF |x, y| x / y, x / y;
    MaxNan |x, y| larger!(x, y, x), larger!(x, y, x);
    MinNan |x, y| smaller!(x, y, x), smaller!(x, y, x);
}

/// Declares functions that pass over NaN. Where many values are folded, one comparison for each finds the result, unless it is a zero,
/// whose sign may be wrong, or what was begun with, which comes of NaN alone, too.
macro_rules! extremes {
    ($($name:ident $extreme:ident $start:ident |$x:ident, $y:ident| $before:expr;)*) => {$(
        pub(crate) struct $name;
        extremes!(@impl $name $extreme $start $x $y ($before) f32 f64);
    )*};
    (@impl $name:ident $extreme:ident $start:ident $x:ident $y:ident $before:tt $($t:ident)*) => {$(
        impl Fn2<$t> for $name {
            #[inline(always)]
            fn apply(x: $t, y: $t) -> $t {
                $extreme!(x, y, y)
            }
            #[inline(always)]
            fn start() -> Option<$t> {
                Some($t::$start)
            }
            #[inline(always)]
            fn add($x: $t, $y: $t) -> $t {
                if $before { $y } else { $x }
            }
            #[inline(always)]
            fn is_certain(x: $t) -> bool {
                x != 0.0 && x != $t::$start
            }
        }
    )*};
}
extremes! {
    MaxF larger NEG_INFINITY |folded, x| x > folded;
    MinF smaller INFINITY |folded, x| x < folded;
}

pub(super) struct Multiply;
impl Fn3<f32> for Multiply {
    #[inline(always)]
    fn apply(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
}
impl Fn3<f64> for Multiply {
    #[inline(always)]
    fn apply(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
}

/// [`Multiply`] for `f16`, rounded to odd: the lane rounds it.
pub(super) struct MultiplyF16;
impl Fn3<f32> for MultiplyF16 {
    #[inline(always)]
    fn apply(x: f32, y: f32, z: f32) -> f32 {
        branch_free::fma_f16_odd(x, y, z)
    }
}
/// The same for `bf16`.
pub(super) struct MultiplyBf16;
impl Fn3<f32> for MultiplyBf16 {
    #[inline(always)]
    fn apply(x: f32, y: f32, z: f32) -> f32 {
        branch_free::fma_f32_odd(x, y, z)
    }
}

/// Declares functions of integers of every width.
macro_rules! int_ops {
    ($($name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        pub(crate) struct $name;
        int_ops!(@impl $name $x $y ($body) i8 i16 i32 i64 u8 u16 u32 u64);
    )*};
    (@impl $name:ident $x:ident $y:ident $body:tt $($t:ty)*) => {$(
        impl Fn2<$t> for $name {
            #[inline(always)]
            fn apply($x: $t, $y: $t) -> $t {
                $body
            }
        }
    )*};
}
int_ops! {
    AddI |x, y| x.wrapping_add(y);
    SubI |x, y| x.wrapping_sub(y);
    MulI |x, y| x.wrapping_mul(y);
    And |x, y| x & y;
    Or |x, y| x | y;
    Xor |x, y| x ^ y;
    MaxI |x, y| x.max(y);
    MinI |x, y| x.min(y);
}

/// Declares a relation and its form that holds for NaN.
macro_rules! relations {
    ($($name:ident $unordered:ident |$x:ident, $y:ident| $holds:expr, $fails:expr;)*) => {$(
        pub(crate) struct $name;
        impl<T: PartialOrd> Relation<T> for $name {
            #[inline(always)]
            #[allow(clippy::double_comparisons, reason = "differs from `!=` for NaN")]
            fn holds($x: T, $y: T) -> bool {
                $holds
            }
        }
        pub(super) struct $unordered;
        impl<T: PartialOrd> Relation<T> for $unordered {
            #[inline(always)]
            #[allow(clippy::double_comparisons, clippy::neg_cmp_op_on_partial_ord, reason = "holds for NaN")]
            fn holds($x: T, $y: T) -> bool {
                !($fails)
            }
        }
    )*};
}
relations! {
    Equal EqualU |x, y| x == y, x < y || x > y;
    NotEqual NotEqualU |x, y| x < y || x > y, x == y;
    Less LessU |x, y| x < y, x >= y;
    LessEqual LessEqualU |x, y| x <= y, x > y;
    Greater GreaterU |x, y| x > y, x <= y;
    GreaterEqual GreaterEqualU |x, y| x >= y, x < y;
}

/// Rust's `as`: wraps between integers, rounds to nearest to floats, saturates from floats with NaN as 0.
pub(super) struct As;
macro_rules! as_casts {
    ($($from:ty => $($to:ty)*;)*) => {$($(
        impl Cast<$from, $to> for As {
            #[inline(always)]
            fn cast(x: $from) -> $to {
                x as $to
            }
        }
    )*)*};
}
as_casts! {
    i8 => i8 i16 i32 i64 f32 f64;
    i16 => i8 i32 i64 f32 f64;
    i32 => i8 i16 i64 f32 f64;
    i64 => i8 i16 i32 f32 f64;
    u8 => u16 u32 u64 f32 f64;
    u16 => u32 u64 f32 f64;
    u32 => u64 f32 f64;
    u64 => f32 f64;
    f32 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    f64 => i8 i16 i32 i64 u8 u16 u32 u64 f32;
}
