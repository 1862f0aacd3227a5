//! The driver's library, and the GPUs that it finds.
#![allow(unsafe_code, reason = "the driver's interface is one of C")]

use crate::{
    Context,
    api::{self, Code, Functions, Handle},
    error::{CudaError, Failure},
};
use std::{
    env,
    error::Error as _,
    ffi::{CStr, c_char, c_int},
    fmt,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    ptr,
    sync::Arc,
};

/// The variable of the environment that names the driver's library.
pub const DRIVER_VARIABLE: &str = "TILEWRIGHT_CUDA_DRIVER";

/// Where the library is looked for if the variable names none.
#[cfg(windows)]
const LIBRARIES: [&str; 1] = ["nvcuda.dll"];
/// Where the library is looked for if the variable names none: on the loader's path, and where WSL has it.
#[cfg(not(windows))]
const LIBRARIES: [&str; 3] = ["libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"];

/// The CUDA driver.
#[derive(Clone)]
pub struct Driver {
    api: Arc<Api>,
}

pub(crate) struct Api {
    pub(crate) functions: Functions,
    /// Never unloaded: the driver has threads of its own, and tidies up when the process ends.
    _library: ManuallyDrop<libloading::Library>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

impl Driver {
    /// Loads the library that the variable `TILEWRIGHT_CUDA_DRIVER` names, or else that of the system.
    ///
    /// # Errors
    /// When there is none, or it finds no GPU.
    pub fn load() -> Result<Driver, CudaError> {
        match env::var_os(DRIVER_VARIABLE).filter(|named| !named.is_empty()) {
            Some(named) => Driver::first_of(&[Path::new(&named)]),
            None => Driver::first_of(&LIBRARIES.map(Path::new)),
        }
    }

    /// Loads a library.
    ///
    /// # Errors
    /// When it cannot be loaded, is no CUDA driver, or finds no GPU.
    pub fn open(library: &Path) -> Result<Driver, CudaError> {
        Driver::first_of(&[library])
    }

    fn first_of(libraries: &[&Path]) -> Result<Driver, CudaError> {
        let mut tried: Vec<(PathBuf, String)> = Vec::new();
        for path in libraries {
            // SAFETY: loading a library runs code of it, as starting a program does: it is what the user or the system names as the driver.
            match unsafe { libloading::Library::new(*path) } {
                Ok(library) => return Driver::of(path, library),
                // What the system's loader says is the cause.
                Err(error) => tried.push(((*path).to_owned(), error.source().map_or_else(|| error.to_string(), ToString::to_string))),
            }
        }
        Err(CudaError::NoDriver { tried })
    }

    fn of(path: &Path, library: libloading::Library) -> Result<Driver, CudaError> {
        // SAFETY: a library with all functions of these names is a CUDA driver.
        let functions = unsafe { Functions::find(&library) };
        let functions = functions.map_err(|function| CudaError::NoFunction { library: path.to_owned(), function })?;
        let driver = Driver { api: Arc::new(Api { functions, _library: ManuallyDrop::new(library) }) };
        // SAFETY: it takes any number.
        driver.check(unsafe { (driver.functions().init)(0) }, || "start the CUDA driver".to_owned())?;
        Ok(driver)
    }

    pub(crate) fn functions(&self) -> &Functions {
        &self.api.functions
    }

    /// An error of what was to be done, if a function of the driver gave one.
    pub(crate) fn check(&self, code: Code, action: impl FnOnce() -> String) -> Result<(), CudaError> {
        match code {
            0 => Ok(()),
            _ => Err(CudaError::Driver(Box::new(self.failure(code, action(), None)))),
        }
    }

    pub(crate) fn failure(&self, code: Code, action: String, detail: Option<String>) -> Failure {
        let words = |function: unsafe extern "system" fn(Code, *mut *const c_char) -> Code, unknown: &str| {
            let mut text = ptr::null();
            // SAFETY: the driver writes a pointer to a string that lives for ever.
            let known = unsafe { function(code, &raw mut text) } == 0 && !text.is_null();
            // SAFETY: as above.
            if known { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() } else { unknown.to_owned() }
        };
        let name = words(self.functions().error_name, "an error that the driver has no name for");
        let text = words(self.functions().error_string, "unknown error");
        Failure { action, code, name, text, detail }
    }

    /// The newest version of CUDA that it has: major and minor.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn version(&self) -> Result<(u32, u32), CudaError> {
        let version = self.number(
            |out| {
                // SAFETY: it writes a number.
                unsafe { (self.functions().version)(out) }
            },
            "ask for the driver's version",
        )?;
        Ok((version / 1000, version % 1000 / 10))
    }

