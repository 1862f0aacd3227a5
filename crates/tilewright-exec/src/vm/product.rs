//! Products of matrices.
#![allow(unsafe_code, reason = "calls kernels on registers and memory")]

use super::{frame::Frame, in_place::InPlace};
use crate::{
    cpu::Level,
    interrupt::Looks,
    kernels::{
        ahead::Ahead,
        mma::{self, Matrices, Packs},
    },
    plan::{Matmul, Tile},
};

/// The products of an instruction, one for each batch, without the places of their factors.
pub(super) struct Products<'b> {
    matmul: &'b Matmul,
    /// Of one of them; wider than the instruction's where it is of several blocks.
    shape: mma::Shape,
    regs: &'b Frame,
    level: Level,
    acc: *const u8,
    acc_is_splat: bool,
    dst: *mut u8,
    /// Bytes of the result of a batch.
    result_bytes: usize,
}

impl<'b> Products<'b> {
    pub(super) fn new(matmul: &'b Matmul, regs: &'b Frame, level: Level) -> Products<'b> {
        let (acc, dst) = (regs.read(&matmul.acc), regs.write(matmul.dst));
        let result_bytes = matmul.shape.m * matmul.shape.n * matmul.acc.elem.size();
        Products { matmul, shape: matmul.shape, regs, level, acc, acc_is_splat: matmul.acc.is_splat(), dst, result_bytes }
    }

    /// How many rounds of a loop of these products are worth computing as one.
    pub(super) fn together(&self) -> usize {
        if self.matmul.batch == 1 { mma::together(self.level, self.matmul.kind, &self.shape) } else { 1 }
    }

    /// How far a round goes along `k`.
    pub(super) fn depth(&self) -> usize {
        self.shape.k
    }

    pub(super) fn shape(&self) -> mma::Shape {
        self.shape
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Where the sums are that it adds to.
    pub(super) fn sums(&self) -> *mut u8 {
        self.dst
    }

    /// From now on adds to the sums of so many blocks, which are side by side here, with right factors that are, too.
    pub(super) fn add_beside(&mut self, blocks: usize, sums: *mut u8) {
        self.shape.n *= blocks;
        // A tile of one element is one for all, but not beside others.
        (self.acc, self.acc_is_splat, self.dst) = (sums.cast_const(), false, sums);
    }

    /// Multiplies factors that lie here, of so many rounds, of which each goes on along `k` where the one before ends.
    pub(super) fn multiply(&self, rounds: usize, lhs: &Matrices, rhs: &Matrices, packs: &mut Packs, ahead: &mut Ahead) {
        let (kind, batch, shape) = (self.matmul.kind, self.matmul.batch, self.shape);
        // Large products look at the interrupt themselves.
        let (mut looks, work) = (Looks::new(), shape.m * shape.n * rounds * shape.k);
        for b in 0..batch {
            if b > 0 && looks.end_after(work) {
                return;
            }
            let behind = b * self.result_bytes;
            // Not as a pair, which would be a copy of what was just written (see `Operands`).
            let lhs = lhs.of(b);
            let rhs = rhs.of(b);
            let operands = mma::Operands {
                lhs: &lhs,
                rhs: &rhs,
                acc: if self.acc_is_splat { self.acc } else { self.acc.wrapping_add(behind) },
                acc_is_splat: self.acc_is_splat,
                dst: self.dst.wrapping_add(behind),
                scales: if self.matmul.scales.is_some() { scales_of(self.matmul, self.regs, b) } else { None },
            };
            // SAFETY: the plan checked that the operands hold whole matrices of this shape for each batch, and gave the result a
            // register of its own or that of `acc`. Factors that lie in memory were checked when they were loaded.
            unsafe { mma::matmul(self.level, kind, &shape, rounds, &operands, packs, ahead) };
        }
    }
}

/// The matrix products of an instruction.
#[inline(never)]
pub(super) fn run(matmul: &Matmul, regs: &Frame, level: Level, in_place: &InPlace, packs: &mut Packs, ahead: &mut Ahead) {
    let lhs = in_place.matrices(&matmul.lhs, regs);
    let rhs = in_place.matrices(&matmul.rhs, regs);
    packs.begin(1);
    Products::new(matmul, regs, level).multiply(1, &lhs, &rhs, packs, ahead);
}

/// The first byte of the matrix that begins so many elements behind the first one of a tile.
fn matrix_at(tile: &Tile, regs: &Frame, elements: usize) -> *const u8 {
    regs.read(tile).wrapping_add(elements * tile.elem.size())
}

/// The factors for blocks of elements of a batch, which few products have.
#[cold]
fn scales_of(matmul: &Matmul, regs: &Frame, b: usize) -> Option<mma::Scales> {
    let [lhs, rhs] = matmul.scales.as_ref()?;
    let mma::Shape { m, n, .. } = matmul.shape;
    let blocks = lhs.numel() / (matmul.batch * m);
    let (left, right) = (matrix_at(lhs, regs, b * m * blocks), matrix_at(rhs, regs, b * blocks * n));
    Some(mma::Scales { format: lhs.elem.float()?, blocks, lhs: left, rhs: right })
}
