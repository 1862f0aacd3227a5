//! From the arguments of a call to a compiled kernel: the fast way of `tilewright.cutile.launch`.
//!
//! cuTile Python compiles a kernel for a target, and for the types, the layouts and the constants of its arguments. What may make a difference goes into a
//! key; a key that was seen before names its compiled kernel, and a new one goes to cuTile's own compiler. The key is finer
//! than cuTile's own rules: it holds whole shapes and strides, and the alignment of addresses.

use crate::{
    array::{ArrayView, Place},
    bind::{Arguments, Value},
    check::{self, Check},
    driver,
    gpu::{self, OnGpus},
    kernel::{self, Kernel, Report, Wishes, is_bool},
    scalar,
    trace::{self, Trace},
};
use pyo3::{
    exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyFloat, PyInt, PyList, PyTuple},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright::{
    exec::{Param, Plan},
    ir::Scalar,
};

/// Compiled kernels that a dispatcher keeps by key. Beyond, it forgets all and asks the compiler, which has a cache of its own.
const MAX_KEYS: usize = 1024;
/// How deep tuples may be nested.
const MAX_DEPTH: usize = 16;
/// The alignment of addresses that a compiled kernel may rely on.
const ALIGNMENT: usize = 16;

/// Launches one `ct.kernel`.
///
/// `constants` says for each parameter whether it is annotated as a constant. `compile` takes the arguments of a launch and gives the
/// compiled kernel, with a list that says for each leaf of the arguments whether it is a constant of it.
#[pyclass(frozen, module = "tilewright._native")]
pub(crate) struct Dispatcher {
    constants: Vec<bool>,
    compile: Py<PyAny>,
    compiled: Mutex<HashMap<Vec<u8>, Arc<Compiled>>>,
}

/// A kernel, compiled for one key.
struct Compiled {
    plan: Arc<Plan>,
    /// What the plan is of.
    kernel: Py<Kernel>,
    on_gpus: OnGpus,
    /// For each leaf, whether it is a constant of the kernel and so no argument.
    constants: Vec<bool>,
    /// Objects whose identity is part of the key, kept so that no other object has it.
    #[expect(dead_code, reason = "held, not read")]
    objects: Vec<Py<PyAny>>,
}

/// An argument, or an item of a tuple of arguments.
enum Leaf<'py> {
    Array(ArrayView),
    List(Vec<ArrayView>),
    /// A number, or what only a compiler knows.
    Object(Bound<'py, PyAny>),
}

#[pymethods]
impl Dispatcher {
    #[new]
    fn new(constants: Vec<bool>, compile: Py<PyAny>) -> Dispatcher {
        Dispatcher { constants, compile, compiled: Mutex::default() }
    }

    /// Launches the kernel over a grid.
    #[pyo3(signature = (grid, args, threads = None, timeout = None, max_memory = None, max_output = None, check = None, profile = false))]
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
        let grid = kernel::extents(grid)?;
        let wishes = Wishes::new(threads, timeout, max_memory, max_output)?.profile(profile);
        let (compiled, arguments) = self.bind(args, Place::Host)?;
        if let Some(check) = Check::asked(check, args)? {
            return check::run(py, compiled.kernel.get(), &arguments, grid, (&check, wishes.without_profile()?));
        }
        kernel::run(py, (compiled.kernel.get(), &compiled.plan), &arguments, grid, wishes)
    }

    /// Begins a launch of the kernel on a GPU, on arrays there and on a stream, which is given by its handle. If it is timed, waits for it, and gives the
    /// seconds that the kernel took.
    #[pyo3(signature = (grid, args, stream, timed = false))]
    fn launch_on_gpu(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        stream: usize,
        timed: bool,
    ) -> PyResult<Option<f64>> {
        let grid = kernel::extents(grid)?;
        let (compiled, arguments) = self.bind(args, Place::Gpu)?;
        gpu::launch(py, (compiled.kernel.get(), &compiled.on_gpus), &arguments, grid, (stream, timed))
    }

    /// Runs the kernel, and gives what it accesses.
    fn trace(&self, py: Python<'_>, grid: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<Trace> {
        let (compiled, arguments) = self.bind(args, Place::Host)?;
        trace::record(py, &compiled.plan, arguments, kernel::extents(grid)?)
    }

    /// What compiles the kernel.
    #[getter]
    fn compiler(&self, py: Python<'_>) -> Py<PyAny> {
        self.compile.clone_ref(py)
    }

    /// The number of keys with a compiled kernel.
    fn __len__(&self) -> usize {
        self.lock().len()
    }
}

