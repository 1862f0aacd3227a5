//! Scanning blocks of `f32` in registers of the CPU: with AVX-512, a block is a vector.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{BLOCK, Blocks, ROUNDS};
use crate::{
    cpu::Level,
    elem::Elem,
    kernels::{
        ElemOp,
        ahead::Ahead,
        fast::{functions, loops::Fn2},
        lanes::{Sixteen, VectorLanes},
        pairs::{self, OfTwo},
        rows::{Rows, RowsFn, Scan},
    },
};
use std::marker::PhantomData;
use tilewright_ir::{RoundingMode, Scalar};

/// Blocks of `f32` that are combined with `F`.
struct Registers<F>(PhantomData<F>);

impl<F: OfTwo> Blocks<f32> for Registers<F> {
    #[inline(always)]
    unsafe fn scan<const BACK: bool>(from: &[f32], to: &mut [f32], _: &mut [f32], mut fetch: impl FnMut()) {
        // As many parts as there are rounds elsewhere, which fetching is spread over.
        let part = (from.len() / ROUNDS).max(BLOCK);
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            fetch();
            for (from, to) in from.as_chunks::<BLOCK>().0.iter().zip(to.as_chunks_mut::<BLOCK>().0) {
                // SAFETY: by the contract; a block holds a vector.
                unsafe {
                    let x = Sixteen::load(from.as_ptr());
                    let x = round::<F, BACK, 1>(x);
                    let x = round::<F, BACK, 2>(x);
                    let x = round::<F, BACK, 4>(x);
                    round::<F, BACK, 8>(x).store(to.as_mut_ptr());
                }
            }
        }
    }
}

/// Combines each number with the one at a distance before it in its block, where there is one.
#[inline(always)]
fn round<F: OfTwo, const BACK: bool, const DISTANCE: usize>(x: Sixteen) -> Sixteen {
    if BACK {
        F::of(x.behind(x, DISTANCE), x).begun(BLOCK - DISTANCE, x)
    } else {
        x.begun(DISTANCE, F::of(x.behind(x, BLOCK - DISTANCE), x))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<R: Rows>(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { R::run(src, dst, spare, rows, extent, ahead) }
}

/// The scan of rows of these elements with an operation, if blocks fit in registers.
pub(in crate::kernels) fn select(level: Level, back: bool, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    fn either<F: Fn2<f32>, G: OfTwo>(back: bool) -> Option<RowsFn> {
        Some(if back { avx512::<Scan<f32, F, Registers<G>, true>> } else { avx512::<Scan<f32, F, Registers<G>, false>> })
    }
    if level != Level::Avx512 || elem != Elem::Num(Scalar::F32) {
        return None;
    }
    match op {
        ElemOp::AddF(RoundingMode::NearestEven, false) => either::<functions::AddF, pairs::Add>(back),
        ElemOp::MulF(RoundingMode::NearestEven, false) => either::<functions::MulF, pairs::Mul>(back),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => either::<functions::MaxF, pairs::Max>(back),
        ElemOp::MinF { propagate_nan: false, ftz: false } => either::<functions::MinF, pairs::Min>(back),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => either::<functions::MaxNan, pairs::MaxNan>(back),
        ElemOp::MinF { propagate_nan: true, ftz: false } => either::<functions::MinNan, pairs::MinNan>(back),
        _ => None,
    }
}
