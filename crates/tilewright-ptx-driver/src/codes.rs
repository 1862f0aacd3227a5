//! The results that functions give.

use std::ffi::{CStr, c_int};

/// A result: 0 is success.
pub(crate) type Code = c_int;

macro_rules! codes {
    ($($name:ident = $code:literal $text:literal;)*) => {
        $(pub(crate) const $name: Code = $code;)*

        /// The name of a result and what it means; `None` if there is none of this number.
        pub(crate) fn describe(code: Code) -> Option<(&'static CStr, &'static CStr)> {
            const fn string(text: &'static str) -> &'static CStr {
                match CStr::from_bytes_with_nul(text.as_bytes()) {
                    Ok(text) => text,
                    Err(_) => panic!("a zero within a text"),
                }
            }
            Some(match code {
                $($code => const { (string(concat!("CUDA_", stringify!($name), "\0")), string(concat!($text, "\0"))) },)*
                _ => return None,
            })
        }
    };
}

codes! {
    SUCCESS = 0 "no error";
    ERROR_INVALID_VALUE = 1 "invalid argument";
    ERROR_OUT_OF_MEMORY = 2 "out of memory";
    ERROR_NOT_INITIALIZED = 3 "initialization error";
    ERROR_NO_DEVICE = 100 "no CUDA-capable device is detected";
    ERROR_INVALID_DEVICE = 101 "invalid device ordinal";
    ERROR_INVALID_IMAGE = 200 "device kernel image is invalid";
    ERROR_INVALID_CONTEXT = 201 "invalid device context";
    ERROR_NO_BINARY_FOR_GPU = 209 "no kernel image is available for execution on the device";
    ERROR_INVALID_PTX = 218 "a PTX JIT compilation failed";
    ERROR_UNSUPPORTED_PTX_VERSION = 222 "the provided PTX was compiled with an unsupported toolchain.";
    ERROR_INVALID_HANDLE = 400 "invalid resource handle";
    ERROR_NOT_FOUND = 500 "named symbol not found";
    ERROR_NOT_READY = 600 "device not ready";
    ERROR_ILLEGAL_ADDRESS = 700 "an illegal memory access was encountered";
    ERROR_LAUNCH_TIMEOUT = 702 "the launch timed out and was terminated";
    ERROR_MISALIGNED_ADDRESS = 716 "misaligned address";
    ERROR_LAUNCH_FAILED = 719 "unspecified launch failure";
    ERROR_NOT_SUPPORTED = 801 "operation not supported";
}
