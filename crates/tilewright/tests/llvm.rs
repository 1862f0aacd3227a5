//! The corpus by way of LLVM: what `llc` and libNVVM make of its modules gives the expected results on the PTX machine.

use std::path::PathBuf;
use tilewright::case::Case;
use tilewright_fuzz::corpus;
use tilewright_gpu::{Kernel, Target, compile};
use tilewright_oracle::{Oracle, failures, is_exhaustive, llvm::Llc};
use tilewright_ptx::{
    machine::{LaunchOptions, Program},
    parse,
};

/// What is wrong with each of these cases, of whose kernel a compiler makes PTX.
fn check(folders: &[PathBuf], target: Target, to_ptx: impl Fn(&Kernel) -> Result<String, String> + Sync) {
    let failures = failures(folders, |folder| {
        let case = Case::load(folder).expect("a case");
        let kernel = compile(&case.module(None).expect("a valid module"), case.entry(), target).expect("it is compiled");
        let program = to_ptx(&kernel).and_then(|text| {
            let program = parse(&text).and_then(|module| Program::new(&module));
            program.map_err(|error| format!("{error}\n{text}"))
        });
        let program = match program {
            Ok(program) => program,
            Err(error) => return Some(format!("{}: {error}", case.name())),
        };
        let options = LaunchOptions::new().seed(1).dynamic_shared(kernel.dynamic_shared());
        let (verdict, report) = case.bind().expect("its inputs are there").launch_on_ptx(&program, &options);
        let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        (!verdict.ok).then(|| format!("{}: {verdict:?}\n    {}", case.name(), findings.join("\n    ")))
    });
    assert!(failures.is_empty(), "{target}: {} of {}:\n{}", failures.len(), folders.len(), failures.join("\n"));
}

#[test]
fn cases_by_way_of_llc_give_the_expected_results() {
    let Some(llc) = Llc::or_skip(&format!("{} cases by way of llc", corpus::cases().len())) else { return };
    check(&corpus::cases(), Target::Sm80, |kernel| llc.compile(&kernel.llvm(), "sm_80"));
}

#[test]
fn cases_by_way_of_libnvvm_give_the_expected_results() {
    let Some(oracle) = Oracle::or_skip(&format!("{} cases by way of libNVVM", corpus::cases().len())) else { return };
    let targets = if is_exhaustive() { &Target::ALL[..] } else { &[Target::Sm80, Target::Sm90, Target::Sm100] };
    for &target in targets {
        check(&corpus::cases(), target, |kernel| oracle.compile_llvm(&kernel.nvvm(), target.name()));
    }
}
