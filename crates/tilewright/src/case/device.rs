//! Cases on the PTX machine and on GPUs: what the compiler makes of a kernel, launched there.

use super::{Case, CaseError, CaseReport, LaunchVerdict, elsewhere::BoundCase};
use crate::{
    device::{Device, Launch, Launched, Opened},
    gpu::compile,
    ir::Version,
    ptx::machine::{LaunchOptions, Program, Report},
};
use std::{num::NonZeroUsize, time::Instant};

/// How to run a case on a device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceOptions {
    /// The device.
    pub device: Device,
    /// The version of bytecode; the newest if none.
    pub version: Option<Version>,
    /// How often to launch. The orders of blocks and warps differ.
    pub repeat: NonZeroUsize,
}

impl Case {
    /// Compiles the case for a device, launches it there, and judges each launch. What the PTX machine finds is given beside the verdicts: a
    /// launch with findings is not right.
    ///
    /// # Errors
    /// When there is no such device, or the case cannot be compiled or run. A launch that fails or gives wrong results is a verdict, not an error.
    pub fn run_on(&self, options: &DeviceOptions) -> Result<(CaseReport, Vec<Report>), CaseError> {
        let opened = options.device.open().map_err(CaseError::Device)?;
        self.run_on_opened(&*opened, options.version, options.repeat)
    }

    /// The same on a device that is open.
    ///
    /// # Errors
    /// As [`Case::run_on`].
    pub fn run_on_opened(
        &self,
        device: &dyn Opened,
        version: Option<Version>,
        repeat: NonZeroUsize,
    ) -> Result<(CaseReport, Vec<Report>), CaseError> {
        let module = self.module(version)?;
        let (version, _) = self.bytecode(version)?;
        let started = Instant::now();
        let kernel = compile(&module, self.entry(), device.target()).map_err(|error| CaseError::Compile(error.to_string()))?;
        let mut loaded = device.load(&kernel).map_err(CaseError::Device)?;
        let plan_seconds = started.elapsed().as_secs_f64();
        let bound = self.bind()?;
        let (mut launches, mut reports) = (Vec::new(), Vec::new());
        for seed in 0..repeat.get() as u64 {
            let arguments = |addresses: &[u64]| bound.arguments(addresses);
            let launched = loaded.launch(&bound.launch(seed, &arguments)).map_err(CaseError::Device)?;
            let (verdict, report) = bound.judge_launched(launched);
            launches.push(verdict);
            reports.extend(report);
        }
        let report = CaseReport {
            profile: None,
            case: self.name().to_owned(),
            version: version.to_string(),
            entry: self.entry().to_owned(),
            grid: self.grid(),
            blocks: self.grid().iter().map(|&n| u64::from(n)).product(),
            threads: device.name().is_none().then_some(1),
            device: device.name().map(|name| format!("{name}, code for {}", device.target())),
            plan_seconds,
            ok: launches.iter().all(|launch| launch.ok),
            launches,
        };
        Ok((report, reports))
    }
}

impl BoundCase<'_> {
    fn launch<'a>(&'a self, seed: u64, arguments: &'a crate::device::ArgumentsFn<'a>) -> Launch<'a> {
        Launch { grid: self.case.grid(), buffers: self.buffers().collect(), arguments, seed }
    }

    fn judge_launched(&self, launched: Launched) -> (LaunchVerdict, Option<Report>) {
        let Launched { outcome, machine } = launched;
        let mut verdict = self.judge(&outcome);
        verdict.ok &= machine.as_ref().is_none_or(|report| report.findings.is_empty());
        (verdict, machine)
    }

    /// Launches PTX of the case's entry, whoever made it, on the PTX machine. A launch with findings is not right.
    pub fn launch_on_ptx(&self, program: &Program, options: &LaunchOptions) -> (LaunchVerdict, Report) {
        let arguments = |addresses: &[u64]| self.arguments(addresses);
        let launch = self.launch(0, &arguments);
        let (verdict, report) = self.judge_launched(crate::device::run_on_machine(program, self.case.entry(), &launch, options));
        (verdict, report.unwrap_or_default())
    }
}
