//! Modules of PTX and of machine code on a GPU, and their launches.
#![allow(unsafe_code, reason = "the driver's interface is one of C")]

use crate::{
    Context, Stream,
    api::{self, Code, Functions, Handle},
    error::{CudaError, INVALID_VALUE},
};
use std::{
    ffi::{CString, c_int, c_uint, c_void},
    fmt, ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tilewright_ptx::module::Linkage;

/// Room for what the driver's compiler says.
const LOG: usize = 16 << 10;
/// The first version of CUDA whose drivers know kernels of tiles.
const KNOWS_TILES: (u32, u32) = (13, 1);
/// The directive with the source language of an entry, which only kernels of tiles have.
const TILES: &str = "language";

/// PTX that the driver has compiled and loaded, or machine code. Clones are the same module.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

struct Inner {
    context: Context,
    handle: Handle,
    /// What the text says of its entries.
    text: tilewright_ptx::Module,
}

// SAFETY: as of contexts.
unsafe impl Send for Inner {}
// SAFETY: as of contexts.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: it was loaded for this. A failure would have nobody to hear of it.
        let _ = self.context.try_call(|driver| unsafe { (driver.unload)(self.handle) });
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}

impl Context {
    /// Lets the driver compile PTX for the GPU, and loads that.
    ///
    /// # Errors
    /// When the text is not PTX, or the driver refuses it; its compiler's words are part of the error.
    pub fn load(&self, ptx: &str) -> Result<Module, CudaError> {
        let text = tilewright_ptx::parse(ptx).map_err(CudaError::Ptx)?;
        let image = CString::new(ptx).map_err(|_| CudaError::Invalid("the PTX has a zero byte".to_owned()))?;
        self.load_image(text, image.as_bytes_with_nul(), "load the kernel")
    }

    /// Loads machine code that carries its PTX, as `tileiras --lineinfo` and `ptxas -lineinfo` write it: the PTX says which parameters its entries have, and
    /// how many threads.
    ///
    /// # Errors
    /// When it carries no PTX, or the driver refuses it: each cubin is for GPUs of one compute capability.
    pub fn load_cubin(&self, cubin: &[u8]) -> Result<Module, CudaError> {
        let ptx = tilewright_ptx::cubin::ptx(cubin).map_err(|error| CudaError::Invalid(error.to_string()))?;
        let text = tilewright_ptx::parse(&ptx).map_err(CudaError::Ptx)?;
        self.load_image(text, cubin, "load the cubin")
    }

    /// Loads what the driver takes: text that ends with a zero, or a whole cubin.
    fn load_image(&self, text: tilewright_ptx::Module, image: &[u8], action: &str) -> Result<Module, CudaError> {
        let mut log = vec![0u8; LOG];
        let mut options = [api::JIT_ERROR_LOG, api::JIT_ERROR_LOG_SIZE];
        // Options are passed by value in the place of pointers.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG)];
        let mut handle = ptr::null_mut();
        let code = self.try_call(|driver| {
            // SAFETY: the image is a text with its end or a cubin, which says how long it is; the log has as many bytes as the options say, and the handle
            // is unloaded when the module is dropped.
            unsafe {
                let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
                (driver.load)(&raw mut handle, image.as_ptr().cast(), 2, options, values)
            }
        });
        if code != 0 {
            let end = log.iter().position(|byte| *byte == 0).unwrap_or(LOG);
            let log = String::from_utf8_lossy(&log[..end]).trim().to_owned();
            let action = format!("{action} on GPU {}", self.device().ordinal());
            return Err(CudaError::Driver(Box::new(self.driver().failure(code, action, Some(log).filter(|log| !log.is_empty())))));
        }
        Ok(Module { inner: Arc::new(Inner { context: self.clone(), handle, text }) })
    }
}

/// An entry of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    function: Function,
    /// How many parameters it has; each has up to 8 bytes.
    params: usize,
    blocks: Blocks,
    dynamic_shared: u32,
}

/// Threads of a block along x, y and z, as launches say them.
///
/// Machine code of a kernel of tiles is marked as such. Drivers that know the mark give its blocks their threads themselves, and want to be asked for one
/// thread; older ones want to be told all. The first launch shows which it is.
#[derive(Clone, Debug)]
struct Blocks {
    possible: Vec<[u32; 3]>,
    /// Which of them no launch has shown to be wrong.
    taken: Arc<AtomicUsize>,
}

impl Blocks {
    fn of(entry: &tilewright_ptx::module::Function, declared: [u32; 3]) -> Blocks {
        let is_of_tiles = entry.directive(TILES).is_some();
        let possible = if is_of_tiles { vec![[1; 3], declared] } else { vec![declared] };
        Blocks { possible, taken: Arc::default() }
    }

