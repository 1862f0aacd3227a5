//! Facts about programs: analyses that passes, the engine, the checker and compilers share.
//!
//! | analysis | what it knows |
//! |---|---|
//! | [`IntegerFacts`] | of each tile: range, divisibility, constant and contiguous groups along each dimension |
//! | [`TripCount`] | how often a counted loop runs |
//! | [`TokenOrder`] | which memory operations tokens order |
//! | [`Places`] | what pointers and views lead to, and which accesses may overlap |
//!
//! [`Analyses`] computes them on demand for one function, and keeps them until they are dropped by name.
//!
//! A fact holds of every element of a value, in every block and iteration, of each run in which the promises of `assume` hold. Nothing
//! else is taken on trust: arithmetic wraps as the engine computes it, whatever `overflow` promises.

mod analyses;
mod integers;
mod places;
mod range;
mod tile;
mod tokens;
mod transfer;
mod trips;

pub use analyses::{Analyses, Analysis};
pub use integers::IntegerFacts;
pub use places::{Base, Overlap, Places};
pub use range::{Quotient, Range};
pub use tile::{Axis, Divisor, TileFact};
pub use tokens::TokenOrder;
pub use trips::TripCount;
