//! The command `tilewright`.

mod cli;
#[cfg(target_os = "linux")]
mod large_pages;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: large_pages::LargePages = large_pages::LargePages;

fn main() -> ExitCode {
    cli::main().into()
}
