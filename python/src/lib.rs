//! The native part of the Python package `tilewright`: modules, kernels and launches as Python objects.
//!
//! The package's Python files hold what needs no speed: exceptions, the use of cuTile Python, and everything that draws. Each
//! file here is one step on the way of an argument: `array` sees Python objects as arrays, `scalar` as numbers, `bind` turns
//! both into the memory and the arguments of a launch, and `kernel` launches.

mod array;
mod bind;
mod check;
mod dispatch;
mod driver;
mod errors;
mod gpu;
mod kernel;
mod module;
mod output;
mod profile;
mod scalar;
mod sources;
mod stop;
mod trace;

use pyo3::{exceptions::PyValueError, prelude::*};
use std::{ffi::OsString, num::NonZeroUsize};
use tilewright::{cli, environment};

/// Runs the command `tilewright`, of this name and with these arguments, and gives its exit status.
#[pyfunction]
fn command_line(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(args).status())
}

/// A number from 1 that a variable of the environment holds; None where it is not set or empty.
#[pyfunction]
fn number_from_environment(name: &str) -> PyResult<Option<usize>> {
    let found = environment::count(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(found.map(NonZeroUsize::get))
}

/// The native module `tilewright._native`.
#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<module::Module>()?;
    m.add_class::<kernel::Kernel>()?;
    m.add_class::<kernel::Report>()?;
    m.add_class::<profile::Profile>()?;
    m.add_class::<array::ArrayDescription>()?;
    m.add_class::<trace::Trace>()?;
    m.add_class::<dispatch::Dispatcher>()?;
    m.add_function(wrap_pyfunction!(array::describe, m)?)?;
    m.add_function(wrap_pyfunction!(command_line, m)?)?;
    m.add_function(wrap_pyfunction!(number_from_environment, m)?)?;
    m.add_function(wrap_pyfunction!(driver::driver_entry_point, m)?)?;
    m.add_function(wrap_pyfunction!(gpu::gpu_compute_capability, m)?)?;
    m.add_function(wrap_pyfunction!(driver::set_compute_capability, m)?)?;
    Ok(())
}
