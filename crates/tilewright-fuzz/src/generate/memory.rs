//! Accesses through pointers, allocation, tokens, globals and printing.

use super::{Generator, plan::Plan, types::Need};
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, EnumKind, Opcode, Scalar, Str, Type, TypeTable,
    ops::{
        TypeSet,
        pairs::{atomic_update_takes, is_word, natural_alignment},
    },
};

/// Conversions that a format can have; each takes a value.
const CONVERSIONS: [&str; 6] = ["%d", "%5.2f", "%lld", "%x", "%i", "%-8g"];
/// What stands between them.
const TEXTS: [&str; 6] = ["", "x = ", "%%", "\n", "\"\\", "ä, "];

/// A tile of pointers, and the tile of what they point to.
struct Accessed {
    pointers: Type,
    values: Type,
    mask: Type,
}

impl Generator<'_, '_> {
    pub(super) fn memory(&mut self, opcode: Opcode) -> Plan {
        match opcode {
            Opcode::LoadPtrTko => self.load(),
            Opcode::StorePtrTko => self.store(),
            Opcode::AtomicRMWTko => self.atomic_update(),
            Opcode::AtomicCASTko => self.compare_and_swap(),
            Opcode::Alloca => self.alloca(),
            Opcode::JoinTokens => {
                let tokens = vec![TypeTable::token(); 2 + self.source.below(3)];
                Plan::new(opcode).operands("tokens", &tokens).result(TypeTable::token())
            }
            Opcode::PrintTko => self.print(),
            Opcode::GetGlobal => self.get_global(),
            _ => unreachable!("{opcode} does not touch memory"),
        }
    }

    fn accessed(&mut self, scalar: Scalar) -> Accessed {
        let attr = self.memory_property(false);
        let pointer = self.pointer_to(scalar, attr);
        let shape = self.shape(Need::Any);
        let (pointers, values) = (self.tile(pointer, &shape), self.tile(scalar, &shape));
        Accessed { pointers, values, mask: self.tile(Scalar::I1, &shape) }
    }

    /// A scalar that a tile can hold one of for each pointer.
    fn accessed_scalar(&mut self, fits: impl Fn(Scalar) -> bool) -> Scalar {
        let mut scalars = self.scalars(TypeSet::NUMBER);
        scalars.retain(|scalar| *scalar != Scalar::F4E2M1FN && fits(*scalar));
        self.source.pick(&scalars)
    }

    fn load(&mut self) -> Plan {
        let scalar = self.accessed_scalar(|_| true);
        let Accessed { pointers, values, mask } = self.accessed(scalar);
        let plan = Plan::new(Opcode::LoadPtrTko).operand("source", pointers).result(values).result(TypeTable::token());
        let plan = self.maybe(plan, "mask", mask);
        let plan = self.maybe(plan, "paddingValue", values);
        self.maybe(plan, "token", TypeTable::token())
    }

    fn store(&mut self) -> Plan {
        let scalar = self.accessed_scalar(|_| true);
        let Accessed { pointers, values, mask } = self.accessed(scalar);
        let plan = Plan::new(Opcode::StorePtrTko).operand("destination", pointers).operand("value", values).result(TypeTable::token());
        let plan = self.maybe(plan, "mask", mask);
        self.maybe(plan, "token", TypeTable::token())
    }

    /// A way to update, and a scalar that it works on.
    pub(super) fn update(&mut self, allowed: impl Fn(u8) -> bool) -> (AtomicRMWMode, Scalar) {
        let modes = EnumKind::AtomicRMWMode.values().iter().filter(|mode| allowed(mode.value));
        let modes: Vec<AtomicRMWMode> = modes.filter_map(|mode| AtomicRMWMode::from_wire(mode.value)).collect();
        let mode = self.source.pick(&modes);
        (mode, self.accessed_scalar(|scalar| atomic_update_takes(mode, scalar)))
    }

    fn atomic_update(&mut self) -> Plan {
        let (mode, scalar) = self.update(|_| true);
        let Accessed { pointers, values, mask } = self.accessed(scalar);
        let plan = Plan::new(Opcode::AtomicRMWTko).operand("pointers", pointers).operand("arg", values);
        let plan = plan.attr(AttrName::Mode, AttrValue::Enum(mode as u8)).result(values).result(TypeTable::token());
        let plan = self.maybe(plan, "mask", mask);
        self.maybe(plan, "token", TypeTable::token())
    }

    fn compare_and_swap(&mut self) -> Plan {
        let scalar = self.accessed_scalar(is_word);
        let Accessed { pointers, values, mask } = self.accessed(scalar);
        let plan = Plan::new(Opcode::AtomicCASTko).operand("pointers", pointers).operand("cmp", values).operand("val", values);
        let plan = self.maybe(plan.result(values).result(TypeTable::token()), "mask", mask);
        self.maybe(plan, "token", TypeTable::token())
    }

    fn alloca(&mut self) -> Plan {
        let scalar = self.stored_scalar();
        let pointer = self.pointer_to(scalar, None);
        let ty = self.tile(pointer, &[]);
        let alignment = natural_alignment(scalar).max(1) << self.source.below(8);
        let elements = self.source.number(3);
        let plan = Plan::new(Opcode::Alloca).attr(AttrName::NumElem, AttrValue::Int(elements));
        plan.attr(AttrName::Alignment, AttrValue::Int(alignment)).result(ty)
    }

    fn print(&mut self) -> Plan {
        let mut format = String::from(self.source.pick(&TEXTS));
        let mut plan = Plan::new(Opcode::PrintTko).result(TypeTable::token());
        for _ in 0..self.source.below(4) {
            format += self.source.pick(&CONVERSIONS);
            format += self.source.pick(&TEXTS);
            let ty = self.any_tile(TypeSet::TILE);
            plan = plan.operand("args", ty);
        }
        let format = self.intern_string(format);
        let plan = plan.attr(AttrName::Str, AttrValue::Str(format));
        self.maybe(plan, "token", TypeTable::token())
    }

    /// The globals that pointers can lead to, and what they are made of: all but those of `i4`.
    pub(super) fn addressable_globals(&self) -> Vec<(Str, Scalar)> {
        let types = &self.module.tables.types;
        let scalar = |ty| types.as_tile(ty).and_then(|(element, _)| types.scalar(element));
        let globals = self.module.globals.iter().filter_map(|global| Some((global.name, scalar(global.ty)?)));
        globals.filter(|(_, scalar)| *scalar != Scalar::I4).collect()
    }

    fn get_global(&mut self) -> Plan {
        let (name, scalar) = self.source.pick(&self.addressable_globals());
        let pointer = self.pointer_to(scalar, None);
        let result = self.tile(pointer, &[]);
        Plan::new(Opcode::GetGlobal).attr(AttrName::Name, AttrValue::Str(name)).result(result)
    }
}
