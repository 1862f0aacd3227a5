//! The attributes that a plan leaves open: what the row says about their values.

use super::{Generator, plan::Plan};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, EnumKind, MemoryOrderingSemantics, Scalar,
    ops::{AttrDef, AttrKind},
};

impl Generator<'_, '_> {
    /// Values for the attributes of the row that the plan does not name.
    pub(super) fn row_attributes(&mut self, plan: &Plan) -> Vec<(AttrName, AttrValue)> {
        let def = plan.opcode.def();
        let mut chosen = plan.attrs.clone();
        let first = chosen.len();
        for attr in def.attrs {
            let is_chosen = chosen.iter().any(|(name, _)| *name == attr.name);
            if !is_chosen && def.attr_since(attr) <= self.version() {
                let value = self.attribute(plan, attr, &chosen);
                chosen.push((attr.name, value));
            }
        }
        chosen.split_off(first)
    }

    fn attribute(&mut self, plan: &Plan, attr: &AttrDef, chosen: &[(AttrName, AttrValue)]) -> AttrValue {
        match attr.kind {
            // Weak accesses have no scope, all others have one.
            AttrKind::Enum(EnumKind::MemoryScope) if attr.optional && is_weak(chosen) => AttrValue::Absent,
            AttrKind::Enum(kind) => self.enum_value(plan, attr, kind),
            AttrKind::Unit if !attr.f32_only.contains(0) || self.is_f32(plan) => {
                if self.source.flag() {
                    AttrValue::Unit
                } else {
                    AttrValue::Absent
                }
            }
            AttrKind::Unit => AttrValue::Absent,
            AttrKind::Bool => AttrValue::Bool(self.source.flag()),
            AttrKind::String => AttrValue::Str(self.string()),
            AttrKind::Hints => match self.source.flag() {
                true => AttrValue::Attr(self.hints()),
                false => AttrValue::Absent,
            },
            AttrKind::BoolArray => {
                let promises = (0..plan.count("index")).map(|_| self.source.flag()).collect();
                AttrValue::Attr(self.module.tables.attrs.intern(AttrData::BoolArray(promises)))
            }
            _ => unreachable!("the plan of {} must choose '{}'", plan.opcode, attr.name.name()),
        }
    }

    /// A value that the row, the version and the element type allow.
    fn enum_value(&mut self, plan: &Plan, attr: &AttrDef, kind: EnumKind) -> AttrValue {
        let is_f32 = self.is_f32(plan);
        let known = kind.values().iter().filter(|value| {
            let allowed = attr.allowed.contains(value.value) && value.since <= self.module.version;
            allowed && (is_f32 || !attr.f32_only.contains(value.value))
        });
        let known: Vec<u8> = known.map(|value| value.value).collect();
        AttrValue::Enum(self.source.pick(&known))
    }

    /// Whether the first result is made of `f32`.
    fn is_f32(&self, plan: &Plan) -> bool {
        let tile = plan.results.first().and_then(|ty| self.module.tables.types.as_tile(*ty));
        tile.is_some_and(|(element, _)| element == Scalar::F32.ty())
    }
}

fn is_weak(chosen: &[(AttrName, AttrValue)]) -> bool {
    chosen.contains(&(AttrName::MemoryOrderingSemantics, AttrValue::Enum(MemoryOrderingSemantics::Weak as u8)))
}
