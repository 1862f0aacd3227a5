//! The text of types, made once for each type that is printed.

use crate::buffer::Snippet;
use crate::literals::INVALID;
use std::{collections::HashMap, fmt::Write};
use tilewright_ir::{Type, TypeData, TypeTable};

/// The texts of a module's types.
pub(crate) struct TypeTexts<'m> {
    table: &'m TypeTable,
    short: Texts,
    full: Texts,
    invalid: Snippet,
}

/// The texts of types that were asked for.
enum Texts {
    /// By handle: for modules, which ask for most of them, and often.
    All(Vec<Option<Box<Snippet>>>),
    /// For single operations of modules that may have many types.
    Few(HashMap<Type, Snippet>),
}

impl Texts {
    fn get(&mut self, ty: Type, make: impl FnOnce() -> Snippet) -> &Snippet {
        match self {
            Texts::All(texts) => texts[ty.index()].get_or_insert_with(|| Box::new(make())),
            Texts::Few(texts) => texts.entry(ty).or_insert_with(make),
        }
    }
}

impl<'m> TypeTexts<'m> {
    /// For whole modules.
    pub(crate) fn new(table: &'m TypeTable) -> TypeTexts<'m> {
        let all = || Texts::All(vec![None; table.len()]);
        TypeTexts { table, short: all(), full: all(), invalid: INVALID.into() }
    }

    /// For single operations, types and attributes.
    pub(crate) fn few(table: &'m TypeTable) -> TypeTexts<'m> {
        let few = || Texts::Few(HashMap::new());
        TypeTexts { table, short: few(), full: few(), invalid: INVALID.into() }
    }

    /// A type as operations write it: `tile<4xf32>`.
    #[inline]
    pub(crate) fn short(&mut self, ty: Type) -> &Snippet {
        let table = self.table;
        if ty.index() >= table.len() {
            return &self.invalid;
        }
        self.short.get(ty, || table.display(ty).to_string().into())
    }

    /// A type as the generic form writes it: `!cuda_tile.tile<4xf32>`.
    pub(crate) fn full(&mut self, ty: Type) -> &Snippet {
        let table = self.table;
        if ty.index() >= table.len() {
            return &self.invalid;
        }
        self.full.get(ty, || {
            let mut text = String::new();
            push_full(&mut text, table, ty);
            text.into()
        })
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