impl Dispatcher {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<u8>, Arc<Compiled>>> {
        // A panic leaves the map as it was.
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bind(&self, args: &Bound<'_, PyTuple>, place: Place) -> PyResult<(Arc<Compiled>, Arguments)> {
        let mut walk = Walk::new(place);
        let (major, minor) = driver::compute_capability();
        walk.number(major.into());
        walk.number(minor.into());
        for (index, arg) in args.iter_borrowed().enumerate() {
            walk.position = index;
            walk.argument(&arg, self.constants.get(index).copied().unwrap_or(false), 0)?;
        }
        let found = self.lock().get(&walk.key).cloned();
        let compiled = match found {
            Some(compiled) => compiled,
            None => self.compile(args, &mut walk)?,
        };
        let arguments = bind_leaves(&compiled, walk.leaves)?;
        Ok((compiled, arguments))
    }

    fn compile(&self, args: &Bound<'_, PyTuple>, walk: &mut Walk<'_>) -> PyResult<Arc<Compiled>> {
        let py = args.py();
        let (kernel, constants): (Py<Kernel>, Vec<bool>) = self.compile.call1(py, (args,))?.extract(py)?;
        if constants.len() != walk.leaves.len() {
            return Err(PyRuntimeError::new_err(format!("the compiler saw {} arguments, not {}", constants.len(), walk.leaves.len())));
        }
        let compiled = Arc::new(Compiled {
            plan: kernel.get().plan(py)?,
            kernel,
            on_gpus: OnGpus::default(),
            constants,
            objects: std::mem::take(&mut walk.objects),
        });
        let mut all = self.lock();
        if all.len() >= MAX_KEYS {
            all.clear();
        }
        all.insert(std::mem::take(&mut walk.key), Arc::clone(&compiled));
        Ok(compiled)
    }
}

/// A walk over the arguments of a call, which makes the key.
struct Walk<'py> {
    /// Where arrays must be.
    place: Place,
    key: Vec<u8>,
    /// Each with the position of the argument that it is or belongs to.
    leaves: Vec<(usize, Leaf<'py>)>,
    objects: Vec<Py<PyAny>>,
    /// Of the argument that the walk is in.
    position: usize,
}

impl<'py> Walk<'py> {
    fn new(place: Place) -> Walk<'py> {
        Walk { place, key: Vec::new(), leaves: Vec::new(), objects: Vec::new(), position: 0 }
    }

    fn argument(&mut self, arg: &Bound<'py, PyAny>, constant: bool, depth: usize) -> PyResult<()> {
        if depth > MAX_DEPTH {
            return Err(PyTypeError::new_err(format!("arguments are nested more than {MAX_DEPTH} levels deep")));
        }
        if arg.is_instance_of::<PyInt>() {
            return self.integer(arg, constant);
        }
        if let Ok(value) = arg.cast::<PyFloat>() {
            self.tag(b'f');
            if constant {
                self.key.extend(value.value().to_bits().to_le_bytes());
            }
            self.leaf(Leaf::Object(arg.clone()));
            return Ok(());
        }
        if let Ok(tuple) = arg.cast_exact::<PyTuple>() {
            self.tag(b'(');
            self.number(tuple.len() as i64);
            return tuple.iter_borrowed().try_for_each(|item| self.argument(&item, constant, depth + 1));
        }
        if let Ok(list) = arg.cast_exact::<PyList>() {
            return self.list(list);
        }
        match ArrayView::at(self.place, arg)? {
            Some(array) => {
                self.array(&array)?;
                self.leaf(Leaf::Array(array));
            }
            None => self.object(arg),
        }
        Ok(())
    }

    /// A bool is an int of its own kind.
    fn integer(&mut self, arg: &Bound<'py, PyAny>, constant: bool) -> PyResult<()> {
        self.tag(if is_bool(arg) { b'b' } else { b'i' });
        if constant {
            match arg.extract::<i64>() {
                Ok(value) => self.number(value),
                Err(_) => {
                    let text = arg.str()?.to_string();
                    self.number(text.len() as i64);
                    self.key.extend(text.as_bytes());
                }
            }
        }
        self.leaf(Leaf::Object(arg.clone()));
        Ok(())
    }

    fn list(&mut self, list: &Bound<'py, PyList>) -> PyResult<()> {
        self.tag(b'[');
        self.number(list.len() as i64);
        let mut arrays = Vec::with_capacity(list.len());
        for item in list.iter() {
            let Some(array) = ArrayView::at(self.place, &item)? else {
                // The compiler says what is wrong with the list.
                self.object(list.as_any());
                return Ok(());
            };
            self.array(&array)?;
            arrays.push(array);
        }
        self.leaf(Leaf::List(arrays));
        Ok(())
    }

