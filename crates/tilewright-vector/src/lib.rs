//! Vector code: what a fused region of tile operations does to one lane, in loops over memory.
//!
//! ```text
//! Builder or text ──► Code (verified) ──┬─► portable executor (the definition)
//!                                       └─► native code: AVX-512, AVX2, NEON
//! ```
//!
//! A [`Code`] is a nest of loops around straight-line code in SSA form. The code says what one lane does, with about 60
//! [primitives](Prim); in a loop over [`Kind::Lanes`] the iterations are dealt out to the lanes. How many lanes a CPU computes at once
//! is nowhere in it, so results are the same bits whatever carries it out.
//!
//! Memory is reached through buffers only. Every access is checked before it is made: those at places that are sums of loop
//! indices before the code runs, those at computed offsets lane by lane. What goes outside is not done, and reported.

mod builder;
mod code;
mod expand;
mod hoist;
pub mod lower;
mod memory;
mod native;
mod portable;
mod prim;
mod simplify;
mod text;
mod unused;
mod verify;

pub use builder::Builder;
pub use code::{Axis, Carried, Code, Count, FETCHED_FOR, Fold, Item, Kind, Loop, Param, ParamKind, Place, Term, Value, Variability, While};
pub use memory::{Arg, Buffer, Fault};
pub use native::{Args, CompileError, Level, Listing, Native, STREAMED_ALIGNMENT};
pub use prim::{Lane, Prim};
pub use text::ParseError;
pub use verify::Finding;
