//! Checking the launch of a case.

use super::{Case, CaseError, bind::Bindings};
use crate::{
    check::{CheckOptions, Checker, Report},
    exec::{Buffer, LaunchOptions, Memory, TargetMachine},
    ir::Version,
};

impl Case {
    /// Launches the case under observation, and reports what the kernel does wrong. Arrays that are for results only count as memory that
    /// nobody wrote.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn check(&self, version: Option<Version>, options: &LaunchOptions<'_>) -> Result<Report, CaseError> {
        self.check_with(version, CheckOptions::new(), options, TargetMachine::host())
    }

    /// The same with more that the check is told, such as the orders of blocks, and planned for a machine; the case names the buffers, and those
    /// that are not written.
    ///
    /// # Errors
    /// As for [`check`](Case::check).
    pub fn check_with(
        &self,
        version: Option<Version>,
        check: CheckOptions,
        options: &LaunchOptions<'_>,
        machine: TargetMachine,
    ) -> Result<Report, CaseError> {
        let checker = Checker::new(self.module(version)?).for_machine(machine);
        let bindings = Bindings::new(self)?;
        let mut arrays = bindings.fresh_arrays()?;
        let mut memory = Memory::new();
        let buffers: Vec<Buffer> = arrays.iter_mut().map(|array| memory.add_borrowed(array.bytes_mut())).collect();
        let args = bindings.args(&mut memory, &buffers);
        let outputs = bindings.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_output).map(|(i, _)| i);
        let check = check.names(bindings.buffers.iter().map(|buffer| buffer.param.clone())).uninitialised(outputs);
        checker.check(self.entry(), &mut memory, self.grid(), &args, &check, options).map_err(CaseError::Check)
    }
}
