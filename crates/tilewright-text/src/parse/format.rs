//! Format strings made ready for parsing: literal text as tokens, and what no type list shows.

use super::extended::other_names;
use super::lexer::{Kind, Lexer};
use foldhash::HashMap;
use std::sync::LazyLock;
use tilewright_ir::ops::{
    AttrDef, AttrDefault, Condition, FormatPiece, Placement, Results, Subject, TypeList, TypeSource, parse_format, type_source,
};
use tilewright_ir::{AttrValue, Opcode};

/// One step of reading an operation.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// This token.
    Token(Kind),
    /// A word, or a `#name`, with this text.
    Word(&'static str),
    /// The values of an operand.
    Operand(usize),
    /// An attribute.
    Attr(usize),
    /// Types of operands or results.
    Types(Subject, TypeList),
    /// Steps that are only there with their subject.
    If(Condition, Vec<Step>),
}

/// How an operation is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// The operands and results whose types are not in the text, and where these come from.
    pub(super) implied: Vec<(Subject, TypeSource)>,
}

/// The plan of each operation; `None` where the syntax is irregular.
pub(super) static PLANS: LazyLock<Vec<Option<Plan>>> = LazyLock::new(|| Opcode::ALL.iter().map(|&opcode| plan(opcode)).collect());

/// The attributes of each operation where its text has none: their defaults, as far as these are the same for all.
pub(super) static DEFAULTS: LazyLock<Vec<Vec<AttrValue>>> = LazyLock::new(|| {
    let default = |attr: &AttrDef| match attr.default {
        Some(AttrDefault::Enum(value)) => AttrValue::Enum(value),
        Some(AttrDefault::Int(value)) => AttrValue::Int(value),
        Some(AttrDefault::AllFalse) | None => AttrValue::Absent,
    };
    Opcode::ALL.iter().map(|opcode| opcode.def().attrs.iter().map(default).collect()).collect()
});

/// The operations of a body by mnemonic, the older names and those of the extended assembly included.
pub(super) static BY_MNEMONIC: LazyLock<HashMap<&'static str, Opcode>> = LazyLock::new(|| {
    let body = Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body);
    body.map(|&opcode| (opcode.mnemonic(), opcode)).chain(Opcode::OLD_NAMES).chain(other_names()).collect()
});

fn plan(opcode: Opcode) -> Option<Plan> {
    let def = opcode.def();
    let steps = steps(&parse_format(def)?);
    let mut shown = Vec::new();
    collect_shown(&steps, &mut shown);
    let results = match def.results {
        Results::Fixed(results) => results.len(),
        Results::Variadic(_) => 0,
    };
    let subjects = (0..results).map(Subject::Result).chain((0..def.operands.len()).map(Subject::Operand));
    let implied = subjects.filter(|subject| !shown.contains(subject)).map(|subject| (subject, type_source(opcode, subject)));
    Some(Plan { implied: implied.collect(), steps })
}

fn steps(pieces: &[FormatPiece]) -> Vec<Step> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            FormatPiece::Literal(text) => tokens(text, &mut out),
            FormatPiece::Operand(index) => out.push(Step::Operand(*index)),
            FormatPiece::Attr(index) => out.push(Step::Attr(*index)),
            FormatPiece::Types(subject, list) => out.push(Step::Types(*subject, *list)),
            FormatPiece::If(condition, pieces) => out.push(Step::If(*condition, steps(pieces))),
        }
    }
    out
}

fn tokens(text: &'static str, out: &mut Vec<Step>) {
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next();
        match token.kind() {
            Kind::End => return,
            Kind::Word | Kind::Hash => out.push(Step::Word(&text[token.span()])),
            kind => out.push(Step::Token(kind)),
        }
    }
}

fn collect_shown(steps: &[Step], shown: &mut Vec<Subject>) {
    for step in steps {
        match step {
            Step::Types(subject, _) => shown.push(*subject),
            Step::If(_, steps) => collect_shown(steps, shown),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_text_becomes_tokens() {
        let plan = PLANS[Opcode::AddI as usize].as_ref().unwrap();
        assert!(matches!(plan.steps[..3], [Step::Operand(0), Step::Token(Kind::Comma), Step::Operand(1)]));
        let Step::If(Condition::Attr(0), clause) = &plan.steps[3] else { panic!("{:?}", plan.steps[3]) };
        assert!(matches!(clause[..2], [Step::Word("overflow"), Step::Token(Kind::Less)]));
        assert_eq!(plan.implied.len(), 2);
        assert_eq!(BY_MNEMONIC.get("entry"), None);
    }
}
