//! Kernels as Python objects, and their launches.

use crate::{
    array::{ArrayView, type_name},
    bind::{Arguments, Value},
    check::{self, Check},
    errors,
    output::PythonStdout,
    profile::Profile,
    scalar, stop,
    trace::{self, Trace},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyTuple},
};
use std::{
    num::NonZeroUsize,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tilewright::{
    array::DType,
    check::Checker,
    environment,
    exec::{LaunchOptions, Limits, MAX_EXTENT, Param, Plan, Program},
    ir::{self, Scalar},
    text::{self, OpPrinter},
};

/// A kernel of a module.
#[pyclass(frozen, module = "tilewright")]
pub(crate) struct Kernel {
    program: Arc<Program>,
    name: String,
    /// Made when the kernel is first checked.
    checker: OnceLock<Checker>,
}

/// What a launch did.
#[pyclass(frozen, get_all, module = "tilewright")]
pub(crate) struct Report {
    /// Tile blocks that ran.
    blocks: u64,
    /// Worker threads.
    threads: usize,
    /// Time from the start of the first block to the end of the last.
    seconds: f64,
    /// What each operation took, if the launch was asked for it.
    profile: Option<Py<Profile>>,
}

impl Report {
    pub(crate) fn new(blocks: u64, threads: usize, seconds: f64) -> Report {
        Report { blocks, threads, seconds, profile: None }
    }
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        let (blocks, threads) = (self.blocks, self.threads);
        let microseconds = self.seconds * 1e6;
        format!("<{blocks} block{}, {threads} thread{}, {microseconds:.0} us>", plural(blocks), plural(threads as u64))
    }
}

/// An operation of a kernel: its depth, its text, and the file, line and column in the source of the kernel.
type Operation = (usize, String, Option<(String, u32, u32)>);

impl Kernel {
    pub(crate) fn new(program: Arc<Program>, name: &str) -> Kernel {
        Kernel { program, name: name.to_owned(), checker: OnceLock::new() }
    }

    pub(crate) fn plan(&self, py: Python<'_>) -> PyResult<Arc<Plan>> {
        py.detach(|| self.program.plan(&self.name)).map_err(|error| errors::plan(py, &self.name, &error))
    }

    pub(crate) fn checker(&self) -> &Checker {
        self.checker.get_or_init(|| Checker::new(self.program.module().clone()))
    }

    /// The program that it is a kernel of.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    fn function(&self) -> Option<&ir::Function> {
        self.program.module().function(&self.name)
    }
}

#[pymethods]
impl Kernel {
    /// Its name.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The types of its parameters, as Tile IR writes them.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        let module = self.program.module();
        let params = self.function().map_or(&[][..], |function| function.params(&module.tables));
        params.iter().map(|ty| text::print_type(module, *ty)).collect()
    }

    /// Runs the kernel over a grid of blocks; arrays are changed in place.
    #[pyo3(signature = (grid, *args, threads = None, timeout = None, max_memory = None, max_output = None, check = None, profile = false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn launch(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        threads: Option<usize>,
        timeout: Option<f64>,
        max_memory: Option<u64>,
        max_output: Option<u64>,
        check: Option<&Bound<'_, PyAny>>,
        profile: bool,
    ) -> PyResult<Report> {
        let wishes = Wishes::new(threads, timeout, max_memory, max_output)?.profile(profile);
        let plan = self.plan(py)?;
        let arguments = flat_arguments(&plan, args)?;
        if let Some(check) = Check::asked(check, args)? {
            return check::run(py, self, &arguments, extents(grid)?, (&check, wishes.without_profile()?));
        }
        run(py, (self, &plan), &arguments, extents(grid)?, wishes)
    }

    /// Runs the kernel, and gives what it accesses.
    #[pyo3(signature = (grid, *args))]
    fn trace(&self, py: Python<'_>, grid: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<Trace> {
        let plan = self.plan(py)?;
        trace::record(py, &plan, flat_arguments(&plan, args)?, extents(grid)?)
    }

    /// Which block of a launch touches which elements of an array. The launch happens.
    #[pyo3(signature = (grid, *args, array = None))]
    fn access_map(
        slf: &Bound<'_, Self>,
        grid: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        array: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let trace = slf.get().trace(py, grid, args)?;
        let make = py.import("tilewright._access_map")?.getattr("access_map")?;
        Ok(make.call1((trace, grid, args, array))?.unbind())
    }

    /// The operations of the kernel, each with the line of source that it comes from.
    fn explain(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("tilewright._explain")?.call_method1("explain", (slf,))?.unbind())
    }

    fn __repr__(&self) -> String {
        format!("<Kernel {}({})>", self.name, self.parameters().join(", "))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("tilewright._html")?.call_method1("kernel", (slf,))?.unbind())
    }

    /// The text of the kernel.
    fn text(&self) -> String {
        self.function().map_or_else(String::new, |function| text::print_function(self.program.module(), function))
    }

    /// Its operations in order: depth, text, and the file, line and column in the source of the kernel.
    fn operations(&self) -> Vec<Operation> {
        let module = self.program.module();
        let Some(function) = self.function() else { return Vec::new() };
        let printer = OpPrinter::new(module, function);
        let mut operations = Vec::new();
        function.body.walk(|op| {
            let source = module.tables.locations.source(op.loc());
            let source = source.map(|(file, line, column)| (module.tables.strings.text(file).into_owned(), line, column));
            let depth = std::iter::successors(op.parent(), |outer| outer.parent()).count();
            operations.push((depth, printer.op(op.id()), source));
        });
        operations
    }
}

