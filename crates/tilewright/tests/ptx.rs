//! What NVIDIA's compiler makes of the corpus, run on the PTX machine, gives the expected results.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};
use tilewright::case::Case;
use tilewright_fuzz::corpus;
use tilewright_oracle::{Oracle, failures};
use tilewright_ptx::{
    cubin,
    machine::{LaunchOptions, Program},
    parse,
};

/// The GPU whose PTX the machine runs.
const GPU: &str = "sm_80";
/// Cases that tileiras refuses for this GPU: it has no 8-bit floats.
const REFUSED: [&str; 6] = ["casts_fp8", "casts_rounding", "fp8_quantize", "matmul_f8e4m3", "matmul_f8e5m2", "mma_scaled_mxfp8"];

/// What is wrong with a case.
fn check(oracle: &Oracle, folder: &Path) -> Option<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let case = Case::load(folder).expect("a case");
    let (_, path) = case.bytecode(None).expect("a version");
    let answer = oracle.compile_with_ptx(&fs::read(path).expect("the file is there"), GPU);
    if !answer.accepted() {
        return (!REFUSED.contains(&name.as_str())).then(|| format!("{name}: tileiras refuses it: {}", answer.stderr));
    }
    let text = match cubin::ptx(&answer.output) {
        Ok(text) => text,
        Err(error) => return Some(format!("{name}: {error}")),
    };
    let module = match parse(&text) {
        Ok(module) => module,
        Err(error) => return Some(format!("{name}: {error}")),
    };
    let printed = module.to_string();
    let again = parse(&printed).map(|module| module.to_string());
    if again.as_ref() != Ok(&printed) {
        return Some(format!("{name}: what is printed does not read as the same"));
    }
    let program = match Program::new(&module) {
        Ok(program) => program,
        Err(error) => return Some(format!("{name}: {error}")),
    };
    let bound = case.bind().expect("its inputs are there");
    for seed in [0, 1] {
        let (verdict, report) = bound.launch_on_ptx(&program, &LaunchOptions::new().seed(seed));
        if std::env::var_os("VERBOSE").is_some() {
            let _ = writeln!(io::stderr(), "{name}: {} instructions, {:.2} s, {:?}", report.instructions, verdict.seconds, report.shared);
        }
        if !report.findings.is_empty() {
            let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
            return Some(format!("{name}, seed {seed}: {}", findings.join("\n    ")));
        }
        if !verdict.ok {
            return Some(format!("{name}, seed {seed}: {verdict:#?}"));
        }
    }
    None
}

#[test]
fn the_corpus_compiled_by_nvidia_gives_the_expected_results() {
    let mut cases = corpus::cases();
    let Some(oracle) = Oracle::or_skip(&format!("{} cases on the PTX machine", cases.len())) else { return };
    if let Ok(only) = std::env::var("CASE") {
        cases.retain(|folder| folder.ends_with(&only));
    }
    let failures = failures(&cases, |folder| check(&oracle, folder));
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
