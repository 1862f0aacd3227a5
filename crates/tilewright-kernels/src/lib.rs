//! Loops of the engine that runs CUDA Tile IR on the CPU, compiled ahead of time.
//!
//! Each is a generic function that is compiled for each [`Level`](cpu::Level) of the CPU that it gains from: elementwise operations ([`select_at`]), products of
//! matrices ([`mma`]), reductions and scans of rows ([`rows`]) and of columns ([`columns`]), copies and transpositions ([`boxes`]), gathers
//! and scatters ([`scattered`]). They take addresses and extents and know no plans and no programs, which are of the crate `tilewright-exec`:
//! it is what calls them, and what their contracts are written for.
//!
//! Loops that may take long look at an [`Interrupt`](interrupt::Interrupt) now and then.

pub mod ahead;
pub mod atomic;
pub mod boxes;
pub mod columns;
pub mod cpu;
mod elementwise;
pub mod exact;
mod fast;
#[cfg(target_arch = "x86_64")]
mod halves;
pub mod interrupt;
#[cfg(target_arch = "x86_64")]
mod lanes;
pub mod long;
pub mod mma;
#[cfg(target_arch = "x86_64")]
mod narrow;
pub mod rows;
pub mod scan;
pub mod scattered;
pub mod stream;
mod transpose;
mod usual;
pub mod vector;

use tilewright_passes::elem;

pub use elementwise::{Imm, Kernel, KernelFn, select, select_at};
pub use fast::select as select_loop;
pub use tilewright_passes::elementwise::ElemOp;
