//! Which operations have a rule.

use super::{
    LONG_SLICE, Refusal,
    access::{self, Lie},
    classes::{Class, Classes},
};
use crate::facts::IntegerFacts;
use tilewright_ir::{AttrName, Body, Op, OpRef, Opcode, RoundingMode, Scalar, Tables, Value, ops::Traits};

/// Says of the first operation of a function, in the order of the text, that has no rule why.
pub(super) fn check(tables: &Tables, body: &Body, facts: &IntegerFacts, classes: &Classes) -> Result<(), Refusal> {
    let mut used = vec![false; body.num_values()];
    for operand in body.preorder().flat_map(|op| op.operands()) {
        used[operand.index()] = true;
    }
    let last_access = body.preorder().filter(|op| op.def().traits.intersects(ACCESSES)).last().map(|op| op.id());
    let checker = Checker { tables, body, facts, classes, used, last_access };
    body.preorder().try_for_each(|op| checker.op(op).map_err(|reason| Refusal::at(op, reason)))
}

struct Checker<'m> {
    tables: &'m Tables,
    body: &'m Body,
    facts: &'m IntegerFacts,
    classes: &'m Classes,
    /// By value.
    used: Vec<bool>,
    /// The last operation that accesses memory.
    last_access: Option<Op>,
}

/// What accesses memory.
const ACCESSES: Traits = Traits::READS.with(Traits::WRITES);

fn refuse(reason: &str) -> Result<(), String> {
    Err(reason.to_owned())
}

