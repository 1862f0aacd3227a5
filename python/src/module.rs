//! Modules as Python objects.

use crate::{errors, kernel::Kernel};
use pyo3::{
    exceptions::{PyKeyError, PyValueError},
    prelude::*,
    types::PyBytes,
};
use std::sync::Arc;
use tilewright::{
    bytecode::{self, FileLayout, WriteOptions},
    exec::Program,
    ir::{self, Diagnostic, Version},
    stats::Stats,
    text::{self, ParseOptions, PrintOptions},
};

/// A Tile IR module.
///
/// Made by `tilewright.load`. `module["name"]` is one of its kernels.
#[pyclass(frozen, mapping, module = "tilewright")]
pub(crate) struct Module {
    content: Content,
    layout: Option<FileLayout>,
}

/// A module that can be run, or one that can only be looked at.
enum Content {
    Valid(Arc<Program>),
    Invalid(Box<ir::Module>, Vec<Diagnostic>),
}

impl Module {
    fn ir(&self) -> &ir::Module {
        match &self.content {
            Content::Valid(program) => program.module(),
            Content::Invalid(module, _) => module,
        }
    }

    fn program(&self, py: Python<'_>) -> PyResult<&Arc<Program>> {
        match &self.content {
            Content::Valid(program) => Ok(program),
            Content::Invalid(..) => Err(errors::invalid(py, &self.findings())),
        }
    }

    fn findings(&self) -> Vec<String> {
        match &self.content {
            Content::Valid(_) => Vec::new(),
            Content::Invalid(_, findings) => findings.iter().map(ToString::to_string).collect(),
        }
    }

    fn kernel_names(&self) -> Vec<String> {
        let module = self.ir();
        let entries = module.functions.iter().filter(|function| function.is_entry);
        entries.map(|function| module.tables.strings.text(function.name).into_owned()).collect()
    }

    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        Ok(Kernel::new(Arc::clone(self.program(py)?), name))
    }
}

fn verified(module: ir::Module) -> Content {
    // The verifier consumes a module and gives back only a good one.
    match ir::verify(module.clone()) {
        Ok(module) => Content::Valid(Arc::new(Program::new(module))),
        Err(findings) => Content::Invalid(Box::new(module), findings),
    }
}

fn version(text: &str) -> PyResult<Version> {
    text.parse::<Version>().map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymethods]
impl Module {
    /// Reads bytecode.
    #[staticmethod]
    fn from_bytecode(py: Python<'_>, data: &[u8]) -> PyResult<Module> {
        let read = py.detach(|| bytecode::read_with_layout(data).map(|(module, layout)| (verified(module), layout)));
        let (content, layout) = read.map_err(|error| errors::plain(py, "LoadError", error.to_string()))?;
        Ok(Module { content, layout: Some(layout) })
    }

    /// Parses text, for a version or the latest.
    #[staticmethod]
    #[pyo3(signature = (source, name = "<text>", target = None))]
    fn from_text(py: Python<'_>, source: &str, name: &str, target: Option<&str>) -> PyResult<Module> {
        let target = target.map_or(Ok(Version::LATEST), version)?;
        let parsed = py.detach(|| text::parse(source, &ParseOptions::new().version(target)).map(verified));
        let content = parsed.map_err(|findings| {
            let rendered: Vec<String> = findings.iter().map(|finding| finding.render(source, name)).collect();
            errors::plain(py, "LoadError", rendered.join("\n"))
        })?;
        Ok(Module { content, layout: None })
    }

    /// The version of the format, such as "13.4".
    #[getter]
    fn version(&self) -> String {
        self.ir().version.to_string()
    }

    /// The text of the module, as NVIDIA's disassembler prints it.
    #[pyo3(signature = (*, generic = false, debug_info = false))]
    fn text(&self, py: Python<'_>, generic: bool, debug_info: bool) -> String {
        py.detach(|| text::print(self.ir(), &PrintOptions::new().generic(generic).debug_info(debug_info)))
    }

    /// The bytecode of the module, for a version or its own.
    #[pyo3(signature = (target = None))]
    fn write<'py>(&self, py: Python<'py>, target: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
        let module = self.program(py)?.module();
        let target = target.map_or(Ok(module.version), version)?;
        let mut options = WriteOptions::new(target);
        if let Some(layout) = &self.layout {
            options = options.layout(layout);
        }
        let written = py.detach(|| bytecode::write(module, &options));
        let bytes = written.map_err(|error| errors::plain(py, "WriteError", error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What breaks the rules of Tile IR; empty for a valid module.
    fn verify(&self) -> Vec<String> {
        self.findings()
    }

    /// Counts of operations, types and bytes, and the work of each kernel, as `tilewright stats --json` gives them.
    #[getter]
    fn stats(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let json = py.detach(|| serde_json::to_string(&Stats::of_module(self.ir())));
        let json = json.map_err(|error| errors::plain(py, "TilewrightError", error.to_string()))?;
        Ok(py.import("json")?.call_method1("loads", (json,))?.unbind())
    }

    /// The names of the kernels, in the order of the module.
    fn keys(&self) -> Vec<String> {
        self.kernel_names()
    }

    /// The kernels, in the order of the module.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Kernel>> {
        self.kernels(py)
    }

    /// The names of the kernels, each with its kernel.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Kernel)>> {
        Ok(self.kernel_names().into_iter().zip(self.kernels(py)?).collect())
    }

    /// The kernel of this name, or else `default`.
    #[pyo3(signature = (name, default = None))]
    fn get(&self, py: Python<'_>, name: &str, default: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        match self.__contains__(name) {
            true => Ok(Some(Py::new(py, self.kernel(py, name)?)?.into_any())),
            false => Ok(default),
        }
    }

    /// The kernels, in the order of the module.
    #[getter]
    fn kernels(&self, py: Python<'_>) -> PyResult<Vec<Kernel>> {
        self.kernel_names().iter().map(|name| self.kernel(py, name)).collect()
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        let names = self.kernel_names();
        if !names.iter().any(|kernel| kernel == name) {
            return Err(PyKeyError::new_err(format!("no kernel '{name}': the module has {}", names.join(", "))));
        }
        self.kernel(py, name)
    }

    fn __contains__(&self, name: &str) -> bool {
        self.kernel_names().iter().any(|kernel| kernel == name)
    }

    fn __len__(&self) -> usize {
        self.kernel_names().len()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let names = self.kernel_names().into_pyobject(py)?;
        Ok(names.try_iter()?.into_any().unbind())
    }

    fn __repr__(&self) -> String {
        let state = match &self.content {
            Content::Valid(_) => String::new(),
            Content::Invalid(_, findings) => format!(", {} findings", findings.len()),
        };
        format!("<Module {}, kernels: {}{state}>", self.version(), self.kernel_names().join(", "))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("tilewright._html")?.call_method1("module", (slf,))?.unbind())
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.text(py, false, false)
    }
}
