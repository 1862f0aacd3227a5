//! Scanning blocks of floats in registers of the CPU: with AVX-512, a block is a vector. Short ones are widened to `f32`, and rounded after
//! each step as they are in memory.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{BLOCK, Blocks, ROUNDS};
use crate::{
    cpu::Level,
    elem::Elem,
    kernels::{
        ElemOp,
        fast::loops::{Bf16, F16, Fn2, Lane},
        halves::Halves,
        lanes::{Sixteen, VectorLanes},
        narrow::{self, Floats, VectorFn2},
        rows::{RowsFn, Scan, avx512},
    },
};
use std::{
    arch::x86_64::{__m256, __m512},
    marker::PhantomData,
};
use tilewright_ir::Scalar;

/// Floats that blocks in registers hold as `f32`.
trait Float: Lane<Wide = f32> {
    /// # Safety
    /// `from` holds a block.
    unsafe fn load(from: *const Self) -> Sixteen;
    /// # Safety
    /// `to` has room for a block.
    unsafe fn store(x: Sixteen, to: *mut Self);
    /// Numbers as they would be read after they are stored.
    fn round(x: Sixteen) -> Sixteen;
}

/// Declares how blocks of a type are loaded, stored and rounded.
macro_rules! floats {
    ($($t:ty: |$from:ident| $load:expr, |$x:ident, $to:ident| $store:expr, |$y:ident| $round:expr;)*) => {$(
        impl Float for $t {
            #[inline(always)]
            unsafe fn load($from: *const Self) -> Sixteen {
                // SAFETY: by the contract.
                unsafe { $load }
            }
            #[inline(always)]
            unsafe fn store($x: Sixteen, $to: *mut Self) {
                // SAFETY: by the contract.
                unsafe { $store }
            }
            #[inline(always)]
            fn round($y: Sixteen) -> Sixteen {
                $round
            }
        }
    )*};
}
floats! {
    f32: |from| Sixteen::load(from), |x, to| x.store(to), |x| x;
    F16: |from| Sixteen::widen_f16(Sixteen::load_packed(from.cast())), |x, to| Sixteen::store_packed(x.narrow_f16(), to.cast()), |x| x.round_f16();
    Bf16: |from| Sixteen::widen_bf16(Sixteen::load_packed(from.cast())), |x, to| Sixteen::store_packed(x.narrow_bf16(), to.cast()), |x| x.round_bf16();
}

/// Blocks that are combined with `F`.
struct Registers<F>(PhantomData<F>);

impl<T: Float, F: VectorFn2<__m512>> Blocks<T> for Registers<F> {
    #[inline(always)]
    unsafe fn scan<const BACK: bool>(from: &[T], to: &mut [T], _: &mut [T], mut fetch: impl FnMut()) {
        // As many parts as there are rounds elsewhere, which fetching is spread over.
        let part = (from.len() / ROUNDS).max(BLOCK);
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            fetch();
            for (from, to) in from.as_chunks::<BLOCK>().0.iter().zip(to.as_chunks_mut::<BLOCK>().0) {
                // SAFETY: by the contract; a block holds a vector.
                unsafe {
                    let x = Sixteen(F::prepare(T::load(from.as_ptr()).0));
                    let x = T::round(round::<F, BACK, 1>(x));
                    let x = T::round(round::<F, BACK, 2>(x));
                    let x = T::round(round::<F, BACK, 4>(x));
                    T::store(round::<F, BACK, 8>(x), to.as_mut_ptr());
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn add(sum: T, block: &mut [T; BLOCK]) {
        // SAFETY: by the contract; a block holds a vector.
        unsafe {
            let sum = F::prepare(Sixteen::same(sum.widen()).0);
            T::store(Sixteen(F::combine(sum, F::prepare(T::load(block.as_ptr()).0))), block.as_mut_ptr());
        }
    }
}

/// Combines each number with the one at a distance before it in its block, where there is one.
#[inline(always)]
fn round<F: VectorFn2<__m512>, const BACK: bool, const DISTANCE: usize>(x: Sixteen) -> Sixteen {
    let before = x.behind(x, if BACK { DISTANCE } else { BLOCK - DISTANCE });
    // SAFETY: the values show that the CPU has the instructions.
    let both = Sixteen(unsafe { F::combine(before.0, x.0) });
    if BACK { both.begun(BLOCK - DISTANCE, x) } else { x.begun(DISTANCE, both) }
}

/// Scans of these floats, from the last element to the first if it says so.
struct Scans {
    of: Scalar,
    back: bool,
}

impl Scans {
    fn of<T: Float, F: VectorFn2<__m512> + Fn2<f32>>(&self) -> RowsFn {
        if self.back { avx512::<Scan<T, F, Registers<F>, true>> } else { avx512::<Scan<T, F, Registers<F>, false>> }
    }
}

impl Floats for Scans {
    fn kernel<F: VectorFn2<__m512> + VectorFn2<__m256>>(&self) -> Option<RowsFn> {
        match self.of {
            Scalar::F32 => Some(self.of::<f32, F>()),
            Scalar::F16 => Some(self.of::<F16, F>()),
            Scalar::Bf16 => Some(self.of::<Bf16, F>()),
            _ => None,
        }
    }
}

/// The scan of rows of these elements with an operation, if blocks fit in registers.
pub(in crate::kernels) fn select(level: Level, back: bool, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    match elem {
        Elem::Num(of) if level == Level::Avx512 => narrow::select_float(&Scans { of, back }, op),
        _ => None,
    }
}
