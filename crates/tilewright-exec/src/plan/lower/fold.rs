//! `reduce` and `scan`: the region becomes steps that combine whole slices.

use super::{Lowerer, Val, elementwise::elem_op};
use crate::{
    PlanError,
    elem::Elem,
    kernels::ElemOp,
    plan::{Fold, FoldKind, Inst, Src, Step, Tile, inst::FoldOperand, tile::Base},
};
use std::collections::HashMap;
use tilewright_ir::{AttrName, AttrValue, Block, OpRef, Opcode, Value};

/// The region while it becomes steps.
struct Region {
    /// What each value of the region is to the steps.
    places: HashMap<Value, (Src, Elem)>,
    /// Values from outside, and constants of the region.
    captures: Vec<Tile>,
    captured: HashMap<Value, usize>,
    steps: Vec<Step>,
    /// Number of region arguments: captures are inputs behind them.
    args: usize,
}

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
        let (region, results) = self.fold_region(block, &elems)?;
        let front: Vec<usize> = std::iter::once(dim).chain((0..shape.len()).filter(|d| *d != dim)).collect();
        let fold_operands: Vec<FoldOperand> = operands.iter().map(|tile| self.fold_operand(tile, &front, kind)).collect();
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
        })));
        for (i, work) in works.into_iter().enumerate() {
            self.define_folded(op, i, work, &front, kind)?;
        }
        Ok(())
    }

    fn fold_operand(&mut self, tile: &Tile, front: &[usize], kind: FoldKind) -> FoldOperand {
        let src = tile.permute(front);
        let bytes = src.numel() * src.elem.size();
        let work = self.new_register(bytes);
        let spare = (kind != FoldKind::Reduce).then(|| self.new_register(bytes));
        FoldOperand { size: src.elem.size(), src, work, spare }
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

    /// The steps of the region, and where the combined value of each operand is after them.
    fn fold_region(&mut self, block: Block, elems: &[Elem]) -> Result<(Region, Vec<Src>), PlanError> {
        let args = self.body.args(block);
        self.require(args.len() == 2 * elems.len(), "the region takes two arguments for each operand")?;
        let mut region =
            Region { places: HashMap::new(), captures: Vec::new(), captured: HashMap::new(), steps: Vec::new(), args: 2 * elems.len() };
        for (i, arg) in args.enumerate() {
            let (elem, shape) = self.tile_type(arg)?;
            self.require(shape.is_empty() && elem == elems[i / 2], "the arguments must be scalars of the operands' element types")?;
            region.places.insert(arg, (Src::Input(i), elem));
        }
        let at = self.site;
        for op in self.body.ops(block) {
            self.enter(op);
            if op.opcode() == Opcode::Yield {
                let results = self.fold_results(op, &mut region, elems)?;
                self.site = at;
                return Ok((region, results));
            }
            self.fold_step(op, &mut region)?;
        }
        Err(self.malformed("the region must end in a yield".to_owned()))
    }

    fn fold_results(&mut self, op: OpRef<'m>, region: &mut Region, elems: &[Elem]) -> Result<Vec<Src>, PlanError> {
        self.require(op.operands().len() == elems.len(), "the region yields one value for each operand")?;
        let mut results = Vec::new();
        for (value, elem) in op.operands().iter().zip(elems) {
            let (src, found) = self.fold_source(*value, region)?;
            self.require(found == *elem, "the yielded values must have the operands' element types")?;
            // An argument is copied before any result is written: results may take the place of arguments.
            let is_step = matches!(src, Src::Slot(_));
            results.push(if is_step { src } else { self.fold_copy(src, *elem, region)? });
        }
        Ok(results)
    }

    fn fold_copy(&self, src: Src, elem: Elem, region: &mut Region) -> Result<Src, PlanError> {
        let kernel = self.kernel(ElemOp::Copy, &[elem], elem)?;
        let dst = Src::Slot(region.steps.len());
        region.steps.push(Step { kernel, srcs: vec![src], dst });
        Ok(dst)
    }

    fn fold_step(&mut self, op: OpRef<'m>, region: &mut Region) -> Result<(), PlanError> {
        let result = op.result(0).ok_or_else(|| self.malformed("it gives no value".to_owned()))?;
        let Some(elementwise) = elem_op(op, &self.module.tables.types) else {
            return match op.opcode() {
                Opcode::Constant => self.constant(op),
                Opcode::Assume | Opcode::Reshape | Opcode::Broadcast => {
                    let place = self.fold_source(self.operand(op, 0)?, region)?;
                    region.places.insert(result, place);
                    Ok(())
                }
                _ => Err(self.unsupported(format!("{} in the region of a fold", op.opcode()))),
            };
        };
        let srcs = op.operands().iter().map(|v| self.fold_source(*v, region)).collect::<Result<Vec<_>, _>>()?;
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(shape.is_empty(), "the region works on scalars")?;
        let kernel = self.kernel(elementwise, &srcs.iter().map(|(_, elem)| *elem).collect::<Vec<_>>(), elem)?;
        let dst = Src::Slot(region.steps.len());
        region.steps.push(Step { kernel, srcs: srcs.into_iter().map(|(src, _)| src).collect(), dst });
        region.places.insert(result, (dst, elem));
        Ok(())
    }

    /// Where the steps find a value; values from outside of the region are captured.
    fn fold_source(&mut self, value: Value, region: &mut Region) -> Result<(Src, Elem), PlanError> {
        if let Some(place) = region.places.get(&value) {
            return Ok(*place);
        }
        let tile = self.tile(value)?;
        self.require(tile.numel() == 1, "the region works on scalars")?;
        let elem = tile.elem;
        let index = *region.captured.entry(value).or_insert_with(|| {
            region.captures.push(tile);
            region.captures.len() - 1
        });
        Ok((Src::Input(region.args + index), elem))
    }
}

impl FoldOperand {
    /// The operand in its work register: the folded dimension first, in order.
    fn in_register(&self) -> Tile {
        Tile::contiguous(self.src.elem, Base::Reg(self.work), &self.src.shape)
    }
}
