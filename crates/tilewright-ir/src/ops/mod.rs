//! The operations of Tile IR: one table, and the words to speak about it.

mod choices;
mod def;
mod format;
mod page;
pub mod pairs;
mod row;
mod syntax;
mod table;
mod typeset;

pub use def::{
    Arity, AsmNames, AttrDef, AttrDefault, AttrKind, CustomFormat, FlagItem, Format, OpDef, OperandDef, OperandEncoding, Placement,
    Relation, Relations, ResultDef, Results, Same, Traits, ValueSet,
};
pub use format::{Condition, FormatPiece, Subject, TypeList, TypeSource, parse_format, type_source};
pub use table::Opcode;
pub use typeset::TypeSet;

use crate::Version;
use std::{fmt, sync::LazyLock};

impl Opcode {
    /// The row of the operation.
    #[inline]
    pub fn def(self) -> &'static OpDef {
        &table::TABLE[self as usize]
    }

    /// Name in text, without the dialect prefix.
    pub fn mnemonic(self) -> &'static str {
        self.def().mnemonic
    }

    /// The operation with this number in bytecode.
    #[inline]
    pub fn from_wire(wire: u32) -> Option<Opcode> {
        *BY_WIRE.get(wire as usize)?
    }

    /// Names that operations had in versions of the dialect before, each with the operation that it is now.
    pub const OLD_NAMES: [(&'static str, Opcode); 1] = [("pow", Opcode::FPowF)];

    /// The operation with this name in text, or with this old name.
    pub fn from_mnemonic(mnemonic: &str) -> Option<Opcode> {
        let old = Opcode::OLD_NAMES.iter().find(|(name, _)| *name == mnemonic).map(|&(_, opcode)| opcode);
        Opcode::ALL.iter().copied().find(|o| o.mnemonic() == mnemonic).or(old)
    }

    /// The highest public number of a version.
    pub fn max_wire(version: Version) -> u16 {
        let public = Opcode::ALL.iter().map(|o| o.def()).filter(|d| !d.preview && d.since <= version);
        public.map(|d| d.wire).max().unwrap_or(0)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}

static BY_WIRE: LazyLock<Vec<Option<Opcode>>> = LazyLock::new(|| {
    let mut by_wire = Vec::new();
    for &opcode in Opcode::ALL {
        let wire = usize::from(opcode.def().wire);
        by_wire.resize(by_wire.len().max(wire + 1), None);
        by_wire[wire] = Some(opcode);
    }
    by_wire
});

/// Declares the names of attributes.
macro_rules! attr_names {
    ($($variant:ident = $name:literal,)*) => {
        /// The name of an attribute.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the variants are the names in the dialect definition")]
        pub enum AttrName {
            $($variant,)*
        }

        impl AttrName {
            /// The name in the dialect definition.
            pub const fn name(self) -> &'static str {
                match self {
                    $(AttrName::$variant => $name,)*
                }
            }

            /// The attribute with this name in the dialect definition.
            pub fn from_name(name: &str) -> Option<AttrName> {
                match name {
                    $($name => Some(AttrName::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

attr_names! {
    Alignment = "alignment",
    ArgAttrs = "arg_attrs",
    Callee = "callee",
    ComparisonOrdering = "comparison_ordering",
    ComparisonPredicate = "comparison_predicate",
    ConstArgs = "const_args",
    Constant = "constant",
    Dim = "dim",
    FastAcc = "fast_acc",
    FlushToZero = "flush_to_zero",
    FunctionType = "function_type",
    Global = "global",
    Identities = "identities",
    Inbounds = "inbounds",
    MemoryOrderingSemantics = "memory_ordering_semantics",
    MemoryScope = "memory_scope",
    Message = "message",
    Mode = "mode",
    Name = "name",
    NumElem = "num_elem",
    OptimizationHints = "optimization_hints",
    Overflow = "overflow",
    Permutation = "permutation",
    Predicate = "predicate",
    Producer = "producer",
    PropagateNan = "propagate_nan",
    Reduction = "reduction",
    ResAttrs = "res_attrs",
    Reverse = "reverse",
    Rounding = "rounding",
    RoundingMode = "rounding_mode",
    Saturating = "saturating",
    Signedness = "signedness",
    SignednessLhs = "signedness_lhs",
    SignednessRhs = "signedness_rhs",
    Str = "str",
    SymName = "sym_name",
    SymbolVisibility = "symbol_visibility",
    UnsignedCmp = "unsignedCmp",
    Value = "value",
}
