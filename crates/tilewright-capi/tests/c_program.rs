//! The header is clean C99 and C++, and a C program works with the library: `examples/convert.c`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The static library, which cargo puts beside the tests.
fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let library = test.with_file_name("libtilewright_capi.a");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// The program, compiled once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("convert");
        let mut command = Command::new("cc");
        command.arg("-std=c99").args(STRICT).arg("-I").arg(root().join("include")).arg(root().join("examples/convert.c"));
        succeed(command.arg(library()).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&path));
        (folder, path)
    });
    path
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

fn run(input: &Path, version: &str, output: &Path) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(program()).args([input, Path::new(version), output]).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// Runs the program on a text.
fn run_text(text: &str, version: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.mlir");
    fs::write(&input, text).expect("the input is written");
    run(&input, version, &folder.path().join("output.tilebc"))
}

#[test]
fn the_header_is_clean_in_c_and_cpp() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (compiler, standard, file) in [("cc", "-std=c99", "header.c"), ("c++", "-std=c++11", "header.cpp")] {
        let source = folder.path().join(file);
        fs::write(&source, "#include \"tilewright.h\"\n#include \"tilewright.h\"\nint unused(void);\n").expect("a source is written");
        succeed(Command::new(compiler).args([standard, "-fsyntax-only"]).args(STRICT).arg("-I").arg(root().join("include")).arg(source));
    }
}

#[test]
fn bytecode_is_read_listed_printed_and_written() {
    let case = root().join("../../tests/corpus/cases/vector_add");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("older.tilebc");
    let (status, stdout, stderr) = run(&case.join("vector_add.13.4.tilebc"), "13.2", &output);
    assert_eq!((status, &*stderr), (Some(0), ""));
    let text = fs::read_to_string(case.join("vector_add.mlir")).expect("the corpus has the text");
    let (head, printed) = stdout.split_once(")\n").expect("a list of functions");
    assert!(head.starts_with("version 13.4\nentry @vector_add(tile<ptr<f32>>, tile<i32>"), "{head}");
    assert_eq!(printed, text);
    let written = tilewright_bytecode::read(&fs::read(output).expect("a file was written")).expect("it reads");
    assert_eq!(written.version.to_string(), "13.2");
    assert_eq!(tilewright_text::print(&written, &tilewright_text::PrintOptions::new()), text);
}

#[test]
fn all_mistakes_of_a_text_are_shown() {
    let (status, _, stderr) =
        run_text("entry @k(%a: tile<i32>) {\n  %0 = adi %a, %a : tile<i32>\n  %1 = addi %a, %b : tile<i32>\n}\n", "13.4");
    assert_eq!(status, Some(1));
    assert!(stderr.contains("2 |   %0 = adi %a, %a : tile<i32>\n  |        ^^^"), "{stderr}");
    assert!(
        stderr.contains("\n- unknown-operation, byte 33, line 2, column 8\n- undefined-value, byte 72, line 3, column 17\n"),
        "{stderr}"
    );
}

#[test]
fn findings_name_rule_and_operation() {
    let (status, stdout, stderr) = run_text("entry @k(%a: tile<i32>) {\n  %0 = negf %a : tile<i32>\n}\n", "13.4");
    assert_eq!((status, &*stdout), (Some(1), "version 13.5\nentry @k(tile<i32>)\n"));
    assert!(stderr.contains("\n- operand-type in @k, operation 0 (negf)\n"), "{stderr}");
}

#[test]
fn what_a_version_cannot_say_is_refused() {
    let (status, _, stderr) = run_text("entry @k(%a: tile<f32>) {\n  %0 = atan2 %a, %a : tile<f32>\n}\n", "13.1");
    assert_eq!(status, Some(1));
    assert!(stderr.contains("the operation atan2") && stderr.contains("\n- write in @k, operation 0 (atan2)\n"), "{stderr}");
    let (status, _, stderr) = run_text("entry @k() {\n}\n", "14.1");
    assert_eq!(status, Some(1));
    assert!(stderr.contains("version 14.1 (0xe01) is not known"), "{stderr}");
}
