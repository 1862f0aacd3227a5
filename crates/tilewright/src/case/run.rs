//! Running a case and judging what came out.

use super::{
    Case, CaseError, CaseReport, FailureVerdict, InputVerdict, LaunchVerdict, OutputVerdict, StdoutVerdict, Worst,
    bind::{Bindings, Check},
    compare,
    spec::{FailureSpec, LineOrder, StdoutSpec},
};
use crate::{
    exec::{
        self, Buffer, LaunchError, LaunchErrorKind, LaunchOptions, LimitNames, Limits, Memory, OutputSink, Plan, Program, ProgressFn,
        TargetMachine, launch,
    },
    ir::Version,
    passes::{self, Pipeline},
    profile::{self, MachineLimits, Profile},
};
use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

/// How to run a case.
#[derive(Clone, Default)]
pub struct RunOptions {
    version: Option<Version>,
    threads: Option<NonZeroUsize>,
    repeat: Option<NonZeroUsize>,
    limits: Limits,
    limit_names: LimitNames,
    progress: Option<ProgressFn>,
    passes: Option<Pipeline>,
    machine: TargetMachine,
    outputs: Option<OutputFn>,
    profile: bool,
}

/// Is called with the name and the bytes of an output.
pub type OutputFn = Arc<dyn Fn(&str, &[u8]) + Send + Sync>;

impl RunOptions {
    /// The newest version, once, on all processors.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// The version of bytecode to run; the newest unless set.
    pub fn version(mut self, version: Version) -> RunOptions {
        self.version = Some(version);
        self
    }

    /// How many worker threads to use; one for each processor unless set.
    pub fn threads(mut self, threads: NonZeroUsize) -> RunOptions {
        self.threads = Some(threads);
        self
    }

    /// How often to launch, each time on fresh buffers; once unless set.
    pub fn repeat(mut self, repeat: NonZeroUsize) -> RunOptions {
        self.repeat = Some(repeat);
        self
    }

    /// What each launch may take; nothing is limited unless set.
    pub fn limits(mut self, limits: Limits) -> RunOptions {
        self.limits = limits;
        self
    }

    /// What errors call the limits; the functions of [`Limits`] unless set.
    pub fn limit_names(mut self, names: LimitNames) -> RunOptions {
        self.limit_names = names;
        self
    }

    /// What to call as blocks finish.
    pub fn progress(mut self, progress: ProgressFn) -> RunOptions {
        self.progress = Some(progress);
        self
    }

    /// Passes to run on the module before it is launched, in place of those that the engine uses; with an empty pipeline, every
    /// operation is carried out as it stands.
    pub fn passes(mut self, passes: Pipeline) -> RunOptions {
        self.passes = Some(passes);
        self
    }

    /// What to plan for; this machine unless set.
    pub fn machine(mut self, machine: TargetMachine) -> RunOptions {
        self.machine = machine;
        self
    }

    /// What to call with each output that is judged.
    pub fn outputs(mut self, look: OutputFn) -> RunOptions {
        self.outputs = Some(look);
        self
    }

    /// Measures each instruction, for [`CaseReport::profile`].
    pub fn profile(mut self, profile: bool) -> RunOptions {
        self.profile = profile;
        self
    }

    fn launch_options(&self) -> LaunchOptions<'static> {
        let mut options = LaunchOptions::new().limits(self.limits);
        if let Some(threads) = self.threads {
            options = options.threads(threads.get());
        }
        if let Some(progress) = &self.progress {
            options = options.progress(progress.clone());
        }
        options
    }
}

