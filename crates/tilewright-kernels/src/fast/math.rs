//! Kernels of elementary functions. The functions are those of [`tilewright_numeric::math`]; what multiplies and adds at once is done by
//! other means for CPUs that cannot, with the same bits.

use super::{
    functions::Flushed,
    loops::{Bf16, Bit, F16, Fn1, Lane, LongFn2, Map1, MapGroups, at, portable},
};
use crate::{ElemOp, KernelFn, cpu::Level, elem::Elem};
use std::marker::PhantomData;
use tilewright_ir::Scalar;
use tilewright_numeric::math::{self, emulated};

/// A function for CPUs without fused multiply-adds.
struct Emulated<F>(PhantomData<F>);

/// Declares functions of one float: for each name those of f32 and f64, and what stands for both on CPUs without fused multiply-adds.
macro_rules! functions {
    ($($name:ident: $f32:path, $f64:path; else $emulated32:path, $emulated64:path;)*) => {$(
        struct $name;
        functions!(@impl $name, f32, $f32);
        functions!(@impl $name, f64, $f64);
        functions!(@impl Emulated<$name>, f32, $emulated32);
        functions!(@impl Emulated<$name>, f64, $emulated64);
    )*};
    (@impl $name:ty, $t:ident, $function:path) => {
        impl Fn1<$t> for $name {
            #[inline(always)]
            fn apply(x: $t) -> $t {
                $function(x)
            }
        }
    };
}
functions! {
    Rsqrt: math::rsqrt_f32, math::rsqrt_f64; else emulated::rsqrt_f32, emulated::rsqrt_f64;
    Exp: math::exp_f32, math::exp_f64; else emulated::exp_f32, emulated::exp_f64;
    Exp2: math::exp2_f32, math::exp2_f64; else emulated::exp2_f32, emulated::exp2_f64;
    Log: math::log_f32, math::log_f64; else emulated::log_f32, emulated::log_f64;
    Log2: math::log2_f32, math::log2_f64; else emulated::log2_f32, emulated::log2_f64;
    Sinh: math::sinh_f32, math::sinh_f64; else math::sinh_f32, emulated::sinh_f64;
    Cosh: math::cosh_f32, math::cosh_f64; else math::cosh_f32, emulated::cosh_f64;
    Tanh: math::tanh_f32, math::tanh_f64; else emulated::tanh_f32, emulated::tanh_f64;
}

/// Declares functions of an angle, whose loops have no branches while all angles are near.
macro_rules! angles {
    ($($name:ident: $near32:ident $any32:ident $near64:ident $any64:ident;)*) => {$(
        struct $name;
        angles!(@impl $name, f32, is_near_f32, math::$near32, math::$any32);
        angles!(@impl $name, f64, is_near_f64, math::$near64, math::$any64);
        angles!(@impl Emulated<$name>, f32, is_near_f32, emulated::$near32, emulated::$any32);
        angles!(@impl Emulated<$name>, f64, is_near_f64, emulated::$near64, emulated::$any64);
    )*};
    (@impl $name:ty, $t:ident, $is_near:ident, $near:path, $any:path) => {
        impl Fn1<$t> for $name {
            const PARTIAL: bool = true;
            #[inline(always)]
            fn apply(x: $t) -> $t {
                $near(x)
            }
            #[inline(always)]
            fn takes(x: $t) -> bool {
                math::$is_near(x)
            }
            #[inline(always)]
            fn apply_any(x: $t) -> $t {
                $any(x)
            }
        }
    };
}
angles! {
    Sin: sin_near_f32 sin_f32 sin_near_f64 sin_f64;
    Cos: cos_near_f32 cos_f32 cos_near_f64 cos_f64;
    Tan: tan_near_f32 tan_f32 tan_near_f64 tan_f64;
}

/// Declares functions of two operands.
macro_rules! functions2 {
    ($($name:ident: $f32:ident($second32:ty) $f64:ident($second64:ty);)*) => {$(
        struct $name;
        functions2!(@impl $name, f32, $second32, math::$f32);
        functions2!(@impl $name, f64, $second64, math::$f64);
        functions2!(@impl Emulated<$name>, f32, $second32, math::$f32);
        functions2!(@impl Emulated<$name>, f64, $second64, emulated::$f64);
    )*};
    (@impl $name:ty, $t:ident, $second:ty, $function:path) => {
        impl LongFn2<$t> for $name {
            type Second = $second;
            #[inline(always)]
            fn apply(x: $t, y: $second) -> $t {
                $function(x, y)
            }
        }
    };
}
functions2! {
    Pow: pow_f32(f32) pow_f64(f64);
    Powi: powi_f32(i32) powi_f64(i32);
    Atan2: atan2_f32(f32) atan2_f64(f64);
}

