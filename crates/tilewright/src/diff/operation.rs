//! Comparing two operations that belong together.

use super::{
    Detail, DiffOptions,
    canon::{Canon, Side},
    function::{Code, Mapping, location_text, place_of_block},
};
use crate::{
    ir::{AttrValue, Const, OpRef, Value, ValueDef, ops::Arity},
    text,
};

/// Longest constant whose bytes are shown.
const MAX_BYTES: usize = 16;

/// What differs between the operations at two positions.
pub(super) fn compare<'m>(
    canon: &mut Canon,
    old: (&Code<'m>, usize),
    new: (&Code<'m>, usize),
    mapping: &Mapping,
    options: &DiffOptions,
) -> Vec<Detail> {
    let ((old, a), (new, b)) = (old, new);
    let (a, b) = (old.op(a), new.op(b));
    let mut pair = Pair { old, new, a, b, mapping, details: Vec::new() };
    pair.place();
    pair.attributes(canon);
    pair.results();
    pair.operands();
    pair.regions();
    if options.locations && old.side.location(a.loc()) != new.side.location(b.loc()) {
        pair.add("location", location_text(old.side, a.loc()), location_text(new.side, b.loc()));
    }
    pair.details
}

/// Two operations of one opcode.
struct Pair<'p, 'm> {
    old: &'p Code<'m>,
    new: &'p Code<'m>,
    a: OpRef<'m>,
    b: OpRef<'m>,
    mapping: &'p Mapping,
    details: Vec<Detail>,
}

impl Pair<'_, '_> {
    fn add(&mut self, what: impl Into<String>, old: impl Into<String>, new: impl Into<String>) {
        self.details.push(Detail::new(what, old, new));
    }

    /// Where they stand: in regions that belong together, in the same block.
    fn place(&mut self) {
        let place = |op: OpRef<'_>| op.block().map(|block| place_of_block(op.body(), block));
        let (Some(old), Some(new)) = (place(self.a), place(self.b)) else { return };
        let expected = old.0.and_then(|op| self.mapping.op(op));
        if (expected, old.1, old.2) != new || (old.0.is_some() && expected.is_none()) {
            self.add("place", place_text(self.a, old), place_text(self.b, new));
        }
    }

    fn attributes(&mut self, canon: &mut Canon) {
        let ty = |op: OpRef<'_>| op.result(0).map(|result| op.body().ty(result));
        for (index, def) in self.a.def().attrs.iter().enumerate() {
            let (a, b) = (self.a.attrs()[index], self.b.attrs()[index]);
            if canon.attr(self.old.side, a, ty(self.a)) != canon.attr(self.new.side, b, ty(self.b)) {
                let text = |side: &Side<'_>, value: AttrValue| match value {
                    AttrValue::Absent => "none".to_owned(),
                    AttrValue::Const(constant) => constant_text(side, constant),
                    value => text::print_attr(side.module, def, value),
                };
                self.add(def.name.name(), text(self.old.side, a), text(self.new.side, b));
            }
        }
    }

    fn results(&mut self) {
        let (old, new) = (self.a.results(), self.b.results());
        if old.len() != new.len() {
            return self.add("results", old.len().to_string(), new.len().to_string());
        }
        let many = old.len() > 1;
        for (index, (a, b)) in old.zip(new).enumerate() {
            let what = if many { format!("type of result {index}") } else { "type".to_owned() };
            self.types(what, a, b);
        }
    }

    /// Compares the types of two values.
    fn types(&mut self, what: String, a: Value, b: Value) {
        let (a, b) = (self.old.body().ty(a), self.new.body().ty(b));
        if self.old.side.ty(a) != self.new.side.ty(b) {
            self.add(what, text::print_type(self.old.side.module, a), text::print_type(self.new.side.module, b));
        }
    }

    fn operands(&mut self) {
        for (index, def) in self.a.def().operands.iter().enumerate() {
            let (a, b) = (self.a.operand_group(index), self.b.operand_group(index));
            if a.len() != b.len() {
                let list = |code: &Code<'_>, values: &[Value]| match values {
                    [] => "none".to_owned(),
                    values => values.iter().map(|&value| code.printer().value(value)).collect::<Vec<_>>().join(", "),
                };
                self.add(format!("operands {}", def.name), list(self.old, a), list(self.new, b));
                continue;
            }
            for (number, (&a, &b)) in a.iter().zip(b).enumerate() {
                if self.mapping.value(a) != Some(b) {
                    let number = if def.arity == Arity::Variadic { format!(" {number}") } else { String::new() };
                    self.add(format!("operand {}{number}", def.name), value_text(self.old, a), value_text(self.new, b));
                }
            }
        }
    }

    /// Compares the shape of the regions; the operations in them are compared on their own.
    fn regions(&mut self) {
        for (number, (a, b)) in self.a.regions().zip(self.b.regions()).enumerate() {
            let (old, new) = (self.old.body(), self.new.body());
            let (a, b): (Vec<_>, Vec<_>) = (old.blocks(a).collect(), new.blocks(b).collect());
            if a.len() != b.len() {
                self.add(format!("blocks of region {number}"), a.len().to_string(), b.len().to_string());
            }
            for (a, b) in a.into_iter().zip(b) {
                let (a, b) = (old.args(a), new.args(b));
                if a.len() != b.len() {
                    self.add(format!("arguments of region {number}"), a.len().to_string(), b.len().to_string());
                }
                for (index, (a, b)) in a.zip(b).enumerate() {
                    self.types(format!("type of argument {index}"), a, b);
                }
            }
        }
    }
}

/// A value and what it comes from: `%3 of addf (operation 7)`.
fn value_text(code: &Code<'_>, value: Value) -> String {
    let name = code.printer().value(value);
    if !code.body().contains_value(value) {
        return name;
    }
    match code.body().value_def(value) {
        ValueDef::Result(op, _) => {
            let position = code.prints.positions[op.index()];
            format!("{name} of {} (operation {position})", code.body().op(op).opcode())
        }
        ValueDef::Argument(..) => name,
    }
}

fn place_text(op: OpRef<'_>, place: (Option<crate::ir::Op>, Option<usize>, Option<usize>)) -> String {
    match place {
        (Some(owner), Some(region), _) => format!("region {region} of {}", op.body().op(owner).opcode()),
        _ => "top of the function".to_owned(),
    }
}

/// The data of a constant, for people.
pub(super) fn constant_text(side: &Side<'_>, constant: Const) -> String {
    let constants = &side.module.tables.constants;
    let bytes = if constant.index() < constants.len() { constants.bytes(constant) } else { &[] };
    let shown: Vec<String> = bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let dots = if bytes.len() > MAX_BYTES { format!(" ... ({} bytes)", bytes.len()) } else { String::new() };
    format!("{}{dots}", shown.join(" "))
}