impl Case {
    /// Runs the case and judges each launch.
    ///
    /// # Errors
    /// When it cannot be run. A launch that fails or gives wrong results is a verdict, not an error.
    pub fn run(&self, options: &RunOptions) -> Result<CaseReport, CaseError> {
        let (version, _) = self.bytecode(options.version)?;
        let module = self.module(options.version)?;
        let program = match &options.passes {
            None => Program::new(module),
            Some(passes) => Program::without_passes(passes.run(module, passes::RunOptions::new()).map_err(CaseError::Passes)?.0),
        };
        let program = program.for_machine(options.machine);
        let started = Instant::now();
        let plan = program.plan(self.entry()).map_err(CaseError::Plan)?;
        let plan_seconds = started.elapsed().as_secs_f64();
        let bindings = Bindings::new(self)?;
        let mut launches = Vec::new();
        let mut threads = options.threads.map(NonZeroUsize::get);
        let mut measured: Option<exec::Profile> = None;
        for _ in 0..options.repeat.map_or(1, NonZeroUsize::get) {
            let run = Launch { case: self, plan: &plan, bindings: &bindings };
            let (verdict, used) = run.go(options, &mut measured)?;
            threads = used.or(threads);
            launches.push(verdict);
        }
        let profile = measured.map(|measured| {
            let limits = MachineLimits::measure(measured.threads);
            Profile::new(program.module(), self.entry(), self.grid(), measured, limits)
        });
        Ok(CaseReport {
            profile,
            case: self.name().to_owned(),
            version: version.to_string(),
            entry: self.entry().to_owned(),
            grid: self.grid(),
            blocks: self.grid().iter().map(|&n| u64::from(n)).product(),
            threads,
            device: None,
            plan_seconds,
            ok: launches.iter().all(|launch| launch.ok),
            launches,
        })
    }
}

/// One launch of a case.
struct Launch<'c> {
    case: &'c Case,
    plan: &'c Plan,
    bindings: &'c Bindings,
}

impl Launch<'_> {
    /// Launches on fresh buffers; gives the verdict, and the number of threads where the launch succeeded.
    fn go(&self, options: &RunOptions, measured: &mut Option<exec::Profile>) -> Result<(LaunchVerdict, Option<usize>), CaseError> {
        let mut arrays = self.bindings.fresh_arrays()?;
        let mut memory = Memory::new();
        let buffers: Vec<Buffer> = arrays.iter_mut().map(|array| memory.add_borrowed(array.bytes_mut())).collect();
        let args = self.bindings.args(&mut memory, &buffers);
        let before = self.read_only(&memory, &buffers);
        let printed = Arc::new(Mutex::new(Vec::new()));
        let launch_options = options.launch_options().output(OutputSink::new(printed.clone()));
        let started = Instant::now();
        let result = match options.profile {
            true => profile::launch(self.plan, &mut memory, self.case.grid(), &args, &launch_options, measured),
            false => launch(self.plan, &mut memory, self.case.grid(), &args, &launch_options),
        };
        let seconds = started.elapsed().as_secs_f64();
        let printed = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));

        let error = result.as_ref().err();
        let message = error.map(|error| error.naming(&options.limit_names).to_string());
        let failure = self.case.spec.failure.as_ref().map(|expected| judge_failure(expected, error, message.as_deref()));
        let failed_as_expected = failure.as_ref().map_or(error.is_none(), |f| f.ok);
        let checks: &[Check] = if failed_as_expected { &self.bindings.checks } else { &[] };
        if let Some(look) = &options.outputs {
            checks.iter().for_each(|check| look(&check.param, memory.bytes(buffers[check.buffer])));
        }
        let outputs: Vec<OutputVerdict> = checks.iter().map(|check| judge_output(check, memory.bytes(buffers[check.buffer]))).collect();
        let inputs: Vec<InputVerdict> =
            before.into_iter().map(|(i, bytes)| self.judge_input(i, &bytes, memory.bytes(buffers[i]))).collect();
        let stdout = self.case.spec.stdout.as_ref().map(|expected| judge_stdout(expected, &printed));
        let ok = failed_as_expected
            && outputs.iter().all(|output| output.ok)
            && inputs.iter().all(|input| input.unchanged)
            && stdout.as_ref().is_none_or(|stdout| stdout.ok);
        Ok((LaunchVerdict { seconds, ok, error: message, outputs, inputs, stdout, failure }, result.ok().map(|report| report.threads)))
    }

    /// The buffers that must not change, as they are now.
    fn read_only(&self, memory: &Memory<'_>, buffers: &[Buffer]) -> Vec<(usize, Vec<u8>)> {
        let buffers = self.bindings.buffers.iter().zip(buffers).enumerate();
        buffers.filter(|(_, (bound, _))| bound.read_only).map(|(i, (_, buffer))| (i, memory.bytes(*buffer).to_vec())).collect()
    }

    fn judge_input(&self, index: usize, before: &[u8], after: &[u8]) -> InputVerdict {
        InputVerdict { param: self.bindings.buffers[index].param.clone(), unchanged: before == after }
    }
}

