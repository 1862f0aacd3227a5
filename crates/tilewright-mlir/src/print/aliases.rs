//! Aliases: `#map`, `#loc3`, `!tuple`.
//!
//! MLIR names locations, affine maps and sets, distinct attributes and long tuples, and says what a name means before or behind the
//! operations. Numbers follow the order in which the operations come to what is named, after how deep it nests.

use crate::{
    encoding::{Encoding, Owner, Value, code},
    ir::{Op, OpData, Region, Span},
    limits::MAX_NESTING,
    module::Module,
    operations::{Decoder, Properties, PropertyValue},
    print::{named::Named, sorted_attributes},
    tables::{AttrId, Form, StrId, Tables, TypeId},
};
use smallvec::SmallVec;
use tilewright_text::short::ShortText;

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

/// What is named, by its place in the list of names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Kind(u8);

/// What names begin with, in alphabetical order: MLIR's own, and those that dialects give.
const NAMES: [&str; 54] = [
    "access_group",
    "alias_scope",
    "alias_scope_domain",
    "blocked",
    "compilation",
    "config",
    "di_basic_type",
    "di_common_block",
    "di_compile_unit",
    "di_composite_type",
    "di_derived_type",
    "di_file",
    "di_global_variable",
    "di_global_variable_expression",
    "di_imported_entity",
    "di_label",
    "di_lexical_block",
    "di_lexical_block_file",
    "di_local_variable",
    "di_module",
    "di_namespace",
    "di_null_type",
    "di_string_type",
    "di_subprogram",
    "di_subroutine_type",
    "distinct",
    "extern",
    "linear",
    "loc",
    "loop_annotation",
    "loop_distribute",
    "loop_interleave",
    "loop_licm",
    "loop_peeled",
    "loop_pipeline",
    "loop_unroll",
    "loop_unroll_and_jam",
    "loop_unswitch",
    "loop_vectorize",
    "map",
    "mma",
    "mmra_tag",
    "nested",
    "pipeline_layout",
    "set",
    "shared",
    "smem",
    "sparse",
    "tbaa_root",
    "tbaa_tag",
    "tbaa_type_desc",
    "tmem",
    "translation",
    "tuple",
];

/// What the names of attributes of dialects begin with, by the mnemonics of these.
const MNEMONICS: [(&str, &str); 54] = [
    ("hal.pipeline.layout", "pipeline_layout"),
    ("iree_codegen.compilation_info", "compilation"),
    ("iree_codegen.lowering_config", "config"),
    ("iree_codegen.translation_info", "translation"),
    ("iree_vector_ext.nested_layout", "nested"),
    ("llvm.access_group", "access_group"),
    ("llvm.alias_scope", "alias_scope"),
    ("llvm.alias_scope_domain", "alias_scope_domain"),
    ("llvm.di_basic_type", "di_basic_type"),
    ("llvm.di_common_block", "di_common_block"),
    ("llvm.di_compile_unit", "di_compile_unit"),
    ("llvm.di_composite_type", "di_composite_type"),
    ("llvm.di_derived_type", "di_derived_type"),
    ("llvm.di_file", "di_file"),
    ("llvm.di_global_variable", "di_global_variable"),
    ("llvm.di_global_variable_expression", "di_global_variable_expression"),
    ("llvm.di_imported_entity", "di_imported_entity"),
    ("llvm.di_label", "di_label"),
    ("llvm.di_lexical_block", "di_lexical_block"),
    ("llvm.di_lexical_block_file", "di_lexical_block_file"),
    ("llvm.di_local_variable", "di_local_variable"),
    ("llvm.di_module", "di_module"),
    ("llvm.di_namespace", "di_namespace"),
    ("llvm.di_null_type", "di_null_type"),
    ("llvm.di_string_type", "di_string_type"),
    ("llvm.di_subprogram", "di_subprogram"),
    ("llvm.di_subroutine_type", "di_subroutine_type"),
    ("llvm.loop_annotation", "loop_annotation"),
    ("llvm.loop_distribute", "loop_distribute"),
    ("llvm.loop_interleave", "loop_interleave"),
    ("llvm.loop_licm", "loop_licm"),
    ("llvm.loop_peeled", "loop_peeled"),
    ("llvm.loop_pipeline", "loop_pipeline"),
    ("llvm.loop_unroll", "loop_unroll"),
    ("llvm.loop_unroll_and_jam", "loop_unroll_and_jam"),
    ("llvm.loop_unswitch", "loop_unswitch"),
    ("llvm.loop_vectorize", "loop_vectorize"),
    ("llvm.mmra_tag", "mmra_tag"),
    ("llvm.tbaa_root", "tbaa_root"),
    ("llvm.tbaa_tag", "tbaa_tag"),
    ("llvm.tbaa_type_desc", "tbaa_type_desc"),
    ("ml_program.extern", "extern"),
    ("sparse_tensor.encoding", "sparse"),
    ("ttg.amd_mfma", "mma"),
    ("ttg.amd_wmma", "mma"),
    ("ttg.blocked", "blocked"),
    ("ttg.linear", "linear"),
    ("ttg.nvidia_mma", "mma"),
    ("ttg.nvmma_shared", "shared"),
    ("ttg.padded_shared", "shared"),
    ("ttg.shared_linear", "shared"),
    ("ttg.shared_memory", "smem"),
    ("ttg.swizzled_shared", "shared"),
    ("ttng.tensor_memory", "tmem"),
];

