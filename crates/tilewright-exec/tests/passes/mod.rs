//! Passes leave what programs do alone: the engine runs each program as it was and as a pipeline made it, and stores and prints the
//! same. Elements that a program leaves open may differ, and so may the bits of a NaN.

use crate::{
    Looked, Texts, difference,
    generate::{BROKEN, Program},
    naive::{
        self,
        facts::FactsCheck,
        number::{self, Number},
        value::{Element, Trust},
    },
    same_texts,
};
use std::sync::{Arc, Mutex};
use tilewright_exec::{Arg, LaunchOptions, Memory, OutputSink, launch};
use tilewright_ir::VerifiedModule;
use tilewright_passes::{PASSES, Pipeline, RunOptions};
use tilewright_text::{PrintOptions, print};

/// What a run left: the output, what was printed, and the addresses of input and output.
struct Left {
    output: Vec<u8>,
    texts: Vec<Vec<u8>>,
    addresses: [u64; 2],
}

fn run(module: &VerifiedModule, program: &Program, grid: [u32; 3]) -> Result<Left, String> {
    let engine = tilewright_exec::Program::without_passes(module.clone());
    let plan = engine.plan("k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let input = memory.add(program.input.clone());
    let output = memory.add(vec![0; program.output]);
    let addresses = [memory.address(input), memory.address(output)];
    let scalars = program.scalars.iter().map(|(scalar, bits)| Arg::Scalar(*scalar, *bits));
    let args: Vec<Arg> = addresses.iter().map(|address| Arg::Pointer(*address)).chain(scalars).collect();
    let printed = Arc::new(Mutex::new(Texts::default()));
    let options = LaunchOptions::new().threads(1).output(OutputSink::new(printed.clone()));
    launch(&plan, &mut memory, grid, &args, &options).map_err(|error| error.to_string())?;
    let texts = std::mem::take(&mut printed.lock().expect("nobody panicked").0);
    Ok(Left { output: memory.bytes(output).to_vec(), texts, addresses })
}

fn is_nan(element: Element, bits: u64) -> bool {
    element.is_float() && matches!(number::decode(element.scalar(), bits), Number::Nan)
}

/// Runs a program as it is and after a pipeline.
pub(crate) fn compare(program: &Program, pipeline: &str, looked: &mut Looked) -> Result<(), String> {
    let passes = Pipeline::parse(pipeline).map_err(|error| error.to_string())?;
    let changed = passes.run(program.module.clone(), RunOptions::new().verify_each(true)).map_err(|error| error.to_string())?.0;
    let told = |what: String| format!("after {pipeline} {what}\n{}", print(&changed, &PrintOptions::new()));
    same(program, &changed, program.grid, looked).map_err(told)
}

/// Runs a program as it is, and what was made of it on another grid; both must leave the same.
pub(crate) fn same(program: &Program, changed: &VerifiedModule, grid: [u32; 3], looked: &mut Looked) -> Result<(), String> {
    let (before, after) = (run(&program.module, program, program.grid)?, run(changed, program, grid)?);
    same_texts(before.texts, after.texts, program.grid == [1; 3])?;
    looked.exact += before.output.len();
    let differs = |at: &usize| before.output[*at] != after.output[*at];
    let Some(first) = (0..before.output.len()).find(differs) else { return Ok(()) };
    // Only now is it worth finding out what the program leaves open.
    let mut memory = naive::Memory::default();
    memory.add(before.addresses[0], program.input.clone());
    memory.add(before.addresses[1], vec![0; program.output]);
    let args: Vec<u64> = before.addresses.into_iter().chain(program.scalars.iter().map(|(_, bits)| *bits)).collect();
    naive::run(&program.module, &mut memory, program.grid, &args, &FactsCheck::new(&program.module));
    let mut open = vec![false; before.output.len()];
    for (address, element, item) in memory.doubts() {
        let Some(at) = address.checked_sub(before.addresses[1]).map(|at| at as usize).filter(|at| *at < open.len()) else { continue };
        let size = element.bits().div_ceil(8) as usize;
        let bits = |bytes: &[u8]| bytes[at..at + size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let both_nan = || [&before.output, &after.output].iter().all(|output| is_nan(element, bits(output)));
        open[at..at + size].fill(item.trust == Trust::Unknown || both_nan());
    }
    match (first..before.output.len()).filter(differs).find(|at| !open[*at]) {
        Some(at) => Err(format!("byte {at} of the output is {:#04x}, not {:#04x}", after.output[at], before.output[at])),
        None => Ok(()),
    }
}

/// Runs a program as it is and after a pipeline: an assertion that does not hold stops both, or none.
pub(crate) fn stop(program: &Program, pipeline: &str, looked: &mut Looked) -> Result<(), String> {
    let passes = Pipeline::parse(pipeline).map_err(|error| error.to_string())?;
    let changed = passes.run(program.module.clone(), RunOptions::new().verify_each(true)).map_err(|error| error.to_string())?.0;
    let [before, after] = [&program.module, &changed].map(|module| run(module, program, program.grid).err().unwrap_or_default());
    let stops = |error: &str| error.contains(BROKEN);
    if stops(&before) != stops(&after) {
        let told = if before.is_empty() { after } else { before };
        return Err(format!("only before or only after {pipeline}: {told}\n{}", print(&changed, &PrintOptions::new())));
    }
    looked.stopped += usize::from(stops(&before));
    Ok(())
}

/// Runs a program after `fuse-fma`, and compares it with what the evaluator says of sums that are rounded once: the exact product and sum,
/// rounded as the operations say, to the bit. So a fused result is within half a unit in the last place of the exact one where it is
/// rounded to the nearest number, and within one else.
pub(crate) fn fuse(program: &Program, looked: &mut Looked) -> Result<(), String> {
    let passes = Pipeline::parse("fuse-fma").map_err(|error| error.to_string())?;
    let (changed, report) = passes.run(program.module.clone(), RunOptions::new().verify_each(true)).map_err(|error| error.to_string())?;
    let told = |what: String| format!("after fuse-fma {what}\n{}", print(&changed, &PrintOptions::new()));
    let (before, after) = (run(&program.module, program, program.grid)?, run(&changed, program, program.grid).map_err(told)?);
    let mut memory = naive::Memory::default();
    memory.add(after.addresses[0], program.input.clone());
    memory.add(after.addresses[1], vec![0; program.output]);
    let args: Vec<u64> = after.addresses.into_iter().chain(program.scalars.iter().map(|(_, bits)| *bits)).collect();
    let expected = naive::run_fused(&program.module, &mut memory, program.grid, &args);
    let fused: u64 = report.steps[0].changes.counts().iter().map(|(_, count)| count).sum();
    if fused != expected as u64 {
        return Err(told(format!("{fused} sums are fused, and not the {expected} that should be")));
    }
    looked.rounded_once += before.output.iter().zip(&after.output).filter(|(before, after)| before != after).count();
    difference(&memory, after.addresses[1], &after.output, looked).map_err(told)
}

/// Whether passes of which this is said find nothing to do on what they left.
pub(crate) fn settle(program: &Program, looked: &mut Looked) -> Result<(), String> {
    for pass in PASSES.iter().filter(|pass| pass.is_idempotent) {
        let pipeline = Pipeline::parse(pass.name).map_err(|error| error.to_string())?;
        let run = |module: VerifiedModule| pipeline.run(module, RunOptions::new().verify_each(false)).map_err(|error| error.to_string());
        let (once, _) = run(program.module.clone())?;
        let (twice, report) = run(once.clone())?;
        let changes = &report.steps[0].changes;
        if !changes.is_empty() {
            let [once, twice] = [&once, &twice].map(|module| print(module, &PrintOptions::new()));
            return Err(format!("{} once more: {changes}\n{once}\nbecame\n{twice}", pass.name));
        }
        looked.exact += 1;
    }
    Ok(())
}
