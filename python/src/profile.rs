//! Profiles as Python objects.

use crate::{kernel::Kernel, sources};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use tilewright::{exec, profile};

/// What each instruction, operation and line of a launch took.
#[pyclass(frozen, module = "tilewright")]
pub(crate) struct Profile(profile::Profile);

impl Profile {
    /// The profile of what a launch measured.
    pub(crate) fn new(py: Python<'_>, kernel: &Kernel, grid: [u32; 3], measured: exec::Profile) -> PyResult<Py<Profile>> {
        let (module, entry) = (kernel.program().module(), kernel.name());
        let made = py.detach(|| {
            let limits = profile::MachineLimits::measure(measured.threads);
            profile::Profile::new(module, entry, grid, measured, limits).with_texts(module, &sources::text_of)
        });
        Py::new(py, Profile(made))
    }

    fn item<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item(name)
    }
}

#[pymethods]
impl Profile {
    /// All numbers, as `tilewright run --profile --json` writes them.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = serde_json::to_string(&self.0).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        py.import("json")?.call_method1("loads", (json,))
    }

    /// The instructions that ran, each with the operations that it carries out.
    #[getter]
    fn instructions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "instructions")
    }

    /// The operations that they carried out.
    #[getter]
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "operations")
    }

    /// The lines of source that these come from.
    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "lines")
    }

    /// All together.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "total")
    }

    /// A page of HTML.
    fn to_html(&self) -> String {
        self.0.html()
    }

    /// A flame graph in SVG.
    fn to_flame_graph(&self) -> PyResult<String> {
        Ok(self.0.flame_graph()?)
    }

    /// What the threads did when, as a trace that Perfetto opens.
    fn to_trace(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.trace()).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let (name, operations) = (&self.0.entry, self.0.operations.len());
        format!("<Profile of {name}: {operations} operations, {:.0} us>", self.0.total.seconds * 1e6)
    }

    fn _repr_html_(&self) -> String {
        self.0.html_fragment()
    }
}
