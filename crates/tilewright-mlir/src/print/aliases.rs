//! Aliases: `#map`, `#loc3`, `!tuple`.
//!
//! MLIR names locations, affine maps and sets, distinct attributes and long tuples, and says what a name means before or behind the
//! operations. Numbers follow the order in which the operations come to what is named, after how deep it nests.

use crate::{
    encoding::{Value, code},
    ir::{Ir, Op, Region},
    module::Module,
    operations::Properties,
    print::{Printer, sorted_attributes},
    tables::{AttrId, Table, Tables, TypeId},
};

/// A tuple with more types has a name.
const LONG_TUPLE: usize = 16;

/// An attribute or a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Attr(AttrId),
    Type(TypeId),
    /// The unknown location of arguments in a file that has no such attribute.
    UnknownLocation,
}

/// What is known of a symbol that the operations come to.
struct Visit {
    symbol: Symbol,
    alias: Option<&'static str>,
    depth: u32,
    /// Whether its alias may be explained behind the operations.
    is_deferred: bool,
    parts: Vec<u32>,
}

/// The names, and in which order they are explained.
#[derive(Default)]
pub(super) struct Aliases {
    attrs: Vec<Option<Alias>>,
    types: Vec<Option<Alias>>,
    unknown_location: Vec<Option<Alias>>,
    /// In the order of their explanations: those before the operations, and those behind them.
    pub(super) before: Vec<Symbol>,
    pub(super) behind: Vec<Symbol>,
}

#[derive(Clone, Copy)]
struct Alias {
    name: &'static str,
    number: u32,
}

impl Aliases {
    /// The names that printing a module uses.
    pub(super) fn of(printer: &Printer<'_, '_>, with_locations: bool) -> Aliases {
        let tables = &printer.module.tables;
        let has_alias =
            |table: &Table<'_>, alias: &dyn Fn(u32) -> Option<&'static str>| (0..table.len() as u32).any(|i| alias(i).is_some());
        // Without locations there is mostly nothing to name.
        let is_named = |name: Option<&'static str>| name.filter(|&name| with_locations || name != "loc");
        if !has_alias(&tables.attrs, &|i| is_named(attr_alias(tables, AttrId(i))))
            && !has_alias(&tables.types, &|i| type_alias(tables, TypeId(i)))
        {
            return Aliases::default();
        }
        let mut visitor = Visitor {
            printer,
            with_locations,
            visits: Vec::new(),
            attrs: vec![None; tables.attrs.len()],
            types: vec![None; tables.types.len()],
            unknown_location: None,
            unknown: (0..tables.attrs.len() as u32).map(AttrId).find(|&id| tables.builtin_attr(id) == Some(code::UNKNOWN_LOC)),
        };
        printer.module.ir.top.iter().for_each(|op| visitor.op(Op(op)));
        visitor.aliases()
    }

    /// Appends the name of a symbol if it has one.
    pub(super) fn push(&self, symbol: Symbol, out: &mut Vec<u8>) -> bool {
        let (table, index, mark) = match symbol {
            Symbol::Attr(id) => (&self.attrs, id.index(), b'#'),
            Symbol::Type(id) => (&self.types, id.index(), b'!'),
            Symbol::UnknownLocation => (&self.unknown_location, 0, b'#'),
        };
        let Some(&Some(alias)) = table.get(index) else { return false };
        out.push(mark);
        out.extend(alias.name.as_bytes());
        if alias.number > 0 {
            super::names::push_number(out, u64::from(alias.number));
        }
        true
    }
}

