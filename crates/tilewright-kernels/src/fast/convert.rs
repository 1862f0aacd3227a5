//! Conversions between numbers of all types.
//!
//! Frequent ones have a loop. The others go through `f32`, a block at a time: it holds every narrower float and integer exactly, and a
//! wider number is rounded to odd, so that rounding it once more gives what one rounding would.
#![allow(unsafe_code, reason = "calls kernels on a block of numbers")]

#[cfg(target_arch = "x86_64")]
use super::half;
use super::{
    functions::As,
    loops::{Bf16, Bit, Cast, Convert, CopyBits, E4m3, E5m2, E8m0, F4, F16, Fnv8, Nibble, at, portable},
};
use crate::{ElemOp, Imm, KernelFn, cpu::Level};
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_numeric::{Rounding, branch_free, branch_free::Direction};

/// The kernel of a conversion to another type, if it has one.
pub(super) fn select(level: Level, op: ElemOp, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    match op {
        ElemOp::ExtI(signed) => extension(level, src, dst, signed),
        ElemOp::TruncI => truncation(level, src, dst),
        ElemOp::IToF(signed) => match dst {
            Scalar::F32 => integer_to_f32(level, src, signed),
            Scalar::F64 => integer_to_f64(level, src, signed),
            _ => through_f32(level, op, src, dst),
        },
        ElemOp::FToI(signed) => match src {
            Scalar::F64 => f64_to_integer(level, dst, signed),
            Scalar::F32 | Scalar::Tf32 => f32_to_integer(level, dst, signed),
            _ => through_f32(level, op, src, dst),
        },
        ElemOp::FToF(mode) => float_to_float(level, op, src, dst, mode),
        _ => None,
    }
}

/// Declares casts of a number to another one, or to the bits of one.
macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident { $($from:ty => $to:ty: |$x:ident| $cast:expr;)* })*) => {$(
        $(#[$doc])*
        struct $name;
        $(
            impl Cast<$from, $to> for $name {
                #[inline(always)]
                fn cast($x: $from) -> $to {
                    $cast
                }
            }
        )*
    )*};
}
casts! {
    /// Rounded to odd.
    Odd {
        f64 => f32: |x| branch_free::f64_to_f32_odd(x);
        i32 => f32: |x| branch_free::f64_to_f32_odd(x.into());
        u32 => f32: |x| branch_free::f64_to_f32_odd(x.into());
        i64 => f32: |x| branch_free::i64_to_f32_odd(x);
        u64 => f32: |x| branch_free::u64_to_f32_odd(x);
    }
    /// Truncated, and clamped to what the integer can be; NaN is 0.
    Clamped {
        f32 => i8: |x| (x as i32).clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        f32 => i16: |x| (x as i32).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        f32 => u8: |x| (x as i32).clamp(0, u8::MAX.into()) as u8;
        f32 => u16: |x| (x as i32).clamp(0, u16::MAX.into()) as u16;
        f64 => i8: |x| (x as i32).clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        f64 => i16: |x| (x as i32).clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        f64 => u8: |x| (x as i32).clamp(0, u8::MAX.into()) as u8;
        f64 => u16: |x| (x as i32).clamp(0, u16::MAX.into()) as u16;
    }
    /// Whether a number is not zero; NaN is not.
    IsNotZero {
        f32 => u8: |x| u8::from(x != 0.0);
        f64 => u8: |x| u8::from(x != 0.0);
    }
    /// Bits of a float, to nearest.
    ToTf32 { f32 => u32: |x| branch_free::f32_to_tf32(x); }
    ToTf32Away { f32 => u32: |x| branch_free::f32_to_tf32_away(x); }
    ToTf32Zero { f32 => u32: |x| branch_free::f32_to_tf32_zero(x); }
    ToF16Zero { f32 => u16: |x| branch_free::f32_to_f16(x, ToZero::DIRECTION); }
    ToBf16Zero { f32 => u16: |x| branch_free::f32_to_bf16(x, ToZero::DIRECTION); }
    ToE8m0Zero { f32 => u8: |x| branch_free::f32_to_e8m0_zero(x); }
    ToE8m0Up { f32 => u8: |x| branch_free::f32_to_e8m0_up(x); }
}

