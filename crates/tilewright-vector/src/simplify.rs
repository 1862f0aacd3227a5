//! Makes code smaller that does the same: constants are computed, equal primitives are computed once, and what a primitive gives anyway is
//! not computed.
//!
//! ```text
//! fmul x, 1.0        ─► x                    constants, as lowering knows no values
//! select (mnot m)... ─► select m, exchanged
//! fdiv x, 8.0        ─► fmul x, 0.125        powers of two, whose inverses are exact
//! add a, b; add b, a ─► once                 in a body and in those inside of it
//! and x, -65536; shru _, 16 ─► shru x, 16    what is shifted out, or cut off by high16of32, need not be cleared
//! mul (u32to64 x)... ─► mullu (u32to64 x)... products of what has no upper halves
//! ```
//!
//! Results are the same bits, but for which NaN a NaN is.

mod halves;

use crate::{
    code::{Code, Fold, Item, Loop, Value, Variability, While},
    prim::{Lane, Prim},
};
use std::collections::HashMap;

/// A primitive with its operands; those behind its arity repeat the last one.
type Computed = (Prim, [Value; 3]);

pub(crate) fn simplify(code: &mut Code) {
    simplify_with(code, false);
}

/// The same; with `halves`, what is rounded to binary16 is computed so, too.
pub(crate) fn simplify_with(code: &mut Code, halves: bool) {
    let body = std::mem::take(&mut code.body);
    let instead = (0..code.values.len() as u32).map(Value).collect();
    let computed = vec![None; code.values.len()];
    let bits = vec![None; code.values.len()];
    let mut simplifier = Simplifier {
        values: &mut code.values,
        instead,
        computed,
        bits,
        constants: HashMap::new(),
        added: Vec::new(),
        made: Vec::new(),
        found: HashMap::new(),
        halves,
    };
    let body = simplifier.body(body);
    let added = std::mem::take(&mut simplifier.added);
    code.body = added.into_iter().chain(body).collect();
}

struct Simplifier<'a> {
    values: &'a mut Vec<(Lane, Variability)>,
    /// The value that is read in place of each.
    instead: Vec<Value>,
    /// How values are computed.
    computed: Vec<Option<Computed>>,
    /// The bits of constants.
    bits: Vec<Option<u64>>,
    constants: HashMap<(Lane, u64), Value>,
    /// Constants that the code did not have.
    added: Vec<Item>,
    /// What goes in front of the item that is looked at.
    made: Vec<(Value, Prim, [Value; 3])>,
    /// What has been computed, and can be read here.
    found: HashMap<Computed, Value>,
    /// Whether there is arithmetic of binary16.
    halves: bool,
}

/// What a primitive can be replaced by.
enum Simpler {
    Value(Value),
    Bits(u64),
    Prim(Prim, [Value; 3]),
    /// A primitive on a value and a constant of the same type, by its bits.
    WithBits(Prim, Value, u64),
}

