//! Going through the operations to what they name, in the order in which MLIR does.

use super::{
    Aliases, Counter, Symbol,
    kinds::{Kind, kind_of},
    parts::parts,
};
use crate::{
    encoding::code,
    ir::{Op, OpData, Region, Span},
    limits::MAX_NESTING,
    module::Module,
    operations::{Decoder, Properties, PropertyValue},
    print::{Entries, named::Named, sorted_attributes},
    tables::{AttrId, TypeId},
};
use smallvec::SmallVec;

/// What is known of a symbol that the operations come to; in arrays that are zero where they come to none, as memory is before it is used.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark(u32);

impl Mark {
    /// They did not come to it.
    const NONE: Mark = Mark(0);
    /// It has a name but no parts that have one, and may be explained behind the operations.
    const DEFERRED: Mark = Mark(1);
    /// The same, but it is explained before them.
    const LEAF: Mark = Mark(2);
    /// The number of a visit.
    const FIRST_VISIT: u32 = 3;

    fn visit(number: usize) -> Mark {
        Mark(Mark::FIRST_VISIT + number as u32)
    }

    fn leaf(is_deferred: bool) -> Mark {
        if is_deferred { Mark::DEFERRED } else { Mark::LEAF }
    }

    fn number_of_visit(self) -> Option<usize> {
        self.0.checked_sub(Mark::FIRST_VISIT).map(|number| number as usize)
    }
}

/// What is known of a symbol with parts.
struct Visit {
    /// Those that were visited.
    parts: Span,
    depth: u16,
    /// Whether its alias may be explained behind the operations.
    is_deferred: bool,
}

const _: () = assert!(MAX_NESTING < u16::MAX as u32);

/// Symbols with names: by depth, types before attributes, then by the names of their kinds, each in the order in which they were visited.
#[derive(Default)]
struct Ranks(Vec<Vec<Symbol>>);

impl Ranks {
    #[inline]
    fn add(&mut self, depth: u16, kind: Kind, symbol: Symbol) {
        let is_attr = usize::from(!matches!(symbol, Symbol::Type(_)));
        let rank = (2 * usize::from(depth) + is_attr) * Kind::COUNT + usize::from(kind.0);
        if self.0.len() <= rank {
            self.0.resize_with(rank + 1, Vec::new);
        }
        self.0[rank].push(symbol);
    }

    /// The kind of all symbols of a rank.
    fn kind(rank: usize) -> Kind {
        Kind((rank % Kind::COUNT) as u8)
    }

    fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// Whether an operation may come to something with a name, locations aside. A map that is the usual layout of a type has one, but is not
/// printed.
pub(super) fn comes_to_names(module: &Module<'_>, decoders: &[Decoder], named: &mut Named) -> bool {
    let tables = &module.tables;
    if (0..tables.types.len() as u32).any(|id| named.contains(tables, Symbol::Type(TypeId(id)))) {
        return true;
    }
    let mut seen = Seen::new(module);
    module.ir.ops.iter().any(|data| {
        let mut found = data.attrs().is_some_and(|attrs| named.contains(tables, Symbol::Attr(attrs)));
        if let Some(properties) = data.properties()
            && seen.is_new(decoders, data, properties)
        {
            decoders[data.name.index()].each_attr(module, properties, |attr| found |= named.contains(tables, Symbol::Attr(attr)));
        }
        found
    })
}

/// One more than the kind of decoder with which properties were looked at last: with the same one they say the same.
struct Seen(Vec<u32>);

impl Seen {
    fn new(module: &Module<'_>) -> Seen {
        Seen(vec![0; module.properties.len()])
    }

