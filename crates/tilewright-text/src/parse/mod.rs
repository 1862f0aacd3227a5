//! From text to a module.
//!
//! [`parse()`] reads what [`print()`](crate::print()) prints in all of its forms, and what people write by hand. The parser walks
//! the text once, from the first token to the last, with one token of foresight; only aliases, which may be defined after
//! their use, are all looked up when the first is met. Operations follow the format strings of the op table (`format.rs`, `ops.rs`), the few
//! irregular ones have a function each (`structured.rs`).
//!
//! After an error the parser goes on with the next operation, function or global. What the broken one should have defined
//! is known by name, so that its uses are no errors.

mod aliases;
mod attrs;
mod build;
mod cursor;
mod dense;
mod error;
mod extended;
mod format;
mod generic;
mod lexer;
mod locations;
mod map;
mod memo;
mod module;
mod numbers;
mod ops;
mod pages;
mod places;
mod related;
mod scope;
mod source;
mod structured;
mod types;
mod values;

pub use error::ParseError;
pub use extended::{ExtendedOp, extended_op, extended_ops};
pub use map::{DefinedValues, Definition, MappedText, NameKind, Operation, OperationName, TextMap, Use, parse_mapped};
pub use pages::{ERROR_IDS, ERRORS, ErrorKind, explain_error};
pub use related::place_findings;
pub use source::decode;
pub use types::TYPE_NAMES;

use cursor::Parser;
use tilewright_ir::{Module, Version};

/// The most errors that are reported of one text.
pub const MAX_ERRORS: usize = 50;
/// The longest text in bytes.
pub const MAX_SOURCE_LEN: usize = u32::MAX as usize - 1;
/// How deep regions nest.
pub const MAX_REGION_DEPTH: usize = 256;
/// How deep attributes nest.
pub const MAX_ATTRIBUTE_DEPTH: usize = 64;
/// How deep types nest.
pub const MAX_TYPE_DEPTH: usize = 8;
/// How deep source locations and aliases refer to each other, where a later one is used before it is known.
pub const MAX_LOCATION_DEPTH: usize = 256;

/// How a text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseOptions<'f> {
    version: Version,
    file: Option<&'f str>,
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        ParseOptions::new()
    }
}

impl<'f> ParseOptions<'f> {
    /// The latest version, and no locations but those of the text.
    pub fn new() -> ParseOptions<'f> {
        ParseOptions { version: Version::LATEST, file: None }
    }

    /// The version that the module is meant for: text does not say. The parser itself takes what any version has; verifying
    /// the module tells whether this one has it. Default: the latest.
    pub fn version(mut self, version: Version) -> Self {
        self.version = version;
        self
    }

    /// Gives operations without a known location the place of their name in the text, which is called `file`, so that findings
    /// about the module and errors of its kernels can point to it.
    pub fn locate(mut self, file: &'f str) -> Self {
        self.file = Some(file);
        self
    }
}

/// The module that a text describes: `cuda_tile.module @name { ... }`, or just its globals and functions, in the short or
/// in the generic form of MLIR.
///
/// A module without a name is called `kernels`, as in bytecode. Attributes that the text leaves out have their default,
/// terminators that go without saying are there. A byte order mark in front is skipped. A first line `// Producer: ...`, as the disassembler prints it, names
/// the producer.
///
/// The module keeps to the rows of the op table and to the types that the text spells out; [`verify`](tilewright_ir::verify)
/// checks the rest.
///
/// # Errors
/// All errors, in the order of the text, but no more than [`MAX_ERRORS`]. There is at least one.
pub fn parse(source: &str, options: &ParseOptions<'_>) -> Result<Module, Vec<ParseError>> {
    let (text, skipped) = source::without_mark(source);
    let mut parser = Parser::new(text, options.version);
    if text.len() > MAX_SOURCE_LEN {
        parser.report("limit", 0..0, format!("a text has at most {MAX_SOURCE_LEN} bytes, this one has {}", text.len()));
    } else {
        if let Some(file) = options.file {
            parser.locate(file);
        }
        parser.file();
    }
    parser.finish(skipped).map_err(|mut errors| {
        // What stands where is written down only for those who ask, so the text is read once more.
        let mapped = parse_mapped(source, options);
        related::label_errors(&mut errors, source, &mapped.module, &mapped.map);
        errors
    })
}
