//! Prints a bytecode file: `disassemble [--module] [--generic] [--debug-info] FILE`.

use std::io::Write as _;
use tilewright_text::{PrintOptions, print};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut options, mut path) = (PrintOptions::new(), None);
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--module" => options = options.module(true),
            "--generic" => options = options.generic(true),
            "--debug-info" => options = options.debug_info(true),
            _ => path = Some(arg),
        }
    }
    let module = tilewright_bytecode::read(&std::fs::read(path.ok_or("no file given")?)?)?;
    std::io::stdout().write_all(print(&module, &options).as_bytes())?;
    Ok(())
}
