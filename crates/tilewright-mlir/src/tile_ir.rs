//! Between MLIR modules of the cuda_tile dialect and Tile IR modules.
//!
//! Both have the generic form of MLIR as text, in which every property, attribute and type of the dialect has its one spelling; so one
//! is printed, and the other is parsed.

use crate::{
    module::Module,
    parse::parse_with,
    print::{PrintOptions, print},
};
use std::fmt;
use tilewright_text::ParseError;

/// Why a module is no module of the other kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertError {
    /// The module in its generic form, to which the errors refer.
    pub text: String,
    /// What the other kind does not have, in the order of the text; at least one.
    pub errors: Vec<ParseError>,
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |error: &ParseError| error.render(&self.text, "generic form").trim_end().to_owned();
        f.write_str(&self.errors.iter().map(shown).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for ConvertError {}

/// Whether a module has operations of the cuda_tile dialect.
pub fn is_tile_ir(module: &Module<'_>) -> bool {
    module.op_names.iter().any(|name| module.tables.dialect_name(name.dialect) == b"cuda_tile")
}

/// The Tile IR module that an MLIR module holds, as one of a version.
///
/// # Errors
/// When it holds something else too.
pub fn from_mlir(module: &Module<'_>, version: tilewright_ir::Version) -> Result<tilewright_ir::Module, ConvertError> {
    let text = print(module, &PrintOptions::new().debug_info(true));
    tilewright_text::parse(&text, &tilewright_text::ParseOptions::new().version(version)).map_err(|errors| ConvertError { text, errors })
}

/// A Tile IR module as a module of the cuda_tile dialect, with the properties that the dialect has in the module's version.
///
/// # Errors
/// When the module is not valid and has no such form.
pub fn to_mlir(module: &tilewright_ir::Module) -> Result<Module<'static>, ConvertError> {
    let options = tilewright_text::PrintOptions::new().module(true).generic(true).debug_info(true);
    let text = tilewright_text::print(module, &options);
    parse_with(&text, module.version).map_err(|error| ConvertError { text, errors: vec![*error] })
}
