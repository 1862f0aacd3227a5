//! The functions that programs call, with the names and types of cuda.h.
#![allow(unsafe_code, reason = "the interface is one of C")]
#![allow(non_snake_case, reason = "the names are those of the driver")]

use crate::{
    codes::*,
    gpu::{self, GPUS, Gpu, Launch, Stream},
    settings::SETTINGS,
};
use std::{
    cell::RefCell,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr, slice,
    sync::atomic::{AtomicBool, Ordering},
};

type Handle = *mut c_void;

const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const COMPUTE_CAPABILITY_MINOR: c_int = 76;
const CLOCK_RATE: c_int = 13;
const MULTIPROCESSORS: c_int = 16;
const JIT_ERROR_LOG: c_int = 5;
const JIT_ERROR_LOG_SIZE: c_int = 6;
const MAX_DYNAMIC_SHARED: c_int = 8;
const STREAM_NON_BLOCKING: c_uint = 1;

static IS_STARTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The contexts of the thread, the current one last. A context is the number of its GPU plus 1.
    static CONTEXTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

fn code(result: Result<(), Code>) -> Code {
    result.map_or_else(|code| code, |()| SUCCESS)
}

fn started() -> Result<(), Code> {
    if IS_STARTED.load(Ordering::Relaxed) { Ok(()) } else { Err(ERROR_NOT_INITIALIZED) }
}

/// Writes what a function answers.
///
/// # Safety
/// `out` is null or may be written.
unsafe fn answer<T>(out: *mut T, value: Result<T, Code>) -> Code {
    match value {
        Ok(_) if out.is_null() => ERROR_INVALID_VALUE,
        Ok(value) => {
            // SAFETY: it may be written.
            unsafe { out.write(value) };
            SUCCESS
        }
        Err(code) => code,
    }
}

/// Acts on the GPU of the current context.
pub(crate) fn current<T>(action: impl FnOnce(&mut Gpu) -> Result<T, Code>) -> Result<T, Code> {
    started()?;
    let context = CONTEXTS.with_borrow(|contexts| contexts.last().copied()).filter(|context| *context > 0);
    gpu::with(context.ok_or(ERROR_INVALID_CONTEXT)? - 1, action)
}

fn ordinal(device: c_int) -> Result<usize, Code> {
    started()?;
    usize::try_from(device).ok().filter(|device| *device < GPUS.len()).ok_or(ERROR_INVALID_DEVICE)
}

fn pointer(handle: usize) -> Handle {
    ptr::without_provenance_mut(handle)
}

