//! The command on a GPU: with the driver of `tilewright-ptx-driver` in the place of NVIDIA's, which runs kernels on the PTX machine.

use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tilewright_fuzz::corpus;
use tilewright_oracle::failures;
use tilewright_ptx_driver::library;

/// The command, with the driver of the tests.
fn tilewright(args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.args(args).env("TILEWRIGHT_CUDA_DRIVER", library()).envs(variables.iter().copied());
    command.output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn case(name: &str) -> String {
    corpus::folder().join("cases").join(name).to_str().expect("a path that is text").to_owned()
}

/// What the command complains of, which must end with this status.
fn complaint(status: i32, args: &[&str], variables: &[(&str, &str)]) -> String {
    let output = tilewright(args, variables);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}{}", text(&output.stdout));
    stderr
}

/// What is wrong with a case on the GPU: the verdict, or something that the PTX machine found.
fn wrong_with(folder: &Path, capability: &str) -> Option<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let log_path = log.path().to_str().expect("a path that is text");
    let args = ["run", "--case", folder.to_str().expect("a path that is text"), "--device", "cuda", "--repeat", "2", "--json"];
    let output = tilewright(&args, &[("PTX_DRIVER_CAPABILITY", capability), ("PTX_DRIVER_LOG", log_path)]);
    let log = fs::read_to_string(log_path).expect("the log is there");
    let found: Vec<&str> = log.lines().filter(|line| line.starts_with("found: ")).collect();
    let is_right = output.status.success() && found.is_empty() && log.matches("launch ").count() == 2;
    (!is_right).then(|| format!("{name}: {}{}{log}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn cases_give_the_expected_results_on_a_gpu() {
    let failures = failures(&corpus::cases(), |folder| wrong_with(folder, "8.0"));
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn kernels_are_compiled_for_the_gpu_that_is_there() {
    for (capability, target) in [("8.0", "sm_80"), ("8.7", "sm_86"), ("9.0", "sm_90"), ("12.1", "sm_120")] {
        let output = tilewright(&["run", "--case", &case("vector_add"), "--device", "cuda:0"], &[("PTX_DRIVER_CAPABILITY", capability)]);
        let name = format!("PTX machine, sm_{}, code for {target}", capability.replace('.', ""));
        let stdout = text(&output.stdout);
        assert!(stdout.contains(&name) && stdout.ends_with("pass\n"), "{stdout}{}", text(&output.stderr));
        assert_eq!(wrong_with(Path::new(&case("matmul_f16")), capability), None);
    }
    let old = complaint(2, &["run", "--case", &case("vector_add"), "--device", "cuda"], &[("PTX_DRIVER_CAPABILITY", "7.5")]);
    assert!(old.contains("GPU 0 (PTX machine, sm_75) has compute capability 7.5: kernels are compiled for sm_80 and later"), "{old}");
}

#[test]
fn where_no_gpu_is_it_is_said_what_was_looked_for() {
    let args = ["run", "--case", &case("vector_add"), "--device", "cuda:2"];
    let no_driver = complaint(2, &args, &[("TILEWRIGHT_CUDA_DRIVER", "no/libcuda.so")]);
    assert!(no_driver.starts_with("error: there is no CUDA driver: no/libcuda.so ("), "{no_driver}");
    let no_device = complaint(2, &args, &[("PTX_DRIVER_DEVICES", "0")]);
    assert!(
        no_device
            .starts_with("error: cannot start the CUDA driver: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE, 100); nvidia-smi"),
        "{no_device}"
    );
    let no_such_device = complaint(2, &args, &[("PTX_DRIVER_DEVICES", "2")]);
    assert!(
        no_such_device.starts_with("error: there is no GPU 2; the driver finds 0 (PTX machine, sm_80), 1 (PTX machine, sm_80);"),
        "{no_such_device}"
    );
    for complaint in [no_driver, no_device, no_such_device] {
        assert!(
            complaint.ends_with("'tilewright run --device ptx' needs no GPU: it runs the same code on the PTX machine\n"),
            "{complaint}"
        );
    }
}

#[test]
fn what_a_driver_refuses_is_said_in_its_words() {
    let old = complaint(2, &["run", "--case", &case("vector_add"), "--device", "cuda"], &[("PTX_DRIVER_PTX", "7.8")]);
    assert!(old.contains("Unsupported .version 8.0; current version is '7.8'") && old.contains("update it"), "{old}");
    let memory = complaint(2, &["run", "--case", &case("vector_add"), "--device", "cuda"], &[("PTX_DRIVER_MEMORY", "1000")]);
    assert!(memory.contains("out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)") && memory.contains("use smaller arrays"), "{memory}");
}

/// A kernel that stores 1 at an address.
const STORE: &str = "cuda_tile.module @m {\n  entry @store(%p: tile<ptr<i32>>) {\n    %one = constant <i32: 1> : tile<i32>\n    \
    %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token\n    return\n  }\n}\n";
/// A kernel that stores outside of its buffer.
const OUTSIDE: &str = "cuda_tile.module @m {\n  entry @outside(%p: tile<ptr<i32>>) {\n    %one = constant <i32: 1000000> : tile<i32>\n    \
    %far = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n    \
    %t = store_ptr_tko weak %far, %one : tile<ptr<i32>>, tile<i32> -> token\n    return\n  }\n}\n";
/// A kernel that asserts what is not so.
const FAIL: &str = "cuda_tile.module @m {\n  entry @fail(%p: tile<ptr<i32>>) {\n    %no = constant <i1: false> : tile<i1>\n    \
    assert %no, \"it is so\" : tile<i1>\n    return\n  }\n}\n";

#[test]
fn arguments_and_files_are_those_of_the_cpu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    fs::write(path("k.mlir"), STORE).expect("a file");
    let run = |device: &str, out: &str| {
        let output = format!("0={}", path(out));
        let output = tilewright(&["run", &path("k.mlir"), "--device", device, "--grid", "1", "i32[3]=7", "-o", &output, "--json"], &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("a report")
    };
    let (cpu, gpu) = (run("cpu", "cpu.npy"), run("cuda", "cuda.npy"));
    assert_eq!(fs::read(path("cpu.npy")).expect("it was written"), fs::read(path("cuda.npy")).expect("it was written"));
    assert_eq!((&cpu["entry"], &cpu["grid"], cpu["device"].is_null()), (&gpu["entry"], &gpu["grid"], true));
    assert_eq!(gpu["device"], "PTX machine, sm_80, code for sm_80");
    assert!(gpu["threads"].is_null() && gpu["launches"].as_array().is_some_and(|launches| launches.len() == 1));
}

#[test]
fn kernels_that_fail_are_findings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.mlir").to_str().expect("a path that is text").to_owned();
    let run = |kernel: &str| {
        fs::write(&path, kernel).expect("a file");
        let output = tilewright(&["run", &path, "--device", "cuda", "--grid", "1", "i32[0]"], &[]);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, _, outside) = run(STORE);
    assert_eq!(status, Some(1), "{outside}");
    assert!(outside.contains("an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)"), "{outside}");
    assert!(outside.contains("--device ptx"), "{outside}");
    let (status, printed, failed) = run(FAIL);
    assert_eq!(status, Some(1), "{failed}");
    assert!(printed.contains("it is so") && failed.contains("CUDA_ERROR_LAUNCH_FAILED, 719"), "{printed}{failed}");
}

#[test]
fn options_of_the_engine_are_refused() {
    let refused = complaint(2, &["run", "--case", &case("vector_add"), "--device", "cuda", "--threads", "2"], &[]);
    assert!(refused.contains("a GPU does not take --threads"), "{refused}");
}

#[test]
fn kernels_are_measured_on_a_gpu() {
    let output = tilewright(&["bench", "--device", "cuda", "--quick", "--filter", "vector_add"], &[]);
    let stdout = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(stdout.starts_with("GPU 0, PTX machine, sm_80, code for sm_80\n"), "{stdout}");
    assert!(stdout.lines().any(|line| line.starts_with("vector_add") && line.contains(" GPU ")), "{stdout}");
    // Their results are compared with PyTorch's.
    let suite = ["bench", "--device", "cuda", "--quick", "--suite", "practitioners", "--json"];
    let output = tilewright(&suite, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let results = report["results"].as_array().expect("kernels");
    let are_measured = results.iter().all(|row| row["threads"].is_null() && row["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(results.len() > 30 && are_measured, "{report}");
}

/// A folder with a program `python3` that does what a script for the shell says.
#[cfg(unix)]
fn python(script: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("python3");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may be run");
    folder
}

/// What is said of a kernel that is measured beside all others, by name: seconds or an error.
#[cfg(unix)]
fn beside(name: &str, cubins: &Path, python: &Path, variables: &[(&str, &str)]) -> Vec<(String, Result<f64, String>)> {
    let path = format!("{}:/usr/bin:/bin", python.display());
    let cubins = cubins.to_str().expect("a path that is text");
    let args = ["bench", "--device", "cuda", "--quick", "--suite", "gpu", "--filter", name, "--json"];
    let args = [&args[..], &["--beside", cubins, "--beside", "cublas", "--beside", "pytorch"]].concat();
    let output = tilewright(&args, &[&[("PATH", path.as_str())], variables].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let others = report["results"][0]["beside"].as_array().expect("others").iter().map(|other| {
        let said = other["seconds"].as_f64().ok_or_else(|| other["error"].as_str().expect("an error").to_owned());
        (other["name"].as_str().expect("a name").to_owned(), said)
    });
    others.collect()
}

#[cfg(unix)]
#[test]
fn kernels_are_measured_beside_others() {
    let Some(oracle) = tilewright_oracle::Oracle::or_skip("a kernel of tileiras on a GPU") else { return };
    let kernel = "matmul_f16_1024";
    let bytecode = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/gpu/compiled/{kernel}.tilebc"));
    let cubins = tempfile::tempdir().expect("a temporary folder");
    let answer = oracle.compile_with_ptx(&fs::read(bytecode).expect("bytecode"), "sm_80");
    fs::write(cubins.path().join(format!("{kernel}.sm_80.cubin")), answer.output).expect("a cubin");
    let python = python(&format!("cat >/dev/null; echo '{{\"name\":\"{kernel}\",\"seconds\":0.5}}'"));
    let library = library();
    let cublas = ("TILEWRIGHT_CUBLAS", library.to_str().expect("a path that is text"));
    // Drivers that know kernels of tiles, and others; and a GPU that is newer than the cubin.
    for variables in [&[cublas][..], &[cublas, ("PTX_DRIVER_TILES", "0")], &[cublas, ("PTX_DRIVER_CAPABILITY", "8.9")]] {
        let others = beside(kernel, cubins.path(), python.path(), variables);
        let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["tileiras", "cuBLAS", "PyTorch"]);
        assert!(others.iter().all(|(_, said)| said.as_ref().is_ok_and(|seconds| *seconds > 0.0)), "{others:?}");
        assert_eq!(others[2].1, Ok(0.5));
    }
}

#[cfg(unix)]
#[test]
fn what_is_not_there_to_be_measured_is_said() {
    let kernel = "matmul_f16_1024";
    let cubins = tempfile::tempdir().expect("a temporary folder");
    let errors = |python: &Path, variables: &[(&str, &str)]| -> Vec<String> {
        beside(kernel, cubins.path(), python, variables).into_iter().map(|(name, said)| format!("{name}: {}", said.unwrap_err())).collect()
    };
    let without_torch = python("cat >/dev/null; echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1");
    let missing = errors(without_torch.path(), &[("TILEWRIGHT_CUBLAS", "no/libcublas.so")]);
    assert!(missing[0].contains(&format!("has no {kernel}.sm_80.cubin, which tileiras --gpu-name=sm_80 --lineinfo makes")), "{missing:?}");
    assert!(missing[1].starts_with("cuBLAS: cuBLAS is not here, or cannot be loaded: tried no/libcublas.so;"), "{missing:?}");
    assert_eq!(missing[2], "PyTorch: PyTorch was not measured: ModuleNotFoundError: No module named 'torch' (exit status: 1)");
    // What is there, and is not what it should be.
    fs::write(cubins.path().join(format!("{kernel}.sm_80.cubin")), b"no cubin").expect("a file");
    let wrong = errors(
        python(&format!("cat >/dev/null; echo '{{\"name\":\"{kernel}\",\"error\":\"OutOfMemoryError: too much\"}}'")).path(),
        &[("TILEWRIGHT_CUBLAS", env!("CARGO_BIN_EXE_tilewright"))],
    );
    assert!(wrong[0].starts_with("tileiras: this is no cubin: "), "{wrong:?}");
    assert!(wrong[1].starts_with("cuBLAS: cuBLAS is not here, or cannot be loaded"), "{wrong:?}");
    assert_eq!(wrong[2], "PyTorch: OutOfMemoryError: too much");
}

#[test]
fn a_kernel_that_fails_does_not_keep_others_from_their_turn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path that is text").to_owned();
    for (name, source) in [("fails", OUTSIDE), ("stores", STORE)] {
        fs::write(path("k.mlir"), source).expect("a file");
        let made = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .args(["convert", &path("k.mlir"), "--to", "13.1", "-o", &path(&format!("{name}.tilebc"))])
            .output();
        assert!(made.expect("the command runs").status.success());
    }
    let size = r#"{"size":"1","arguments":[{"type":"i32","shape":[],"strides":[],"fill":"zeros"}],"grid":[1,1,1],"limit":"bandwidth","work":4,"expected":[]}"#;
    let kernel = |name: &str| format!(r#"{{"name":"{name}","full":{size},"quick":{size}}}"#);
    fs::write(path("suite.json"), format!("[{},{}]", kernel("fails"), kernel("stores"))).expect("a file");
    let output = tilewright(&["bench", "--device", "cuda", "--quick", "--suite", &path(""), "--json"], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("error: fails: "), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((&report["failed"][0]["name"], &report["results"][0]["name"]), (&Value::from("fails"), &Value::from("stores")));
}

#[test]
fn one_program_measures_everything_on_a_gpu() {
    let corpus = tempfile::tempdir().expect("a temporary folder");
    for name in ["vector_add", "assert_fail", "print_values"] {
        let copy = corpus.path().join("cases").join(name);
        fs::create_dir_all(&copy).expect("a folder");
        for file in fs::read_dir(case(name)).expect("a case").flatten() {
            fs::copy(file.path(), copy.join(file.file_name())).expect("a copy");
        }
    }
    let test = std::env::current_exe().expect("a test has a path");
    let program = test.ancestors().nth(2).expect("tests lie two folders deep").join("examples/measure_on_gpu");
    let written = corpus.path().join("on-gpu.md");
    let mut command = Command::new(program);
    command.arg(corpus.path()).arg(&written).args(["--quick", "--filter", "layernorm", "--cubins"]).arg(corpus.path());
    command.env("TILEWRIGHT_CUDA_DRIVER", library()).env("TILEWRIGHT_CUBLAS", library()).env("PATH", "");
    let output = command.output().expect("cargo test builds the examples");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = fs::read_to_string(written).expect("the tables");
    assert!(tables.contains("PTX machine, sm_80, code for sm_80, a driver for CUDA 13.0."), "{tables}");
    assert!(tables.contains("\n| vector_add | right | ") && tables.contains("\nRight: 3 of 3.\n"), "{tables}");
    assert!(tables.contains("\n| layernorm_f32 | 4 x 4096 | ") && tables.contains("\n- cuBLAS: none\n"), "{tables}");
    let missing = "- tileiras: FOLDER has no KERNEL.sm_80.cubin, which tileiras --gpu-name=sm_80 --lineinfo makes of the kernel's bytecode (layernorm_f32, ";
    assert!(tables.replace(corpus.path().to_str().expect("text"), "FOLDER").contains(missing), "{tables}");
    assert!(tables.contains("- PyTorch: python3, which runs PyTorch, cannot be started: "), "{tables}");
    assert!(tables.contains("\n| layernorm | 64 x 4096 | ") && tables.contains("\n| layernorm_768_f16 | "), "{tables}");
}
