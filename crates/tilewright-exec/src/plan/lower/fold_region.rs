//! The region of a fold as elementwise steps.
//!
//! What depends on the region's arguments becomes steps; an `if` among it becomes both branches and a selection. Everything
//! else is computed once, before the fold. A region that does more than that with its arguments, or that must not be computed
//! unless it is reached, is a loop: see `fold_loop`.

use super::{Lowerer, Val};
use crate::hash::{HashMap, HashSet};
use crate::{
    PlanError,
    elem::Elem,
    kernels::ElemOp,
    plan::{Src, Step, Tile},
};
use tilewright_ir::{Block, OpRef, Opcode, Scalar, TypeTable, Value};
use tilewright_passes::elementwise::elem_op;

/// The region while it becomes steps.
pub(super) struct Region {
    /// What depends on the arguments.
    varying: HashSet<Value>,
    /// What each value of the region is to the steps.
    places: HashMap<Value, (Src, Elem)>,
    /// Values from outside of the steps.
    pub(super) captures: Vec<Tile>,
    captured: HashMap<Value, usize>,
    pub(super) steps: Vec<Step>,
    /// Number of region arguments: captures are inputs behind them.
    args: usize,
}

impl<'m> Lowerer<'m> {
    /// The steps of the region, and where the combined value of each operand is after them; `None` if it needs a loop.
    pub(super) fn fold_region(&mut self, block: Block, elems: &[Elem]) -> Result<Option<(Region, Vec<Src>)>, PlanError> {
        let args = self.body.args(block);
        let mut varying: HashSet<Value> = args.clone().collect();
        if !self.becomes_steps(block, &mut varying, false) {
            return Ok(None);
        }
        let mut region = Region {
            varying,
            places: HashMap::default(),
            captures: Vec::new(),
            captured: HashMap::default(),
            steps: Vec::new(),
            args: 2 * elems.len(),
        };
        for (i, arg) in args.enumerate() {
            region.places.insert(arg, (Src::Input(i), elems[i / 2]));
        }
        let at = self.site;
        let values = self.fold_block(block, &mut region)?;
        self.require(values.len() == elems.len(), "the region yields one value for each operand")?;
        let mut results = Vec::new();
        for ((src, found), elem) in values.into_iter().zip(elems) {
            self.require(found == *elem, "the yielded values must have the operands' element types")?;
            // An argument is copied before any result is written: results may take the place of arguments.
            let is_step = matches!(src, Src::Slot(_));
            results.push(if is_step { src } else { self.step(ElemOp::Copy, &[(src, *elem)], *elem, &mut region)?.0 });
        }
        self.site = at;
        Ok(Some((region, results)))
    }

    /// Whether a block becomes steps; adds what depends on the arguments to `varying`. `conditional`: it may not be reached.
    fn becomes_steps(&self, block: Block, varying: &mut HashSet<Value>, conditional: bool) -> bool {
        self.body.ops(block).all(|op| {
            if !depends(op, varying) {
                return !(conditional && may_fail(op));
            }
            let fits = match op.opcode() {
                Opcode::Yield => return true,
                Opcode::If => op.regions().flat_map(|region| self.body.blocks(region)).all(|b| self.becomes_steps(b, varying, true)),
                Opcode::Reshape | Opcode::Broadcast | Opcode::Permute => true,
                _ => elem_op(op, &self.module.tables.types).is_some(),
            };
            varying.extend(op.results());
            fits && op.results().all(|result| self.is_scalar_or_token(result))
        })
    }

    fn is_scalar_or_token(&self, value: Value) -> bool {
        let is_scalar = || self.tile_type(value).is_ok_and(|(_, shape)| shape.iter().all(|n| *n == 1));
        self.body.ty(value) == TypeTable::token() || is_scalar()
    }

