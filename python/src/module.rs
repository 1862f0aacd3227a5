//! Modules as Python objects.

use crate::{errors, kernel::Kernel};
use pyo3::{
    exceptions::{PyKeyError, PyRuntimeError, PyValueError},
    prelude::*,
    types::PyBytes,
};
use std::sync::{Arc, OnceLock};
use tilewright::{
    bytecode::{self, FileLayout, WriteOptions},
    environment,
    exec::Program,
    ir::{self, Version, printable},
    passes::{Pipeline, RunOptions},
    source::Source,
    stats::Stats,
    text::{self, PrintOptions},
};

/// A Tile IR module.
///
/// Made by `tilewright.load`. `module["name"]` is one of its kernels.
#[pyclass(frozen, mapping, module = "tilewright")]
pub(crate) struct Module {
    content: Content,
    layout: Option<FileLayout>,
    text: Option<Text>,
}

/// What a module in text comes from.
struct Text {
    name: String,
    bytes: Vec<u8>,
    /// The module in which each operation has its place in the text as its source location, so that errors of launches name it. The
    /// module that is printed and written has only the locations that the text gives it.
    located: OnceLock<Arc<Program>>,
}

/// A module that can be run, or one that can only be looked at.
enum Content {
    Valid(Arc<Program>),
    Invalid { module: Box<ir::Module>, findings: Vec<String>, total: usize },
}

impl Module {
    fn ir(&self) -> &ir::Module {
        match &self.content {
            Content::Valid(program) => program.module(),
            Content::Invalid { module, .. } => module,
        }
    }

    fn program(&self, py: Python<'_>) -> PyResult<&Arc<Program>> {
        match &self.content {
            Content::Valid(program) => Ok(program),
            Content::Invalid { .. } => Err(errors::invalid(py, &self.findings())),
        }
    }

    fn findings(&self) -> Vec<String> {
        match &self.content {
            Content::Valid(_) => Vec::new(),
            Content::Invalid { findings, .. } => findings.clone(),
        }
    }

    fn kernel_names(&self) -> Vec<String> {
        let module = self.ir();
        let entries = module.functions.iter().filter(|function| function.is_entry);
        entries.map(|function| module.tables.strings.text(function.name).into_owned()).collect()
    }

    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        let program = self.program(py)?;
        let program = py.detach(|| self.text.as_ref().map_or(program, |text| text.program(program)));
        Ok(Kernel::new(Arc::clone(program), name))
    }

    /// Reads a file that has been loaded into memory.
    fn read(name: String, bytes: Vec<u8>, version: Option<Version>) -> Result<Module, String> {
        let machine = environment::machine().map_err(|error| error.to_string())?;
        let source = Source::new(&name, &bytes);
        let (module, layout) = source.module_with_layout(version).map_err(|error| format!("{}: {error}", printable(&name)))?;
        let content = match ir::try_verify(module) {
            Ok(module) => Content::Valid(Arc::new(Program::new(module).for_machine(machine))),
            Err(rejected) => {
                let (module, total) = (Box::new(rejected.module.clone()), rejected.total);
                let findings = source.describe(*rejected).iter().map(|finding| finding.trim_start().to_owned()).collect();
                Content::Invalid { module, findings, total }
            }
        };
        let is_text = source.is_text();
        let text = is_text.then(|| Text { name, bytes, located: OnceLock::new() });
        Ok(Module { content, layout, text })
    }
}

impl Text {
    fn program<'a>(&'a self, plain: &'a Arc<Program>) -> &'a Arc<Program> {
        self.located.get_or_init(|| {
            let module = Source::new(&self.name, &self.bytes).located_module(Some(plain.module().version));
            let verified = module.ok().and_then(|module| ir::verify(module).ok());
            // What could be read and verified without places can be with them; if not, places are all that is lost.
            verified.map_or_else(|| Arc::clone(plain), |module| Arc::new(Program::new(module).for_machine(plain.machine())))
        })
    }
}

fn version(text: &str) -> PyResult<Version> {
    text.parse::<Version>().map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymethods]
impl Module {
    /// Reads the bytes of a file, bytecode or text; text by the rules of a version or of the latest.
    #[staticmethod]
    #[pyo3(signature = (data, name = "<bytes>", target = None))]
    fn from_bytes(py: Python<'_>, data: &[u8], name: &str, target: Option<&str>) -> PyResult<Module> {
        let target = target.map(version).transpose()?;
        let (name, bytes) = (name.to_owned(), data.to_owned());
        py.detach(|| Module::read(name, bytes, target)).map_err(|message| errors::plain(py, "LoadError", message))
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

    /// The same module, of which every operation is carried out as it stands. Otherwise kernels are improved by passes before they run,
    /// which may remove what no result needs.
    fn without_passes(&self, py: Python<'_>) -> PyResult<Module> {
        let plain = self.program(py)?;
        let module = py.detach(|| self.text.as_ref().map_or(plain, |text| text.program(plain)).module().clone());
        let program = Program::without_passes(module).for_machine(plain.machine());
        Ok(Module { content: Content::Valid(Arc::new(program)), layout: self.layout.clone(), text: None })
    }

    /// The same module, for whose kernels no machine code is made in process: a portable executor runs what would be machine code, slowly, with
    /// the same results. `TILEWRIGHT_JIT=0` in the environment makes all modules so.
    fn without_native_code(&self, py: Python<'_>) -> PyResult<Module> {
        let plain = self.program(py)?;
        let machine = plain.machine().without_native_code();
        let program = py.detach(|| self.text.as_ref().map_or(plain, |text| text.program(plain)).copy_for(machine));
        Ok(Module { content: Content::Valid(Arc::new(program)), layout: self.layout.clone(), text: None })
    }

    /// What breaks the rules of Tile IR; empty for a valid module.
    fn verify(&self) -> Vec<String> {
        self.findings()
    }

    /// The module that passes make of this one: those of a pipeline, as `tilewright opt -p` takes it, or the usual ones.
    #[pyo3(signature = (passes = None))]
    fn optimize(&self, py: Python<'_>, passes: Option<&str>) -> PyResult<Module> {
        let program = self.program(py)?;
        let (module, machine) = (program.module(), program.machine());
        let pipeline = Pipeline::parse(passes.unwrap_or(Pipeline::DEFAULT)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let better = py.detach(|| pipeline.run(module.clone(), RunOptions::new()));
        let (better, _) = better.map_err(|broken| PyRuntimeError::new_err(broken.to_string()))?;
        Ok(Module { content: Content::Valid(Arc::new(Program::new(better).for_machine(machine))), layout: None, text: None })
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
            Content::Invalid { total: 1, .. } => ", 1 finding".to_owned(),
            Content::Invalid { total, .. } => format!(", {total} findings"),
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
