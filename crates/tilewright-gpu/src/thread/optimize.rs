//! What is computed once only: values that are the same on every way, and values that do not change in a loop. Last, reads go to their first use.

use super::{End, Function, Inst, Native, Value, flow::Flow, sink::sink};
use std::collections::HashMap;
use tilewright_vector::{Lane, Prim};

/// What makes two pure instructions the same.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Key {
    Prim(Prim, Vec<Value>),
    Native(Native, Vec<Value>),
    Pack([Value; 2]),
    Lookup(Value, [u32; 16]),
}

fn key(inst: &Inst) -> Option<(Key, Value)> {
    match inst {
        Inst::Prim { result, prim, operands } => Some((Key::Prim(*prim, operands.clone()), *result)),
        Inst::Native { result, native, operands } => Some((Key::Native(*native, operands.clone()), *result)),
        Inst::Pack { result, halves } => Some((Key::Pack(*halves), *result)),
        Inst::Lookup { results, index, tables } => match (&results[..], &tables[..]) {
            ([result], [table]) => Some((Key::Lookup(*index, *table), *result)),
            _ => None,
        },
        _ => None,
    }
}

/// Numbers values, moves what does not change out of loops, and numbers them again.
pub(super) fn optimize(function: &mut Function) {
    let flow = Flow::of(function);
    number(function, &flow);
    hoist(function, &flow);
    number(function, &flow);
    function.remove_unused();
    fuse(function);
    fuse_masks(function);
    function.remove_unused();
    join_lookups(function);
    sink(function);
}

/// What one index looks up in several tables of a block is looked up at once, where the first one is.
fn join_lookups(function: &mut Function) {
    for block in &mut function.blocks {
        let mut first: HashMap<Value, usize> = HashMap::new();
        let mut kept: Vec<Inst> = Vec::with_capacity(block.insts.len());
        for inst in std::mem::take(&mut block.insts) {
            if let Inst::Lookup { results: more, index, tables: others } = &inst {
                if let Some(place) = first.get(index)
                    && let Inst::Lookup { results, tables, .. } = &mut kept[*place]
                {
                    results.extend(more);
                    tables.extend(others);
                    continue;
                }
                first.insert(*index, kept.len());
            }
            kept.push(inst);
        }
        block.insts = kept;
    }
}

/// How often each value is read.
fn count_uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0u32; function.values.len()];
    for block in &function.blocks {
        let condition = if let End::Branch { condition, .. } = &block.end { Some(*condition) } else { None };
        let handed = block.end.targets().into_iter().flat_map(|target| target.args.clone());
        let read = block.insts.iter().flat_map(Inst::operands).chain(handed).chain(condition);
        read.for_each(|value| uses[value.index()] += 1);
    }
    uses
}

