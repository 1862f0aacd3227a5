//! Expresses primitives that an instruction set lacks by others.

mod division;

use super::{Level, Support};
use crate::{
    code::{Carried, Code, Count, Fold, Item, Kind, Loop, Value, Variability, While},
    expand::Expand,
    hoist,
    prim::{Lane, Prim},
    simplify, unused,
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// The code with only primitives that `level` has instructions for.
pub(super) fn legalize(code: &Code, level: Level) -> Cow<'_, Code> {
    let code = by_halves(code, level);
    if all_legal(&code, &code.body, level) && !(level.has_slow_division() && code.any_prim(|prim| prim == Prim::FDiv)) {
        return code;
    }
    Cow::Owned(expressed(&code, level))
}

/// The code with arithmetic of binary16, if `level` has it.
fn by_halves(code: &Code, level: Level) -> Cow<'_, Code> {
    if !level.has_halves() || !code.any_prim(|prim| matches!(prim, Prim::RoundF16 | Prim::WidenF16)) {
        return Cow::Borrowed(code);
    }
    let mut code = code.clone();
    simplify::simplify_with(&mut code, true);
    unused::remove(&mut code);
    hoist::hoist(&mut code);
    Cow::Owned(code)
}

/// The code with others in place of what `level` lacks.
fn expressed(code: &Code, level: Level) -> Code {
    let Code { lanes, params, values, axes, body: _, streamed, fetched } = code;
    let out = Code {
        lanes: *lanes,
        params: params.clone(),
        values: values.clone(),
        axes: *axes,
        body: Vec::new(),
        streamed: streamed.clone(),
        fetched: *fetched,
    };
    let mut legalizer = Legalizer {
        code: out,
        level,
        constants: Vec::new(),
        items: Vec::new(),
        known: HashMap::new(),
        quiet: HashSet::new(),
        widths: HashMap::new(),
        in_while: false,
        around: None,
        inside: HashSet::new(),
        has_longs: code.values.iter().any(|(lane, _)| lane.size() == 8),
        rounds_down: level.can_round_down() && !code.any_prim(Prim::rounds),
    };
    let body = legalizer.body(&code.body);
    let mut out = legalizer.code;
    out.body = legalizer.constants.iter().map(|(_, bits, result)| Item::Const { result: *result, bits: *bits }).chain(body).collect();
    // What two primitives are expressed by may have parts in common, or undo each other.
    simplify::simplify(&mut out);
    unused::remove(&mut out);
    hoist::hoist(&mut out);
    out
}

fn all_legal(code: &Code, items: &[Item], level: Level) -> bool {
    items.iter().all(|item| match item {
        Item::Prim { prim, operands, .. } => level.support(*prim, code.lane(operands[prim.arity() - 1])) == Support::Full,
        Item::Loop(Loop { body, .. }) | Item::While(While { body, .. }) | Item::Fold(Fold { body, .. }) => all_legal(code, body, level),
        _ => true,
    })
}

/// Whether what a primitive gives is no NaN that signals.
fn is_quiet(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        FAdd | FSub | FMul | FDiv | Fma | FmaOdd | FmaBf16 | Sqrt | MinNum | MaxNum | WidenF16 | Widen | Narrow | S32ToF32 | S32ToF64
    )
}

struct Legalizer {
    code: Code,
    level: Level,
    constants: Vec<(Lane, u64, Value)>,
    items: Vec<Item>,
    /// The values that are constants, with their bits.
    known: HashMap<Value, u64>,
    /// The values that are results of arithmetic, of which no NaN signals.
    quiet: HashSet<Value>,
    /// How many of the lower bits may be set, of integers of which that is known.
    widths: HashMap<Value, u64>,
    /// Whether what is being legalized stands in the loop of a lane.
    in_while: bool,
    /// The innermost loop around it: what walks it, and how often it goes round.
    around: Option<(Kind, Count)>,
    /// What is computed in that loop.
    inside: HashSet<Value>,
    /// Whether vectors have no more lanes than of 64 bits in any case.
    has_longs: bool,
    /// Whether the CPU may round down all the while, since nothing of the code rounds to nearest.
    rounds_down: bool,
}

impl Expand for Legalizer {
    fn p(&mut self, prim: Prim, operands: &[Value]) -> Value {
        self.add(prim, operands)
    }

    fn number(&mut self, lane: Lane, bits: u64) -> Value {
        self.constant(lane, bits & lane.bits())
    }

    fn lane(&self, value: Value) -> Lane {
        self.code.lane(value)
    }
}

