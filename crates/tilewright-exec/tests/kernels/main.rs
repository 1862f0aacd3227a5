//! The engine on kernels made for its promises, one file for each: built and linked as one program, for each of them would hold the whole
//! engine once more.

mod as_one;
mod combiners;
mod deferred_products;
mod edges;
mod engine;
mod first_fault;
mod gathers;
mod generated;
mod groups;
mod in_place;
mod in_step;
mod interrupts;
mod limits;
mod local_memory;
mod loop_passes;
mod merged_rows;
mod origins;
mod product_loops;
mod profile;
mod regions;
mod scattered;
mod semantics;
mod support;
mod sweep_loops;
#[path = "../text/mod.rs"]
mod text;
mod watched;
