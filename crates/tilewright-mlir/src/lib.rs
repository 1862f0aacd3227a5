//! MLIR bytecode without LLVM: reads, prints, parses and writes files of every version.
//!
//! MLIR bytecode is what `mlir-opt --emit-bytecode`, JAX, StableHLO, IREE, ONNX-MLIR and others write. [`read`] gives a [`Module`].
//!
//! Operations need no definition to be read. Of operations of MLIR's own dialects and of StableHLO's the names of their properties are
//! known, see [`operations`].
#![forbid(unsafe_code)]

mod build;
mod cursor;
mod dump;
mod encoding;
mod error;
mod float;
mod ir;
mod limits;
mod module;
pub mod operations;
mod parse;
mod print;
mod read;
mod stats;
mod tables;
pub mod tile_ir;
mod write;

pub use dump::{Item, dump};
pub use error::{Error, Section};
pub use module::{Module, Version};
pub use parse::{is_generic_form, is_text, parse};
pub use print::{Line, PrintOptions, list, print, print_in_pieces};
pub use read::{MAGIC, ReadOptions, read};
pub use stats::{Stats, sections};
pub use tables::{AttrId, Dialect, DialectId, NameId, StrId, Strings, Table, Tables, TypeId};
pub use write::{WriteError, write};
