//! What the row of an operation leaves open: which types its operands and its result may have together, and which values its attributes.

use super::{AttrDef, AttrKind, OpDef, Results, Same, TypeSet};
use crate::AttrValue;

impl OpDef {
    /// The types of operands and results, in that order, that the row allows together. `candidates` gives the types in a set; a type stands
    /// for what slots have in common that the row relates. Empty if the number of results is not fixed.
    pub fn type_choices<T: Copy + PartialEq>(&self, candidates: impl Fn(TypeSet) -> Vec<T>) -> Vec<Vec<T>> {
        let Results::Fixed(results) = self.results else { return Vec::new() };
        let sets = self.operands.iter().map(|operand| operand.types).chain(results.iter().map(|result| result.types));
        let mut choices = vec![Vec::new()];
        for (slot, set) in sets.enumerate() {
            let twin = (0..slot).find(|earlier| self.have_one_type(slot, *earlier));
            let candidates = candidates(set);
            let more = |choice: &Vec<T>| -> Vec<Vec<T>> {
                let fits = candidates.iter().filter(|candidate| twin.is_none_or(|twin| choice[twin] == **candidate));
                fits.map(|candidate| [&choice[..], &[*candidate]].concat()).collect()
            };
            choices = choices.iter().flat_map(more).collect();
        }
        choices
    }

    /// Whether the row gives two slots, operands first, the same type or element type.
    fn have_one_type(&self, slot: usize, other: usize) -> bool {
        // Bit i of a relation is operand i, bit 8 + i result i.
        let bit = |slot: usize| if slot < self.operands.len() { slot } else { 8 + slot - self.operands.len() };
        let related = |slots: u16| slots >> bit(slot) & slots >> bit(other) & 1 == 1;
        self.relations.iter().any(|relation| matches!(relation.same, Same::Type | Same::Element) && related(relation.slots))
    }

    /// The values of all attributes together, in the order of the row: of enumerations each that is allowed, of others absent and present.
    pub fn attr_choices(&self) -> Vec<Vec<AttrValue>> {
        let values = |attr: &AttrDef| -> Vec<AttrValue> {
            match attr.kind {
                AttrKind::Enum(kind) => {
                    kind.values().iter().filter(|v| attr.allowed.contains(v.value)).map(|v| AttrValue::Enum(v.value)).collect()
                }
                _ => vec![AttrValue::Absent, AttrValue::Unit],
            }
        };
        self.attrs.iter().fold(vec![Vec::new()], |choices, attr| {
            let values = values(attr);
            choices.iter().flat_map(|choice| values.iter().map(|value| [&choice[..], &[*value]].concat())).collect()
        })
    }
}