/// In a direction: toward zero, unless `DOWN` or `UP`.
struct Toward<const DOWN: bool, const UP: bool>;
impl<const DOWN: bool, const UP: bool> Toward<DOWN, UP> {
    const DIRECTION: Direction = {
        let rounding = match (DOWN, UP) {
            (true, _) => Rounding::NegativeInf,
            (_, true) => Rounding::PositiveInf,
            _ => Rounding::Zero,
        };
        Direction::of(rounding).unwrap()
    };
}
impl<const DOWN: bool, const UP: bool> Cast<f64, f32> for Toward<DOWN, UP> {
    #[inline(always)]
    fn cast(x: f64) -> f32 {
        branch_free::f64_to_f32(x, Self::DIRECTION)
    }
}
type ToZero = Toward<false, false>;

fn extension(level: Level, src: Scalar, dst: Scalar, signed: bool) -> Option<KernelFn> {
    use Scalar::{I1, I4, I8, I16, I32, I64};
    Some(match (src, dst, signed) {
        (I1, I4, true) => at::<Convert<Bit, Nibble, As>>(level),
        (I1, I8, true) => at::<Convert<Bit, i8, As>>(level),
        (I1, I16, true) => at::<Convert<Bit, i16, As>>(level),
        (I1, I32, true) => at::<Convert<Bit, i32, As>>(level),
        (I1, I64, true) => at::<Convert<Bit, i64, As>>(level),
        (I4, I8, true) => at::<Convert<Nibble, i8, As>>(level),
        (I4, I16, true) => at::<Convert<Nibble, i16, As>>(level),
        (I4, I32, true) => at::<Convert<Nibble, i32, As>>(level),
        (I4, I64, true) => at::<Convert<Nibble, i64, As>>(level),
        (I8, I16, true) => at::<Convert<i8, i16, As>>(level),
        (I8, I32, true) => at::<Convert<i8, i32, As>>(level),
        (I8, I64, true) => at::<Convert<i8, i64, As>>(level),
        (I16, I32, true) => at::<Convert<i16, i32, As>>(level),
        (I16, I64, true) => at::<Convert<i16, i64, As>>(level),
        (I32, I64, true) => at::<Convert<i32, i64, As>>(level),
        (I1, I4 | I8, false) | (I4, I8, false) => at::<CopyBits>(level),
        (I1 | I4 | I8, I16, false) => at::<Convert<u8, u16, As>>(level),
        (I1 | I4 | I8, I32, false) => at::<Convert<u8, u32, As>>(level),
        (I1 | I4 | I8, I64, false) => at::<Convert<u8, u64, As>>(level),
        (I16, I32, false) => at::<Convert<u16, u32, As>>(level),
        (I16, I64, false) => at::<Convert<u16, u64, As>>(level),
        (I32, I64, false) => at::<Convert<u32, u64, As>>(level),
        _ => return None,
    })
}

fn truncation(level: Level, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    macro_rules! from {
        ($src:expr, $to:ty) => {
            match $src {
                Scalar::I64 => Some(at::<Convert<i64, $to, As>>(level)),
                Scalar::I32 => Some(at::<Convert<i32, $to, As>>(level)),
                Scalar::I16 => Some(at::<Convert<i16, $to, As>>(level)),
                Scalar::I8 => Some(at::<Convert<i8, $to, As>>(level)),
                Scalar::I4 => Some(at::<Convert<Nibble, $to, As>>(level)),
                _ => None,
            }
        };
    }
    match (src, dst) {
        (_, Scalar::I1) => from!(src, Bit),
        (_, Scalar::I4) => from!(src, Nibble),
        (Scalar::I64, Scalar::I32) => Some(at::<Convert<i64, i32, As>>(level)),
        (Scalar::I64, Scalar::I16) => Some(at::<Convert<i64, i16, As>>(level)),
        (Scalar::I64, Scalar::I8) => Some(at::<Convert<i64, i8, As>>(level)),
        (Scalar::I32, Scalar::I16) => Some(at::<Convert<i32, i16, As>>(level)),
        (Scalar::I32, Scalar::I8) => Some(at::<Convert<i32, i8, As>>(level)),
        (Scalar::I16, Scalar::I8) => Some(at::<Convert<i16, i8, As>>(level)),
        _ => None,
    }
}

fn integer_to_f32(level: Level, src: Scalar, signed: bool) -> Option<KernelFn> {
    match (src, signed) {
        (Scalar::I1, true) => Some(at::<Convert<Bit, f32, As>>(level)),
        (Scalar::I1, false) => Some(at::<Convert<u8, f32, As>>(level)),
        _ => by_int!(level, src, signed, Convert, f32, As),
    }
}

fn integer_to_f64(level: Level, src: Scalar, signed: bool) -> Option<KernelFn> {
    match (src, signed) {
        (Scalar::I1, true) => Some(at::<Convert<Bit, f64, As>>(level)),
        (Scalar::I1, false) => Some(at::<Convert<u8, f64, As>>(level)),
        _ => by_int!(level, src, signed, Convert, f64, As),
    }
}

