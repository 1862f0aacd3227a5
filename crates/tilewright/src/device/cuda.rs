//! GPUs as devices, through the CUDA driver.

use super::{DeviceError, Launch, Launched, Loaded, Opened};
use crate::{
    case::Outcome,
    cuda::{self, CudaError, Driver, printed_by},
    gpu::{Kernel, Target},
};
use std::time::Instant;

/// Bytes of what a launch prints that the driver keeps until its end.
const PRINTED: usize = 64 << 20;

impl From<CudaError> for DeviceError {
    fn from(error: CudaError) -> DeviceError {
        if error.is_missing() {
            DeviceError::Missing(error.to_string())
        } else if error.is_refusal() {
            DeviceError::Refused(format!("the driver refuses the compiler's PTX: {error}"))
        } else {
            DeviceError::Failed(error.to_string())
        }
    }
}

/// A GPU.
pub(super) struct Gpu {
    device: cuda::Device,
    name: String,
    target: Target,
}

impl Gpu {
    pub(super) fn open(ordinal: u32) -> Result<Gpu, DeviceError> {
        let device = Driver::load()?.device(ordinal)?;
        let name = device.name()?;
        Ok(Gpu { target: target_of(&device)?, name, device })
    }
}

/// What kernels are compiled for, to run on a GPU.
///
/// # Errors
/// When it is older than all targets, or the driver fails.
pub fn target_of(device: &cuda::Device) -> Result<Target, DeviceError> {
    let (major, minor) = device.compute_capability()?;
    Target::for_compute_capability(major, minor).ok_or_else(|| {
        let (name, oldest) = (device.name().unwrap_or_default(), Target::default());
        let what = format!(
            "GPU {} ({name}) has compute capability {major}.{minor}: kernels are compiled for {oldest} and later",
            device.ordinal()
        );
        DeviceError::Missing(what)
    })
}

impl Opened for Gpu {
    fn target(&self) -> Target {
        self.target
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn load(&self, kernel: &Kernel) -> Result<Box<dyn Loaded>, DeviceError> {
        let ptx = kernel.ptx();
        let prints = ptx.contains("vprintf");
        let code =
            Code { device: self.device.clone(), entry: kernel.code().name.clone(), ptx, dynamic_shared: kernel.dynamic_shared(), prints };
        // What the driver refuses is said before the first launch.
        let on_device = code.load()?;
        Ok(Box::new(LoadedCode { code, on_device: Some(on_device) }))
    }
}

/// What is loaded.
struct Code {
    device: cuda::Device,
    entry: String,
    ptx: String,
    dynamic_shared: u32,
    prints: bool,
}

/// A kernel in a context.
struct OnDevice {
    context: cuda::Context,
    kernel: cuda::Kernel,
    stream: cuda::Stream,
}

impl Code {
    fn load(&self) -> Result<OnDevice, CudaError> {
        let context = self.device.context()?;
        if self.prints {
            context.keep_printed(PRINTED)?;
        }
        let kernel = context.load(&self.ptx)?.kernel(&self.entry, self.dynamic_shared)?;
        Ok(OnDevice { kernel, stream: context.stream()?, context })
    }
}

/// A kernel that can be launched, again after a failure, too.
struct LoadedCode {
    code: Code,
    /// None after a failure.
    on_device: Option<OnDevice>,
}

impl Loaded for LoadedCode {
    fn launch(&mut self, launch: &Launch<'_>) -> Result<Launched, DeviceError> {
        let on_device = match self.on_device.take() {
            Some(on_device) => on_device,
            None => self.code.load()?,
        };
        let (outcome, is_broken) = on_device.launch(launch, self.code.prints)?;
        if is_broken {
            // Nothing works in the context any more.
            let OnDevice { context, kernel, stream } = on_device;
            drop((kernel, stream));
            context.reset()?;
        } else {
            self.on_device = Some(on_device);
        }
        Ok(Launched { outcome, machine: None })
    }
}

impl OnDevice {
    /// Launches the kernel on copies of the buffers. Also says whether it broke the context.
    fn launch(&self, launch: &Launch<'_>, prints: bool) -> Result<(Outcome, bool), DeviceError> {
        let allocate = |(bytes, _): &(&[u8], bool)| self.context.allocate(bytes.len());
        let buffers = launch.buffers.iter().map(allocate).collect::<Result<Vec<_>, _>>()?;
        let addresses: Vec<u64> = buffers.iter().map(cuda::Buffer::address).collect();
        let (args, tables) = (launch.arguments)(&addresses);
        for (buffer, (content, _)) in buffers.iter().zip(&launch.buffers) {
            self.stream.write(buffer, content)?;
        }
        for (buffer, content) in tables {
            self.stream.write(&buffers[buffer], &content)?;
        }
        let started = Instant::now();
        let (result, printed) = if prints {
            let failed = |error| DeviceError::Failed(format!("cannot keep what the kernel prints: {error}"));
            printed_by(|| self.run(launch.grid, &args)).map_err(failed)?
        } else {
            (self.run(launch.grid, &args), Vec::new())
        };
        match result {
            Ok(seconds) => {
                let mut after: Vec<Vec<u8>> = launch.buffers.iter().map(|(content, _)| vec![0; content.len()]).collect();
                for (buffer, content) in buffers.iter().zip(&mut after) {
                    self.stream.read(buffer, content)?;
                }
                Ok((Outcome { buffers: after, printed, error: None, seconds }, false))
            }
            Err(error) if error.is_of_kernel() => {
                let seconds = started.elapsed().as_secs_f64();
                Ok((Outcome { buffers: Vec::new(), printed, error: Some(error.to_string()), seconds }, true))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the kernel; gives the seconds that it took.
    fn run(&self, grid: [u32; 3], args: &[u64]) -> Result<f64, CudaError> {
        let (begin, end) = (self.context.event()?, self.context.event()?);
        self.stream.record(&begin)?;
        self.kernel.launch(grid, args, &self.stream)?;
        self.stream.record(&end)?;
        self.stream.synchronize()?;
        end.seconds_since(&begin)
    }
}
