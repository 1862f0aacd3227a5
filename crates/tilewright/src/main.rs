//! The command `tilewright`.

#[cfg(target_os = "linux")]
mod large_pages;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: large_pages::LargePages = large_pages::LargePages;

fn main() -> ExitCode {
    tilewright::cli::main(std::env::args_os()).into()
}