/// Declares the kernels from a float that arithmetic uses to integers.
macro_rules! to_integer {
    ($name:ident $from:ty) => {
        fn $name(level: Level, dst: Scalar, signed: bool) -> Option<KernelFn> {
            Some(match (dst, signed) {
                (Scalar::I1, _) => at::<Convert<$from, u8, IsNotZero>>(level),
                (Scalar::I8, true) => at::<Convert<$from, i8, Clamped>>(level),
                (Scalar::I16, true) => at::<Convert<$from, i16, Clamped>>(level),
                (Scalar::I32, true) => at::<Convert<$from, i32, As>>(level),
                (Scalar::I64, true) => at::<Convert<$from, i64, As>>(level),
                (Scalar::I8, false) => at::<Convert<$from, u8, Clamped>>(level),
                (Scalar::I16, false) => at::<Convert<$from, u16, Clamped>>(level),
                (Scalar::I32, false) => at::<Convert<$from, u32, As>>(level),
                (Scalar::I64, false) => at::<Convert<$from, u64, As>>(level),
                _ => return None,
            })
        }
    };
}
to_integer! { f32_to_integer f32 }
to_integer! { f64_to_integer f64 }

fn float_to_float(level: Level, op: ElemOp, src: Scalar, dst: Scalar, mode: RoundingMode) -> Option<KernelFn> {
    use RoundingMode::{NearestEven, NegativeInf, PositiveInf, Zero};
    Some(match (src, dst, mode) {
        (Scalar::F64, Scalar::F32, NearestEven) => at::<Convert<f64, f32, As>>(level),
        (Scalar::F64, Scalar::F32, Zero) => at::<Convert<f64, f32, ToZero>>(level),
        (Scalar::F64, Scalar::F32, NegativeInf) => at::<Convert<f64, f32, Toward<true, false>>>(level),
        (Scalar::F64, Scalar::F32, PositiveInf) => at::<Convert<f64, f32, Toward<false, true>>>(level),
        (Scalar::F64, Scalar::F32, _) => return None,
        // Every mode keeps what fits. A tf32 is kept as an f32.
        (Scalar::Tf32, Scalar::F32, _) => at::<CopyBits>(level),
        (_, Scalar::F32, _) | (Scalar::F16 | Scalar::Bf16, Scalar::Tf32, _) => float_to_f32(level, src)?,
        (Scalar::F32 | Scalar::Tf32, _, _) => f32_to_float(level, src, dst, mode)?,
        _ => return through_f32(level, op, src, dst),
    })
}

/// To `f32`, exactly, or rounded to odd.
fn float_to_f32(level: Level, src: Scalar) -> Option<KernelFn> {
    Some(match src {
        Scalar::F16 => widen_f16(level),
        Scalar::Bf16 => at::<Convert<Bf16, f32, As>>(level),
        Scalar::F64 => at::<Convert<f64, f32, Odd>>(level),
        Scalar::F8E4M3FN => at::<Convert<E4m3, f32, As>>(level),
        Scalar::F8E5M2 => at::<Convert<E5m2, f32, As>>(level),
        Scalar::F8E8M0FNU => at::<Convert<E8m0, f32, As>>(level),
        Scalar::F4E2M1FN => at::<Convert<F4, f32, As>>(level),
        Scalar::Fnv8E5M3FNU => at::<Convert<Fnv8, f32, As>>(level),
        _ => return None,
    })
}

