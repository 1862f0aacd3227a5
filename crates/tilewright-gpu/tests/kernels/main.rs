//! Kernels that are compiled to PTX and run on the PTX machine, one file for each part of the compiler.

mod access;
mod calls;
mod combiners;
mod exchange;
mod large;
mod llvm;
mod memory;
mod order;
mod packed;
mod planted;
mod product;
mod reduce;
mod registers;
mod replicas;
mod stages;
mod support;
