//! Which attributes and types have names in the text, or parts that have.
//!
//! Most have none, and are not visited at all: see `aliases/`.

use super::aliases::{Symbol, has_name, has_no_parts, parts};
use crate::{
    encoding::code,
    read::each_part_of,
    tables::{AttrId, Tables, TypeId},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    No,
    Yes,
}

/// What is known of the attributes, then of the types.
pub(super) struct Named {
    states: Vec<State>,
    num_attrs: usize,
}

impl Named {
    pub(super) fn new(tables: &Tables<'_>) -> Named {
        Named { states: vec![State::Unknown; tables.attrs.len() + tables.types.len()], num_attrs: tables.attrs.len() }
    }

    /// Whether a symbol or one of its parts has a name.
    #[inline]
    pub(super) fn contains(&mut self, tables: &Tables<'_>, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Attr(id) => self.find(tables, id.index()),
            Symbol::Type(id) => self.find(tables, self.num_attrs + id.index()),
            Symbol::UnknownLocation => true,
        }
    }

    #[inline]
    fn find(&mut self, tables: &Tables<'_>, node: usize) -> bool {
        match self.states[node] {
            State::Yes => true,
            State::No => false,
            State::Unknown => self.find_out(tables, node),
        }
    }

    /// Nothing nests deep: reading a file has seen to that.
    fn find_out(&mut self, tables: &Tables<'_>, node: usize) -> bool {
        let symbol = match node.checked_sub(self.num_attrs) {
            None => Symbol::Attr(AttrId(node as u32)),
            Some(index) => Symbol::Type(TypeId(index as u32)),
        };
        let mut is_named = has_name(tables, symbol);
        if let Symbol::Type(id) = symbol
            && let Some(code::MEMREF_TYPE | code::MEMREF_WITH_SPACE_TYPE) = tables.builtin_type(id)
        {
            // The usual layout is a map, but is not printed.
            is_named = parts(tables, symbol).into_iter().any(|part| self.contains(tables, part));
        } else if !is_named && !has_no_parts(tables, symbol) {
            each_part_of(tables, node, &mut |part| is_named = is_named || self.find(tables, part));
        }
        self.states[node] = if is_named { State::Yes } else { State::No };
        is_named
    }
}
