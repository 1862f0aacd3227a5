//! Loops that go block by block: for functions that are told how to round, and for those that do not take all numbers without branches.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

use super::loops::{Bf16, F16, Fn3, Lane, Loop, lanes, lanes_mut};
use crate::{ElemOp, Imm};
use std::{array, marker::PhantomData};
use tilewright_numeric::{Rounding, arith, branch_free, branch_free::Direction, float};
use tilewright_passes::elementwise::direction;

/// Elements that are looked at together before a function is applied without branches.
const BLOCK: usize = 64;

/// How an operation rounds, in a direction, and whether it flushes subnormals.
#[derive(Clone, Copy)]
pub(super) struct How {
    rounding: Rounding,
    direction: Direction,
    ftz: bool,
}

impl How {
    /// As the attributes say; operations that are exact have none.
    fn of(op: ElemOp) -> How {
        use ElemOp::{AddF, DivF, Fma, MulF, Sqrt, SubF};
        let (mode, ftz) = match op {
            AddF(mode, ftz) | SubF(mode, ftz) | MulF(mode, ftz) | DivF(mode, ftz) | Fma(mode, ftz) | Sqrt(mode, ftz) => {
                (direction(mode), ftz)
            }
            _ => (None, false),
        };
        let directed = mode.and_then(|rounding| Some((rounding, Direction::of(rounding)?)));
        let (rounding, direction) = directed.unwrap_or((Rounding::Zero, const { Direction::of(Rounding::Zero).unwrap() }));
        How { rounding, direction, ftz }
    }

    #[inline(always)]
    fn flushed(self, x: f32) -> f32 {
        if self.ftz { float::flush_f32(x) } else { x }
    }
}

/// A function of up to three numbers.
pub(super) trait Careful<T: Lane> {
    const SOURCES: usize;
    /// The function, without branches, of operands that it takes.
    fn apply(x: [T::Wide; 3], how: How) -> T;
    /// Whether `apply` takes these operands.
    fn takes(x: [T::Wide; 3]) -> bool;
    /// The function of any operands; equal to `apply` where that takes them.
    fn apply_any(x: [T::Wide; 3], how: How) -> T;
}

pub(super) struct InBlocks<T, F>(PhantomData<(T, F)>);
impl<T: Lane<Wide: Default>, F: Careful<T>> Loop for InBlocks<T, F> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
        let how = How::of(imm.op);
        // SAFETY: the contract of KernelFn.
        let d = unsafe { lanes_mut::<T>(dst, n) };
        // SAFETY: as above, for the sources that the operation has.
        let sources: [&[T]; 3] = array::from_fn(|k| if k < F::SOURCES { unsafe { lanes(src[k], n) } } else { &[] });
        let zero = T::narrow(T::Wide::default());
        // Behind the last element are zeros, or what was there before.
        let mut x = [[zero; BLOCK]; 3];
        let mut results = [zero; BLOCK];
        for (number, d) in d.chunks_mut(BLOCK).enumerate() {
            let first = number * BLOCK;
            for (k, x) in x.iter_mut().enumerate().take(F::SOURCES) {
                x[..d.len()].copy_from_slice(&sources[k][first..][..d.len()]);
            }
            let at = |i: usize| [x[0][i].widen(), x[1][i].widen(), x[2][i].widen()];
            // No short cut: the test becomes vector code. Loops without closures: what they call is part of them, however long it is.
            let mut all = true;
            for i in 0..BLOCK {
                all &= F::takes(at(i));
            }
            if all {
                for (i, result) in results.iter_mut().enumerate() {
                    *result = F::apply(at(i), how);
                }
            } else {
                for (i, result) in results.iter_mut().enumerate() {
                    *result = F::apply_any(at(i), how);
                }
            }
            d.copy_from_slice(&results[..d.len()]);
        }
    }
}

/// Arithmetic that rounds in a direction.
pub(super) trait Arithmetic {
    const SOURCES: usize;
    /// The exact result on numbers of `f32`, or one that is rounded to shorter numbers like it.
    fn of_f32(x: [f64; 3], direction: Direction) -> f64;
    fn of_f64(x: [f64; 3], direction: Direction) -> f64;
    /// Whether `of_f64` takes these operands.
    fn takes_f64(x: [f64; 3]) -> bool;
    /// The definition.
    fn of_any_f64(x: [f64; 3], rounding: Rounding) -> f64;
}

macro_rules! arithmetic {
    ($($name:ident($($x:ident),*) $sources:literal $f64:ident $takes:ident |$direction:ident| $of_f32:expr;)*) => {$(
        pub(super) struct $name;
        impl Arithmetic for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn of_f32([$($x),*, ..]: [f64; 3], $direction: Direction) -> f64 {
                $of_f32
            }
            #[inline(always)]
            fn of_f64([$($x),*, ..]: [f64; 3], direction: Direction) -> f64 {
                branch_free::$f64($($x),*, direction)
            }
            #[inline(always)]
            fn takes_f64([$($x),*, ..]: [f64; 3]) -> bool {
                branch_free::$takes($($x),*)
            }
            #[inline(always)]
            fn of_any_f64([$($x),*, ..]: [f64; 3], rounding: Rounding) -> f64 {
                arith::$f64($($x),*, rounding)
            }
        }
    )*};
}
// A quotient and a root of numbers of `f32` may be rounded to `f64` first (see `arith` of `tilewright-numeric`).
arithmetic! {
    Add(x, y) 2 add_f64 takes_add_f64 |direction| branch_free::add_odd(x, y, Some(direction));
    Mul(x, y) 2 mul_f64 takes_mul_f64 |_direction| x * y;
    Div(x, y) 2 div_f64 takes_div_f64 |_direction| x / y;
    Sqrt(x) 1 sqrt_f64 takes_sqrt_f64 |_direction| x.sqrt();
    MultiplyAdd(x, y, z) 3 fma_f64 takes_fma_f64 |direction| branch_free::add_odd(x * y, z, Some(direction));
}