/// How to run a launch, from Python.
#[derive(Clone, Copy)]
pub(crate) struct Wishes {
    threads: Option<usize>,
    limits: Limits,
    /// Whether each instruction is measured.
    profile: bool,
}

impl Wishes {
    /// What the launch may take.
    pub(crate) fn limits(self) -> Limits {
        self.limits
    }

    /// Takes the keywords of a launch: a number of threads, of seconds, and of bytes of memory and of output.
    pub(crate) fn new(threads: Option<usize>, timeout: Option<f64>, max_memory: Option<u64>, max_output: Option<u64>) -> PyResult<Wishes> {
        let threads = match threads {
            Some(0) => return Err(PyValueError::new_err("the number of threads must be at least 1, got 0")),
            Some(threads) => Some(threads),
            None => environment::threads().map_err(|error| PyValueError::new_err(error.to_string()))?.map(NonZeroUsize::get),
        };
        let mut limits = Limits::new();
        match timeout {
            Some(seconds) if seconds.is_nan() || seconds < 0.0 => {
                return Err(PyValueError::new_err(format!(
                    "timeout must be a number of seconds that is not negative, or None, got {}",
                    seconds.to_string().to_lowercase()
                )));
            }
            // What is longer than a duration can be never ends.
            Some(seconds) => limits = Duration::try_from_secs_f64(seconds).map_or(limits, |time| limits.time(time)),
            None => {}
        }
        limits = max_memory.map_or(limits, |bytes| limits.memory(bytes));
        limits = max_output.map_or(limits, |bytes| limits.output(bytes));
        Ok(Wishes { threads, limits, profile: false })
    }

    /// Measures each instruction, or not.
    pub(crate) fn profile(self, profile: bool) -> Wishes {
        Wishes { profile, ..self }
    }

    /// Refuses to measure a launch that runs under the checker, operation by operation.
    pub(crate) fn without_profile(self) -> PyResult<Wishes> {
        if self.profile { Err(PyValueError::new_err("a launch runs under the checker or is profiled, not both")) } else { Ok(self) }
    }
}

/// Runs a plan while other Python threads go on.
pub(crate) fn run(
    py: Python<'_>,
    (kernel, plan): (&Kernel, &Plan),
    arguments: &Arguments,
    grid: [u32; 3],
    wishes: Wishes,
) -> PyResult<Report> {
    let output = PythonStdout::default();
    let mut options = LaunchOptions::new().output(output.sink()).limits(wishes.limits);
    if let Some(threads) = wishes.threads {
        options = options.threads(threads);
    }
    let mut measured = None;
    let wanted = wishes.profile.then_some(&mut measured);
    let launched = stop::stoppable(py, |interrupt| arguments.launch(plan, grid, &options.interrupt(interrupt), wanted));
    let (report, _) = launched.map_err(|failure| errors::launch(py, &failure, &output))?;
    let profile = measured.map(|measured| Profile::new(py, kernel, grid, measured)).transpose()?;
    Ok(Report { blocks: report.blocks, threads: report.threads, seconds: report.time.as_secs_f64(), profile })
}