impl Legalizer {
    fn body(&mut self, items: &[Item]) -> Vec<Item> {
        let outside = std::mem::take(&mut self.items);
        for item in items {
            self.inside.extend(item.result());
            match item {
                Item::Prim { result, prim, operands } => self.prim(*result, *prim, *operands),
                Item::Loop(inner) => {
                    let inside = inner.carried.iter().map(|carried| carried.arg).collect();
                    let outside = (self.around.replace((inner.kind, inner.count)), std::mem::replace(&mut self.inside, inside));
                    let body = self.body(&inner.body);
                    (self.around, self.inside) = outside;
                    self.items.push(Item::Loop(Loop { body, ..inner.clone() }));
                }
                Item::While(inner) => {
                    let outside = std::mem::replace(&mut self.in_while, true);
                    let body = self.body(&inner.body);
                    self.in_while = outside;
                    self.items.push(Item::While(While { body, ..inner.clone() }));
                }
                Item::Fold(fold) => {
                    let body = self.body(&fold.body);
                    self.items.push(Item::Fold(Fold { body, ..fold.clone() }));
                }
                Item::Const { result, bits } => {
                    self.known.insert(*result, *bits);
                    self.items.push(item.clone());
                }
                other => self.items.push(other.clone()),
            }
        }
        std::mem::replace(&mut self.items, outside)
    }

    fn constant(&mut self, lane: Lane, bits: u64) -> Value {
        if let Some((.., value)) = self.constants.iter().find(|c| (c.0, c.1) == (lane, bits)) {
            return *value;
        }
        let value = self.value(lane, Variability::Uniform);
        self.constants.push((lane, bits, value));
        self.known.insert(value, bits);
        value
    }

    fn value(&mut self, lane: Lane, variability: Variability) -> Value {
        self.code.values.push((lane, variability));
        Value(self.code.values.len() as u32 - 1)
    }

    fn support(&self, prim: Prim, lane: Lane) -> Support {
        if prim == Prim::FmaOdd && self.rounds_down { Support::Full } else { self.level.support(prim, lane) }
    }

    /// Adds a primitive, itself expressed by others where that is necessary.
    fn add(&mut self, prim: Prim, operands: &[Value]) -> Value {
        let result = self.result_of(prim, operands);
        self.add_to(result, prim, operands);
        result
    }

    /// A value for what a primitive gives.
    fn result_of(&mut self, prim: Prim, operands: &[Value]) -> Value {
        let last = operands[operands.len() - 1];
        let varying = operands.iter().any(|v| self.code.variability(*v) == Variability::Varying);
        let variability = if varying { Variability::Varying } else { Variability::Uniform };
        self.value(prim.result(self.code.lane(last)), variability)
    }

    /// A value of which no NaN signals: the instruction for the larger of two numbers gives a signaling one in place of a number.
    fn without_signal(&mut self, value: Value) -> Value {
        if self.quiet.contains(&value) {
            return value;
        }
        let result = self.result_of(Prim::MaxNum, &[value; 2]);
        self.items.push(Item::Prim { result, prim: Prim::MaxNum, operands: [value; 3] });
        result
    }

    /// A value with no bits above those of the type that `prim` makes of it.
    fn without_upper(&mut self, value: Value, prim: Prim) -> Value {
        let lane = self.code.lane(value);
        let width = 8 * prim.result(lane).size() as u64;
        if self.widths.get(&value).is_some_and(|known| *known <= width) {
            return value;
        }
        let mask = self.constant(lane, (1 << width) - 1);
        self.add(Prim::And, &[value, mask])
    }

    /// How many of the lower bits of what a primitive gives may be set, where that follows from what it is.
    fn width(&self, prim: Prim, lane: Lane, [a, b, _]: [Value; 3]) -> Option<u64> {
        let lane_bits = 8 * lane.size() as u64;
        match (prim, self.known.get(&b)) {
            (Prim::ShrU, Some(distance)) => Some(lane_bits.saturating_sub(*distance)),
            (Prim::And, Some(mask)) => Some(u64::from(64 - mask.leading_zeros())),
            (Prim::U8To16 | Prim::U8To32 | Prim::U16To32 | Prim::U32To64, _) => Some(8 * self.code.lane(a).size() as u64),
            _ => None,
        }
    }

    fn add_to(&mut self, result: Value, prim: Prim, operands: &[Value]) {
        let operand = |n: usize| operands[n.min(operands.len() - 1)];
        self.prim(result, prim, [operand(0), operand(1), operand(2)]);
    }

