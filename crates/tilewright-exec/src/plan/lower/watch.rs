//! Watched plans: beside each operation stands an instruction that shows it.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    plan::{Inst, Tile, Watch},
};
use tilewright_ir::{OpRef, Opcode, Value};

/// When an operation is shown.
enum Moment {
    Before,
    After,
}

fn moment(op: OpRef<'_>) -> Moment {
    match op.opcode() {
        Opcode::Alloca => Moment::After,
        _ if op.region_block(0).is_some() && !matches!(op.opcode(), Opcode::Reduce | Opcode::Scan) => Moment::Before,
        _ if op.memory_ordering().is_some() => Moment::Before,
        Opcode::Yield
        | Opcode::Continue
        | Opcode::Break
        | Opcode::Return
        | Opcode::PreviewCall
        | Opcode::Assert
        | Opcode::Extract
        | Opcode::Insert
        | Opcode::PrintTko
        | Opcode::MultimemLoadReduceViewTko
        | Opcode::MultimemStoreViewTko
        | Opcode::MultimemReduceViewTko => Moment::Before,
        _ => Moment::After,
    }
}

/// Whether other blocks can see when an operation is carried out.
fn accesses_memory(op: OpRef<'_>) -> bool {
    let is_multimem =
        matches!(op.opcode(), Opcode::MultimemLoadReduceViewTko | Opcode::MultimemStoreViewTko | Opcode::MultimemReduceViewTko);
    is_multimem || op.memory_ordering().is_some()
}

impl<'m> Lowerer<'m> {
    /// Lowers an operation, with the instruction that shows it.
    pub(super) fn watched_op(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        match moment(op) {
            Moment::After => {
                self.op(op)?;
                let results = self.watched_results(op);
                self.show(op, results, false);
                Ok(())
            }
            Moment::Before => {
                self.show(op, Vec::new(), false);
                let shown = self.code.len() - 1;
                self.op(op)?;
                if op.region_block(0).is_none() {
                    self.show_view(shown);
                }
                let results = self.watched_results(op);
                if results.iter().any(Option::is_some) {
                    self.show(op, results, true);
                }
                Ok(())
            }
        }
    }

    /// Gives the instruction that shows an access the view of what was lowered behind it. It goes in front of the access: operands of the view
    /// may be computed before.
    fn show_view(&mut self, shown: usize) {
        let access = self.code[shown..].iter().enumerate().find_map(|(behind, (inst, _))| match inst {
            Inst::Load { view, .. } | Inst::Store { view, .. } | Inst::AtomicView { view, .. } => Some((behind, view.clone())),
            _ => None,
        });
        let Some((behind, view)) = access else { return };
        if let (Inst::Watch(watch), _) = &mut self.code[shown] {
            watch.view = Some(view);
        }
        self.code[shown..shown + behind].rotate_left(1);
    }

    /// Emits the instruction that shows an operation, or, if it was shown before and is done, only its results.
    fn show(&mut self, op: OpRef<'m>, results: Vec<Option<Tile>>, done: bool) {
        if !self.watched {
            return;
        }
        let function = self.function;
        let operands = if done { Vec::new() } else { op.operands().iter().map(|operand| self.watched_tile(*operand)).collect() };
        let captures = if done { Vec::new() } else { self.captures(op) };
        let accesses = !done && accesses_memory(op);
        let op = op.id().index() as u32;
        self.emit(Inst::Watch(Box::new(Watch { function, op, operands, results, captures, accesses, done, view: None })));
    }

    fn watched_results(&self, op: OpRef<'m>) -> Vec<Option<Tile>> {
        op.results().map(|result| self.watched_tile(result)).collect()
    }

    /// The values that the region of a fold reads, and that are there when it begins.
    fn captures(&self, op: OpRef<'m>) -> Vec<(u32, Tile)> {
        let mut captures = Vec::new();
        if matches!(op.opcode(), Opcode::Reduce | Opcode::Scan) {
            self.captures_of(op, &mut captures);
            captures.sort_by_key(|(value, _)| *value);
            captures.dedup_by_key(|(value, _)| *value);
        }
        captures
    }

    fn captures_of(&self, op: OpRef<'m>, captures: &mut Vec<(u32, Tile)>) {
        for inner in op.regions().flat_map(|region| self.body.blocks(region)).flat_map(|block| self.body.ops(block)) {
            let read = inner.operands().iter();
            captures.extend(read.filter_map(|value| Some((value.index() as u32, self.watched_tile(*value)?))));
            self.captures_of(inner, captures);
        }
    }

    fn watched_tile(&self, value: Value) -> Option<Tile> {
        match &self.values[value.index()] {
            Some(Val::Tile(tile)) => Some(tile.clone()),
            _ => None,
        }
    }
}
