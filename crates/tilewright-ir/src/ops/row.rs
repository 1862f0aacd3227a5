//! Words for writing rows of the op table.

use super::AttrName;
use super::def::{
    Arity, AsmNames, AttrDef, AttrDefault, AttrKind, CustomFormat, Format, OpDef, OperandDef, Placement, ResultDef, Results, Traits,
};
use crate::Version;

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

pub(super) const fn result(name: &'static str) -> ResultDef {
    ResultDef { name, since: None }
}

pub(super) const fn attr(name: AttrName, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, optional: false, since: None, default: None }
}

/// An attribute that is only a flag bit.
pub(super) const fn unit(name: AttrName) -> AttrDef {
    attr(name, AttrKind::Unit).optional()
}

pub(super) const fn one(name: &'static str) -> OperandDef {
    OperandDef { name, arity: Arity::One, since: None }
}

pub(super) const fn optional(name: &'static str) -> OperandDef {
    OperandDef { name, arity: Arity::Optional, since: None }
}

pub(super) const fn variadic(name: &'static str) -> OperandDef {
    OperandDef { name, arity: Arity::Variadic, since: None }
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
        self
    }

    pub(super) const fn since(mut self, version: Version) -> Self {
        self.since = Some(version);
        self
    }

    pub(super) const fn default(mut self, default: AttrDefault) -> Self {
        self.default = Some(default);
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

    pub(super) const fn variadic_results(mut self, name: &'static str) -> Self {
        self.results = Results::Variadic(name);
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
