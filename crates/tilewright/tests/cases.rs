//! Runs the corpus: every case, in every version it has, on one worker thread and on two.
//!
//! A case of the list below that is not in the corpus fails the test: results that were not checked must not look like results
//! that are right.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tilewright::{
    case::{Case, CaseReport, RunOptions},
    passes::{PASSES, Pipeline},
};
use tilewright_fuzz::corpus;

/// Cases that every checkout has.
const CASES: [&str; 35] = [
    "vector_add",
    "saxpy",
    "activations",
    "matmul_f16",
    "matmul_bf16",
    "matmul_f32",
    "matmul_tf32",
    "matmul_i8",
    "matmul_f8e4m3",
    "matmul_persistent",
    "batched_matmul",
    "softmax_rows",
    "layernorm_fwd",
    "rmsnorm",
    "flash_attention",
    "flash_attention_causal",
    "transpose_2d",
    "permute_4d",
    "embedding_lookup",
    "gather_scatter",
    "histogram",
    "reductions_float",
    "reductions_int",
    "scans_float",
    "conv1d_causal",
    "mandelbrot",
    "collatz_while",
    "nested_control",
    "dropout_hash",
    "grid3d",
    "print_values",
    "assert_fail",
    "matmul_splitk_atomic",
    "matmul_splitk_lock",
    "grid_barrier",
];

/// The folder of a case.
fn find(name: &str) -> Option<PathBuf> {
    Some(corpus::folder().join("cases").join(name)).filter(|folder| folder.join("case.json").is_file())
}

/// The names of the list, and of every other case there is.
fn names() -> BTreeSet<String> {
    let entries = corpus::folder().join("cases").read_dir().expect("the corpus has cases").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).chain(CASES.map(str::to_owned)).collect()
}

/// What is wrong with a run, in a line.
fn complaint(report: &CaseReport) -> String {
    let Some(launch) = report.launches.iter().find(|launch| !launch.ok) else { return "no launch".to_owned() };
    let outputs = launch.outputs.iter().filter(|o| !o.ok).map(|o| format!("{}: {} mismatches, worst {:?}", o.param, o.mismatches, o.worst));
    let inputs = launch.inputs.iter().filter(|i| !i.unchanged).map(|i| format!("{} changed", i.param));
    let printed = launch.stdout.iter().filter(|s| !s.ok).map(|s| format!("printed {:?}", s.found));
    let failure = launch.failure.iter().filter(|f| !f.ok).map(|f| format!("expected {}", f.expected));
    let error = launch.error.iter().cloned();
    outputs.chain(inputs).chain(printed).chain(failure).chain(error).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_case_gives_the_expected_results() {
    let mut failures = Vec::new();
    let mut missing = Vec::new();
    let mut runs = 0;
    for name in names() {
        let Some(folder) = find(&name) else {
            missing.push(name);
            continue;
        };
        let case = Case::load(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        for version in case.versions() {
            for threads in [1, 2].map(|n| NonZeroUsize::new(n).unwrap()) {
                runs += 1;
                match case.run(&RunOptions::new().version(version).threads(threads)) {
                    Ok(report) if report.ok => {}
                    Ok(report) => failures.push(format!("{name} {version} on {threads} threads: {}", complaint(&report))),
                    Err(error) => failures.push(format!("{name} {version}: {error}")),
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} of {} cases are missing: {}", missing.len(), CASES.len(), missing.join(", "));
    assert!(runs >= 4 * CASES.len(), "only {runs} runs of {} cases", CASES.len());
    assert!(failures.is_empty(), "{} of {runs} runs failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn launches_are_repeated_on_fresh_buffers() {
    // Its blocks add into C: a second launch on the same buffers would give twice the result.
    let case = Case::load(find("matmul_splitk_atomic").expect("it is one of the cases that every corpus has")).unwrap();
    let report = case.run(&RunOptions::new().repeat(NonZeroUsize::new(5).unwrap())).unwrap();
    assert_eq!(report.launches.len(), 5);
    assert!(report.ok, "{}", complaint(&report));
}

/// What a case leaves in its outputs on one thread, after these passes or those of the engine.
fn outputs(case: &Case, passes: Option<Pipeline>) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let found = Arc::new(Mutex::new(BTreeMap::new()));
    let sink = found.clone();
    let look = move |name: &str, bytes: &[u8]| _ = sink.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
    let mut options = RunOptions::new().threads(NonZeroUsize::MIN).outputs(Arc::new(look));
    if let Some(passes) = passes {
        options = options.passes(passes);
    }
    let report = case.run(&options).map_err(|error| error.to_string())?;
    if !report.ok {
        return Err(complaint(&report));
    }
    let found = found.lock().unwrap().clone();
    Ok(found)
}

/// Passes that change results, within what they document.
const ROUNDING_PASSES: [&str; 1] = ["fuse-fma"];

#[test]
fn passes_leave_the_results_of_every_case_alone() {
    let mut failures = Vec::new();
    let names_of_passes = PASSES.iter().map(|pass| pass.name);
    let pipelines = names_of_passes.chain([Pipeline::DEFAULT]).map(|text| (text, Some(Pipeline::parse(text).unwrap())));
    let pipelines: Vec<_> = pipelines.chain([("the engine's passes", None)]).collect();
    for name in names() {
        let case = Case::load(find(&name).unwrap_or_else(|| panic!("{name} is missing"))).unwrap();
        let before = outputs(&case, Some(Pipeline::default())).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (pipeline, passes) in &pipelines {
            match outputs(&case, passes.clone()) {
                Ok(after) if after == before => {}
                // As near to what the case expects as it asks for.
                Ok(_) if ROUNDING_PASSES.contains(pipeline) => {}
                Ok(_) => failures.push(format!("{name} after {pipeline}: other bits")),
                Err(error) => failures.push(format!("{name} after {pipeline}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
