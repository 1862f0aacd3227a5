//! Cases on the PTX machine: what the compiler to PTX makes of a kernel, run without a GPU.

use super::{Case, CaseError, CaseReport, LaunchVerdict, Outcome, elsewhere::BoundCase};
use crate::{
    gpu::{Target, compile},
    ir::Version,
    ptx::machine::{LaunchOptions, Memory, Program, Report},
};
use std::{num::NonZeroUsize, time::Instant};

/// How to run a case on the PTX machine.
#[derive(Clone, Copy, Debug)]
pub struct PtxOptions {
    /// The GPU that the code is made for.
    pub target: Target,
    /// The version of bytecode; the newest if none.
    pub version: Option<Version>,
    /// How often to launch. The orders of blocks and warps differ.
    pub repeat: NonZeroUsize,
}

impl Case {
    /// Compiles the case to PTX, launches that on the PTX machine, and judges each launch. What the machine finds is given beside the verdicts: a
    /// launch with findings is not right.
    ///
    /// # Errors
    /// When it cannot be compiled or run. A launch that fails or gives wrong results is a verdict, not an error.
    pub fn run_on_ptx(&self, options: &PtxOptions) -> Result<(CaseReport, Vec<Report>), CaseError> {
        let (version, _) = self.bytecode(options.version)?;
        let module = self.module(options.version)?;
        let started = Instant::now();
        let kernel = compile(&module, self.entry(), options.target).map_err(|error| CaseError::Compile(error.to_string()))?;
        let text = kernel.ptx();
        let plan_seconds = started.elapsed().as_secs_f64();
        // An error here is one of the compiler.
        let program = crate::ptx::parse(&text).and_then(|module| Program::new(&module));
        let program = program.map_err(|error| CaseError::Compile(format!("the PTX machine refuses the compiler's PTX: {error}")))?;
        let bound = self.bind()?;
        let (mut launches, mut reports) = (Vec::new(), Vec::new());
        for seed in 0..options.repeat.get() as u64 {
            let options = LaunchOptions::new().seed(seed).dynamic_shared(kernel.dynamic_shared());
            let (verdict, report) = bound.launch_on_ptx(&program, &options);
            launches.push(verdict);
            reports.push(report);
        }
        let report = CaseReport {
            profile: None,
            case: self.name().to_owned(),
            version: version.to_string(),
            entry: self.entry().to_owned(),
            grid: self.grid(),
            blocks: self.grid().iter().map(|&n| u64::from(n)).product(),
            threads: Some(1),
            plan_seconds,
            ok: launches.iter().all(|launch| launch.ok),
            launches,
        };
        Ok((report, reports))
    }
}

impl BoundCase<'_> {
    /// Launches PTX of the case's entry, whoever made it, on the PTX machine. A launch with findings is not right.
    pub fn launch_on_ptx(&self, program: &Program, options: &LaunchOptions) -> (LaunchVerdict, Report) {
        let started = Instant::now();
        let mut memory = Memory::new();
        let add = |(bytes, read_only): (&[u8], bool)| match read_only {
            true => memory.add_read_only(bytes.to_vec()),
            false => memory.add(bytes.to_vec()),
        };
        let buffers: Vec<_> = self.buffers().map(add).collect();
        let addresses: Vec<u64> = buffers.iter().map(|buffer| memory.address(*buffer)).collect();
        let (args, tables) = self.arguments(&addresses);
        for (buffer, bytes) in tables {
            memory.bytes_mut(buffers[buffer]).copy_from_slice(&bytes);
        }
        let result = program.launch(self.case.entry(), self.case.grid(), &args, &mut memory, options);
        let error = result.as_ref().err().map(ToString::to_string);
        let report = result.unwrap_or_else(|error| *error.report);
        let outcome = Outcome {
            buffers: buffers.iter().map(|buffer| memory.bytes(*buffer).to_vec()).collect(),
            printed: report.printed.clone(),
            error,
            seconds: started.elapsed().as_secs_f64(),
        };
        let mut verdict = self.judge(&outcome);
        verdict.ok &= report.findings.is_empty();
        (verdict, report)
    }
}
