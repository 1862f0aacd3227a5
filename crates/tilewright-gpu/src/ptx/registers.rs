//! Which values share a register: what a jump hands over and the parameter that takes it, where they are not needed at the same time.

use crate::thread::{Function, Inst, Value, liveness};
use std::collections::HashMap;
use tilewright_vector::Prim;

/// Where values are needed, as far as instructions of PTX go.
struct Liveness {
    /// Block and place of the definition; parameters are at the beginning.
    defined: Vec<(u32, u32)>,
    /// In each block, the last place where a value is read.
    last: Vec<HashMap<Value, u32>>,
    of_blocks: liveness::Liveness,
}

/// Places of an instruction: operands are read, then results written, but where it takes several instructions of PTX, operands are read
/// behind that too.
const PLACES: u32 = 4;

impl Liveness {
    fn of(function: &Function) -> Liveness {
        let (values, blocks) = (function.values.len(), function.blocks.len());
        let mut defined = vec![(0, 0); values];
        let mut last: Vec<HashMap<Value, u32>> = vec![HashMap::new(); blocks];
        for (index, block) in function.blocks.iter().enumerate() {
            block.params.iter().for_each(|value| defined[value.index()] = (index as u32, 0));
            for (place, inst) in (1..).zip(&block.insts) {
                let late = matches!(inst, Inst::Load { .. } | Inst::LoadWide { .. } | Inst::Atomic { .. } | Inst::Multimem { .. });
                let read = place * PLACES + if late { 2 } else { 0 };
                inst.operands().into_iter().for_each(|value| _ = last[index].insert(value, read));
                inst.results().iter().for_each(|value| defined[value.index()] = (index as u32, place * PLACES + 1));
            }
            let end = (block.insts.len() as u32 + 1) * PLACES;
            for target in block.end.targets() {
                target.args.iter().for_each(|value| _ = last[index].insert(*value, end));
            }
            if let crate::thread::End::Branch { condition, .. } = &block.end {
                last[index].insert(*condition, end);
            }
        }
        Liveness { defined, last, of_blocks: liveness::Liveness::of(function) }
    }

    /// Whether a value is needed behind the definition of another one.
    fn outlives(&self, value: Value, other: Value) -> bool {
        let (block, place) = self.defined[other.index()];
        let (own_block, own_place) = self.defined[value.index()];
        let index = block as usize;
        let is_there = if own_block == block { own_place <= place } else { self.of_blocks.entering[index].contains(value) };
        is_there && (self.of_blocks.leaving[index].contains(value) || self.last[index].get(&value).is_some_and(|last| *last > place))
    }

    fn interfere(&self, a: Value, b: Value) -> bool {
        self.defined[a.index()] == self.defined[b.index()] || self.outlives(a, b) || self.outlives(b, a)
    }
}

/// For each value the one whose register it is in.
pub(super) fn shared_registers(function: &Function) -> Vec<Value> {
    let liveness = Liveness::of(function);
    let mut of: Vec<Value> = (0..function.values.len() as u32).map(Value::at).collect();
    let mut members: HashMap<Value, Vec<Value>> = HashMap::new();
    // Constants are no registers.
    let constants: std::collections::HashSet<Value> = function.blocks[0]
        .insts
        .iter()
        .filter(|inst| matches!(inst, Inst::Const { .. }))
        .flat_map(|inst| inst.results().to_vec())
        .collect();
    // The bits of a float are what its register holds.
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        if let Inst::Prim { result, prim: Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64, operands } = inst
            && !constants.contains(&operands[0])
        {
            let first = of[operands[0].index()];
            of[result.index()] = first;
            members.entry(first).or_insert_with(|| vec![first]).push(*result);
        }
    }
    // Jumps back come last and are the most frequent.
    for block in function.blocks.iter().rev() {
        for target in block.end.targets() {
            let params = &function.blocks[target.label.index()].params;
            for (param, arg) in params.iter().zip(&target.args) {
                let (a, b) = (of[param.index()], of[arg.index()]);
                if a == b || constants.contains(arg) {
                    continue;
                }
                let class = |value: Value| members.get(&value).cloned().unwrap_or_else(|| vec![value]);
                let (first, second) = (class(a), class(b));
                if first.iter().any(|x| second.iter().any(|y| liveness.interfere(*x, *y))) {
                    continue;
                }
                second.iter().for_each(|value| of[value.index()] = a);
                members.remove(&b);
                members.insert(a, first.into_iter().chain(second).collect());
            }
        }
    }
    of
}
