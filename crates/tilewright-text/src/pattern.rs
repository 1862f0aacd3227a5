//! Format strings of the op table as the printer follows them: prepared once, so that nothing about a row is looked up again for
//! each operation.

use std::sync::LazyLock;
use tilewright_ir::Opcode;
use tilewright_ir::ops::{Arity, AttrDef, Condition, FormatPiece, OpDef, Results, Subject, TypeList, parse_format};

/// One step of printing an operation.
pub(crate) enum Step {
    /// Append this text.
    Literal(&'static str),
    /// Append the operand that is always at this place.
    Value(usize),
    /// Append the values of the operand at this position of the row.
    Values(usize),
    /// Append an attribute: its position and its row.
    Attr(usize, &'static AttrDef),
    /// Append the type of the operand that is always at this place.
    TypeOfValue(usize),
    /// Append the types of the values of an operand.
    TypesOfValues(usize, TypeList),
    /// Append the type of a result.
    TypeOfResult(usize),
    /// Append the types of all results.
    TypesOfResults,
    /// Take these steps if the operand at this position of the row has values.
    IfValues(usize, Vec<Step>),
    /// Take these steps if the attribute is there and is not its default.
    IfAttr(usize, &'static AttrDef, Vec<Step>),
}

/// The steps of every row with a format string, by opcode.
static PATTERNS: LazyLock<Vec<Option<Vec<Step>>>> = LazyLock::new(|| Opcode::ALL.iter().map(|opcode| pattern(opcode.def())).collect());

/// The steps of every row, by opcode; `None` where the syntax is written by hand.
pub(crate) fn patterns() -> &'static [Option<Vec<Step>>] {
    &PATTERNS
}

fn pattern(def: &'static OpDef) -> Option<Vec<Step>> {
    parse_format(def).map(|pieces| steps(def, pieces))
}

fn steps(def: &'static OpDef, pieces: Vec<FormatPiece>) -> Vec<Step> {
    pieces.into_iter().map(|piece| step(def, piece)).collect()
}

fn step(def: &'static OpDef, piece: FormatPiece) -> Step {
    match piece {
        FormatPiece::Literal(text) => Step::Literal(text),
        FormatPiece::Operand(index) if is_at_its_index(def, index) => Step::Value(index),
        FormatPiece::Operand(index) => Step::Values(index),
        FormatPiece::Attr(index) => Step::Attr(index, &def.attrs[index]),
        FormatPiece::Types(Subject::Operand(index), _) if is_at_its_index(def, index) => Step::TypeOfValue(index),
        FormatPiece::Types(Subject::Operand(index), list) => Step::TypesOfValues(index, list),
        FormatPiece::Types(Subject::Result(index), list) => match def.results {
            Results::Variadic(_) if list == TypeList::All => Step::TypesOfResults,
            _ => Step::TypeOfResult(index),
        },
        FormatPiece::If(Condition::Operand(index), pieces) => Step::IfValues(index, steps(def, pieces)),
        FormatPiece::If(Condition::Attr(index), pieces) => Step::IfAttr(index, &def.attrs[index], steps(def, pieces)),
    }
}

/// Whether an operand is one value, and so is each before it.
fn is_at_its_index(def: &OpDef, index: usize) -> bool {
    def.operands[..=index].iter().all(|operand| operand.arity == Arity::One)
}
