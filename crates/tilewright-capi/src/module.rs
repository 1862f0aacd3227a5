//! Modules: read, parsed, verified, optimised, printed and written.
#![expect(unsafe_code, reason = "C gives pointers, and takes them")]

use crate::{
    TW_PRINT_DEBUG_INFO, TW_PRINT_GENERIC, TW_PRINT_MODULE,
    boundary::{bytes, free, give, guarded, reference},
    buffer::{fill, tw_buffer},
    error::{Failure, tw_error},
};
use std::ffi::c_char;
use tilewright_bytecode::{FileKind, WriteOptions};
use tilewright_ir::{Module, VerifiedModule, Version};
use tilewright_passes::{Pipeline, RunOptions};
use tilewright_text::{ParseOptions, PrintOptions};

/// A module that may break rules of the dialect: it can be looked at, printed and verified.
#[repr(transparent)]
#[derive(Debug)]
pub struct tw_module(pub(crate) Module);

/// A module that passed verification: it can be written, too.
#[derive(Debug)]
pub struct tw_verified(VerifiedModule);

/// The version that a number names.
fn version(number: u32) -> Result<Version, Failure> {
    let unknown = || Failure::argument(format!("version {}.{} ({number:#x}) is not known", number >> 8, number & 0xff));
    let [0, 0, major, minor] = number.to_be_bytes() else { return Err(unknown()) };
    Version::from_numbers(major, minor).ok_or_else(unknown)
}

/// Reads bytecode of any version.
///
/// # Safety
/// `data` points to `length` bytes; `error` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_read(data: *const u8, length: usize, error: *mut *mut tw_error) -> *mut tw_module {
    // SAFETY: as the caller promises.
    let module =
        unsafe { guarded(error, || tilewright_bytecode::read(bytes(data, length, "data")?).map_err(|error| Failure::read(&error))) };
    give(module.map(tw_module))
}

/// Parses text, in any form that `tw_module_print` prints or people write. `version` is the version that the module is meant for,
/// such as `TW_VERSION_LATEST`: text does not say.
///
/// The error holds all mistakes of the text, up to a limit.
///
/// # Safety
/// `text` points to `length` bytes; `error` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_parse(text: *const c_char, length: usize, version: u32, error: *mut *mut tw_error) -> *mut tw_module {
    let parse = || {
        // SAFETY: as the caller promises.
        let bytes = unsafe { bytes(text.cast::<u8>(), length, "text")? };
        let options = ParseOptions::new().version(self::version(version)?);
        let kind = FileKind::of(bytes);
        if !matches!(kind, FileKind::Text | FileKind::Empty | FileKind::Unknown) {
            return Err(Failure::foreign(kind));
        }
        let source = tilewright_text::decode(bytes).map_err(|error| Failure::parse(&[error], bytes))?;
        tilewright_text::parse(source, &options).map_err(|errors| Failure::parse(&errors, bytes))
    };
    // SAFETY: as the caller promises.
    give(unsafe { guarded(error, parse) }.map(tw_module))
}

/// Verifies a module. After success the module is part of the result and `*module` is NULL; after a failure nothing has changed,
/// and the error holds the findings, up to a number; beyond it, the message says how many more there are.
///
/// # Safety
/// `module` is NULL or points to a module or NULL; `error` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_verify(module: *mut *mut tw_module, error: *mut *mut tw_error) -> *mut tw_verified {
    let verify = || {
        // SAFETY: as the caller promises.
        let handle = unsafe { module.as_mut() }.ok_or_else(|| Failure::argument("module is NULL".to_owned()))?;
        // SAFETY: as the caller promises.
        let inner = unsafe { handle.as_mut() }.ok_or_else(|| Failure::argument("*module is NULL".to_owned()))?;
        let taken = std::mem::replace(&mut inner.0, Module::new("", Version::LATEST));
        match tilewright_ir::try_verify(taken) {
            Ok(verified) => {
                // SAFETY: the caller gives up the module, and `*module` says so.
                unsafe { free(std::mem::replace(handle, std::ptr::null_mut())) };
                Ok(tw_verified(verified))
            }
            Err(rejected) => {
                let failure = Failure::verify(&rejected);
                inner.0 = rejected.module;
                Err(failure)
            }
        }
    };
    // SAFETY: as the caller promises.
    give(unsafe { guarded(error, verify) })
}

