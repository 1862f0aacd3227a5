//! Reads and writes CUDA Tile IR bytecode, versions 13.1 to 13.5.
//!
//! [`read`] decodes a whole file into a [`Module`]. [`File`] looks at one first: it decodes the header, the tables, the
//! globals and the function records, and bodies only on demand. [`write()`] encodes a verified module at any version that can
//! say what the module says; with the [`FileLayout`] of the file that the module came from it writes the same bytes again.
//! [`verify_and_write`] verifies it meanwhile.
//!
//! # Reading
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
//!
//! # Writing
//!
//! A version that lacks something takes only what it means without it: [`WriteError`] names the operation and the feature
//! otherwise. The same input gives the same bytes. Without a layout, a file is laid out in one of two [`Style`]s, that of
//! cuTile Python or that of the C++ writer; numbers are in their shortest form, equal items stand once, and hints and
//! attributes of parameters are left out where they are empty and may be.
#![forbid(unsafe_code)]

mod attributes;
mod body;
mod constants;
mod container;
mod context;
mod cursor;
mod debug;
pub mod dump;
mod envelope;
mod error;
mod file;
mod file_layout;
mod functions;
mod globals;
mod kind;
mod layout;
pub mod limits;
mod strings;
mod table;
mod types;
mod write;

pub use container::{Container, ContainerSection};
pub use error::{ReadError, ReadErrorKind, Section};
pub use file::File;
pub use file_layout::FileLayout;
pub use functions::FunctionHeader;
pub use kind::FileKind;
#[cfg(feature = "unverified")]
pub use write::write_unverified;
pub use write::{Refusal, Style, WriteError, WriteErrorKind, WriteOptions, verify_and_write, write, write_into};

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

/// Decodes a file, and keeps what it fixes beyond the meaning of the module: a writer that is given the layout writes the
/// same bytes again.
///
/// ```no_run
/// use tilewright_bytecode::{WriteOptions, read_with_layout, write};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = std::fs::read("kernel.tilebc")?;
/// let (module, layout) = read_with_layout(&bytes)?;
/// let module = tilewright_ir::verify(module).map_err(|findings| findings[0].to_string())?;
/// assert_eq!(write(&module, &WriteOptions::new(module.version).layout(&layout))?, bytes);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first thing that is wrong with the file.
pub fn read_with_layout(bytes: &[u8]) -> Result<(Module, FileLayout), ReadError> {
    File::parse(bytes)?.into_module_with_layout()
}
