//! The functions of cuBLAS that multiply matrices, with the names and types of cublas_api.h: for tests of what is compared with it.
#![allow(unsafe_code, reason = "the interface is one of C")]
#![allow(non_snake_case, reason = "the names are those of cuBLAS")]

use crate::{
    codes::SUCCESS,
    exports::current,
    product::{Element, Matrix, Product},
};
use std::{
    cell::Cell,
    ffi::{c_int, c_longlong, c_void},
    ptr,
};

type Handle = *mut c_void;
type Status = c_int;

const INVALID_VALUE: Status = 7;
const EXECUTION_FAILED: Status = 13;
const NOT_SUPPORTED: Status = 15;
const VERSION: c_int = 130_100;

thread_local! {
    /// The stream that products are begun on.
    static STREAM: Cell<usize> = const { Cell::new(0) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasCreate_v2(handle: *mut Handle) -> Status {
    // SAFETY: as of cuBLAS.
    unsafe { handle.write(ptr::without_provenance_mut(1)) };
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasDestroy_v2(_handle: Handle) -> Status {
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasGetVersion_v2(_handle: Handle, version: *mut c_int) -> Status {
    // SAFETY: as of cuBLAS.
    unsafe { version.write(VERSION) };
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasSetStream_v2(_handle: Handle, stream: Handle) -> Status {
    STREAM.set(stream.addr());
    SUCCESS
}

/// Takes products of matrices that are not transposed, with the factors one and zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn cublasGemmStridedBatchedEx(
    _handle: Handle,
    transposed_a: c_int,
    transposed_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    a: *const c_void,
    type_a: c_int,
    leading_a: c_int,
    step_a: c_longlong,
    b: *const c_void,
    type_b: c_int,
    leading_b: c_int,
    step_b: c_longlong,
    beta: *const c_void,
    c: *mut c_void,
    type_c: c_int,
    leading_c: c_int,
    step_c: c_longlong,
    batch: c_int,
    sums: c_int,
    _algorithm: c_int,
) -> Status {
    let (one, bytes) = match sums {
        68 | 77 => (u64::from(1f32.to_bits()), 4),
        70 => (1f64.to_bits(), 8),
        72 => (1, 4),
        _ => return NOT_SUPPORTED,
    };
    let number = |factor: *const c_void| {
        let mut word = [0; 8];
        // SAFETY: as of cuBLAS: it has the type of the sums.
        unsafe { word.as_mut_ptr().copy_from_nonoverlapping(factor.cast(), bytes) };
        u64::from_le_bytes(word)
    };
    if transposed_a != 0 || transposed_b != 0 || number(alpha) != one || number(beta) != 0 {
        return NOT_SUPPORTED;
    }
    if [m, n, k, batch].iter().any(|extent| *extent < 1) || leading_a < m || leading_b < k || leading_c < m {
        return INVALID_VALUE;
    }
    let matrix = |address: *const c_void, element, leading: c_int, step: c_longlong| {
        Some(Matrix { address: address.addr() as u64, element: Element::of(element)?, leading: leading as usize, step: step as usize })
    };
    let matrices = (matrix(a, type_a, leading_a, step_a), matrix(b, type_b, leading_b, step_b), matrix(c, type_c, leading_c, step_c));
    let (Some(a), Some(b), Some(c)) = matrices else { return NOT_SUPPORTED };
    let product = Product { extents: [m, n, k].map(|extent| extent as usize), batch: batch as usize, matrices: [a, b, c] };
    current(|gpu| gpu.multiply(product, STREAM.get())).map_or(EXECUTION_FAILED, |()| SUCCESS)
}
