//! Operations on integers and pointers.

use super::*;
use tilewright_ir::{ComparisonPredicate, RoundingMode};

impl Lowering<'_> {
    pub(super) fn int_op(&mut self, op: ElemOp, sources: &[Elem], result: Elem, operands: &[Value]) -> Value {
        use ElemOp::*;
        let lane = self.builder.lane(operands[0]);
        if lane == Lane::Mask && !matches!(op, ExtI(_)) {
            return self.bit_op(op, operands);
        }
        let (a, b) = (operands[0], operands.get(1).copied().unwrap_or(operands[0]));
        let to = lane_of(result).expect("only types with lanes are lowered");
        let prim = match op {
            AddI => Prim::Add,
            SubI => Prim::Sub,
            MulI => Prim::Mul,
            // Unsigned, whatever the operands are.
            MulHi => Prim::MulHighU,
            And => Prim::And,
            Or => Prim::Or,
            Xor => Prim::Xor,
            Shl => Prim::Shl,
            Shr(true) => Prim::ShrS,
            Shr(false) => Prim::ShrU,
            MaxI(true) => Prim::MaxS,
            MaxI(false) => Prim::MaxU,
            MinI(true) => Prim::MinS,
            MinI(false) => Prim::MinU,
            NegI => {
                let zero = self.number(lane, 0);
                return self.p(Prim::Sub, &[zero, a]);
            }
            AbsI => {
                let zero = self.number(lane, 0);
                let negated = self.p(Prim::Sub, &[zero, a]);
                // The least integer is its own magnitude.
                return self.p(Prim::MaxS, &[a, negated]);
            }
            CmpI(predicate, signed) => return self.compare(predicate, signed, a, b),
            DivI(signed, rounding) => return self.divide(signed, rounding, a, b),
            RemI(signed) => return self.remainder(signed, a, b),
            ExtI(signed) => return self.extend(a, to, signed),
            TruncI => return self.truncate(a, to),
            Offset(size) => {
                let index = self.extend(b, Lane::I64, true);
                let size = self.number(Lane::I64, size);
                let distance = self.p(Prim::Mul, &[index, size]);
                return self.p(Prim::Add, &[a, distance]);
            }
            OffsetPacked => {
                // Halved toward zero.
                let index = self.extend(b, Lane::I64, true);
                let (one, last) = (self.number(Lane::I64, 1), self.number(Lane::I64, 63));
                let sign = self.p(Prim::ShrU, &[index, last]);
                let even = self.p(Prim::Add, &[index, sign]);
                let half = self.p(Prim::ShrS, &[even, one]);
                return self.p(Prim::Add, &[a, half]);
            }
            _ => unreachable!("{op:?} takes no integers of {:?}", sources),
        };
        self.p(prim, &[a, b])
    }

    /// `i1`: a bit, which is -1 where it has a sign.
    fn bit_op(&mut self, op: ElemOp, operands: &[Value]) -> Value {
        use ElemOp::*;
        let (a, b) = (operands[0], operands.get(1).copied().unwrap_or(operands[0]));
        let not_b = |this: &mut Self| this.p(Prim::MNot, &[b]);
        match op {
            AddI | SubI | Xor => self.p(Prim::MXor, &[a, b]),
            And | MulI | MinI(false) | MaxI(true) => self.p(Prim::MAnd, &[a, b]),
            Or | MaxI(false) | MinI(true) => self.p(Prim::MOr, &[a, b]),
            NegI | AbsI | Shr(true) => a,
            MulHi => self.number(Lane::Mask, 0),
            Shl | Shr(false) | RemI(_) => {
                let not_b = not_b(self);
                self.p(Prim::MAnd, &[a, not_b])
            }
            DivI(..) => {
                let not_b = not_b(self);
                self.p(Prim::MOr, &[a, not_b])
            }
            CmpI(predicate, signed) => {
                let not_a = self.p(Prim::MNot, &[a]);
                let not_b = not_b(self);
                // Where 1 is -1, less is greater.
                let (below, above) = if signed { ([a, not_b], [not_a, b]) } else { ([not_a, b], [a, not_b]) };
                match predicate {
                    ComparisonPredicate::Equal => self.p(Prim::MXor, &[a, not_b]),
                    ComparisonPredicate::NotEqual => self.p(Prim::MXor, &[a, b]),
                    ComparisonPredicate::LessThan => self.p(Prim::MAnd, &below),
                    ComparisonPredicate::GreaterThan => self.p(Prim::MAnd, &above),
                    ComparisonPredicate::LessThanOrEqual => {
                        let above = self.p(Prim::MAnd, &above);
                        self.p(Prim::MNot, &[above])
                    }
                    ComparisonPredicate::GreaterThanOrEqual => {
                        let below = self.p(Prim::MAnd, &below);
                        self.p(Prim::MNot, &[below])
                    }
                }
            }
            _ => unreachable!("{op:?} takes no i1"),
        }
    }

    fn compare(&mut self, predicate: ComparisonPredicate, signed: bool, a: Value, b: Value) -> Value {
        let less = if signed { Prim::LtS } else { Prim::LtU };
        let (prim, operands, negated) = match predicate {
            ComparisonPredicate::Equal => (Prim::Eq, [a, b], false),
            ComparisonPredicate::NotEqual => (Prim::Eq, [a, b], true),
            ComparisonPredicate::LessThan => (less, [a, b], false),
            ComparisonPredicate::GreaterThanOrEqual => (less, [a, b], true),
            ComparisonPredicate::GreaterThan => (less, [b, a], false),
            ComparisonPredicate::LessThanOrEqual => (less, [b, a], true),
        };
        let mask = self.p(prim, &operands);
        if negated { self.p(Prim::MNot, &[mask]) } else { mask }
    }

    /// The quotient; what is not defined gives all bits set where the divisor is zero, and the dividend where the quotient does not fit.
    fn divide(&mut self, signed: bool, rounding: RoundingMode, a: Value, b: Value) -> Value {
        let lane = self.builder.lane(a);
        let up = match rounding {
            RoundingMode::PositiveInf => Some(true),
            RoundingMode::NegativeInf if signed => Some(false),
            _ => None,
        };
        let power = self.power_of_two(signed, b);
        if let (Some(power), Some(false)) = (power, up) {
            let power = self.number(lane, power.into());
            return self.p(Prim::ShrS, &[a, power]);
        }
        let quotient = match power {
            Some(power) => self.divided_by_power(signed, a, power),
            None => self.p(if signed { Prim::DivS } else { Prim::DivU }, &[a, b]),
        };
        let Some(up) = up else { return quotient };
        let (zero, one) = (self.number(lane, 0), self.number(lane, 1));
        let product = self.p(Prim::Mul, &[quotient, b]);
        let exact = self.p(Prim::Eq, &[product, a]);
        let by_zero = self.p(Prim::Eq, &[b, zero]);
        let stays = self.p(Prim::MOr, &[exact, by_zero]);
        // The exact quotient lies beyond the one toward zero: above it if the signs are equal, else below.
        let stays = if signed {
            let signs = self.p(Prim::Xor, &[a, b]);
            let below = self.p(Prim::LtS, &[signs, zero]);
            let wrong_side = if up { below } else { self.p(Prim::MNot, &[below]) };
            self.p(Prim::MOr, &[stays, wrong_side])
        } else {
            stays
        };
        let moved = self.p(if up { Prim::Add } else { Prim::Sub }, &[quotient, one]);
        self.select(stays, quotient, moved)
    }

    /// The remainder; the dividend where the divisor is zero, zero where the quotient does not fit.
    fn remainder(&mut self, signed: bool, a: Value, b: Value) -> Value {
        let lane = self.builder.lane(a);
        let zero = self.number(lane, 0);
        if let Some(power) = self.power_of_two(signed, b) {
            let below = self.number(lane, (1 << power) - 1);
            if !signed {
                return self.p(Prim::And, &[a, below]);
            }
            let raised = self.raised_below_zero(a, power);
            let rest = self.p(Prim::And, &[raised, below]);
            // Back by what was added.
            let added = self.p(Prim::Sub, &[raised, a]);
            return self.p(Prim::Sub, &[rest, added]);
        }
        let quotient = self.p(if signed { Prim::DivS } else { Prim::DivU }, &[a, b]);
        let product = self.p(Prim::Mul, &[quotient, b]);
        let rest = self.p(Prim::Sub, &[a, product]);
        let by_zero = self.p(Prim::Eq, &[b, zero]);
        self.select(by_zero, a, rest)
    }

    /// Which power of two a number is that all lanes have; none if it is not one, or more than numbers with a sign can be.
    fn power_of_two(&self, signed: bool, value: Value) -> Option<u32> {
        let bits = self.builder.constant_bits(value)? & self.builder.lane(value).bits();
        let width = 8 * self.builder.lane(value).size() as u32;
        bits.is_power_of_two().then(|| bits.trailing_zeros()).filter(|power| !signed || *power < width - 1)
    }

    /// A number divided by a power of two, toward zero.
    fn divided_by_power(&mut self, signed: bool, a: Value, power: u32) -> Value {
        let raised = if signed { self.raised_below_zero(a, power) } else { a };
        let by = self.number(self.builder.lane(a), power.into());
        self.p(if signed { Prim::ShrS } else { Prim::ShrU }, &[raised, by])
    }

    /// A number, and one less than a power of two more if it is less than zero: what is cut off then goes toward zero.
    fn raised_below_zero(&mut self, a: Value, power: u32) -> Value {
        let lane = self.builder.lane(a);
        let (last, below) = (self.number(lane, 8 * lane.size() as u64 - 1), self.number(lane, (1 << power) - 1));
        let sign = self.p(Prim::ShrS, &[a, last]);
        let more = self.p(Prim::And, &[sign, below]);
        self.p(Prim::Add, &[a, more])
    }

    /// An integer in wider lanes.
    pub(super) fn extend(&mut self, value: Value, to: Lane, signed: bool) -> Value {
        let from = self.builder.lane(value);
        let step = |s: Prim, u: Prim| if signed { s } else { u };
        match (from, to) {
            (Lane::Mask, _) => {
                let (one, zero) = (self.number(to, if signed { u64::MAX } else { 1 }), self.number(to, 0));
                self.select(value, one, zero)
            }
            _ if from.size() >= to.size() => value,
            (Lane::I8, Lane::I16) => self.p(step(Prim::S8To16, Prim::U8To16), &[value]),
            (Lane::I8, Lane::I32) => self.p(step(Prim::S8To32, Prim::U8To32), &[value]),
            (Lane::I16, Lane::I32) => self.p(step(Prim::S16To32, Prim::U16To32), &[value]),
            (Lane::I32, Lane::I64) => self.p(step(Prim::S32To64, Prim::U32To64), &[value]),
            _ => {
                let middle = self.extend(value, Lane::I32, signed);
                self.extend(middle, to, signed)
            }
        }
    }

    /// The lower bits of an integer.
    pub(super) fn truncate(&mut self, value: Value, to: Lane) -> Value {
        let from = self.builder.lane(value);
        match (from, to) {
            (_, Lane::Mask) => {
                let (one, zero) = (self.number(from, 1), self.number(from, 0));
                let bit = self.p(Prim::And, &[value, one]);
                let clear = self.p(Prim::Eq, &[bit, zero]);
                self.p(Prim::MNot, &[clear])
            }
            _ if from.size() <= to.size() => value,
            (Lane::I16, _) => self.p(Prim::Low8Of16, &[value]),
            (Lane::I32, Lane::I8) => self.p(Prim::Low8Of32, &[value]),
            (Lane::I32, _) => self.p(Prim::Low16Of32, &[value]),
            _ => {
                let low = self.p(Prim::Low32Of64, &[value]);
                self.truncate(low, to)
            }
        }
    }
}
