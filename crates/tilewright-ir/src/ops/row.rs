//! Words for writing rows of the op table.

use super::def::{
    Arity, AsmNames, AttrDef, AttrDefault, AttrKind, CustomFormat, Format, OpDef, OperandDef, Placement, Relation, Relations, ResultDef,
    Results, Same, Traits, ValueSet,
};
use super::{AttrName, TypeSet};
use crate::{AtomicRMWMode, IntegerOverflow, MemoryOrderingSemantics as Ordering, RoundingMode as Rounding, Version};

/// Relates all operands and results of a row.
pub(super) const ALL: &[&str] = &[];

/// The rounding modes of IEEE 754 arithmetic.
pub(super) const IEEE: &[u8] =
    &[Rounding::NearestEven as u8, Rounding::Zero as u8, Rounding::NegativeInf as u8, Rounding::PositiveInf as u8];
/// How a quotient is rounded.
pub(super) const DIVIDE: &[u8] = &[
    Rounding::NearestEven as u8,
    Rounding::Zero as u8,
    Rounding::NegativeInf as u8,
    Rounding::PositiveInf as u8,
    Rounding::Approx as u8,
    Rounding::Full as u8,
];
/// How a root is rounded.
pub(super) const ROOT: &[u8] =
    &[Rounding::NearestEven as u8, Rounding::Zero as u8, Rounding::NegativeInf as u8, Rounding::PositiveInf as u8, Rounding::Approx as u8];
/// How good an estimate is.
pub(super) const ESTIMATE: &[u8] = &[Rounding::Approx as u8, Rounding::Full as u8];
/// How an integer quotient is rounded.
pub(super) const INTEGER_DIVIDE: &[u8] = &[Rounding::Zero as u8, Rounding::NegativeInf as u8, Rounding::PositiveInf as u8];
/// How a float is rounded to another type.
pub(super) const CONVERT: &[u8] = &[
    Rounding::NearestEven as u8,
    Rounding::Zero as u8,
    Rounding::NegativeInf as u8,
    Rounding::PositiveInf as u8,
    Rounding::NearestAway as u8,
];
/// What can be promised of a signed result.
pub(super) const SIGNED_OVERFLOW: &[u8] = &[IntegerOverflow::None as u8, IntegerOverflow::Nsw as u8, IntegerOverflow::Nw as u8];
/// How loads order.
pub(super) const LOADS: &[u8] = &[Ordering::Weak as u8, Ordering::Relaxed as u8, Ordering::Acquire as u8];
/// How stores order.
pub(super) const STORES: &[u8] = &[Ordering::Weak as u8, Ordering::Relaxed as u8, Ordering::Release as u8];
/// How atomic updates order.
pub(super) const ATOMICS: &[u8] = &[Ordering::Relaxed as u8, Ordering::Acquire as u8, Ordering::Release as u8, Ordering::AcqRel as u8];
/// How reductions into views order.
pub(super) const RELAXED: &[u8] = &[Ordering::Relaxed as u8];
/// How reductions into replicas order.
pub(super) const MULTIMEM_REDUCE: &[u8] = &[Ordering::Relaxed as u8, Ordering::Release as u8];
/// What reductions into views do: all but exchange.
pub(super) const REDUCTIONS: &[u8] = &[
    AtomicRMWMode::And as u8,
    AtomicRMWMode::Or as u8,
    AtomicRMWMode::Xor as u8,
    AtomicRMWMode::Add as u8,
    AtomicRMWMode::Addf as u8,
    AtomicRMWMode::Max as u8,
    AtomicRMWMode::Min as u8,
    AtomicRMWMode::Umax as u8,
    AtomicRMWMode::Umin as u8,
];

/// Declares the operations: the [`Opcode`](super::Opcode) enumeration and the table behind it.
macro_rules! define_ops {
    ($($variant:ident = $row:expr,)*) => {
        /// An operation of Tile IR.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "every variant is documented by its row: see Opcode::def")]
        pub enum Opcode {
            $($variant,)*
        }

        impl Opcode {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];
        }

        pub(super) static TABLE: [OpDef; Opcode::ALL.len()] = [$($row,)*];
    };
}
pub(super) use define_ops;

pub(super) const fn result(name: &'static str, types: TypeSet) -> ResultDef {
    ResultDef { name, types, since: None }
}

pub(super) const fn attr(name: AttrName, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, optional: false, since: None, default: None, is_required: true, allowed: ValueSet::ALL, f32_only: ValueSet::NONE }
}

/// An attribute that is only a flag bit.
pub(super) const fn unit(name: AttrName) -> AttrDef {
    attr(name, AttrKind::Unit).optional()
}

pub(super) const fn one(name: &'static str, types: TypeSet) -> OperandDef {
    OperandDef { name, arity: Arity::One, types, since: None }
}

