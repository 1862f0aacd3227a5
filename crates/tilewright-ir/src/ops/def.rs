//! The shape of a row of the op table, and what follows from a row.

use super::{AttrName, TypeSet};
use crate::{EnumKind, Version};

/// Everything that is known of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OpDef {
    /// Name in text, without the dialect prefix.
    pub mnemonic: &'static str,
    /// Number in bytecode.
    pub wire: u16,
    /// Name in the dialect definition.
    pub ods_name: &'static str,
    /// First version that has it.
    pub since: Version,
    /// One line for a reader.
    pub doc: &'static str,
    /// Whether it belongs to the preview content of its version.
    pub preview: bool,
    /// Where it is stored in a file.
    pub placement: Placement,
    /// What it defines.
    pub results: Results,
    /// Its attributes, in the order of the wire.
    pub attrs: &'static [AttrDef],
    /// Its operands, in the order of the wire.
    pub operands: &'static [OperandDef],
    /// The types of its results where they are variadic.
    pub variadic_types: TypeSet,
    /// What its operands and results have in common.
    pub relations: Relations,
    /// How many regions it owns.
    pub regions: u8,
    /// What generic code may assume about it.
    pub traits: Traits,
    /// Its text after the mnemonic.
    pub format: Format,
    /// How the printer names its results.
    pub asm_names: AsmNames,
}

/// Where an operation is stored in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// In the body of a function.
    Body,
    /// As a record of the function table.
    FunctionTable,
    /// As a record of the global section.
    GlobalSection,
    /// Nowhere: every file is one.
    Implicit,
}

/// The results of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Results {
    /// Exactly these.
    Fixed(&'static [ResultDef]),
    /// Any number, under one name.
    Variadic(&'static str),
}

/// One result of an operation.
#[derive(Clone, Copy, Debug)]
pub struct ResultDef {
    /// Its name in the dialect definition.
    pub name: &'static str,
    /// The types it may have.
    pub types: TypeSet,
    /// First version that has it; `None`: as old as the operation.
    pub since: Option<Version>,
}

/// One attribute of an operation.
#[derive(Clone, Copy, Debug)]
pub struct AttrDef {
    /// Its name.
    pub name: AttrName,
    /// What it holds.
    pub kind: AttrKind,
    /// Whether it may be left out.
    pub optional: bool,
    /// First version that has it; `None`: as old as the operation.
    pub since: Option<Version>,
    /// Value that text leaves out, and that older versions mean.
    pub default: Option<AttrDefault>,
    /// Whether the dialect's definition, with which MLIR is built, requires it: MLIR encodes such attributes in another way.
    pub is_required: bool,
    /// The values of its enumeration that the operation takes.
    pub allowed: ValueSet,
    /// Those among them that need `f32`. For a unit attribute: whether being set does.
    pub f32_only: ValueSet,
}

/// A set of values of an enumeration, by their numbers in bytecode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueSet(u16);

impl ValueSet {
    /// No value.
    pub const NONE: ValueSet = ValueSet(0);
    /// Every value.
    pub const ALL: ValueSet = ValueSet(u16::MAX);

    /// The set of these values.
    pub const fn new(values: &[u8]) -> ValueSet {
        let mut bits = 0;
        let mut i = 0;
        while i < values.len() {
            bits |= 1 << values[i];
            i += 1;
        }
        ValueSet(bits)
    }

    /// Whether a value belongs to it.
    #[inline]
    pub const fn contains(self, value: u8) -> bool {
        value < 16 && self.0 >> value & 1 != 0
    }
}

/// Something that values of an operation have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relation {
    /// What is the same.
    pub same: Same,
    /// Bit i: operand i of the row; bit 8 + i: result i. Operands that are not there do not count.
    pub slots: u16,
}

/// The relations of a row: at most [`Relations::MAX`], as rows are constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relations([Option<Relation>; Relations::MAX]);

impl Relations {
    /// The most relations that a row has.
    pub const MAX: usize = 4;
    /// None.
    pub const NONE: Relations = Relations([None; Relations::MAX]);

    /// One relation more.
    pub(super) const fn and(mut self, relation: Relation) -> Relations {
        let mut i = 0;
        while self.0[i].is_some() {
            i += 1;
        }
        self.0[i] = Some(relation);
        self
    }

    /// The relations, in the order of the row.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Relation> {
        self.0.iter().map_while(|relation| *relation)
    }
}

/// What values can have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Same {
    /// The type.
    Type,
    /// The shape.
    Shape,
    /// The number of dimensions.
    Rank,
    /// The element type.
    Element,
}

