//! Launches under the checker.

use crate::{
    bind::{Arguments, Failure},
    errors,
    kernel::{Report, Wishes},
    output::PythonStdout,
    stop,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use std::time::Instant;
use tilewright::{
    check::{CheckError, Checker},
    cli::finding_text,
    exec::LaunchOptions,
};

/// Runs an entry under the checker, while other Python threads go on; raises a `CheckError` if it finds something.
pub(crate) fn run(
    py: Python<'_>,
    checker: &Checker,
    entry: &str,
    arguments: &Arguments,
    grid: [u32; 3],
    wishes: Wishes,
) -> PyResult<Report> {
    let output = PythonStdout::default();
    let options = LaunchOptions::new().output(output.sink()).limits(wishes.limits());
    let begin = Instant::now();
    let checked = stop::stoppable(py, |interrupt| arguments.check(checker, entry, grid, &options.interrupt(interrupt)));
    let seconds = begin.elapsed().as_secs_f64();
    let report = checked.map_err(|error| match error {
        CheckError::Plan(error) => errors::plan(py, entry, &error),
        CheckError::Launch(error) => errors::launch(py, &Failure { error, about: None }, &output),
    })?;
    if report.is_clean() {
        return Ok(Report::new(report.blocks, 1, seconds));
    }
    let texts: Vec<String> = report.findings.iter().map(finding_text).collect();
    let json = serde_json::to_string(&report.findings).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let made = py.import("tilewright._check")?.call_method1("error", (entry, json, texts))?;
    Err(PyErr::from_value(made))
}
