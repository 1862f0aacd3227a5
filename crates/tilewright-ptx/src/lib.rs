//! PTX as data, and a machine that runs it on the CPU.
//!
//! [`parse`] reads a module, its [`Display`](std::fmt::Display) prints it, [`table::ROWS`] lists the instructions that are known, and
//! [`machine::Program`] runs entries. [`cubin::ptx`] finds the PTX that a cubin carries. docs/ptx-machine.md is the guide.
#![forbid(unsafe_code)]

pub mod cubin;
mod error;
mod lexer;
pub mod machine;
pub mod module;
mod parse;
mod print;
pub mod table;
mod types;

pub use error::{Position, PtxError};
pub use module::Module;
pub use parse::parse;
pub use types::Type;
