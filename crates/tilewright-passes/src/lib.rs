//! Passes on CUDA Tile IR, and facts about it.
//!
//! [`elementwise`] defines what the elementwise operations give.
#![forbid(unsafe_code)]

pub mod elem;
pub mod elementwise;
pub mod facts;
