//! Whatever C passes that can be checked is checked.
#![expect(unsafe_code, reason = "the functions are called as C calls them")]

use std::{
    ffi::{CStr, c_char},
    ptr::{null, null_mut},
};
use tilewright_capi::{
    TW_NONE, TW_PRINT_GENERIC, TW_PRINT_MODULE, TW_VERSION_13_1, TW_VERSION_13_4, TW_VERSION_LATEST, buffer::*, error::*, function::*,
    module::*,
};
use tilewright_ir::MAX_FINDINGS;

/// What the error says that `call` gives; it must give one.
fn refusal(call: impl FnOnce(*mut *mut tw_error)) -> (tw_error_kind, String) {
    let mut error: *mut tw_error = null_mut();
    call(&raw mut error);
    assert!(!error.is_null(), "it must fail");
    // SAFETY: the error is alive until it is freed at the end, and so are its strings.
    unsafe {
        assert!(tw_error_count(error) >= 1);
        let mut diagnostic = std::mem::MaybeUninit::uninit();
        assert!(tw_error_get(error, 0, diagnostic.as_mut_ptr()));
        assert!(!tw_error_get(error, TW_NONE, diagnostic.as_mut_ptr()));
        assert!(!tw_error_get(error, 0, null_mut()));
        let kind = diagnostic.assume_init_ref().kind;
        let message = CStr::from_ptr(tw_error_message(error)).to_str().expect("messages are UTF-8").to_owned();
        tw_error_free(error);
        (kind, message)
    }
}

fn argument(call: impl FnOnce(*mut *mut tw_error)) -> String {
    let (kind, message) = refusal(call);
    assert_eq!(kind, tw_error_kind::TW_ERROR_ARGUMENT, "{message}");
    message
}

/// A module with one entry.
fn module(text: &str) -> *mut tw_module {
    let mut error = null_mut();
    // SAFETY: text and length belong together.
    let module = unsafe { tw_module_parse(text.as_ptr().cast::<c_char>(), text.len(), TW_VERSION_LATEST, &raw mut error) };
    assert!(!module.is_null() && error.is_null());
    module
}

const KERNEL: &str = "entry @k(%a: tile<ptr<f32>>) {}";

#[test]
fn null_is_answered() {
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(argument(|e| assert!(tw_module_read(null(), 8, e).is_null())), "data is NULL, and its length is 8");
        let message = argument(|e| assert!(tw_module_parse(null(), 1, TW_VERSION_LATEST, e).is_null()));
        assert_eq!(message, "text is NULL, and its length is 1");
        assert_eq!(argument(|e| assert!(tw_module_verify(null_mut(), e).is_null())), "module is NULL");
        let mut nothing = null_mut();
        assert_eq!(argument(|e| assert!(tw_module_verify(&raw mut nothing, e).is_null())), "*module is NULL");
        let mut out = tw_buffer { data: null_mut(), length: 7 };
        assert_eq!(argument(|e| assert!(!tw_module_print(null(), 0, &raw mut out, e))), "module is NULL");
        assert!(out.data.is_null() && out.length == 0, "a failed function leaves an empty buffer");
        assert_eq!(argument(|e| assert!(!tw_module_write(null(), TW_VERSION_13_4, &raw mut out, e))), "module is NULL");
        assert_eq!(argument(|e| assert!(!tw_function_name(null(), 0, &raw mut out, e))), "module is NULL");
        assert_eq!(argument(|e| assert!(!tw_function_parameter_type(null(), 0, 0, &raw mut out, e))), "module is NULL");
        assert!(tw_verified_module(null()).is_null());
        assert_eq!((tw_module_version(null()), tw_function_count(null()), tw_error_count(null())), (0, 0, 0));
        assert_eq!(tw_function_get_kind(null(), 0), tw_function_kind::TW_FUNCTION_NONE);
        assert_eq!(tw_function_parameter_count(null(), 0), 0);
        assert_eq!(CStr::from_ptr(tw_error_message(null())), c"");
        // An error that nobody wants.
        assert!(tw_module_read(null(), 8, null_mut()).is_null());
        tw_module_free(null_mut());
        tw_verified_free(null_mut());
        tw_error_free(null_mut());
        tw_buffer_free(null_mut());
        tw_buffer_free(&raw mut out);
    }
}