    /// What a function writes.
    fn number(&self, ask: impl FnOnce(*mut c_int) -> Code, action: &str) -> Result<u32, CudaError> {
        let mut number = 0;
        self.check(ask(&raw mut number), || action.to_owned())?;
        Ok(number.max(0) as u32)
    }

    /// The GPUs, in the order of their numbers.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn devices(&self) -> Result<Vec<Device>, CudaError> {
        let count = self.number(
            |out| {
                // SAFETY: it writes a number.
                unsafe { (self.functions().device_count)(out) }
            },
            "count the GPUs",
        )?;
        (0..count).map(|ordinal| self.device_of(ordinal)).collect()
    }

    /// A GPU by its number.
    ///
    /// # Errors
    /// When there is none of this number.
    pub fn device(&self, ordinal: u32) -> Result<Device, CudaError> {
        let devices = self.devices()?;
        let there = || devices.iter().map(|device| device.name().unwrap_or_else(|_| "unknown".to_owned())).collect();
        devices.get(ordinal as usize).cloned().ok_or_else(|| CudaError::NoDevice { asked: ordinal, there: there() })
    }

    /// The GPU of a stream that others have made: its handle as a number. Of the default stream, 0, it is the one whose context is current, or the
    /// first one where none is.
    ///
    /// # Errors
    /// When the driver fails.
    ///
    /// # Safety
    /// The handle is that of a stream, or 0.
    pub unsafe fn device_of_stream(&self, handle: usize) -> Result<Device, CudaError> {
        let functions = self.functions();
        let mut device = 0;
        if handle == 0 {
            // SAFETY: it writes a number.
            let is_current = unsafe { (functions.context_device)(&raw mut device) } == 0;
            return self.device(if is_current { device as u32 } else { 0 });
        }
        let mut context = ptr::null_mut();
        // SAFETY: the caller's promise; it writes a handle.
        let code = unsafe { (functions.stream_context)(ptr::without_provenance_mut(handle), &raw mut context) };
        self.check(code, || "find the GPU of a stream".to_owned())?;
        // SAFETY: the context is that of the stream, is current in between, and what is written is a number and a handle.
        let code = unsafe {
            match (functions.push)(context) {
                0 => {
                    let code = (functions.context_device)(&raw mut device);
                    let _ = (functions.pop)(&raw mut context);
                    code
                }
                code => code,
            }
        };
        self.check(code, || "find the GPU of a stream".to_owned())?;
        self.device(device as u32)
    }

    fn device_of(&self, ordinal: u32) -> Result<Device, CudaError> {
        let mut handle = 0;
        // SAFETY: it writes a number.
        let code = unsafe { (self.functions().device)(&raw mut handle, ordinal as c_int) };
        self.check(code, || format!("use GPU {ordinal}"))?;
        Ok(Device { driver: self.clone(), ordinal, handle })
    }
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) driver: Driver,
    ordinal: u32,
    pub(crate) handle: c_int,
}

impl Device {
    /// Its number.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Its name, such as `NVIDIA H100 PCIe`.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn name(&self) -> Result<String, CudaError> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: it writes a string of at most as many bytes, with the zero at its end.
        let code = unsafe { (self.driver.functions().device_name)(name.as_mut_ptr(), name.len() as c_int, self.handle) };
        self.driver.check(code, || format!("ask GPU {} for its name", self.ordinal))?;
        let bytes = name.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect::<Vec<u8>>();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Its compute capability: 9 and 0 for `sm_90`.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn compute_capability(&self) -> Result<(u32, u32), CudaError> {
        Ok((self.attribute(api::COMPUTE_CAPABILITY_MAJOR)?, self.attribute(api::COMPUTE_CAPABILITY_MINOR)?))
    }

    /// How many multiprocessors it has.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        self.attribute(api::MULTIPROCESSORS)
    }

    /// The most cycles that its multiprocessors do in a second.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn clock_rate(&self) -> Result<f64, CudaError> {
        Ok(f64::from(self.attribute(api::CLOCK_RATE)?) * 1e3)
    }

    fn attribute(&self, attribute: c_int) -> Result<u32, CudaError> {
        let ask = |out| {
            // SAFETY: it writes a number.
            unsafe { (self.driver.functions().device_attribute)(out, attribute, self.handle) }
        };
        self.driver.number(ask, "ask for an attribute of a GPU")
    }

    /// Its primary context, which all libraries of a process share.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn context(&self) -> Result<Context, CudaError> {
        let mut handle: Handle = ptr::null_mut();
        // SAFETY: it writes a handle, which is released when the context is dropped.
        let code = unsafe { (self.driver.functions().retain)(&raw mut handle, self.handle) };
        self.driver.check(code, || format!("make a context on GPU {}", self.ordinal))?;
        Ok(Context::new(self.clone(), handle))
    }
}
