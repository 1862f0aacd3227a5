//! Arithmetic and conversions, where the op table does not say everything.

use super::{Generator, plan::Plan, row::Slots};
use tilewright_ir::{
    AttrName, AttrValue, Opcode, RoundingMode, Scalar, Signedness,
    ops::{TypeSet, pairs::conversion_rounds},
};

impl Generator<'_, '_> {
    pub(super) fn arith(&mut self, opcode: Opcode) -> Plan {
        match opcode {
            Opcode::Iota => self.iota(),
            Opcode::DivI => self.integer_division(),
            Opcode::ExtI => self.conversion(opcode, TypeSet::INT_OR_I4, |from, to| from.bits() < to.bits()),
            Opcode::TruncI => self.conversion(opcode, TypeSet::INT_OR_I4, |from, to| from.bits() > to.bits()),
            Opcode::Bitcast => self.bitcast(),
            Opcode::IToF => self.integer_to_float(),
            Opcode::FToF => self.float_to_float(),
            _ => unreachable!("{opcode} is no arithmetic"),
        }
    }

    fn iota(&mut self) -> Plan {
        let scalar = self.scalar(TypeSet::INT);
        let power = self.source.below(scalar.bits().min(12) as usize + 1);
        let ty = self.tile(scalar, &[1 << power]);
        Plan::new(Opcode::Iota).result(ty)
    }

    fn integer_division(&mut self) -> Plan {
        let modes = [RoundingMode::Zero, RoundingMode::PositiveInf, RoundingMode::NegativeInf];
        let rounding = self.source.pick(&modes);
        // An unsigned quotient is never below zero.
        let unsigned = rounding != RoundingMode::NegativeInf && self.source.flag();
        let signedness = if unsigned { Signedness::Unsigned } else { Signedness::Signed };
        let plan = self.row(Opcode::DivI).attr(AttrName::Signedness, AttrValue::Enum(signedness as u8));
        plan.attr(AttrName::Rounding, AttrValue::Enum(rounding as u8))
    }

    /// A conversion between two types of a set that go together.
    fn conversion(&mut self, opcode: Opcode, set: TypeSet, fits: impl Fn(Scalar, Scalar) -> bool) -> Plan {
        let scalars = self.scalars(set);
        let pairs = scalars.iter().flat_map(|from| scalars.iter().map(|to| (*from, *to))).filter(|(from, to)| fits(*from, *to));
        let (from, to) = self.source.pick(&pairs.collect::<Vec<_>>());
        self.row_with(Slots::new(opcode).element("from", from.ty()).element("to", to.ty()))
    }

    fn bitcast(&mut self) -> Plan {
        let scalars = self.scalars(TypeSet::NUMBER);
        let from = self.source.pick(&scalars);
        let same: Vec<Scalar> = scalars.into_iter().filter(|to| to.bits() == from.bits()).collect();
        let to = self.source.pick(&same);
        self.row_with(Slots::new(Opcode::Bitcast).element("source", from.ty()).element("result", to.ty()))
    }

    fn integer_to_float(&mut self) -> Plan {
        let mut floats = self.scalars(TypeSet::ANY_FLOAT);
        floats.retain(|scalar| *scalar != Scalar::F8E8M0FNU);
        let to = self.source.pick(&floats);
        self.row_with(Slots::new(Opcode::IToF).element("to", to.ty()))
    }

    fn float_to_float(&mut self) -> Plan {
        let floats = self.scalars(TypeSet::ANY_FLOAT);
        let mut conversions = Vec::new();
        for (from, to) in floats.iter().flat_map(|from| floats.iter().map(move |to| (*from, *to))).filter(|(from, to)| from != to) {
            let modes = RoundingMode::VALUES.iter().filter(|mode| mode.since <= self.version());
            let modes = modes.filter_map(|mode| RoundingMode::from_wire(mode.value)).filter(|mode| conversion_rounds(from, to, *mode));
            conversions.extend(modes.map(|mode| (from, to, mode)));
        }
        let (from, to, mode) = self.source.pick(&conversions);
        let plan = self.row_with(Slots::new(Opcode::FToF).element("from", from.ty()).element("to", to.ty()));
        plan.attr(AttrName::RoundingMode, AttrValue::Enum(mode as u8))
    }
}
