//! The command `tilewright`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main().into()
}
