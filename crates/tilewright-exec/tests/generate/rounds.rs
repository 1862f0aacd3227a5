//! Loops that compute tiles element by element from those of the round before, as simulations and iterations do.

use super::{
    Choices, Generator, Program, Slot, make,
    statements::{I1, I32, MANY, is_elementwise},
};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, AttrValue, ComparisonPredicate, Opcode, RoundingMode, Scalar, Signedness, Type, Value};

/// Numbers of elements that are no vector, less than one, and several.
const LENGTHS: [i64; 5] = [MANY, 4, 64, 2, 1];

/// A program of loops, one after the other.
pub(crate) fn rounds_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let grid = [*choices.pick(&[1, 2, 3]), 1, 1];
    make(choices, combinations, grid, |generator| {
        for _ in 0..1 + generator.choices.below(3) {
            generator.rounds();
        }
    })
}

impl Generator<'_> {
    /// A counted loop of tiles of one shape, and perhaps of numbers that it counts in them, of which each round computes the next ones.
    pub(super) fn rounds(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::F32, Scalar::I32, Scalar::F32, Scalar::F16, Scalar::F64, Scalar::I8, Scalar::I64]);
        let element = Element::Number(scalar);
        let shape = if self.choices.below(4) == 3 { vec![8, 16] } else { vec![*self.choices.pick(&LENGTHS)] };
        let n: i64 = shape.iter().product();
        let mut invariants = vec![self.constant(element, &shape), self.repeated(element, &shape)];
        if n == MANY {
            invariants.push(self.loaded_row(scalar, n));
        }
        let mut carried: Vec<Slot> = Vec::new();
        for _ in 0..1 + self.choices.below(3) {
            let value = if n == MANY { self.loaded_row(scalar, n) } else { self.operand(element, &shape, false) };
            carried.push(Slot { value, element, shape: shape.clone(), solid: false });
        }
        let counts = self.choices.below(3) == 2;
        if counts {
            let value = self.constant(I32, &shape);
            carried.push(Slot { value, element: I32, shape: shape.clone(), solid: false });
        }
        // A number that is carried beside the tiles, and is the same for all of their elements.
        let has_number = self.choices.below(3) == 2;
        if has_number {
            let value = self.operand(element, &[], false);
            carried.insert(0, Slot { value, element, shape: Vec::new(), solid: false });
        }
        let (counter, bounds, unsigned) = self.bounds_of_rounds();
        let (types, first): (Vec<Type>, Vec<Value>) = (self.types(&carried), carried.iter().map(|slot| slot.value).collect());
        let op = self.op(Opcode::For, |op| {
            let [lower, upper, step] = bounds;
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", step).operands("initValues", &first);
            op.attr(AttrName::UnsignedCmp, unsigned).results(&types)
        });
        let args: Vec<Type> = [self.ty(Element::Number(counter), &[])].into_iter().chain(types).collect();
        self.region(op, 0, &args, |this, args| {
            let tiles = &args[1 + usize::from(has_number)..args.len() - usize::from(counts)];
            let mut values = [&invariants[..], tiles].concat();
            let mut nexts = Vec::new();
            if has_number {
                let mut numbers = vec![args[1], this.operand(element, &[], false)];
                numbers.extend(this.counter_as(args[0], counter, scalar));
                this.steps(element, &[], &mut numbers);
                nexts.push(numbers[numbers.len() - 1]);
                let of_round = *this.choices.pick(&numbers);
                values.push(this.in_all(of_round, element, &shape));
            }
            if this.choices.below(2) == 1 {
                values.extend(this.counter_as(args[0], counter, scalar).map(|number| this.in_all(number, element, &shape)));
            }
            let inputs = values.len();
            this.steps(element, &shape, &mut values);
            let computed = values.len() - inputs;
            // Mostly what was computed, but also what another one was, and what is the same in all rounds.
            let pick = |this: &mut Self| {
                let from = if this.choices.below(4) > 0 { inputs } else { 0 };
                values[from + this.choices.below(if from > 0 { computed } else { values.len() })]
            };
            nexts.extend(tiles.iter().map(|_| pick(this)));
            if counts {
                let (lhs, rhs) = (pick(this), pick(this));
                let bit = this.not_less(scalar, lhs, rhs, &shape);
                nexts.push(this.counted_up(args[args.len() - 1], bit, &shape));
            }
            this.op(Opcode::Continue, |op| op.operands("operands", &nexts));
        });
        let values: Vec<Value> = self.body.op(op).results().collect();
        self.keep_all(&values, &carried);
        for (value, slot) in values.into_iter().zip(carried) {
            self.store_slot(&Slot { value, ..slot });
        }
    }

    /// The type of a counter, the bounds and the step of its loop, and whether it has no sign.
    fn bounds_of_rounds(&mut self) -> (Scalar, [Value; 3], AttrValue) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::I32, Scalar::I64, Scalar::I8, Scalar::I16]);
        let mask = u64::MAX >> (64 - scalar.bits());
        let unsigned = self.choices.below(4) == 3;
        // The last ones count up to the end of the type.
        let edge = if unsigned { mask } else { mask >> 1 };
        let rounds = *self.choices.pick(&[3, 1, 0, 2, 7, 20]);
        let step = *self.choices.pick(&[1u64, 2, 3, 5]);
        let lower = match self.choices.below(4) {
            0..=1 => 0,
            2 if !unsigned => (self.choices.below(9) as u64).wrapping_neg(),
            2 => self.choices.below(9) as u64,
            _ => edge - rounds * step,
        };
        // Not a whole number of steps, mostly.
        let upper = lower.wrapping_add(rounds * step - if rounds > 0 { self.choices.below(step as usize) as u64 } else { 0 });
        let bounds = [lower, upper, step].map(|n| self.numbers(scalar, &[], &[n & mask]));
        (scalar, bounds, if unsigned { AttrValue::Unit } else { AttrValue::Absent })
    }

    /// The counter as a number of another type, if there is an operation that makes one of it.
    fn counter_as(&mut self, counter: Value, from: Scalar, to: Scalar) -> Option<Value> {
        if from == to {
            return Some(counter);
        }
        let ty = self.ty(Element::Number(to), &[]);
        let signed = (AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8));
        let (opcode, attr) = match to {
            to if !to.is_int() => (Opcode::IToF, Some(signed)),
            to if to.bits() > from.bits() => (Opcode::ExtI, Some(signed)),
            _ => (Opcode::TruncI, None),
        };
        Some(self.value(opcode, |op| {
            let op = op.operand("from", counter).result(ty);
            let op =
                if opcode == Opcode::IToF { op.attr(AttrName::RoundingMode, AttrValue::Enum(RoundingMode::NearestEven as u8)) } else { op };
            match attr {
                Some((name, value)) => op.attr(name, value),
                None => op,
            }
        }))
    }

    /// A number, for all elements of a tile.
    fn in_all(&mut self, number: Value, element: Element, shape: &[i64]) -> Value {
        let ones = self.ty(element, &vec![1; shape.len()]);
        let one = self.value(Opcode::Reshape, |op| op.operand("source", number).result(ones));
        let tile = self.ty(element, shape);
        self.value(Opcode::Broadcast, |op| op.operand("source", one).result(tile))
    }

    /// A tile that is the same along a dimension, or in all elements.
    fn repeated(&mut self, element: Element, shape: &[i64]) -> Value {
        let which = self.choices.below(shape.len() + 1);
        let narrow: Vec<i64> = (0..shape.len()).map(|dim| if dim == which || which == shape.len() { 1 } else { shape[dim] }).collect();
        let source = self.operand(element, &narrow, false);
        let tile = self.ty(element, shape);
        self.value(Opcode::Broadcast, |op| op.operand("source", source).result(tile))
    }

    /// Computes some more values.
    fn steps(&mut self, element: Element, shape: &[i64], values: &mut Vec<Value>) {
        let all = self.combinations;
        let fits = |combination: &&Combination| combination.types.iter().all(|ty| *ty == element) && is_elementwise(combination);
        let fitting: Vec<&Combination> = all.iter().flatten().filter(fits).collect();
        for _ in 0..1 + self.choices.below(6) {
            if self.choices.once_in(8) {
                values.extend(self.on_bits(&values.clone(), element, shape));
            }
            let combination = *self.choices.pick(&fitting);
            let operands: Vec<Value> = combination.types[1..].iter().map(|_| *self.choices.pick(values)).collect();
            values.push(self.combined_as(combination, &operands, element, shape));
        }
    }

    /// Which elements of a tile are not less than those of another one.
    fn not_less(&mut self, scalar: Scalar, lhs: Value, rhs: Value, shape: &[i64]) -> Value {
        let bits = self.ty(I1, shape);
        let predicate = AttrValue::Enum(ComparisonPredicate::GreaterThanOrEqual as u8);
        let (opcode, attr) = if scalar.is_int() {
            (Opcode::CmpI, (AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8)))
        } else {
            (Opcode::CmpF, (AttrName::ComparisonOrdering, AttrValue::Enum(tilewright_ir::ComparisonOrdering::Ordered as u8)))
        };
        self.value(opcode, |op| {
            let op = op.operand("lhs", lhs).operand("rhs", rhs).result(bits);
            op.attr(AttrName::ComparisonPredicate, predicate).attr(attr.0, attr.1)
        })
    }

    /// What was counted, and one more where a bit is set.
    fn counted_up(&mut self, counts: Value, bit: Value, shape: &[i64]) -> Value {
        let tile = self.ty(I32, shape);
        let unsigned = AttrValue::Enum(Signedness::Unsigned as u8);
        let one = self.value(Opcode::ExtI, |op| op.operand("from", bit).attr(AttrName::Signedness, unsigned).result(tile));
        self.value(Opcode::AddI, |op| op.operand("lhs", counts).operand("rhs", one).result(tile))
    }
}
