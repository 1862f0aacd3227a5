//! Random programs, compiled by `tilewright-gpu` and run on the PTX machine, against the naive evaluator.
//!
//! `SEED=n` runs the program of one seed only, `PROGRAMS=n` as many as that, from the seed on if both are said. `DEVICE=cuda` runs them on the first GPU
//! instead.

use crate::{
    Looked, Maker, compare_seeds,
    generate::{
        Choices, Program, beside_program, combinations, elementwise_program, integer_program, over_k_program, program, rounds_program,
        stored_program, sum_program,
    },
    machine::{self, Prints},
    regular::Combination,
};
use std::{cell::RefCell, collections::BTreeMap, iter::successors};
use tilewright_gpu::{Target, compile};
use tilewright_ir::{Body, Op, OpRef, Opcode, TypeData, VerifiedModule};
use tilewright_passes::{Pipeline, RunOptions};

/// How many programs of each kind a run tries.
const PROGRAMS: u64 = 150;

thread_local! {
    /// Why programs were not compared, and how many.
    static REFUSED: RefCell<BTreeMap<String, usize>> = const { RefCell::new(BTreeMap::new()) };
}

/// Why a program with [unordered](is_unordered) accesses is not compared.
const WITHOUT_TOKENS: &str = "accesses without tokens";

/// Whether memory may be read behind stores that no token orders before, which leaves open what is read: the engine works in the order of the
/// program, threads do not. That is so of memory of a block in these programs, and where iterations of a loop store and load and hand no
/// token on. Tests of the compiler have both with tokens.
fn is_unordered(module: &VerifiedModule) -> bool {
    // A loop repeats what functions do that it calls.
    let inlined = Pipeline::parse("inline").expect("a pipeline").run(module.clone(), RunOptions::new());
    let (module, _) = inlined.unwrap_or_else(|broken| panic!("{broken}"));
    let in_body = |body: &Body| {
        let is_in = |op: OpRef<'_>, outer: Op| successors(Some(op), |op| op.parent()).any(|op| op.id() == outer);
        let has = |outer: Op, opcodes: &[Opcode]| body.preorder().any(|op| opcodes.contains(&op.opcode()) && is_in(op, outer));
        body.preorder().any(|op| {
            let is_token = |value| matches!(module.tables.types.get(body.ty(value)), TypeData::Token);
            let repeats = matches!(op.opcode(), Opcode::For | Opcode::Loop);
            let hands_on = op.region_block(0).is_some_and(|block| body.args(block).any(is_token));
            let [stores, loads] = [[Opcode::StoreViewTko, Opcode::StorePtrTko], [Opcode::LoadViewTko, Opcode::LoadPtrTko]];
            op.opcode() == Opcode::Alloca || repeats && !hands_on && has(op.id(), &stores) && has(op.id(), &loads)
        })
    };
    module.functions.iter().any(|function| in_body(&function.body))
}

/// Whether a program accesses replicas of memory, which GPUs do from `sm_90` on.
fn has_replicas(module: &VerifiedModule) -> bool {
    let is_access = |op: OpRef<'_>| op.opcode().mnemonic().starts_with("multimem_");
    module.functions.iter().any(|function| function.body.preorder().any(is_access))
}

/// Compiles a program, runs it, and compares what it stores.
fn judge(program: &Program, looked: &mut Looked) -> Result<(), String> {
    if is_unordered(&program.module) {
        REFUSED.with_borrow_mut(|all| *all.entry(WITHOUT_TOKENS.to_owned()).or_default() += 1);
        return Ok(());
    }
    // Replicas of memory are several GPUs'.
    let on_gpu = if has_replicas(&program.module) { None } else { machine::gpu::target() };
    let on_machine = if has_replicas(&program.module) { Target::Sm90 } else { Target::Sm80 };
    match compile(&program.module, "k", on_gpu.unwrap_or(on_machine)) {
        Ok(kernel) if on_gpu.is_some() => machine::judge_on_gpu(program, (&kernel.ptx(), kernel.dynamic_shared()), Prints::InParts, looked),
        Ok(kernel) => machine::judge(program, (&kernel.ptx(), kernel.dynamic_shared()), Prints::InParts, looked),
        Err(error) if error.to_string().starts_with("an error of") => Err(error.to_string()),
        Err(error) => {
            REFUSED.with_borrow_mut(|all| *all.entry(error.to_string()).or_default() += 1);
            Ok(())
        }
    }
}

/// Compares the programs that `make` makes. Most must compile.
fn compare_programs(make: fn(&mut Choices, &[Vec<Combination>]) -> Program) {
    let seeds = crate::seeds(PROGRAMS);
    let count = (seeds.end - seeds.start) as usize;
    let looked = compare_seeds(seeds, Maker { make, all: &combinations(), judge });
    let mut refused = REFUSED.take();
    let told: Vec<String> = refused.iter().map(|(why, count)| format!("{count} x {why}")).collect();
    // That is a matter of the generator; all else that it makes is compiled.
    refused.retain(|why, _| why != WITHOUT_TOKENS);
    assert!(refused.is_empty(), "of {count} programs are not compared:\n{}", told.join("\n"));
    assert!(count < 100 || looked.exact > looked.unknown, "{} exact, {} unknown", looked.exact, looked.unknown);
}

#[test]
fn the_compiler_makes_of_programs_what_the_evaluator_does() {
    compare_programs(program);
}

#[test]
fn the_compiler_makes_of_elementwise_programs_what_the_evaluator_does() {
    compare_programs(elementwise_program);
}

#[test]
fn the_compiler_makes_of_products_what_the_evaluator_does() {
    compare_programs(over_k_program);
}

#[test]
fn the_compiler_makes_of_neighbouring_tiles_what_the_evaluator_does() {
    compare_programs(beside_program);
}

#[test]
fn the_compiler_makes_of_rounds_what_the_evaluator_does() {
    compare_programs(rounds_program);
}

#[test]
fn the_compiler_makes_of_stores_and_loads_what_the_evaluator_does() {
    compare_programs(stored_program);
}

#[test]
fn the_compiler_makes_of_sums_what_the_evaluator_does() {
    compare_programs(sum_program);
}

#[test]
fn the_compiler_makes_of_integers_what_the_evaluator_does() {
    compare_programs(integer_program);
}
