//! Measuring on a GPU: times are those of its own clock, from the begin of a launch to the end of its kernel.

use super::{
    arrays::{Array, arrays},
    beside::{Beside, CUBLAS, Other, Others, TILEIRAS, multiply},
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
    others: Others,
}

/// Begins something on the stream.
type Begin<'a> = dyn Fn() -> Result<(), CudaError> + 'a;

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
        let mut gpu = Gpu { context, stream, target, limits, quick, others: Others::default() };
        gpu.limits.bandwidth = gpu.bandwidth()?;
        Ok(gpu)
    }

    /// Measures something else beside each of these problems.
    pub(super) fn beside(self, asked: &[Beside], problems: &[Problem]) -> Gpu {
        let others = Others::open(asked, &self.context, problems, self.quick);
        Gpu { others, ..self }
    }

    /// What else is measured.
    pub(super) fn others(&self) -> &Others {
        &self.others
    }

    /// Whether a kernel has failed, so that nothing works any more until the GPU is reset.
    pub(super) fn is_broken(&self) -> bool {
        self.stream.synchronize().is_err_and(|error| error.is_of_kernel())
    }

    /// The GPU, made usable again.
    pub(super) fn reset(self) -> anyhow::Result<Gpu> {
        let Gpu { context, stream, target, limits, quick, others } = self;
        let device = context.device().clone();
        drop(stream);
        let others = others.without_context();
        context.reset()?;
        let context = device.context()?;
        Ok(Gpu { stream: context.stream()?, target, limits, quick, others: others.in_context(&context), context })
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
        let [seconds] = self.best([&|| self.stream.copy(&from, &to)])?;
        Ok(2.0 * bytes as f64 / seconds)
    }

    /// The least seconds that each of several things takes on the stream, of several times, by turns.
    fn best<const N: usize>(&self, begin: [&Begin<'_>; N]) -> Result<[f64; N], CudaError> {
        let [before, after] = [self.context.event()?, self.context.event()?];
        let started = Instant::now();
        let (least, patience) = if self.quick { (1, Duration::ZERO) } else { (LAUNCHES, PATIENCE * N as u32) };
        let (mut best, mut times) = ([f64::INFINITY; N], 0);
        while times < least || started.elapsed() < patience {
            for (begin, best) in begin.iter().zip(&mut best) {
                self.stream.record(&before)?;
                begin()?;
                self.stream.record(&after)?;
                self.stream.synchronize()?;
                *best = best.min(after.seconds_since(&before)?);
            }
            times += 1;
        }
        Ok(best)
    }

    /// Runs a problem: once to see whether the results are right, and then for its time; then what is beside it, each by turns with the problem.
    pub(super) fn measure(&self, problem: &Problem) -> anyhow::Result<Timing> {
        let module = module(problem)?;
        let entry = entry_of(&module)?;
        let about = || problem.name.clone();
        let kernel =
            compile(&module, &entry, self.target).map_err(|error| Finding::new(format!("{}: cannot compile: {error}", problem.name)))?;
        let loaded = self.context.load(&kernel.ptx()).and_then(|module| module.kernel(&entry, kernel.dynamic_shared()));
        let loaded = loaded.map_err(|error| device_error(error.into())).with_context(about)?;
        let arrays = arrays(problem);
        let buffers = self.buffers(&arrays).with_context(about)?;
        let args = arguments(problem, &buffers);
        let ours = || loaded.launch(grid(problem), &args, &self.stream);
        self.try_once(problem, &arrays, &buffers, &ours)?;
        let [mut seconds] = self.best([&ours]).with_context(about)?;
        let mut beside = Vec::new();
        let mut compare = |name, found: Result<Box<Begin<'_>>, String>| {
            let times = found.and_then(|theirs| {
                self.try_once(problem, &arrays, &buffers, &*theirs).map_err(|error| format!("{error:#}"))?;
                self.best([&ours, &*theirs]).map_err(|error| error.to_string())
            });
            seconds = times.as_ref().map_or(seconds, |[ours, _]| seconds.min(*ours));
            beside.push(Other::new(name, times.map(|[_, theirs]| theirs)));
        };
        if let Some(cubin) = self.others.cubin(problem, self.context.device()) {
            let loaded = cubin.and_then(|cubin| {
                let module = self.context.load_cubin(&cubin).map_err(|error| error.to_string())?;
                module.kernel(&entry, 0).map_err(|error| error.to_string())
            });
            let (args, stream) = (&args, &self.stream);
            compare(TILEIRAS, loaded.map(|kernel| Box::new(move || kernel.launch(grid(problem), args, stream)) as Box<Begin<'_>>));
        }
        if let Some(product) = self.others.cublas(problem) {
            let (buffers, stream) = (&buffers, &self.stream);
            let begin = |(cublas, product)| Box::new(move || multiply(cublas, &product, buffers, stream)) as Box<Begin<'_>>;
            compare(CUBLAS, product.map(begin));
        }
        beside.extend(self.others.pytorch(problem));
        let limit = match problem.limit {
            Limit::Bandwidth => self.limits.bandwidth,
            Limit::PeakF32 => self.limits.peak_f32,
            Limit::PeakF64 => self.limits.peak_f64,
        };
        Ok(Timing { threads: None, seconds, cpu_seconds: None, limit, beside })
    }

    /// Does something with buffers that hold what they shall hold before a launch, and checks what they hold then.
    fn try_once(&self, problem: &Problem, arrays: &[Array], buffers: &[Buffer], begin: &Begin<'_>) -> anyhow::Result<()> {
        let once = || -> Result<Vec<Vec<u8>>, CudaError> {
            buffers.iter().zip(arrays).try_for_each(|(buffer, array)| self.stream.write(buffer, array.content()))?;
            begin()?;
            self.stream.synchronize()?;
            self.download(buffers)
        };
        let results = once().with_context(|| problem.name.clone())?;
        check(problem, |argument| results.get(argument).map(Vec::as_slice))
    }

    /// A buffer for each array.
    fn buffers(&self, arrays: &[Array]) -> Result<Vec<Buffer>, CudaError> {
        arrays.iter().map(|array| self.context.allocate(array.content().len())).collect()
    }

    fn download(&self, buffers: &[Buffer]) -> Result<Vec<Vec<u8>>, CudaError> {
        let download = |buffer: &Buffer| {
            let mut content = vec![0; buffer.len()];
            self.stream.read(buffer, &mut content)?;
            Ok(content)
        };
        buffers.iter().map(download).collect()
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