impl Simplifier<'_> {
    fn body(&mut self, items: Vec<Item>) -> Vec<Item> {
        let mut here = Vec::new();
        let mut kept = Vec::with_capacity(items.len());
        for item in items {
            self.item(item, &mut here, &mut kept);
        }
        for computed in here {
            self.found.remove(&computed);
        }
        kept
    }

    fn item(&mut self, mut item: Item, here: &mut Vec<Computed>, kept: &mut Vec<Item>) {
        match &mut item {
            Item::Prim { result, prim, operands } => {
                let (result, prim, operands) = (*result, *prim, operands.map(|value| self.instead(value)));
                let simplest = self.simplest(result, prim, operands).map(|(prim, operands)| (result, prim, operands));
                for (result, prim, operands) in self.made.drain(..).chain(simplest) {
                    here.push((prim, operands));
                    kept.push(Item::Prim { result, prim, operands });
                }
                return;
            }
            Item::Const { result, bits } => {
                self.bits[result.index()] = Some(*bits);
                self.constants.entry((self.values[result.index()].0, *bits)).or_insert(*result);
            }
            Item::Scalar { .. } | Item::Index { .. } | Item::Prefetch { .. } => {}
            Item::Lookup { result, index, .. } => {
                *index = self.instead(*index);
                self.values[result.index()].1 = self.variability(&[*index]);
            }
            Item::Load { mask, .. } => self.replace(mask),
            Item::Store { value, mask, .. } => {
                *value = self.instead(*value);
                self.replace(mask);
            }
            Item::Gather { offsets, mask, .. } => {
                *offsets = self.instead(*offsets);
                self.replace(mask);
            }
            Item::Scatter { value, offsets, mask, .. } => {
                (*value, *offsets) = (self.instead(*value), self.instead(*offsets));
                self.replace(mask);
            }
            Item::Loop(Loop { carried, body, .. }) | Item::While(While { carried, body, .. }) => {
                carried.iter_mut().for_each(|c| c.init = self.instead(c.init));
                *body = self.body(std::mem::take(body));
                carried.iter_mut().for_each(|c| c.next = self.instead(c.next));
            }
            Item::Fold(Fold { body, combined, .. }) => {
                *body = self.body(std::mem::take(body));
                combined.iter_mut().for_each(|value| *value = self.instead(*value));
            }
        }
        kept.push(item);
    }

    fn instead(&self, value: Value) -> Value {
        self.instead[value.index()]
    }

    fn replace(&self, mask: &mut Option<Value>) {
        *mask = mask.map(|value| self.instead(value));
    }

    fn variability(&self, operands: &[Value]) -> Variability {
        let varying = operands.iter().any(|value| self.values[value.index()].1 == Variability::Varying);
        if varying { Variability::Varying } else { Variability::Uniform }
    }

    fn lane(&self, value: Value) -> Lane {
        self.values[value.index()].0
    }

    fn bits(&self, value: Value) -> Option<u64> {
        self.bits[value.index()]
    }

    fn constant(&mut self, lane: Lane, bits: u64) -> Value {
        if let Some(value) = self.constants.get(&(lane, bits)) {
            return *value;
        }
        let value = self.value(lane);
        self.bits[value.index()] = Some(bits);
        self.constants.insert((lane, bits), value);
        self.added.push(Item::Const { result: value, bits });
        value
    }

    /// A value that the code did not have.
    fn value(&mut self, lane: Lane) -> Value {
        let value = Value(self.values.len() as u32);
        self.values.push((lane, Variability::Uniform));
        self.instead.push(value);
        self.computed.push(None);
        self.bits.push(None);
        value
    }

    /// The simplest primitive that gives `result`; none if another value gives it.
    fn simplest(&mut self, result: Value, mut prim: Prim, mut operands: [Value; 3]) -> Option<Computed> {
        loop {
            if is_commutative(prim) && rank(self.bits(operands[0]), operands[0]) > rank(self.bits(operands[1]), operands[1]) {
                operands = [operands[1], operands[0], operands[0]];
            }
            let by_halves = if self.halves { self.of_halves(prim, operands) } else { None };
            let other = match by_halves.or_else(|| self.simpler(prim, operands)) {
                Some(Simpler::Prim(simpler, of)) => {
                    let last = simpler.arity() - 1;
                    (prim, operands) = (simpler, std::array::from_fn(|n| of[n.min(last)]));
                    continue;
                }
                Some(Simpler::WithBits(simpler, of, bits)) => {
                    let constant = self.constant(self.lane(of), bits);
                    (prim, operands) = (simpler, [of, constant, constant]);
                    continue;
                }
                Some(Simpler::Value(value)) => value,
                Some(Simpler::Bits(bits)) => self.constant(self.lane(result), bits),
                None => match self.found.get(&(prim, operands)) {
                    Some(value) => *value,
                    None => break,
                },
            };
            self.instead[result.index()] = other;
            return None;
        }
        self.values[result.index()].1 = self.variability(&operands[..prim.arity()]);
        self.computed[result.index()] = Some((prim, operands));
        self.found.insert((prim, operands), result);
        Some((prim, operands))
    }

    fn simpler(&self, prim: Prim, operands: [Value; 3]) -> Option<Simpler> {
        let [a, b, c] = operands;
        let lane = self.lane(operands[prim.arity() - 1]);
        let bits = operands.map(|value| self.bits(value));
        if let [Some(x), Some(y), Some(z)] = bits {
            return Some(Simpler::Bits(prim.of_one(lane, [x, y, z])));
        }
        if prim == Prim::Select {
            return match (bits[0], self.computed[a.index()]) {
                (Some(mask), _) => Some(Simpler::Value(if mask != 0 { b } else { c })),
                _ if b == c => Some(Simpler::Value(b)),
                (None, Some((Prim::MNot, [mask, ..]))) => Some(Simpler::Prim(Prim::Select, [mask, c, b])),
                _ => None,
            };
        }
        match prim.arity() {
            1 => self.inverse(prim, a).or_else(|| self.cut_off(prim, a)),
            2 if prim == Prim::Mul && lane == Lane::I64 && self.is_half(a) && self.is_half(b) => {
                Some(Simpler::Prim(Prim::MulLowU, [a, b, b]))
            }
            2 if a == b => of_equal(prim, lane, a),
            2 => bits[1].and_then(|bits| with_constant(prim, lane, a, bits).or_else(|| self.shifted_out(prim, lane, a, (b, bits)))),
            _ => None,
        }
    }

    /// Nothing need be done to bits that are shifted out next.
    fn shifted_out(&self, prim: Prim, lane: Lane, a: Value, (b, distance): (Value, u64)) -> Option<Simpler> {
        let (Prim::ShrU, Some((Prim::And, [of, mask, _]))) = (prim, self.computed[a.index()]) else { return None };
        let places = u32::try_from(distance).ok().filter(|places| *places < u64::BITS)?;
        let kept = lane.bits() >> places << places;
        (self.bits(mask)? & kept == kept).then_some(Simpler::Prim(Prim::ShrU, [of, b, b]))
    }

    /// Nor to bits that are no part of the upper half, where only that is taken.
    fn cut_off(&self, prim: Prim, a: Value) -> Option<Simpler> {
        const UPPER: u64 = 0xffff_0000;
        let (Prim::High16Of32, Some((Prim::And, [of, mask, _]))) = (prim, self.computed[a.index()]) else { return None };
        (self.bits(mask)? & UPPER == UPPER).then_some(Simpler::Prim(prim, [of; 3]))
    }

    /// Whether the upper half of an integer of 64 bits is known to be zero.
    fn is_half(&self, value: Value) -> bool {
        const HALF: u64 = u32::MAX as u64;
        if let Some(bits) = self.bits(value) {
            return bits <= HALF;
        }
        let Some((prim, [_, b, _])) = self.computed[value.index()] else { return false };
        let second = self.bits(b);
        match prim {
            Prim::U32To64 => true,
            Prim::And => second.is_some_and(|mask| mask <= HALF),
            Prim::ShrU => second.is_some_and(|places| places >= 32),
            _ => false,
        }
    }

    /// What undoes what was just done.
    fn inverse(&self, prim: Prim, value: Value) -> Option<Simpler> {
        let (done, [of, ..]) = self.computed[value.index()]?;
        let undone = match prim {
            Prim::MNot => done == Prim::MNot,
            Prim::Bits32 => done == Prim::Float32,
            Prim::Bits64 => done == Prim::Float64,
            Prim::Float32 => done == Prim::Bits32,
            Prim::Float64 => done == Prim::Bits64,
            Prim::RoundF16 => done == Prim::WidenF16,
            Prim::Narrow => done == Prim::Widen,
            Prim::Low8Of16 => matches!(done, Prim::S8To16 | Prim::U8To16),
            Prim::Low8Of32 => matches!(done, Prim::S8To32 | Prim::U8To32),
            Prim::Low16Of32 => matches!(done, Prim::S16To32 | Prim::U16To32),
            Prim::High16Of32 => done == Prim::High16To32,
            Prim::Low32Of64 => matches!(done, Prim::S32To64 | Prim::U32To64),
            _ => false,
        };
        undone.then_some(Simpler::Value(of))
    }
}

