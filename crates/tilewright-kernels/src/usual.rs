//! The operations that folds usually fold with, by their elements.

use super::{
    ElemOp,
    fast::{
        functions::*,
        loops::{Bf16, F16, Fn2, Lane},
    },
};
use crate::elem::Elem;
use tilewright_ir::{RoundingMode, Scalar};

/// Two elements combined.
#[inline(always)]
pub(super) fn combine<T: Lane, F: Fn2<T::Wide>>(lhs: T, rhs: T) -> T {
    T::narrow(F::apply(lhs.widen(), rhs.widen()))
}

/// `to = from combined with other`, element by element.
#[inline(always)]
pub(super) fn combine_all<T: Lane, F: Fn2<T::Wide>>(to: &mut [T], lhs: &[T], rhs: &[T]) {
    for ((to, lhs), rhs) in to.iter_mut().zip(lhs).zip(rhs) {
        *to = combine::<T, F>(*lhs, *rhs);
    }
}

/// A kernel for each usual operation on each type.
pub(super) trait Usual {
    type Kernel;

    /// The kernel that folds elements of type `T` with `F`.
    fn kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> Self::Kernel;

    /// The same for floats that vectors of `f32` hold.
    fn float_kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> Self::Kernel {
        self.kernel::<T, F>()
    }

    /// The same for what fewer programs fold: numbers of less than 32 bits, but for sums of floats and of 16 bits, and extremes of integers without
    /// sign.
    fn rare_kernel<T: Lane, F: Fn2<T::Wide>>(&self) -> Option<Self::Kernel> {
        Some(self.kernel::<T, F>())
    }
}

/// The kernel that folds these elements with an operation, if it is a usual one. Others, products and bits of integers among them, are rare
/// enough for what folds with any region.
pub(super) fn select<U: Usual>(usual: &U, op: ElemOp, elem: Elem) -> Option<U::Kernel> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    macro_rules! kernel {
        ($t:ty, $f:ty) => {
            Some(usual.kernel::<$t, $f>())
        };
    }
    macro_rules! rare {
        ($t:ty, $f:ty) => {
            usual.rare_kernel::<$t, $f>()
        };
    }
    macro_rules! single {
        ($t:ty, $f:ty) => {
            Some(usual.float_kernel::<$t, $f>())
        };
    }
    macro_rules! float {
        ($f:ty, $short:ident) => {
            match elem {
                Elem::Num(Scalar::F16) => $short!(F16, $f),
                Elem::Num(Scalar::Bf16) => $short!(Bf16, $f),
                Elem::Num(Scalar::F32) => single!(f32, $f),
                Elem::Num(Scalar::F64) => kernel!(f64, $f),
                _ => None,
            }
        };
    }
    macro_rules! int {
        ($f:ty, $short:ident, $kernel:ident: $i8:ty, $i16:ty, $i32:ty, $i64:ty) => {
            match elem {
                Elem::Num(Scalar::I8) => rare!($i8, $f),
                Elem::Num(Scalar::I16) => $short!($i16, $f),
                Elem::Num(Scalar::I32) => $kernel!($i32, $f),
                Elem::Num(Scalar::I64) => $kernel!($i64, $f),
                _ => None,
            }
        };
    }
    match op {
        ElemOp::AddF(RN, false) => float!(AddF, single),
        ElemOp::MulF(RN, false) => float!(MulF, rare),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => float!(MaxF, rare),
        ElemOp::MinF { propagate_nan: false, ftz: false } => float!(MinF, rare),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => float!(MaxNan, rare),
        ElemOp::MinF { propagate_nan: true, ftz: false } => float!(MinNan, rare),
        ElemOp::And if elem == Elem::Num(Scalar::I1) => rare!(u8, And),
        ElemOp::Or if elem == Elem::Num(Scalar::I1) => rare!(u8, Or),
        ElemOp::Xor if elem == Elem::Num(Scalar::I1) => rare!(u8, Xor),
        ElemOp::AddI => int!(AddI, kernel, kernel: u8, u16, u32, u64),
        ElemOp::MaxI(true) => int!(MaxI, rare, kernel: i8, i16, i32, i64),
        ElemOp::MinI(true) => int!(MinI, rare, kernel: i8, i16, i32, i64),
        ElemOp::MaxI(false) => int!(MaxI, rare, rare: u8, u16, u32, u64),
        ElemOp::MinI(false) => int!(MinI, rare, rare: u8, u16, u32, u64),
        _ => None,
    }
}
