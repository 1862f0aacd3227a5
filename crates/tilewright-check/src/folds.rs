//! Operations in the regions of `reduce` and `scan`, which the engine carries out on whole slices at once: they are evaluated here for one
//! pair of elements after the other, where a rule says something about them.
//!
//! Pairs are combined as the engine does it, in a tree of halves for `reduce`, one after the other for `scan`. Other orders, which compilers may
//! choose, combine other pairs: a few elements of each fold are combined in two orders, and with the identity, to see whether that makes a
//! difference.

use crate::{
    conditions::{Condition, conditions},
    lanes::{coordinates, row_major},
    rules::{self, Rule},
    state::{At, Spot, State, Violation},
    undefined::Shadow,
};
use tilewright_exec::Step;
use tilewright_ir::{AttrData, AttrName, Block, Module, Op, OpRef, Opcode, TypeTable, Value};
use tilewright_passes::{
    constant::Constant,
    elem::Elem,
    elementwise::{ElemOp, elem_op, evaluate},
};

/// How often each fold of a module is looked at for orders that make a difference, and at how many elements each time.
const SAMPLES: u32 = 8;
const SAMPLED_ELEMENTS: usize = 16;

/// The most that orders of roundings may change, as a part of the greatest number that has to do with them: so many units of the format's
/// last place, and not less than what approximate functions do.
const ROUNDINGS: f64 = 64.0;
const APPROXIMATE: f64 = 1e-4;

/// An operation of a region.
enum Item {
    Compute(Compute),
    /// The same bits under another name.
    Copy {
        from: Value,
        to: Value,
    },
    If {
        condition: Value,
        branches: [Vec<Item>; 2],
        results: Vec<Value>,
    },
    Yield(Vec<Value>),
}

struct Compute {
    op: Op,
    elementwise: ElemOp,
    operands: Vec<Value>,
    from: [Elem; 3],
    to: Elem,
    result: Value,
    conditions: Vec<Condition>,
}

/// The region of a fold, and the bits of the values that it has from outside.
struct Region<'m> {
    module: &'m Module,
    args: Vec<Value>,
    items: Vec<Item>,
    /// By value of the function.
    values: Vec<u64>,
    broken: Vec<Broken>,
}

/// Elements of an operation that break a rule.
struct Broken {
    op: Op,
    rule: &'static Rule,
    elements: u64,
    /// What is wrong with the first one, and the position of its second operand in the fold's tile.
    message: String,
    position: usize,
}

/// What a fold has combined: an element of each operand, and whether one of them is undefined.
#[derive(Clone)]
struct Combined {
    bits: Vec<u64>,
    undefined: bool,
}

/// Whether a rule says something about an operation of a fold's region.
fn has_conditions(op: OpRef<'_>, types: &TypeTable) -> bool {
    let body = op.body();
    op.regions().flat_map(|region| body.blocks(region)).flat_map(|block| body.ops(block)).any(|op| {
        let nested = op.opcode() == Opcode::If && has_conditions(op, types);
        nested || !conditions(op, types).is_empty()
    })
}

