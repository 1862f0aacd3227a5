//! Block coarsening: a program on its grid, and the coarser one on the smaller grid, store the same. Bits of NaNs, and elements that a program
//! leaves open, may differ.
//!
//! `REFUSALS=1` tells why programs were not compared, and how many.

use crate::{
    Looked, Maker, compare_seeds,
    generate::{Program, combinations, elementwise_program, grouped_program},
    passes,
};
use std::{cell::RefCell, collections::BTreeMap};
use tilewright_ir::verify;
use tilewright_passes::{
    Pipeline, RunOptions,
    coarsen::{Coarsening, coarsen},
};
use tilewright_text::{PrintOptions, print};

/// How many programs of each kind a run tries.
const PROGRAMS: u64 = 200;

thread_local! {
    /// Why programs were not compared, and how many.
    static REFUSED: RefCell<BTreeMap<String, usize>> = const { RefCell::new(BTreeMap::new()) };
    /// How many comparisons were made.
    static COMPARED: RefCell<usize> = const { RefCell::new(0) };
}

fn refused(why: &dyn std::fmt::Display) {
    REFUSED.with_borrow_mut(|all| *all.entry(why.to_string()).or_default() += 1);
}

/// Coarsens a program along each axis, by each factor that its grid has, and compares what it stores.
fn judge(program: &Program, looked: &mut Looked) -> Result<(), String> {
    let run = |pipeline: &str, module| {
        let pipeline = Pipeline::parse(pipeline).map_err(|error| error.to_string())?;
        pipeline.run(module, RunOptions::new().verify_each(true)).map(|(module, _)| module).map_err(|error| error.to_string())
    };
    let improved = run(tilewright_exec::Program::PASSES, program.module.clone())?;
    for axis in 0..2 {
        for factor in (1..5).map(|exponent| 1 << exponent).filter(|factor| program.grid[axis].is_multiple_of(*factor)) {
            let mut module = improved.clone().into_inner();
            if let Err(refusal) = coarsen(&mut module, Coarsening { axis, factor }) {
                refused(&refusal);
                continue;
            }
            let told = |what: &str, module: &tilewright_ir::Module| {
                format!("axis {axis} by {factor}: {what}\n{}", print(module, &PrintOptions::new()))
            };
            let module = verify(module).map_err(|findings| format!("axis {axis} by {factor}: {}", findings[0]))?;
            let wide = run("canonicalize,cse,dce(loads=0)", module)?;
            let mut grid = program.grid;
            grid[axis] /= factor;
            passes::same(program, &wide, grid, looked).map_err(|what| told(&what, &wide))?;
            COMPARED.with_borrow_mut(|count| *count += 1);
        }
    }
    Ok(())
}

/// Compares programs, and looks that not too many of them are refused.
fn compare_programs(maker: Maker<'_>) {
    let seeds = crate::seeds(PROGRAMS);
    let few = seeds.end - seeds.start < 100;
    compare_seeds(seeds, maker);
    let (refused, compared) = (REFUSED.take(), COMPARED.take());
    let told: Vec<String> = refused.iter().map(|(why, count)| format!("{count} x {why}")).collect();
    if std::env::var_os("REFUSALS").is_some() {
        panic!("{compared} compared, refused\n{}", told.join("\n"));
    }
    assert!(few || compared > refused.values().sum::<usize>(), "{compared} compared, refused\n{}", told.join("\n"));
}

#[test]
fn coarser_blocks_store_what_blocks_do() {
    compare_programs(Maker { make: grouped_program, all: &combinations(), judge });
}

#[test]
fn coarser_blocks_of_elementwise_programs_store_what_blocks_do() {
    compare_programs(Maker { make: elementwise_program, all: &combinations(), judge });
}
