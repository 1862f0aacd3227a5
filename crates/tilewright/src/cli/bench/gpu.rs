//! Measuring on a GPU: times are those of its own clock, from the begin of a launch to the end of its kernel.

use super::{
    arrays::{Array, arrays},
    check::check,
    measure::{LAUNCHES, Limits, PATIENCE, Timing, entry_of, grid, module},
    problems::{Argument, Limit, Problem},
};
use crate::cli::{exit::Finding, run::device_error};
use anyhow::Context as _;
use std::time::{Duration, Instant};
use tilewright::{
    cuda::{Buffer, Context, CudaError, Driver, Stream},
    device::{DeviceError, target_of},
    gpu::{Target, compile},
};

/// A GPU to be measured.
pub(super) struct Gpu {
    context: Context,
    stream: Stream,
    target: Target,
    limits: Limits,
    /// Measure as little as there is to measure.
    quick: bool,
}

impl Gpu {
    pub(super) fn open(ordinal: u32, quick: bool) -> anyhow::Result<Gpu> {
        let open = || -> Result<(Context, Stream, Target), DeviceError> {
            let device = Driver::load()?.device(ordinal)?;
            let target = target_of(&device)?;
            let context = device.context()?;
            Ok((context.clone(), context.stream()?, target))
        };
        let (context, stream, target) = open().map_err(device_error)?;
        let limits = Limits {
            threads: None,
            bandwidth: 0.0,
            peak_f32: peak(&context, f32_lanes(target))?,
            peak_f64: peak(&context, f64_lanes(target))?,
        };
        let mut gpu = Gpu { context, stream, target, limits, quick };
        gpu.limits.bandwidth = gpu.bandwidth()?;
        Ok(gpu)
    }

    pub(super) fn name(&self) -> String {
        let device = self.context.device();
        format!("GPU {}, {}, code for {}", device.ordinal(), device.name().unwrap_or_default(), self.target)
    }

    /// What it can do.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Bytes that copies within its memory read and write in a second.
    fn bandwidth(&self) -> Result<f64, CudaError> {
        let bytes = if self.quick { 1 << 16 } else { 1 << 28 };
        let [from, to] = [self.context.allocate(bytes)?, self.context.allocate(bytes)?];
        let seconds = self.best(|| self.stream.copy(&from, &to))?;
        Ok(2.0 * bytes as f64 / seconds)
    }

    /// The least seconds that something takes on the stream, of several times.
    fn best(&self, mut begin: impl FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError> {
        let [before, after] = [self.context.event()?, self.context.event()?];
        let started = Instant::now();
        let (least, patience) = if self.quick { (1, Duration::ZERO) } else { (LAUNCHES, PATIENCE) };
        let (mut best, mut times) = (f64::INFINITY, 0);
        while times < least || started.elapsed() < patience {
            self.stream.record(&before)?;
            begin()?;
            self.stream.record(&after)?;
            self.stream.synchronize()?;
            best = best.min(after.seconds_since(&before)?);
            times += 1;
        }
        Ok(best)
    }

    /// Runs a problem: once to see whether the results are right, and then for its time.
    pub(super) fn measure(&self, problem: &Problem) -> anyhow::Result<Timing> {
        let module = module(problem)?;
        let entry = entry_of(&module)?;
        let about = || problem.name.clone();
        let kernel =
            compile(&module, &entry, self.target).map_err(|error| Finding::new(format!("{}: cannot compile: {error}", problem.name)))?;
        let loaded = self.context.load(&kernel.ptx()).and_then(|module| module.kernel(&entry, kernel.dynamic_shared()));
        let loaded = loaded.map_err(|error| device_error(error.into())).with_context(about)?;
        let mut arrays = arrays(problem);
        let buffers = self.upload(&arrays).with_context(about)?;
        let args = arguments(problem, &buffers);
        loaded.launch(grid(problem), &args, &self.stream).and_then(|()| self.stream.synchronize()).with_context(about)?;
        self.download(&buffers, &mut arrays).with_context(about)?;
        check(problem, |argument| arrays.get(argument).map(Array::content))?;
        let seconds = self.best(|| loaded.launch(grid(problem), &args, &self.stream)).with_context(about)?;
        let limit = match problem.limit {
            Limit::Bandwidth => self.limits.bandwidth,
            Limit::PeakF32 => self.limits.peak_f32,
            Limit::PeakF64 => self.limits.peak_f64,
        };
        Ok(Timing { threads: None, seconds, cpu_seconds: None, limit })
    }

    /// A buffer for each array.
    fn upload(&self, arrays: &[Array]) -> Result<Vec<Buffer>, CudaError> {
        let upload = |array: &Array| {
            let buffer = self.context.allocate(array.content().len())?;
            self.stream.write(&buffer, array.content())?;
            Ok(buffer)
        };
        arrays.iter().map(upload).collect()
    }

    fn download(&self, buffers: &[Buffer], arrays: &mut [Array]) -> Result<(), CudaError> {
        buffers.iter().zip(arrays).try_for_each(|(buffer, array)| self.stream.read(buffer, array.bytes()))
    }
}

/// The bits of the arguments, as cuTile Python passes them.
fn arguments(problem: &Problem, buffers: &[Buffer]) -> Vec<u64> {
    let bits = |(argument, buffer): (&Argument, &Buffer)| match argument {
        Argument::Number(_, bits) => vec![*bits],
        Argument::Array { shape, strides, .. } => {
            let numbers = shape.iter().chain(strides).map(|n| *n as u64);
            std::iter::once(buffer.address()).chain(numbers).collect()
        }
    };
    problem.arguments.iter().zip(buffers).flat_map(bits).collect()
}

/// Operations per second of CUDA cores that do a multiply-add in each cycle, so many in a multiprocessor.
fn peak(context: &Context, lanes: u32) -> anyhow::Result<f64> {
    let device = context.device();
    Ok(2.0 * f64::from(lanes) * f64::from(device.multiprocessors()?) * device.clock_rate()?)
}

/// Multiply-adds of f32 that a multiprocessor does in a cycle: CUDA C++ Programming Guide, "Arithmetic Instructions".
fn f32_lanes(target: Target) -> u32 {
    if target == Target::Sm80 { 64 } else { 128 }
}

/// The same of f64.
fn f64_lanes(target: Target) -> u32 {
    match target {
        Target::Sm80 => 32,
        Target::Sm90 | Target::Sm100 => 64,
        Target::Sm86 | Target::Sm89 | Target::Sm120 => 2,
    }
}
