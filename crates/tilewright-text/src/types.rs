//! The text of types, made once for each type that is printed.

use crate::buffer::Snippet;
use crate::literals::INVALID;
use std::fmt::Write;
use tilewright_ir::{Type, TypeData, TypeTable};

/// The texts of a module's types.
pub(crate) struct TypeTexts<'m> {
    table: &'m TypeTable,
    short: Vec<Option<Box<Snippet>>>,
    full: Vec<Option<Box<Snippet>>>,
    invalid: Snippet,
}

impl<'m> TypeTexts<'m> {
    pub(crate) fn new(table: &'m TypeTable) -> TypeTexts<'m> {
        TypeTexts { table, short: vec![None; table.len()], full: Vec::new(), invalid: INVALID.into() }
    }

    /// A type as operations write it: `tile<4xf32>`.
    #[inline]
    pub(crate) fn short(&mut self, ty: Type) -> &Snippet {
        let table = self.table;
        match self.short.get_mut(ty.index()) {
            Some(text) => text.get_or_insert_with(|| Box::new(table.display(ty).to_string().into())),
            None => &self.invalid,
        }
    }

    /// A type as the generic form writes it: `!cuda_tile.tile<4xf32>`.
    pub(crate) fn full(&mut self, ty: Type) -> &Snippet {
        self.full.resize(self.short.len(), None);
        let table = self.table;
        let make = || {
            let mut text = String::new();
            push_full(&mut text, table, ty);
            Box::new(text.into())
        };
        self.full.get_mut(ty.index()).map_or(&self.invalid, |text| text.get_or_insert_with(make))
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
