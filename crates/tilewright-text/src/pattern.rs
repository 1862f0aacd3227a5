//! Format strings of the op table as the printer follows them: prepared once, so that nothing about a row is looked up again for
//! each operation.

use crate::buffer::Snippet;
use std::sync::LazyLock;
use tilewright_ir::ops::{Arity, AttrDef, AttrDefault, Condition, FormatPiece, OpDef, Results, Subject, TypeList, parse_format};
use tilewright_ir::{AttrValue, Opcode};

/// How operations of one kind are printed.
pub(crate) struct Pattern {
    /// What an operation without results begins with: its mnemonic, and the literal text behind it.
    pub(crate) start: Snippet,
    /// The same behind results: ` = ` stands before it.
    pub(crate) start_after_results: Snippet,
    /// The steps after that; `None` where the syntax is written by hand.
    pub(crate) steps: Option<Vec<Step>>,
}

/// One step of printing an operation.
pub(crate) enum Step {
    /// Append this text.
    Literal(Snippet),
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
    /// Take these steps if the attribute is there and is not this value, its default.
    IfAttr(usize, AttrValue, Vec<Step>),
    /// Take these steps if the attribute is there and is no list of nothing but `false`.
    IfNotAllFalse(usize, Vec<Step>),
}

/// The pattern of every row, by opcode.
pub(crate) fn patterns() -> &'static [Pattern] {
    static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| Opcode::ALL.iter().map(|opcode| pattern(opcode.def())).collect());
    &PATTERNS
}

fn pattern(def: &'static OpDef) -> Pattern {
    let mut pieces = parse_format(def);
    let mut start = def.mnemonic.to_owned();
    if let Some(pieces) = &mut pieces
        && let Some(FormatPiece::Literal(text)) = pieces.first()
    {
        start.push_str(text);
        pieces.remove(0);
    }
    Pattern { start_after_results: format!(" = {start}").into(), start: start.into(), steps: pieces.map(|pieces| steps(def, pieces)) }
}

fn steps(def: &'static OpDef, pieces: Vec<FormatPiece>) -> Vec<Step> {
    pieces.into_iter().map(|piece| step(def, piece)).collect()
}

fn step(def: &'static OpDef, piece: FormatPiece) -> Step {
    match piece {
        FormatPiece::Literal(text) => Step::Literal(text.into()),
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
        FormatPiece::If(Condition::Attr(index), pieces) => {
            let steps = steps(def, pieces);
            match def.attrs[index].default {
                Some(AttrDefault::AllFalse) => Step::IfNotAllFalse(index, steps),
                Some(AttrDefault::Enum(value)) => Step::IfAttr(index, AttrValue::Enum(value), steps),
                Some(AttrDefault::Int(value)) => Step::IfAttr(index, AttrValue::Int(value), steps),
                None => Step::IfAttr(index, AttrValue::Absent, steps),
            }
        }
    }
}

/// Whether an operand is one value, and so is each before it.
fn is_at_its_index(def: &OpDef, index: usize) -> bool {
    def.operands[..=index].iter().all(|operand| operand.arity == Arity::One)
}
