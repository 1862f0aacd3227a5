//! MLIR: bytecode and text of any dialect, and Tile IR as a module of the cuda_tile dialect.

use super::{assert_same_text, valid_module_of};
use tilewright_mlir::{MAGIC, Module, PrintOptions, is_generic_form, parse, print, read, tile_ir, write};
use tilewright_text::print as print_tile_ir;

/// MLIR bytecode that is read comes out as it was, and so does text that is parsed. Other bytes stand for a Tile IR module, which becomes
/// MLIR and comes back.
pub fn mlir(bytes: &[u8]) {
    if bytes.starts_with(&MAGIC) {
        if let Ok(module) = read(bytes) {
            written(&module);
        }
    } else if let Ok(text) = std::str::from_utf8(bytes)
        && is_generic_form(text)
    {
        if let Ok(module) = parse(text) {
            written(&module);
        }
    } else if let Some(module) = valid_module_of(bytes) {
        let mlir = tile_ir::to_mlir(&module).unwrap_or_else(|error| panic!("a valid module has no generic form: {error}"));
        let bytes = write(&mlir, mlir.version).unwrap_or_else(|error| panic!("{error}"));
        let again = read(&bytes).unwrap_or_else(|error| panic!("{error}"));
        let back = tile_ir::from_mlir(&again, module.version).unwrap_or_else(|error| panic!("{error}"));
        let options = tilewright_text::PrintOptions::new().generic(true);
        assert_same_text(&print_tile_ir(&back, &options), &print_tile_ir(&module, &options), "there and back");
    }
}

/// What is written is read as the same, and is written again as the same bytes.
fn written(module: &Module<'_>) {
    let options = PrintOptions::new().debug_info(true);
    let bytes = write(module, module.version).unwrap_or_else(|error| panic!("{error}"));
    let again = read(&bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(write(&again, again.version).unwrap_or_else(|error| panic!("{error}")), bytes);
    assert_same_text(&print(&again, &options), &print(module, &options), "written and read");
}
