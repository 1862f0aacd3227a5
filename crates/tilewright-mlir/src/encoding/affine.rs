//! Affine maps and integer sets, which MLIR since LLVM 23 encodes, as the text that older versions hold.

use crate::{cursor::Cursor, error::Error};

/// No more dimensions or symbols are read, which a short encoding could name at will.
const MAX_NAMES: u64 = 1 << 12;
/// How deep expressions nest at most.
const MAX_DEPTH: u32 = 256;

enum Expression {
    Dimension(u64),
    Symbol(u64),
    Constant(i64),
    Binary(Operator, Box<[Expression; 2]>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Multiply,
    Modulo,
    FloorDivide,
    CeilingDivide,
}

impl Operator {
    fn spelling(self) -> &'static str {
        match self {
            Operator::Add => " + ",
            Operator::Multiply => " * ",
            Operator::Modulo => " mod ",
            Operator::FloorDivide => " floordiv ",
            Operator::CeilingDivide => " ceildiv ",
        }
    }
}

/// `affine_map<(d0) -> (d0)>`: what a map is in the lowest two bits, and how many dimensions it has above them.
pub(super) fn map(cursor: &mut Cursor<'_>) -> Result<String, Error> {
    let offset = cursor.offset();
    let head = cursor.varint()?;
    let dimensions = names(cursor, head >> 2, offset)?;
    let mut symbols = 0;
    let results = match head & 3 {
        // The identity, a permutation, and some of the dimensions in some order.
        0 => (0..dimensions).map(|index| format!("d{index}")).collect(),
        1 => (0..dimensions).map(|_| dimension(cursor)).collect::<Result<Vec<_>, _>>()?,
        2 => {
            let count = cursor.count(1, "results")?;
            (0..count).map(|_| dimension(cursor)).collect::<Result<Vec<_>, _>>()?
        }
        _ => {
            symbols = number_of_names(cursor)?;
            expressions(cursor)?.iter().map(text).collect()
        }
    };
    Ok(format!("affine_map<{} -> ({})>", header(dimensions, symbols), results.join(", ")))
}

/// `affine_set<(d0) : (d0 >= 0)>`
pub(super) fn set(cursor: &mut Cursor<'_>) -> Result<String, Error> {
    let (dimensions, symbols) = (number_of_names(cursor)?, number_of_names(cursor)?);
    let expressions = expressions(cursor)?;
    let constraint = |expression: &Expression| Ok(text(expression) + if cursor.byte()? != 0 { " == 0" } else { " >= 0" });
    let constraints = expressions.iter().map(constraint).collect::<Result<Vec<_>, Error>>()?;
    Ok(format!("affine_set<{} : ({})>", header(dimensions, symbols), constraints.join(", ")))
}

fn dimension(cursor: &mut Cursor<'_>) -> Result<String, Error> {
    cursor.varint().map(|index| format!("d{index}"))
}

fn number_of_names(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    let offset = cursor.offset();
    let count = cursor.varint()?;
    names(cursor, count, offset)
}

fn names(cursor: &Cursor<'_>, count: u64, offset: usize) -> Result<u64, Error> {
    match count <= MAX_NAMES {
        true => Ok(count),
        false => Err(cursor.error_at(offset, format!("an affine map or set has {count} dimensions or symbols, more than {MAX_NAMES}"))),
    }
}

fn header(dimensions: u64, symbols: u64) -> String {
    let list = |mark: char, count: u64| (0..count).map(|index| format!("{mark}{index}")).collect::<Vec<_>>().join(", ");
    let symbols = if symbols > 0 { format!("[{}]", list('s', symbols)) } else { String::new() };
    format!("({}){symbols}", list('d', dimensions))
}

fn expressions(cursor: &mut Cursor<'_>) -> Result<Vec<Expression>, Error> {
    let count = cursor.count(2, "expressions")?;
    (0..count).map(|_| expression(cursor, 0)).collect()
}

fn expression(cursor: &mut Cursor<'_>, depth: u32) -> Result<Expression, Error> {
    let offset = cursor.offset();
    if depth > MAX_DEPTH {
        return Err(cursor.error_at(offset, format!("an affine expression nests deeper than {MAX_DEPTH} levels")));
    }
    let operator = match cursor.varint()? {
        0 => return cursor.varint().map(Expression::Dimension),
        1 => return cursor.varint().map(Expression::Symbol),
        2 => return cursor.signed_varint().map(Expression::Constant),
        3 => Operator::Add,
        4 => Operator::Multiply,
        5 => Operator::Modulo,
        6 => Operator::FloorDivide,
        7 => Operator::CeilingDivide,
        kind => return Err(cursor.error_at(offset, format!("there is no kind of affine expression {kind}"))),
    };
    let (left, right) = (expression(cursor, depth + 1)?, expression(cursor, depth + 1)?);
    Ok(Expression::Binary(operator, Box::new([left, right])))
}

