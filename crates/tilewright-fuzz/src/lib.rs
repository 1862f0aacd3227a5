//! Generated modules, mutations, and what must hold for any input: the logic of tests and fuzzers.
//!
//! [`generate()`] makes a valid module of any version from bytes, driven by the op table. The [`targets`] are what a fuzzer
//! runs; `cargo test` runs them with fixed seeds. [`mutate`] changes files and texts of the [`corpus`].
#![forbid(unsafe_code)]

pub mod compare;
pub mod corpus;
mod generate;
pub mod mutate;
mod random;
mod shrink;
mod source;
pub mod targets;
mod watchdog;

pub use generate::{generate, seeded};
pub use random::Random;
pub use shrink::{failure, shrink};
pub use source::Source;
pub use targets::{TARGETS, Target};
pub use watchdog::Watchdog;
