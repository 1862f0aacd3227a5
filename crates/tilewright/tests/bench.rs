//! `tilewright bench` at small sizes: every kernel plans, runs and is reported. Nothing here depends on how fast that is.

use std::{path::Path, process::Command};

fn bench(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).arg("bench").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_kernel_runs_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart.svg");
    let text = bench(&["--quick", "--json", "--threads", "1,2", "--svg", chart.to_str().unwrap()]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = report["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    let listed = bench(&["--list"]);
    for name in listed.lines().filter_map(|line| line.split_whitespace().next()) {
        assert_eq!(names.iter().filter(|n| **n == name).count(), 2, "{name} with 1 and 2 threads");
    }
    for row in report["results"].as_array().unwrap() {
        assert!(row["seconds"].as_f64().unwrap() > 0.0 && row["share"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert_eq!(report["limits"].as_array().unwrap().len(), 2);
    let svg = std::fs::read_to_string(chart).unwrap();
    assert_eq!(svg.matches("<rect x=").count(), names.len());
}

/// Every result is compared with what PyTorch computed from the same arrays: a wrong one fails the command.
#[test]
fn kernels_of_suites_give_the_results_of_pytorch() {
    for (suite, least) in [("practitioners", 45), ("gpu", 38)] {
        let report: serde_json::Value = serde_json::from_str(&bench(&["--suite", suite, "--quick", "--json", "--threads", "2"])).unwrap();
        let names: Vec<&str> = report["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
        let listed = bench(&["--suite", suite, "--list"]);
        let listed: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, listed);
        assert!(names.len() >= least, "{}", names.len());
        for name in &names {
            assert_eq!(names.iter().filter(|n| *n == name).count(), 1, "{name} twice");
        }
    }
}

#[test]
fn a_folder_is_a_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/practitioners/compiled");
    let kernel = ["--filter", "leaky_clamp_f32", "--quick", "--threads", "1", "--json"];
    let names = |suite: &str| {
        let report: serde_json::Value = serde_json::from_str(&bench(&[&["--suite", suite], &kernel[..]].concat())).unwrap();
        report["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(folder.to_str().unwrap()), ["leaky_clamp_f32"]);
    let refused = |suite: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(["bench", "--list", "--suite"]).arg(suite).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(Path::new("nowhere"));
    assert!(said.contains("'nowhere' is neither 'usual' nor 'practitioners' nor 'gpu' nor a folder"), "{said}");
    let empty = tempfile::tempdir().unwrap();
    let said = refused(empty.path());
    assert!(said.contains("suite.json"), "{said}");
}

/// The logarithms of 16 zeros.
const LOGARITHMS: &str =
    "entry @logarithms(%x: tile<ptr<f32>>, %xn: tile<i32>, %xs: tile<i32>, %y: tile<ptr<f32>>, %yn: tile<i32>, %ys: tile<i32>) {
  %xv = make_tensor_view %x, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %yv = make_tensor_view %y, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %xp = make_partition_view %xv : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %yp = make_partition_view %yv : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %a, %t0 = load_view_tko weak %xp[%zero] : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  %b = log %a : tile<16xf32>
  %t1 = store_view_tko weak %b, %yp[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
  return
}";

#[test]
fn a_suite_may_expect_infinities() {
    let folder = tempfile::tempdir().unwrap();
    let (text, bytecode) = (folder.path().join("k.mlir"), folder.path().join("logarithms.tilebc"));
    std::fs::write(&text, LOGARITHMS).unwrap();
    let converted = Command::new(env!("CARGO_BIN_EXE_tilewright")).arg("convert").arg(&text).arg("-o").arg(bytecode).output().unwrap();
    assert!(converted.status.success(), "{converted:?}");
    let run = |expected: &str| {
        let array = r#"{"type":"f32","shape":[16],"strides":[1],"fill":"zeros"}"#;
        let sized = format!(
            r#"{{"size":"16","arguments":[{array},{array}],"grid":[1,1,1],"limit":"bandwidth","work":128,"expected":[
                {{"argument":1,"relative":1e-6,"absolute":1e-6,"mean":0,"weighted":0,"non_finite":16,"elements":[[3,{expected}]]}}]}}"#
        );
        let suite = format!(r#"[{{"name":"logarithms","full":{sized},"quick":{sized}}}]"#);
        std::fs::write(folder.path().join("suite.json"), suite).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .args(["bench", "--quick", "--threads", "1", "--suite"])
            .arg(folder.path())
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(r#""-inf""#), (true, String::new()));
    let (_, said) = run(r#""inf""#);
    assert!(said.contains("logarithms: wrong result: argument 1, element 3 is -inf, expected inf"), "{said}");
    let (_, said) = run("-Infinity");
    assert!(said.contains("suite.json"), "{said}");
}

/// What is compiled is what `suite.json` describes, and every kernel says at each size what its results are.
#[test]
fn kernels_of_suites_are_described() {
    for suite in ["practitioners", "gpu"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(suite).join("compiled");
        let kernels: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("suite.json")).unwrap()).unwrap();
        let mut described = std::collections::BTreeSet::from(["suite.json".to_owned()]);
        for kernel in kernels.as_array().unwrap() {
            for size in ["full", "quick"] {
                let expected = kernel[size]["expected"].as_array().unwrap();
                let has_elements = |expected: &serde_json::Value| !expected["elements"].as_array().unwrap().is_empty();
                assert!(!expected.is_empty() && expected.iter().all(has_elements), "{}", kernel["name"]);
                assert!(suite != "gpu" || kernel[size]["torch"].is_string(), "{} says what it is in PyTorch", kernel["name"]);
            }
            described.insert(format!("{}.tilebc", kernel["name"].as_str().unwrap()));
        }
        let there = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(described, there);
    }
}

/// The kernels beside `kernels.py` are the ones that are measured.
#[test]
fn every_bytecode_file_is_used() {
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/bench/problems.rs")).unwrap();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "tilebc") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(source.contains(&format!("bytecode!(\"{name}\")")), "{name}");
        }
    }
}

#[test]
fn nothing_is_measured_beside_the_engine() {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(["bench", "--quick", "--beside", "cublas"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--beside is for GPUs: --device cuda"), "{output:?}");
}

#[test]
fn a_filter_that_fits_nothing_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(["bench", "--filter", "nothing"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--list"));
}
