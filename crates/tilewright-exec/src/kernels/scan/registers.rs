//! Scanning blocks of `f32` in registers of the CPU: with AVX-512, a block is a vector.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{BLOCK, Blocks, ROUNDS};
use crate::{
    cpu::Level,
    elem::Elem,
    kernels::{
        ElemOp,
        lanes::{Sixteen, VectorLanes},
        narrow::{self, Floats, VectorFn2},
        rows::{RowsFn, Scan, avx512},
    },
};
use std::{
    arch::x86_64::{__m256, __m512},
    marker::PhantomData,
};

/// Blocks of `f32` that are combined with `F`.
struct Registers<F>(PhantomData<F>);

impl<F: VectorFn2<__m512>> Blocks<f32> for Registers<F> {
    #[inline(always)]
    unsafe fn scan<const BACK: bool>(from: &[f32], to: &mut [f32], _: &mut [f32], mut fetch: impl FnMut()) {
        // As many parts as there are rounds elsewhere, which fetching is spread over.
        let part = (from.len() / ROUNDS).max(BLOCK);
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            fetch();
            for (from, to) in from.as_chunks::<BLOCK>().0.iter().zip(to.as_chunks_mut::<BLOCK>().0) {
                // SAFETY: by the contract; a block holds a vector.
                unsafe {
                    let x = Sixteen(F::prepare(Sixteen::load(from.as_ptr()).0));
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
fn round<F: VectorFn2<__m512>, const BACK: bool, const DISTANCE: usize>(x: Sixteen) -> Sixteen {
    let before = x.behind(x, if BACK { DISTANCE } else { BLOCK - DISTANCE });
    // SAFETY: the values show that the CPU has the instructions.
    let both = Sixteen(unsafe { F::combine(before.0, x.0) });
    if BACK { both.begun(BLOCK - DISTANCE, x) } else { x.begun(DISTANCE, both) }
}

/// Scans, from the last element to the first if it says so.
struct Scans(bool);

impl Floats for Scans {
    fn kernel<F: VectorFn2<__m512> + VectorFn2<__m256>>(&self) -> Option<RowsFn> {
        Some(if self.0 { avx512::<Scan<f32, F, Registers<F>, true>> } else { avx512::<Scan<f32, F, Registers<F>, false>> })
    }
}

/// The scan of rows of these elements with an operation, if blocks fit in registers.
pub(in crate::kernels) fn select(level: Level, back: bool, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    if level == Level::Avx512 { narrow::select_float(&Scans(back), op, elem) } else { None }
}
