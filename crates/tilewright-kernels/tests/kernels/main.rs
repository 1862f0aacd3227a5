//! The loops against what defines them, at every level of this CPU.
#![allow(unsafe_code, reason = "calls kernels")]

mod ahead;
mod boxes;
mod columns;
mod copies;
mod elementwise;
mod functions;
mod half;
mod interrupt;
mod long;
mod mma;
mod rows;
mod scan;
mod scattered;
mod stream;