impl<'m> Region<'m> {
    /// The region of a fold; none if it does what is not elementwise with its arguments. The engine runs such a region as a loop, operation by
    /// operation.
    fn new(module: &'m Module, op: OpRef<'m>, step: &Step<'_>) -> Option<Region<'m>> {
        let body = op.body();
        let block = op.region_block(0)?;
        let args: Vec<Value> = body.args(block).collect();
        if args.iter().any(|arg| step.captured(*arg).is_some()) {
            return None;
        }
        let mut region = Region { module, args, items: Vec::new(), values: vec![0; body.num_values()], broken: Vec::new() };
        region.items = region.block(op, block, step)?;
        Some(region)
    }

    fn block(&mut self, fold: OpRef<'m>, block: Block, step: &Step<'_>) -> Option<Vec<Item>> {
        let body = fold.body();
        let mut items = Vec::new();
        for op in body.ops(block) {
            for operand in op.operands() {
                if let Some(tile) = step.captured(*operand) {
                    self.values[operand.index()] = tile.first();
                }
            }
            if let Some(item) = self.item(fold, op, step)? {
                items.push(item);
            }
        }
        Some(items)
    }

    /// An operation; `None` inside for one that does not depend on the arguments, whose results are there already.
    fn item(&mut self, fold: OpRef<'m>, op: OpRef<'m>, step: &Step<'_>) -> Option<Option<Item>> {
        let types = &self.module.tables.types;
        let elem = |value: Value| types.as_tile(op.body().ty(value)).and_then(|(element, _)| Elem::of(types, element));
        let is_one = |value: Value| types.as_tile(op.body().ty(value)).is_some_and(|(_, shape)| shape.iter().all(|extent| *extent == 1));
        if op.results().next().is_some() && op.results().all(|result| step.captured(result).is_some()) {
            return Some(None);
        }
        Some(Some(match op.opcode() {
            Opcode::Yield => Item::Yield(op.operands().to_vec()),
            Opcode::Constant => {
                let result = op.result(0)?;
                let constant = Constant::of(&self.module.tables, op.body(), result, 1)?;
                self.values[result.index()] = constant.elements.get(0);
                return Some(None);
            }
            Opcode::Reshape | Opcode::Broadcast | Opcode::Permute | Opcode::Assume if op.result(0).is_some_and(is_one) => {
                Item::Copy { from: op.operand(0)?, to: op.result(0)? }
            }
            Opcode::If => {
                let mut branch = |index: usize| match op.region_block(index) {
                    Some(block) => self.block(fold, block, step),
                    None => Some(Vec::new()),
                };
                let branches = [branch(0)?, branch(1)?];
                Item::If { condition: op.operand(0)?, branches, results: op.results().collect() }
            }
            _ => {
                let (elementwise, result) = (elem_op(op, types)?, op.result(0).filter(|result| is_one(*result))?);
                let to = elem(result)?;
                let mut from = [to; 3];
                for (slot, operand) in from.iter_mut().zip(op.operands()) {
                    *slot = elem(*operand)?;
                }
                let conditions = conditions(op, types);
                Item::Compute(Compute { op: op.id(), elementwise, operands: op.operands().to_vec(), from, to, result, conditions })
            }
        }))
    }

    /// Combines two elements, of which the second one's position, or that of an element in it, is told in reports.
    fn combine(&mut self, first: &Combined, second: &Combined, position: usize) -> Combined {
        let pairs = first.bits.iter().zip(&second.bits).flat_map(|(first, second)| [*first, *second]);
        for (arg, bits) in self.args.iter().zip(pairs) {
            self.values[arg.index()] = bits;
        }
        let undefined = first.undefined || second.undefined;
        let items = std::mem::take(&mut self.items);
        let bits = self.run(&items, undefined, position).unwrap_or_default();
        self.items = items;
        Combined { bits, undefined }
    }

    /// Carries out operations; gives what they yield.
    fn run(&mut self, items: &[Item], undefined: bool, position: usize) -> Option<Vec<u64>> {
        for item in items {
            match item {
                Item::Copy { from, to } => self.values[to.index()] = self.values[from.index()],
                Item::Yield(values) => return Some(values.iter().map(|value| self.values[value.index()]).collect()),
                Item::If { condition, branches, results } => {
                    let branch = &branches[usize::from(self.values[condition.index()] & 1 == 0)];
                    let bits = self.run(branch, undefined, position).unwrap_or_default();
                    results.iter().zip(bits).for_each(|(result, bits)| self.values[result.index()] = bits);
                }
                Item::Compute(compute) => self.compute(compute, undefined, position),
            }
        }
        None
    }

    fn compute(&mut self, compute: &Compute, undefined: bool, position: usize) {
        let mut operands = [0; 3];
        for (slot, value) in operands.iter_mut().zip(&compute.operands) {
            *slot = self.values[value.index()];
        }
        for Condition { rule, wrong, .. } in compute.conditions.iter().filter(|_| !undefined) {
            let Some(message) = wrong(&operands[..compute.operands.len()]) else { continue };
            match self.broken.iter_mut().find(|broken| broken.op == compute.op && broken.rule == *rule) {
                Some(broken) => broken.elements += 1,
                None => self.broken.push(Broken { op: compute.op, rule, elements: 1, message, position }),
            }
        }
        self.values[compute.result.index()] = evaluate(compute.elementwise, &compute.from, compute.to, operands);
    }

    /// Combines elements in a tree of halves; each comes with its position in the fold's tile.
    fn reduce(&mut self, mut elements: Vec<(usize, Combined)>) {
        while elements.len() > 1 {
            let half = elements.split_off(elements.len().div_ceil(2));
            for ((_, first), (position, second)) in elements.iter_mut().zip(half) {
                *first = self.combine(first, &second, position);
            }
        }
    }

    fn scan(&mut self, elements: Vec<(usize, Combined)>) {
        let mut elements = elements.into_iter();
        let Some((_, mut before)) = elements.next() else { return };
        for (position, element) in elements {
            before = self.combine(&before, &element, position);
        }
    }
}

/// Whether results are the same, but for roundings of numbers up to a magnitude.
fn is_close(found: u64, expected: u64, elem: Elem, magnitude: f64) -> bool {
    let Some(format) = elem.float() else { return found == expected };
    let (found, expected) = (format.decode(found), format.decode(expected));
    if found == expected || found.is_nan() || expected.is_nan() {
        return true;
    }
    let unit = (ROUNDINGS * (-f64::from(format.mantissa_bits())).exp2()).clamp(APPROXIMATE, 0.5);
    (found - expected).abs() <= unit * magnitude
}

/// The greatest magnitude of some elements; infinite ones are close to all numbers.
fn magnitude<'c>(elements: impl IntoIterator<Item = &'c Combined>, elems: &[Elem]) -> f64 {
    let of = |combined: &'c Combined| combined.bits.iter().zip(elems);
    let numbers = elements.into_iter().flat_map(of).filter_map(|(bits, elem)| Some(elem.float()?.decode(*bits).abs()));
    numbers.fold(0.0, f64::max)
}

