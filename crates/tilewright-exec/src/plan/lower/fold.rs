//! `reduce` and `scan`: the region becomes steps that combine whole slices, or else a loop over elements.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::Elem,
    kernels::{
        columns, long,
        rows::{self, RowFold},
        scan,
    },
    plan::{
        Fold, FoldKind, Inst, PerDim, Src, Step, Tile,
        combiner::Combiner,
        inst::{FoldColumns, FoldOperand, FoldRows},
        tile::Base,
    },
};
use tilewright_ir::{AttrName, AttrValue, Block, OpRef};

impl<'m> Lowerer<'m> {
    pub(super) fn fold(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let operands = op.operands().iter().map(|v| self.tile(*v)).collect::<Result<Vec<_>, _>>()?;
        let shape = operands.first().map(|tile| tile.shape.clone()).unwrap_or_default();
        let dim = op.int(AttrName::Dim).and_then(|d| usize::try_from(d).ok()).filter(|d| *d < shape.len());
        let Some(dim) = dim else { return Err(self.malformed("the dimension is out of range".to_owned())) };
        self.require(operands.iter().all(|tile| tile.shape == shape), "the operands must have one shape")?;
        self.require(op.results().len() == operands.len(), "one result for each operand is needed")?;
        let kind = match op.attr(AttrName::Reverse) {
            AttrValue::Bool(reverse) => FoldKind::Scan { reverse },
            _ => FoldKind::Reduce,
        };
        let block = op.region_block(0).ok_or_else(|| self.malformed("the region is empty".to_owned()))?;
        let elems: Vec<Elem> = operands.iter().map(|tile| tile.elem).collect();
        self.fold_arguments(block, &elems)?;
        let front: Vec<usize> = std::iter::once(dim).chain((0..shape.len()).filter(|d| *d != dim)).collect();
        let Some((region, results)) = self.fold_region(block, &elems)? else {
            let columns: Vec<Tile> = operands.iter().map(|tile| tile.permute(&front)).collect();
            for (i, tile) in self.fold_loop(block, &columns, kind)?.into_iter().enumerate() {
                self.define_folded(op, i, tile, &front, kind)?;
            }
            return Ok(());
        };
        if let Some(tile) = self.fold_rows(&operands, dim, kind, &region.steps, &region.captures)? {
            return self.define_usual(op, tile);
        }
        if let Some(tile) = self.fold_columns(&operands, &front, kind, &region.steps, &region.captures) {
            return self.define_usual(op, tile);
        }
        let outer: usize = shape[..dim].iter().product();
        let fold_operands: Vec<FoldOperand> = operands.into_iter().map(|tile| self.fold_operand(tile, &front, outer, kind)).collect();
        let works: Vec<Tile> = fold_operands.iter().map(FoldOperand::in_register).collect();
        let slots = region.captures.len() + region.steps.len();
        self.emit(Inst::Fold(Box::new(Fold {
            kind,
            extent: shape[dim],
            slice: shape.iter().product::<usize>() / shape[dim],
            operands: fold_operands,
            captures: region.captures,
            steps: region.steps,
            results,
            slots,
            outer,
            combiner: Combiner::new(self.machine),
        })));
        for (i, work) in works.into_iter().enumerate() {
            self.define_folded(op, i, work, &front, kind)?;
        }
        Ok(())
    }

    /// The region's arguments: two scalars for each operand.
    fn fold_arguments(&self, block: Block, elems: &[Elem]) -> Result<(), PlanError> {
        let args = self.body.args(block);
        self.require(args.len() == 2 * elems.len(), "the region takes two arguments for each operand")?;
        for (i, arg) in args.enumerate() {
            let (elem, shape) = self.tile_type(arg)?;
            self.require(shape.is_empty() && elem == elems[i / 2], "the arguments must be scalars of the operands' element types")?;
        }
        Ok(())
    }

