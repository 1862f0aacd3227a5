//! The text of CUDA Tile IR.
//!
//! [`print()`] gives the text of a module, byte for byte what NVIDIA's `tileirdisasm` 13.5 prints, the names of values included;
//! [`write`](fn@write) streams it. [`PrintOptions`] asks for a `cuda_tile.module` around it, for the generic form of MLIR, or for source
//! locations. [`OpPrinter`] prints single operations and values with the names that they have in that text, for messages.
//!
//! A module need not be valid: what is missing prints as `<<invalid>>`.
//!
//! [`parse()`] reads all of these forms, and what people write by hand, back into a module; its errors know their place in the
//! text and can [show it](ParseError::render) as a [`report`]. [`decode`] gives the text that the bytes of a file hold, or the place where they are no
//! text.
//!
//! ```
//! use tilewright_text::{ParseOptions, PrintOptions, parse, print};
//!
//! let module = parse("entry @k(%n: tile<i32>) { %m = addi %n, %n : tile<i32> }", &ParseOptions::new())?;
//! let text = print(&module, &PrintOptions::new());
//! assert_eq!(text, "entry @k(%arg0: tile<i32>) {\n  %0 = addi %arg0, %arg0 : tile<i32>\n  return\n}\n");
//!
//! let source = "entry @k() {\n  %0 = adi %n, %n : tile<i32>\n}\n";
//! let errors = parse(source, &ParseOptions::new()).unwrap_err();
//! assert_eq!(errors[0].to_string(), "2:8: error[unknown-operation]: unknown operation 'adi'");
//! assert!(errors[0].render(source, "k.mlir").contains("did you mean 'addi'?"));
//! # Ok::<(), Vec<tilewright_text::ParseError>>(())
//! ```
#![forbid(unsafe_code)]

mod attrs;
mod buffer;
mod dense;
mod generic;
mod lines;
mod literals;
mod locations;
mod namer;
mod names;
mod notes;
mod ops;
mod options;
pub mod parse;
mod pattern;
mod printer;
pub mod report;
pub mod short;
mod structured;
mod types;

pub use notes::Notes;
pub use options::PrintOptions;
pub use parse::{ExtendedOp, ParseError, ParseOptions, decode, extended_op, extended_ops, parse};

use buffer::TextBuffer;
use names::{Names, Words};
use printer::{FunctionWriter, Writer};
use std::fmt;
use tilewright_ir::{Attr, AttrValue, Function, Module, Op, Type, Value, ops::AttrDef};

/// The text of a module.
pub fn print(module: &Module, options: &PrintOptions) -> String {
    let mut writer = Writer::new(module, *options);
    writer.module();
    writer.out.into_string()
}

/// Writes the text of a module, piece by piece.
///
/// # Errors
/// When `out` does not take it.
pub fn write<'m>(module: &'m Module, options: &PrintOptions, out: &'m mut dyn fmt::Write) -> fmt::Result {
    let mut writer = Writer::with_sink(module, *options, out);
    writer.module();
    writer.finish()
}

/// Writes the text of a module with notes beside its operations, piece by piece.
///
/// # Errors
/// When `out` does not take it.
pub fn write_with_notes<'m>(module: &'m Module, options: &PrintOptions, notes: &'m dyn Notes, out: &'m mut dyn fmt::Write) -> fmt::Result {
    let mut writer = Writer::with_sink(module, *options, out).with_notes(Some(notes));
    writer.module();
    writer.finish()
}

/// The text of one function of `module`, without source locations, and without a line break at the end.
pub fn print_function(module: &Module, function: &Function) -> String {
    let mut writer = Writer::of_a_part(module);
    writer.function(function, 0, None);
    writer.out.truncate(writer.out.as_str().trim_end().len());
    writer.out.into_string()
}

/// The text of a type: `tile<4xf32>`.
pub fn print_type(module: &Module, ty: Type) -> String {
    let mut writer = Writer::of_a_part(module);
    writer.push_type(ty);
    writer.out.into_string()
}

/// The value of an attribute of an operation, as the text of the operation has it; constants have no text of their own.
pub fn print_attr(module: &Module, def: &AttrDef, value: AttrValue) -> String {
    let mut writer = Writer::of_a_part(module);
    writer.push_attr_value(def, value);
    writer.out.into_string()
}

/// A self-describing attribute, such as hints.
pub fn print_compound(module: &Module, attr: Attr) -> String {
    let mut writer = Writer::of_a_part(module);
    writer.push_attr(attr, false);
    writer.out.into_string()
}

/// One operation of a function on one line, with the names that its values have in the text of the function.
///
/// Regions are abbreviated to `{...}`. Names the whole function: see [`OpPrinter`] for more than one.
pub fn print_op(module: &Module, function: &Function, op: Op) -> String {
    OpPrinter::new(module, function).op(op)
}

/// Prints single operations and values of a function, with the names that they have in the text of the function.
#[derive(Debug)]
pub struct OpPrinter<'m> {
    module: &'m Module,
    function: &'m Function,
    names: Names,
}

impl<'m> OpPrinter<'m> {
    /// Names the values of the function.
    pub fn new(module: &'m Module, function: &'m Function) -> OpPrinter<'m> {
        OpPrinter { module, function, names: Names::new(module, &function.body, false, Words::default()) }
    }

    /// One operation on one line, without a line break; its regions are abbreviated to `{...}`.
    pub fn op(&self, op: Op) -> String {
        let mut writer = Writer::of_a_part(self.module);
        let function = self.function;
        FunctionWriter { w: &mut writer, body: &function.body, names: &self.names, locations: None, loc: function.loc }.single(op);
        writer.out.into_string()
    }

    /// The name of a value: `%0`, `%for#1`.
    pub fn value(&self, value: Value) -> String {
        let mut out = TextBuffer::new();
        if !self.names.push_value(&mut out, value) {
            out.push_str(literals::INVALID);
        }
        out.into_string()
    }
}
