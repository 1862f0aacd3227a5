//! PTX of a program, run on the PTX machine and compared with the naive evaluator.

use crate::{
    Looked, difference,
    generate::Program,
    naive::{self, facts::FactsCheck},
};
use tilewright_ptx::{
    machine::{self, LaunchOptions},
    parse,
};

/// More instructions than any program needs.
const LIMIT: u64 = 100_000_000;

/// How blocks print a tile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prints {
    /// By one call, so that lines stay whole whatever other blocks print.
    AtOnce,
    /// By a call for each element, between which others print.
    InParts,
}

/// Runs the PTX of a program, and compares what it stores and prints. What the machine finds is an error.
pub(crate) fn judge(program: &Program, (text, dynamic_shared): (&str, u32), prints: Prints, looked: &mut Looked) -> Result<(), String> {
    let module = parse(text).map_err(|error| error.to_string())?;
    let machine = machine::Program::new(&module).map_err(|error| error.to_string())?;
    let mut memory = machine::Memory::new();
    let input = memory.add_read_only(program.input.clone());
    let output = memory.add(vec![0; program.output]);
    let addresses = [memory.address(input), memory.address(output)];
    let args: Vec<u64> = addresses.into_iter().chain(program.scalars.iter().map(|(_, bits)| *bits)).collect();
    let options = LaunchOptions::new().seed(1).limit(LIMIT).dynamic_shared(dynamic_shared);
    let report = machine.launch("k", program.grid, &args, &mut memory, &options).map_err(|error| error.to_string())?;
    if let Some(finding) = report.findings.first() {
        return Err(finding.to_string());
    }
    let mut naive = naive::Memory::default();
    naive.add(addresses[0], program.input.clone());
    naive.add(addresses[1], vec![0; program.output]);
    let printed = naive::run(&program.module, &mut naive, program.grid, &args, &FactsCheck::new(&program.module));
    same_text(&printed.concat(), &report.printed, program.grid == [1; 3], prints)?;
    difference(&naive, addresses[1], memory.bytes(output), looked)
}

/// Whether the same was printed: in order by one block, else the same lines, or the same characters where those of several blocks mix.
fn same_text(expected: &[u8], printed: &[u8], in_order: bool, prints: Prints) -> Result<(), String> {
    let same = match prints {
        _ if in_order => expected == printed,
        Prints::AtOnce => sorted(expected.split(|byte| *byte == b'\n')) == sorted(printed.split(|byte| *byte == b'\n')),
        Prints::InParts => sorted(expected.iter()) == sorted(printed.iter()),
    };
    if same {
        return Ok(());
    }
    Err(format!("it printed \"{}\", expected \"{}\"", printed.escape_ascii(), expected.escape_ascii()))
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all
}
