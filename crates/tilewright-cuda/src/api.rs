//! The functions of the driver, and the numbers that they take.
#![allow(unsafe_code, reason = "the driver's interface is one of C")]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A result of the driver.
pub(crate) type Code = c_int;
/// Contexts, modules, functions, streams and events.
pub(crate) type Handle = *mut c_void;

pub(crate) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
pub(crate) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
pub(crate) const CLOCK_RATE: c_int = 13;
pub(crate) const MULTIPROCESSORS: c_int = 16;
pub(crate) const JIT_ERROR_LOG: c_int = 5;
pub(crate) const JIT_ERROR_LOG_SIZE: c_int = 6;
pub(crate) const MAX_DYNAMIC_SHARED: c_int = 8;
pub(crate) const PRINTF_FIFO: c_int = 1;
pub(crate) const STREAM_NON_BLOCKING: c_uint = 1;

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions that are called, by the names that they have since CUDA 12.0.
        pub(crate) struct Functions {
            $(pub(crate) $field: unsafe extern "system" fn($($argument),*) -> Code,)*
        }

        impl Functions {
            /// Looks all of them up; the name of the first one that is missing is the error.
            ///
            /// # Safety
            /// The library is one whose functions of these names are those of the CUDA driver.
            pub(crate) unsafe fn find(library: &libloading::Library) -> Result<Functions, &'static str> {
                Ok(Functions {
                    // SAFETY: functions of the driver have these types: see cuda.h.
                    $($field: *unsafe { library.get(concat!($symbol, "\0")) }.map_err(|_| $symbol)?,)*
                })
            }
        }
    };
}

functions! {
    init = "cuInit"(c_uint);
    version = "cuDriverGetVersion"(*mut c_int);
    error_name = "cuGetErrorName"(Code, *mut *const c_char);
    error_string = "cuGetErrorString"(Code, *mut *const c_char);
    device_count = "cuDeviceGetCount"(*mut c_int);
    device = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    retain = "cuDevicePrimaryCtxRetain"(*mut Handle, c_int);
    release = "cuDevicePrimaryCtxRelease_v2"(c_int);
    reset = "cuDevicePrimaryCtxReset_v2"(c_int);
    push = "cuCtxPushCurrent_v2"(Handle);
    pop = "cuCtxPopCurrent_v2"(*mut Handle);
    context_device = "cuCtxGetDevice"(*mut c_int);
    limit = "cuCtxSetLimit"(c_int, usize);
    memory_info = "cuMemGetInfo_v2"(*mut usize, *mut usize);
    allocate = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    copy_in = "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, Handle);
    copy_out = "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, Handle);
    copy = "cuMemcpyDtoDAsync_v2"(u64, u64, usize, Handle);
    load = "cuModuleLoadDataEx"(*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    unload = "cuModuleUnload"(Handle);
    function = "cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
    set_function_attribute = "cuFuncSetAttribute"(Handle, c_int, c_int);
    launch = "cuLaunchKernel"(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
    create_stream = "cuStreamCreate"(*mut Handle, c_uint);
    stream_context = "cuStreamGetCtx"(Handle, *mut Handle);
    destroy_stream = "cuStreamDestroy_v2"(Handle);
    synchronize = "cuStreamSynchronize"(Handle);
    create_event = "cuEventCreate"(*mut Handle, c_uint);
    destroy_event = "cuEventDestroy_v2"(Handle);
    record = "cuEventRecord"(Handle, Handle);
    elapsed = "cuEventElapsedTime"(*mut f32, Handle, Handle);
}
