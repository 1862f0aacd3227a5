//! Aliases: `#map`, `#loc3`, `!tuple`.
//!
//! MLIR names locations, affine maps and sets, distinct attributes and long tuples, and says what a name means before or behind the
//! operations. Numbers follow the order in which the operations come to what is named, after how deep it nests.

mod kinds;
mod parts;
mod visit;

pub(super) use kinds::{has_name, has_name_as_text};
pub(super) use parts::{has_no_parts, parts};

use super::named::Named;
use crate::{
    encoding::code,
    module::Module,
    operations::Decoder,
    tables::{AttrId, TypeId},
};
use kinds::Kind;
use tilewright_text::short::ShortText;
use visit::{Visitor, Wanted, comes_to_names};

/// An attribute or a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Attr(AttrId),
    Type(TypeId),
    /// The unknown location of arguments in a file that has no such attribute.
    UnknownLocation,
}

/// The names, and in which order they are explained.
#[derive(Default)]
pub(super) struct Aliases {
    /// Their bits.
    attrs: Vec<u64>,
    types: Vec<u64>,
    unknown_location: Vec<u64>,
    /// Those that are explained before the operations, and behind them, in their order.
    pub(super) before: Vec<Symbol>,
    pub(super) behind: Vec<Symbol>,
}

/// A kind and a number in a word, which is not zero; for most locations, the digits of their number, as they are what is printed most often.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Alias(u64);

impl Alias {
    /// That of the first location, which has no number.
    const LOCATION: Alias = Alias::new(Kind::LOCATION, 0);

    const fn new(kind: Kind, number: u32) -> Alias {
        Alias((number as u64) << 8 | (kind.0 as u64 + 1))
    }

    fn from_bits(bits: u64) -> Option<Alias> {
        Some(Alias(bits)).filter(|_| bits != 0)
    }

    /// The digits behind `#loc`.
    #[inline]
    fn digits(self) -> Option<ShortText> {
        ShortText::from_bits(self.0)
    }

    /// Appends the name.
    fn push(self, out: &mut Vec<u8>) {
        if let Some(digits) = self.digits() {
            out.extend_from_slice(b"#loc");
            return digits.push_to(out);
        }
        let kind = Kind(self.0 as u8 - 1);
        out.push(if kind == Kind::TUPLE { b'!' } else { b'#' });
        out.extend_from_slice(kind.name());
        if self.0 >> 8 > 0 {
            super::names::push_number(out, self.0 >> 8);
        }
    }
}

/// Gives names their numbers.
struct Counter {
    next: [u32; Kind::COUNT],
    /// The digits of the last location.
    last: Option<ShortText>,
}

impl Counter {
    fn new() -> Counter {
        Counter { next: [0; Kind::COUNT], last: None }
    }

    fn next(&mut self, kind: Kind) -> Alias {
        let number = self.next[usize::from(kind.0)];
        self.next[usize::from(kind.0)] += 1;
        if kind != Kind::LOCATION || number == 0 {
            return Alias::new(kind, number);
        }
        self.last = match self.last {
            Some(last) if !number.is_multiple_of(10) => Some(last.with_next_digit()),
            _ => ShortText::number(u64::from(number)),
        };
        self.last.map_or(Alias::new(kind, number), |digits| Alias(digits.bits()))
    }
}

impl Aliases {
    /// The names that printing a module uses. `decoders` are those of the names of operations.
    pub(super) fn of(module: &Module<'_>, decoders: &[Decoder], with_locations: bool) -> Aliases {
        let tables = &module.tables;
        let types = || (0..tables.types.len() as u32).map(TypeId);
        let attrs = tables.attrs.others_and(&[code::AFFINE_MAP, code::INTEGER_SET, code::DISTINCT]).map(AttrId);
        let attrs = attrs.filter(|&id| has_name(tables, Symbol::Attr(id))).count();
        let names = attrs + types().filter(|&id| has_name(tables, Symbol::Type(id))).count();
        let is_location = |id| tables.builtin_attr(AttrId(id)).is_some_and(code::is_location);
        let has_locations = tables.may_hold_locations || with_locations && (0..tables.attrs.len() as u32).any(is_location);
        if names == 0 && !has_locations {
            return Aliases::default();
        }
        let mut named = Named::new(tables);
        let has_others = (names > 0 || tables.may_hold_locations) && comes_to_names(module, decoders, &mut named);
        if !with_locations && !has_others {
            return Aliases::default();
        }
        // Of locations it is not known which ones the operations come to.
        let most = if with_locations || tables.may_hold_locations { usize::MAX } else { names };
        Visitor::new(module, decoders, named, Wanted { locations: with_locations, others: has_others, most }).aliases()
    }

    /// What stands behind `#loc` in the name of a location, in a block with its length; none where it has no name or a long one.
    #[inline]
    pub(super) fn location_digits(&self, id: AttrId) -> Option<([u8; 8], usize)> {
        match Alias(*self.attrs.get(id.index())?) {
            Alias::LOCATION => Some(([0; 8], 0)),
            alias => alias.digits().map(|digits| (digits.bits().to_le_bytes(), digits.len())),
        }
    }

    /// Appends the name of a symbol if it has one.
    pub(super) fn push(&self, symbol: Symbol, out: &mut Vec<u8>) -> bool {
        let bits = match symbol {
            Symbol::Attr(id) => self.attrs.get(id.index()),
            Symbol::Type(id) => self.types.get(id.index()),
            Symbol::UnknownLocation => self.unknown_location.first(),
        };
        let alias = bits.and_then(|&bits| Alias::from_bits(bits));
        alias.inspect(|alias| alias.push(out)).is_some()
    }
}