    fn prim(&mut self, result: Value, prim: Prim, operands: [Value; 3]) {
        use Lane::{I8, I16, I32, I64};
        use Prim::*;
        let [a, b, _] = operands;
        let lane = self.code.lane(operands[prim.arity() - 1]);
        // A product with 1, and the like, may be left out.
        if is_quiet(prim) && !operands.iter().any(|value| self.known.contains_key(value)) {
            self.quiet.insert(result);
        }
        if let Some(width) = self.width(prim, lane, operands) {
            self.widths.insert(result, width);
        }
        match self.support(prim, lane) {
            Support::Full if prim == FDiv && self.divides_by_inverse(lane, a, b) => return self.divide_by_inverse(result, lane, a, b),
            Support::Full => return self.items.push(Item::Prim { result, prim, operands }),
            Support::Quiet => {
                let operands = operands.map(|value| self.without_signal(value));
                return self.items.push(Item::Prim { result, prim, operands });
            }
            Support::Short => {
                let operands = [self.without_upper(a, prim); 3];
                return self.items.push(Item::Prim { result, prim, operands });
            }
            Support::None => {}
        }
        match (prim, lane) {
            (Mul | Shl | ShrU, I8) => self.in_wider(result, prim, U8To16, Low8Of16, a, b, U8To16),
            (ShrS, I8) => self.in_wider(result, prim, S8To16, Low8Of16, a, b, U8To16),
            (DivS, I8) => self.in_wider(result, prim, S8To32, Low8Of32, a, b, S8To32),
            (DivU, I8) => self.in_wider(result, prim, U8To32, Low8Of32, a, b, U8To32),
            (DivS, I16) => self.in_wider(result, prim, S16To32, Low16Of32, a, b, S16To32),
            (DivU, I16) => self.in_wider(result, prim, U16To32, Low16Of32, a, b, U16To32),
            (Shl | ShrU, I16) => self.in_wider(result, prim, U16To32, Low16Of32, a, b, U16To32),
            (ShrS, I16) => self.in_wider(result, prim, S16To32, Low16Of32, a, b, U16To32),
            (High16To32, _) => {
                let (wide, places) = (self.add(U16To32, &[a]), self.constant(I32, 16));
                self.add_to(result, Shl, &[wide, places]);
            }
            (High16Of32, _) => {
                let places = self.constant(I32, 16);
                let upper = self.add(ShrU, &[a, places]);
                self.add_to(result, Low16Of32, &[upper]);
            }
            (MulHighS, I8) => self.upper(result, S8To16, Low8Of16, a, b),
            (MulHighU, I8) => self.upper(result, U8To16, Low8Of16, a, b),
            (MinNum | MaxNum, _) => self.same(result, |this| this.extreme_number(prim == MaxNum, a, b)),
            (Scale, _) => self.same(result, |this| this.scale(&operands)),
            (FmaOdd, _) => self.same(result, |this| this.multiply_add_odd(&operands)),
            (FmaF16 | FmaBf16, _) if self.support(FmaOdd, lane) == Support::Full => self.same(result, |this| {
                let odd = this.add(FmaOdd, &operands);
                if prim == FmaF16 { this.round_to_f16(odd) } else { this.round_result_to_bf16(odd) }
            }),
            (FmaF16 | FmaBf16, _) => self.multiply_add_short(result, prim == FmaF16, operands),
            (HalfAdd, _) => self.in_wider(result, FAdd, WidenF16, RoundF16, a, b, WidenF16),
            (HalfSub, _) => self.in_wider(result, FSub, WidenF16, RoundF16, a, b, WidenF16),
            (HalfMul, _) => self.in_wider(result, FMul, WidenF16, RoundF16, a, b, WidenF16),
            (HalfFma, _) => {
                let numbers = operands.map(|half| self.add(WidenF16, &[half]));
                let sum = self.add(FmaF16, &numbers);
                self.add_to(result, RoundF16, &[sum]);
            }
            (HalfMin | HalfMax, _) => {
                let (less, greater) = if prim == HalfMin { (a, b) } else { (b, a) };
                let is_first = self.add(HalfLt, &[less, greater]);
                self.add_to(result, Select, &[is_first, a, b]);
            }
            (HalfEq | HalfLt | HalfLe, _) => {
                let compare = match prim {
                    HalfEq => FEq,
                    HalfLt => FLt,
                    _ => FLe,
                };
                let [a, b] = [a, b].map(|half| self.add(WidenF16, &[half]));
                self.add_to(result, compare, &[a, b]);
            }
            (DivS | DivU, I32) => self.divide(result, prim == DivS, a, b),
            (ShrS, I64) => {
                // Of negative numbers the complement of the complement, shifted.
                let (zero, ones) = (self.constant(I64, 0), self.constant(I64, u64::MAX));
                let negative = self.add(LtS, &[a, zero]);
                let sign = self.add(Select, &[negative, ones, zero]);
                let magnitude = self.add(Xor, &[a, sign]);
                let shifted = self.add(ShrU, &[magnitude, b]);
                self.add_to(result, Xor, &[shifted, sign]);
            }
            (LtU, _) => {
                let sign = self.constant(lane, (lane.bits() >> 1) + 1);
                let (a, b) = (self.add(Xor, &[a, sign]), self.add(Xor, &[b, sign]));
                self.add_to(result, LtS, &[a, b]);
            }
            (MinS | MaxS | MinU | MaxU, I64) => {
                let less = self.add(if matches!(prim, MinS | MaxS) { LtS } else { LtU }, &[a, b]);
                let (yes, no) = if matches!(prim, MinS | MinU) { (a, b) } else { (b, a) };
                self.add_to(result, Select, &[less, yes, no]);
            }
            _ => unreachable!("{prim} of {lane} has instructions"),
        }
    }

