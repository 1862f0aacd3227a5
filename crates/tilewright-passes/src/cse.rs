//! Common subexpressions: value numbering over regions.
//!
//! Two operations are equal if they have the same opcode, attributes, result types and operands; the first two operands of a
//! commutative operation may be exchanged, and those of a comparison with its predicate. What a region computes is
//! known in it, and in the regions inside, and nowhere else. Reductions and scans are equal if their regions are written the same way. Of promises about overflow, those that both make are kept.

use crate::{effects::only_computes, facts::Analyses, registry::Options, statistics::Statistics};
use foldhash::fast::RandomState;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{Hash as _, Hasher},
};
use tilewright_ir::{
    AttrName, AttrValue, Block, ComparisonPredicate, IntegerOverflow, Op, OpRef, Opcode, Rewriter, Tables, Type, Value, ops::Traits,
};

pub(crate) fn run(rewriter: &mut Rewriter<'_>, _: &mut Analyses, _: Options<'_>, changes: &mut Statistics) {
    let mut known = Known::new(rewriter);
    let mut scopes = vec![Scope { owner: None, block: None, next: None, blocks: rewriter.body().entry_block().into_iter().collect() }];
    while let Some(scope) = scopes.last_mut() {
        if let Some(op) = scope.next {
            let here = rewriter.op(op);
            scope.next = here.next().map(OpRef::id);
            if here.def().regions > 0 {
                scopes.push(Scope::of(here));
            } else {
                known.replace_or_enter(rewriter, op, changes);
            }
        } else if known.enter_next_block(scope) {
            scope.next = scope.block.and_then(|block| rewriter.body().ops(block).next()).map(OpRef::id);
        } else if let Some(owner) = scopes.pop().and_then(|scope| scope.owner) {
            // Now that its regions are as they stay.
            known.replace_or_enter(rewriter, owner, changes);
        }
    }
}

/// Regions that are walked over.
struct Scope {
    /// The operation that they belong to.
    owner: Option<Op>,
    /// The block that is walked over, and the operation that comes next in it.
    block: Option<Block>,
    next: Option<Op>,
    /// The blocks that are still to be walked over, the next one last.
    blocks: Vec<Block>,
}

impl Scope {
    fn of(op: OpRef<'_>) -> Scope {
        let mut blocks: Vec<Block> = op.regions().flat_map(|region| op.body().blocks(region)).collect();
        blocks.reverse();
        Scope { owner: Some(op.id()), block: None, next: None, blocks }
    }
}

/// What was computed before, and can be seen.
struct Known {
    /// By hash: an operation. Another one with the same hash takes its place.
    ops: HashMap<u64, Op, RandomState>,
    /// By block: whether what is computed in it can be seen, as it is around what is walked over.
    is_around: Vec<bool>,
}

impl Known {
    fn new(rewriter: &Rewriter<'_>) -> Known {
        let ops = HashMap::with_capacity_and_hasher(rewriter.num_ops(), RandomState::default());
        Known { ops, is_around: vec![false; rewriter.body().num_blocks()] }
    }

    /// Goes on to the next block of a scope, if there is another one.
    fn enter_next_block(&mut self, scope: &mut Scope) -> bool {
        let before = std::mem::replace(&mut scope.block, scope.blocks.pop());
        before.into_iter().for_each(|block| self.is_around[block.index()] = false);
        scope.block.into_iter().for_each(|block| self.is_around[block.index()] = true);
        scope.block.is_some()
    }

    /// Lets what was computed before stand for an operation, or knows it from now on.
    fn replace_or_enter(&mut self, rewriter: &mut Rewriter<'_>, op: Op, changes: &mut Statistics) {
        if only_computes(rewriter.op(op))
            && let Some(first) = self.find_or_enter(rewriter, op)
        {
            keep_common_promises(rewriter, first, op);
            let values: Vec<Value> = rewriter.op(first).results().collect();
            rewriter.replace(op, &values).expect("equal operations give as much");
            changes.add("computed before", 1);
        }
    }

    /// The operation that computes the same; else this one is known from now on.
    fn find_or_enter(&mut self, rewriter: &Rewriter<'_>, op: Op) -> Option<Op> {
        match self.ops.entry(hash(rewriter, op)) {
            Entry::Occupied(mut known) => {
                let first = *known.get();
                let can_be_seen = rewriter.op(first).block().is_some_and(|block| self.is_around[block.index()]);
                if can_be_seen && is_equal(rewriter, first, op) {
                    return Some(first);
                }
                known.insert(op);
            }
            Entry::Vacant(place) => _ = place.insert(op),
        }
        None
    }
}

/// A number that equal operations have in common, and few others.
fn hash(rewriter: &Rewriter<'_>, op: Op) -> u64 {
    let mut hasher = Mixer::default();
    let (tables, body) = rewriter.parts();
    let op = body.op(op);
    op.opcode().hash(&mut hasher);
    let (operands, swapped) = ordered(op);
    operands.for_each(|operand| operand.hash(&mut hasher));
    types(op).for_each(|ty| ty.hash(&mut hasher));
    for (attr, def) in op.attrs().iter().zip(op.def().attrs) {
        match attr {
            AttrValue::Const(data) => tables.constants.bytes(*data).hash(&mut hasher),
            _ if def.name == AttrName::Overflow => {}
            AttrValue::Enum(wire) if def.name == AttrName::ComparisonPredicate => predicate(*wire, swapped).hash(&mut hasher),
            attr => attr.hash(&mut hasher),
        }
    }
    if op.def().regions > 0 {
        let inside = op.regions().flat_map(|region| body.blocks(region)).flat_map(|block| body.ops(block));
        inside.for_each(|op| op.opcode().hash(&mut hasher));
    }
    hasher.finish()
}

