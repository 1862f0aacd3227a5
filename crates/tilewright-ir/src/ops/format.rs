//! The little language of format strings, shared by the printer and the parser.

use super::{AttrName, Format, OpDef, Opcode, Results};

/// One piece of a parsed format string.
///
/// A format string is literal text with these insertions, where `x` names an operand, an attribute or the result of the row:
///
/// | written | printed |
/// |---|---|
/// | `$x` | the operand's values, or the attribute |
/// | `type($x)` | the types of the operands or results |
/// | `index($x)` | their types, once if all are equal |
/// | `first($x)` | the type of the first |
/// | `(?x ...)` | the rest, if the operand is there, or the attribute differs from its default |
///
/// The text after `(?x ` begins behind that one space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormatPiece {
    /// This text.
    Literal(&'static str),
    /// The values of an operand.
    Operand(usize),
    /// An attribute.
    Attr(usize),
    /// The types of operands or results.
    Types(Subject, TypeList),
    /// Pieces that are only there with their subject.
    If(Condition, Vec<FormatPiece>),
}

/// What a type list is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The operand at this position of the row.
    Operand(usize),
    /// The result at this position of the row; all of them where the results are variadic.
    Result(usize),
}

/// How a type list is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeList {
    /// All types.
    All,
    /// One type if all are equal, else all.
    Index,
    /// The first type.
    First,
}

/// What makes optional pieces appear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The operand has values.
    Operand(usize),
    /// The attribute is there and is not its default.
    Attr(usize),
}

/// Where the type of an operand or result comes from that the text does not show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeSource {
    /// It is a token.
    Token,
    /// It is a `tile<i32>`: an index.
    Index,
    /// It has the type of this operand or result.
    Like(Subject),
    /// It is the tensor view that the type of this view is made of.
    TensorViewOf(Subject),
}

/// The exceptions from the rule of [`type_source`]: what is not shown, and what has its type.
const LIKE: &[(Opcode, &str, &str)] = &[
    (Opcode::Assume, "result", "value"),
    (Opcode::CmpF, "rhs", "lhs"),
    (Opcode::CmpI, "rhs", "lhs"),
    (Opcode::FPowI, "result", "source"),
    (Opcode::Insert, "result", "destination"),
    (Opcode::MmaF, "result", "acc"),
    (Opcode::MmaI, "result", "acc"),
    (Opcode::MmaFScaled, "result", "acc"),
];

/// Where the type of `subject` comes from, given that the format string of the operation does not show it.
///
/// Tokens and indices are known by their names. The tensor of a view is part of the type of the view. Everything else has the type of
/// the first result, with a handful of exceptions.
pub fn type_source(opcode: Opcode, subject: Subject) -> TypeSource {
    let def = opcode.def();
    let name = match subject {
        Subject::Operand(i) => def.operands[i].name,
        Subject::Result(i) => match def.results {
            Results::Fixed(results) => results[i].name,
            Results::Variadic(name) => name,
        },
    };
    if let Some((.., like)) = LIKE.iter().find(|(exception, what, _)| *exception == opcode && *what == name) {
        let operand = def.operand_index(like).expect("the exception names an operand of the row");
        return TypeSource::Like(Subject::Operand(operand));
    }
    match name {
        "token" | "result_token" => TypeSource::Token,
        "indices" => TypeSource::Index,
        "tensor_view" => TypeSource::TensorViewOf(Subject::Result(0)),
        _ => TypeSource::Like(Subject::Result(0)),
    }
}

/// Parses the format string of a row; `None` where its syntax is written by hand.
///
/// # Panics
/// When the string is malformed or names what the row lacks: rows are constants, and a test parses them all.
pub fn parse_format(def: &OpDef) -> Option<Vec<FormatPiece>> {
    match def.format {
        Format::Pattern(pattern) => {
            let mut parser = PatternParser { def, rest: pattern };
            let pieces = parser.pieces(false);
            Some(pieces)
        }
        Format::Custom(_) => None,
    }
}

struct PatternParser<'a> {
    def: &'a OpDef,
    rest: &'static str,
}

