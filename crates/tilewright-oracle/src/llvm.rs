//! Compilers of LLVM modules to PTX, for tests to compare with: `llc` of Debian's `llvm-22`, and NVIDIA's libNVVM.

use crate::{Answer, Oracle, nvvm};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

const TOOL: &str = "llc-22";

/// `llc` of LLVM 22.
#[derive(Clone, Debug)]
pub struct Llc(());

impl Llc {
    /// The tool; `None` if it is not installed. `comparisons` says how many comparisons a test would have made, for the message.
    ///
    /// # Panics
    /// When it is not there and `CI` is set: CI must not skip.
    pub fn or_skip(comparisons: &str) -> Option<Llc> {
        let is_there = Command::new(TOOL).arg("--version").output().is_ok_and(|output| output.status.success());
        if !is_there {
            assert!(std::env::var_os("CI").is_none(), "llc-22 is needed in CI: apt-get install llvm-22");
            let _ = writeln!(std::io::stderr(), "SKIPPED {comparisons}: llc-22 is not installed: apt-get install llvm-22");
        }
        is_there.then_some(Llc(()))
    }

    /// The PTX of a module for a GPU such as `sm_80`, or what the tool complains of.
    ///
    /// # Errors
    /// When the tool refuses the module.
    ///
    /// # Panics
    /// When the tool cannot be started.
    pub fn compile(&self, module: &str, gpu: &str) -> Result<String, String> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(module.as_bytes()).expect("a temporary file can be written");
        let mut command = Command::new(TOOL);
        command.arg(format!("-mcpu={gpu}")).args(["-o", "-"]).arg(file.path());
        let answer: Answer = command.stdin(Stdio::null()).output().expect("llc can be started").into();
        if answer.accepted() { Ok(String::from_utf8_lossy(&answer.stdout).into_owned()) } else { Err(answer.stderr) }
    }
}

impl Oracle {
    /// The PTX that libNVVM makes of a module for a GPU such as `sm_100`, or what it complains of.
    ///
    /// # Errors
    /// When it refuses the module.
    ///
    /// # Panics
    /// When Python cannot be started.
    pub fn compile_llvm(&self, module: &str, gpu: &str) -> Result<String, String> {
        nvvm::compile(&self.bin.join("../lib/libnvvm.so.4"), module, &gpu.replace("sm", "compute"))
    }
}
