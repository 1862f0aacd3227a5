//! Products of matrices.
#![allow(unsafe_code, reason = "calls kernels on registers and memory")]

use super::{frame::Frame, in_place::InPlace};
use crate::{
    cpu::Level,
    kernels::{
        ahead::Ahead,
        mma::{self, Packs},
    },
    plan::{Matmul, Tile},
};

/// The matrix products of an instruction, one for each batch.
#[inline(never)]
pub(super) fn run(matmul: &Matmul, regs: &Frame, in_place: &InPlace, packs: &mut Packs, ahead: &mut Ahead) {
    let Matmul { kind, batch, m, n, k, .. } = *matmul;
    let (level, acc_is_splat) = (Level::best(), matmul.acc.is_splat());
    for b in 0..batch {
        // The matrix of this batch, among tiles of `elements` each.
        let at = |tile: &Tile, elements: usize| matrix_at(tile, regs, b * elements);
        let scales = if matmul.scales.is_some() { scales_of(matmul, regs, b) } else { None };
        // Not as a pair, which would be a copy of what was just written (see `Operands`).
        let lhs = in_place.matrix(&matmul.lhs, b, regs);
        let rhs = in_place.matrix(&matmul.rhs, b, regs);
        let operands = mma::Operands {
            lhs: &lhs,
            rhs: &rhs,
            acc: if acc_is_splat { regs.read(&matmul.acc) } else { at(&matmul.acc, m * n) },
            acc_is_splat,
            dst: regs.write(matmul.dst).wrapping_add(b * m * n * matmul.acc.elem.size()),
            scales,
        };
        // SAFETY: the plan checked that the operands hold whole matrices of this shape for each batch, and gave the result a
        // register of its own or that of `acc`. Factors that lie in memory were checked when they were loaded.
        unsafe { mma::matmul(level, kind, mma::Shape { m, n, k }, &operands, packs, ahead) };
    }
}

/// The first byte of the matrix that begins so many elements behind the first one of a tile.
fn matrix_at(tile: &Tile, regs: &Frame, elements: usize) -> *const u8 {
    regs.read(tile).wrapping_add(elements * tile.elem.size())
}

/// The factors for blocks of elements of a batch, which few products have.
#[cold]
fn scales_of(matmul: &Matmul, regs: &Frame, b: usize) -> Option<mma::Scales> {
    let [lhs, rhs] = matmul.scales.as_ref()?;
    let blocks = lhs.numel() / (matmul.batch * matmul.m);
    let (left, right) = (matrix_at(lhs, regs, b * matmul.m * blocks), matrix_at(rhs, regs, b * blocks * matmul.n));
    Some(mma::Scales { format: lhs.elem.float()?, blocks, lhs: left, rhs: right })
}
