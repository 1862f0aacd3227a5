//! Arithmetic and conversions, where the op table does not say everything.

use super::{At, Tile, Verifier, rules};
use crate::{Opcode, RoundingMode, Scalar, Signedness};

impl<'m> Verifier<'m> {
    pub(super) fn arith(&mut self, at: At<'m>) {
        let (Some(result), source) = (at.result_type(0), at.operand_type(0)) else { return };
        let to = self.tile(result);
        let from = source.map_or(to, |ty| self.tile(ty));
        match at.op.opcode() {
            Opcode::Iota => self.iota(at, to),
            Opcode::DivI => self.integer_division(at),
            Opcode::Offset => self.offset(at, from),
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

    fn offset(&mut self, at: At<'m>, pointers: Tile<'m>) {
        let _ = (at, pointers);
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
        self.require(rounds(from, to, rounding), &rules::ROUNDING_MODE, at, |_| {
            let known: Vec<&str> = RoundingMode::VALUES
                .iter()
                .filter(|v| RoundingMode::from_wire(v.value).is_some_and(|mode| rounds(from, to, mode)))
                .map(|v| v.keyword)
                .collect();
            format!("{from} is converted to {to} with rounding {}, found {}", known.join(", "), rounding.keyword())
        });
    }
}

/// Whether a conversion between different float types knows a rounding mode (SEMANTICS c.5).
fn rounds(from: Scalar, to: Scalar, mode: RoundingMode) -> bool {
    use RoundingMode as R;
    let directed = matches!(mode, R::NearestEven | R::Zero | R::NegativeInf | R::PositiveInf);
    match (from, to) {
        (_, Scalar::F8E8M0FNU) => matches!(mode, R::Zero | R::PositiveInf),
        (_, Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F4E2M1FN | Scalar::Fnv8E5M3FNU) => mode == R::NearestEven,
        _ if widens(from, to) => directed || mode == R::NearestAway,
        (Scalar::F64, Scalar::F32) => directed,
        (Scalar::F32, Scalar::Tf32) => matches!(mode, R::NearestEven | R::Zero | R::NearestAway),
        _ => matches!(mode, R::NearestEven | R::Zero),
    }
}

/// The smallest and the largest exponent of a normal number of a float type, and the bits of its fraction.
fn range(scalar: Scalar) -> (i32, i32, u32) {
    match scalar {
        Scalar::F16 => (-14, 15, 10),
        Scalar::Bf16 => (-126, 127, 7),
        Scalar::F32 => (-126, 127, 23),
        Scalar::Tf32 => (-126, 127, 10),
        Scalar::F64 => (-1022, 1023, 52),
        Scalar::F8E4M3FN => (-6, 8, 3),
        Scalar::F8E5M2 => (-14, 15, 2),
        Scalar::F8E8M0FNU => (-127, 127, 0),
        Scalar::F4E2M1FN => (0, 2, 1),
        Scalar::Fnv8E5M3FNU => (-14, 16, 3),
        Scalar::I1 | Scalar::I4 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => (0, 0, 0),
    }
}

/// Whether every normal number of one type is one of the other. A power of two below those of `f32` is not.
fn widens(from: Scalar, to: Scalar) -> bool {
    let ((least, most, digits), (to_least, to_most, to_digits)) = (range(from), range(to));
    least >= to_least && most <= to_most && digits <= to_digits
}
