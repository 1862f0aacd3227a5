//! Operations on floats.
//!
//! The means are those of `tilewright_numeric::branch_free`: the error of a rounded sum tells on which side of it the exact one lies, and a number that was
//! rounded to odd can be rounded once more to a shorter type. Directed arithmetic of `f64` and remainders are `tilewright_numeric::directed`
//! itself, run on values of the code.

use super::{function::is_function, *};
use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode};
use tilewright_numeric::directed::{self, Direction};

/// The direction of a mode, or none if it is to nearest; the modes that approximate are.
pub(super) fn direction_of(mode: RoundingMode) -> Option<Direction> {
    match mode {
        RoundingMode::Zero => Some(Direction::Zero),
        RoundingMode::PositiveInf => Some(Direction::Up),
        RoundingMode::NegativeInf => Some(Direction::Down),
        _ => None,
    }
}

/// Whether arithmetic rounds so.
pub(super) fn arithmetic_rounds(mode: RoundingMode) -> bool {
    !matches!(mode, RoundingMode::NearestAway | RoundingMode::NearestIntToZero)
}

impl Lowering<'_> {
    pub(super) fn float_op(&mut self, op: ElemOp, elem: Elem, operands: &[Value]) -> Value {
        use ElemOp::*;
        match op {
            CmpF(predicate, ordering) => return self.compare_floats(predicate, ordering, operands[0], operands[1]),
            AbsF => return self.with_bits(operands[0], Prim::And, u64::MAX >> 1),
            NegF => return self.with_bits(operands[0], Prim::Xor, 1 << 63),
            Ceil => return self.p(Prim::Ceil, &operands[..1]),
            Floor => return self.p(Prim::Floor, &operands[..1]),
            RemF => return self.remainder_of_floats(elem, operands[0], operands[1]),
            _ if is_function(op) => return self.function(op, elem, operands),
            _ => {}
        }
        let ftz = match op {
            AddF(_, ftz) | SubF(_, ftz) | MulF(_, ftz) | DivF(_, ftz) | Fma(_, ftz) | Sqrt(_, ftz) => ftz,
            MaxF { ftz, .. } | MinF { ftz, .. } => ftz,
            _ => false,
        };
        let operands: Vec<Value> = operands.iter().map(|x| if ftz { self.flushed(*x) } else { *x }).collect();
        let value = match op {
            MaxF { propagate_nan, .. } => self.extreme(true, propagate_nan, operands[0], operands[1]),
            MinF { propagate_nan, .. } => self.extreme(false, propagate_nan, operands[0], operands[1]),
            AddF(mode, _) => self.arithmetic(Prim::FAdd, mode, elem, &operands),
            SubF(mode, _) => self.arithmetic(Prim::FSub, mode, elem, &operands),
            MulF(mode, _) => self.arithmetic(Prim::FMul, mode, elem, &operands),
            DivF(mode, _) => self.arithmetic(Prim::FDiv, mode, elem, &operands),
            Sqrt(mode, _) => self.arithmetic(Prim::Sqrt, mode, elem, &operands),
            Fma(mode, _) => self.multiply_add(mode, elem, &operands),
            _ => unreachable!("{op:?} takes no floats"),
        };
        if ftz { self.flushed(value) } else { value }
    }

    /// Remainders are exact in `f64` and in the type of the operands.
    fn remainder_of_floats(&mut self, elem: Elem, a: Value, b: Value) -> Value {
        if elem == Elem::Num(Scalar::F64) {
            return self.traced([a, b], |[a, b]| directed::rem(a, b));
        }
        let wide = [a, b].map(|x| self.p(Prim::Widen, &[x]));
        let rest = self.traced(wide, |[a, b]| directed::rem(a, b));
        self.p(Prim::Narrow, &[rest])
    }

    /// Arithmetic of `f64` in a direction.
    fn arithmetic_of_f64(&mut self, prim: Prim, direction: Direction, operands: &[Value]) -> Value {
        let (a, b) = (operands[0], operands.get(1).copied().unwrap_or(operands[0]));
        match prim {
            Prim::FAdd => self.traced([a, b], |[a, b]| directed::add(a, b, direction)),
            Prim::FSub => self.traced([a, b], |[a, b]| directed::add(a, -b, direction)),
            Prim::FMul => self.traced([a, b], |[a, b]| directed::mul(a, b, direction)),
            Prim::FDiv => self.traced([a, b], |[a, b]| directed::div(a, b, direction)),
            _ => self.traced([a], |[a]| directed::sqrt(a, direction)),
        }
    }

    /// The magnitude of one number with the sign of another.
    pub(super) fn copysign(&mut self, magnitude: Value, sign: Value) -> Value {
        let (to, back) = if self.builder.lane(sign) == Lane::F64 { (Prim::Bits64, Prim::Float64) } else { (Prim::Bits32, Prim::Float32) };
        let magnitude = self.abs(magnitude);
        let sign = self.with_bits(sign, Prim::And, 1 << 63);
        let (magnitude, sign) = (self.p(to, &[magnitude]), self.p(to, &[sign]));
        let bits = self.p(Prim::Or, &[magnitude, sign]);
        self.p(back, &[bits])
    }

    /// Zero of the same sign, where it is subnormal; `f32` only.
    pub(super) fn flushed(&mut self, x: Value) -> Value {
        let magnitude = self.abs(x);
        let least = self.f32(f32::MIN_POSITIVE);
        let small = self.p(Prim::FLt, &[magnitude, least]);
        let zero = self.with_bits(x, Prim::And, 1 << 63);
        self.select(small, zero, x)
    }

    /// The larger or smaller number: +0 above -0; with a NaN the other number, or the NaN.
    ///
    /// The primitive gives its second operand of NaN and of zeros, so that what is known of the one behind spares the rest.
    fn extreme(&mut self, larger: bool, propagate_nan: bool, x: Value, y: Value) -> Value {
        let (x, y) = if self.builder.constant_bits(x).is_some() { (y, x) } else { (x, y) };
        let prim = if larger { Prim::FMax } else { Prim::FMin };
        let known = self.builder.constant_bits(y).map(|bits| self.float_of(y, bits)).filter(|y| !y.is_nan());
        // The zero that is taken wherever it stands beside the other one.
        let taken = if larger { 0.0_f64 } else { -0.0 };
        match known {
            Some(number) if number != 0.0 && propagate_nan => return self.p(prim, &[y, x]),
            Some(number) if number != 0.0 || number.to_bits() == taken.to_bits() => {
                let value = self.p(prim, &[x, y]);
                return if propagate_nan { self.unless_nan(x, value) } else { value };
            }
            _ => {}
        }
        if propagate_nan {
            let value = self.extreme_of_numbers(larger, x, y);
            return self.unless_nan(x, value);
        }
        self.p(if larger { Prim::MaxNum } else { Prim::MinNum }, &[x, y])
    }

    /// A number by its bits in the type of a value.
    fn float_of(&self, value: Value, bits: u64) -> f64 {
        if self.builder.lane(value) == Lane::F64 { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() }
    }

    /// `value`, or `x` if that is NaN.
    fn unless_nan(&mut self, x: Value, value: Value) -> Value {
        let number = self.p(Prim::FEq, &[x, x]);
        self.select(number, value, x)
    }

    /// Whether the sign bit is set.
    pub(super) fn negative(&mut self, x: Value) -> Value {
        let (prim, lane) = if self.builder.lane(x) == Lane::F64 { (Prim::Bits64, Lane::I64) } else { (Prim::Bits32, Lane::I32) };
        let bits = self.p(prim, &[x]);
        let zero = self.number(lane, 0);
        self.p(Prim::LtS, &[bits, zero])
    }

    fn compare_floats(&mut self, predicate: ComparisonPredicate, ordering: ComparisonOrdering, a: Value, b: Value) -> Value {
        use ComparisonPredicate as P;
        let unordered = ordering == ComparisonOrdering::Unordered;
        // What holds of NaN, too, is that the opposite does not hold of numbers.
        let (prim, operands, negated) = match (predicate, unordered) {
            (P::Equal, false) => (Prim::FEq, [a, b], false),
            (P::NotEqual, true) => (Prim::FEq, [a, b], true),
            (P::LessThan, false) => (Prim::FLt, [a, b], false),
            (P::LessThanOrEqual, false) => (Prim::FLe, [a, b], false),
            (P::GreaterThan, false) => (Prim::FLt, [b, a], false),
            (P::GreaterThanOrEqual, false) => (Prim::FLe, [b, a], false),
            (P::LessThan, true) => (Prim::FLe, [b, a], true),
            (P::LessThanOrEqual, true) => (Prim::FLt, [b, a], true),
            (P::GreaterThan, true) => (Prim::FLe, [a, b], true),
            (P::GreaterThanOrEqual, true) => (Prim::FLt, [a, b], true),
            (P::NotEqual, false) => {
                let (less, greater) = (self.p(Prim::FLt, &[a, b]), self.p(Prim::FLt, &[b, a]));
                return self.p(Prim::MOr, &[less, greater]);
            }
            (P::Equal, true) => {
                let (less, greater) = (self.p(Prim::FLt, &[a, b]), self.p(Prim::FLt, &[b, a]));
                let apart = self.p(Prim::MOr, &[less, greater]);
                return self.p(Prim::MNot, &[apart]);
            }
        };
        let mask = self.p(prim, &operands);
        if negated { self.p(Prim::MNot, &[mask]) } else { mask }
    }

    /// One operation that rounds.
    fn arithmetic(&mut self, prim: Prim, mode: RoundingMode, elem: Elem, operands: &[Value]) -> Value {
        let Some(direction) = direction_of(mode) else {
            // To a type with less than half of the digits, what was rounded to f32 can be rounded once more.
            let value = self.p(prim, operands);
            return self.round_result(elem, value);
        };
        if elem == Elem::Num(Scalar::F64) {
            return self.arithmetic_of_f64(prim, direction, operands);
        }
        let wide: Vec<Value> = operands.iter().map(|x| self.p(Prim::Widen, &[*x])).collect();
        let value = match prim {
            Prim::FAdd => self.add_odd(wide[0], wide[1], Some(direction)),
            Prim::FSub => {
                let negated = self.with_bits(wide[1], Prim::Xor, 1 << 63);
                self.add_odd(wide[0], negated, Some(direction))
            }
            // Products are exact; quotients and roots of 24 digits do not end just behind the digits of an f64.
            _ => self.p(prim, &wide),
        };
        self.round_directed(elem, value, direction)
    }

    fn multiply_add(&mut self, mode: RoundingMode, elem: Elem, operands: &[Value]) -> Value {
        let direction = direction_of(mode);
        match (elem, direction) {
            (Elem::Num(Scalar::F64), Some(direction)) => {
                let operands = [operands[0], operands[1], operands[2]];
                return self.traced(operands, |[a, b, c]| directed::fma(a, b, c, direction));
            }
            (Elem::Num(Scalar::F32 | Scalar::F64), None) => return self.p(Prim::Fma, operands),
            _ => {}
        }
        let Some(direction) = direction else {
            let prim = if elem == Elem::Num(Scalar::F16) { Prim::FmaF16 } else { Prim::FmaBf16 };
            return self.p(prim, operands);
        };
        let wide: Vec<Value> = operands.iter().map(|x| self.p(Prim::Widen, &[*x])).collect();
        let product = self.p(Prim::FMul, &wide[..2]);
        let sum = self.add_odd(product, wide[2], Some(direction));
        self.round_directed(elem, sum, direction)
    }

    /// A sum in `f64`, rounded to odd. With a direction, a zero has the sign that it asks for.
    pub(super) fn add_odd(&mut self, a: Value, b: Value, direction: Option<Direction>) -> Value {
        let sum = self.p(Prim::FAdd, &[a, b]);
        let error = self.error_of_sum(a, b, sum);
        let odd = self.move_to_odd(sum, error);
        if direction != Some(Direction::Down) {
            return odd;
        }
        // Terms that cancel give -0.
        let (zero, negative_zero) = (self.f64(0.0), self.f64(-0.0));
        let none = self.p(Prim::FEq, &[odd, zero]);
        let (a_bits, b_bits) = (self.p(Prim::Bits64, &[a]), self.p(Prim::Bits64, &[b]));
        let signs = self.p(Prim::Xor, &[a_bits, b_bits]);
        let no_bits = self.number(Lane::I64, 0);
        let differ = self.p(Prim::LtS, &[signs, no_bits]);
        let cancels = self.p(Prim::MAnd, &[none, differ]);
        self.select(cancels, negative_zero, odd)
    }

    /// An `f64` that is exact or rounded to odd, as `f32` in a direction.
    fn narrow_directed(&mut self, x: Value, direction: Direction) -> Value {
        let (one, zero) = (self.i32(1), self.i32(0));
        let nearest = self.p(Prim::Narrow, &[x]);
        let back = self.p(Prim::Widen, &[nearest]);
        let bits = self.p(Prim::Bits32, &[nearest]);
        let (magnitude, back) = (self.abs(x), self.abs(back));
        let (inside, outside) = (self.p(Prim::FLt, &[back, magnitude]), self.p(Prim::FLt, &[magnitude, back]));
        let (more, less) = (self.select(inside, one, zero), self.select(outside, one, zero));
        let (outward, inward) = (self.p(Prim::Add, &[bits, more]), self.p(Prim::Sub, &[bits, less]));
        let grows = self.grows(x, direction);
        let bits = self.select(grows, outward, inward);
        self.p(Prim::Float32, &[bits])
    }

    /// Whether the magnitude of a number grows where it is rounded.
    pub(super) fn grows(&mut self, x: Value, direction: Direction) -> Value {
        match direction {
            Direction::Zero => self.number(Lane::Mask, 0),
            Direction::Down => self.negative(x),
            Direction::Up => {
                let negative = self.negative(x);
                self.p(Prim::MNot, &[negative])
            }
        }
    }

    /// An `f64` that is exact or rounded to odd, rounded to a shorter type in a direction; as `f32`.
    pub(super) fn round_directed(&mut self, elem: Elem, x: Value, direction: Direction) -> Value {
        if elem == Elem::Num(Scalar::F32) {
            return self.narrow_directed(x, direction);
        }
        let odd = self.narrow_odd(x);
        self.round_short(elem, odd, direction)
    }
}
