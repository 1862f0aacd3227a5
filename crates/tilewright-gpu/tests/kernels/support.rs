//! Kernels as text, compiled and run on the PTX machine.

use tilewright_gpu::{Kernel, Target, compile};
use tilewright_ir::{VerifiedModule, verify};
use tilewright_oracle::{Oracle, failures};
use tilewright_ptx::machine::{LaunchOptions, Memory, Program, Report};
use tilewright_text::{ParseOptions, parse};

/// The module of a text.
pub(crate) fn module(text: &str) -> VerifiedModule {
    let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(text, "text")));
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0].message))
}

/// The entry `k` of a text, compiled.
pub(crate) fn kernel(text: &str, target: Target) -> Kernel {
    compile(&module(text), "k", target).unwrap_or_else(|error| panic!("{error}"))
}

/// Launches the entry `k` on a buffer, whose address is its only argument, in an order that a seed gives.
pub(crate) fn run(text: &str, target: Target, grid: [u32; 3], buffer: &mut Vec<u8>, seed: u64) -> Report {
    let kernel = kernel(text, target);
    let ptx = kernel.ptx();
    let module = tilewright_ptx::parse(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let program = Program::new(&module).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let mut memory = Memory::new();
    let place = memory.add(std::mem::take(buffer));
    let address = memory.address(place);
    let options = LaunchOptions::new().seed(seed).dynamic_shared(kernel.dynamic_shared());
    let report = program.launch("k", grid, &[address], &mut memory, &options);
    let report = report.unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    assert!(report.findings.is_empty(), "{}\n{ptx}", report.findings[0]);
    buffer.extend_from_slice(memory.bytes(place));
    report
}

/// NVIDIA's assembler takes what is compiled of kernels for each of these targets.
pub(crate) fn assembles(texts: &[String], targets: &[Target]) {
    let Some(oracle) = Oracle::or_skip(&format!("{} kernels through ptxas", texts.len() * targets.len())) else { return };
    let jobs: Vec<(&String, Target)> = texts.iter().flat_map(|text| targets.iter().map(move |target| (text, *target))).collect();
    let failures = failures(&jobs, |(text, target)| {
        let answer = oracle.assemble(&kernel(text, *target).ptx(), target.name());
        (!answer.accepted()).then(|| format!("{target}: {}\n{text}", answer.stderr))
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}