/// An element, as reports show it.
fn shown(bits: u64, elem: Elem) -> String {
    match elem.float() {
        Some(format) => format.decode(bits).to_string(),
        None => crate::conditions::signed(bits, elem.bits()).to_string(),
    }
}

impl Region<'_> {
    /// Looks for elements that the identity changes. A fold of several operands chooses among its elements, by an order that may have the
    /// identity's place beside another one.
    fn identity_matters(&mut self, elements: &[(usize, Combined)], identities: &[u64], elems: &[Elem]) -> Option<(usize, String)> {
        let ([identity], [elem]) = (identities, elems) else { return None };
        let neutral = Combined { bits: vec![*identity], undefined: true };
        elements.iter().filter(|(_, element)| !element.undefined).find_map(|(position, element)| {
            let combined = self.combine(&neutral, element, *position);
            let (found, expected) = (combined.bits[0], element.bits[0]);
            let message =
                || format!("the identity {} makes {} of {}", shown(*identity, *elem), shown(found, *elem), shown(expected, *elem));
            (!is_close(found, expected, *elem, magnitude([element], elems))).then(|| (*position, message()))
        })
    }

    /// Looks for elements that give another result in another order.
    fn order_matters(&mut self, elements: &[(usize, Combined)], elems: &[Elem]) -> Option<(usize, String)> {
        elements.windows(3).find_map(|window| {
            let [(_, a), (_, b), (position, c)] = window else { return None };
            if a.undefined || b.undefined || c.undefined {
                return None;
            }
            // As if they were undefined, so that nothing is reported of operations that do not happen.
            let hidden = |combined: &Combined| Combined { undefined: true, ..combined.clone() };
            let (ha, hb, hc) = (hidden(a), hidden(b), hidden(c));
            let (ab, bc) = (self.combine(&ha, &hb, *position), self.combine(&hb, &hc, *position));
            let (left, right) = (self.combine(&ab, &hc, *position), self.combine(&ha, &bc, *position));
            let most = magnitude([a, b, c, &ab, &bc, &left, &right], elems);
            let differing = (0..elems.len()).find(|i| !is_close(left.bits[*i], right.bits[*i], elems[*i], most))?;
            let text = |combined: &Combined| shown(combined.bits[differing], elems[differing]);
            let message =
                format!("{}, {} and {} give {} or {}, depending on the order", text(a), text(b), text(c), text(&left), text(&right));
            Some((*position, message))
        })
    }
}

