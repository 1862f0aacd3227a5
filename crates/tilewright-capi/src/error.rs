//! What went wrong, for C programs to show or to look into.
#![expect(unsafe_code, reason = "C gives pointers, and takes them")]

use crate::{
    TW_NONE,
    boundary::{free, put},
};
use std::{
    ffi::{CString, c_char},
    ptr,
};
use tilewright_bytecode::{FileKind, ReadError, WriteError};
use tilewright_ir::{Diagnostic, RejectedModule};
use tilewright_text::{ParseError, parse::MAX_ERRORS};

/// What a diagnostic is about.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum tw_error_kind {
    /// The caller gave something that cannot be used: NULL, a bad length, an an unknown version.
    TW_ERROR_ARGUMENT = 1,
    /// Bytecode cannot be read.
    TW_ERROR_READ = 2,
    /// Text cannot be parsed.
    TW_ERROR_PARSE = 3,
    /// A module breaks a rule of the dialect.
    TW_ERROR_VERIFY = 4,
    /// A version cannot say what a module says.
    TW_ERROR_WRITE = 5,
    /// A mistake of the library itself.
    TW_ERROR_INTERNAL = 6,
}

/// One finding of an error. Its strings belong to the error and live as long as that.
#[repr(C)]
#[derive(Debug)]
pub struct tw_diagnostic {
    /// What it is about.
    pub kind: tw_error_kind,
    /// A stable name: the rule that a module breaks (`operand-type`; `tilewright explain` describes it), the kind of a mistake in
    /// a text (`undefined-value`), or `read`, `write`, `argument`, `internal`.
    pub rule: *const c_char,
    /// What is wrong, in one line.
    pub message: *const c_char,
    /// The function that it lies in, or NULL.
    pub function: *const c_char,
    /// The operation that it is about, such as `addi`, or NULL.
    pub operation: *const c_char,
    /// The position of the operation in its function, counted from 0 in the order of the text, or `TW_NONE`.
    pub operation_index: usize,
    /// The byte of the input at which it is noticed, or `TW_NONE`.
    pub offset: usize,
    /// The source file of the operation, where the module knows it, or NULL.
    pub file: *const c_char,
    /// The line in that file, or in the text that was parsed, from 1; 0 if it is not known.
    pub line: usize,
    /// The column, from 1; 0 if it is not known.
    pub column: usize,
}

/// Why a function failed: one or more diagnostics, in the order of the input.
#[derive(Debug)]
pub struct tw_error {
    message: CString,
    findings: Vec<Finding>,
}

/// A failure on its way to C.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    findings: Vec<Finding>,
}

/// A diagnostic that owns its strings.
#[derive(Debug)]
struct Finding {
    kind: tw_error_kind,
    rule: CString,
    message: CString,
    function: Option<CString>,
    operation: Option<CString>,
    operation_index: usize,
    offset: usize,
    file: Option<CString>,
    line: usize,
    column: usize,
}

/// Text as C has it: what stands behind a NUL would be lost, so NULs become another character.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

impl Finding {
    fn new(kind: tw_error_kind, rule: &str, message: &str) -> Finding {
        Finding {
            kind,
            rule: c_string(rule),
            message: c_string(message),
            function: None,
            operation: None,
            operation_index: TW_NONE,
            offset: TW_NONE,
            file: None,
            line: 0,
            column: 0,
        }
    }
}

impl Failure {
    fn one(kind: tw_error_kind, rule: &str, message: String) -> Failure {
        Failure { findings: vec![Finding::new(kind, rule, &message)], message }
    }

    pub(crate) fn argument(message: String) -> Failure {
        Failure::one(tw_error_kind::TW_ERROR_ARGUMENT, "argument", message)
    }

    pub(crate) fn panic() -> Failure {
        Failure::one(tw_error_kind::TW_ERROR_INTERNAL, "internal", "the library made a mistake: please report it".to_owned())
    }

    /// A defect of the library that it noticed itself.
    pub(crate) fn defect(message: String) -> Failure {
        Failure::one(tw_error_kind::TW_ERROR_INTERNAL, "internal", message)
    }

    pub(crate) fn read(error: &ReadError) -> Failure {
        let mut failure = Failure::one(tw_error_kind::TW_ERROR_READ, "read", error.to_string());
        let finding = &mut failure.findings[0];
        finding.offset = error.offset();
        finding.function = error.function().map(|(_, name)| c_string(name));
        failure
    }

    /// Bytes that are something else than text of Tile IR.
    pub(crate) fn foreign(kind: FileKind) -> Failure {
        Failure::one(tw_error_kind::TW_ERROR_PARSE, "not-tile-ir", format!("expected text of Tile IR, but {kind}"))
    }

