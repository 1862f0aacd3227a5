//! The text of types, made once for each type that is printed.

use crate::literals::INVALID;
use std::fmt::Write;
use std::ops::Range;
use tilewright_ir::{Type, TypeData, TypeTable};

/// The texts of a module's types.
pub(crate) struct TypeTexts<'m> {
    table: &'m TypeTable,
    text: String,
    short: Vec<Option<Range<usize>>>,
    full: Vec<Option<Range<usize>>>,
}

impl<'m> TypeTexts<'m> {
    pub(crate) fn new(table: &'m TypeTable) -> TypeTexts<'m> {
        TypeTexts { table, text: String::new(), short: vec![None; table.len()], full: Vec::new() }
    }

    /// A type as operations write it: `tile<4xf32>`.
    pub(crate) fn short(&mut self, ty: Type) -> &str {
        if let Some(Some(range)) = self.short.get(ty.index()) {
            return &self.text[range.clone()];
        }
        if ty.index() >= self.table.len() {
            return INVALID;
        }
        let start = self.text.len();
        write!(self.text, "{}", self.table.display(ty)).expect("writing to a string cannot fail");
        self.short[ty.index()] = Some(start..self.text.len());
        &self.text[start..]
    }

    /// A type as the generic form writes it: `!cuda_tile.tile<4xf32>`.
    pub(crate) fn full(&mut self, ty: Type) -> &str {
        self.full.resize(self.short.len(), None);
        if let Some(Some(range)) = self.full.get(ty.index()) {
            return &self.text[range.clone()];
        }
        if ty.index() >= self.table.len() {
            return INVALID;
        }
        let start = self.text.len();
        push_full(&mut self.text, self.table, ty);
        self.full[ty.index()] = Some(start..self.text.len());
        &self.text[start..]
    }
}

fn push_full(out: &mut String, table: &TypeTable, ty: Type) {
    match table.get(ty) {
        TypeData::Scalar(scalar) => out.push_str(scalar.name()),
        TypeData::Function { inputs, results } => push_signature(out, table, inputs, results),
        _ => write!(out, "!cuda_tile.{}", table.display(ty)).expect("writing to a string cannot fail"),
    }
}

/// `(inputs) -> result` or `(inputs) -> (results)`.
fn push_signature(out: &mut String, table: &TypeTable, inputs: &[Type], results: &[Type]) {
    push_list(out, table, inputs);
    out.push_str(" -> ");
    match results {
        [result] => push_full(out, table, *result),
        _ => push_list(out, table, results),
    }
}

fn push_list(out: &mut String, table: &TypeTable, types: &[Type]) {
    out.push('(');
    for (i, &ty) in types.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push_full(out, table, ty);
    }
    out.push(')');
}