/// From an `f32` that holds a number of type `src`, which decides whether anything has to be rounded.
fn f32_to_float(level: Level, src: Scalar, dst: Scalar, mode: RoundingMode) -> Option<KernelFn> {
    use RoundingMode::{NearestAway, NearestEven, PositiveInf, Zero};
    let nearest = mode == NearestEven || holds(dst, src);
    Some(match (dst, mode) {
        (Scalar::F64, _) => at::<Convert<f32, f64, As>>(level),
        (Scalar::F16, _) if nearest => narrow_to_f16(level),
        (Scalar::F16, Zero) => at::<Convert<f32, u16, ToF16Zero>>(level),
        (Scalar::Bf16, _) if nearest => at::<Convert<f32, Bf16, As>>(level),
        (Scalar::Bf16, Zero) => at::<Convert<f32, u16, ToBf16Zero>>(level),
        (Scalar::Tf32, _) if nearest => at::<Convert<f32, u32, ToTf32>>(level),
        (Scalar::Tf32, NearestAway) => at::<Convert<f32, u32, ToTf32Away>>(level),
        (Scalar::Tf32, Zero) => at::<Convert<f32, u32, ToTf32Zero>>(level),
        (Scalar::F8E4M3FN, NearestEven) => at::<Convert<f32, E4m3, As>>(level),
        (Scalar::F8E5M2, NearestEven) => at::<Convert<f32, E5m2, As>>(level),
        (Scalar::Fnv8E5M3FNU, NearestEven) => at::<Convert<f32, Fnv8, As>>(level),
        (Scalar::F4E2M1FN, NearestEven) => at::<Convert<f32, F4, As>>(level),
        (Scalar::F8E8M0FNU, NearestEven) => at::<Convert<f32, E8m0, As>>(level),
        (Scalar::F8E8M0FNU, Zero) => at::<Convert<f32, u8, ToE8m0Zero>>(level),
        (Scalar::F8E8M0FNU, PositiveInf) => at::<Convert<f32, u8, ToE8m0Up>>(level),
        _ => return None,
    })
}

/// Whether a float type of up to 32 bits holds all numbers of a type of up to 8 bits.
fn holds(dst: Scalar, src: Scalar) -> bool {
    match src {
        Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F4E2M1FN => matches!(dst, Scalar::F16 | Scalar::Bf16 | Scalar::Tf32),
        Scalar::Fnv8E5M3FNU => matches!(dst, Scalar::Bf16 | Scalar::Tf32),
        _ => false,
    }
}

/// A conversion in two steps, if there are loops for both.
fn through_f32(level: Level, op: ElemOp, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    steps(level, op, src, dst)?;
    Some(match level {
        Level::Baseline => in_steps::<0>,
        Level::Avx2 => in_steps::<1>,
        Level::Avx512 => in_steps::<2>,
    })
}

/// The step to `f32`, and the one from there.
fn steps(level: Level, op: ElemOp, src: Scalar, dst: Scalar) -> Option<[KernelFn; 2]> {
    Some(match op {
        ElemOp::FToF(mode) => [float_to_f32(level, src)?, f32_to_float(level, src, dst, mode)?],
        ElemOp::FToI(signed) => [float_to_f32(level, src)?, f32_to_integer(level, dst, signed)?],
        ElemOp::IToF(signed) => {
            let to_f32 = match (src, signed) {
                (Scalar::I32, true) => at::<Convert<i32, f32, Odd>>(level),
                (Scalar::I32, false) => at::<Convert<u32, f32, Odd>>(level),
                (Scalar::I64, true) => at::<Convert<i64, f32, Odd>>(level),
                (Scalar::I64, false) => at::<Convert<u64, f32, Odd>>(level),
                _ => integer_to_f32(level, src, signed)?,
            };
            [to_f32, f32_to_float(level, src, dst, RoundingMode::NearestEven)?]
        }
        _ => return None,
    })
}

/// The kernel of a conversion through `f32`.
///
/// # Safety
/// As [`KernelFn`] demands.
unsafe fn in_steps<const LEVEL: u8>(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
    const BLOCK: usize = 256;
    let level = [Level::Baseline, Level::Avx2, Level::Avx512][usize::from(LEVEL)];
    let (crate::elem::Elem::Num(from), crate::elem::Elem::Num(to)) = (imm.srcs[0], imm.dst) else {
        unreachable!("selected for a conversion of numbers");
    };
    let [widen, narrow] = steps(level, imm.op, from, to).expect("selected for a conversion that has both steps");
    let mut numbers = [0f32; BLOCK];
    for first in (0..n).step_by(BLOCK) {
        let count = BLOCK.min(n - first);
        // SAFETY: the contract of KernelFn holds for a part of the elements, and the block has room for as many.
        unsafe {
            widen(numbers.as_mut_ptr().cast(), [src[0].add(first * imm.srcs[0].size()); 3], count, imm);
            narrow(dst.add(first * imm.dst.size()), [numbers.as_ptr().cast(); 3], count, imm);
        }
    }
}

/// Widens `f16` to `f32`, exactly.
pub(super) fn widen_f16(level: Level) -> KernelFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => half::widen_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => half::widen_avx2,
        _ => portable::<Convert<F16, f32, As>>(),
    }
}

/// Rounds `f32` to `f16`, to the nearest.
pub(super) fn narrow_to_f16(level: Level) -> KernelFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => half::narrow_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => half::narrow_avx2,
        _ => portable::<Convert<f32, F16, As>>(),
    }
}