/// The order of operands that may be exchanged: constants behind others.
fn rank(bits: Option<u64>, value: Value) -> (bool, Value) {
    (bits.is_some(), value)
}

/// Whether the operands may be exchanged.
fn is_commutative(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        Add | Mul
            | MulHighS
            | MulHighU
            | MulLowU
            | And
            | Or
            | Xor
            | MinS
            | MaxS
            | MinU
            | MaxU
            | Eq
            | FAdd
            | FMul
            | MinNum
            | MaxNum
            | FEq
            | HalfAdd
            | HalfMul
            | HalfEq
            | MAnd
            | MOr
            | MXor
    )
}

/// The primitive on two equal operands.
fn of_equal(prim: Prim, lane: Lane, a: Value) -> Option<Simpler> {
    use Prim::*;
    match prim {
        And | Or | MinS | MaxS | MinU | MaxU | FMin | FMax | HalfMin | HalfMax | MAnd | MOr => Some(Simpler::Value(a)),
        Sub | Xor | MXor => Some(Simpler::Bits(0)),
        LtS | LtU | FLt | HalfLt => Some(Simpler::Bits(0)),
        Eq => Some(Simpler::Bits(1)),
        FLe if lane.is_float() => Some(Simpler::Prim(FEq, [a; 3])),
        _ => None,
    }
}