    /// Folds the rows of the only operand with the only step, if that is one of the usual operations; gives the result.
    fn fold_rows(
        &mut self,
        operands: &[Tile],
        dim: usize,
        kind: FoldKind,
        steps: &[Step],
        captures: &[Tile],
    ) -> Result<Option<Tile>, PlanError> {
        let ([operand], [step]) = (operands, steps) else { return Ok(None) };
        let shape = operand.shape.clone();
        let extent = shape[dim];
        let is_innermost = shape[dim + 1..].iter().all(|n| *n == 1);
        if !is_innermost || !extent.is_power_of_two() || !captures.is_empty() || step.srcs != [Src::Input(0), Src::Input(1)] {
            return Ok(None);
        }
        let fold = match kind {
            FoldKind::Reduce => RowFold::Reduce,
            FoldKind::Scan { reverse: false } => RowFold::Scan,
            FoldKind::Scan { reverse: true } => RowFold::ScanBack,
        };
        let Some(kernel) = rows::select(self.machine.level(), fold, step.kernel.imm.op, operand.elem) else { return Ok(None) };
        let rows = operand.numel() / extent;
        let src = self.in_order(operand.clone());
        let spare = self.new_register(extent * src.elem.size());
        let steps = match kind {
            FoldKind::Reduce => rows * long::steps(extent),
            FoldKind::Scan { .. } => rows * scan::steps(extent),
        };
        let (operation, is_reduction) = (step.kernel, kind == FoldKind::Reduce);
        let shape: PerDim = match kind {
            FoldKind::Reduce => shape.iter().enumerate().filter(|(d, _)| *d != dim).map(|(_, n)| *n).collect(),
            FoldKind::Scan { .. } => shape,
        };
        let (dst, tile) = self.new_tile(src.elem, &shape);
        let result = tile.numel() / rows;
        self.emit(Inst::FoldRows(Box::new(FoldRows { kernel, operation, is_reduction, rows, extent, result, src, dst, spare, steps })));
        Ok(Some(tile))
    }

    /// Reduces the columns of the only operand with the only step, if that is one of the usual operations; gives the result.
    fn fold_columns(&mut self, operands: &[Tile], front: &[usize], kind: FoldKind, steps: &[Step], captures: &[Tile]) -> Option<Tile> {
        let ([operand], [step], [], FoldKind::Reduce) = (operands, steps, captures, kind) else { return None };
        let rows = operand.permute(front);
        let extent = rows.shape[0];
        let src = rows.reshape(&[extent, rows.numel() / extent])?;
        if !extent.is_power_of_two() || step.srcs != [Src::Input(0), Src::Input(1)] {
            return None;
        }
        let kernel = columns::select(self.machine.level(), step.kernel.imm.op, src.elem)?;
        let spare = self.new_register((src.numel() + src.numel() / 2) * src.elem.size());
        let (dst, tile) = self.new_tile(src.elem, &rows.shape[1..]);
        self.emit(Inst::FoldColumns(Box::new(FoldColumns { kernel, combine: step.kernel, sums: None, src, dst, spare })));
        Some(tile)
    }

    fn define_usual(&mut self, op: OpRef<'m>, tile: Tile) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == tile.elem && shape == tile.shape, "the result must have the folded shape")?;
        self.define_result(op, 0, Val::Tile(tile))
    }

    fn fold_operand(&mut self, tile: Tile, front: &[usize], outer: usize, kind: FoldKind) -> FoldOperand {
        let rows = tile.reshape(&[outer, tile.numel() / outer.max(1)]).filter(|rows| rows.strides[1] == 1);
        let src = tile.permute(front);
        let bytes = src.numel() * src.elem.size();
        let work = self.new_register(bytes);
        let spare = (kind != FoldKind::Reduce).then(|| self.new_register(bytes));
        FoldOperand { size: src.elem.size(), src, row: rows.map(|rows| rows.strides[0]), tile, work, spare }
    }

    /// Defines a result: the first slice of a reduction, or all slices of a scan with the dimension moved back.
    fn define_folded(&mut self, op: OpRef<'m>, index: usize, work: Tile, front: &[usize], kind: FoldKind) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, index)?;
        let tile = match kind {
            FoldKind::Reduce => Tile::contiguous(work.elem, work.base, &work.shape[1..]),
            FoldKind::Scan { .. } => {
                let back: Vec<usize> = (0..front.len()).filter_map(|d| front.iter().position(|f| *f == d)).collect();
                work.permute(&back)
            }
        };
        self.require(elem == tile.elem && shape == tile.shape, "the result must have the folded shape")?;
        self.define_result(op, index, Val::Tile(tile))
    }
}

impl FoldOperand {
    /// The operand in its work register: the folded dimension first, in order.
    fn in_register(&self) -> Tile {
        Tile::contiguous(self.src.elem, Base::Reg(self.work), &self.src.shape)
    }
}