    /// A product plus a number, all of `f16` or `bf16` in `f32`, rounded once to that type.
    ///
    /// A sum that was rounded to `f32` may be rounded once more, but for those that lie just in the middle between two numbers of the type, or
    /// may: few do, so their errors are computed where a lane has one.
    fn multiply_add_short(&mut self, result: Value, f16: bool, operands: [Value; 3]) {
        let sum = self.add(Prim::Fma, &operands);
        let sum = if self.in_while || self.code.variability(sum) != Variability::Varying {
            self.sum_to_odd(&operands, sum)
        } else {
            let doubtful = if f16 { self.may_be_between_f16(sum) } else { self.is_between_bf16(sum) };
            self.once_where(doubtful, sum, |this, sum| this.sum_to_odd(&operands, sum))
        };
        self.same(result, |this| if f16 { this.round_to_f16(sum) } else { this.round_result_to_bf16(sum) });
    }

    /// `value`, and in the lanes that a mask tells what `compute` makes of it, which nothing is computed for where there are none.
    fn once_where(&mut self, mask: Value, value: Value, compute: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let result = self.value(self.code.lane(value), Variability::Varying);
        self.once_where_to(result, mask, value, compute);
        result
    }

    /// The same, which is `result`.
    fn once_where_to(&mut self, result: Value, mask: Value, value: Value, compute: impl FnOnce(&mut Self, Value) -> Value) {
        let args = [Lane::Mask, self.code.lane(value)].map(|lane| self.value(lane, Variability::Varying));
        let results = [self.value(Lane::Mask, Variability::Varying), result];
        let never = self.constant(Lane::Mask, 0);
        let (before, outside) = (std::mem::take(&mut self.items), std::mem::replace(&mut self.in_while, true));
        let computed = compute(self, args[1]);
        let body = std::mem::replace(&mut self.items, before);
        self.in_while = outside;
        let carried = |n: usize, init, next| Carried { init, arg: args[n], next, result: results[n] };
        self.items.push(Item::While(While { limit: 1, carried: vec![carried(0, mask, never), carried(1, value, computed)], body }));
    }

    /// `result` is what the last primitive gives that is added.
    fn same(&mut self, result: Value, add: impl FnOnce(&mut Self) -> Value) {
        let last = add(self);
        match self.items.last_mut() {
            Some(Item::Prim { result: given, .. }) if *given == last => *given = result,
            _ => unreachable!("the last primitive gives the result"),
        }
    }

    /// The operation on wider numbers, of which the lower bits are left.
    #[expect(clippy::too_many_arguments, reason = "a row of a table")]
    fn in_wider(&mut self, result: Value, prim: Prim, widen: Prim, low: Prim, a: Value, b: Value, widen_second: Prim) {
        let (a, b) = (self.add(widen, &[a]), self.add(widen_second, &[b]));
        let wide = self.add(prim, &[a, b]);
        self.add_to(result, low, &[wide]);
    }

    /// The upper half of a product, from the whole product in wider numbers.
    fn upper(&mut self, result: Value, widen: Prim, low: Prim, a: Value, b: Value) {
        let bits = 8 * self.code.lane(a).size() as u64;
        let (a, b) = (self.add(widen, &[a]), self.add(widen, &[b]));
        let product = self.add(Prim::Mul, &[a, b]);
        let distance = self.constant(self.code.lane(product), bits);
        let shifted = self.add(Prim::ShrU, &[product, distance]);
        self.add_to(result, low, &[shifted]);
    }
}