impl Checker<'_> {
    fn op(&self, op: OpRef<'_>) -> Result<(), String> {
        if self.classes.is_in_fold(op.id()) {
            return self.uniform(op.operands(), "the region of a reduction or scan uses a value that depends on the block");
        }
        match op.opcode() {
            Opcode::PrintTko => refuse("blocks print one after the other"),
            Opcode::Alloca => refuse("each block has memory of its own"),
            Opcode::PreviewCall => refuse("calls are not looked into"),
            Opcode::GetNumTileBlocks => self.grid(op),
            Opcode::LoadViewTko | Opcode::StoreViewTko => self.view_access(op),
            Opcode::LoadPtrTko | Opcode::StorePtrTko => self.pointer_access(op),
            Opcode::AtomicRMWTko => self.update(op),
            Opcode::If => self.uniform(op.operands(), "the condition depends on the block"),
            Opcode::For => self.counted(op),
            _ if op.def().traits.intersects(ACCESSES) => refuse("accesses of other kinds than weak loads and stores order blocks"),
            _ => self.computation(op),
        }
    }

    fn uniform(&self, values: &[Value], reason: &str) -> Result<(), String> {
        if self.classes.are_uniform(values) { Ok(()) } else { refuse(reason) }
    }

    fn grid(&self, op: OpRef<'_>) -> Result<(), String> {
        let is_used = op.result(self.classes.coarsening.axis).is_some_and(|extent| self.used[extent.index()]);
        if is_used { refuse("the extent of the grid is used, which is another one for coarser blocks") } else { Ok(()) }
    }

    fn counted(&self, op: OpRef<'_>) -> Result<(), String> {
        let variable = op.region_block(0).and_then(|block| self.body.args(block).next());
        let varies = variable.is_some_and(|variable| self.classes.of(variable) == Class::Varying);
        if varies { refuse("how often the loop runs depends on the block") } else { Ok(()) }
    }

    fn view_access(&self, op: OpRef<'_>) -> Result<(), String> {
        self.weak(op)?;
        let lie = access::lie(self.tables, self.body, self.facts, self.classes, op)?;
        if lie == Lie::Same && op.opcode() == Opcode::StoreViewTko {
            return refuse("all blocks store at one place");
        }
        Ok(())
    }

    fn pointer_access(&self, op: OpRef<'_>) -> Result<(), String> {
        self.weak(op)?;
        if access::is_at_one_place(self.classes, op) && op.opcode() == Opcode::StorePtrTko {
            return refuse("all blocks store at one place");
        }
        Ok(())
    }

    /// An atomic update whose old values nothing reads: what others do can decide about nothing then, and if it is a block's last access, the block
    /// does nothing that an update of another one should come before. Updates of a group are in the order of its blocks.
    fn update(&self, op: OpRef<'_>) -> Result<(), String> {
        if op.result(0).is_some_and(|old| self.used[old.index()]) {
            return refuse("what an atomic update finds may depend on what other blocks do");
        }
        let is_last = self.last_access == Some(op.id()) && self.body.entry_block() == op.block();
        if is_last { Ok(()) } else { refuse("an atomic update is not the last access to memory of its block") }
    }

    fn weak(&self, op: OpRef<'_>) -> Result<(), String> {
        if access::is_weak(op) { Ok(()) } else { refuse("the access is not weak, so it may order blocks") }
    }

    /// Operations that compute, and those that only stand for something.
    fn computation(&self, op: OpRef<'_>) -> Result<(), String> {
        if op.results().all(|result| self.classes.of(result) != Class::Varying) {
            return Ok(());
        }
        match op.opcode() {
            Opcode::MakeTensorView | Opcode::MakePartitionView | Opcode::MakeStridedView | Opcode::MakeGatherScatterView => {
                refuse("the view depends on the block")
            }
            Opcode::Extract => self.uniform(op.operand_named("indices"), "the place of the slice depends on the block"),
            Opcode::Insert => self.uniform(op.operand_named("indices"), "the place of the slice depends on the block"),
            Opcode::Scan => self.scan(op),
            Opcode::Loop
            | Opcode::Assume
            | Opcode::Reshape
            | Opcode::Broadcast
            | Opcode::Permute
            | Opcode::Cat
            | Opcode::Pack
            | Opcode::Unpack
            | Opcode::Reduce
            | Opcode::MmaF
            | Opcode::MmaI => Ok(()),
            _ if op.def().traits.contains(Traits::ELEMENTWISE) => Ok(()),
            _ => refuse("it has no rule for values that depend on the block"),
        }
    }

    /// The order in which scans combine may depend on how many rows there are: not for rows of contiguous elements under a usual operation, and
    /// elsewhere by [`LONG_SLICE`]. It makes no difference to operations on integers that are associative.
    fn scan(&self, op: OpRef<'_>) -> Result<(), String> {
        use Opcode::{AddF, AddI, AndI, MaxF, MaxI, MinF, MinI, MulF, MulI, OrI, XOrI};
        let is_safe = || {
            let block = op.region_block(0)?;
            let arguments: Vec<Value> = self.body.args(block).collect();
            let mut inside = self.body.ops(block);
            let (step, end) = (inside.next()?, inside.next()?);
            let is_single = arguments.len() == 2 && step.operands() == arguments && end.operands() == [step.result(0)?];
            let (element, shape) = self.tables.types.as_tile(self.body.ty(*op.operands().first()?))?;
            let dim = usize::try_from(op.int(AttrName::Dim)?).ok()?;
            let slice = shape.iter().product::<i64>().unsigned_abs() / shape.get(dim)?.unsigned_abs();
            let is_long = |slice: u64| slice >= LONG_SLICE as u64;
            let keeps_its_order = is_long(slice) == is_long(slice * u64::from(self.classes.coarsening.factor));
            let is_innermost = shape.get(dim + 1..)?.iter().all(|extent| *extent == 1);
            let is_nearest = matches!(step.rounding(), None | Some(RoundingMode::NearestEven)) && !step.flag(AttrName::FlushToZero);
            let is_common =
                is_nearest && matches!(self.tables.types.scalar(element), Some(Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64));
            let is_exact = matches!(step.opcode(), AddI | MulI | MaxI | MinI | AndI | OrI | XOrI);
            let is_usual = matches!(step.opcode(), AddF | MulF | MaxF | MinF) && is_innermost && is_common;
            Some(keeps_its_order || is_single && (is_exact || is_usual))
        };
        if is_safe() == Some(true) { Ok(()) } else { refuse("the order in which it combines may depend on how many rows there are") }
    }
}