impl State<'_> {
    /// The identities of a fold, as bits of its operands' elements.
    fn identities(&self, at: At) -> Vec<u64> {
        let attrs = &self.module.tables.attrs;
        let Some(AttrData::Array(list)) = self.op(at).compound(AttrName::Identities).map(|attr| attrs.get(attr)) else { return Vec::new() };
        let bits = list.iter().map(|attr| match attrs.get(*attr) {
            AttrData::Integer { bits, .. } | AttrData::Float { bits, .. } => Some(*bits),
            _ => None,
        });
        bits.collect::<Option<_>>().unwrap_or_default()
    }

    /// Combines a few elements of a fold in two orders, and with the identity.
    fn sample_fold(&mut self, at: At, region: &mut Region<'_>, elements: &[(usize, Combined)], shape: &[usize]) {
        let op = self.op(at);
        let types = &self.module.tables.types;
        let elem = |value: &Value| types.as_tile(op.body().ty(*value)).and_then(|(element, _)| Elem::of(types, element));
        let Some(elems) = op.operands().iter().map(elem).collect::<Option<Vec<Elem>>>() else { return };
        // Numbers of tf32 have other bits in a module.
        let identities = if elems.contains(&Elem::Num(tilewright_ir::Scalar::Tf32)) { Vec::new() } else { self.identities(at) };
        let found = [
            (&rules::FOLD_IDENTITY, region.identity_matters(elements, &identities, &elems)),
            (&rules::FOLD_ORDER, region.order_matters(elements, &elems)),
        ];
        for (rule, found) in found {
            let Some((position, message)) = found else { continue };
            let spot = Spot::element(Some(coordinates(position, shape)));
            self.violation(at, Violation { spot, ..Violation::new(rule, message) });
        }
    }

    /// Checks the operations in the region of a fold.
    pub(crate) fn check_fold(&mut self, at: At, step: &Step<'_>, shadows: &[Shadow]) {
        let op = self.op(at);
        let looks = self.sampled.entry((at.function, at.op)).or_default();
        *looks += 1;
        let (is_sampled, is_checked) = (*looks <= SAMPLES, has_conditions(op, &self.module.tables.types));
        if !is_sampled && !is_checked {
            return;
        }
        let Some(mut region) = Region::new(self.module, op, step) else { return };
        let tiles: Option<Vec<_>> = (0..op.operands().len()).map(|i| step.operand(i)).collect();
        let Some(tiles) = tiles else { return };
        let shape = tiles[0].shape();
        let bits: Vec<Vec<u64>> = tiles.iter().map(|tile| tile.bits()).collect();
        let Some(dim) = op.int(AttrName::Dim).and_then(|dim| usize::try_from(dim).ok()).filter(|dim| *dim < shape.len()) else { return };
        let (extent, pitch) = (shape[dim], row_major(shape)[dim]);
        let element = |position: usize| {
            let undefined = shadows.iter().flatten().any(|shadow| shadow.lanes.contains(position));
            (position, Combined { bits: bits.iter().map(|bits| bits[position]).collect(), undefined })
        };
        if is_sampled {
            let elements: Vec<_> = (0..extent.min(SAMPLED_ELEMENTS)).map(|i| element(i * pitch)).collect();
            self.sample_fold(at, &mut region, &elements, shape);
        }
        if !is_checked {
            return;
        }
        // The first element of each row along the dimension.
        for first in (0..bits[0].len()).filter(|position| position / pitch % extent == 0) {
            let elements = (0..extent).map(|i| element(first + i * pitch));
            match op.opcode() {
                Opcode::Reduce => region.reduce(elements.collect()),
                _ if op.flag(AttrName::Reverse) => region.scan(elements.rev().collect()),
                _ => region.scan(elements.collect()),
            }
        }
        for Broken { op, rule, elements, message, position } in region.broken {
            let spot = Spot::element(Some(coordinates(position, shape)));
            self.violation(At { op, ..at }, Violation { elements, spot, ..Violation::new(rule, message) });
        }
    }
}
