//! Bytes that the library makes and C owns.
#![expect(unsafe_code, reason = "C gives pointers, and takes them")]

use crate::{
    boundary::{guarded, put},
    error::{Failure, tw_error},
};
use std::{ffi::c_char, ptr};

/// Bytes that the caller owns: a file, or text.
///
/// A NUL that `length` does not count follows the bytes, so that text can be used as a C string. Free it with
/// `tw_buffer_free`, and do not change the fields.
#[repr(C)]
#[derive(Debug)]
pub struct tw_buffer {
    /// The bytes; NULL in an empty buffer that owns nothing.
    pub data: *mut c_char,
    /// How many bytes there are.
    pub length: usize,
}

impl tw_buffer {
    const EMPTY: tw_buffer = tw_buffer { data: ptr::null_mut(), length: 0 };

    fn new(mut bytes: Vec<u8>) -> tw_buffer {
        let length = bytes.len();
        bytes.push(0);
        // The box has exactly `length + 1` bytes, which is what freeing needs to know.
        tw_buffer { data: Box::into_raw(bytes.into_boxed_slice()).cast::<c_char>(), length }
    }
}

/// Runs the body of a function that fills a buffer.
///
/// # Safety
/// `out` and `error` are null or can be written.
pub(crate) unsafe fn fill(out: *mut tw_buffer, error: *mut *mut tw_error, body: impl FnOnce() -> Result<Vec<u8>, Failure>) -> bool {
    let checked = || if out.is_null() { Err(Failure::argument("out is NULL".to_owned())) } else { body() };
    // SAFETY: the caller promises that the pointers can be written.
    unsafe {
        let made = guarded(error, || checked().map(tw_buffer::new));
        let succeeded = made.is_some();
        put(out, made.unwrap_or(tw_buffer::EMPTY));
        succeeded
    }
}

/// Frees the bytes of a buffer and makes it empty. Does nothing for NULL and for an empty buffer.
///
/// # Safety
/// `buffer` is NULL, or points to a buffer that a function of this library filled and nobody changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_buffer_free(buffer: *mut tw_buffer) {
    // SAFETY: the caller promises that a pointer that is not null points to a buffer.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return };
    let tw_buffer { data, length } = std::mem::replace(buffer, tw_buffer::EMPTY);
    if !data.is_null() {
        // SAFETY: the bytes come from a boxed slice of `length + 1` bytes.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(data.cast::<u8>(), length + 1)) });
    }
}
