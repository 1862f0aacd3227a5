//! Passes leave what programs do alone: the engine runs each program as it was and as a pipeline made it, and stores and prints the
//! same. Elements that a program leaves open may differ, and so may the bits of a NaN.

use crate::{
    Looked, Texts,
    generate::Program,
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
use tilewright_passes::{Pipeline, RunOptions};
use tilewright_text::{PrintOptions, print};

/// What a run left: the output, what was printed, and the addresses of input and output.
struct Left {
    output: Vec<u8>,
    texts: Vec<Vec<u8>>,
    addresses: [u64; 2],
}

fn run(module: &VerifiedModule, program: &Program) -> Result<Left, String> {
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
    launch(&plan, &mut memory, program.grid, &args, &options).map_err(|error| error.to_string())?;
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
    let (before, after) = (run(&program.module, program)?, run(&changed, program).map_err(told)?);
    same_texts(before.texts, after.texts, program.grid == [1; 3]).map_err(told)?;
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
        Some(at) => Err(told(format!("byte {at} of the output is {:#04x}, not {:#04x}", after.output[at], before.output[at]))),
        None => Ok(()),
    }
}