    #[inline]
    fn is_new(&mut self, decoders: &[Decoder], data: &OpData, properties: u32) -> bool {
        let kind = decoders[data.name.index()].kind() + 1;
        std::mem::replace(&mut self.0[properties as usize], kind) != kind
    }
}

/// Goes through the operations in the order of the text, and notes what has a name.
pub(super) struct Visitor<'m, 'a> {
    module: &'m Module<'a>,
    decoders: &'m [Decoder],
    with_locations: bool,
    /// Whether operations come to names besides those of their locations.
    has_others: bool,
    named: Named,
    /// How many symbols with names were not visited. Without any, nothing is left to do.
    remaining: usize,
    /// How many types with names or with parts that have names were not visited.
    remaining_types: usize,
    /// Those of symbols with parts, each behind those of its parts.
    visits: Vec<Visit>,
    /// The parts of what was visited.
    parts: Vec<Symbol>,
    /// What has a name.
    ranks: Ranks,
    /// The marks of attributes, types, and of the unknown location.
    attrs: Vec<u32>,
    types: Vec<u32>,
    unknown_location: u32,
    properties: Seen,
    /// The attribute for an unknown location.
    unknown: Option<AttrId>,
}

/// Which names are looked for.
pub(super) struct Wanted {
    /// Those of the operations' locations.
    pub(super) locations: bool,
    /// Those that the operations come to besides.
    pub(super) others: bool,
    /// How many symbols with names there are at most.
    pub(super) most: usize,
}

impl<'m, 'a> Visitor<'m, 'a> {
    pub(super) fn new(module: &'m Module<'a>, decoders: &'m [Decoder], mut named: Named, wanted: Wanted) -> Visitor<'m, 'a> {
        let tables = &module.tables;
        let types = (0..tables.types.len() as u32).map(|id| Symbol::Type(TypeId(id)));
        let remaining_types = types.filter(|&ty| named.contains(tables, ty)).count();
        let mut attrs = (0..tables.attrs.len() as u32).map(AttrId);
        Visitor {
            module,
            decoders,
            with_locations: wanted.locations,
            has_others: wanted.others,
            remaining: wanted.most,
            remaining_types,
            named,
            visits: Vec::new(),
            parts: Vec::new(),
            ranks: Ranks::default(),
            attrs: vec![0; tables.attrs.len()],
            types: vec![0; tables.types.len()],
            unknown_location: 0,
            properties: Seen::new(module),
            unknown: attrs.find(|&id| tables.builtin_attr(id) == Some(code::UNKNOWN_LOC)),
        }
    }

    fn op(&mut self, op: Op) {
        let module = self.module;
        let data = module.ir.op(op);
        if self.with_locations {
            self.visit(Symbol::Attr(data.location), true);
        }
        if !data.is_plain() {
            self.module.ir.regions(data).iter().for_each(|region| self.region(Region(region)));
        }
        if !self.has_others {
            return;
        }
        if self.remaining_types > 0 {
            for &value in module.ir.operands(data) {
                self.visit(Symbol::Type(module.ir.value_type(value)), false);
            }
            for &ty in &module.ir.value_types[data.results.range()] {
                self.visit(Symbol::Type(ty), false);
            }
        }
        if self.has_new_attributes(op) && self.has_named_attributes(op) {
            for attr in self.attributes(op) {
                self.visit(Symbol::Attr(attr), false);
            }
            if let Some(attrs) = data.attrs() {
                self.visit(Symbol::Attr(attrs), false);
            }
        }
    }

    /// Whether the attributes of an operation were not visited with another: to visit them again changes nothing.
    fn has_new_attributes(&mut self, op: Op) -> bool {
        let data = self.module.ir.op(op);
        let is_new = |mark| mark == Mark::NONE || self.is_deferred(mark);
        let mut has_new = data.attrs().is_some_and(|attrs| is_new(Mark(self.attrs[attrs.index()])));
        if let Some(properties) = data.properties() {
            has_new |= self.properties.is_new(self.decoders, data, properties);
        }
        has_new
    }

    /// Whether names are among the attributes and properties of an operation.
    fn has_named_attributes(&mut self, op: Op) -> bool {
        let data = self.module.ir.op(op);
        let mut contains = |attr: AttrId| self.named.contains(&self.module.tables, Symbol::Attr(attr));
        if data.attrs().is_some_and(&mut contains) {
            return true;
        }
        let mut found = false;
        if let Some(properties) = data.properties() {
            self.decoders[data.name.index()].each_attr(self.module, properties, |attr| found |= contains(attr));
        }
        found
    }

    /// The values of all attributes and properties, in the order of their names.
    fn attributes(&self, op: Op) -> SmallVec<[AttrId; 8]> {
        let module = self.module;
        let data = module.ir.op(op);
        let mut all = data.attrs().map_or(Entries::new(), |attrs| sorted_attributes(module, attrs));
        match data.properties().map(|properties| self.decoders[data.name.index()].decode(module, properties)) {
            Some(Properties::Named(values)) => all.extend(values.iter().filter_map(|(name, value)| match value {
                PropertyValue::Attr(attr) => Some((name.as_bytes(), *attr)),
                _ => None,
            })),
            Some(Properties::Dictionary(_) | Properties::Unknown) | None => {}
        }
        all.sort_by_key(|&(name, _)| name);
        all.into_iter().map(|(_, attr)| attr).collect()
    }

    fn region(&mut self, region: Region) {
        let ir = &self.module.ir;
        for block in ir.blocks(region) {
            let data = ir.blocks[block.index()];
            for (value, location) in data.args.range().zip(data.first_location as usize..) {
                self.visit(Symbol::Type(ir.value_types[value]), false);
                if self.with_locations {
                    let location = ir.arg_locations[location].or(self.unknown);
                    self.visit(location.map_or(Symbol::UnknownLocation, Symbol::Attr), false);
                }
            }
            for op in data.ops.iter() {
                if self.remaining == 0 {
                    return;
                }
                self.op(Op(op));
            }
        }
    }