    /// Launches with the block that the driver takes.
    fn launch(&self, mut launch: impl FnMut([u32; 3]) -> Code) -> Code {
        loop {
            let index = self.taken.load(Ordering::Relaxed);
            let code = launch(self.possible[index]);
            if code != INVALID_VALUE || index + 1 == self.possible.len() {
                return code;
            }
            self.taken.store(index + 1, Ordering::Relaxed);
        }
    }
}

/// The handle of a kernel, which lives as long as its module.
#[derive(Clone, Copy, Debug)]
struct Function(Handle);

// SAFETY: as of contexts.
unsafe impl Send for Function {}
// SAFETY: as of contexts.
unsafe impl Sync for Function {}

impl Module {
    /// An entry, to be launched with so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// When there is no such entry, it does not say how many threads a block has, it has parameters of more than 8 bytes, or the GPU has not as much
    /// shared memory.
    pub fn kernel(&self, entry: &str, dynamic_shared: u32) -> Result<Kernel, CudaError> {
        let Inner { context, handle, text } = &*self.inner;
        let found = text.entry(entry).ok_or_else(|| CudaError::Invalid(format!("the PTX has no entry '{entry}'")))?;
        let block = found.block().ok_or_else(|| CudaError::Invalid(format!("'{entry}' does not say how many threads a block has")))?;
        let is_word = |param: &tilewright_ptx::module::Variable| {
            param.vector.is_none() && param.names.iter().all(|name| name.extents.is_empty()) && param.ty.bytes() <= 8
        };
        let (hidden, params): (Vec<_>, Vec<_>) = found.params.iter().partition(|param| param.linkage == Linkage::Hidden);
        if !params.iter().all(|param| is_word(param)) {
            return Err(CudaError::Invalid(format!("'{entry}' has parameters of more than 8 bytes")));
        }
        let (major, minor) = context.driver().version()?;
        if !hidden.is_empty() && (major, minor) < KNOWS_TILES {
            return Err(CudaError::Invalid(format!(
                "'{entry}' has parameters that drivers for CUDA {}.{} and later fill themselves, and this one is for {major}.{minor}",
                KNOWS_TILES.0, KNOWS_TILES.1
            )));
        }
        let name = CString::new(entry).map_err(|_| CudaError::Invalid("the entry's name has a zero byte".to_owned()))?;
        let mut function = ptr::null_mut();
        // SAFETY: the name ends with a zero; the handle lives as long as the module, which the kernel keeps.
        let find = |driver: &Functions| unsafe { (driver.function)(&raw mut function, *handle, name.as_ptr()) };
        context.call(|| format!("find '{entry}' in its module"), find)?;
        if dynamic_shared > 0 {
            // Without this, dynamic and other shared memory together are 48 KiB at most.
            // SAFETY: it takes numbers.
            let set =
                |driver: &Functions| unsafe { (driver.set_function_attribute)(function, api::MAX_DYNAMIC_SHARED, dynamic_shared as c_int) };
            context.call(|| format!("give blocks of '{entry}' {dynamic_shared} bytes of shared memory"), set)?;
        }
        Ok(Kernel {
            module: self.clone(),
            function: Function(function),
            params: params.len(),
            blocks: Blocks::of(found, block),
            dynamic_shared,
        })
    }
}

impl Kernel {
    /// Begins a launch. Each argument is the bits of a number or an address, in the order of the parameters.
    ///
    /// Addresses are numbers like any other: a kernel can reach what the GPU can reach. On systems whose GPUs reach all memory of a process, a kernel that
    /// accesses what is outside of its buffers does there what any machine code could.
    ///
    /// # Errors
    /// When the arguments are not as many as the parameters, or the driver refuses the launch. What fails later is an error of who waits.
    pub fn launch(&self, grid: [u32; 3], args: &[u64], stream: &Stream) -> Result<(), CudaError> {
        if args.len() != self.params {
            return Err(CudaError::Invalid(format!("{} arguments, where the kernel has {} parameters", args.len(), self.params)));
        }
        let mut pointers: Vec<*mut c_void> = args.iter().map(|arg| ptr::from_ref(arg).cast_mut().cast()).collect();
        let [gx, gy, gz]: [c_uint; 3] = grid;
        let code = self.blocks.launch(|[bx, by, bz]| {
            stream.context().try_call(|driver| {
                // SAFETY: there is a pointer for each parameter, to at least as many bytes as it has; the driver copies them before it returns.
                unsafe {
                    let params = pointers.as_mut_ptr();
                    (driver.launch)(self.function.0, gx, gy, gz, bx, by, bz, self.dynamic_shared, stream.handle(), params, ptr::null_mut())
                }
            })
        });
        stream.context().driver().check(code, || {
            let [bx, by, bz] = self.blocks.possible[self.blocks.taken.load(Ordering::Relaxed)];
            let shared = self.dynamic_shared;
            format!("launch a grid of {gx} x {gy} x {gz} blocks of {bx} x {by} x {bz} threads with {shared} bytes of dynamic shared memory")
        })
    }

    /// The context that it lies in.
    pub fn context(&self) -> &Context {
        &self.module.inner.context
    }
}