/// Comparisons that are read once, by what negates them or by a conjunction with another mask, become one instruction with it.
fn fuse_masks(function: &mut Function) {
    let uses = count_uses(function);
    let values = &function.values;
    for block in &mut function.blocks {
        let mut comparisons: HashMap<Value, Inst> = HashMap::new();
        for inst in &mut block.insts {
            let Inst::Prim { result, prim, operands } = inst else { continue };
            let (result, prim) = (*result, *prim);
            let comparison = |value: &Value| comparisons.get(value).filter(|_| uses[value.index()] == 1);
            let made = match prim {
                _ if is_comparison(prim) => {
                    // Signed numbers of 8 bits are widened before they are compared.
                    if (prim, values[operands[0].index()]) != (Prim::LtS, Lane::I8) {
                        let operands = [operands[0], operands[1]];
                        comparisons.insert(result, Inst::Compare { result, prim, operands, negated: false, and: None });
                    }
                    continue;
                }
                Prim::MNot => match comparison(&operands[0]) {
                    Some(Inst::Compare { prim, operands, negated, and: None, .. }) => {
                        Inst::Compare { result, prim: *prim, operands: *operands, negated: !negated, and: None }
                    }
                    _ => continue,
                },
                Prim::MAnd => {
                    let open = |value: &Value| matches!(comparison(value), Some(Inst::Compare { and: None, .. }));
                    // The later one, so that neither is needed for longer.
                    let Some(at) = operands.iter().rposition(open) else { continue };
                    match comparison(&operands[at]) {
                        Some(Inst::Compare { prim, operands: compared, negated, .. }) => {
                            let and = Some(operands[1 - at]);
                            Inst::Compare { result, prim: *prim, operands: *compared, negated: *negated, and }
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
            comparisons.insert(result, made.clone());
            *inst = made;
        }
    }
}

/// Products that are read once, by a sum, and products of 64 bits of numbers of 32 bits become one instruction; the latter with each sum that reads them.
fn fuse(function: &mut Function) {
    let uses = count_uses(function);
    let mut narrow = narrow_constants(function);
    let values = &function.values;
    for block in &mut function.blocks {
        // Of this block: numbers of 32 bits that were widened, and where products are.
        let mut products: HashMap<Value, Inst> = HashMap::new();
        for inst in &mut block.insts {
            match inst {
                Inst::Prim { result, prim: Prim::U32To64, operands } => {
                    narrow.insert(*result, operands[0]);
                }
                Inst::Prim { result, prim: Prim::Mul, operands } if matches!(values[result.index()], Lane::I32 | Lane::I64) => {
                    let [a, b] = [operands[0], operands[1]];
                    let wide = [a, b].map(|value| narrow.get(&value).copied());
                    let product = match wide {
                        [Some(a), Some(b)] => Inst::MultiplyAdd { result: *result, factors: [a, b], summand: None, wide: true },
                        _ => Inst::MultiplyAdd { result: *result, factors: [a, b], summand: None, wide: false },
                    };
                    if matches!(product, Inst::MultiplyAdd { wide: true, .. }) {
                        *inst = product.clone();
                    }
                    products.insert(product.results()[0], product);
                }
                Inst::Prim { result, prim: Prim::Add, operands } => {
                    let once = |value: &Value| uses[value.index()] == 1 && products.contains_key(value);
                    let wide = |value: &Value| matches!(products.get(value), Some(Inst::MultiplyAdd { wide: true, .. }));
                    let Some(at) = operands.iter().position(once).or_else(|| operands.iter().position(wide)) else { continue };
                    if let Some(Inst::MultiplyAdd { factors, wide, .. }) = products.get(&operands[at]) {
                        let summand = Some(operands[1 - at]);
                        *inst = Inst::MultiplyAdd { result: *result, factors: *factors, summand, wide: *wide };
                    }
                }
                _ => {}
            }
        }
    }
}

/// For each constant of 64 bits that fits 32 the constant of 32 bits.
fn narrow_constants(function: &mut Function) -> HashMap<Value, Value> {
    let mut narrow = HashMap::new();
    let mut made = Vec::new();
    for inst in &function.blocks[0].insts {
        if let Inst::Const { result, bits } = inst
            && function.values[result.index()] == Lane::I64
            && *bits <= u64::from(u32::MAX)
        {
            let small = Value((function.values.len() + made.len()) as u32);
            made.push(Inst::Const { result: small, bits: *bits });
            narrow.insert(*result, small);
        }
    }
    function.values.extend(made.iter().map(|_| Lane::I32));
    function.blocks[0].insts.splice(0..0, made);
    narrow
}

/// Where a value was computed before, on every way, it is read instead of computed again. A comparison that only a conjunction reads is computed again in
/// each block: they become one instruction, and threads have few registers for masks.
fn number(function: &mut Function, flow: &Flow) {
    let mut same: Vec<Value> = (0..function.values.len() as u32).map(Value).collect();
    let conjoined = conjoined(function);
    // Where each was computed; a block sees those of its dominators.
    let mut known: HashMap<Key, Vec<(usize, Value)>> = HashMap::new();
    for &index in &flow.order {
        let block = &mut function.blocks[index];
        block.insts.retain_mut(|inst| {
            inst.replace_operands(|value| same[value.index()]);
            let Some((key, result)) = key(inst) else { return true };
            let found = known.entry(key).or_default();
            let sees = |at: usize| if conjoined[result.index()] { at == index } else { flow.dominates(at, index) };
            if let Some((_, first)) = found.iter().find(|(at, _)| sees(*at)) {
                same[result.index()] = *first;
                return false;
            }
            found.push((index, result));
            true
        });
    }
    for block in &mut function.blocks {
        block.insts.iter_mut().for_each(|inst| inst.replace_operands(|value| same[value.index()]));
        block.end.replace_operands(|value| same[value.index()]);
    }
}

/// Which values are comparisons whose only reader is a conjunction.
fn conjoined(function: &Function) -> Vec<bool> {
    let uses = count_uses(function);
    let mut compared = vec![false; function.values.len()];
    let mut conjoined = vec![false; function.values.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let Inst::Prim { result, prim, operands } = inst else { continue };
        compared[result.index()] = is_comparison(*prim) && uses[result.index()] == 1;
        if *prim == Prim::MAnd {
            operands.iter().filter(|value| compared[value.index()]).for_each(|value| conjoined[value.index()] = true);
        }
    }
    conjoined
}

const fn is_comparison(prim: Prim) -> bool {
    matches!(prim, Prim::Eq | Prim::LtU | Prim::LtS | Prim::FEq | Prim::FLt | Prim::FLe)
}

/// Moves pure instructions whose operands come from outside of a loop in front of it, if every round computes them.
fn hoist(function: &mut Function, flow: &Flow) {
    let uses = count_uses(function);
    for each in flow.loops() {
        let outside = |from: &usize| !each.blocks.contains(from);
        let mut entries = flow.predecessors[each.header].iter().copied().filter(outside);
        let (Some(before), None) = (entries.next(), entries.next()) else { continue };
        if !matches!(function.blocks[before].end, End::Jump(_)) {
            continue;
        }
        let mut changes = vec![false; function.values.len()];
        for block in &each.blocks {
            let block = &function.blocks[*block];
            block.params.iter().chain(block.insts.iter().flat_map(Inst::results)).for_each(|value| changes[value.index()] = true);
        }
        for &block in each.blocks.iter().filter(|block| each.latches.iter().all(|latch| flow.dominates(**block, *latch))) {
            let insts = std::mem::take(&mut function.blocks[block].insts);
            let moves = invariant(&insts, &mut changes, &uses);
            let (moved, kept): (Vec<_>, Vec<_>) = insts.into_iter().zip(moves).partition(|(_, moves)| *moves);
            function.blocks[block].insts = kept.into_iter().map(|(inst, _)| inst).collect();
            function.blocks[before].insts.extend(moved.into_iter().map(|(inst, _)| inst));
        }
    }
}

/// Which instructions of a block give the same in every round; their results no longer change. A comparison stays if all that reads it is a conjunction
/// that stays: they become one instruction, and threads have few registers for masks.
fn invariant(insts: &[Inst], changes: &mut [bool], uses: &[u32]) -> Vec<bool> {
    let mut moves = Vec::with_capacity(insts.len());
    let mut comparisons: HashMap<Value, usize> = HashMap::new();
    for (place, inst) in insts.iter().enumerate() {
        let is_same = inst.is_pure() && inst.operands().iter().all(|value| !changes[value.index()]);
        if is_same {
            inst.results().iter().for_each(|value| changes[value.index()] = false);
        }
        moves.push(is_same);
        let Inst::Prim { result, prim, operands } = inst else { continue };
        match prim {
            _ if is_comparison(*prim) && uses[result.index()] == 1 => {
                comparisons.insert(*result, place);
            }
            Prim::MAnd if !is_same => {
                // At most one of them becomes part of the conjunction.
                let Some(comparison) = operands.iter().find_map(|value| comparisons.get(value).filter(|place| moves[**place])) else {
                    continue;
                };
                moves[*comparison] = false;
            }
            _ => {}
        }
    }
    moves
}
