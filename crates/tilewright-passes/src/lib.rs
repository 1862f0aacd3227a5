//! Passes on CUDA Tile IR, and facts about it.
//!
//! A [`Pipeline`] is a list of passes, mostly from text; it makes a better [`VerifiedModule`](tilewright_ir::VerifiedModule) of one,
//! and reports what each pass did. [`PASSES`] lists them. [`elementwise`] defines what the elementwise operations give, and
//! [`constant`] what constants hold: the engine goes by both, so what is folded is what would have been computed. [`facts`] are what
//! is known of values before a program runs.
#![forbid(unsafe_code)]

mod assert_facts;
mod canonicalize;
pub mod clock;
mod clone;
pub mod coarsen;
mod compare;
pub mod constant;
mod cse;
mod dce;
mod effects;
pub mod elem;
pub mod elementwise;
pub mod facts;
mod forward_stores;
mod fuse_fma;
mod inline;
mod licm;
mod loop_peel;
mod loop_split;
mod loops;
mod memory;
mod pipeline;
pub mod printf;
mod range_propagation;
mod registry;
mod statistics;
mod structure;
mod synthesize_debug_scopes;

pub use pipeline::{BrokenModule, Observer, Pipeline, PipelineError, Report, RunOptions, Step, StepReport};
pub use registry::{OptionInfo, PASSES, PassInfo, find, find_or_suggest};
pub use statistics::Statistics;