impl Kind {
    const COUNT: usize = NAMES.len();
    const DISTINCT: Kind = Kind(25);
    const LOCATION: Kind = Kind(28);
    const MAP: Kind = Kind(39);
    const SET: Kind = Kind(44);
    const TUPLE: Kind = Kind(53);

    /// What its names begin with.
    fn name(self) -> &'static [u8] {
        NAMES[usize::from(self.0)].as_bytes()
    }

    /// The kind of an attribute with a mnemonic, which begins with the dialect; none where the dialect gives no name.
    fn of_mnemonic(mnemonic: &[u8]) -> Option<Kind> {
        let place = MNEMONICS.binary_search_by_key(&mnemonic, |(mnemonic, _)| mnemonic.as_bytes()).ok()?;
        let place = NAMES.binary_search(&MNEMONICS[place].1).ok()?;
        Some(Kind(place as u8))
    }
}

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
        let mut visitor = Visitor {
            module,
            decoders,
            with_locations,
            has_others,
            // Of locations it is not known which ones the operations come to.
            remaining: if with_locations || tables.may_hold_locations { usize::MAX } else { names },
            remaining_types: types().filter(|&id| named.contains(tables, Symbol::Type(id))).count(),
            named,
            visits: Vec::new(),
            parts: Vec::new(),
            ranks: Ranks::default(),
            attrs: vec![0; tables.attrs.len()],
            types: vec![0; tables.types.len()],
            unknown_location: 0,
            properties: Seen::new(module),
            unknown: (0..tables.attrs.len() as u32).map(AttrId).find(|&id| tables.builtin_attr(id) == Some(code::UNKNOWN_LOC)),
        };
        module.ir.top.iter().for_each(|op| visitor.op(Op(op)));
        visitor.aliases()
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

/// The name that MLIR gives to such a symbol.
fn alias(tables: &Tables<'_>, symbol: Symbol) -> Option<Kind> {
    match symbol {
        Symbol::Attr(id) => attr_alias(tables, id),
        Symbol::Type(id) => type_alias(tables, id),
        Symbol::UnknownLocation => Some(Kind::LOCATION),
    }
}

/// Whether a symbol has a name.
pub(super) fn has_name(tables: &Tables<'_>, symbol: Symbol) -> bool {
    alias(tables, symbol).is_some()
}

