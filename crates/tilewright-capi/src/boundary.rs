//! Where C meets Rust: pointers become references or errors, panics become errors.
#![expect(unsafe_code, reason = "C gives pointers, and takes them")]

use crate::error::{Failure, tw_error};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};

/// Runs the body of a function of the interface: `None` and an error where it fails or panics.
///
/// # Safety
/// `error` is null or can be written.
pub(crate) unsafe fn guarded<T>(error: *mut *mut tw_error, body: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
    // Whatever a panic left half done is not looked at again: results are written after the body has ended.
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(Failure::panic()));
    let (value, failure) = match outcome {
        Ok(value) => (Some(value), None),
        Err(failure) => (None, Some(failure)),
    };
    if !error.is_null() {
        // SAFETY: the caller promises that a pointer that is not null can be written.
        unsafe { error.write(failure.map_or(std::ptr::null_mut(), |failure| Box::into_raw(Box::new(tw_error::new(failure))))) };
    }
    value
}

/// What a pointer points to.
///
/// # Safety
/// `pointer` is null, or points to a `T` that nobody changes for `'a`.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::argument(format!("{name} is NULL")))
}

/// The bytes that a pointer and a length name; none where the length is 0.
///
/// # Safety
/// `data` is null, or points to `length` bytes that nobody changes for `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const u8, length: usize, name: &str) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Failure::argument(format!("{name} is NULL, and its length is {length}")));
    }
    if isize::try_from(length).is_err() {
        return Err(Failure::argument(format!("{name} cannot have {length} bytes")));
    }
    // SAFETY: the pointer is not null, the length is in range, and the caller promises the rest.
    Ok(unsafe { slice::from_raw_parts(data, length) })
}

/// Writes a result where C wants it.
///
/// # Safety
/// `pointer` is null or can be written.
pub(crate) unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller promises.
        unsafe { pointer.write(value) };
    }
}

/// A value on the heap, which C owns.
pub(crate) fn give<T>(value: Option<T>) -> *mut T {
    value.map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// Frees a value that [`give`] gave.
///
/// # Safety
/// `pointer` is null, or comes from [`give`] and was not freed.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: it came from a box of this type, which the caller promises to be alive.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{tw_error_count, tw_error_free, tw_error_message};
    use std::{ffi::CStr, ptr};

    #[test]
    fn a_panic_becomes_an_error() {
        let mut error = ptr::null_mut();
        // SAFETY: the error can be written, and is freed once.
        unsafe {
            let value = guarded(&raw mut error, || -> Result<u8, Failure> { panic!("a mistake") });
            assert_eq!((value, tw_error_count(error)), (None, 1));
            assert_eq!(CStr::from_ptr(tw_error_message(error)), c"the library made a mistake: please report it");
            tw_error_free(error);
        }
    }
}
