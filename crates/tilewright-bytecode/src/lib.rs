//! Reads CUDA Tile IR bytecode, versions 13.1 to 13.5.
//!
//! [`read`] decodes a whole file into a [`Module`]. [`File`] looks at one first: it decodes the header, the tables, the
//! globals and the function records, and bodies only on demand.
//!
//! Input is not trusted. Reading never panics, recurses to fixed depths only, and takes memory and time proportional to
//! the length of the file; [`limits`] names every bound. A file that passes here is well formed, not valid: pass the module
//! on to [`tilewright_ir::verify`].
//!
//! What is refused and what is tolerated follows NVIDIA's 13.5 tools:
//!
//! - Refused: everything cut off, out of range, cyclic, of an unknown kind, or newer than the file's version.
//! - Tolerated: any padding, numbers in more bytes than needed, repeated sections (the last one counts), bytes after an
//!   item, unknown flag bits of operations, and whatever is broken but not used: types, strings, constants and debug entries
//!   are decoded when something names them.
//!
//! The tables of the module hold what is used, in the order of first use.
//!
//! ```
//! let error = tilewright_bytecode::read(b"not a tile").unwrap_err();
//! assert_eq!(error.kind(), tilewright_bytecode::ReadErrorKind::Magic);
//! ```
#![forbid(unsafe_code)]

mod attributes;
mod body;
mod constants;
mod context;
mod cursor;
mod debug;
mod envelope;
mod error;
mod file;
mod functions;
mod globals;
mod layout;
pub mod limits;
mod strings;
mod table;
mod types;

pub use error::{ReadError, ReadErrorKind, Section};
pub use file::File;
pub use functions::FunctionHeader;

use tilewright_ir::Module;

/// The first bytes of every bytecode file.
pub const MAGIC: [u8; 8] = *b"\x7fTileIR\0";

/// Decodes a file.
///
/// # Errors
/// The first thing that is wrong with the file.
pub fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    File::parse(bytes)?.into_module()
}
