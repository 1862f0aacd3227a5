//! What every operation has: its place, its version, counts and kinds.

use super::{At, Verifier, rules};
use crate::{
    AttrData, AttrValue, Type,
    ops::{Arity, AttrDef, AttrDefault, AttrKind, Placement, Results},
};

impl<'m> Verifier<'m> {
    pub(super) fn structure(&mut self, at: At<'m>) {
        let def = at.op.def();
        if self.plain[at.op.opcode() as usize] {
            let found = at.op.operands().len();
            let expected = def.operands.len();
            self.require(found == expected, &rules::OPERAND_COUNT, at, |_| format!("expected {expected} operands, found {found}"));
        } else {
            self.place_and_version(at);
            self.operand_count(at);
        }
        if let Results::Fixed(results) = def.results {
            let (expected, found) = (results.len(), at.op.results().len());
            self.require(expected == found, &rules::RESULT_COUNT, at, |_| format!("expected {expected} results, found {found}"));
        }
        for (attr, value) in def.attrs.iter().zip(at.op.attrs()) {
            self.attribute(at, attr, *value);
        }
        for ty in at.result_types() {
            self.type_version(ty, Some(at));
        }
    }

    fn place_and_version(&mut self, at: At<'m>) {
        let (def, version) = (at.op.def(), self.version());
        let message = |_: &Self| format!("{} cannot stand in the body of a function", def.mnemonic);
        self.require(def.placement == Placement::Body, &rules::OP_PLACEMENT, at, message);
        let message = |_: &Self| format!("{} needs version {}, the module has {version}", def.mnemonic, def.since);
        self.require(def.since <= version, &rules::OP_VERSION, at, message);
    }

    fn operand_count(&mut self, at: At<'m>) {
        let (def, op) = (at.op.def(), at.op);
        let mut least = 0;
        let mut open = false;
        for (i, operand) in def.operands.iter().enumerate() {
            let present = op.present_operands() >> i & 1 == 1;
            least += match operand.arity {
                Arity::One => 1,
                Arity::Optional => usize::from(present),
                Arity::Variadic => {
                    open = true;
                    0
                }
            };
            if operand.arity == Arity::Optional && present && def.operand_since(operand) > self.version() {
                let (since, version) = (def.operand_since(operand), self.version());
                let message = format!("operand '{}' needs version {since}, the module has {version}", operand.name);
                self.report(&rules::OPERAND_VERSION, Some(at), message);
            }
        }
        let found = op.operands().len();
        let grouped: usize = (0..def.operands.len()).map(|i| op.operand_group(i).len()).sum();
        if found < least || (!open && found > least) || grouped != found {
            let more = if open { " or more" } else { "" };
            self.report(&rules::OPERAND_COUNT, Some(at), format!("expected {least}{more} operands, found {found}"));
        }
    }

    #[inline]
    fn attribute(&mut self, at: At<'m>, attr: &'static AttrDef, value: AttrValue) {
        match (attr.kind, value) {
            // What nearly all attributes are: a value of an enumeration that is no newer than anything else here.
            (AttrKind::Enum(kind), AttrValue::Enum(wire)) if attr.since.is_none() => match kind.value(wire) {
                Some(entry) if entry.since <= self.module.version => {}
                _ => self.unusual_attribute(at, attr, value),
            },
            (_, AttrValue::Absent) if attr.optional => {}
            _ => self.unusual_attribute(at, attr, value),
        }
    }

    fn unusual_attribute(&mut self, at: At<'m>, attr: &'static AttrDef, value: AttrValue) {
        let name = attr.name.name();
        let version = self.version();
        if value == AttrValue::Absent {
            return self.require(attr.optional, &rules::ATTRIBUTE_MISSING, at, |_| format!("attribute '{name}' is missing"));
        }
        if !self.attribute_fits(attr.kind, value) {
            let message = format!("attribute '{name}' holds {value:?}, which is no {:?}", attr.kind);
            return self.report(&rules::ATTRIBUTE_KIND, Some(at), message);
        }
        let since = at.op.def().attr_since(attr);
        if since > version && !self.is_default(attr, value) {
            let message = format!("attribute '{name}' needs version {since}, the module has {version}");
            self.report(&rules::ATTRIBUTE_VERSION, Some(at), message);
        }
        if let (AttrKind::Enum(kind), AttrValue::Enum(wire)) = (attr.kind, value)
            && let Some(entry) = kind.value(wire)
            && entry.since > version
        {
            let message =
                format!("value '{}' of attribute '{name}' needs version {}, the module has {version}", entry.keyword, entry.since);
            self.report(&rules::ATTRIBUTE_VERSION, Some(at), message);
        }
    }

    fn is_default(&self, attr: &AttrDef, value: AttrValue) -> bool {
        match (attr.default, value) {
            (Some(AttrDefault::Enum(default)), AttrValue::Enum(value)) => default == value,
            (Some(AttrDefault::Int(default)), AttrValue::Int(value)) => default == value,
            (Some(AttrDefault::AllFalse), AttrValue::Attr(attr)) => {
                matches!(self.attr(attr), Some(AttrData::BoolArray(bits)) if bits.iter().all(|bit| !bit))
            }
            _ => false,
        }
    }

    /// Whether a value is of the kind that the row names, and its handle of this module.
    fn attribute_fits(&self, kind: AttrKind, value: AttrValue) -> bool {
        let tables = &self.module.tables;
        let exists = match value {
            AttrValue::Str(string) => string.index() < tables.strings.len(),
            AttrValue::Type(ty) => ty.index() < tables.types.len(),
            AttrValue::Const(constant) => constant.index() < tables.constants.len(),
            AttrValue::Attr(attr) => self.attr(attr).is_some_and(|data| compound_fits(kind, data)),
            _ => true,
        };
        exists && kind.fits(value)
    }

    #[inline]
    pub(super) fn type_version(&mut self, ty: Type, at: Option<At<'m>>) {
        match self.types.get(ty.index()) {
            Some(facts) if facts.since <= self.module.version => {}
            Some(facts) => {
                let message = format!("type {} needs version {}, the module has {}", self.text(ty), facts.since, self.version());
                self.report(&rules::TYPE_VERSION, at, message);
            }
            None => self.report(&rules::TYPE_HANDLE, at, format!("type {} does not exist in the module", ty.index())),
        }
    }
}

fn compound_fits(kind: AttrKind, data: &AttrData) -> bool {
    matches!(
        (kind, data),
        (AttrKind::Array, AttrData::Array(_))
            | (AttrKind::Hints, AttrData::OptimizationHints(_))
            | (AttrKind::Predicate, AttrData::DivBy { .. } | AttrData::SameElements(_) | AttrData::Bounded { .. })
            | (AttrKind::I32Array, AttrData::I32Array(_))
            | (AttrKind::BoolArray, AttrData::BoolArray(_))
    )
}
