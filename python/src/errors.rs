//! What goes wrong, as the exceptions of `tilewright._errors`.

use crate::{bind::Failure, output::PythonStdout};
use pyo3::{
    exceptions::{PyException, PyTimeoutError},
    prelude::*,
    types::PyDict,
};
use tilewright::exec::{LaunchErrorKind, LimitNames, PlanError, Site};

const MODULE: &str = "tilewright._errors";

/// The arguments of a launch that limit it.
const LIMIT_NAMES: LimitNames = LimitNames { time: "timeout=", memory: "max_memory=", output: "max_output=" };

/// An exception of `tilewright._errors`, made by its function or class `name` from a message and keywords.
fn exception(py: Python<'_>, name: &str, message: String, keywords: &Bound<'_, PyDict>) -> PyErr {
    let made = py.import(MODULE).and_then(|module| module.getattr(name)).and_then(|make| make.call((message,), Some(keywords)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An exception that has only a message.
pub(crate) fn plain(py: Python<'_>, name: &str, message: String) -> PyErr {
    exception(py, name, message, &PyDict::new(py))
}

/// A module that breaks rules.
pub(crate) fn invalid(py: Python<'_>, findings: &[String]) -> PyErr {
    let message = format!("the module is not valid:\n{}", findings.join("\n"));
    let keywords = PyDict::new(py);
    match keywords.set_item("findings", findings) {
        Ok(()) => exception(py, "VerifyError", message, &keywords),
        Err(error) => error,
    }
}

/// A kernel that cannot be planned.
pub(crate) fn plan(py: Python<'_>, kernel: &str, error: &PlanError) -> PyErr {
    let site = match error {
        PlanError::TooDeep { site, .. } | PlanError::Malformed { site, .. } => Some(site),
        PlanError::UnknownEntry { .. } | PlanError::TooLarge { .. } | PlanError::NoGroups { .. } => None,
    };
    located(py, "PlanError", format!("kernel {kernel}: {error}"), kernel, None, site)
}

/// A launch that failed, ran out of time, or was stopped by a signal.
pub(crate) fn launch(py: Python<'_>, failure: &Failure, output: &PythonStdout) -> PyErr {
    let error = &failure.error;
    let message = error.naming(&LIMIT_NAMES);
    if let LaunchErrorKind::TimedOut(_) = error.kind {
        return PyTimeoutError::new_err(message.to_string());
    }
    let raised = match error.kind {
        LaunchErrorKind::Stopped => py.check_signals().err(),
        LaunchErrorKind::Output(_) => output.failure(),
        _ => None,
    };
    match raised {
        // A KeyboardInterrupt, or the end of the program: nothing went wrong.
        Some(raised) if !raised.is_instance_of::<PyException>(py) => raised,
        raised => {
            let about = failure.about.as_ref().map(|about| format!("\n  {about}")).unwrap_or_default();
            let failed = located(py, "LaunchError", format!("{message}{about}"), &error.entry, error.block, error.site.as_deref());
            failed.set_cause(py, raised);
            failed
        }
    }
}

/// A launch on a GPU that failed, or could not begin.
pub(crate) fn on_gpu(py: Python<'_>, kernel: &str, what: &str) -> PyErr {
    located(py, "LaunchError", format!("kernel {kernel}: {what}"), kernel, None, None)
}

fn located(py: Python<'_>, name: &str, message: String, kernel: &str, block: Option<[u32; 3]>, site: Option<&Site>) -> PyErr {
    let keywords = PyDict::new(py);
    let filled = || {
        keywords.set_item("kernel", kernel)?;
        keywords.set_item("block", block.map(|[x, y, z]| (x, y, z)))?;
        keywords.set_item("operation", site.map(|site| site.mnemonic))?;
        keywords.set_item("location", site.and_then(|site| site.location.as_deref()))
    };
    match filled() {
        Ok(()) => exception(py, name, message, &keywords),
        Err(error) => error,
    }
}
