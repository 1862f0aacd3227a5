//! What kernels are planned for: options of all commands that run some.

use tilewright::{environment, exec::TargetMachine};

#[derive(clap::Args)]
pub(super) struct MachineArgs {
    /// Make no machine code in process: a portable executor runs fused regions, slowly, with the same results [also: TILEWRIGHT_JIT=0]
    #[arg(long)]
    no_jit: bool,
}

impl MachineArgs {
    /// Whether machine code is not wanted by the command line.
    pub(super) fn is_given(&self) -> bool {
        self.no_jit
    }

    pub(super) fn machine(&self) -> anyhow::Result<TargetMachine> {
        let machine = environment::machine()?;
        Ok(if self.no_jit { machine.without_native_code() } else { machine })
    }
}
