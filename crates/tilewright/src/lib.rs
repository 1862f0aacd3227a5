//! Tile IR on any machine: read, print, check and run CUDA Tile IR bytecode, with no GPU and no CUDA toolkit.
//!
//! This crate is the front door. It re-exports the crates that do the work, each under a short name, and adds what a
//! program that runs kernels needs around them: arrays with their files, and cases.
//!
//! | module | what it is for |
//! |---|---|
//! | [`ir`] | the program in memory: modules, types, the table of operations, the verifier |
//! | [`bytecode`] | reading Tile IR bytecode |
//! | [`text`] | printing Tile IR as text |
//! | [`numeric`] | number formats, rounding, conversions |
//! | [`exec`] | running entries on the CPU |
//! | [`array`](mod@array) | typed arrays, and the `.npy` files they are kept in |
//! | [`diff`](mod@diff) | comparing modules, operation by operation |
//! | [`stats`] | counting operations, flops and bytes |
//! | [`case`](mod@case) | a kernel with its inputs and what must come out, run and judged |
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let module = tilewright::bytecode::read(&std::fs::read("kernel.tilebc")?)?;
//! println!("{}", tilewright::text::print(&module, &tilewright::text::PrintOptions::default()));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod array;
pub mod case;
pub mod diff;
pub mod stats;

pub use tilewright_bytecode as bytecode;
pub use tilewright_exec as exec;
pub use tilewright_ir as ir;
pub use tilewright_numeric as numeric;
pub use tilewright_text as text;
