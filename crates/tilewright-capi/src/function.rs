//! The functions of a module.
#![expect(unsafe_code, reason = "C gives pointers, and takes them")]

use crate::{
    boundary::reference,
    buffer::{fill, tw_buffer},
    error::{Failure, tw_error},
    module::tw_module,
};
use tilewright_ir::{Function, Module};

/// What a function is.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum tw_function_kind {
    /// There is no such function.
    TW_FUNCTION_NONE = 0,
    /// An entry: the host can launch it.
    TW_FUNCTION_ENTRY = 1,
    /// A function that others call.
    TW_FUNCTION_DEVICE = 2,
}

/// A function of a module.
///
/// # Safety
/// `module` is null or a module that nobody frees for `'a`.
unsafe fn function<'a>(module: *const tw_module, index: usize) -> Result<(&'a Module, &'a Function), Failure> {
    // SAFETY: as the caller promises.
    let module = &unsafe { reference(module, "module")? }.0;
    let count = module.functions.len();
    let function =
        module.functions.get(index).ok_or_else(|| Failure::argument(format!("function {index} does not exist: there are {count}")));
    Ok((module, function?))
}

/// How many functions a module has; 0 for NULL.
///
/// # Safety
/// `module` is NULL or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_function_count(module: *const tw_module) -> usize {
    // SAFETY: as the caller promises.
    unsafe { module.as_ref() }.map_or(0, |module| module.0.functions.len())
}

/// What a function is, by its position; `TW_FUNCTION_NONE` if there is none.
///
/// # Safety
/// `module` is NULL or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_function_get_kind(module: *const tw_module, index: usize) -> tw_function_kind {
    // SAFETY: as the caller promises.
    match unsafe { function(module, index) } {
        Ok((_, function)) if function.is_entry => tw_function_kind::TW_FUNCTION_ENTRY,
        Ok(_) => tw_function_kind::TW_FUNCTION_DEVICE,
        Err(_) => tw_function_kind::TW_FUNCTION_NONE,
    }
}

/// Gives the name of a function. Names are bytes; those that are not UTF-8 come as they are.
///
/// # Safety
/// `module` is NULL or a module; `out` and `error` are NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_function_name(module: *const tw_module, index: usize, out: *mut tw_buffer, error: *mut *mut tw_error) -> bool {
    // SAFETY: as the caller promises.
    unsafe { fill(out, error, || function(module, index).map(|(module, function)| module.tables.strings.bytes(function.name).to_vec())) }
}

/// How many parameters a function has; 0 if there is no such function.
///
/// # Safety
/// `module` is NULL or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_function_parameter_count(module: *const tw_module, index: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { function(module, index) }.map_or(0, |(module, function)| function.params(&module.tables).len())
}

/// Gives the type of a parameter as text, such as `tile<ptr<f32>>`.
///
/// # Safety
/// `module` is NULL or a module; `out` and `error` are NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_function_parameter_type(
    module: *const tw_module,
    index: usize,
    parameter: usize,
    out: *mut tw_buffer,
    error: *mut *mut tw_error,
) -> bool {
    let text = || {
        // SAFETY: as the caller promises.
        let (module, function) = unsafe { function(module, index)? };
        let params = function.params(&module.tables);
        let missing = || Failure::argument(format!("parameter {parameter} does not exist: there are {}", params.len()));
        let ty = params.get(parameter).ok_or_else(missing)?;
        Ok(tilewright_text::print_type(module, *ty).into_bytes())
    };
    // SAFETY: as the caller promises.
    unsafe { fill(out, error, text) }
}
