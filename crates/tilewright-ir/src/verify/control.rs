//! Control flow: loops, branches, and what their terminators hand on.

use super::{At, Verifier, rules, walk::Place};
use crate::{OpRef, Opcode, Type, ops::TypeSet};

impl<'m> Verifier<'m> {
    /// `for`, `loop` and `if`, but for their regions.
    pub(super) fn control(&mut self, at: At<'m>) {
        for (i, ty) in at.result_types().enumerate() {
            self.not_a_view(at, &format!("result {i}"), ty);
        }
        match at.op.opcode() {
            Opcode::For => {
                let first_values = at.operand_types().skip(3);
                let same = at.result_types().eq(first_values.clone());
                self.require(same, &rules::LOOP_RESULTS, at, |v| {
                    let first_values: Vec<Type> = first_values.collect();
                    let (results, first_values) = (v.texts(at.result_types()), v.texts(first_values.into_iter()));
                    format!("the results must have the types of the first values, {first_values}, found {results}")
                });
            }
            Opcode::If => {
                let complete = at.op.results().len() == 0 || at.op.region_block(1).is_some();
                self.require(complete, &rules::IF_ELSE, at, |_| "an if with results needs both branches, found one".to_owned());
            }
            _ => {}
        }
    }

    /// Views are made where they are used: control flow does not carry them.
    pub(super) fn not_a_view(&mut self, at: At<'m>, what: &str, ty: Type) {
        let is_view = self.is(TypeSet::VIEW, ty) || self.is(TypeSet::TENSOR_VIEW, ty);
        self.require(!is_view, &rules::CARRIED_VIEW, at, |v| format!("{what} cannot be a view, found {}", v.text(ty)));
    }

    /// `break`, `continue`, `yield` and `return`: whether they mean something here, and what they hand on.
    pub(super) fn terminator(&mut self, at: At<'m>, place: Place<'m>) {
        let name = at.op.def().mnemonic;
        match at.op.opcode() {
            Opcode::Return => {
                let inside = place.parent.map_or("", |op| op.def().mnemonic);
                let message = |_: &Self| format!("return cannot stand inside of for, reduce or scan, found it in {inside}");
                self.require(!place.no_return, &rules::RETURN_PLACE, at, message);
                let found = at.op.operands().len();
                self.require(at.operand_types().eq(place.returned.iter().copied()), &rules::RETURN_VALUES, at, |v| match place.returned {
                    [] => format!("an entry returns nothing, found {found} values"),
                    results => {
                        let (expected, found) = (v.texts(results.iter().copied()), v.texts(at.operand_types()));
                        format!("return must hand on the results of the function, {expected}, found {found}")
                    }
                });
            }
            Opcode::Yield => self.yielded(at, place),
            opcode => {
                let target = place.target.filter(|op| opcode == Opcode::Continue || op.opcode() == Opcode::Loop);
                match target {
                    Some(target) => self.handed_to_loop(at, target),
                    None => self.report(&rules::JUMP_TARGET, Some(at), format!("{name} needs a loop around it, with only if between them")),
                }
            }
        }
    }

    fn handed_to_loop(&mut self, at: At<'m>, target: OpRef<'m>) {
        let target = At { index: 0, op: target };
        let carries_on = at.op.opcode() == Opcode::Continue && target.op.opcode() == Opcode::Loop;
        let found = at.operand_types();
        let holds = if carries_on { found.eq(target.operand_types()) } else { found.eq(target.result_types()) };
        self.require(holds, &rules::JUMP_VALUES, at, |v| {
            let expected = if carries_on { v.texts(target.operand_types()) } else { v.texts(target.result_types()) };
            let (name, owner, found) = (at.op.def().mnemonic, target.op.def().mnemonic, v.texts(at.operand_types()));
            format!("{name} must hand on what the {owner} takes, {expected}, found {found}")
        });
    }

    fn yielded(&mut self, at: At<'m>, place: Place<'m>) {
        match place.parent {
            Some(op) if op.opcode() == Opcode::If => {
                let parent = At { index: 0, op };
                self.require(at.operand_types().eq(parent.result_types()), &rules::YIELD_VALUES, at, |v| {
                    let (expected, found) = (v.texts(parent.result_types()), v.texts(at.operand_types()));
                    format!("a branch must give the results of its if, {expected}, found {found}")
                });
            }
            Some(op) if matches!(op.opcode(), Opcode::Reduce | Opcode::Scan) => self.fold_yield(at, At { index: 0, op }),
            // What a block of its parent may end in was checked with the region.
            _ => {}
        }
    }
}

/// The values that a terminator hands to the operation it ends a region of, or to the loop it continues or leaves.
///
/// `None` for a terminator outside such an operation. `yield` belongs to its parent; `continue` and `break` to the
/// innermost loop around them.
pub fn terminator_target(op: OpRef<'_>) -> Option<OpRef<'_>> {
    let accepts: fn(Opcode) -> bool = match op.opcode() {
        Opcode::Yield => |o| matches!(o, Opcode::If | Opcode::Reduce | Opcode::Scan),
        Opcode::Continue => |o| matches!(o, Opcode::For | Opcode::Loop),
        Opcode::Break => |o| o == Opcode::Loop,
        _ => return None,
    };
    let parents = std::iter::successors(op.parent(), |p| p.parent());
    for parent in parents {
        if accepts(parent.opcode()) {
            return Some(parent);
        }
        if parent.opcode() != Opcode::If {
            return None;
        }
    }
    None
}