impl PatternParser<'_> {
    fn pieces(&mut self, nested: bool) -> Vec<FormatPiece> {
        let mut pieces = Vec::new();
        while !self.rest.is_empty() {
            if nested && self.eat(")") {
                return pieces;
            }
            let piece = self.piece();
            pieces.push(piece);
        }
        assert!(!nested, "{}: '(?' is not closed", self.def.mnemonic);
        pieces
    }

    fn piece(&mut self) -> FormatPiece {
        for (start, list) in [("type($", TypeList::All), ("index($", TypeList::Index), ("first($", TypeList::First)] {
            if self.eat(start) {
                let subject = self.subject();
                assert!(self.eat(")"), "{}: expected ')'", self.def.mnemonic);
                return FormatPiece::Types(subject, list);
            }
        }
        if self.eat("(?") {
            let condition = self.condition();
            assert!(self.eat(" "), "{}: expected a space after the condition", self.def.mnemonic);
            return FormatPiece::If(condition, self.pieces(true));
        }
        if self.eat("$") {
            return match self.condition() {
                Condition::Operand(i) => FormatPiece::Operand(i),
                Condition::Attr(i) => FormatPiece::Attr(i),
            };
        }
        FormatPiece::Literal(self.literal())
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Text up to the next insertion or closing parenthesis.
    fn literal(&mut self) -> &'static str {
        let starts = ["type($", "index($", "first($", "(?", "$", ")"];
        let end = (1..self.rest.len()).find(|&i| starts.iter().any(|s| self.rest[i..].starts_with(s)));
        let (literal, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        literal
    }

    fn word(&mut self) -> &'static str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn condition(&mut self) -> Condition {
        let word = self.word();
        if let Some(i) = self.def.operand_index(word) {
            return Condition::Operand(i);
        }
        let attr = AttrName::from_name(word).and_then(|name| self.def.attr_index(name));
        Condition::Attr(attr.unwrap_or_else(|| panic!("{}: no operand or attribute '{word}'", self.def.mnemonic)))
    }

    fn subject(&mut self) -> Subject {
        let word = self.word();
        if let Some(i) = self.def.operand_index(word) {
            return Subject::Operand(i);
        }
        let result = match self.def.results {
            Results::Fixed(results) => results.iter().position(|r| r.name == word),
            Results::Variadic(name) => (name == word).then_some(0),
        };
        Subject::Result(result.unwrap_or_else(|| panic!("{}: no operand or result '{word}'", self.def.mnemonic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Opcode;

    #[test]
    fn every_row_has_a_readable_format() {
        for opcode in Opcode::ALL {
            let def = opcode.def();
            assert_eq!(parse_format(def).is_none(), matches!(def.format, Format::Custom(_)), "{}", def.mnemonic);
        }
    }

    /// Calls `visit` for each subject whose types the pieces show.
    fn shown(pieces: &[FormatPiece], visit: &mut impl FnMut(Subject)) {
        for piece in pieces {
            match piece {
                FormatPiece::Types(subject, _) => visit(*subject),
                FormatPiece::If(_, pieces) => shown(pieces, visit),
                _ => {}
            }
        }
    }

    #[test]
    fn types_that_are_not_shown_come_from_some_that_are() {
        for &opcode in Opcode::ALL {
            let Some(pieces) = parse_format(opcode.def()) else { continue };
            let mut subjects = Vec::new();
            shown(&pieces, &mut |subject| subjects.push(subject));
            let results = match opcode.def().results {
                Results::Fixed(results) => results.len(),
                Results::Variadic(_) => 1,
            };
            let all = (0..opcode.def().operands.len()).map(Subject::Operand).chain((0..results).map(Subject::Result));
            for subject in all.filter(|subject| !subjects.contains(subject)) {
                match type_source(opcode, subject) {
                    TypeSource::Token | TypeSource::Index => {}
                    TypeSource::Like(source) | TypeSource::TensorViewOf(source) => {
                        assert!(subjects.contains(&source), "{opcode} {subject:?} {source:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_nest() {
        let pieces = parse_format(Opcode::AddI.def()).unwrap();
        let attr = FormatPiece::Attr(0);
        let clause = vec![FormatPiece::Literal(" overflow<"), attr, FormatPiece::Literal(">")];
        assert_eq!(pieces[4], FormatPiece::If(Condition::Attr(0), clause));
        assert_eq!(pieces.last(), Some(&FormatPiece::Types(Subject::Result(0), TypeList::All)));
    }
}
