//! Runs small programs.
#![allow(dead_code, reason = "not every test needs everything")]

use tilewright_ptx::{
    machine::{LaunchError, LaunchOptions, Memory, Program, Report},
    parse,
};

/// A kernel with an output, whose address is `%out`, and this body.
pub(crate) fn kernel(threads: u32, declarations: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 p)\n.reqntid {threads}\n{{\n\
         .reg .b64 %out;\nld.param.b64 %out, [p];\n{body}\nret;\n}}\n"
    )
}

/// Launches a kernel of one parameter, the address of an output of zeros; gives what is there afterwards.
pub(crate) fn launch(text: &str, grid: u32, seed: u64, bytes: usize) -> (Vec<u8>, Result<Report, LaunchError>) {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let program = Program::new(&module).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut memory = Memory::new();
    let output = memory.add(vec![0; bytes]);
    let args = [memory.address(output)];
    let options = LaunchOptions::new().seed(seed).limit(100_000_000);
    let result = program.launch("k", [grid, 1, 1], &args, &mut memory, &options);
    (memory.bytes(output).to_vec(), result)
}

/// What one thread stores.
pub(crate) fn run_thread(body: &str, bytes: usize) -> Vec<u8> {
    let text = kernel(1, "", body);
    let (output, result) = launch(&text, 1, 0, bytes);
    let report = result.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    output
}
