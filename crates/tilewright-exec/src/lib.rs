//! Runs CUDA Tile IR on the CPU.
//!
//! A [`Program`] turns an entry of a verified module into a [`Plan`]: code for a machine whose instructions work on whole
//! tiles. [`launch()`] runs a plan over a grid of tile blocks, on worker threads, against a [`Memory`] that holds every buffer
//! the kernel may touch; an access anywhere else stops the launch with an error that names it.
//!
//! The stages, in the order the data takes:
//!
//! 1. [`plan`](crate::Program::plan): lower the operations to linear code over virtual registers, fuse runs of elementwise
//!    instructions into sweeps, and give registers their places in a block's frame.
//! 2. `vm`: run one block's code; frames are explicit, so that a block that waits for another can be parked.
//! 3. `launch`: hand blocks to workers, resume parked ones, collect the first failure.

mod budget;
mod cache;
mod error;
mod hash;
mod launch;
pub mod limits;
mod memory;
mod output;
mod plan;
mod pool;
mod profile;
mod program;
mod runs;
mod schedule;
mod target;
mod vm;
mod watch;

use tilewright_kernels::{self as kernels, cpu, interrupt};
use tilewright_passes::elem;

pub use budget::{LimitNames, Limits};
pub use cpu::Level;
pub use error::{AccessFault, LaunchError, LaunchErrorKind, LocalFault, PlanError, Site};
pub use interrupt::Interrupt;
pub use launch::{Arg, GroupBlocks, LaunchOptions, LaunchReport, MAX_EXTENT, ProgressFn, launch, max_threads};
pub use memory::{Access, AccessKind, AccessObserver, Buffer, Memory, Protection};
pub use output::OutputSink;
pub use plan::{PLAN_PASSES, Param, Plan, PlanPass, RegionCode};
pub use profile::{Activity, InstructionProfile, MAX_SLICES, Origin, Part, Profile, Slice, Work, launch_profiled};
pub use program::Program;
pub use schedule::{Schedule, Turn};
pub use target::TargetMachine;
pub use watch::{Coordinates, MemoryRange, OperandTile, Step, ViewPlace, ViewPlaceDim, WatchedLaunch, Watcher};