/// What an attribute holds, and how bytecode stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrKind {
    /// A value of an enumeration.
    Enum(EnumKind),
    /// An unsigned integer of at most this many bits.
    UInt(u8),
    /// A truth value.
    Bool,
    /// A string.
    String,
    /// A symbol name; not empty.
    Symbol,
    /// A type.
    Type,
    /// The data of a dense constant.
    Constant,
    /// A list of self-describing attributes.
    Array,
    /// Optimization hints.
    Hints,
    /// A self-describing attribute: the predicate of `assume`.
    Predicate,
    /// A list of 32-bit integers.
    I32Array,
    /// A list of truth values.
    BoolArray,
    /// Nothing but its presence: a flag bit.
    Unit,
}

/// The default of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrDefault {
    /// This value of its enumeration.
    Enum(u8),
    /// This number.
    Int(u64),
    /// `false` for every index of the view.
    AllFalse,
}

/// One operand of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OperandDef {
    /// Its name in the dialect definition.
    pub name: &'static str,
    /// How many values it takes.
    pub arity: Arity,
    /// The types it may have.
    pub types: TypeSet,
    /// First version that has it; `None`: as old as the operation.
    pub since: Option<Version>,
}

/// How many values an operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// One.
    One,
    /// One or none.
    Optional,
    /// Any number.
    Variadic,
}

/// How bytecode stores the operands of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandEncoding {
    /// There are none.
    None,
    /// One index each.
    Fixed,
    /// The total count, then all indices.
    Counted,
    /// Variadic operands with their own count, optional ones if their flag bit is set.
    Segments,
}

/// The text of an operation after its mnemonic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Described by a format string; see [`FormatPiece`](super::FormatPiece).
    Pattern(&'static str),
    /// Written by hand: irregular syntax.
    Custom(CustomFormat),
}

/// The operations whose syntax is written by hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CustomFormat {
    /// `for %i in (%lb to %ub, step %s) : type iter_values(...) -> (...) { ... }`
    For,
    /// `if %c -> (...) { ... } else { ... }`
    If,
    /// `loop iter_values(...) : types -> types { ... }`
    Loop,
    /// `reduce`, `scan`: operands, attributes, types, then a region with named arguments.
    Fold,
    /// `make_tensor_view %base, shape = [...], strides = [...] : ...`
    MakeTensorView,
    /// `entry @name(...) { ... }`
    Entry,
    /// `global @name <...> : type`
    Global,
    /// `cuda_tile.module @name { ... }`
    Module,
    /// `preview$call @callee(...) : (...) -> (...)`
    Call,
}

/// How the printer names the results of an operation, and the arguments of its region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsmNames {
    /// By number; operations with several fixed results use the names of the results.
    Default,
    /// This word.
    Word(&'static str),
    /// From the value of the constant.
    Constant,
    /// From the name of the assumed value.
    Assume,
    /// `for`: results `for`, arguments `loopIdx` and `iterArg0`...
    For,
    /// `reduce`: results `reduce`, arguments `reduce_lhs` and `reduce_rhs`.
    Reduce,
}

/// What generic code may assume about an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traits(u16);

impl Traits {
    /// Nothing.
    pub const NONE: Traits = Traits(0);
    /// No effects, no undefined behaviour: may be dropped, repeated, moved.
    pub const PURE: Traits = Traits(1);
    /// No effect on memory, but some operands are undefined behaviour (division by zero).
    pub const NO_MEMORY: Traits = Traits(1 << 1);
    /// Works on each element alone: operands and results have one shape.
    pub const ELEMENTWISE: Traits = Traits(1 << 2);
    /// Exchanging the first two operands changes nothing.
    pub const COMMUTATIVE: Traits = Traits(1 << 3);
    /// Ends a block.
    pub const TERMINATOR: Traits = Traits(1 << 4);
    /// Reads memory.
    pub const READS: Traits = Traits(1 << 5);
    /// Writes memory.
    pub const WRITES: Traits = Traits(1 << 6);
    /// Takes and gives tokens.
    pub const TOKEN_ORDERED: Traits = Traits(1 << 7);
    /// Its regions may not use values from outside.
    pub const ISOLATED: Traits = Traits(1 << 8);
    /// Defines a symbol.
    pub const SYMBOL: Traits = Traits(1 << 9);
    /// Memory of `alloca` lives as long as its region runs.
    pub const ALLOCATION_SCOPE: Traits = Traits(1 << 10);
    /// Its region ends in an implicit terminator where that takes no operands.
    pub const IMPLICIT_TERMINATOR: Traits = Traits(1 << 11);
    /// Stops the launch on some operands.
    pub const STOPS: Traits = Traits(1 << 12);
    /// Writes to the output of the launch.
    pub const PRINTS: Traits = Traits(1 << 13);
    /// Takes memory that is freed at the end of the innermost [`Traits::ALLOCATION_SCOPE`].
    pub const ALLOCATES: Traits = Traits(1 << 14);
    /// Does what the operations of its regions do, or those of the function that it calls.
    pub const NESTED_EFFECTS: Traits = Traits(1 << 15);