pub(super) const fn optional(name: &'static str, types: TypeSet) -> OperandDef {
    OperandDef { name, arity: Arity::Optional, types, since: None }
}

pub(super) const fn variadic(name: &'static str, types: TypeSet) -> OperandDef {
    OperandDef { name, arity: Arity::Variadic, types, since: None }
}

impl ResultDef {
    pub(super) const fn since(mut self, version: Version) -> Self {
        self.since = Some(version);
        self
    }
}

impl OperandDef {
    pub(super) const fn since(mut self, version: Version) -> Self {
        self.since = Some(version);
        self
    }
}

impl AttrDef {
    pub(super) const fn optional(mut self) -> Self {
        self.optional = true;
        self.is_required = false;
        self
    }

    pub(super) const fn since(mut self, version: Version) -> Self {
        self.since = Some(version);
        self
    }

    pub(super) const fn default(mut self, default: AttrDefault) -> Self {
        self.default = Some(default);
        self.is_required = false;
        self
    }

    /// May be left out in text, but not in the dialect.
    pub(super) const fn default_in_text(mut self, default: AttrDefault) -> Self {
        self.default = Some(default);
        self
    }

    /// Takes these values of its enumeration only.
    pub(super) const fn only(mut self, values: &[u8]) -> Self {
        self.allowed = ValueSet::new(values);
        self
    }

    /// Takes these values for `f32` only.
    pub(super) const fn f32_only_values(mut self, values: &[u8]) -> Self {
        self.f32_only = ValueSet::new(values);
        self
    }

    /// Can be set for `f32` only.
    pub(super) const fn f32_only(mut self) -> Self {
        self.f32_only = ValueSet::ALL;
        self
    }
}

impl OpDef {
    pub(super) const fn new(mnemonic: &'static str, wire: u16, ods_name: &'static str, since: Version, doc: &'static str) -> Self {
        OpDef {
            mnemonic,
            wire,
            ods_name,
            since,
            doc,
            preview: false,
            placement: Placement::Body,
            results: Results::Fixed(&[]),
            attrs: &[],
            operands: &[],
            variadic_types: TypeSet::ANY,
            relations: Relations::NONE,
            regions: 0,
            traits: Traits::NONE,
            format: Format::Pattern(""),
            asm_names: AsmNames::Default,
        }
    }

    pub(super) const fn preview(mut self) -> Self {
        self.preview = true;
        self
    }

    pub(super) const fn placed(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    pub(super) const fn results(mut self, results: &'static [ResultDef]) -> Self {
        self.results = Results::Fixed(results);
        self
    }

    pub(super) const fn variadic_results(mut self, name: &'static str, types: TypeSet) -> Self {
        self.results = Results::Variadic(name);
        self.variadic_types = types;
        self
    }

    pub(super) const fn attrs(mut self, attrs: &'static [AttrDef]) -> Self {
        self.attrs = attrs;
        self
    }

    pub(super) const fn operands(mut self, operands: &'static [OperandDef]) -> Self {
        self.operands = operands;
        self
    }

    /// These operands and results, or [`ALL`] of them, have something in common.
    pub(super) const fn same(mut self, same: Same, names: &[&str]) -> Self {
        let mut slots = 0;
        let mut i = 0;
        while i < self.operands.len() {
            if names.is_empty() || is_among(self.operands[i].name, names) {
                slots |= 1 << i;
            }
            i += 1;
        }
        if let Results::Fixed(results) = self.results {
            let mut i = 0;
            while i < results.len() {
                if names.is_empty() || is_among(results[i].name, names) {
                    slots |= 1 << (8 + i);
                }
                i += 1;
            }
        }
        assert!(names.is_empty() || u16::count_ones(slots) as usize == names.len(), "a relation names what the row lacks");
        self.relations = self.relations.and(Relation { same, slots });
        self
    }

    pub(super) const fn regions(mut self, regions: u8) -> Self {
        self.regions = regions;
        self
    }

    pub(super) const fn traits(mut self, traits: &'static [Traits]) -> Self {
        let mut i = 0;
        while i < traits.len() {
            self.traits = self.traits.with(traits[i]);
            i += 1;
        }
        self
    }

    pub(super) const fn format(mut self, pattern: &'static str) -> Self {
        self.format = Format::Pattern(pattern);
        self
    }

    pub(super) const fn custom_format(mut self, custom: CustomFormat) -> Self {
        self.format = Format::Custom(custom);
        self
    }

    pub(super) const fn names(mut self, names: AsmNames) -> Self {
        self.asm_names = names;
        self
    }
}

const fn is_among(name: &str, names: &[&str]) -> bool {
    let mut i = 0;
    while i < names.len() {
        if is_equal(name.as_bytes(), names[i].as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
