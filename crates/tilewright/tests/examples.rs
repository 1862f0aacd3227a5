//! The examples do what they say. `cargo test` builds them beside the tests.

use std::{env, path::Path, process::Command};

/// What an example prints.
fn run(name: &str, args: &[&str]) -> String {
    let test = env::current_exe().expect("a test has a path");
    let built = test.ancestors().nth(2).expect("tests lie two folders deep").join("examples").join(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(&built).args(args).current_dir(root).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}: was it built? cargo test --examples builds it", built.display()));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("examples print text")
}

#[test]
fn a_kernel_is_built_and_run() {
    let printed = run("build_kernel", &[]);
    assert!(printed.contains("%2 = fma %arg0, %result, %result_0  : tile<f32>\n"), "{printed}");
    assert!(printed.ends_with("y = [2.5, 4.5, 6.5, 8.5]\n"), "{printed}");
}

#[test]
fn products_and_sums_are_fused() {
    let expected = "// @k: 1 fused\n\
                    entry @k(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>) {\n  \
                      %0 = fma %arg0, %arg1, %arg2  : tile<f32>\n  \
                      %1 = mulf %arg0, %arg2  : tile<f32>\n  \
                      %2 = addf %1, %1  : tile<f32>\n  \
                      return\n}\n";
    assert_eq!(run("fuse_multiply_add", &[]), expected);
    let printed = run("fuse_multiply_add", &["tests/corpus/cases/layernorm_fwd/layernorm_fwd.13.4.tilebc"]);
    assert!(printed.starts_with("// @layernorm_fwd: "), "{printed}");
}

#[test]
fn kernels_are_listed() {
    let printed = run("list_kernels", &["examples/softmax.tilebc", "examples/saxpy.tilebc"]);
    assert!(printed.contains("  @softmax(tile<ptr<f32>>, tile<i32>, ") && printed.contains("nested 1 deep"), "{printed}");
}