pub(super) fn judge_output(check: &Check, found: &[u8]) -> OutputVerdict {
    let comparison = compare(&check.expected, found, check.tolerance);
    let ty = check.expected.ty();
    let worst =
        comparison.worst.map(|w| Worst { index: ty.coordinates(w.index as u64), expected: w.expected, found: w.found, error: w.error });
    OutputVerdict {
        param: check.param.clone(),
        dtype: ty.dtype.to_string(),
        shape: ty.shape,
        ok: comparison.mismatches == 0,
        mismatches: comparison.mismatches,
        largest_error: comparison.largest_error,
        largest_of_tolerance: comparison.largest_of_tolerance,
        worst,
    }
}

pub(super) fn judge_stdout(expected: &StdoutSpec, printed: &[u8]) -> StdoutVerdict {
    let found: Vec<String> = String::from_utf8_lossy(printed).lines().map(str::to_owned).collect();
    let ok = match expected.order {
        LineOrder::AsListed => found == expected.lines,
        LineOrder::Any => sorted(&found) == sorted(&expected.lines),
    };
    StdoutVerdict { ok, expected: expected.lines.clone(), found }
}

fn sorted(lines: &[String]) -> Vec<&String> {
    let mut lines: Vec<&String> = lines.iter().collect();
    lines.sort();
    lines
}

fn judge_failure(expected: &FailureSpec, error: Option<&LaunchError>, message: Option<&str>) -> FailureVerdict {
    let block = expected.block.map_or_else(String::new, |[x, y, z]| format!(" in block ({x}, {y}, {z})"));
    FailureVerdict {
        ok: error.is_some_and(|error| fails_as(expected, error)),
        expected: format!("{} failure '{}'{block}", expected.kind, expected.message),
        found: message.map(str::to_owned),
    }
}

fn fails_as(expected: &FailureSpec, error: &LaunchError) -> bool {
    let same_kind = match (expected.kind.as_str(), &error.kind) {
        ("assert", LaunchErrorKind::Assert { message, .. }) => *message == expected.message,
        ("access", LaunchErrorKind::Access(fault)) => fault.to_string().contains(&expected.message),
        _ => false,
    };
    same_kind && expected.block.is_none_or(|block| error.block == Some(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.to_owned()).collect()
    }

    #[test]
    fn printed_lines_are_compared_in_order_or_not() {
        let mut spec = StdoutSpec { lines: lines(&["a", "b", "b"]), order: LineOrder::AsListed };
        assert!(judge_stdout(&spec, b"a\nb\nb\n").ok);
        assert!(!judge_stdout(&spec, b"b\na\nb\n").ok);
        spec.order = LineOrder::Any;
        assert!(judge_stdout(&spec, b"b\na\nb\n").ok);
        assert!(!judge_stdout(&spec, b"b\na\na\n").ok);
        assert!(!judge_stdout(&spec, b"b\na\n").ok);
    }

    #[test]
    fn a_failure_must_be_the_expected_one() {
        let expected = FailureSpec { kind: "assert".to_owned(), message: "out of range".to_owned(), block: Some([2, 0, 0]) };
        let error = |message: &str, block| LaunchError {
            entry: "k".to_owned(),
            block: Some(block),
            site: None,
            kind: LaunchErrorKind::Assert { message: message.to_owned(), element: 0 },
        };
        assert!(judge_failure(&expected, Some(&error("out of range", [2, 0, 0])), None).ok);
        assert!(!judge_failure(&expected, Some(&error("out of range", [1, 0, 0])), None).ok);
        assert!(!judge_failure(&expected, Some(&error("other", [2, 0, 0])), None).ok);
        assert!(!judge_failure(&expected, None, None).ok);
    }
}
