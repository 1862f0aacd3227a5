//! What the compiler to PTX makes of the corpus, run on the PTX machine, gives the expected results; and `ptxas` takes it for every target.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};
use tilewright::case::{Case, CaseError, PtxOptions};
use tilewright_fuzz::corpus;
use tilewright_gpu::{Target, compile, coverage};
use tilewright_oracle::{Oracle, failures};

/// Cases with operations that are not compiled yet: what the error names first.
const NOT_COMPILED: &[(&str, &str)] = &[
    ("assert_fail", "assert"),
    ("assert_pass", "assert"),
    ("grid_dependency", "gdc_wait_tko"),
    ("mma_scaled_mxfp8", "mmaf_scaled"),
    ("pack_unpack", "pack"),
    ("print_blocks", "print_tko"),
    ("print_tile", "print_tko"),
    ("print_values", "print_tko"),
    ("scans_float", "scan"),
];

fn cases() -> Vec<PathBuf> {
    let folders = fs::read_dir(corpus::folder().join("cases")).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = folders.filter(|folder| folder.join("case.json").is_file()).collect();
    folders.sort();
    if let Ok(only) = std::env::var("CASE") {
        folders.retain(|folder| folder.ends_with(&only));
    }
    folders
}

fn missing(name: &str) -> Option<&'static str> {
    NOT_COMPILED.iter().find(|(case, _)| *case == name).map(|(_, operation)| *operation)
}

/// What is wrong with a case on the PTX machine, in two orders of blocks and warps.
fn check(folder: &Path) -> Option<String> {
    let case = Case::load(folder).expect("a case");
    let name = case.name();
    let options = PtxOptions { target: Target::Sm80, version: None, repeat: NonZeroUsize::new(2).expect("not zero") };
    let (report, launches) = match (case.run_on_ptx(&options), missing(name)) {
        (Ok(found), None) => found,
        (Ok(_), Some(_)) => return Some(format!("{name}: it is compiled now: strike it from the list")),
        (Err(CaseError::Compile(error)), Some(operation)) if error.starts_with(operation) && error.contains("sm_80") => return None,
        (Err(error), _) => return Some(format!("{name}: {error}")),
    };
    let findings: Vec<String> = launches.iter().flat_map(|launch| &launch.findings).map(ToString::to_string).collect();
    (!report.ok).then(|| format!("{name}: {:#?}\n    {}", report.launches, findings.join("\n    ")))
}

#[test]
fn compiled_cases_give_the_expected_results_on_the_ptx_machine() {
    let failures: Vec<String> = cases().iter().filter_map(|folder| check(folder)).collect();
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn ptxas_takes_what_is_compiled_for_every_target() {
    let mut jobs = Vec::new();
    for folder in cases() {
        let case = Case::load(&folder).expect("a case");
        if missing(case.name()).is_none() {
            jobs.extend(Target::ALL.map(|target| (folder.clone(), target)));
        }
    }
    let Some(oracle) = Oracle::or_skip(&format!("{} kernels through ptxas", jobs.len())) else { return };
    let failures = failures(&jobs, |(folder, target)| {
        let case = Case::load(folder).expect("a case");
        let module = case.module(None).expect("a valid module");
        let text = compile(&module, case.entry(), *target).expect("it is compiled").ptx();
        let answer = oracle.assemble(&text, target.name());
        (!answer.accepted()).then(|| format!("{} for {target}: {}", case.name(), answer.stderr))
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

/// The table of docs/gpu.md.
fn coverage_table() -> String {
    let mut table = "| operation | becomes |\n|---|---|\n".to_owned();
    for opcode in tilewright::ir::Opcode::ALL.iter().filter(|opcode| !opcode.def().preview) {
        table += &format!("| `{opcode}` | {} |\n", coverage(*opcode).unwrap_or("not compiled yet"));
    }
    table
}

#[test]
fn the_coverage_table_of_the_guide_is_that_of_the_compiler() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gpu.md");
    let guide = fs::read_to_string(&path).expect("the guide");
    let (before, rest) = guide.split_once("<!-- coverage -->\n").expect("the table's begin");
    let (table, after) = rest.split_once("<!-- end of coverage -->").expect("the table's end");
    let expected = coverage_table();
    if std::env::var_os("BLESS").is_some() {
        let text = format!("{before}<!-- coverage -->\n{expected}<!-- end of coverage -->{after}");
        fs::write(&path, text).expect("the guide can be written");
    } else {
        assert_eq!(table, expected, "BLESS=1 writes the table");
    }
}