/// Runs passes on a verified module, which it replaces: `pipeline` is text such as `canonicalize,cse,dce`, or `-O` for the usual passes. The
/// names are those of `tilewright opt`, which `docs/passes.md` explains. After a failure, such as a name that is not known, the module is as
/// it was.
///
/// # Safety
/// `module` is NULL or a verified module that nothing else uses meanwhile; `pipeline` points to `length` bytes; `error` is NULL or can
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_optimize(
    module: *mut tw_verified,
    pipeline: *const c_char,
    length: usize,
    error: *mut *mut tw_error,
) -> bool {
    let optimize = || {
        // SAFETY: as the caller promises.
        let module = unsafe { module.as_mut() }.ok_or_else(|| Failure::argument("module is NULL".to_owned()))?;
        // SAFETY: as the caller promises.
        let text = unsafe { bytes(pipeline.cast::<u8>(), length, "pipeline")? };
        let text = std::str::from_utf8(text).map_err(|_| Failure::argument("the pipeline is not UTF-8".to_owned()))?;
        let text = if text == "-O" { Pipeline::DEFAULT } else { text };
        let passes = Pipeline::parse(text).map_err(|error| Failure::argument(error.to_string()))?;
        let (better, _) = passes.run(module.0.clone(), RunOptions::new()).map_err(|broken| Failure::defect(broken.to_string()))?;
        module.0 = better;
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { guarded(error, optimize) }.is_some()
}

/// A verified module, to be looked at: it lives as long as `verified`, and is not freed. NULL for NULL.
///
/// # Safety
/// `verified` is NULL or a verified module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_verified_module(verified: *const tw_verified) -> *const tw_module {
    // SAFETY: as the caller promises.
    let module = unsafe { verified.as_ref() }.map(|verified| &raw const *verified.0);
    // A tw_module is a Module and nothing else.
    module.map_or(std::ptr::null(), |module| module.cast::<tw_module>())
}

/// The version of a module, such as `TW_VERSION_13_4`; 0 for NULL.
///
/// # Safety
/// `module` is NULL or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_version(module: *const tw_module) -> u32 {
    // SAFETY: as the caller promises.
    let version = unsafe { module.as_ref() }.map(|module| module.0.version);
    version.map_or(0, |version| u32::from(version.major()) << 8 | u32::from(version.minor()))
}

/// Prints a module into a buffer. `flags` is 0, for the form of NVIDIA's `tileirdisasm`, or a union of `TW_PRINT_MODULE`,
/// `TW_PRINT_GENERIC` and `TW_PRINT_DEBUG_INFO`.
///
/// # Safety
/// `module` is NULL or a module; `out` and `error` are NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_print(module: *const tw_module, flags: u32, out: *mut tw_buffer, error: *mut *mut tw_error) -> bool {
    let print = || {
        let known = TW_PRINT_MODULE | TW_PRINT_GENERIC | TW_PRINT_DEBUG_INFO;
        if flags & !known != 0 {
            return Err(Failure::argument(format!("flags {flags:#x} hold bits that mean nothing: {:#x}", flags & !known)));
        }
        let is_set = |flag| flags & flag != 0;
        let options = PrintOptions::new().module(is_set(TW_PRINT_MODULE)).generic(is_set(TW_PRINT_GENERIC));
        // SAFETY: as the caller promises.
        let module = unsafe { reference(module, "module")? };
        Ok(tilewright_text::print(&module.0, &options.debug_info(is_set(TW_PRINT_DEBUG_INFO))).into_bytes())
    };
    // SAFETY: as the caller promises.
    unsafe { fill(out, error, print) }
}

/// Writes a module as bytecode of a version into a buffer. What the version cannot say is refused: the error names the
/// operation.
///
/// # Safety
/// `module` is NULL or a verified module; `out` and `error` are NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_write(module: *const tw_verified, version: u32, out: *mut tw_buffer, error: *mut *mut tw_error) -> bool {
    let write = || {
        let options = WriteOptions::new(self::version(version)?);
        // SAFETY: as the caller promises.
        let module = unsafe { reference(module, "module")? };
        tilewright_bytecode::write(&module.0, &options).map_err(|error| Failure::write(&error))
    };
    // SAFETY: as the caller promises.
    unsafe { fill(out, error, write) }
}

/// Frees a module.
///
/// # Safety
/// `module` is NULL, or a module that was not freed and did not become a verified one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_module_free(module: *mut tw_module) {
    // SAFETY: modules come from boxes; the rest is promised by the caller.
    unsafe { free(module) };
}

/// Frees a verified module.
///
/// # Safety
/// `verified` is NULL, or a verified module that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_verified_free(verified: *mut tw_verified) {
    // SAFETY: verified modules come from boxes; the rest is promised by the caller.
    unsafe { free(verified) };
}