    /// The errors of a text: the message shows the lines that they are about.
    pub(crate) fn parse(errors: &[ParseError], source: &[u8]) -> Failure {
        let cut = (errors.len() >= MAX_ERRORS).then(|| format!("these are the first {}, there may be more", errors.len()));
        let rendered: Vec<String> = errors.iter().map(|error| error.render(source, "text")).chain(cut).collect();
        let finding = |error: &ParseError| {
            let mut finding = Finding::new(tw_error_kind::TW_ERROR_PARSE, error.id, &error.message);
            (finding.offset, finding.line, finding.column) = (error.span.start, error.line, error.column);
            finding
        };
        Failure { message: rendered.join("\n").trim_end().to_owned(), findings: errors.iter().map(finding).collect() }
    }

    /// What the verifier found; where not all is listed, the message says how many findings are not.
    pub(crate) fn verify(rejected: &RejectedModule) -> Failure {
        let RejectedModule { module, findings, total } = rejected;
        let finding = |diagnostic: &Diagnostic| {
            let mut finding = Finding::new(tw_error_kind::TW_ERROR_VERIFY, diagnostic.rule, &diagnostic.message);
            finding.function = diagnostic.function.as_deref().map(c_string);
            if let Some((index, mnemonic)) = diagnostic.op {
                (finding.operation, finding.operation_index) = (Some(c_string(mnemonic)), index);
            }
            if let Some((file, line, column)) = module.tables.locations.source(diagnostic.loc) {
                finding.file = Some(c_string(&module.tables.strings.text(file)));
                (finding.line, finding.column) = (line as usize, column as usize);
            }
            finding
        };
        let more = total.saturating_sub(findings.len());
        let more = (more > 0).then(|| format!("and {more} more, which are not shown"));
        let lines: Vec<String> = findings.iter().map(ToString::to_string).chain(more).collect();
        Failure { message: lines.join("\n"), findings: findings.iter().map(finding).collect() }
    }

    pub(crate) fn write(error: &WriteError) -> Failure {
        let mut failure = Failure::one(tw_error_kind::TW_ERROR_WRITE, "write", error.to_string());
        let finding = &mut failure.findings[0];
        finding.function = error.function().map(c_string);
        if let Some((index, mnemonic)) = error.operation() {
            (finding.operation, finding.operation_index) = (Some(c_string(mnemonic)), index);
        }
        failure
    }
}

impl tw_error {
    pub(crate) fn new(failure: Failure) -> tw_error {
        tw_error { message: c_string(&failure.message), findings: failure.findings }
    }
}

fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// How many diagnostics an error has: at least 1; 0 for NULL. A module with very many errors has more than are kept: the last line of
/// `tw_error_message` says how many.
///
/// # Safety
/// `error` is NULL or an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_error_count(error: *const tw_error) -> usize {
    // SAFETY: as the caller promises.
    unsafe { error.as_ref() }.map_or(0, |error| error.findings.len())
}

/// Everything that an error says, ready to be shown: one diagnostic after the other, errors of a text with their lines. The
/// string belongs to the error. An empty string for NULL.
///
/// # Safety
/// `error` is NULL or an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_error_message(error: *const tw_error) -> *const c_char {
    // SAFETY: as the caller promises.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// Gives a diagnostic of an error, counted from 0; false if there is none.
///
/// # Safety
/// `error` is NULL or an error, `out` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_error_get(error: *const tw_error, index: usize, out: *mut tw_diagnostic) -> bool {
    // SAFETY: as the caller promises.
    let found = unsafe { error.as_ref() }.and_then(|error| error.findings.get(index));
    let Some(finding) = found.filter(|_| !out.is_null()) else { return false };
    let diagnostic = tw_diagnostic {
        kind: finding.kind,
        rule: finding.rule.as_ptr(),
        message: finding.message.as_ptr(),
        function: pointer(finding.function.as_ref()),
        operation: pointer(finding.operation.as_ref()),
        operation_index: finding.operation_index,
        offset: finding.offset,
        file: pointer(finding.file.as_ref()),
        line: finding.line,
        column: finding.column,
    };
    // SAFETY: as the caller promises.
    unsafe { put(out, diagnostic) };
    true
}

/// Frees an error, and with it the strings of its diagnostics.
///
/// # Safety
/// `error` is NULL, or an error that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_error_free(error: *mut tw_error) {
    // SAFETY: errors come from boxes; the rest is promised by the caller.
    unsafe { free(error) };
}