/// The extents of a grid, as `ct.launch` takes them: up to three numbers, the others are 1. One number stands for itself.
pub(crate) fn extents(grid: &Bound<'_, PyAny>) -> PyResult<[u32; 3]> {
    let given: Vec<i64> = match grid.extract::<i64>() {
        Ok(extent) => vec![extent],
        Err(_) => grid.extract().map_err(|_| PyTypeError::new_err("Grid must be a tuple of up to three integers"))?,
    };
    if given.len() > 3 {
        return Err(PyValueError::new_err(format!("Grid dimensions must be at most 3, got length {}", given.len())));
    }
    let mut extents = [1; 3];
    for (at, (extent, &value)) in extents.iter_mut().zip(&given).enumerate() {
        if value > MAX_EXTENT.into() {
            let limit = format!("Grid[{at}] exceeds 24-bit limit: max={MAX_EXTENT}, got={value}.");
            return Err(PyValueError::new_err(limit + " Use multiple kernel launches for larger workloads."));
        }
        *extent = u32::try_from(value).map_err(|_| PyValueError::new_err(format!("Grid[{at}] is negative: {value}")))?;
    }
    Ok(extents)
}

/// One argument for each parameter of the kernel.
fn flat_arguments(plan: &Plan, args: &Bound<'_, PyTuple>) -> PyResult<Arguments> {
    let params = plan.params();
    if args.len() != params.len() {
        return Err(PyTypeError::new_err(format!("kernel {} has {} parameters, got {} arguments", plan.entry(), params.len(), args.len())));
    }
    let mut arguments = Arguments::default();
    for (index, (param, object)) in params.iter().zip(args).enumerate() {
        let value = match param {
            Param::Scalar(scalar) => Value::Scalar(*scalar, scalar::bits(*scalar, &object).map_err(|error| at(object.py(), index, error))?),
            Param::Pointer(element) => {
                let array = pointer_argument(*element, &object).map_err(|error| at(object.py(), index, error))?;
                Value::Pointer(arguments.array(array, index))
            }
        };
        arguments.values.push(value);
    }
    Ok(arguments)
}

fn pointer_argument(element: Scalar, object: &Bound<'_, PyAny>) -> PyResult<ArrayView> {
    let array = ArrayView::of(object)?;
    let array = array.ok_or_else(|| PyTypeError::new_err(format!("expected an array of {element}, got {}", type_name(object))))?;
    if !holds(element, array.dtype) {
        return Err(PyTypeError::new_err(format!("expected an array of {element}, got one of {}", array.dtype)));
    }
    Ok(array)
}

/// Whether a kernel that sees `element` may be given an array of `dtype`: the same type, or one of the same bits.
///
/// Booleans are bytes; formats that NumPy lacks are also taken as unsigned integers that hold their bits; tf32 lies in memory as f32.
fn holds(element: Scalar, dtype: DType) -> bool {
    let raw = dtype != DType::new(dtype.scalar());
    let numpy_lacks = matches!(element, Scalar::Bf16 | Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F8E8M0FNU | Scalar::Fnv8E5M3FNU);
    dtype.scalar() == element
        || (element == Scalar::I8 && dtype.scalar() == Scalar::I1)
        || (element == Scalar::Tf32 && dtype.scalar() == Scalar::F32)
        || (numpy_lacks && raw && dtype.storage_bits() == DType::new(element).storage_bits())
}

/// The error with the number of the argument in front.
pub(crate) fn at(py: Python<'_>, index: usize, error: PyErr) -> PyErr {
    PyErr::from_type(error.get_type(py), format!("argument {index}: {}", error.value(py)))
}

/// A Python bool is an int too; kernels tell them apart.
pub(crate) fn is_bool(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBool>()
}
