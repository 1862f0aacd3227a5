//! What the compiler to PTX makes of the corpus, run on the PTX machine, gives the expected results; and `ptxas` takes it for every target.

use std::{fs, num::NonZeroUsize, path::Path};
use tilewright::{
    case::{Case, DeviceOptions},
    device::Device,
    ptxas::Ptxas,
};
use tilewright_fuzz::corpus;
use tilewright_gpu::{Target, compile, coverage};
use tilewright_oracle::{Oracle, failures};

/// What is wrong with a case on the PTX machine, in two orders of blocks and warps.
fn check(folder: &Path) -> Option<String> {
    let case = Case::load(folder).expect("a case");
    let wrong = |version| {
        let repeat = NonZeroUsize::new(2).expect("not zero");
        let options = DeviceOptions { device: Device::Ptx(Target::Sm80), version: Some(version), repeat };
        let (report, launches) = match case.run_on(&options) {
            Ok(found) => found,
            Err(error) => return Some(format!("{} {version}: {error}", case.name())),
        };
        let findings: Vec<String> = launches.iter().flat_map(|launch| &launch.findings).map(ToString::to_string).collect();
        (!report.ok).then(|| format!("{} {version}: {:#?}\n    {}", case.name(), report.launches, findings.join("\n    ")))
    };
    case.versions().find_map(wrong)
}

#[test]
fn compiled_cases_give_the_expected_results_on_the_ptx_machine() {
    let failures: Vec<String> = corpus::cases().iter().filter_map(|folder| check(folder)).collect();
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn ptxas_takes_what_is_compiled_for_every_target() {
    let mut jobs = Vec::new();
    for folder in corpus::cases() {
        jobs.extend(Target::ALL.map(|target| (folder.clone(), target)));
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

#[test]
fn a_cubin_is_made_by_the_assembler() {
    let Some(oracle) = Oracle::or_skip("a cubin") else { return };
    let ptxas = Ptxas::new(oracle.program("ptxas"));
    let case = Case::load(corpus::folder().join("cases/vector_add")).expect("a case");
    let module = case.module(None).expect("a valid module");
    let text = compile(&module, case.entry(), Target::Sm90).expect("it is compiled").ptx();
    let cubin = ptxas.assemble(&text, Target::Sm90).expect("the assembler takes it");
    assert!(cubin.starts_with(b"\x7fELF"));
    let refused = ptxas.assemble(&text.replace("sm_90", "sm_99"), Target::Sm90).expect_err("there is no such target").to_string();
    assert!(refused.starts_with("ptxas refuses the PTX: ") && refused.contains("sm_99"), "{refused}");
}

/// The table of docs/gpu.md.
fn coverage_table() -> String {
    let mut table = "| operation | becomes |\n|---|---|\n".to_owned();
    for opcode in tilewright::ir::Opcode::ALL.iter().filter(|opcode| !opcode.def().preview) {
        table += &format!("| `{opcode}` | {} |\n", coverage(*opcode));
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
