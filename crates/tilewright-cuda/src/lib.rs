//! PTX on a GPU, through the CUDA driver, which is loaded at run time: programs that use this run on machines without one.
//!
//! ```no_run
//! use tilewright_cuda::Driver;
//! # fn main() -> Result<(), tilewright_cuda::CudaError> {
//! # let ptx = "";
//! let device = Driver::load()?.device(0)?;
//! let context = device.context()?;
//! let kernel = context.load(ptx)?.kernel("scale", 0)?;
//! let stream = context.stream()?;
//! let buffer = context.allocate(4096)?;
//! stream.write(&buffer, &[1; 4096])?;
//! kernel.launch([8, 1, 1], &[buffer.address(), 1024], &stream)?;
//! let mut result = [0; 4096];
//! stream.read(&buffer, &mut result)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Driver::load`] takes the library that the variable `TILEWRIGHT_CUDA_DRIVER` names, or else `libcuda.so.1` (`nvcuda.dll` on Windows). A [`Device`] has
//! one [`Context`], with [`Buffer`]s, [`Stream`]s, [`Event`]s to measure time, and [`Module`]s, whose entries are [`Kernel`]s. A [`CudaError`] says what
//! was to be done, what the driver said, and what helps. Machine code is a module, too ([`Context::load_cubin`]), and [`Cublas`] multiplies matrices where a
//! machine has that library, for programs that compare themselves with it.

mod api;
mod context;
mod cublas;
mod driver;
mod error;
mod module;
mod printed;

pub use context::{Buffer, Context, Event, Stream};
pub use cublas::{CUBLAS_VARIABLE, Cublas, Element, Product};
pub use driver::{DRIVER_VARIABLE, Device, Driver};
pub use error::{CudaError, Failure};
pub use module::{Kernel, Module};
pub use printed::printed_by;