    /// The traits that say what an operation does beyond giving results. Every operation of a body has one of them.
    pub const EFFECTS: Traits = Traits::PURE
        .with(Traits::NO_MEMORY)
        .with(Traits::TERMINATOR)
        .with(Traits::READS)
        .with(Traits::WRITES)
        .with(Traits::TOKEN_ORDERED)
        .with(Traits::STOPS)
        .with(Traits::PRINTS)
        .with(Traits::ALLOCATES)
        .with(Traits::NESTED_EFFECTS);

    const NAMES: [(Traits, &'static str); 16] = [
        (Traits::PURE, "pure"),
        (Traits::NO_MEMORY, "no_memory"),
        (Traits::ELEMENTWISE, "elementwise"),
        (Traits::COMMUTATIVE, "commutative"),
        (Traits::TERMINATOR, "terminator"),
        (Traits::READS, "reads"),
        (Traits::WRITES, "writes"),
        (Traits::TOKEN_ORDERED, "token_ordered"),
        (Traits::ISOLATED, "isolated"),
        (Traits::SYMBOL, "symbol"),
        (Traits::ALLOCATION_SCOPE, "allocation_scope"),
        (Traits::IMPLICIT_TERMINATOR, "implicit_terminator"),
        (Traits::STOPS, "stops"),
        (Traits::PRINTS, "prints"),
        (Traits::ALLOCATES, "allocates"),
        (Traits::NESTED_EFFECTS, "nested_effects"),
    ];

    /// Both together.
    pub const fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// Those that are not among others.
    pub const fn without(self, other: Traits) -> Traits {
        Traits(self.0 & !other.0)
    }

    /// Whether all of `other` hold.
    pub const fn contains(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` holds.
    pub const fn intersects(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    /// The names of the traits that hold.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(t, _)| self.contains(*t)).map(|(_, name)| name)
    }
}

/// A bit of an operation's flags word: which attribute or operand it announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlagItem {
    /// The attribute at this position.
    Attr(usize),
    /// The operand at this position.
    Operand(usize),
}

impl OpDef {
    /// First version of an attribute.
    pub fn attr_since(&self, attr: &AttrDef) -> Version {
        attr.since.unwrap_or(self.since)
    }

    /// First version of an operand.
    pub fn operand_since(&self, operand: &OperandDef) -> Version {
        operand.since.unwrap_or(self.since)
    }

    /// First version of a result.
    pub fn result_since(&self, result: &ResultDef) -> Version {
        result.since.unwrap_or(self.since)
    }

    /// Position of an attribute in the row.
    #[inline]
    pub fn attr_index(&self, name: AttrName) -> Option<usize> {
        self.attrs.iter().position(|a| a.name == name)
    }

    /// Position of an operand in the row.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|o| o.name == name)
    }

    /// Whether any number of operands or results is possible.
    pub fn is_variadic(&self) -> bool {
        matches!(self.results, Results::Variadic(_)) || self.operands.iter().any(|o| o.arity == Arity::Variadic)
    }

    /// Whether bytecode writes the number of results: it does where operands or results are variadic.
    pub fn results_are_counted(&self) -> bool {
        self.is_variadic()
    }

    /// How bytecode stores the operands.
    ///
    /// Two or more operands of open size need segments; one can be told from the total count.
    pub fn operand_encoding(&self) -> OperandEncoding {
        let open = self.operands.iter().filter(|o| o.arity != Arity::One).count();
        match (self.operands.len(), open) {
            (0, _) => OperandEncoding::None,
            (_, 0) => OperandEncoding::Fixed,
            (_, 1) => OperandEncoding::Counted,
            _ => OperandEncoding::Segments,
        }
    }

    /// The items that have a bit in the flags word, lowest bit first.
    ///
    /// Items are ordered by the version that introduced them; within one version, attributes come before operands, each
    /// in the order of the row. Operands have bits only where they are stored in segments.
    pub fn flag_items(&self) -> Vec<FlagItem> {
        let attrs = self.attrs.iter().enumerate().filter(|(_, a)| a.optional);
        let mut items: Vec<(Version, FlagItem)> = attrs.map(|(i, a)| (self.attr_since(a), FlagItem::Attr(i))).collect();
        if self.operand_encoding() == OperandEncoding::Segments {
            let optional = self.operands.iter().enumerate().filter(|(_, o)| o.arity == Arity::Optional);
            items.extend(optional.map(|(i, o)| (self.operand_since(o), FlagItem::Operand(i))));
        }
        items.sort_by_key(|(since, _)| *since);
        items.into_iter().map(|(_, item)| item).collect()
    }

    /// First version whose files hold a flags word for this operation.
    pub fn flags_since(&self) -> Option<Version> {
        let item = *self.flag_items().first()?;
        Some(match item {
            FlagItem::Attr(i) => self.attr_since(&self.attrs[i]),
            FlagItem::Operand(i) => self.operand_since(&self.operands[i]),
        })
    }
}
