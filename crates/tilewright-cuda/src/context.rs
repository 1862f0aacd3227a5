//! What a program has on a GPU: buffers, streams and events.
#![allow(unsafe_code, reason = "the driver's interface is one of C")]

use crate::{
    Device, Driver,
    api::{self, Code, Functions, Handle},
    error::{CudaError, OUT_OF_MEMORY},
};
use std::{fmt, ptr, sync::Arc};

/// The primary context of a GPU. Clones are the same context.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    handle: Handle,
}

// SAFETY: the driver's functions may be called by any thread; each call here makes the context current for the thread that calls.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: it was retained once for this. A failure would have nobody to hear of it.
        let _ = unsafe { (self.device.driver.functions().release)(self.device.handle) };
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("device", &self.device().ordinal()).finish_non_exhaustive()
    }
}

impl Context {
    pub(crate) fn new(device: Device, handle: Handle) -> Context {
        Context { inner: Arc::new(Inner { device, handle }) }
    }

    /// Its GPU.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    pub(crate) fn driver(&self) -> &Driver {
        &self.inner.device.driver
    }

    /// Calls functions of the driver while the context is current.
    pub(crate) fn call(&self, action: impl FnOnce() -> String, call: impl FnOnce(&Functions) -> Code) -> Result<(), CudaError> {
        match self.try_call(call) {
            0 => Ok(()),
            code => Err(CudaError::Driver(Box::new(self.driver().failure(code, action(), None)))),
        }
    }

    /// The same, and gives the driver's result.
    pub(crate) fn try_call(&self, call: impl FnOnce(&Functions) -> Code) -> Code {
        let functions = self.driver().functions();
        // SAFETY: the context lives as long as this.
        let pushed = unsafe { (functions.push)(self.inner.handle) };
        if pushed != 0 {
            return pushed;
        }
        let code = call(functions);
        let mut popped = ptr::null_mut();
        // SAFETY: it writes a handle, the one that was pushed.
        let _ = unsafe { (functions.pop)(&raw mut popped) };
        code
    }

    /// Sets how many bytes of what kernels print are kept until somebody waits for them; of more, the oldest are lost.
    ///
    /// # Errors
    /// When a kernel that prints has been launched before.
    pub fn keep_printed(&self, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: it takes numbers.
        self.call(|| "make room for what kernels print".to_owned(), |driver| unsafe { (driver.limit)(api::PRINTF_FIFO, bytes) })
    }

    /// Memory of the GPU, whose content is not defined.
    ///
    /// # Errors
    /// When there is not enough.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer, CudaError> {
        let mut address = 0;
        if bytes > 0 {
            // SAFETY: it writes an address, which is freed when the buffer is dropped.
            let code = self.try_call(|driver| unsafe { (driver.allocate)(&raw mut address, bytes) });
            if code != 0 {
                return Err(self.not_allocated(code, bytes));
            }
        }
        Ok(Buffer { context: self.clone(), address, bytes })
    }

    fn not_allocated(&self, code: Code, bytes: usize) -> CudaError {
        let (mut free, mut total) = (0, 0);
        // SAFETY: it writes numbers.
        let known = code == OUT_OF_MEMORY && self.try_call(|driver| unsafe { (driver.memory_info)(&raw mut free, &raw mut total) }) == 0;
        let detail = known.then(|| format!("{free} bytes of {total} are free"));
        let action = format!("allocate {bytes} bytes on GPU {}", self.device().ordinal());
        CudaError::Driver(Box::new(self.driver().failure(code, action, detail)))
    }

    /// A stream of its own: it waits for no other one.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn stream(&self) -> Result<Stream, CudaError> {
        let mut handle = ptr::null_mut();
        // SAFETY: it writes a handle, which is destroyed when the stream is dropped.
        let create = |driver: &Functions| unsafe { (driver.create_stream)(&raw mut handle, api::STREAM_NON_BLOCKING) };
        self.call(|| "make a stream".to_owned(), create)?;
        Ok(Stream { context: self.clone(), handle, is_owned: true })
    }

    /// A stream that others have made: its handle as a number, 0 for the default stream.
    ///
    /// # Safety
    /// The handle is one of a stream of this context, for as long as what is returned is used.
    pub unsafe fn foreign_stream(&self, handle: usize) -> Stream {
        Stream { context: self.clone(), handle: ptr::without_provenance_mut(handle), is_owned: false }
    }

    /// An event, to measure time.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn event(&self) -> Result<Event, CudaError> {
        let mut handle = ptr::null_mut();
        // SAFETY: it writes a handle, which is destroyed when the event is dropped.
        self.call(|| "make an event".to_owned(), |driver| unsafe { (driver.create_event)(&raw mut handle, 0) })?;
        Ok(Event { context: self.clone(), handle })
    }

    /// Ends all that the process has on this GPU, so that it can be used again after a kernel has failed.
    ///
    /// # Errors
    /// When something of this crate still lies in the context, or the driver fails.
    pub fn reset(self) -> Result<(), CudaError> {
        if Arc::strong_count(&self.inner) > 1 {
            return Err(CudaError::Invalid(format!("the context of GPU {} is in use and cannot be reset", self.device().ordinal())));
        }
        let device = self.device();
        // SAFETY: this is all that the crate has of the context.
        let code = unsafe { (self.driver().functions().reset)(device.handle) };
        self.driver().check(code, || format!("reset GPU {}", device.ordinal()))
    }
}

