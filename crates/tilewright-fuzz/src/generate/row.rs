//! Plans for rows that say everything themselves.

use super::{Generator, plan::Plan, types::Need};
use tilewright_ir::{
    Opcode, Type, TypeTable,
    ops::{Arity, OpDef, Results, Same, TypeSet},
};

/// Relations count results from here.
const FIRST_RESULT: usize = 8;
const SLOTS: usize = 16;

/// The operands and results of a row, of which some are chosen already.
pub(super) struct Slots {
    opcode: Opcode,
    elements: [Option<Type>; SLOTS],
    shapes: [Option<Vec<i64>>; SLOTS],
}

impl Slots {
    pub(super) fn new(opcode: Opcode) -> Slots {
        Slots { opcode, elements: [None; SLOTS], shapes: [const { None }; SLOTS] }
    }

    /// Chooses the element type of an operand or result, and of what must have the same.
    pub(super) fn element(mut self, name: &str, element: Type) -> Slots {
        self.elements[slot(self.opcode.def(), name)] = Some(element);
        self
    }

    /// Chooses the shape of an operand or result, and of what must have the same.
    pub(super) fn shape(mut self, name: &str, shape: &[i64]) -> Slots {
        self.shapes[slot(self.opcode.def(), name)] = Some(shape.to_vec());
        self
    }
}

/// The number of an operand or result in relations.
fn slot(def: &OpDef, name: &str) -> usize {
    let result = || match def.results {
        Results::Fixed(results) => results.iter().position(|result| result.name == name).map(|index| FIRST_RESULT + index),
        Results::Variadic(_) => None,
    };
    def.operand_index(name).or_else(result).unwrap_or_else(|| panic!("{} has no '{name}'", def.mnemonic))
}

/// For each slot the lowest one that must have the same element type, or the same shape.
fn classes(def: &OpDef, same: Same) -> [usize; SLOTS] {
    let mut classes: [usize; SLOTS] = std::array::from_fn(|slot| slot);
    // Relations are few and overlap little: one round for each is enough to join them all.
    for _ in 0..def.relations.iter().count() {
        for relation in def.relations.iter().filter(|relation| relation.same == same || relation.same == Same::Type) {
            let members = (0..SLOTS).filter(|slot| relation.slots >> slot & 1 == 1);
            let lowest = members.clone().map(|slot| classes[slot]).min().unwrap_or(0);
            members.for_each(|slot| classes[slot] = lowest);
        }
    }
    classes
}

impl Generator<'_, '_> {
    /// A plan that the row alone gives.
    pub(super) fn row(&mut self, opcode: Opcode) -> Plan {
        self.row_with(Slots::new(opcode))
    }

    /// A plan that the row gives when some things are chosen.
    pub(super) fn row_with(&mut self, mut slots: Slots) -> Plan {
        let opcode = slots.opcode;
        let def = opcode.def();
        let sets = self.present(def);
        let classes = (classes(def, Same::Element), classes(def, Same::Shape));
        self.choose_elements(&mut slots, &sets, &classes.0);
        self.choose_shapes(&mut slots, &sets, &classes.1);
        let mut plan = Plan::new(opcode);
        for (slot, set) in sets {
            let ty = if set == TypeSet::TOKEN {
                TypeTable::token()
            } else {
                let element = slots.elements[classes.0[slot]].expect("every element was chosen");
                let shape = slots.shapes[classes.1[slot]].clone().expect("every shape was chosen");
                self.tile(element, &shape)
            };
            match slot.checked_sub(FIRST_RESULT) {
                Some(_) => plan.results.push(ty),
                None => plan.operands[slot].push(ty),
            }
        }
        plan
    }

    /// The operands that are there and the results, with the types that they may have.
    fn present(&mut self, def: &OpDef) -> Vec<(usize, TypeSet)> {
        let mut present = Vec::new();
        for (slot, operand) in def.operands.iter().enumerate() {
            let is_there = match operand.arity {
                Arity::One => true,
                Arity::Optional => def.operand_since(operand) <= self.version() && self.source.flag(),
                Arity::Variadic => unreachable!("{} needs a plan of its own for '{}'", def.mnemonic, operand.name),
            };
            if is_there {
                present.push((slot, operand.types));
            }
        }
        let Results::Fixed(results) = def.results else { unreachable!("{} needs a plan of its own", def.mnemonic) };
        present.extend(results.iter().enumerate().map(|(i, result)| (FIRST_RESULT + i, result.types)));
        present
    }

    /// Chooses an element type for each class.
    fn choose_elements(&mut self, slots: &mut Slots, sets: &[(usize, TypeSet)], classes: &[usize; SLOTS]) {
        for (slot, element) in slots.elements.into_iter().enumerate() {
            slots.elements[classes[slot]] = slots.elements[classes[slot]].or(element);
        }
        for &(slot, set) in sets.iter().filter(|(_, set)| *set != TypeSet::TOKEN) {
            let members: Vec<TypeSet> = sets.iter().filter(|(other, _)| classes[*other] == classes[slot]).map(|(_, set)| *set).collect();
            if slots.elements[classes[slot]].is_none() {
                let common = members.into_iter().fold(set, TypeSet::and);
                slots.elements[classes[slot]] = Some(self.element(common));
            }
        }
    }

    /// Chooses a shape for each class, one that all element types in it can have.
    fn choose_shapes(&mut self, slots: &mut Slots, sets: &[(usize, TypeSet)], classes: &[usize; SLOTS]) {
        let elements = self::classes(slots.opcode.def(), Same::Element);
        let chosen = std::mem::replace(&mut slots.shapes, [const { None }; SLOTS]);
        for (class, shape) in classes.iter().zip(chosen).filter(|(_, shape)| shape.is_some()) {
            slots.shapes[*class] = shape;
        }
        for &(slot, set) in sets.iter().filter(|(_, set)| *set != TypeSet::TOKEN) {
            if slots.shapes[classes[slot]].is_some() {
                continue;
            }
            let members = sets.iter().filter(|(other, set)| classes[*other] == classes[slot] && *set != TypeSet::TOKEN);
            let need = members.map(|(other, set)| {
                let element = slots.elements[elements[*other]].expect("every element was chosen");
                if set.is_scalar() { Need::Scalar } else { self.need(element) }
            });
            let need = need.max().unwrap_or(Need::Any);
            let shape = if set.is_scalar() { Vec::new() } else { self.shape(need) };
            slots.shapes[classes[slot]] = Some(shape);
        }
    }
}
