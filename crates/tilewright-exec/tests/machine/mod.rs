//! PTX of a program, run on the PTX machine or on a GPU and compared with the naive evaluator.

pub(crate) mod gpu;

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

/// What the PTX of a program did.
struct Ran {
    /// Of input and output.
    addresses: [u64; 2],
    output: Vec<u8>,
    printed: Vec<u8>,
}

impl Program {
    /// The bits of the arguments for input and output at these addresses.
    fn bits(&self, addresses: [u64; 2]) -> Vec<u64> {
        addresses.into_iter().chain(self.scalars.iter().map(|(_, bits)| *bits)).collect()
    }
}

/// Runs the PTX of a program on the machine, and compares what it stores and prints. What the machine finds is an error.
pub(crate) fn judge(program: &Program, code: (&str, u32), prints: Prints, looked: &mut Looked) -> Result<(), String> {
    compare(program, run(program, code)?, prints, looked)
}

/// Runs the PTX of a program on the GPU, and compares what it stores and prints.
pub(crate) fn judge_on_gpu(program: &Program, code: (&str, u32), prints: Prints, looked: &mut Looked) -> Result<(), String> {
    compare(program, gpu::run(program, code)?, prints, looked)
}

fn run(program: &Program, (text, dynamic_shared): (&str, u32)) -> Result<Ran, String> {
    let module = parse(text).map_err(|error| error.to_string())?;
    let machine = machine::Program::new(&module).map_err(|error| error.to_string())?;
    let mut memory = machine::Memory::new();
    let input = memory.add_read_only(program.input.clone());
    let output = memory.add(vec![0; program.output]);
    let addresses = [memory.address(input), memory.address(output)];
    let options = LaunchOptions::new().seed(1).limit(LIMIT).dynamic_shared(dynamic_shared);
    let report = machine.launch("k", program.grid, &program.bits(addresses), &mut memory, &options).map_err(|error| error.to_string())?;
    if let Some(finding) = report.findings.first() {
        return Err(finding.to_string());
    }
    Ok(Ran { addresses, output: memory.bytes(output).to_vec(), printed: report.printed })
}

fn compare(program: &Program, ran: Ran, prints: Prints, looked: &mut Looked) -> Result<(), String> {
    let Ran { addresses, output, printed: found } = ran;
    let mut naive = naive::Memory::default();
    naive.add(addresses[0], program.input.clone());
    naive.add(addresses[1], vec![0; program.output]);
    let printed = naive::run(&program.module, &mut naive, program.grid, &program.bits(addresses), &FactsCheck::new(&program.module));
    same_text(&printed.concat(), &found, program.grid == [1; 3], prints)?;
    difference(&naive, addresses[1], &output, looked)
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