#[test]
fn lengths_text_and_numbers_are_checked() {
    let byte = [0xffu8; 3];
    let module = module(KERNEL);
    let mut out = tw_buffer { data: null_mut(), length: 0 };
    // SAFETY: data and lengths belong together, but where the length is refused before anything is read.
    unsafe {
        let message = argument(|e| assert!(tw_module_read(byte.as_ptr(), usize::MAX, e).is_null()));
        assert_eq!(message, format!("data cannot have {} bytes", usize::MAX));
        let text = byte.as_ptr().cast::<c_char>();
        let (kind, message) = refusal(|e| assert!(tw_module_parse(text, 3, TW_VERSION_LATEST, e).is_null()));
        assert_eq!(kind, tw_error_kind::TW_ERROR_PARSE);
        assert!(message.starts_with("error[not-utf8]: the byte 0xff, at 0 of the file, is not UTF-8\n --> text:1:1\n"), "{message}");
        let zip = b"PK\x03\x04";
        let (kind, message) = refusal(|e| assert!(tw_module_parse(zip.as_ptr().cast(), 4, TW_VERSION_LATEST, e).is_null()));
        assert_eq!(kind, tw_error_kind::TW_ERROR_PARSE);
        assert!(message.starts_with("expected text of Tile IR, but this is a zip archive"), "{message}");
        let (kind, message) = refusal(|e| assert!(tw_module_read(zip.as_ptr(), 4, e).is_null()));
        assert_eq!(kind, tw_error_kind::TW_ERROR_READ);
        assert!(message.starts_with("expected Tile IR bytecode, but this is a zip archive"), "{message}");
        let message = argument(|e| assert!(tw_module_parse(text, 3, 0x10d04, e).is_null()));
        assert_eq!(message, "version 269.4 (0x10d04) is not known");
        assert_eq!(argument(|e| assert!(!tw_module_print(module, 0, null_mut(), e))), "out is NULL");
        let message = argument(|e| assert!(!tw_module_print(module, 0x18, &raw mut out, e)));
        assert_eq!(message, "flags 0x18 hold bits that mean nothing: 0x18");
        let message = argument(|e| assert!(!tw_function_name(module, 1, &raw mut out, e)));
        assert_eq!(message, "function 1 does not exist: there are 1");
        let message = argument(|e| assert!(!tw_function_parameter_type(module, 0, 1, &raw mut out, e)));
        assert_eq!(message, "parameter 1 does not exist: there are 1");
        let (kind, message) = refusal(|e| assert!(tw_module_read(null(), 0, e).is_null()));
        assert_eq!(kind, tw_error_kind::TW_ERROR_READ, "{message}");
        tw_module_free(module);
    }
}

fn text(out: &tw_buffer) -> &str {
    // SAFETY: the buffer was filled, and ends in a NUL.
    let text = unsafe { CStr::from_ptr(out.data) }.to_str().expect("UTF-8");
    assert_eq!(text.len(), out.length);
    text
}

#[test]
fn findings_that_are_not_kept_are_counted() {
    let lines: String = (0..MAX_FINDINGS + 7).map(|i| format!("  %{i} = negf %a : tile<i32>\n")).collect();
    let mut broken = module(&format!("entry @k(%a: tile<i32>) {{\n{lines}}}"));
    let mut error = null_mut();
    // SAFETY: all handles are alive and freed once.
    unsafe {
        assert!(tw_module_verify(&raw mut broken, &raw mut error).is_null());
        assert_eq!(tw_error_count(error), MAX_FINDINGS);
        let message = CStr::from_ptr(tw_error_message(error)).to_str().unwrap();
        assert_eq!(message.lines().count(), MAX_FINDINGS + 1);
        let last = message.lines().last().unwrap();
        let more = last.strip_prefix("and ").and_then(|rest| rest.strip_suffix(" more, which are not shown")).unwrap();
        assert!(more.parse::<usize>().unwrap() >= 7, "{last}");
        tw_error_free(error);
        tw_module_free(broken);
    }
    let text = "entry x\n".repeat(1000);
    // SAFETY: text and length belong together.
    let (_, message) = refusal(|e| unsafe {
        assert!(tw_module_parse(text.as_ptr().cast::<c_char>(), text.len(), TW_VERSION_LATEST, e).is_null());
    });
    assert!(message.ends_with("\nthese are the first 50, there may be more"), "{message}");
}

