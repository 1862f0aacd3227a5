//! Programs of integers that run regularly, as offsets and masks do: from counts, constants and powers of two.

use super::{Choices, Generator, Program, make, statements::I1};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, AttrValue, ComparisonPredicate, Opcode, RoundingMode, Scalar, Signedness, Value};

/// The extents of most tiles.
const EXTENT: i64 = 16;
/// How these are seen as matrices.
const MATRICES: [[i64; 2]; 3] = [[4, 4], [2, 8], [8, 2]];

const PREDICATES: [ComparisonPredicate; 6] = [
    ComparisonPredicate::LessThan,
    ComparisonPredicate::LessThanOrEqual,
    ComparisonPredicate::GreaterThan,
    ComparisonPredicate::GreaterThanOrEqual,
    ComparisonPredicate::Equal,
    ComparisonPredicate::NotEqual,
];

/// A program of regular integers.
pub(crate) fn integer_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let grid = [1 + choices.below(3) as u32, 1, 1];
    make(choices, combinations, grid, |generator| {
        let scalar = *generator.choices.pick(&[Scalar::I32, Scalar::I8, Scalar::I16, Scalar::I64]);
        let mut values = generator.counts(scalar);
        for _ in 0..3 + generator.choices.below(10) {
            generator.step(scalar, &mut values);
        }
        generator.counted(scalar, &values);
        generator.addresses(scalar, &values);
        values.iter().for_each(|value| generator.keep(*value, Element::Number(scalar), &[EXTENT], true));
        generator.store_all();
    })
}