fn attr_alias(tables: &Tables<'_>, id: AttrId) -> Option<Kind> {
    match tables.builtin_attr(id) {
        Some(code) if code::is_location(code) => Some(Kind::LOCATION),
        Some(code::AFFINE_MAP) => Some(Kind::MAP),
        Some(code::INTEGER_SET) => Some(Kind::SET),
        Some(code::DISTINCT) => match tables.attr_fields(id).first() {
            Some(&Value::Attr(of)) if tables.builtin_attr(of) != Some(code::UNIT) => Some(Kind::DISTINCT),
            _ => None,
        },
        Some(_) => None,
        None => match tables.text(&tables.attrs, id.0) {
            None => match tables.attrs.entry(id.0).form {
                Form::Known(encoding) if encoding.owner == Owner::Llvm => Kind::of_mnemonic(&[b"llvm.", encoding.name.as_bytes()].concat()),
                Form::Known(encoding) if encoding.owner == Owner::Template => match tables.attr_fields(id).first() {
                    Some(Value::Numbers(pieces)) => {
                        pieces.clone().next().and_then(|piece| text_alias(tables.strings.get(StrId(piece as u32))))
                    }
                    _ => None,
                },
                _ => None,
            },
            Some(text) => text_alias(text),
        },
    }
}

/// Whether an attribute that is a text, or begins with it, has a name.
pub(super) fn has_name_as_text(text: &[u8]) -> bool {
    text_alias(text).is_some()
}

/// The name of an attribute that stands as text.
fn text_alias(text: &[u8]) -> Option<Kind> {
    if text.starts_with(b"affine_map<") {
        return Some(Kind::MAP);
    }
    if text.starts_with(b"affine_set<") {
        return Some(Kind::SET);
    }
    if text.starts_with(b"loc(") {
        return Some(Kind::LOCATION);
    }
    let mnemonic = text.strip_prefix(b"#")?;
    Kind::of_mnemonic(mnemonic.split(|&byte| byte == b'<').next()?)
}

fn type_alias(tables: &Tables<'_>, id: TypeId) -> Option<Kind> {
    if tables.builtin_type(id) != Some(code::TUPLE_TYPE) {
        return None;
    }
    match tables.type_fields(id).first() {
        Some(Value::Types(types)) if types.len() > LONG_TUPLE => Some(Kind::TUPLE),
        _ => None,
    }
}

