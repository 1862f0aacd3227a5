//! What must hold for any input, as functions on bytes.
//!
//! A target panics where something does not hold. The tests of this crate run every target with fixed seeds, libFuzzer
//! runs it for as long as one likes: `fuzz/` has a program for each that does nothing but call it.
//!
//! Targets that need a module take bytes that begin with [`MAGIC`] as a file, and generate a module from all others. So
//! files of the corpus are good seeds for them.

mod bytecode;
mod mlir;
mod printer;
mod reader;
mod text;
mod text_parser;
mod verifier;

pub use bytecode::round_trip_bytecode;
pub use mlir::mlir;
pub use printer::printer_is_total;
pub use reader::reader;
pub use text::round_trip_text;
pub use text_parser::text_parser;
pub use verifier::verifier;

use crate::{Source, generate};
use tilewright_bytecode::MAGIC;
use tilewright_ir::{Module, VerifiedModule, verify};
use tilewright_text::PrintOptions;

/// A target and its name.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its function, and of its program under `fuzz/`.
    pub name: &'static str,
    /// The target.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 7] = [
    Target { name: "reader", run: reader },
    Target { name: "text_parser", run: text_parser },
    Target { name: "round_trip_bytecode", run: round_trip_bytecode },
    Target { name: "round_trip_text", run: round_trip_text },
    Target { name: "verifier", run: verifier },
    Target { name: "printer_is_total", run: printer_is_total },
    Target { name: "mlir", run: mlir },
];

/// Every form that a module can be printed in.
fn forms() -> impl Iterator<Item = PrintOptions> {
    (0..8u8).map(|form| PrintOptions::new().module(form & 1 != 0).generic(form & 2 != 0).debug_info(form & 4 != 0))
}

/// The module that some bytes stand for: the file that they are, or a generated one. `None` for a file that does not read.
fn module_of(bytes: &[u8]) -> Option<Module> {
    if bytes.starts_with(&MAGIC) {
        return tilewright_bytecode::read(bytes).ok();
    }
    Some(generate(&mut Source::new(bytes)))
}

/// Like [`module_of`], but valid: generated modules are.
fn valid_module_of(bytes: &[u8]) -> Option<VerifiedModule> {
    let module = module_of(bytes)?;
    if bytes.starts_with(&MAGIC) { verify(module).ok() } else { Some(valid(module)) }
}

/// A module that must be valid.
fn valid(module: Module) -> VerifiedModule {
    verify(module).unwrap_or_else(|findings| panic!("{} findings, the first: {}", findings.len(), findings[0]))
}

/// Panics with the first line that differs.
#[track_caller]
fn assert_same_text(found: &str, expected: &str, what: impl std::fmt::Display) {
    if let Some(difference) = crate::compare::text_difference(found, expected) {
        panic!("{what}: {difference}");
    }
}
