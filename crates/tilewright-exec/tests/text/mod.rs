//! Runs kernels that tests write as text.
#![allow(dead_code, reason = "not every test needs everything")]

use tilewright_exec::{Arg, Buffer, LaunchError, LaunchOptions, LaunchReport, Memory, Program, launch};
use tilewright_ir::{VerifiedModule, verify};
use tilewright_text::{ParseOptions, parse};

/// The program of a text.
pub(crate) fn program(text: &str) -> Program {
    Program::new(module(text))
}

/// The program of a text, of which every operation is carried out as it stands.
pub(crate) fn program_as_it_is(text: &str) -> Program {
    Program::without_passes(module(text))
}

fn module(text: &str) -> VerifiedModule {
    let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(text, "kernel")));
    verify(module).unwrap_or_else(|findings| panic!("{}: {}\n{text}", findings[0].rule, findings[0].message))
}

/// Launches the entry `k` of a text.
pub(crate) fn launch_text(
    text: &str,
    memory: &mut Memory<'_>,
    blocks: u32,
    args: &[Arg],
    threads: usize,
) -> Result<LaunchReport, LaunchError> {
    launch_program(&program(text), memory, blocks, args, threads)
}

/// Launches the entry `k` of a program.
pub(crate) fn launch_program(
    program: &Program,
    memory: &mut Memory<'_>,
    blocks: u32,
    args: &[Arg],
    threads: usize,
) -> Result<LaunchReport, LaunchError> {
    let plan = program.plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, memory, [blocks, 1, 1], args, &LaunchOptions::new().threads(threads))
}

/// A memory with one buffer.
pub(crate) fn buffer(bytes: Vec<u8>) -> (Memory<'static>, Buffer) {
    let mut memory = Memory::new();
    let buffer = memory.add(bytes);
    (memory, buffer)
}

/// The content of a buffer as 32-bit integers.
pub(crate) fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
