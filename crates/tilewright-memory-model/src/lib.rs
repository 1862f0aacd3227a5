//! The memory model of CUDA Tile IR.
//!
//! `docs/memory-model.md` of the repository states the model: events, relations, axioms, and what was chosen where the published texts
//! leave a question open. This crate is that page as code:
//!
//! - [`access`]: orderings and scopes, on which all else stands.
//! - [`execution`]: candidate executions, the relations derived from them, and the axioms.
//! - [`enumerate()`]: all executions of a program that the axioms allow.
//! - [`litmus`]: small programs in a text format, with what is expected of them.
//! - [`kernel`]: kernels of modules as such programs.
//! - [`races`]: the data races of a run, as it happens.

pub mod access;
pub mod enumerate;
pub mod execution;
mod justify;
pub mod kernel;
pub mod litmus;
pub mod races;
pub mod relation;

pub use enumerate::{DEFAULT_LIMIT, EnumerateError, Executions, Observe, Outcome, Program, RaceSide, Replay, enumerate};
pub use relation::Relation;