/// The kernel of a function on accepted types; `None` for other operations.
pub(super) fn select(level: Level, op: ElemOp, srcs: &[Elem]) -> Option<KernelFn> {
    let Some(Elem::Num(scalar)) = srcs.first().copied() else { return None };
    match op {
        ElemOp::Rsqrt(true) if scalar == Scalar::F32 => Some(one::<f32, Flushed<Rsqrt>, Flushed<Emulated<Rsqrt>>>(level)),
        ElemOp::Exp2(true) if scalar == Scalar::F32 => Some(one::<f32, Flushed<Exp2>, Flushed<Emulated<Exp2>>>(level)),
        ElemOp::Rsqrt(false) => unary::<Rsqrt>(level, scalar),
        ElemOp::Exp => unary::<Exp>(level, scalar),
        ElemOp::Exp2(false) => unary::<Exp2>(level, scalar),
        ElemOp::Log => unary::<Log>(level, scalar),
        ElemOp::Log2 => unary::<Log2>(level, scalar),
        ElemOp::Sin => unary::<Sin>(level, scalar),
        ElemOp::Cos => unary::<Cos>(level, scalar),
        ElemOp::Tan => unary::<Tan>(level, scalar),
        ElemOp::Sinh => unary::<Sinh>(level, scalar),
        ElemOp::Cosh => unary::<Cosh>(level, scalar),
        ElemOp::Tanh => unary::<Tanh>(level, scalar),
        ElemOp::PowF => binary::<Pow>(level, scalar),
        ElemOp::Atan2 => binary::<Atan2>(level, scalar),
        ElemOp::PowI => match srcs {
            [_, Elem::Num(Scalar::I1)] => powers::<Bit>(level, scalar),
            [_, Elem::Num(Scalar::I8)] => powers::<i8>(level, scalar),
            [_, Elem::Num(Scalar::I16)] => powers::<i16>(level, scalar),
            [_, Elem::Num(Scalar::I32)] => powers::<i32>(level, scalar),
            _ => None,
        },
        _ => None,
    }
}

/// The loop of a function of one type, or of what stands for it.
fn one<T: Lane, F: Fn1<T::Wide>, E: Fn1<T::Wide>>(level: Level) -> KernelFn {
    if level.fuses() { at::<Map1<T, F>>(level) } else { portable::<Map1<T, E>>() }
}

/// As [`one`], for two operands.
fn two<T, N, F, S>(level: Level) -> KernelFn
where
    T: Lane<Wide: Default>,
    N: Lane<Wide: Into<S>>,
    S: Copy + Default,
    F: LongFn2<T::Wide, Second = S>,
    Emulated<F>: LongFn2<T::Wide, Second = S>,
{
    if level.fuses() { at::<MapGroups<T, N, F>>(level) } else { portable::<MapGroups<T, N, Emulated<F>>>() }
}

/// The loop of a function for a type of floats.
fn unary<F: Fn1<f32> + Fn1<f64>>(level: Level, scalar: Scalar) -> Option<KernelFn>
where
    Emulated<F>: Fn1<f32> + Fn1<f64>,
{
    Some(match scalar {
        Scalar::F16 => one::<F16, F, Emulated<F>>(level),
        Scalar::Bf16 => one::<Bf16, F, Emulated<F>>(level),
        Scalar::F32 => one::<f32, F, Emulated<F>>(level),
        Scalar::F64 => one::<f64, F, Emulated<F>>(level),
        _ => return None,
    })
}

/// As [`unary`], for two operands of the same type.
fn binary<F>(level: Level, scalar: Scalar) -> Option<KernelFn>
where
    F: LongFn2<f32, Second = f32> + LongFn2<f64, Second = f64>,
    Emulated<F>: LongFn2<f32, Second = f32> + LongFn2<f64, Second = f64>,
{
    Some(match scalar {
        Scalar::F16 => two::<F16, F16, F, f32>(level),
        Scalar::Bf16 => two::<Bf16, Bf16, F, f32>(level),
        Scalar::F32 => two::<f32, f32, F, f32>(level),
        Scalar::F64 => two::<f64, f64, F, f64>(level),
        _ => return None,
    })
}

/// The loop of powers of a type of floats, by integers.
fn powers<N: Lane<Wide: Into<i32>>>(level: Level, scalar: Scalar) -> Option<KernelFn> {
    Some(match scalar {
        Scalar::F16 => two::<F16, N, Powi, i32>(level),
        Scalar::Bf16 => two::<Bf16, N, Powi, i32>(level),
        Scalar::F32 => two::<f32, N, Powi, i32>(level),
        Scalar::F64 => two::<f64, N, Powi, i32>(level),
        _ => return None,
    })
}