/// The inverse of a power of two, if both are normal numbers: the product with it is the quotient, which is rounded once in either case.
fn inverse_power_of_two(lane: Lane, bits: u64) -> Option<u64> {
    let (places, largest) = if lane == Lane::F32 { (23, 0xff) } else { (52, 0x7ff) };
    let exponent = bits >> places & largest;
    let is_power = bits & ((1 << places) - 1) == 0 && (1..largest - 1).contains(&exponent);
    let sign = bits >> places & !largest;
    is_power.then(|| (sign | (largest - 1 - exponent)) << places)
}

/// Whether the larger or smaller of a number and this constant is the constant wherever they are equal but for their signs, `zero` being the larger or
/// smaller of zeros; and the constant is a number.
fn is_settled(lane: Lane, bits: u64, zero: u64) -> bool {
    let number = if lane == Lane::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
    !number.is_nan() && (number != 0.0 || bits == zero)
}

/// The primitive on a value and a constant.
fn with_constant(prim: Prim, lane: Lane, a: Value, bits: u64) -> Option<Simpler> {
    use Prim::*;
    let same = |holds: bool| holds.then_some(Simpler::Value(a));
    let constant = |holds: bool| holds.then_some(Simpler::Bits(bits));
    let (one, minus_zero) = match lane {
        Lane::F32 => (u64::from(1f32.to_bits()), 1 << 31),
        _ => (1f64.to_bits(), 1 << 63),
    };
    match prim {
        Add | Sub | Shl | ShrU | ShrS | MXor => same(bits == 0).or_else(|| (prim == MXor).then_some(Simpler::Prim(MNot, [a; 3]))),
        Or | MOr | MaxU => same(bits == 0).or_else(|| constant(bits == lane.bits())),
        Xor => same(bits == 0),
        And | MAnd | MinU => same(bits == lane.bits()).or_else(|| constant(bits == 0)),
        Mul => same(bits == 1).or_else(|| constant(bits == 0)),
        DivS | DivU => same(bits == 1),
        LtU => (bits == 0).then_some(Simpler::Bits(0)),
        FMul => same(bits == one),
        FDiv => same(bits == one).or_else(|| inverse_power_of_two(lane, bits).map(|inverse| Simpler::WithBits(FMul, a, inverse))),
        HalfMul => same(bits == 0x3c00),
        HalfAdd => same(bits == 0x8000),
        HalfSub => same(bits == 0),
        // Of NaN the number; of zeros the one that the primitive gives wherever it stands.
        MaxNum => is_settled(lane, bits, 0).then_some(Simpler::WithBits(FMax, a, bits)),
        MinNum => is_settled(lane, bits, minus_zero).then_some(Simpler::WithBits(FMin, a, bits)),
        // The sum of zeros of both signs is +0.
        FAdd => same(bits == minus_zero),
        FSub => same(bits == 0),
        _ => None,
    }
}
