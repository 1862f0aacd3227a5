//! Arithmetic and conversions, where the op table does not say everything.

use super::{At, Tile, Verifier, rules};
use crate::{Opcode, RoundingMode, Scalar, Signedness, ops::pairs::conversion_rounds};

impl<'m> Verifier<'m> {
    pub(super) fn arith(&mut self, at: At<'m>) {
        let (Some(result), source) = (at.result_type(0), at.operand_type(0)) else { return };
        let to = self.tile(result);
        let from = source.map_or(to, |ty| self.tile(ty));
        match at.op.opcode() {
            Opcode::Iota => self.iota(at, to),
            Opcode::DivI => self.integer_division(at),
            opcode => {
                let (Some(from), Some(to)) = (self.scalar(from), self.scalar(to)) else { return };
                match opcode {
                    Opcode::ExtI => self.widths(at, from, to, from.bits() < to.bits(), "wider than"),
                    Opcode::TruncI => self.widths(at, from, to, from.bits() > to.bits(), "narrower than"),
                    Opcode::Bitcast => self.widths(at, from, to, from.bits() == to.bits(), "as wide as"),
                    Opcode::IToF => self.integer_to_float(at, to),
                    Opcode::FToF => self.float_to_float(at, from, to),
                    _ => {}
                }
            }
        }
    }

    fn iota(&mut self, at: At<'m>, to: Tile<'m>) {
        let [extent] = *to.shape else {
            return self.report(&rules::IOTA_SHAPE, Some(at), format!("expected a result of rank 1, found rank {}", to.shape.len()));
        };
        let Some(element) = self.scalar(to) else { return };
        let fits = element.bits() >= 63 || extent <= 1 << element.bits();
        self.require(fits, &rules::IOTA_RANGE, at, |_| format!("{element} cannot count {extent} elements"));
    }

    fn integer_division(&mut self, at: At<'m>) {
        let holds = at.op.rounding() != Some(RoundingMode::NegativeInf) || at.op.signedness() == Some(Signedness::Signed);
        let message = |_: &Self| "an unsigned quotient cannot be rounded to negative_inf".to_owned();
        self.require(holds, &rules::ROUNDING_MODE, at, message);
    }

    fn widths(&mut self, at: At<'m>, from: Scalar, to: Scalar, holds: bool, how: &str) {
        self.require(holds, &rules::CONVERSION_WIDTH, at, |_| format!("the elements of the result must be {how} {from}, found {to}"));
    }

    fn integer_to_float(&mut self, at: At<'m>, to: Scalar) {
        let holds = to != Scalar::F8E8M0FNU;
        self.require(holds, &rules::CONVERSION_TYPES, at, |_| {
            format!("integers are not converted to {to}: convert to another float first")
        });
    }

    fn float_to_float(&mut self, at: At<'m>, from: Scalar, to: Scalar) {
        if from == to {
            return self.report(&rules::CONVERSION_TYPES, Some(at), format!("a conversion must change the type, found {from} and {to}"));
        }
        let Some(rounding) = at.op.rounding() else { return };
        self.require(conversion_rounds(from, to, rounding), &rules::ROUNDING_MODE, at, |_| {
            let known: Vec<&str> = RoundingMode::VALUES
                .iter()
                .filter(|v| RoundingMode::from_wire(v.value).is_some_and(|mode| conversion_rounds(from, to, mode)))
                .map(|v| v.keyword)
                .collect();
            format!("{from} is converted to {to} with rounding {}, found {}", known.join(", "), rounding.keyword())
        });
    }
}
