//! Which values are needed at the beginnings and ends of blocks, and how many registers that takes.

use super::{End, Function, Inst, Value};
use std::collections::HashSet;
use tilewright_vector::Lane;

/// A set of values.
#[derive(Clone, PartialEq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    /// Whether it was not there.
    fn insert(&mut self, value: Value) -> bool {
        let is_new = !self.contains(value);
        self.0[value.index() / 64] |= 1 << (value.index() % 64);
        is_new
    }

    /// Whether it was there.
    fn remove(&mut self, value: Value) -> bool {
        let was_there = self.contains(value);
        self.0[value.index() / 64] &= !(1 << (value.index() % 64));
        was_there
    }

    pub(crate) fn contains(&self, value: Value) -> bool {
        self.0[value.index() / 64] >> (value.index() % 64) & 1 == 1
    }

    fn add(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    fn values(&self) -> impl Iterator<Item = Value> {
        let bits = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Value::at(at as u32 * 64 + bit))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// What is needed at the beginning and at the end of each block. Parameters of a block are defined by those who jump to it.
pub(crate) struct Liveness {
    pub(crate) entering: Vec<Set>,
    pub(crate) leaving: Vec<Set>,
}

impl Liveness {
    pub(crate) fn of(function: &Function) -> Liveness {
        let (values, blocks) = (function.values.len(), function.blocks.len());
        let mut liveness = Liveness { entering: vec![Set::new(values); blocks], leaving: vec![Set::new(values); blocks] };
        let read: Vec<HashSet<Value>> = function.blocks.iter().map(read_in).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (index, block) in function.blocks.iter().enumerate().rev() {
                let mut leaving = Set::new(values);
                for target in block.end.targets() {
                    let mut needed = liveness.entering[target.label.index()].clone();
                    function.blocks[target.label.index()].params.iter().for_each(|param| _ = needed.remove(*param));
                    leaving.add(&needed);
                }
                let mut entering = leaving.clone();
                read[index].iter().for_each(|value| _ = entering.insert(*value));
                block.insts.iter().flat_map(Inst::results).for_each(|value| _ = entering.remove(*value));
                changed |= entering != liveness.entering[index];
                liveness.entering[index] = entering;
                liveness.leaving[index] = leaving;
            }
        }
        liveness
    }
}

/// What a block reads.
fn read_in(block: &super::Block) -> HashSet<Value> {
    block.insts.iter().flat_map(Inst::operands).chain(read_at_end(&block.end)).collect()
}

/// What the end of a block reads: what it hands over, and its condition.
fn read_at_end(end: &End) -> impl Iterator<Item = Value> {
    let condition = if let End::Branch { condition, .. } = end { Some(*condition) } else { None };
    end.targets().into_iter().flat_map(|target| target.args.clone()).chain(condition)
}

/// The most registers of 32 bits that are needed at once where code is carried out in its order. Constants are no registers, and masks have others.
pub(crate) fn pressure(function: &Function) -> u32 {
    let liveness = Liveness::of(function);
    let mut words: Vec<u32> = function.values.iter().map(|lane| words_of(*lane)).collect();
    for inst in &function.blocks[0].insts {
        if let Inst::Const { result, .. } = inst {
            words[result.index()] = 0;
        }
    }
    let of_block = |(index, block): (usize, &super::Block)| {
        let mut live = liveness.leaving[index].clone();
        let mut now: u32 = live.values().map(|value| words[value.index()]).sum();
        let mut most = now;
        let mut read = |live: &mut Set, now: &mut u32, value: Value| {
            if live.insert(value) {
                *now += words[value.index()];
                most = most.max(*now);
            }
        };
        read_at_end(&block.end).for_each(|value| read(&mut live, &mut now, value));
        for inst in block.insts.iter().rev() {
            for result in inst.results() {
                if live.remove(*result) {
                    now -= words[result.index()];
                }
            }
            inst.operands().into_iter().for_each(|value| read(&mut live, &mut now, value));
        }
        most
    };
    function.blocks.iter().enumerate().map(of_block).max().unwrap_or(0)
}

/// Registers of 32 bits that a value takes.
const fn words_of(lane: Lane) -> u32 {
    match lane {
        Lane::Mask => 0,
        Lane::I8 | Lane::I16 | Lane::I32 | Lane::F32 => 1,
        Lane::I64 | Lane::F64 => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::{Builder, Space};
    use tilewright_vector::Prim;

    #[test]
    fn registers_are_those_of_what_is_needed_at_once() {
        let mut b = Builder::new("k", 32, vec![Lane::I64, Lane::I32]);
        let [address, number] = [0, 1].map(|index| b.param(index));
        let one = b.constant(Lane::I32, 1);
        let products: Vec<Value> = (0..4)
            .map(|i| {
                let places = b.constant(Lane::I32, i + 2);
                b.prim(Prim::Shl, &[number, places])
            })
            .collect();
        let is_one = b.prim(Prim::Eq, &[number, one]);
        for (i, product) in (0..).zip(products) {
            b.store(product, Space::Global, address, 4 * i, Some(is_one));
        }
        // An address of two, four products and the number that is compared behind them; masks and constants are none.
        assert_eq!(pressure(&b.finish()), 7);
    }
}