/// Copies to memory of the host that a caller has given for it.
pub(crate) fn copy_to_host(target: usize, bytes: &[u8]) {
    // SAFETY: the caller of cuMemcpyDtoH has given room for as many bytes until the copy is done.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(target).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}

/// Prints as C does, which holds text back.
pub(crate) fn print(text: &[u8]) {
    for byte in text {
        // SAFETY: it takes any byte.
        unsafe { libc::putchar(c_int::from(*byte)) };
    }
}

#[unsafe(no_mangle)]
extern "system" fn cuInit(_flags: c_uint) -> Code {
    if SETTINGS.devices == 0 {
        return ERROR_NO_DEVICE;
    }
    IS_STARTED.store(true, Ordering::Relaxed);
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDriverGetVersion(version: *mut c_int) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(version, Ok(13000)) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuGetErrorName(error: Code, text: *mut *const c_char) -> Code {
    let name = describe(error).ok_or(ERROR_INVALID_VALUE).map(|(name, _)| name.as_ptr());
    // SAFETY: as of the driver.
    unsafe { answer(text, name) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuGetErrorString(error: Code, text: *mut *const c_char) -> Code {
    let meaning = describe(error).ok_or(ERROR_INVALID_VALUE).map(|(_, meaning)| meaning.as_ptr());
    // SAFETY: as of the driver.
    unsafe { answer(text, meaning) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDeviceGetCount(count: *mut c_int) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(count, started().map(|()| GPUS.len() as c_int)) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDeviceGet(device: *mut c_int, number: c_int) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(device, ordinal(number).map(|_| number)) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> Code {
    let result = ordinal(device).and_then(|_| {
        let text = format!("PTX machine, sm_{}{}\0", SETTINGS.capability.0, SETTINGS.capability.1);
        if name.is_null() || (len as usize) < text.len() {
            return Err(ERROR_INVALID_VALUE);
        }
        // SAFETY: there is room for `len` bytes.
        unsafe { name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(())
    });
    code(result)
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> Code {
    let found = ordinal(device).and_then(|_| match attribute {
        COMPUTE_CAPABILITY_MAJOR => Ok(SETTINGS.capability.0 as c_int),
        COMPUTE_CAPABILITY_MINOR => Ok(SETTINGS.capability.1 as c_int),
        // In thousands of cycles per second: as slow as it is.
        CLOCK_RATE => Ok(1000),
        MULTIPROCESSORS => Ok(1),
        _ => Err(ERROR_NOT_SUPPORTED),
    });
    // SAFETY: as of the driver.
    unsafe { answer(value, found) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> Code {
    let retained = ordinal(device).and_then(|ordinal| {
        gpu::with(ordinal, |gpu| {
            gpu.retained += 1;
            Ok(pointer(ordinal + 1))
        })
    });
    // SAFETY: as of the driver.
    unsafe { answer(context, retained) }
}

#[unsafe(no_mangle)]
extern "system" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Code {
    let result = ordinal(device).and_then(|ordinal| {
        let is_last = gpu::with(ordinal, |gpu| {
            gpu.retained = gpu.retained.checked_sub(1).ok_or(ERROR_INVALID_CONTEXT)?;
            Ok(gpu.retained == 0)
        })?;
        if is_last { gpu::reset(ordinal) } else { Ok(()) }
    });
    code(result)
}

#[unsafe(no_mangle)]
extern "system" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> Code {
    code(ordinal(device).and_then(gpu::reset))
}

#[unsafe(no_mangle)]
extern "system" fn cuCtxPushCurrent_v2(context: Handle) -> Code {
    if context.addr() == 0 || context.addr() > GPUS.len() {
        return ERROR_INVALID_CONTEXT;
    }
    CONTEXTS.with_borrow_mut(|contexts| contexts.push(context.addr()));
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuCtxPopCurrent_v2(context: *mut Handle) -> Code {
    let popped = CONTEXTS.with_borrow_mut(Vec::pop).map(pointer).ok_or(ERROR_INVALID_CONTEXT);
    // SAFETY: as of the driver.
    unsafe { answer(context, popped) }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuCtxGetCurrent(context: *mut Handle) -> Code {
    let context_now = CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0));
    // SAFETY: as of the driver.
    unsafe { answer(context, started().map(|()| pointer(context_now))) }
}

#[unsafe(no_mangle)]
extern "system" fn cuCtxSetCurrent(context: Handle) -> Code {
    if context.addr() > GPUS.len() {
        return ERROR_INVALID_CONTEXT;
    }
    CONTEXTS.with_borrow_mut(|contexts| {
        contexts.pop();
        contexts.push(context.addr());
    });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuCtxGetDevice(device: *mut c_int) -> Code {
    let context = CONTEXTS.with_borrow(|contexts| contexts.last().copied()).filter(|context| *context > 0);
    // SAFETY: as of the driver.
    unsafe { answer(device, context.map(|context| context as c_int - 1).ok_or(ERROR_INVALID_CONTEXT)) }
}

#[unsafe(no_mangle)]
extern "system" fn cuCtxSetLimit(_limit: c_int, _value: usize) -> Code {
    // Nothing printed is ever lost.
    code(current(|_| Ok(())))
}

#[unsafe(no_mangle)]
extern "system" fn cuCtxSynchronize() -> Code {
    code(current(Gpu::finish_all))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Code {
    // SAFETY: as of the driver.
    unsafe {
        match answer(free, current(|gpu| Ok(gpu.free_memory()))) {
            SUCCESS => answer(total, Ok(SETTINGS.memory)),
            code => code,
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(address, current(|gpu| gpu.allocate(bytes))) }
}

#[unsafe(no_mangle)]
extern "system" fn cuMemFree_v2(address: u64) -> Code {
    code(current(|gpu| gpu.free(address)))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle) -> Code {
    // SAFETY: as of the driver: there are as many bytes.
    let content = unsafe { slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
    code(current(|gpu| gpu.write(to, content, stream.addr())))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: Handle) -> Code {
    code(current(|gpu| gpu.read(to.expose_provenance(), from, bytes, stream.addr())))
}

#[unsafe(no_mangle)]
extern "system" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) -> Code {
    code(current(|gpu| gpu.copy(to, from, bytes, stream.addr())))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> Code {
    // SAFETY: as of the driver: there are as many bytes.
    let content = unsafe { slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
    code(current(|gpu| gpu.write(to, content, 0).and_then(|()| gpu.finish(0))))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> Code {
    code(current(|gpu| gpu.read(to.expose_provenance(), from, bytes, 0).and_then(|()| gpu.finish(0))))
}

/// Says of an address whether it lies in memory of the GPU: of all attributes, only the type of memory is known.
#[unsafe(no_mangle)]
unsafe extern "system" fn cuPointerGetAttribute(data: *mut c_void, attribute: c_int, address: u64) -> Code {
    const MEMORY_TYPE: c_int = 2;
    const ON_DEVICE: c_uint = 2;
    let found = current(|gpu| match attribute {
        MEMORY_TYPE if gpu.has(address) => Ok(ON_DEVICE),
        MEMORY_TYPE => Err(ERROR_INVALID_VALUE),
        _ => Err(ERROR_NOT_SUPPORTED),
    });
    // SAFETY: as of the driver.
    unsafe { answer(data.cast(), found) }
}

/// The bytes of an ELF file, which says itself how many they are.
///
/// # Safety
/// There is a whole ELF file of 64 bits.
unsafe fn elf<'i>(image: *const u8) -> &'i [u8] {
    // SAFETY: its header, and then its table of sections.
    let header = unsafe { slice::from_raw_parts(image, 64) };
    let number =
        |bytes: &[u8], at: usize, len: usize| bytes[at..at + len].iter().rev().fold(0, |word, byte| word << 8 | usize::from(*byte));
    let (table, size, count) = (number(header, 40, 8), number(header, 58, 2), number(header, 60, 2));
    let segments = number(header, 32, 8) + number(header, 54, 2) * number(header, 56, 2);
    // SAFETY: as above.
    let sections = unsafe { slice::from_raw_parts(image.add(table), size * count) };
    const WITHOUT_BYTES: usize = 8;
    let ends = sections.chunks_exact(size).filter(|section| number(section, 4, 4) != WITHOUT_BYTES);
    let end =
        ends.map(|section| number(section, 24, 8) + number(section, 32, 8)).chain([table + size * count, segments]).max().unwrap_or(0);
    // SAFETY: all of its parts lie before this end.
    unsafe { slice::from_raw_parts(image, end) }
}

/// # Safety
/// As of the driver: the image is text that ends with a zero, or a cubin; options have the values that cuda.h says.
#[unsafe(no_mangle)]
unsafe extern "system" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *const *mut c_void,
) -> Code {
    // SAFETY: either has as many bytes.
    let is_elf = unsafe { slice::from_raw_parts(image.cast::<u8>(), 1)[0] == 0x7F };
    let mut message = String::new();
    let loaded = current(|gpu| {
        let loaded = if is_elf {
            // SAFETY: no text of PTX begins like this.
            gpu.load_cubin(unsafe { elf(image.cast()) })
        } else {
            // SAFETY: the image is text that ends with a zero.
            gpu.load(&unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy())
        };
        loaded.map(pointer).map_err(|(code, why)| {
            message = why;
            code
        })
    });
    let (mut log, mut size) = (ptr::null_mut::<u8>(), 0);
    for index in 0..count as usize {
        // SAFETY: there are as many options and values.
        match unsafe { (options.add(index).read(), values.add(index).read()) } {
            (JIT_ERROR_LOG, value) => log = value.cast(),
            (JIT_ERROR_LOG_SIZE, value) => size = value.addr(),
            _ => return ERROR_NOT_SUPPORTED,
        }
    }
    if !log.is_null() && size > 0 {
        let len = message.len().min(size - 1);
        // SAFETY: the log has `size` bytes.
        unsafe {
            log.copy_from_nonoverlapping(message.as_ptr(), len);
            log.add(len).write(0);
        }
    }
    // SAFETY: as of the driver.
    unsafe { answer(module, loaded) }
}

#[unsafe(no_mangle)]
extern "system" fn cuModuleUnload(module: Handle) -> Code {
    code(current(|gpu| gpu.unload(module.addr())))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuModuleGetFunction(kernel: *mut Handle, module: Handle, name: *const c_char) -> Code {
    // SAFETY: the name ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    // SAFETY: as of the driver.
    unsafe { answer(kernel, current(|gpu| gpu.kernel(module.addr(), &name)).map(pointer)) }
}

#[unsafe(no_mangle)]
extern "system" fn cuFuncSetAttribute(kernel: Handle, attribute: c_int, value: c_int) -> Code {
    code(current(|gpu| match attribute {
        MAX_DYNAMIC_SHARED if value >= 0 => gpu.allow_dynamic_shared(kernel.addr(), value as u32),
        _ => Err(ERROR_INVALID_VALUE),
    }))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuLaunchKernel(
    kernel: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    dynamic_shared: c_uint,
    stream: Handle,
    params: *const *const c_void,
    extra: *mut *mut c_void,
) -> Code {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let launch = Launch { kernel: kernel.addr(), grid, block, dynamic_shared, stream: stream.addr() };
    let result = current(|gpu| {
        if !extra.is_null() {
            return Err(ERROR_NOT_SUPPORTED);
        }
        let sizes = gpu.params(launch.kernel)?;
        let args = sizes.iter().enumerate().map(|(index, size)| {
            let mut word = [0; 8];
            // SAFETY: there is a pointer for each parameter, to as many bytes as it has.
            unsafe { word.as_mut_ptr().copy_from_nonoverlapping(params.add(index).read().cast(), (*size).min(8)) };
            u64::from_le_bytes(word)
        });
        let args = args.collect();
        gpu.launch(&launch, args)
    });
    code(result)
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> Code {
    let created = current(|gpu| Ok(pointer(gpu.new_stream(flags & STREAM_NON_BLOCKING == 0))));
    // SAFETY: as of the driver.
    unsafe { answer(stream, created) }
}

/// The context of the GPU that has made it.
#[unsafe(no_mangle)]
unsafe extern "system" fn cuStreamGetCtx(stream: Handle, context: *mut Handle) -> Code {
    let has = |ordinal: &usize| gpu::with(*ordinal, |gpu| gpu.check_stream(stream.addr())).is_ok();
    let found = (0..GPUS.len()).find(has).map(|ordinal| pointer(ordinal + 1)).ok_or(ERROR_INVALID_HANDLE);
    // SAFETY: as of the driver.
    unsafe { answer(context, found) }
}

#[unsafe(no_mangle)]
extern "system" fn cuStreamDestroy_v2(stream: Handle) -> Code {
    code(current(|gpu| gpu.destroy_stream(stream.addr())))
}

#[unsafe(no_mangle)]
extern "system" fn cuStreamSynchronize(stream: Handle) -> Code {
    code(current(|gpu| gpu.finish(stream.addr() as Stream)))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuEventCreate(event: *mut Handle, _flags: c_uint) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(event, current(|gpu| Ok(pointer(gpu.new_event())))) }
}

#[unsafe(no_mangle)]
extern "system" fn cuEventDestroy_v2(event: Handle) -> Code {
    code(current(|gpu| gpu.destroy_event(event.addr())))
}

#[unsafe(no_mangle)]
extern "system" fn cuEventRecord(event: Handle, stream: Handle) -> Code {
    code(current(|gpu| gpu.record(event.addr(), stream.addr())))
}

#[unsafe(no_mangle)]
unsafe extern "system" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> Code {
    // SAFETY: as of the driver.
    unsafe { answer(milliseconds, current(|gpu| gpu.elapsed(start.addr(), end.addr()))) }
}