    fn array(&mut self, array: &ArrayView) -> PyResult<()> {
        if array.strides.iter().zip(&array.shape).any(|(&stride, &extent)| stride < 0 && extent > 1) {
            return Err(PyValueError::new_err("cuTile kernels take no arrays with negative strides: copy the array first"));
        }
        self.tag(b'a');
        // Types of elements are distinguished by name.
        let name = array.dtype.to_string();
        self.number(name.len() as i64);
        self.key.extend(name.as_bytes());
        self.key.push((array.address % ALIGNMENT) as u8);
        self.number(array.shape.len() as i64);
        array.shape.iter().chain(&array.strides).for_each(|&n| self.number(n));
        Ok(())
    }

    /// An object that is the same only if it is the very same.
    fn object(&mut self, object: &Bound<'py, PyAny>) {
        self.tag(b'o');
        self.number(object.as_ptr().addr() as i64);
        self.objects.push(object.clone().unbind());
        self.leaf(Leaf::Object(object.clone()));
    }

    fn leaf(&mut self, leaf: Leaf<'py>) {
        self.leaves.push((self.position, leaf));
    }

    fn tag(&mut self, tag: u8) {
        self.key.push(tag);
    }

    fn number(&mut self, number: i64) {
        self.key.extend(number.to_le_bytes());
    }
}

/// The arguments of the compiled kernel, by cuTile's calling convention: an array is its address, its extents and its strides; a list is
/// the address of a table with a row like that for each array, and its length; a constant is nothing.
fn bind_leaves(compiled: &Compiled, leaves: Vec<(usize, Leaf<'_>)>) -> PyResult<Arguments> {
    let mut arguments = Arguments::default();
    let mut params = compiled.plan.params().iter();
    for ((argument, leaf), constant) in leaves.into_iter().zip(&compiled.constants) {
        if *constant {
            continue;
        }
        match leaf {
            Leaf::Array(array) => {
                let pointer = take_pointer(&mut params)?;
                let (shape, strides) = (array.shape.clone(), array.strides.clone());
                debug_assert_eq!(pointer, array.dtype.scalar());
                let position = arguments.array(array, argument);
                arguments.values.push(Value::Pointer(position));
                for number in shape.into_iter().chain(strides) {
                    let scalar = take_scalar(&mut params)?;
                    arguments.values.push(Value::Scalar(scalar, index_bits(scalar, number)?));
                }
            }
            Leaf::List(arrays) => {
                take_pointer(&mut params)?;
                let length = arrays.len() as i64;
                let rows = list_rows(&mut arguments, arrays, argument);
                arguments.values.push(Value::Table(rows));
                let scalar = take_scalar(&mut params)?;
                arguments.values.push(Value::Scalar(scalar, index_bits(scalar, length)?));
            }
            Leaf::Object(object) => {
                let scalar = take_scalar(&mut params)?;
                let bits = scalar::bits(scalar, &object).map_err(|error| kernel::at(object.py(), argument, error))?;
                arguments.values.push(Value::Scalar(scalar, bits));
            }
        }
    }
    match params.next() {
        None => Ok(arguments),
        Some(param) => Err(layout_error(&format!("it has a further parameter {param}"))),
    }
}

fn list_rows(arguments: &mut Arguments, arrays: Vec<ArrayView>, argument: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    for array in arrays {
        let numbers: Vec<i64> = array.shape.iter().chain(&array.strides).copied().collect();
        rows.push(Value::Pointer(arguments.array(array, argument)));
        rows.extend(numbers.into_iter().map(|n| Value::Scalar(Scalar::I64, n as u64)));
    }
    rows
}

fn take_pointer<'p>(params: &mut impl Iterator<Item = &'p Param>) -> PyResult<Scalar> {
    match params.next() {
        Some(Param::Pointer(element)) => Ok(*element),
        other => Err(layout_error(&format!("it has {other:?} for an array"))),
    }
}

fn take_scalar<'p>(params: &mut impl Iterator<Item = &'p Param>) -> PyResult<Scalar> {
    match params.next() {
        Some(Param::Scalar(scalar)) => Ok(*scalar),
        other => Err(layout_error(&format!("it has {other:?} for a number"))),
    }
}

fn layout_error(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("the compiled kernel does not follow cuTile's calling convention: {what}"))
}

/// An extent or a stride as a signed integer of this type.
fn index_bits(scalar: Scalar, number: i64) -> PyResult<u64> {
    if scalar == Scalar::I64 {
        return Ok(number as u64);
    }
    let narrow = i32::try_from(number).map_err(|_| {
        PyOverflowError::new_err(format!("the extent or stride {number} does not fit 32 bits: annotate the array with ct.IndexedWithInt64"))
    })?;
    Ok(u64::from(narrow.cast_unsigned()))
}
