//! What a launch accesses, for pictures of it.

use crate::{
    array::{ArrayDescription, ArrayView},
    bind::Arguments,
    errors,
    output::PythonStdout,
    stop,
};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use tilewright::exec::{Access, AccessKind, AccessObserver, LaunchOptions, Plan};

/// The accesses of a launch.
#[pyclass(frozen, module = "tilewright._native")]
pub(crate) struct Trace {
    arrays: Vec<Py<ArrayDescription>>,
    addresses: Vec<u64>,
    accesses: Vec<Access>,
}

/// An access to an array: the block, whether it reads and whether it writes, the distance in bytes from the element at the array's
/// origin, and the number of bytes.
type ArrayAccess = ([u32; 3], bool, bool, i64, u64);

#[pymethods]
impl Trace {
    /// The arrays of the launch, in the order of its arguments.
    #[getter]
    fn arrays(&self, py: Python<'_>) -> Vec<Py<ArrayDescription>> {
        self.arrays.iter().map(|array| array.clone_ref(py)).collect()
    }

    /// The accesses to one of the arrays. Those of one block come in its order; blocks may be mixed.
    fn accesses(&self, py: Python<'_>, array: usize) -> PyResult<Vec<ArrayAccess>> {
        let (Some(description), Some(&origin)) = (self.arrays.get(array), self.addresses.get(array)) else {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!("the launch has {} arrays", self.arrays.len())));
        };
        let view: &ArrayView = &description.borrow(py).0;
        let Some((start, end)) = view.span() else { return Ok(Vec::new()) };
        let first = origin - (view.address - start) as u64;
        let span = first..first + (end - start) as u64;
        let inside = self.accesses.iter().filter(|access| span.contains(&access.address));
        let tell = |access: &Access| {
            let (reads, writes) = (access.kind != AccessKind::Write, access.kind != AccessKind::Read);
            (access.block, reads, writes, access.address.cast_signed() - origin.cast_signed(), access.bytes)
        };
        Ok(inside.map(tell).collect())
    }
}

#[derive(Default)]
struct Recorder(Mutex<Vec<Access>>);

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(*access);
    }
}

/// Runs a plan on one thread, and keeps what it accesses.
pub(crate) fn record(py: Python<'_>, plan: &Plan, arguments: Arguments, grid: [u32; 3]) -> PyResult<Trace> {
    let recorder = Recorder::default();
    let output = PythonStdout::default();
    let options = LaunchOptions::new().output(output.sink()).threads(1).observer(&recorder);
    let launched = stop::stoppable(py, |interrupt| arguments.launch(plan, grid, &options.interrupt(interrupt), None));
    let (_, addresses) = launched.map_err(|failure| errors::launch(py, &failure, &output))?;
    let accesses = recorder.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let arrays = arguments.arrays.into_iter().map(|array| Py::new(py, ArrayDescription(array))).collect::<PyResult<_>>()?;
    Ok(Trace { arrays, addresses, accesses })
}
