//! What can go wrong, and what to do about it.

use std::{fmt, path::PathBuf};

/// Why something cannot be done on a GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CudaError {
    /// No driver is found.
    NoDriver {
        /// What was tried, and why it cannot be loaded.
        tried: Vec<(PathBuf, String)>,
    },
    /// A library lacks a function.
    NoFunction {
        /// The library.
        library: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// There is no GPU of this number.
    NoDevice {
        /// The number that was asked for.
        asked: u32,
        /// The names of those that are there.
        there: Vec<String>,
    },
    /// A function of the driver has failed.
    Driver(Box<Failure>),
    /// A launch does not fit the kernel, or the kernel does not fit the module.
    Invalid(String),
    /// The module is not PTX.
    Ptx(tilewright_ptx::PtxError),
    /// cuBLAS is not there, or fails.
    Cublas(String),
}

/// A failure that the driver reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What was to be done: "load the kernel".
    pub action: String,
    /// The result's number.
    pub code: i32,
    /// The result's name: `CUDA_ERROR_OUT_OF_MEMORY`.
    pub name: String,
    /// The driver's words for it.
    pub text: String,
    /// What its compiler says, or how much memory there is.
    pub detail: Option<String>,
}

/// Results that something more can be said about.
pub(crate) const INVALID_VALUE: i32 = 1;
pub(crate) const OUT_OF_MEMORY: i32 = 2;
const STUB_LIBRARY: i32 = 34;
const NO_DEVICE: i32 = 100;
const NO_BINARY_FOR_GPU: i32 = 209;
const INVALID_PTX: i32 = 218;
const JIT_COMPILER_NOT_FOUND: i32 = 221;
const UNSUPPORTED_PTX_VERSION: i32 = 222;
const ILLEGAL_ADDRESS: i32 = 700;
const LAUNCH_OUT_OF_RESOURCES: i32 = 701;
const LAUNCH_TIMEOUT: i32 = 702;
const ASSERT: i32 = 710;
const HARDWARE_STACK_ERROR: i32 = 714;
const LAUNCH_FAILED: i32 = 719;
const SYSTEM_DRIVER_MISMATCH: i32 = 803;

impl Failure {
    /// Whether the driver refuses the code.
    fn is_refusal(&self) -> bool {
        matches!(self.code, NO_BINARY_FOR_GPU | INVALID_PTX)
    }

    /// Whether a kernel has failed while it ran: its context is of no use any more.
    fn is_of_kernel(&self) -> bool {
        matches!(self.code, ILLEGAL_ADDRESS | LAUNCH_TIMEOUT | ASSERT | HARDWARE_STACK_ERROR..=LAUNCH_FAILED)
    }

    /// What it usually comes from, and what helps.
    fn advice(&self) -> Option<&'static str> {
        Some(match self.code {
            OUT_OF_MEMORY => "use smaller arrays, or end what else uses the GPU (nvidia-smi lists it)",
            STUB_LIBRARY => "this library is a stub for linking; the driver's own libcuda.so.1 must come first on the library path",
            NO_DEVICE => "nvidia-smi shows the GPUs of the machine, and CUDA_VISIBLE_DEVICES which of them a program may see",
            JIT_COMPILER_NOT_FOUND => "install libnvidia-ptxjitcompiler, which is a part of NVIDIA's driver",
            UNSUPPORTED_PTX_VERSION => "the driver is older than the PTX: update it",
            ILLEGAL_ADDRESS => "the kernel accessed memory outside of its buffers",
            LAUNCH_OUT_OF_RESOURCES => "a block needs more registers or shared memory than the GPU has",
            LAUNCH_TIMEOUT => "the kernel ran longer than the system lets one run on a GPU with a display",
            ASSERT | LAUNCH_FAILED => "the kernel stopped itself (a trap, such as a failed assertion), or did what the GPU cannot do",
            SYSTEM_DRIVER_MISMATCH => "the kernel module and the library of the driver are of different versions: restart the machine",
            _ => return None,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {} ({}, {})", self.action, self.text, self.name, self.code)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        self.advice().map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

impl CudaError {
    /// Whether there is no driver, or no such GPU.
    pub fn is_missing(&self) -> bool {
        match self {
            CudaError::NoDriver { .. } | CudaError::NoDevice { .. } => true,
            CudaError::Driver(failure) => failure.code == NO_DEVICE,
            _ => false,
        }
    }

    /// Whether the driver refuses the code: the fault of who made it.
    pub fn is_refusal(&self) -> bool {
        matches!(self, CudaError::Driver(failure) if failure.is_refusal())
    }

    /// Whether a kernel has failed while it ran. Nothing works in its context any more, until that is [reset](crate::Context::reset).
    pub fn is_of_kernel(&self) -> bool {
        matches!(self, CudaError::Driver(failure) if failure.is_of_kernel())
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaError::NoDriver { tried } => {
                f.write_str("there is no CUDA driver: ")?;
                for (i, (library, why)) in tried.iter().enumerate() {
                    write!(f, "{}{} ({why})", if i > 0 { ", " } else { "" }, library.display())?;
                }
                write!(
                    f,
                    "; it comes with NVIDIA's driver for a GPU, and {} may name the library where it lies elsewhere",
                    crate::DRIVER_VARIABLE
                )
            }
            CudaError::NoFunction { library, function } => write!(
                f,
                "{} is no CUDA driver of version 12.0 or later, because it has no function {function}: update NVIDIA's driver",
                library.display()
            ),
            CudaError::NoDevice { asked, there } if there.is_empty() => {
                write!(
                    f,
                    "there is no GPU {asked}: the driver finds none; nvidia-smi shows the GPUs of the machine, and CUDA_VISIBLE_DEVICES which of them a program may see"
                )
            }
            CudaError::NoDevice { asked, there } => {
                write!(f, "there is no GPU {asked}; the driver finds ")?;
                for (ordinal, name) in there.iter().enumerate() {
                    write!(f, "{}{ordinal} ({name})", if ordinal > 0 { ", " } else { "" })?;
                }
                Ok(())
            }
            CudaError::Driver(failure) => write!(f, "{failure}"),
            CudaError::Invalid(what) | CudaError::Cublas(what) => f.write_str(what),
            CudaError::Ptx(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CudaError {}
