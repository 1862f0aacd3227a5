//! In which order blocks begin, where nobody can tell: so that neighbours in time read the same.
//!
//! A kernel's author numbers blocks as it suits the formulas. Where blocks along an axis of the grid read the same tiles again and again, those
//! tiles stay in the caches if positions change along this axis first. Where they read nothing again, they go along rows in memory, which CPUs fetch ahead.

use super::{
    Coordinate, Extent, Inst, LoopProduct, Placement, ProductLoop, ViewAccess, ViewDim,
    dependences::{Dependences, rounds},
    streaming,
};

/// The order in which blocks begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockOrder {
    /// The axes of the grid, the one along which positions change first in front.
    pub(crate) axes: [usize; 3],
    /// Of blocks that multiply in a loop, the bytes for each step along `k` that those along the first axis have in common, and those along the
    /// second: of a factor, or 0.
    pub(crate) common: Option<[usize; 2]>,
}

impl BlockOrder {
    /// That of the grid.
    pub(crate) const GRID: BlockOrder = BlockOrder { axes: [0, 1, 2], common: None };

    /// The best order for finished code whose loops are marked.
    pub(crate) fn best(code: &[Inst]) -> BlockOrder {
        if shows_order(code) {
            return BlockOrder::GRID;
        }
        let dependences = Dependences::of(code);
        // What folds columns reads the short rows of neighbours together.
        if code.iter().any(|inst| matches!(inst, Inst::FoldColumns(_))) {
            return dependences.order_in_memory(code);
        }
        match ProductLoop::first(code) {
            Some(product_loop) => dependences.order_of_products(&product_loop),
            None => dependences.order_of_loads(code).unwrap_or_else(|| dependences.order_in_memory(code)),
        }
    }
}

/// Whether somebody could tell in which order blocks run: by what they report, or because one may see what another does.
pub(super) fn shows_order(code: &[Inst]) -> bool {
    code.iter().any(|inst| inst.effects().reports) || streaming::orders(code)
}

impl Dependences {
    /// Blocks in a row or a column of a result have a factor in common.
    fn order_of_products(&self, ProductLoop { products, .. }: &ProductLoop<'_>) -> BlockOrder {
        let moves = |view: &ViewAccess| self.of_reads(|visit| view.for_each_read(&mut |tile| visit(tile)));
        let of_left = products.iter().fold(0, |axes, product| axes | moves(product.left));
        let of_right = products.iter().fold(0, |axes, product| axes | moves(product.right));
        let only = |some: u8, others: u8| (0..3).find(|axis| some & !others & 1 << axis != 0);
        // Along the first axis, blocks have the same left factor, which often is read where it is.
        let along = [only(of_right, of_left), only(of_left, of_right)];
        if along == [None; 2] {
            return BlockOrder::GRID;
        }
        let bytes = products.iter().fold([0, 0], |[lefts, rights], LoopProduct { left, right, matmul, .. }| {
            [lefts + matmul.shape.m * left.size, rights + matmul.shape.n * right.size]
        });
        let chosen = || along.into_iter().flatten();
        let rest = (0..3).filter(|axis| chosen().all(|other| other != *axis));
        let mut axes = [0; 3];
        axes.iter_mut().zip(chosen().chain(rest)).for_each(|(to, axis)| *to = axis);
        let common = match along {
            [Some(_), Some(_)] => bytes,
            [Some(_), None] => [bytes[0], 0],
            _ => [bytes[1], 0],
        };
        BlockOrder { axes, common: Some(common) }
    }

    /// First along the axis along which blocks read most of what they read in loops again, if that is most of all that they read.
    fn order_of_loads(&self, code: &[Inst]) -> Option<BlockOrder> {
        let rounds = rounds(code);
        let (mut all, mut again, mut used) = (0usize, [0usize; 3], 0);
        for (inst, &rounds) in code.iter().zip(&rounds) {
            let bytes = match inst {
                Inst::Load { view, .. } => view.tile.iter().product::<usize>() * view.size,
                Inst::LoadPointers { access, .. } => access.pointers.numel() * access.size,
                _ => continue,
            };
            let (bytes, axes) = (bytes.saturating_mul(rounds), self.of_reads(|visit| inst.for_each_read(visit)));
            (all, used) = (all.saturating_add(bytes), used | axes);
            let is_again = |axis: &usize| rounds > 1 && axes & 1 << axis == 0;
            (0..3).filter(is_again).for_each(|axis| again[axis] = again[axis].saturating_add(bytes));
        }
        // Along an axis that nothing depends on, grids mostly have one block.
        (0..3).filter(|axis| used & 1 << axis == 0).for_each(|axis| again[axis] = 0);
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|axis| std::cmp::Reverse(again[*axis]));
        again.iter().any(|again| *again > all / 2).then_some(BlockOrder { axes, common: None })
    }

    /// First along the axis along which most of what blocks read and write goes on side by side in memory, if that is most of all in tiles of several
    /// rows: the others are as near either way.
    fn order_in_memory(&self, code: &[Inst]) -> BlockOrder {
        let (mut all, mut side_by_side) = (0usize, [0usize; 3]);
        for inst in code {
            let (Inst::Load { view, .. } | Inst::Store { view, .. } | Inst::SweepStore { view, .. } | Inst::RowsStore { view, .. }) = inst
            else {
                continue;
            };
            let Placement::Tensor(dims) = &view.places else { continue };
            let rows = view.tile.iter().filter(|extent| **extent > 1).count();
            let row = dims.iter().find(|dim| matches!(dim.stride, Extent::Static(1)));
            if let (2.., Some(ViewDim { coordinate: Coordinate::Origin { index, .. }, .. })) = (rows, row) {
                let bytes = view.tile.iter().product::<usize>() * view.size;
                let axes = self.of_reads(|visit| visit(index));
                all = all.saturating_add(bytes);
                (0..3).filter(|axis| axes == 1 << axis).for_each(|axis| side_by_side[axis] = side_by_side[axis].saturating_add(bytes));
            }
        }
        let mut axes = [0, 1, 2];
        if let Some(first) = (0..3).find(|axis| side_by_side[*axis] > all / 2) {
            axes.sort_by_key(|axis| *axis != first);
        }
        BlockOrder { axes, common: None }
    }
}
