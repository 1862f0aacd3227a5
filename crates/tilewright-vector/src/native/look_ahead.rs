//! How long a CPU takes for items in some order: about, for a CPU that looks ahead over some instructions and begins those that wait for nothing.

use super::{registers::steps, segments::in_turns};
use crate::code::{Code, Item, Loop, Value, Variability, While};

/// How many items wait in a CPU at most.
const WAITING: usize = 128;
/// How many it begins in a cycle.
const AT_ONCE: usize = 3;
/// Cycles from the begin of an item to that of one that reads what it gives.
const LATENCY: usize = 4;

/// Whether a body takes clearly less time for several vectors side by side, in turns, than for one after the other. Of bodies with loops, which are
/// done for all vectors together, that is not asked.
pub(super) fn is_faster(code: &Code, body: &[Item], vectors: usize, turn: usize) -> bool {
    if body.iter().any(|item| matches!(item, Item::Loop(_))) {
        return true;
    }
    let one_by_one = (0..vectors).flat_map(|vector| body.iter().map(move |item| (vector, item)));
    let turns = in_turns(code, body, vectors, turn).into_iter().map(|(vector, item)| (vector.unwrap_or(0), item));
    let (one_by_one, turns) = (cycles(code, vectors, one_by_one), cycles(code, vectors, turns));
    // Values that live from turn to turn take registers that constants would have, or are kept in memory.
    4 * turns < 3 * one_by_one
}

/// The cycles of items, each for one of several vectors.
fn cycles<'c>(code: &Code, vectors: usize, items: impl Iterator<Item = (usize, &'c Item)>) -> usize {
    let mut given = vec![0; vectors * code.values()];
    let place = |value: Value, vector: usize| {
        let own = if code.variability(value) == Variability::Uniform { 0 } else { vector };
        vectors * value.index() + own
    };
    // When the items before have left the CPU, which they do in their order.
    let mut left = [0; WAITING];
    let (mut last, mut at) = (0, 0);
    for (vector, item) in items {
        let mut end = 0;
        item.for_each_operand(|value| end = end.max(given[place(value, vector)]));
        for _ in 0..steps(item) {
            end = end.max(at / AT_ONCE).max(left[at % WAITING]) + LATENCY;
            last = end.max(last);
            left[at % WAITING] = last;
            at += 1;
        }
        match item {
            Item::While(While { carried, .. }) | Item::Loop(Loop { carried, .. }) => {
                carried.iter().for_each(|carried| given[place(carried.result, vector)] = end);
            }
            item => item.result().into_iter().for_each(|value| given[place(value, vector)] = end),
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Count, Kind, Lane, ParamKind, Place, Prim};

    /// Code that computes so many chains of so many steps.
    fn chains(number: usize, steps: usize) -> Code {
        let mut builder = Builder::new(16);
        let [from, to] = [(); 2].map(|()| builder.param(ParamKind::Buffer));
        let (axis, _) = builder.open(Kind::Lanes, Count::Const(1024), &[]);
        for chain in 0..number {
            let place = |buffer| Place { offset: 4096 * chain as i64, ..Place::of(buffer).along(axis, Count::Const(4)) };
            let mut value = builder.load(Lane::F32, place(from), None);
            for _ in 0..steps {
                value = builder.prim(Prim::FMul, &[value, value]);
            }
            builder.store(value, place(to), None);
        }
        builder.close(&[]);
        builder.finish().expect("it is valid")
    }

    #[test]
    fn long_chains_take_turns_and_several_short_ones_do_not() {
        let faster = |number, steps| {
            let code = chains(number, steps);
            let [Item::Loop(inner)] = code.body() else { panic!("there is a loop: {code}") };
            is_faster(&code, &inner.body, 4, 16)
        };
        assert!(faster(1, 60) && faster(1, 200) && faster(2, 100));
        assert!(!faster(8, 25) && !faster(4, 12));
    }
}
