//! Launches on a GPU: compiled to PTX, through the CUDA driver, on the caller's stream.
#![allow(unsafe_code, reason = "streams are handles that other libraries have made")]

use crate::{
    bind::{Arguments, Value},
    errors,
    kernel::Kernel,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tilewright::{
    cuda::{self, CudaError, Driver},
    device::target_of,
    gpu::compile,
};

/// The driver, loaded when it is first needed.
fn driver() -> Result<&'static Driver, CudaError> {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    match DRIVER.get() {
        Some(driver) => Ok(driver),
        None => {
            let driver = Driver::load()?;
            Ok(DRIVER.get_or_init(|| driver))
        }
    }
}

/// The compute capability of a GPU.
#[pyfunction]
pub(crate) fn gpu_compute_capability(ordinal: u32) -> PyResult<(u32, u32)> {
    let found = driver().and_then(|driver| driver.device(ordinal)?.compute_capability());
    found.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A kernel on the GPUs that it was launched on, by their numbers.
#[derive(Default)]
pub(crate) struct OnGpus(Mutex<HashMap<u32, Arc<cuda::Kernel>>>);

impl OnGpus {
    /// The kernel on a GPU. It is compiled while no other thread launches it.
    fn on(&self, kernel: &Kernel, device: &cuda::Device) -> Result<Arc<cuda::Kernel>, String> {
        // A panic leaves the map as it was.
        let mut loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = loaded.get(&device.ordinal()) {
            return Ok(Arc::clone(found));
        }
        let target = target_of(device).map_err(|error| error.to_string())?;
        let compiled = compile(kernel.program().module(), kernel.name(), target).map_err(|error| format!("cannot compile: {error}"))?;
        let load = || device.context()?.load(&compiled.ptx())?.kernel(kernel.name(), compiled.dynamic_shared());
        let on_gpu = Arc::new(load().map_err(|error| error.to_string())?);
        loaded.insert(device.ordinal(), Arc::clone(&on_gpu));
        Ok(on_gpu)
    }
}

/// Begins a launch on a stream, given by its handle. If it is timed, waits for it, and gives the seconds that the kernel took.
pub(crate) fn launch(
    py: Python<'_>,
    (kernel, on_gpus): (&Kernel, &OnGpus),
    arguments: &Arguments,
    grid: [u32; 3],
    (stream, timed): (usize, bool),
) -> PyResult<Option<f64>> {
    // Other threads go on while a kernel is compiled, and while the driver waits.
    let launched = py.detach(|| begin((kernel, on_gpus), arguments, grid, (stream, timed)));
    launched.map_err(|error| errors::on_gpu(py, kernel.name(), &error))
}

fn begin(
    (kernel, on_gpus): (&Kernel, &OnGpus),
    arguments: &Arguments,
    grid: [u32; 3],
    (stream, timed): (usize, bool),
) -> Result<Option<f64>, String> {
    let words = |error: CudaError| error.to_string();
    // SAFETY: the caller of `launch` gives the handle of a stream, as of `ct.launch`.
    let device = unsafe { driver().map_err(words)?.device_of_stream(stream) }.map_err(words)?;
    let on_gpu = on_gpus.on(kernel, &device)?;
    // SAFETY: as above; it is used here only.
    let stream = unsafe { on_gpu.context().foreign_stream(stream) };
    let mut tables = Vec::new();
    let bits = arguments.values.iter().map(|value| argument(value, arguments, &stream, &mut tables)).collect::<Result<Vec<u64>, _>>();
    let bits = bits.map_err(words)?;
    if grid.contains(&0) {
        return Ok(timed.then_some(0.0));
    }
    if timed {
        return time(&on_gpu, grid, &bits, &stream).map(Some).map_err(words);
    }
    on_gpu.launch(grid, &bits, &stream).map_err(words)?;
    // Tables must be there until the kernel has read them.
    if tables.is_empty() { Ok(None) } else { stream.synchronize().map(|()| None).map_err(words) }
}

/// The seconds that a launch takes on the GPU's own clock.
fn time(kernel: &cuda::Kernel, grid: [u32; 3], bits: &[u64], stream: &cuda::Stream) -> Result<f64, CudaError> {
    let [begin, end] = [kernel.context().event()?, kernel.context().event()?];
    stream.record(&begin)?;
    kernel.launch(grid, bits, stream)?;
    stream.record(&end)?;
    stream.synchronize()?;
    end.seconds_since(&begin)
}

/// The bits of an argument. Arrays have their own addresses, which are those of the GPU.
fn argument(value: &Value, arguments: &Arguments, stream: &cuda::Stream, tables: &mut Vec<cuda::Buffer>) -> Result<u64, CudaError> {
    match value {
        Value::Scalar(_, bits) => Ok(*bits),
        Value::Pointer(array) => Ok(arguments.arrays[*array].address as u64),
        Value::Table(words) => {
            let words = words.iter().map(|word| argument(word, arguments, stream, tables)).collect::<Result<Vec<u64>, _>>()?;
            let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
            let table = stream.context().allocate(bytes.len())?;
            stream.write(&table, &bytes)?;
            tables.push(table);
            Ok(tables[tables.len() - 1].address())
        }
    }
}