fn text(expression: &Expression) -> String {
    let mut out = String::new();
    push(&mut out, expression, false);
    out
}

/// Appends an expression as MLIR prints it; `is_operand` of an operator that binds tighter than a sum.
fn push(out: &mut String, expression: &Expression, is_operand: bool) {
    let (operator, [left, right]) = match expression {
        Expression::Dimension(index) => return *out += &format!("d{index}"),
        Expression::Symbol(index) => return *out += &format!("s{index}"),
        Expression::Constant(value) => return *out += &value.to_string(),
        Expression::Binary(operator, operands) => (*operator, &**operands),
    };
    if is_operand {
        out.push('(');
    }
    match (operator, right) {
        (Operator::Multiply, Expression::Constant(-1)) => {
            out.push('-');
            push(out, left, true);
        }
        (Operator::Add, _) => {
            push(out, left, false);
            push_addend(out, right);
        }
        _ => {
            push(out, left, true);
            *out += operator.spelling();
            push(out, right, true);
        }
    }
    if is_operand {
        out.push(')');
    }
}

/// The right side of a sum with its sign.
fn push_addend(out: &mut String, addend: &Expression) {
    match addend {
        Expression::Constant(value @ ..=-1) => *out += &format!(" - {}", value.unsigned_abs()),
        Expression::Binary(Operator::Multiply, operands) => match &**operands {
            [factor, Expression::Constant(-1)] => {
                *out += " - ";
                push(out, factor, matches!(factor, Expression::Binary(Operator::Add, _)));
            }
            [factor, Expression::Constant(value @ ..=-2)] => {
                *out += " - ";
                push(out, factor, true);
                *out += &format!(" * {}", value.unsigned_abs());
            }
            _ => {
                *out += " + ";
                push(out, addend, false);
            }
        },
        _ => {
            *out += " + ";
            push(out, addend, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As MLIR of LLVM 24 encodes and prints them.
    #[test]
    fn maps_and_sets_are_those_of_mlir() {
        let maps: [(&[u8], &str); 12] = [
            (&[0x09], "(d0) -> (d0)"),
            (&[0x01], "() -> ()"),
            (&[0x13, 0x03, 0x01], "(d0, d1) -> (d1, d0)"),
            (&[0x15, 0x01], "(d0, d1) -> ()"),
            (&[0x1d, 0x05, 0x01, 0x05], "(d0, d1, d2) -> (d0, d2)"),
            (&[0x0f, 0x03, 0x03, 0x03, 0x01], "(d0)[s0] -> (s0)"),
            (&[0x0f, 0x01, 0x03, 0x05, 0x13], "(d0) -> (-5)"),
            (&[0x17, 0x01, 0x03, 0x07, 0x01, 0x01, 0x01, 0x03], "(d0, d1) -> (d0 + d1)"),
            (&[0x0f, 0x01, 0x03, 0x09, 0x01, 0x01, 0x05, 0x0d], "(d0) -> (d0 * 3)"),
            (&[0x0f, 0x01, 0x03, 0x0d, 0x01, 0x01, 0x05, 0x0d], "(d0) -> (d0 floordiv 3)"),
            (&[0x0f, 0x01, 0x03, 0x0f, 0x01, 0x01, 0x05, 0x0d], "(d0) -> (d0 ceildiv 3)"),
            (&[0x17, 0x01, 0x05, 0x01, 0x01, 0x05, 0x01], "(d0, d1) -> (d0, 0)"),
        ];
        for (bytes, expected) in maps {
            let mut cursor = Cursor::trusted(bytes);
            assert_eq!(map(&mut cursor).unwrap(), format!("affine_map<{expected}>"));
            assert!(cursor.is_empty());
        }
        let bytes = [0x03, 0x01, 0x05, 0x07, 0x01, 0x01, 0x05, 0x03, 0x01, 0x01, 0x00, 0x01];
        assert_eq!(set(&mut Cursor::trusted(&bytes)).unwrap(), "affine_set<(d0) : (d0 - 1 >= 0, d0 == 0)>");
        assert!(map(&mut Cursor::trusted(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])).is_err());
    }
}
