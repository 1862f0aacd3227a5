//! The in-memory form of CUDA Tile IR.
//!
//! A [`Module`] holds interned [`Tables`] (strings, types, attributes, constants, locations), globals and functions. A
//! function's [`Body`] keeps its operations, values, blocks and regions in arenas, named by 32-bit handles. What an
//! operation is stands in one table, [`ops`], which readers, writers, printers and verifiers all walk.
//!
//! The crate knows no file format, no syntax and no machine.
#![forbid(unsafe_code)]

mod attrs;
mod body;
mod builder;
mod constants;
mod diagnostic;
mod enums;
mod handle;
mod locations;
mod module;
pub mod ops;
mod printable;
mod rewrite;
mod strings;
mod suggest;
mod tables;
mod types;
mod verify;
mod version;

pub use attrs::{AttrData, AttrTable, AttrValue};
pub use body::{Body, NewOp, OpRef, Place, PushedOp, ValueDef};
pub use builder::{BuildError, Builder, OpBuilder};
pub use constants::ConstantTable;
pub use diagnostic::{Diagnostic, Severity};
pub use enums::{
    AtomicRMWMode, ComparisonOrdering, ComparisonPredicate, EnumKind, EnumValue, IntegerOverflow, MemoryOrderingSemantics, MemoryScope,
    MultimemReductionKind, PaddingValue, PtrAttr, RoundingMode, Signedness, SymbolVisibility,
};
pub use handle::{Attr, Block, Const, Loc, Op, Region, Str, Type, Value};
pub use locations::{LocData, LocationTable};
pub use module::{Function, Global, Module};
pub use ops::{AttrName, Opcode};
pub use printable::{Printable, is_printable, printable};
pub use rewrite::{Rewriter, Use};
pub use strings::StringTable;
pub use suggest::nearest;
pub use tables::Tables;
pub use types::{DYNAMIC, MAX_TILE_ELEMENTS, Scalar, TypeData, TypeDisplay, TypeError, TypeTable};
pub use verify::{
    MAX_FINDINGS, RejectedModule, VerifiedModule,
    rules::{RULES_PAGE, Rule, explain, rules},
    terminator_target, try_verify, verify, verify_beside,
};
pub use version::Version;
