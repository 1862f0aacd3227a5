//! Launches under the checker.

use crate::{
    array::type_name,
    bind::{Arguments, Failure},
    errors,
    kernel::{Kernel, Report, Wishes, is_bool},
    output::PythonStdout,
    sources, stop,
};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyInt, PyTuple},
};
use std::time::Instant;
use tilewright::{
    check::{CheckError, CheckOptions},
    cli::finding_text,
    exec::{LaunchOptions, Schedule},
};

/// How to check a launch: the fields of `tilewright.Check`.
#[derive(FromPyObject, Default)]
struct Fields<'py> {
    schedules: u64,
    seed: u64,
    schedule: Option<String>,
    uninitialised: Vec<Bound<'py, PyAny>>,
    distinct: bool,
}

/// The check that a launch asks for.
pub(crate) struct Check {
    options: CheckOptions,
    /// The positions of arguments whose arrays nobody wrote.
    pub(crate) uninitialised: Vec<usize>,
    /// Whether the kernel was compiled for arrays that do not overlap.
    pub(crate) distinct: bool,
}

impl Check {
    /// What the keyword `check` of a launch with these arguments says: nothing, a bool or a `tilewright.Check`.
    pub(crate) fn asked(check: Option<&Bound<'_, PyAny>>, args: &Bound<'_, PyTuple>) -> PyResult<Option<Check>> {
        let Some(check) = check else { return Ok(None) };
        let fields = match check.extract::<bool>() {
            Ok(false) => return Ok(None),
            Ok(true) => Fields::default(),
            Err(_) if check.is_instance(&check.py().import("tilewright._check")?.getattr("Check")?)? => check.extract()?,
            Err(_) => return Err(PyTypeError::new_err(format!("check is a bool or a tilewright.Check, got {}", type_name(check)))),
        };
        let mut options = CheckOptions::new().schedules(fields.schedules, fields.seed);
        if let Some(schedule) = fields.schedule {
            let schedule: Schedule = schedule.parse().map_err(|error| PyValueError::new_err(format!("schedule: {error}")))?;
            options = options.schedule(schedule);
        }
        let uninitialised = fields.uninitialised.iter().map(|array| position(array, args)).collect::<PyResult<_>>()?;
        Ok(Some(Check { options, uninitialised, distinct: fields.distinct }))
    }

    pub(crate) fn options(&self) -> CheckOptions {
        self.options.clone()
    }
}

/// The position of an argument, which is given by itself or as the array.
fn position(array: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<usize> {
    if array.is_instance_of::<PyInt>() && !is_bool(array) {
        return match array.extract::<usize>() {
            Ok(position) if position < args.len() => Ok(position),
            _ => Err(PyValueError::new_err(format!("uninitialised: there is no argument {array}, the launch has {}", args.len()))),
        };
    }
    args.iter_borrowed().position(|arg| arg.is(array)).ok_or_else(|| {
        PyValueError::new_err(format!(
            "uninitialised: expected arrays among the arguments of the launch, or their positions, got {} that is none of them",
            type_name(array)
        ))
    })
}

/// How to check a launch under a schedule.
fn again(schedule: &str) -> String {
    format!("check=tilewright.Check(schedule={schedule:?})")
}

/// Runs an entry under the checker, while other Python threads go on; raises a `CheckError` if it finds something.
pub(crate) fn run(
    py: Python<'_>,
    kernel: &Kernel,
    arguments: &Arguments,
    grid: [u32; 3],
    (check, wishes): (&Check, Wishes),
) -> PyResult<Report> {
    let (checker, entry) = (kernel.checker(), kernel.name());
    let check_options = arguments.check_options(check).map_err(PyValueError::new_err)?;
    let output = PythonStdout::default();
    let options = LaunchOptions::new().output(output.sink()).limits(wishes.limits());
    let begin = Instant::now();
    let checked = stop::stoppable(py, |interrupt| {
        arguments.check(checker, entry, grid, check_options, check.distinct, &options.interrupt(interrupt))
    });
    let seconds = begin.elapsed().as_secs_f64();
    let report = checked.map_err(|error| match error {
        CheckError::Plan(error) => errors::plan(py, entry, &error),
        CheckError::Launch(error) => errors::launch(py, &Failure { error, about: None }, &output),
    })?;
    if report.is_clean() {
        return Ok(Report::new(report.blocks, 1, seconds));
    }
    let texts: Vec<String> = report.findings.iter().map(|finding| finding_text(finding, again, &sources::text_of)).collect();
    let helps: Vec<&str> = report.findings.iter().map(|finding| finding.rule.mend).collect();
    let json = serde_json::to_string(&report.findings).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let made = py.import("tilewright._check")?.call_method1("error", (entry, json, texts, helps))?;
    Err(PyErr::from_value(made))
}
