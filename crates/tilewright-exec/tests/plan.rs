//! The passes of plans, from text to text.
//!
//! Each file `tests/plan/PASS.mlir` is a module, each of whose entries has expectations in comments (`filecheck/mod.rs`): `CHECK` about the
//! plan's text after the pass, `BEFORE` about its text before it. Its operations are planned as they stand. Of a pass that changes plans, at
//! least one entry is changed and at least one is left alone: the text before and after it is the same.
//!
//! A file with the line `// REQUIRES: vector code` is about what only CPUs have for which there is vector code, one with `// REQUIRES: AMX` about
//! products on CPUs that have AMX.

mod filecheck;
mod text;

use filecheck::{check, checks};
use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
};
use tilewright_exec::{PLAN_PASSES, Program};
use tilewright_kernels::{
    cpu::Level,
    mma::{self, MatmulKind, Shape},
};

/// Passes that make another text of every plan.
const ALWAYS_ACT: [&str; 2] = ["lower", "allocate-registers"];

/// Where the tests of a pass are.
fn path(pass: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/plan/{pass}.mlir"))
}

/// The entries of a file: the name of each, the number of its first line, and its text.
fn entries(text: &str) -> Vec<(&str, usize, String)> {
    let mut entries: Vec<(&str, usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("entry @").and_then(|rest| rest.split('(').next()) {
            entries.push((name, i + 1, String::new()));
        }
        if let Some((_, _, text)) = entries.last_mut() {
            text.extend([line, "\n"]);
        }
    }
    entries
}

/// Whether there is vector code for this CPU.
fn has_vector_code() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether products of bytes are computed in tiles on this CPU.
fn has_amx() -> bool {
    let (kind, shape) = (MatmulKind::I32 { lhs_signed: true, rhs_signed: true }, Shape { m: 16, n: 16, k: 64 });
    mma::deferred(Level::best(), kind, &shape) > 1
}

/// Tests the pass at this place of the list.
fn test(at: usize) -> Result<(), String> {
    let pass = &PLAN_PASSES[at];
    let path = path(pass.name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}; each pass has such a file", path.display()))?;
    for (what, has) in [("vector code", has_vector_code()), ("AMX", has_amx())] {
        if text.contains(&format!("// REQUIRES: {what}\n")) && !has {
            let told = writeln!(io::stderr(), "NOT TESTED: {}, as there is no {what} for this CPU", pass.name);
            return told.map_err(|error| error.to_string());
        }
    }
    let program: Program = text::program_as_it_is(&text);
    let (mut acts, mut leaves) = (0, 0);
    for (entry, line, source) in entries(&text) {
        let of = |pass| program.plan_after(entry, pass).map_err(|error| format!("{}: @{entry}: {error}", path.display()));
        let after = of(pass)?;
        let before = if at == 0 { String::new() } else { of(&PLAN_PASSES[at - 1])? };
        for (prefix, text) in [("BEFORE", &before), ("CHECK", &after)] {
            let checks = checks(&source, prefix, line).map_err(|why| format!("{}: {why}", path.display()))?;
            if prefix == "CHECK" && checks.is_empty() {
                return Err(format!("{}: nothing is expected of @{entry}; its plan is\n{after}", path.display()));
            }
            check(text, &checks).map_err(|why| format!("{}: {why}\n{prefix}:\n{text}", path.display()))?;
        }
        *(if before == after { &mut leaves } else { &mut acts }) += 1;
    }
    if acts == 0 || (leaves == 0 && !ALWAYS_ACT.contains(&pass.name)) {
        return Err(format!("{}: the pass changes {acts} entries and leaves {leaves} alone; there must be both", path.display()));
    }
    Ok(())
}

#[test]
fn passes_make_what_the_files_expect() {
    let wrong: Vec<String> = (0..PLAN_PASSES.len()).filter_map(|at| test(at).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_file_is_about_a_pass() {
    for file in fs::read_dir(path("lower").parent().unwrap()).unwrap() {
        let found = file.unwrap().path();
        assert!(PLAN_PASSES.iter().any(|pass| path(pass.name) == found), "{} is about no pass", found.display());
    }
}

#[test]
fn the_stages_are_the_plan_after_each_pass() {
    let text = fs::read_to_string(path("fuse")).unwrap();
    let program: Program = text::program_as_it_is(&text);
    let (entry, ..) = entries(&text)[0];
    let stages = program.plan_stages(entry).unwrap();
    assert!(stages.iter().map(|(pass, _)| pass.name).eq(PLAN_PASSES.iter().map(|pass| pass.name)));
    for (pass, shown) in stages {
        assert_eq!(shown, program.plan_after(entry, &pass).unwrap(), "{}", pass.name);
    }
    assert!(program.plan_stages("nothing").is_err());
}
