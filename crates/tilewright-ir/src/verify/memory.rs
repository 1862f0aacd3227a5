//! Accesses through pointers, allocation, tokens, globals and printing.

use super::{At, Tile, Verifier, rules};
use crate::{
    AtomicRMWMode, AttrName, AttrValue, MemoryOrderingSemantics, Opcode, PtrAttr, TypeData,
    ops::pairs::{atomic_update_takes, is_word, natural_alignment},
};

impl<'m> Verifier<'m> {
    /// Accesses through tiles of pointers.
    pub(super) fn pointer_access(&mut self, at: At<'m>) {
        let Some(pointers) = at.operand_type(0).map(|ty| self.tile(ty)) else { return };
        let value = match at.op.opcode() {
            Opcode::LoadPtrTko => at.result_type(0),
            Opcode::AtomicCASTko => at.operand_type(2),
            _ => at.operand_type(1),
        };
        let Some(value) = value.map(|ty| self.tile(ty)) else { return };
        if self.is_multicast(pointers) {
            let message = format!("multicast memory is for multimem operations, found {}", self.text(pointers.element));
            return self.report(&rules::MULTICAST_ACCESS, Some(at), message);
        }
        let pointee = self.pointee(pointers);
        if pointee != Some(value.element) {
            let expected = pointee.map_or_else(String::new, |ty| self.text(ty));
            let message = format!("the pointers lead to {expected}, found values of {}", self.text(value.element));
            return self.report(&rules::POINTEE_TYPE, Some(at), message);
        }
        match at.op.opcode() {
            Opcode::AtomicRMWTko => self.atomic_mode(at, value),
            Opcode::AtomicCASTko => {
                let holds = self.scalar(value).is_some_and(is_word);
                self.require(holds, &rules::ATOMIC_TYPE, at, |v| {
                    format!("values of 32 or 64 bits are compared and swapped, found {}", v.text(value.element))
                });
            }
            _ => self.scope(at),
        }
    }

    fn is_multicast(&self, pointers: Tile<'_>) -> bool {
        matches!(self.module.tables.types.get(pointers.element), TypeData::Pointer { attr: Some(PtrAttr::Multicast), .. })
    }

    /// Weak accesses have no scope, all others have one.
    pub(super) fn scope(&mut self, at: At<'m>) {
        let weak = at.op.memory_ordering() == Some(MemoryOrderingSemantics::Weak);
        let scope = at.op.memory_scope();
        self.require(weak != scope.is_some(), &rules::MEMORY_SCOPE, at, |_| match scope {
            Some(scope) => format!("a weak access has no memory scope, found {}", scope.keyword()),
            None => "an access that is not weak needs a memory scope, found none".to_owned(),
        });
    }

    /// Whether an atomic update works on a type.
    pub(super) fn atomic_mode(&mut self, at: At<'m>, value: Tile<'m>) {
        let AttrValue::Enum(wire) = at.op.attr(AttrName::Mode) else { return };
        let (Some(mode), scalar) = (AtomicRMWMode::from_wire(wire), self.scalar(value)) else { return };
        let types = match mode {
            AtomicRMWMode::Addf => "f16, bf16, f32 and f64",
            AtomicRMWMode::Xchg => "numbers of 32 and 64 bits",
            _ => "i32 and i64",
        };
        let known = scalar.is_some_and(|scalar| atomic_update_takes(mode, scalar));
        self.require(known, &rules::ATOMIC_TYPE, at, |v| format!("{} works on {types}, found {}", mode.keyword(), v.text(value.element)));
    }

    /// What else touches memory.
    pub(super) fn memory(&mut self, at: At<'m>) {
        match at.op.opcode() {
            Opcode::Alloca => self.alloca(at),
            Opcode::JoinTokens => {
                let found = at.op.operands().len();
                self.require(found >= 2, &rules::JOIN_TOKENS, at, |_| format!("expected two tokens or more, found {found}"));
            }
            Opcode::PrintTko => self.print(at),
            Opcode::GetGlobal => self.get_global(at),
            _ => {}
        }
    }

    fn alloca(&mut self, at: At<'m>) {
        let alignment = at.op.int(AttrName::Alignment).unwrap_or(0);
        let power = alignment.is_power_of_two() && i64::try_from(alignment).is_ok();
        if !power {
            return self.report(&rules::ALLOCA_ALIGNMENT, Some(at), format!("the alignment must be a power of two, found {alignment}"));
        }
        let pointee = at.result_type(0).and_then(|ty| self.pointee(self.tile(ty))).and_then(|ty| self.module.tables.types.scalar(ty));
        if let Some(pointee) = pointee {
            let natural = natural_alignment(pointee);
            self.require(alignment >= natural, &rules::ALLOCA_ALIGNMENT, at, |_| {
                format!("{pointee} needs an alignment of {natural} or more, found {alignment}")
            });
        }
        let count = at.op.int(AttrName::NumElem).unwrap_or(0);
        self.require(i64::try_from(count).is_ok(), &rules::ALLOCA_SIZE, at, |_| format!("too many elements: {count}"));
    }

    fn get_global(&mut self, at: At<'m>) {
        let (AttrValue::Str(name), Some(result)) = (at.op.attr(AttrName::Name), at.result_type(0)) else { return };
        let Some(&global) = self.globals.get(&name) else {
            let message = format!("@{} is no global of the module", self.name(name));
            return self.report(&rules::GLOBAL_SYMBOL, Some(at), message);
        };
        let element = self.tile(global).element;
        let holds = self.pointee(self.tile(result)) == Some(element);
        self.require(holds, &rules::GLOBAL_POINTER, at, |v| {
            format!("@{} holds {}, found {}", v.name(name), v.text(element), v.text(result))
        });
    }

    /// The conversions of the format and the values must go together.
    fn print(&mut self, at: At<'m>) {
        let AttrValue::Str(format) = at.op.attr(AttrName::Str) else { return };
        match conversions(self.module.tables.strings.bytes(format)) {
            None => self.report(&rules::PRINT_FORMAT, Some(at), "a conversion of the format has no end".to_owned()),
            Some(expected) => {
                let found = at.op.operand_group(0).len();
                let message = |_: &Self| format!("the format takes {expected} values, found {found}");
                self.require(expected == found, &rules::PRINT_ARGUMENTS, at, message);
            }
        }
    }
}

/// How many conversions a format string has; `None` if one has no end.
fn conversions(format: &[u8]) -> Option<usize> {
    const LETTERS: &[u8] = b"diuoxXeEfFgGaAcsSpn%";
    let mut count = 0;
    let mut at = 0;
    while let Some(start) = format[at..].iter().position(|byte| *byte == b'%') {
        let conversion = &format[at + start + 1..];
        let end = conversion.iter().position(|byte| LETTERS.contains(byte))?;
        if end == 0 && conversion[0] == b'%' {
            // A percent sign that stands for itself.
            at += start + 2;
        } else {
            count += 1;
            at += start + 1;
        }
    }
    Some(count)
}