impl Generator<'_> {
    /// Tiles to begin with: a count, a list of numbers, and a multiple of the block's position.
    fn counts(&mut self, scalar: Scalar) -> Vec<Value> {
        let element = Element::Number(scalar);
        let ty = self.ty(element, &[EXTENT]);
        let count = self.value(Opcode::Iota, |op| op.result(ty));
        let group = 1u64 << self.choices.below(5);
        let start = self.regular_number(scalar);
        let runs: Vec<u64> = (0..EXTENT as u64).map(|i| start.wrapping_add(i / group * 3 * group + i % group)).collect();
        let listed = self.numbers(scalar, &[EXTENT], &runs);
        let equal: Vec<u64> = (0..EXTENT as u64).map(|i| start.wrapping_add(i / group)).collect();
        let grouped = self.numbers(scalar, &[EXTENT], &equal);
        let [x, _] = self.position();
        let x = match scalar {
            Scalar::I32 => x,
            Scalar::I64 => self.resized_to(x, Opcode::ExtI, Scalar::I64, &[]),
            narrow => self.resized_to(x, Opcode::TruncI, narrow, &[]),
        };
        let factor = self.regular_number(scalar);
        let factor = self.numbers(scalar, &[], &[factor]);
        let first = self.combined_integers(Opcode::MulI, x, factor, scalar, &[]);
        vec![count, listed, grouped, self.everywhere(first, scalar)]
    }

    /// A number that masks, scales and bounds are made of: a power of two, one less, or anything.
    fn regular_number(&mut self, scalar: Scalar) -> u64 {
        let mask = u64::MAX >> (64 - scalar.bits());
        let power = 1u64 << self.choices.below(scalar.bits() as usize);
        let anything = self.number(scalar);
        *self.choices.pick(&[4, 8, 1, 2, 0, power, power.wrapping_sub(1), power.wrapping_neg(), mask, 3, 12, anything]) & mask
    }

    fn everywhere(&mut self, value: Value, scalar: Scalar) -> Value {
        let (one, all) = (self.ty(Element::Number(scalar), &[1]), self.ty(Element::Number(scalar), &[EXTENT]));
        let one = self.value(Opcode::Reshape, |op| op.operand("source", value).result(one));
        self.value(Opcode::Broadcast, |op| op.operand("source", one).result(all))
    }

    /// Makes a value of those that there are.
    fn step(&mut self, scalar: Scalar, values: &mut Vec<Value>) {
        let a = *self.choices.pick(values);
        let b = if self.choices.below(3) > 0 {
            let number = self.regular_number(scalar);
            self.numbers(scalar, &[EXTENT], &[number])
        } else {
            *self.choices.pick(values)
        };
        let made = match self.choices.below(8) {
            0 => self.selected(a, b, scalar),
            1 => self.turned_around(a, scalar),
            2 => self.resized(a, scalar),
            3 => self.in_parts(a, b, scalar),
            _ => {
                use Opcode::{AddI, AndI, DivI, MaxI, MinI, MulI, OrI, RemI, ShLI, ShRI, SubI, XOrI};
                let opcode = *self.choices.pick(&[AddI, MulI, SubI, DivI, RemI, AndI, OrI, XOrI, ShLI, ShRI, MaxI, MinI]);
                let [a, b] = if self.choices.once_in(6) { [b, a] } else { [a, b] };
                self.combined_integers(opcode, a, b, scalar, &[EXTENT])
            }
        };
        values.push(made);
    }

    fn combined_integers(&mut self, opcode: Opcode, a: Value, b: Value, scalar: Scalar, shape: &[i64]) -> Value {
        let ty = self.ty(Element::Number(scalar), shape);
        let signedness = *self.choices.pick(&[Signedness::Signed, Signedness::Unsigned]);
        let roundings: &[RoundingMode] = match signedness {
            Signedness::Signed => &[RoundingMode::Zero, RoundingMode::NegativeInf, RoundingMode::PositiveInf],
            Signedness::Unsigned => &[RoundingMode::Zero, RoundingMode::PositiveInf],
        };
        let rounding = *self.choices.pick(roundings);
        self.value(opcode, |op| {
            let op = op.operand("lhs", a).operand("rhs", b).result(ty);
            let has = |name| opcode.def().attr_index(name).is_some();
            let op = if has(AttrName::Signedness) { op.attr(AttrName::Signedness, AttrValue::Enum(signedness as u8)) } else { op };
            if has(AttrName::Rounding) { op.attr(AttrName::Rounding, AttrValue::Enum(rounding as u8)) } else { op }
        })
    }

    /// A selection by a comparison, which is kept.
    fn selected(&mut self, a: Value, b: Value, scalar: Scalar) -> Value {
        let (mask, ty) = (self.ty(I1, &[EXTENT]), self.ty(Element::Number(scalar), &[EXTENT]));
        let predicate = *self.choices.pick(&PREDICATES);
        let signedness = *self.choices.pick(&[Signedness::Signed, Signedness::Unsigned]);
        let [x, y] = if self.choices.below(2) == 0 { [a, b] } else { [b, a] };
        let condition = self.value(Opcode::CmpI, |op| {
            let op = op.operand("lhs", x).operand("rhs", y).result(mask);
            let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
            op.attr(AttrName::Signedness, AttrValue::Enum(signedness as u8))
        });
        self.keep(condition, I1, &[EXTENT], true);
        self.value(Opcode::Select, |op| op.operand("cond", condition).operand("val_if_true", a).operand("val_if_false", b).result(ty))
    }

    /// As a matrix, perhaps turned around, and back.
    fn turned_around(&mut self, a: Value, scalar: Scalar) -> Value {
        let element = Element::Number(scalar);
        let [rows, columns] = *self.choices.pick(&MATRICES);
        let (ty, turned, all) = (self.ty(element, &[rows, columns]), self.ty(element, &[columns, rows]), self.ty(element, &[EXTENT]));
        let matrix = self.value(Opcode::Reshape, |op| op.operand("source", a).result(ty));
        self.keep(matrix, element, &[rows, columns], true);
        let order = self.module.tables.attrs.intern(tilewright_ir::AttrData::I32Array([1, 0].into()));
        let matrix = if self.choices.below(2) == 0 {
            matrix
        } else {
            self.value(Opcode::Permute, |op| {
                op.operand("source", matrix).attr(AttrName::Permutation, AttrValue::Attr(order)).result(turned)
            })
        };
        self.value(Opcode::Reshape, |op| op.operand("source", matrix).result(all))
    }

    fn resized_to(&mut self, a: Value, opcode: Opcode, to: Scalar, shape: &[i64]) -> Value {
        let ty = self.ty(Element::Number(to), shape);
        let signedness = *self.choices.pick(&[Signedness::Signed, Signedness::Unsigned]);
        self.value(opcode, |op| {
            let op = op.operand("from", a).result(ty);
            if opcode == Opcode::ExtI { op.attr(AttrName::Signedness, AttrValue::Enum(signedness as u8)) } else { op }
        })
    }

    /// Widened, changed and cut off again, or the other way round.
    fn resized(&mut self, a: Value, scalar: Scalar) -> Value {
        let shape = [EXTENT];
        let (there, other, back) = match scalar {
            Scalar::I64 => (Opcode::TruncI, Scalar::I32, Opcode::ExtI),
            Scalar::I32 => (Opcode::ExtI, Scalar::I64, Opcode::TruncI),
            _ => (Opcode::ExtI, Scalar::I32, Opcode::TruncI),
        };
        let resized = self.resized_to(a, there, other, &shape);
        self.keep(resized, Element::Number(other), &shape, true);
        let number = self.regular_number(other);
        let number = self.numbers(other, &shape, &[number]);
        let opcode = *self.choices.pick(&[Opcode::ShRI, Opcode::AddI, Opcode::AndI]);
        let changed = self.combined_integers(opcode, resized, number, other, &shape);
        self.resized_to(changed, back, scalar, &shape)
    }

    /// Halves of two tiles side by side.
    fn in_parts(&mut self, a: Value, b: Value, scalar: Scalar) -> Value {
        let (half, all) = (self.ty(Element::Number(scalar), &[EXTENT / 2]), self.ty(Element::Number(scalar), &[EXTENT]));
        let halves = [a, b].map(|source| {
            let index = self.choices.below(2) as u64;
            let index = self.numbers(Scalar::I32, &[], &[index]);
            self.value(Opcode::Extract, |op| op.operand("source", source).operands("indices", &[index]).result(half))
        });
        let [lhs, rhs] = halves;
        self.value(Opcode::Cat, |op| op.operand("lhs", lhs).operand("rhs", rhs).attr(AttrName::Dim, AttrValue::Int(0)).result(all))
    }

    /// A loop that adds to a tile in each round, with its counter compared with a bound inside.
    fn counted(&mut self, scalar: Scalar, values: &[Value]) {
        let (first, step) = (*self.choices.pick(values), *self.choices.pick(values));
        let (number, ty) = (self.ty(Element::Number(scalar), &[]), self.ty(Element::Number(scalar), &[EXTENT]));
        let (lower, distance, by) = (self.choices.below(9) as u64, self.choices.below(20) as u64, 1 + self.choices.below(6) as u64);
        let bounds = [lower, lower + distance, by].map(|n| self.numbers(scalar, &[], &[n]));
        let op = self.op(Opcode::For, |op| {
            let op = op.operand("lowerBound", bounds[0]).operand("upperBound", bounds[1]).operand("step", bounds[2]);
            op.operands("initValues", &[first]).results(&[ty])
        });
        self.region(op, 0, &[number, ty], |this, args| {
            let (counter, carried) = (args[0], args[1]);
            let limit = this.choices.below(20) as u64;
            let limit = this.numbers(scalar, &[], &[limit]);
            let (condition, predicate) = (this.ty(I1, &[]), *this.choices.pick(&PREDICATES));
            let [lhs, rhs] = if this.choices.below(2) == 0 { [counter, limit] } else { [limit, counter] };
            let below = this.value(Opcode::CmpI, |op| {
                let op = op.operand("lhs", lhs).operand("rhs", rhs).result(condition);
                let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
                op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
            });
            let branch = this.op(Opcode::If, |op| op.operand("condition", below).results(&[ty]));
            for index in 0..2 {
                this.region(branch, index, &[], |this, _| {
                    let counters = this.everywhere(counter, scalar);
                    let opcode = *this.choices.pick(&[Opcode::AddI, Opcode::MulI, Opcode::SubI]);
                    let value = this.combined_integers(opcode, step, counters, scalar, &[EXTENT]);
                    this.op(Opcode::Yield, |op| op.operands("operands", &[value]));
                });
            }
            let added = this.result(branch, 0);
            let opcode = *this.choices.pick(&[Opcode::AddI, Opcode::MinI, Opcode::MaxI, Opcode::AndI]);
            let sum = this.combined_integers(opcode, carried, added, scalar, &[EXTENT]);
            this.op(Opcode::Continue, |op| op.operands("operands", &[sum]));
        });
        let result = self.result(op, 0);
        self.keep(result, Element::Number(scalar), &[EXTENT], true);
    }

    /// Addresses at a multiple of the integers from the input, as numbers.
    fn addresses(&mut self, scalar: Scalar, values: &[Value]) {
        let index = *self.choices.pick(values);
        let pointee = *self.choices.pick(&[Scalar::I32, Scalar::I8, Scalar::F64, Scalar::I16]);
        let element = Element::PointerTo(pointee);
        let (single, one, all) = (self.ty(element, &[]), self.ty(element, &[1]), self.ty(element, &[EXTENT]));
        let base = self.input;
        let base = self.value(Opcode::PtrToPtr, |op| op.operand("source", base).result(single));
        let base = self.value(Opcode::Reshape, |op| op.operand("source", base).result(one));
        let base = self.value(Opcode::Broadcast, |op| op.operand("source", base).result(all));
        let places = self.value(Opcode::Offset, |op| op.operand("ptr", base).operand("offset", index).result(all));
        let more = self.regular_number(scalar);
        let more = self.numbers(scalar, &[EXTENT], &[more]);
        let places = self.value(Opcode::Offset, |op| op.operand("ptr", places).operand("offset", more).result(all));
        let numbers = self.ty(Element::Number(Scalar::I64), &[EXTENT]);
        let numbers = self.value(Opcode::PtrToInt, |op| op.operand("source", places).result(numbers));
        self.keep(numbers, Element::Number(Scalar::I64), &[EXTENT], true);
    }
}