/// Whether an operation may come to something with a name, locations aside. A map that is the usual layout of a type has one, but is not
/// printed.
fn comes_to_names(module: &Module<'_>, decoders: &[Decoder], named: &mut Named) -> bool {
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

pub(super) type Symbols = SmallVec<[Symbol; 4]>;

struct Visitor<'m, 'a> {
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

impl Visitor<'_, '_> {
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
        let mut all = data.attrs().map_or(super::Entries::new(), |attrs| sorted_attributes(module, attrs));
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
        let alias = alias(tables, symbol);
        self.remaining -= usize::from(alias.is_some_and(|kind| kind != Kind::LOCATION));
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
        let depth = if deepest > 0 { deepest + 1 } else { u16::from(alias.is_some()) };
        let mark = if num_parts == 0 && alias.is_some() {
            Mark::leaf(is_deferred)
        } else {
            // The parts of parts came to the list before them.
            let span = Span { start: self.parts.len() as u32, len: num_parts as u32 };
            self.parts.extend_from_slice(&parts[..num_parts]);
            self.visits.push(Visit { parts: span, depth, is_deferred });
            Mark::visit(self.visits.len() - 1)
        };
        *self.mark_of(symbol) = mark.0;
        if let Some(kind) = alias {
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

    fn aliases(mut self) -> Aliases {
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

/// What printing a symbol prints, in its order.
pub(super) fn parts(tables: &Tables<'_>, symbol: Symbol) -> Symbols {
    if has_no_parts(tables, symbol) {
        return Symbols::new();
    }
    if let Symbol::Attr(id) = symbol
        && let Some(parts) = parts_of_location(tables, id)
    {
        return parts;
    }
    if let Symbol::Attr(id) = symbol
        && let Form::Known(encoding) = tables.attrs.entry(id.0).form
        && !encoding.parameters.is_empty()
    {
        return parts_of_parameters(tables, id, encoding);
    }
    let (fields, builtin) = match symbol {
        Symbol::Attr(id) => (tables.attr_fields(id), tables.builtin_attr(id)),
        Symbol::Type(id) => (tables.type_fields(id), tables.builtin_type(id)),
        Symbol::UnknownLocation => return Symbols::new(),
    };
    let is_attr = matches!(symbol, Symbol::Attr(_));
    let mut parts = Symbols::new();
    for field in &fields {
        match field.clone() {
            Value::Attr(id) | Value::OptionalAttr(Some(id)) => parts.push(Symbol::Attr(id)),
            Value::Type(id) => parts.push(Symbol::Type(id)),
            Value::Attrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
            Value::NamedAttrs(list) => parts.extend(list.attrs().map(Symbol::Attr)),
            Value::Types(list) => parts.extend(list.types().map(Symbol::Type)),
            Value::OptionalAttrs(list) => parts.extend(list.optional_attrs().flatten().map(Symbol::Attr)),
            _ => {}
        }
    }
    match builtin {
        // The metadata comes first.
        Some(code::FUSED_LOC_WITH_METADATA) if is_attr => {
            parts.rotate_right(1);
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

/// The parts of a location that consists of others.
fn parts_of_location(tables: &Tables<'_>, id: AttrId) -> Option<Symbols> {
    let parts = tables.parts_of_location(id)?.into_iter();
    let is_name = tables.builtin_attr(id) == Some(code::NAME_LOC);
    // The name stands as it is, and an unknown child is not printed.
    let is_printed = |part: &AttrId| !is_name || !matches!(tables.builtin_attr(*part), Some(code::UNKNOWN_LOC | code::STRING));
    Some(parts.filter(is_printed).map(Symbol::Attr).collect())
}

/// The parts of an attribute whose text has another order than its encoding.
fn parts_of_parameters(tables: &Tables<'_>, id: AttrId, encoding: &Encoding) -> Symbols {
    let fields = tables.attr_fields(id);
    let mut parts = Symbols::new();
    for parameter in encoding.parameters {
        let place = encoding.fields.iter().position(|&(name, _)| name == parameter.name);
        match place.and_then(|place| fields.get(place)) {
            Some(Value::Attr(part) | Value::OptionalAttr(Some(part))) => parts.push(Symbol::Attr(*part)),
            Some(Value::OptionalAttrs(list)) => parts.extend(list.clone().optional_attrs().flatten().map(Symbol::Attr)),
            _ => {}
        }
    }
    parts
}

/// Whether printing a symbol prints no others, as is known without decoding it.
pub(super) fn has_no_parts(tables: &Tables<'_>, symbol: Symbol) -> bool {
    match symbol {
        // Their types and names are not looked at.
        Symbol::Attr(id) => matches!(
            tables.builtin_attr(id),
            Some(
                code::DENSE_ARRAY
                    | code::FLOAT
                    | code::INTEGER
                    | code::FLAT_SYMBOL_REF
                    | code::SYMBOL_REF
                    | code::FILE_LINE_COL_LOC
                    | code::FILE_LINE_COL_RANGE
                    | code::STRING
            )
        ),
        Symbol::Type(id) => matches!(tables.builtin_type(id), Some(code::INTEGER_TYPE)),
        Symbol::UnknownLocation => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, MNEMONICS, NAMES};

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.is_sorted() && MNEMONICS.is_sorted());
        for (kind, name) in
            [(Kind::DISTINCT, "distinct"), (Kind::LOCATION, "loc"), (Kind::MAP, "map"), (Kind::SET, "set"), (Kind::TUPLE, "tuple")]
        {
            assert_eq!(kind.name(), name.as_bytes());
            assert_eq!(Kind::of_mnemonic(name.as_bytes()), None);
        }
        for (mnemonic, name) in MNEMONICS {
            assert_eq!(Kind::of_mnemonic(mnemonic.as_bytes()).map(Kind::name), Some(name.as_bytes()));
        }
    }
}
