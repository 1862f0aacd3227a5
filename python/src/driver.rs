//! As much of the CUDA driver's interface as the compiler of cuTile Python touches, for machines without one.
//!
//! cuTile Python asks for the address of one function, `cuGetProcAddress_v2`, and gets all others from it. What it calls to infer the
//! signature of a kernel and to choose a target answers here; whatever else it would call fails with `CUDA_ERROR_NOT_SUPPORTED`.
#![allow(unsafe_code, reason = "the interface is a C interface")]

use pyo3::prelude::*;
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    sync::atomic::{AtomicI32, Ordering},
};

/// Results of the driver's functions.
const SUCCESS: c_int = 0;
const ERROR_INVALID_VALUE: c_int = 1;
const ERROR_NOT_SUPPORTED: c_int = 801;
/// Attributes of a device.
const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const COMPUTE_CAPABILITY_MINOR: c_int = 76;
/// The version of the driver that has all of Tile IR 13.4.
const DRIVER_VERSION: c_int = 13040;

static MAJOR: AtomicI32 = AtomicI32::new(10);
static MINOR: AtomicI32 = AtomicI32::new(0);

type GetProcAddress = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> c_int;

/// What cuTile Python calls `cuGetProcAddress_v2`: it wants the address of a pointer to it.
static ENTRY_POINT: GetProcAddress = get_proc_address;

/// The address of the pointer to `cuGetProcAddress_v2`.
#[pyfunction]
pub(crate) fn driver_entry_point() -> usize {
    (&raw const ENTRY_POINT).addr()
}

/// The compute capability that the device of this driver has.
#[pyfunction]
pub(crate) fn set_compute_capability(major: i32, minor: i32) {
    MAJOR.store(major, Ordering::Relaxed);
    MINOR.store(minor, Ordering::Relaxed);
}

/// The compute capability that kernels are compiled for, where this driver stands in for a missing one.
pub(crate) fn compute_capability() -> (i32, i32) {
    (MAJOR.load(Ordering::Relaxed), MINOR.load(Ordering::Relaxed))
}

/// # Safety
/// `symbol` is a string, `function` may be written, `status` is null or may be written.
unsafe extern "C" fn get_proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    _version: c_int,
    _flags: u64,
    status: *mut c_int,
) -> c_int {
    if symbol.is_null() || function.is_null() {
        return ERROR_INVALID_VALUE;
    }
    // SAFETY: `symbol` is a string.
    let name = unsafe { CStr::from_ptr(symbol) };
    let address = match name.to_bytes() {
        b"cuInit" => init as *mut c_void,
        b"cuDriverGetVersion" => driver_get_version as *mut c_void,
        b"cuGetErrorString" => get_error_string as *mut c_void,
        b"cuDeviceGetCount" => device_get_count as *mut c_void,
        b"cuDeviceGet" => device_get as *mut c_void,
        b"cuDeviceGetAttribute" => device_get_attribute as *mut c_void,
        b"cuPointerGetAttribute" => pointer_get_attribute as *mut c_void,
        _ => not_supported as *mut c_void,
    };
    // SAFETY: both may be written, or `status` is null.
    unsafe {
        function.write(address);
        if !status.is_null() {
            status.write(SUCCESS);
        }
    }
    SUCCESS
}

extern "C" fn init(_flags: c_uint) -> c_int {
    SUCCESS
}

/// Takes any arguments: by the C calling conventions, the caller removes them.
extern "C" fn not_supported() -> c_int {
    ERROR_NOT_SUPPORTED
}

/// # Safety
/// `out` is null or may be written.
unsafe fn answer<T>(out: *mut T, value: T) -> c_int {
    if out.is_null() {
        return ERROR_INVALID_VALUE;
    }
    // SAFETY: it may be written.
    unsafe { out.write(value) };
    SUCCESS
}

/// # Safety
/// `version` is null or may be written.
unsafe extern "C" fn driver_get_version(version: *mut c_int) -> c_int {
    // SAFETY: as this function asks.
    unsafe { answer(version, DRIVER_VERSION) }
}

/// # Safety
/// `text` is null or may be written.
unsafe extern "C" fn get_error_string(_error: c_int, text: *mut *const c_char) -> c_int {
    // SAFETY: as this function asks; the string lives for ever.
    unsafe { answer(text, c"not available without a GPU: Tilewright runs kernels on the CPU".as_ptr()) }
}

/// # Safety
/// `count` is null or may be written.
unsafe extern "C" fn device_get_count(count: *mut c_int) -> c_int {
    // SAFETY: as this function asks.
    unsafe { answer(count, 1) }
}

/// # Safety
/// `device` is null or may be written.
unsafe extern "C" fn device_get(device: *mut c_int, ordinal: c_int) -> c_int {
    // SAFETY: as this function asks.
    unsafe { answer(device, ordinal) }
}

/// # Safety
/// `value` is null or may be written.
unsafe extern "C" fn device_get_attribute(value: *mut c_int, attribute: c_int, _device: c_int) -> c_int {
    let found = match attribute {
        COMPUTE_CAPABILITY_MAJOR => MAJOR.load(Ordering::Relaxed),
        COMPUTE_CAPABILITY_MINOR => MINOR.load(Ordering::Relaxed),
        _ => return ERROR_NOT_SUPPORTED,
    };
    // SAFETY: as this function asks.
    unsafe { answer(value, found) }
}

/// No memory belongs to a device.
extern "C" fn pointer_get_attribute(_data: *mut c_void, _attribute: c_int, _pointer: u64) -> c_int {
    ERROR_INVALID_VALUE
}
