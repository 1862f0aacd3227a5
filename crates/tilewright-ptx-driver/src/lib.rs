//! The interface of the CUDA driver, on the PTX machine: for tests of what drives a GPU, on machines without one.
//!
//! The shared library of this crate has the functions of `libcuda.so.1` that a program needs to load PTX and launch it. Its GPUs are PTX machines, with
//! memory at addresses of their own, which no pointer of the host reaches. What is begun on a stream is done when somebody waits for it and not before, as
//! late as a GPU may do it, so whoever forgets to wait reads what was there before. A kernel that fails makes its context useless until that is reset.
//! Machine code runs as the PTX that it carries. The functions of cuBLAS that multiply matrices are there, too.
//!
//! Variables of the environment say what the GPUs are:
//!
//! | variable | |
//! |---|---|
//! | `PTX_DRIVER_DEVICES` | how many there are; 1 |
//! | `PTX_DRIVER_CAPABILITY` | their compute capability; 8.0 |
//! | `PTX_DRIVER_MEMORY` | bytes of memory that each has; 4294967296 |
//! | `PTX_DRIVER_PTX` | the newest version of PTX that is taken; 9.0 |
//! | `PTX_DRIVER_TILES` | whether it knows kernels of tiles in machine code, which are launched with one thread of a block: 0 or 1; 1 |
//! | `PTX_DRIVER_LOG` | a file that gets a line for each module, each launch, and each finding of the PTX machine |

mod codes;
mod cublas;
mod exports;
mod gpu;
mod product;
mod settings;

use std::{env, path::PathBuf};

/// The shared library, for tests of crates that this one is a dependency of: it lies beside them.
pub fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let name = format!("{}tilewright_ptx_driver{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let library = test.ancestors().skip(1).map(|folder| folder.join(&name)).find(|library| library.is_file());
    library.unwrap_or_else(|| panic!("{name} is not beside {}", test.display()))
}