    /// Turns a block into steps; gives what it yields, without tokens.
    fn fold_block(&mut self, block: Block, region: &mut Region) -> Result<Vec<(Src, Elem)>, PlanError> {
        for op in self.body.ops(block) {
            self.enter(op);
            if op.opcode() == Opcode::Yield {
                let values = op.operands().iter().filter(|value| self.body.ty(**value) != TypeTable::token());
                return values.map(|value| self.fold_source(*value, region)).collect();
            }
            if depends(op, &region.varying) {
                self.fold_step(op, region)?;
            } else {
                self.op(op)?;
            }
        }
        Err(self.malformed("the region must end in a yield".to_owned()))
    }

    fn fold_step(&mut self, op: OpRef<'m>, region: &mut Region) -> Result<(), PlanError> {
        if op.opcode() == Opcode::If {
            return self.fold_if(op, region);
        }
        let result = op.result(0).ok_or_else(|| self.malformed("it gives no value".to_owned()))?;
        let place = match elem_op(op, &self.module.tables.types) {
            Some(elementwise) => {
                let srcs = op.operands().iter().map(|v| self.fold_source(*v, region)).collect::<Result<Vec<_>, _>>()?;
                let (elem, _) = self.tile_type(result)?;
                self.step(elementwise, &srcs, elem, region)?
            }
            // It shows the one element under another shape.
            None => self.fold_source(self.operand(op, 0)?, region)?,
        };
        region.places.insert(result, place);
        Ok(())
    }

    /// Both branches, and a selection for each result.
    fn fold_if(&mut self, op: OpRef<'m>, region: &mut Region) -> Result<(), PlanError> {
        let at = self.site;
        let mut branches = Vec::new();
        for block in op.regions().flat_map(|region| self.body.blocks(region)) {
            branches.push(self.fold_block(block, region)?.into_iter());
        }
        self.site = at;
        let mut branches = branches.into_iter();
        let (mut yes, mut no) = (branches.next().unwrap_or_default(), branches.next().unwrap_or_default());
        let condition = self.fold_source(self.operand(op, 0)?, region)?;
        self.require(condition.1 == Elem::Num(Scalar::I1), "the condition must be one i1")?;
        for result in op.results() {
            if self.body.ty(result) == TypeTable::token() {
                self.define(result, Val::Token);
                continue;
            }
            let (Some(yes), Some(no)) = (yes.next(), no.next()) else {
                return Err(self.malformed("each branch yields one value for each result".to_owned()));
            };
            let (elem, _) = self.tile_type(result)?;
            let place = self.step(ElemOp::Select, &[condition, yes, no], elem, region)?;
            region.places.insert(result, place);
        }
        Ok(())
    }

    fn step(&self, op: ElemOp, srcs: &[(Src, Elem)], elem: Elem, region: &mut Region) -> Result<(Src, Elem), PlanError> {
        let kernel = self.kernel(op, &srcs.iter().map(|(_, elem)| *elem).collect::<Vec<_>>(), elem)?;
        let dst = Src::Slot(region.steps.len());
        region.steps.push(Step { kernel, srcs: srcs.iter().map(|(src, _)| *src).collect(), dst });
        Ok((dst, elem))
    }

    /// Where the steps find a value; values that do not depend on the arguments are captured.
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

/// Whether an operation, or one inside of it, reads one of these values.
fn depends(op: OpRef<'_>, values: &HashSet<Value>) -> bool {
    any_op(op, &mut |op| op.operands().iter().any(|value| values.contains(value)))
}

/// Whether an operation may stop the launch.
fn may_fail(op: OpRef<'_>) -> bool {
    any_op(op, &mut |op| matches!(op.opcode(), Opcode::Extract | Opcode::Insert))
}

/// Whether a property holds for an operation or for one inside of it.
fn any_op(op: OpRef<'_>, holds: &mut impl FnMut(OpRef<'_>) -> bool) -> bool {
    let mut pending: Vec<Block> = op.regions().flat_map(|region| op.body().blocks(region)).collect();
    if holds(op) {
        return true;
    }
    while let Some(block) = pending.pop() {
        for inner in op.body().ops(block) {
            if holds(inner) {
                return true;
            }
            pending.extend(inner.regions().flat_map(|region| op.body().blocks(region)));
        }
    }
    false
}