#[test]
fn a_rejected_module_stays_and_a_verified_one_moves() {
    let mut broken = module("entry @k(%a: tile<i32>) { %0 = negf %a : tile<i32> }");
    let before = broken;
    let (kind, message) = refusal(|e| {
        // SAFETY: the module is alive.
        assert!(unsafe { tw_module_verify(&raw mut broken, e) }.is_null());
    });
    assert_eq!(kind, tw_error_kind::TW_ERROR_VERIFY);
    assert!(message.starts_with("error[operand-type] in @k, operation 0 (negf): "), "{message}");
    assert_eq!(broken, before);
    let mut good = module(KERNEL);
    let (mut error, mut out) = (null_mut(), tw_buffer { data: null_mut(), length: 0 });
    // SAFETY: all handles are alive and freed once.
    unsafe {
        assert!(tw_module_print(broken, TW_PRINT_MODULE | TW_PRINT_GENERIC, &raw mut out, &raw mut error), "it can still be printed");
        assert!(text(&out).contains("\"cuda_tile.negf\""));
        tw_buffer_free(&raw mut out);
        tw_module_free(broken);

        let verified = tw_module_verify(&raw mut good, &raw mut error);
        assert!(good.is_null() && error.is_null());
        let module = tw_verified_module(verified);
        assert_eq!(tw_module_version(module), TW_VERSION_LATEST);
        assert_eq!(tw_function_get_kind(module, 0), tw_function_kind::TW_FUNCTION_ENTRY);
        assert!(tw_function_parameter_type(module, 0, 0, &raw mut out, null_mut()));
        assert_eq!(text(&out), "tile<ptr<f32>>");
        tw_buffer_free(&raw mut out);
        assert!(tw_module_write(verified, TW_VERSION_13_1, &raw mut out, &raw mut error));
        let again = tw_module_read(out.data.cast::<u8>(), out.length, &raw mut error);
        assert_eq!(tw_module_version(again), TW_VERSION_13_1);
        tw_buffer_free(&raw mut out);
        tw_module_free(again);
        tw_verified_free(verified);
    }
}

/// The text that a pipeline makes of a module, or why there is none.
fn optimized(text: &str, pipeline: &str) -> Result<String, (tw_error_kind, String)> {
    let mut module = module(text);
    // SAFETY: all pointers come from the library or point to what lives here.
    unsafe {
        let verified = tw_module_verify(&raw mut module, null_mut());
        let mut error = null_mut();
        let result = if tw_module_optimize(verified, pipeline.as_ptr().cast::<c_char>(), pipeline.len(), &raw mut error) {
            assert!(error.is_null());
            let mut out = std::mem::MaybeUninit::<tw_buffer>::uninit();
            assert!(tw_module_print(tw_verified_module(verified), 0, out.as_mut_ptr(), null_mut()));
            let mut out = out.assume_init();
            let printed = String::from_utf8(std::slice::from_raw_parts(out.data.cast::<u8>(), out.length).to_vec()).expect("text is UTF-8");
            tw_buffer_free(&raw mut out);
            Ok(printed)
        } else {
            Err(refusal(|slot| *slot = error))
        };
        tw_verified_free(verified);
        result
    }
}

#[test]
fn passes_run_by_name() {
    let text = "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
        %zero = constant <i32: 0> : tile<i32>
        %m = addi %n, %zero : tile<i32>
        %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
    }";
    for pipeline in ["-O", "canonicalize", " canonicalize , dce"] {
        let better = optimized(text, pipeline).expect("a pipeline");
        assert!(!better.contains("addi") && better.contains("store_ptr_tko weak %arg0, %arg1"), "{better}");
    }
    let (kind, message) = optimized(text, "cse,dse").unwrap_err();
    assert_eq!(kind, tw_error_kind::TW_ERROR_ARGUMENT);
    assert!(message.starts_with("at character 5 of the pipeline: there is no pass 'dse'"), "{message}");
    let message = argument(|error| {
        // SAFETY: null is allowed everywhere.
        assert!(!unsafe { tw_module_optimize(null_mut(), null(), 0, error) });
    });
    assert_eq!(message, "module is NULL");
}