    /// Visits a symbol with a name or with parts that have names, and these; gives what is known of it then.
    #[inline]
    fn visit(&mut self, symbol: Symbol, is_deferred: bool) -> Mark {
        let mark = Mark(*self.mark_of(symbol));
        if mark == Mark::NONE {
            return self.visit_first(symbol, is_deferred);
        }
        if !is_deferred {
            self.not_deferred(symbol);
        }
        mark
    }

    #[inline]
    fn mark_of(&mut self, symbol: Symbol) -> &mut u32 {
        match symbol {
            Symbol::Attr(id) => &mut self.attrs[id.index()],
            Symbol::Type(id) => &mut self.types[id.index()],
            Symbol::UnknownLocation => &mut self.unknown_location,
        }
    }

    #[inline]
    fn visit_first(&mut self, symbol: Symbol, is_deferred: bool) -> Mark {
        let tables = &self.module.tables;
        // Most are these, which have a name, but no parts with names.
        if let Symbol::Attr(id) = symbol
            && tables.builtin_attr(id) == Some(code::FILE_LINE_COL_LOC)
        {
            let mark = Mark::leaf(is_deferred);
            self.attrs[id.index()] = mark.0;
            self.ranks.add(1, Kind::LOCATION, symbol);
            return mark;
        }
        if !self.named.contains(tables, symbol) {
            return Mark::NONE;
        }
        self.visit_named(symbol, is_deferred)
    }

    fn visit_named(&mut self, symbol: Symbol, is_deferred: bool) -> Mark {
        let tables = &self.module.tables;
        let kind = kind_of(tables, symbol);
        self.remaining -= usize::from(kind.is_some_and(|kind| kind != Kind::LOCATION));
        self.remaining_types -= usize::from(matches!(symbol, Symbol::Type(_)));
        let (mut deepest, mut num_parts) = (0, 0);
        let mut parts = parts(tables, symbol);
        for place in 0..parts.len() {
            let part = parts[place];
            let mark = self.visit(part, is_deferred);
            if mark != Mark::NONE {
                deepest = deepest.max(self.depth(mark));
                parts[num_parts] = part;
                num_parts += 1;
            }
        }
        let depth = if deepest > 0 { deepest + 1 } else { u16::from(kind.is_some()) };
        let mark = if num_parts == 0 && kind.is_some() {
            Mark::leaf(is_deferred)
        } else {
            // The parts of parts came to the list before them.
            let span = Span { start: self.parts.len() as u32, len: num_parts as u32 };
            self.parts.extend_from_slice(&parts[..num_parts]);
            self.visits.push(Visit { parts: span, depth, is_deferred });
            Mark::visit(self.visits.len() - 1)
        };
        *self.mark_of(symbol) = mark.0;
        if let Some(kind) = kind {
            self.ranks.add(depth, kind, symbol);
        }
        mark
    }

    fn depth(&self, mark: Mark) -> u16 {
        mark.number_of_visit().map_or(1, |visit| self.visits[visit].depth)
    }

    #[inline]
    fn is_deferred(&self, mark: Mark) -> bool {
        mark.number_of_visit().map_or(mark == Mark::DEFERRED, |visit| self.visits[visit].is_deferred)
    }

    /// Says that a symbol is explained before the operations, and so are its parts.
    fn not_deferred(&mut self, symbol: Symbol) {
        let mark = Mark(*self.mark_of(symbol));
        if !self.is_deferred(mark) {
            return;
        }
        let Some(visit) = mark.number_of_visit() else {
            *self.mark_of(symbol) = Mark::LEAF.0;
            return;
        };
        self.visits[visit].is_deferred = false;
        for index in self.visits[visit].parts.range() {
            self.not_deferred(self.parts[index]);
        }
    }

    /// The names of what all operations come to.
    pub(super) fn aliases(mut self) -> Aliases {
        self.module.ir.top.iter().for_each(|op| self.op(Op(op)));
        let (attrs, types) = (vec![0; self.attrs.len()], vec![0; self.types.len()]);
        let ranks = std::mem::take(&mut self.ranks);
        let (mut before, mut behind) = (Vec::new(), Vec::with_capacity(ranks.len()));
        let mut aliases = Aliases { attrs, types, ..Aliases::default() };
        let mut counter = Counter::new();
        for (rank, symbols) in ranks.0.iter().enumerate() {
            let kind = Ranks::kind(rank);
            for &symbol in symbols {
                let alias = counter.next(kind).0;
                match symbol {
                    Symbol::Attr(id) => aliases.attrs[id.index()] = alias,
                    Symbol::Type(id) => aliases.types[id.index()] = alias,
                    Symbol::UnknownLocation => aliases.unknown_location.push(alias),
                }
                let mark = Mark(*self.mark_of(symbol));
                if self.is_deferred(mark) { behind.push(symbol) } else { before.push(symbol) }
            }
        }
        (aliases.before, aliases.behind) = (before, behind);
        aliases
    }
}