/// Mixes numbers quickly, one after the other. It need not be safe from numbers that somebody chose: of operations with one hash only the last is
/// known, and the table hashes the hash again.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // An odd number with its bits all over: the golden ratio.
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The operands in an order that does not depend on how a commutative operation was written, and whether they are exchanged.
fn ordered(op: OpRef<'_>) -> (impl Iterator<Item = Value> + Clone, bool) {
    let operands = op.operands();
    let commutes = op.def().traits.contains(Traits::COMMUTATIVE) || matches!(op.opcode(), Opcode::CmpI | Opcode::CmpF);
    let swapped = commutes && operands.len() >= 2 && operands[0] > operands[1];
    let index = move |i: usize| if swapped && i < 2 { 1 - i } else { i };
    ((0..operands.len()).map(move |i| operands[index(i)]), swapped)
}

/// The number of a predicate, or of the one for exchanged operands.
fn predicate(wire: u8, swapped: bool) -> u8 {
    match ComparisonPredicate::from_wire(wire).filter(|_| swapped) {
        Some(predicate) => crate::compare::swapped(predicate) as u8,
        None => wire,
    }
}

fn is_equal(rewriter: &Rewriter<'_>, a: Op, b: Op) -> bool {
    let (tables, body) = rewriter.parts();
    let (a, b) = (body.op(a), body.op(b));
    let ((a_operands, a_swapped), (b_operands, b_swapped)) = (ordered(a), ordered(b));
    let attrs = a.attrs().iter().zip(b.attrs()).zip(a.def().attrs);
    a.opcode() == b.opcode()
        && a_operands.eq(b_operands)
        && (a.present_operands(), a.split()) == (b.present_operands(), b.split())
        && types(a).eq(types(b))
        && attrs.into_iter().all(|((x, y), def)| match (x, y) {
            (AttrValue::Const(x), AttrValue::Const(y)) => tables.constants.bytes(*x) == tables.constants.bytes(*y),
            _ if def.name == AttrName::Overflow => true,
            (AttrValue::Enum(x), AttrValue::Enum(y)) if def.name == AttrName::ComparisonPredicate => {
                predicate(*x, a_swapped) == predicate(*y, b_swapped)
            }
            (x, y) => x == y,
        })
        && (a.def().regions == 0 || are_regions_equal(tables, a, b))
}

/// The types of the results of an operation.
fn types(op: OpRef<'_>) -> impl Iterator<Item = Type> {
    op.results().map(move |result| op.body().ty(result))
}

/// Whether the regions of two operations do the same with their arguments. What has regions itself is not looked into.
fn are_regions_equal(tables: &Tables, a: OpRef<'_>, b: OpRef<'_>) -> bool {
    let body = a.body();
    let blocks = |op: OpRef<'_>| op.regions().flat_map(|region| body.blocks(region)).collect::<Vec<_>>();
    let (of_a, of_b) = (blocks(a), blocks(b));
    // By value of the second: what it is in the first.
    let mut same: HashMap<Value, Value> = HashMap::new();
    of_a.len() == of_b.len()
        && of_a.into_iter().zip(of_b).all(|(x, y)| {
            same.extend(body.args(y).zip(body.args(x)));
            let (ops_x, ops_y): (Vec<_>, Vec<_>) = (body.ops(x).collect(), body.ops(y).collect());
            body.args(x).len() == body.args(y).len()
                && ops_x.len() == ops_y.len()
                && ops_x.into_iter().zip(ops_y).all(|(x, y)| {
                    let are_equal = is_same_operation(tables, x, y, &same);
                    same.extend(y.results().zip(x.results()));
                    are_equal
                })
        })
}

/// Whether two operations without regions are written the same way, where values of the second are what they are in the first.
fn is_same_operation(tables: &Tables, a: OpRef<'_>, b: OpRef<'_>, same: &HashMap<Value, Value>) -> bool {
    let operands = b.operands().iter().map(|value| same.get(value).unwrap_or(value));
    a.opcode() == b.opcode()
        && a.def().regions == 0
        && a.operands().iter().eq(operands)
        && (a.present_operands(), a.split()) == (b.present_operands(), b.split())
        && types(a).eq(types(b))
        && a.attrs().iter().zip(b.attrs()).all(|pair| match pair {
            (AttrValue::Const(x), AttrValue::Const(y)) => tables.constants.bytes(*x) == tables.constants.bytes(*y),
            (x, y) => x == y,
        })
}

/// The first operation promises of its overflow what both do.
fn keep_common_promises(rewriter: &mut Rewriter<'_>, first: Op, second: Op) {
    let (Some(a), Some(b)) = (rewriter.op(first).overflow(), rewriter.op(second).overflow()) else { return };
    if a != b {
        let both = AttrValue::Enum(common(a, b) as u8);
        rewriter.set_attr(first, AttrName::Overflow, both).expect("both have the attribute");
    }
}

fn common(a: IntegerOverflow, b: IntegerOverflow) -> IntegerOverflow {
    use IntegerOverflow::{None, Nw};
    match (a, b) {
        (Nw, other) | (other, Nw) => other,
        (a, b) if a == b => a,
        _ => None,
    }
}