/// A difference is a sum with the opposite of the second number.
pub(super) struct Sub;
impl Arithmetic for Sub {
    const SOURCES: usize = 2;
    #[inline(always)]
    fn of_f32([x, y, z]: [f64; 3], direction: Direction) -> f64 {
        Add::of_f32([x, -y, z], direction)
    }
    #[inline(always)]
    fn of_f64([x, y, z]: [f64; 3], direction: Direction) -> f64 {
        Add::of_f64([x, -y, z], direction)
    }
    #[inline(always)]
    fn takes_f64(x: [f64; 3]) -> bool {
        Add::takes_f64(x)
    }
    #[inline(always)]
    fn of_any_f64([x, y, z]: [f64; 3], rounding: Rounding) -> f64 {
        Add::of_any_f64([x, -y, z], rounding)
    }
}

pub(super) struct Directed<O>(PhantomData<O>);
impl<O: Arithmetic> Careful<f64> for Directed<O> {
    const SOURCES: usize = O::SOURCES;
    #[inline(always)]
    fn apply(x: [f64; 3], how: How) -> f64 {
        O::of_f64(x, how.direction)
    }
    #[inline(always)]
    fn takes(x: [f64; 3]) -> bool {
        O::takes_f64(x)
    }
    #[inline(always)]
    fn apply_any(x: [f64; 3], how: How) -> f64 {
        O::of_any_f64(x, how.rounding)
    }
}

/// Declares how results are rounded to types of up to 32 bits: first to `f32`, to odd.
macro_rules! directed {
    ($($t:ident |$x:ident, $how:ident| $round:expr;)*) => {$(
        impl<O: Arithmetic> Careful<$t> for Directed<O> {
            const SOURCES: usize = O::SOURCES;
            #[inline(always)]
            fn apply(x: [f32; 3], $how: How) -> $t {
                let $x = O::of_f32(x.map(|x| $how.flushed(x).into()), $how.direction);
                $round
            }
            #[inline(always)]
            fn takes(_: [f32; 3]) -> bool {
                true
            }
            #[inline(always)]
            fn apply_any(x: [f32; 3], how: How) -> $t {
                <Self as Careful<$t>>::apply(x, how)
            }
        }
    )*};
}
directed! {
    f32 |x, how| how.flushed(branch_free::f64_to_f32(x, how.direction));
    F16 |x, how| F16::from_bits(branch_free::f32_to_f16(branch_free::f64_to_f32_odd(x), how.direction));
    Bf16 |x, how| Bf16::from_bits(branch_free::f32_to_bf16(branch_free::f64_to_f32_odd(x), how.direction));
}

/// A long function of three numbers of a short type.
pub(super) struct Whole<F>(PhantomData<F>);
impl<T: Lane, F: Fn3<T::Wide>> Careful<T> for Whole<F> {
    const SOURCES: usize = 3;
    #[inline(always)]
    fn apply([x, y, z]: [T::Wide; 3], _: How) -> T {
        T::narrow(F::apply(x, y, z))
    }
    #[inline(always)]
    fn takes(_: [T::Wide; 3]) -> bool {
        true
    }
    #[inline(always)]
    fn apply_any(x: [T::Wide; 3], how: How) -> T {
        <Self as Careful<T>>::apply(x, how)
    }
}

/// The remainder of a division that is rounded toward zero.
pub(super) struct Rem;
impl<T: Lane<Wide = f32>> Careful<T> for Rem {
    const SOURCES: usize = 2;
    #[inline(always)]
    fn apply([x, y, _]: [f32; 3], _: How) -> T {
        T::narrow(branch_free::rem_f32(x, y))
    }
    #[inline(always)]
    fn takes([x, y, _]: [f32; 3]) -> bool {
        branch_free::takes_rem_f32(x, y)
    }
    #[inline(always)]
    fn apply_any([x, y, _]: [f32; 3], _: How) -> T {
        T::narrow(float::rem_f32(x, y))
    }
}
/// [`Rem`] of `f64`.
pub(super) struct LongRem;
impl Careful<f64> for LongRem {
    const SOURCES: usize = 2;
    #[inline(always)]
    fn apply([x, y, _]: [f64; 3], _: How) -> f64 {
        branch_free::rem_f64(x, y)
    }
    #[inline(always)]
    fn takes([x, y, _]: [f64; 3]) -> bool {
        branch_free::takes_rem_f64(x, y)
    }
    #[inline(always)]
    fn apply_any([x, y, _]: [f64; 3], _: How) -> f64 {
        float::rem_f64(x, y)
    }
}
