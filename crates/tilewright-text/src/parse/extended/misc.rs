//! `barrier`, `print` and `comment`.

use super::super::cursor::{Parsed, Parser};
use super::super::lexer::Token;
use super::emit::Emit;
use super::{Mark, Request};
use tilewright_ir::{AttrName, AttrValue, Block, Opcode, TypeData, TypeTable, Value};

/// A token for now: which operations it joins is known when the function is complete.
pub(super) fn barrier(emit: &mut Emit<'_, '_>, _: &Request) -> Parsed<Vec<Value>> {
    emit.outside_of_folds()?;
    let op = emit.op(Opcode::MakeToken, (&[], &[], &[TypeTable::token()]))?;
    emit.p.pending.marks.insert(op, Mark::Barrier);
    Ok(Vec::new())
}

pub(super) fn print(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let mut format = String::new();
    for operand in 0..request.operands.len() {
        let (element, _) = emit.tile_of(request, operand)?;
        let conversion = match emit.p.module.tables.types.get(element) {
            TypeData::Pointer { .. } => "%p",
            TypeData::Scalar(scalar) if scalar.is_int() => "%d",
            _ => "%f",
        };
        if !format.is_empty() {
            format.push(' ');
        }
        format += conversion;
    }
    format.push('\n');
    let text = AttrValue::Str(emit.p.intern_string(format.as_bytes()));
    emit.ordered(Opcode::PrintTko, &[("args", &request.operands)], &[(AttrName::Str, text)], None)?;
    Ok(Vec::new())
}

/// `comment "text"`: nothing comes of it.
pub(super) fn comment(parser: &mut Parser<'_>, _: Block, _: Token) -> Parsed<()> {
    parser.string()?;
    parser.optional_location().map(|_| ())
}
