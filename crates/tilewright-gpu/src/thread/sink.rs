//! Where factors of products are read: just before they are multiplied; and where accesses are masked: just before they are done.
//!
//! The lowering reads a whole tile and then multiplies with it, so that all registers of the tile live at once, and so do the masks of all accesses to a
//! tile. Blocks are put into another order: masks, and in blocks with products reads of shared memory and what is computed from them alone, wait until
//! something needs them.

use super::{Block, Function, Inst, Space, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use tilewright_vector::Lane;

/// Moves masks down to their first use, and reads of shared memory in blocks with products.
pub(super) fn sink(function: &mut Function) {
    let constants: HashSet<Value> =
        function.blocks[0].insts.iter().filter(|inst| matches!(inst, Inst::Const { .. })).flat_map(Inst::results).copied().collect();
    let values = &function.values;
    for block in &mut function.blocks {
        // What is compared with a number is needed for other comparisons; two values that are compared may have no other use.
        sink_in(block, |inst| match inst {
            Inst::Compare { operands, .. } => operands.iter().any(|value| constants.contains(value)),
            Inst::Prim { result, operands, .. } => {
                let is_mask = |value: &Value| values[value.index()] == Lane::Mask;
                is_mask(result) && operands.iter().all(|value| is_mask(value) || constants.contains(value))
            }
            _ => false,
        });
    }
}

/// Whether an instruction may wait for as long as nobody writes shared memory.
fn is_read(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Load { space: Space::Shared, strong: None, .. } | Inst::LoadWide { space: Space::Shared, .. } | Inst::LoadMatrices { .. }
    )
}

/// Whether what an instruction does leaves shared memory as it is, and lets nobody else write it.
fn keeps_shared(inst: &Inst) -> bool {
    match inst {
        Inst::Load { strong: None, .. } | Inst::LoadWide { .. } | Inst::LoadMatrices { .. } => true,
        Inst::Store { space: Space::Global, strong: None, .. } | Inst::StoreWide { space: Space::Global, .. } => true,
        Inst::Product { .. } | Inst::Shuffle { .. } | Inst::Line(_) => true,
        inst => inst.is_pure(),
    }
}

/// Instructions that wait, by what they give.
#[derive(Default)]
struct Waiting {
    insts: Vec<Option<Inst>>,
    by_result: HashMap<Value, usize>,
}

impl Waiting {
    fn add(&mut self, inst: Inst) {
        let place = self.insts.len();
        self.by_result.extend(inst.results().iter().map(|result| (*result, place)));
        self.insts.push(Some(inst));
    }

    fn has(&self, value: Value) -> bool {
        self.by_result.get(&value).is_some_and(|place| self.insts[*place].is_some())
    }

    /// Puts what gives some values, and all that this needs, in front of who reads them, in its old order.
    fn give(&mut self, values: Vec<Value>, to: &mut Vec<Inst>) {
        let mut needed = BTreeSet::new();
        let mut open = values;
        while let Some(value) = open.pop() {
            let Some(place) = self.by_result.get(&value) else { continue };
            if let Some(inst) = &self.insts[*place]
                && needed.insert(*place)
            {
                open.extend(inst.operands());
            }
        }
        to.extend(needed.into_iter().filter_map(|place| self.insts[place].take()));
    }

    /// Puts all that still waits in its old order.
    fn give_all(&mut self, to: &mut Vec<Inst>) {
        to.extend(self.insts.drain(..).flatten());
        self.by_result.clear();
    }
}

/// Moves instructions down to their first use: in blocks with products reads of shared memory, and elsewhere what is late.
fn sink_in(block: &mut Block, is_late: impl Fn(&Inst) -> bool) {
    let has_products = block.insts.iter().any(|inst| matches!(inst, Inst::Product { .. }));
    let mut waiting = Waiting::default();
    let mut ordered = Vec::with_capacity(block.insts.len());
    for inst in std::mem::take(&mut block.insts) {
        let operands = inst.operands();
        let depends = || has_products && inst.is_pure() && operands.iter().any(|value| waiting.has(*value));
        if is_late(&inst) || has_products && is_read(&inst) || depends() {
            waiting.add(inst);
            continue;
        }
        if keeps_shared(&inst) {
            waiting.give(operands, &mut ordered);
        } else {
            waiting.give_all(&mut ordered);
        }
        ordered.push(inst);
    }
    waiting.give_all(&mut ordered);
    block.insts = ordered;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Product;

    fn read(result: u32, address: u32) -> Inst {
        Inst::Load { result: Value(result), space: Space::Shared, address: Value(address), offset: 0, mask: None, strong: None }
    }

    fn product(results: [u32; 4], first_factor: u32, sums: [u32; 4]) -> Inst {
        let factors = [(0..4).map(|n| Value(first_factor + n)).collect(), vec![Value(first_factor), Value(first_factor + 1)]];
        Inst::Product { results: results.map(Value).to_vec(), product: Product::F16, factors, sums: sums.map(Value).to_vec() }
    }

    /// The first results of the instructions of a block, in their order.
    fn order(insts: Vec<Inst>) -> Vec<Option<u32>> {
        let mut block = Block { params: Vec::new(), insts, end: crate::thread::End::Return };
        sink_in(&mut block, |_| false);
        block.insts.iter().map(|inst| inst.results().first().map(|value| value.0)).collect()
    }

    #[test]
    fn reads_wait_for_who_needs_them_and_for_nobody_who_writes() {
        let reads = || (10..18).map(|result| read(result, 1));
        let (first, second) = (product([20, 21, 22, 23], 10, [2, 3, 4, 5]), product([24, 25, 26, 27], 14, [6, 7, 8, 9]));
        let ordered = order(reads().chain([first.clone(), second.clone()]).collect());
        let expected = [10, 11, 12, 13, 20, 14, 15, 16, 17, 24].map(Some);
        assert_eq!(ordered, expected);
        // Behind a barrier, others may write what is read.
        let ordered = order(reads().chain([first, Inst::Barrier, second]).collect());
        let expected: Vec<Option<u32>> = [10, 11, 12, 13, 20, 14, 15, 16, 17].map(Some).into_iter().chain([None, Some(24)]).collect();
        assert_eq!(ordered, expected);
    }
}