/// The name that MLIR gives to such an attribute.
fn attr_alias(tables: &Tables<'_>, id: AttrId) -> Option<&'static str> {
    match tables.builtin_attr(id) {
        Some(
            code::CALL_SITE_LOC
            | code::FILE_LINE_COL_LOC
            | code::FILE_LINE_COL_RANGE
            | code::FUSED_LOC
            | code::FUSED_LOC_WITH_METADATA
            | code::NAME_LOC
            | code::UNKNOWN_LOC,
        ) => Some("loc"),
        Some(code::AFFINE_MAP) => Some("map"),
        Some(code::INTEGER_SET) => Some("set"),
        Some(code::DISTINCT) => match tables.attr_fields(id).first() {
            Some(&Value::Attr(of)) if tables.builtin_attr(of) != Some(code::UNIT) => Some("distinct"),
            _ => None,
        },
        Some(_) => None,
        None => match tables.text(&tables.attrs, id.0)? {
            text if text.starts_with(b"affine_map<") => Some("map"),
            text if text.starts_with(b"affine_set<") => Some("set"),
            text if text.starts_with(b"loc(") => Some("loc"),
            _ => None,
        },
    }
}

fn type_alias(tables: &Tables<'_>, id: TypeId) -> Option<&'static str> {
    if tables.builtin_type(id) != Some(code::TUPLE_TYPE) {
        return None;
    }
    match tables.type_fields(id).first() {
        Some(Value::Types(types)) if types.len() > LONG_TUPLE => Some("tuple"),
        _ => None,
    }
}

struct Visitor<'p, 'm, 'a> {
    printer: &'p Printer<'m, 'a>,
    with_locations: bool,
    /// In the order of the first visits.
    visits: Vec<Visit>,
    attrs: Vec<Option<u32>>,
    types: Vec<Option<u32>>,
    unknown_location: Option<u32>,
    /// The attribute for an unknown location.
    unknown: Option<AttrId>,
}

impl Visitor<'_, '_, '_> {
    fn ir(&self) -> &Ir {
        &self.printer.module.ir
    }

    fn op(&mut self, op: Op) {
        let data = *self.ir().op(op);
        if self.with_locations {
            self.visit(Symbol::Attr(data.location), true);
        }
        data.regions.iter().for_each(|region| self.region(Region(region)));
        for index in data.operands.range() {
            self.visit(Symbol::Type(self.ir().value_type(self.ir().operands[index])), false);
        }
        for index in data.results.range() {
            self.visit(Symbol::Type(self.ir().value_types[index]), false);
        }
        for attr in self.attributes(op) {
            self.visit(Symbol::Attr(attr), false);
        }
    }

    /// The values of all attributes and properties, in the order of their names.
    fn attributes(&self, op: Op) -> Vec<AttrId> {
        let module: &Module<'_> = self.printer.module;
        let data = module.ir.op(op);
        let mut all: Vec<(&[u8], AttrId)> = data.attrs.map_or(Vec::new(), |attrs| sorted_attributes(module, attrs));
        match data.properties.map(|properties| self.printer.decoder(data.name).decode(module, properties)) {
            Some(Properties::Named(values)) => all.extend(values.iter().filter_map(|(name, value)| match value {
                crate::operations::PropertyValue::Attr(attr) => Some((name.as_bytes(), *attr)),
                _ => None,
            })),
            Some(Properties::Dictionary(attr)) => all.extend(sorted_attributes(module, attr)),
            Some(Properties::Unknown) | None => {}
        }
        all.sort_by_key(|&(name, _)| name);
        all.into_iter().map(|(_, attr)| attr).collect()
    }

    fn region(&mut self, region: Region) {
        for block in self.ir().blocks(region) {
            let data = self.ir().blocks[block.index()];
            for (value, location) in data.args.range().zip(data.first_location as usize..) {
                self.visit(Symbol::Type(self.ir().value_types[value]), false);
                if self.with_locations {
                    let location = self.ir().arg_locations[location].or(self.unknown);
                    self.visit(location.map_or(Symbol::UnknownLocation, Symbol::Attr), false);
                }
            }
            data.ops.iter().for_each(|op| self.op(Op(op)));
        }
    }

    /// Visits a symbol and its parts; gives the place of the visit.
    fn visit(&mut self, symbol: Symbol, is_deferred: bool) -> u32 {
        let seen = match symbol {
            Symbol::Attr(id) => self.attrs[id.index()],
            Symbol::Type(id) => self.types[id.index()],
            Symbol::UnknownLocation => self.unknown_location,
        };
        if let Some(visit) = seen {
            if !is_deferred {
                self.not_deferred(visit);
            }
            return visit;
        }
        let place = self.visits.len() as u32;
        let tables = &self.printer.module.tables;
        let alias = match symbol {
            Symbol::Attr(id) => {
                self.attrs[id.index()] = Some(place);
                attr_alias(tables, id)
            }
            Symbol::Type(id) => {
                self.types[id.index()] = Some(place);
                type_alias(tables, id)
            }
            Symbol::UnknownLocation => {
                self.unknown_location = Some(place);
                Some("loc")
            }
        };
        self.visits.push(Visit { symbol, alias, depth: u32::from(alias.is_some()), is_deferred, parts: Vec::new() });
        let mut parts = Vec::new();
        for part in self.parts(symbol) {
            parts.push(self.visit(part, is_deferred));
        }
        let deepest = parts.iter().map(|&part| self.visits[part as usize].depth).max().unwrap_or(0);
        let visit = &mut self.visits[place as usize];
        visit.parts = parts;
        if deepest > 0 {
            visit.depth = deepest + 1;
        }
        place
    }

    fn not_deferred(&mut self, visit: u32) {
        if std::mem::take(&mut self.visits[visit as usize].is_deferred) {
            for part in self.visits[visit as usize].parts.clone() {
                self.not_deferred(part);
            }
        }
    }

    /// What printing a symbol prints, in its order.
    fn parts(&self, symbol: Symbol) -> Vec<Symbol> {
        let tables = &self.printer.module.tables;
        let (fields, builtin) = match symbol {
            Symbol::Attr(id) => (tables.attr_fields(id), tables.builtin_attr(id)),
            Symbol::Type(id) => (tables.type_fields(id), tables.builtin_type(id)),
            Symbol::UnknownLocation => return Vec::new(),
        };
        let is_attr = matches!(symbol, Symbol::Attr(_));
        let mut parts = Vec::new();
        for field in &fields {
            match field.clone() {
                Value::Attr(id) | Value::OptionalAttr(Some(id)) => parts.push(Symbol::Attr(id)),
                Value::Type(id) => parts.push(Symbol::Type(id)),
                Value::Attrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
                Value::NamedAttrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
                Value::Types(list) => parts.extend(list.types().map(Symbol::Type)),
                _ => {}
            }
        }
        match builtin {
            // Their types and names are not looked at.
            Some(code::DENSE_ARRAY | code::FLOAT | code::INTEGER | code::FLAT_SYMBOL_REF | code::SYMBOL_REF) if is_attr => Vec::new(),
            Some(code::FILE_LINE_COL_LOC | code::FILE_LINE_COL_RANGE) if is_attr => Vec::new(),
            // The metadata comes first.
            Some(code::FUSED_LOC_WITH_METADATA) if is_attr => {
                parts.rotate_right(1);
                parts
            }
            Some(code::NAME_LOC) if is_attr => {
                parts.retain(
                    |part| !matches!(*part, Symbol::Attr(id) if matches!(tables.builtin_attr(id), Some(code::UNKNOWN_LOC | code::STRING))),
                );
                parts
            }
            // The element type, then the layout if it is not the usual one, then the memory space.
            Some(code::MEMREF_TYPE | code::MEMREF_WITH_SPACE_TYPE) if !is_attr => {
                let is_usual = |part: &Symbol| matches!(*part, Symbol::Attr(id) if super::types::is_identity_layout(tables, &fields, id));
                parts.retain(|part| !is_usual(part));
                let is_space = fields.len() == 4;
                if is_space {
                    parts.rotate_left(1);
                }
                parts
            }
            _ => parts,
        }
    }

    fn aliases(self) -> Aliases {
        let mut order: Vec<usize> = (0..self.visits.len()).collect();
        order.sort_by_key(|&place| {
            let visit = &self.visits[place];
            (visit.depth, !matches!(visit.symbol, Symbol::Type(_)), visit.alias)
        });
        let mut aliases = Aliases { attrs: vec![None; self.attrs.len()], types: vec![None; self.types.len()], ..Aliases::default() };
        let mut numbers: Vec<(&'static str, u32)> = Vec::new();
        for place in order {
            let visit = &self.visits[place];
            let Some(name) = visit.alias else { continue };
            let counter = match numbers.iter().position(|&(known, _)| known == name) {
                Some(at) => &mut numbers[at].1,
                None => {
                    numbers.push((name, 0));
                    &mut numbers.last_mut().expect("it was just pushed").1
                }
            };
            let alias = Alias { name, number: *counter };
            *counter += 1;
            match visit.symbol {
                Symbol::Attr(id) => aliases.attrs[id.index()] = Some(alias),
                Symbol::Type(id) => aliases.types[id.index()] = Some(alias),
                Symbol::UnknownLocation => aliases.unknown_location.push(Some(alias)),
            }
            if visit.is_deferred { aliases.behind.push(visit.symbol) } else { aliases.before.push(visit.symbol) }
        }
        aliases
    }
}