/// Memory of a GPU.
#[derive(Debug)]
pub struct Buffer {
    context: Context,
    address: u64,
    bytes: usize,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: it was allocated for this. A failure would have nobody to hear of it.
            let _ = self.context.try_call(|driver| unsafe { (driver.free)(self.address) });
        }
    }
}

impl Buffer {
    /// Its address, a multiple of 256; 0 if it is empty.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    fn has(&self, bytes: usize) -> Result<(), CudaError> {
        let fits = bytes == self.bytes;
        fits.then_some(()).ok_or_else(|| CudaError::Invalid(format!("{bytes} bytes are copied to or from a buffer of {}", self.bytes)))
    }
}

/// What is done in order.
pub struct Stream {
    context: Context,
    handle: Handle,
    is_owned: bool,
}

// SAFETY: as of contexts.
unsafe impl Send for Stream {}
// SAFETY: as of contexts.
unsafe impl Sync for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_owned {
            // SAFETY: it was made for this. A failure would have nobody to hear of it.
            let _ = self.context.try_call(|driver| unsafe { (driver.destroy_stream)(self.handle) });
        }
    }
}

impl Stream {
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    /// The context that it lies in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Waits for all that was begun before.
    ///
    /// # Errors
    /// When something of it has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: the stream lives as long as this.
        self.context.call(|| "run the kernel".to_owned(), |driver| unsafe { (driver.synchronize)(self.handle) })
    }

    /// Fills a buffer, and waits until that is done.
    ///
    /// # Errors
    /// When the numbers of bytes differ, or something failed before.
    pub fn write(&self, buffer: &Buffer, content: &[u8]) -> Result<(), CudaError> {
        buffer.has(content.len())?;
        if content.is_empty() {
            return Ok(());
        }
        let copy = |driver: &Functions| {
            // SAFETY: both have as many bytes, and live until the stream was waited for.
            let code = unsafe { (driver.copy_in)(buffer.address, content.as_ptr().cast(), content.len(), self.handle) };
            // SAFETY: the stream lives as long as this.
            let waited = unsafe { (driver.synchronize)(self.handle) };
            if code != 0 { code } else { waited }
        };
        self.context.call(|| format!("copy {} bytes to GPU {}", content.len(), self.context.device().ordinal()), copy)
    }

    /// Reads a buffer when all is done that was begun before.
    ///
    /// # Errors
    /// When the numbers of bytes differ, or something failed before.
    pub fn read(&self, buffer: &Buffer, content: &mut [u8]) -> Result<(), CudaError> {
        buffer.has(content.len())?;
        if content.is_empty() {
            return Ok(());
        }
        let copy = |driver: &Functions| {
            // SAFETY: both have as many bytes, and live until the stream was waited for.
            let code = unsafe { (driver.copy_out)(content.as_mut_ptr().cast(), buffer.address, content.len(), self.handle) };
            // SAFETY: the stream lives as long as this.
            let waited = unsafe { (driver.synchronize)(self.handle) };
            if code != 0 { code } else { waited }
        };
        let bytes = buffer.bytes;
        self.context.call(|| format!("copy {bytes} bytes from GPU {}", self.context.device().ordinal()), copy)
    }

    /// Begins to copy a buffer to another one.
    ///
    /// # Errors
    /// When the numbers of bytes differ, or something failed before.
    pub fn copy(&self, from: &Buffer, to: &Buffer) -> Result<(), CudaError> {
        to.has(from.bytes)?;
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: both have as many bytes; the driver waits for copies of what is freed.
        let copy = |driver: &Functions| unsafe { (driver.copy)(to.address, from.address, from.bytes, self.handle) };
        self.context.call(|| "copy between buffers of a GPU".to_owned(), copy)
    }

    /// Lets an event note the time when all is done that was begun before.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn record(&self, event: &Event) -> Result<(), CudaError> {
        // SAFETY: both live as long as this.
        self.context.call(|| "note a time".to_owned(), |driver| unsafe { (driver.record)(event.handle, self.handle) })
    }
}

/// A time on a stream.
pub struct Event {
    context: Context,
    handle: Handle,
}

// SAFETY: as of contexts.
unsafe impl Send for Event {}
// SAFETY: as of contexts.
unsafe impl Sync for Event {}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").finish_non_exhaustive()
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: it was made for this. A failure would have nobody to hear of it.
        let _ = self.context.try_call(|driver| unsafe { (driver.destroy_event)(self.handle) });
    }
}

impl Event {
    /// The seconds from an earlier event to this one, on the GPU's own clock, to half a microsecond. Both must have been recorded on streams that
    /// were waited for.
    ///
    /// # Errors
    /// When one was not, or something failed before.
    pub fn seconds_since(&self, earlier: &Event) -> Result<f64, CudaError> {
        let mut milliseconds = 0.0;
        let ask = |driver: &Functions| {
            // SAFETY: it writes a number; both live as long as this.
            unsafe { (driver.elapsed)(&raw mut milliseconds, earlier.handle, self.handle) }
        };
        self.context.call(|| "measure a time".to_owned(), ask)?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}
