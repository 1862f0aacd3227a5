//! Every rule is triggered by a module that breaks only this rule, and the rules are documented in `docs/rules.md`.

mod support;

use std::{collections::HashSet, fmt::Write, fs, path::Path};
use support::{CASES, Kernel};
use tilewright_ir::{MAX_FINDINGS, Module, Opcode, Scalar, Version, rules, verify};

#[test]
fn a_case_breaks_its_rule_and_no_other() {
    for (rule, build) in CASES {
        let mut kernel = Kernel::new();
        build(&mut kernel);
        let findings = match verify(kernel.finish()) {
            Ok(_) => panic!("{rule}: the module is valid"),
            Err(findings) => findings,
        };
        let found: HashSet<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(found, HashSet::from([*rule]), "{rule}: {}", findings[0]);
        // What is said is about one operation, or about the one function or global.
        let places: HashSet<_> = findings.iter().map(|finding| (&finding.function, finding.op)).collect();
        assert_eq!(places.len(), 1, "{rule}: {findings:?}");
        let examples = rules().find(|known| known.id == *rule).map_or("", |known| known.example);
        assert!(!examples.is_empty(), "{rule} has no example");
    }
}

#[test]
fn a_module_has_a_name() {
    let findings = verify(Module::new("", Version::LATEST)).expect_err("text cannot say a module without a name");
    assert_eq!(findings[0].to_string(), "error[symbol-name]: the module has an empty name");
    // Its name is no symbol beside those of its functions.
    let mut kernel = Kernel::new();
    kernel.module.name = kernel.module.tables.strings.intern("k");
    verify(kernel.finish()).unwrap_or_else(|findings| panic!("{}", findings[0]));
}

#[test]
fn every_rule_has_a_case() {
    let cases: HashSet<&str> = CASES.iter().map(|(rule, _)| *rule).collect();
    let registered: HashSet<&str> = rules().map(|rule| rule.id).collect();
    let mut missing: Vec<_> = registered.symmetric_difference(&cases).collect();
    missing.sort_unstable();
    assert!(missing.is_empty(), "rules without a case, or cases without a rule: {missing:?}");
}

#[test]
fn all_findings_are_reported_in_order() {
    let mut k = Kernel::new();
    let (i32s, f32s) = (k.tile(Scalar::I32, &[4]), k.tile(Scalar::F32, &[4]));
    let a = k.constant(Scalar::I32, &[4]);
    k.op(Opcode::AbsF, &[a], &[], &[i32s]);
    k.op(Opcode::NegF, &[a], &[], &[f32s]);
    k.op(Opcode::Reshape, &[a], &[], &[f32s]);
    let findings = verify(k.finish()).expect_err("three operations are wrong");
    let found: Vec<_> = findings.iter().map(|f| (f.rule, f.op.expect("an operation"), f.function.as_deref())).collect();
    let at = |index, mnemonic| (index, mnemonic);
    let expected = [
        ("operand-type", at(1, "absf"), Some("k")),
        ("result-type", at(1, "absf"), Some("k")),
        ("operand-type", at(2, "negf"), Some("k")),
        ("same-element", at(3, "reshape"), Some("k")),
    ];
    assert_eq!(found, expected);
    let text = findings[0].to_string();
    let expected =
        "error[operand-type] in @k, operation 1 (absf): operand 'source' must be a tile of f16, bf16, f32 or f64, found tile<4xi32>";
    assert_eq!(text, expected);
}

#[test]
fn findings_are_limited() {
    let mut k = Kernel::new();
    let ty = k.tile(Scalar::I32, &[4]);
    let a = k.constant(Scalar::I32, &[4]);
    for _ in 0..2 * MAX_FINDINGS {
        k.op(Opcode::NegF, &[a], &[], &[ty]);
    }
    assert_eq!(verify(k.finish()).expect_err("all are wrong").len(), MAX_FINDINGS);
}

/// Nested branches, each with a jump to the loop around all of them, take no more time for each than a few.
#[test]
fn deep_nesting_is_walked_once() {
    let mut k = Kernel::new();
    let condition = k.constant(Scalar::I1, &[]);
    let (body, _) = k.region_op(Opcode::Loop, &[&[]], &[], &[], &[&[]]);
    let mut block = body[0];
    let mut blocks = vec![block];
    for _ in 0..50_000 {
        k.block = block;
        block = k.region_op(Opcode::If, &[&[condition]], &[], &[], &[&[]]).0[0];
        blocks.push(block);
    }
    for block in blocks {
        k.block = block;
        k.op(Opcode::Continue, &[], &[], &[]);
    }
    k.block = k.body.entry_block().expect("an entry");
    verify(k.finish()).unwrap_or_else(|findings| panic!("{}", findings[0]));
}

#[test]
fn versions_gate_nothing_that_the_tools_do_not() {
    for version in Version::ALL {
        let mut k = Kernel::new();
        k.module.version = version;
        let (body, _) = k.region_op(Opcode::Loop, &[&[]], &[], &[], &[&[]]);
        let outer = std::mem::replace(&mut k.block, body[0]);
        k.op(Opcode::Return, &[], &[], &[]);
        k.block = outer;
        verify(k.finish()).unwrap_or_else(|findings| panic!("{version}: {}", findings[0]));
    }
}

/// The text of `docs/rules.md`.
fn document() -> String {
    let mut text = "# Rules of the verifier\n\nWritten by a test from the registry in `crates/tilewright-ir/src/verify/rules.rs`; `BLESS=1 cargo test -p \
                    tilewright-ir` writes it anew.\n\n`tilewright validate` prints the id of the rule that a module breaks in brackets. Verdicts are \
                    those of NVIDIA's\n`tileirdisasm` and `tileiras` 13.5.37, which a test compares on changed files. *Tools* says where official \
                    tools differ from each\nother, or where a verdict here differs from theirs.\n"
        .to_owned();
    let mut chapter = "";
    for rule in rules() {
        if rule.chapter != chapter {
            chapter = rule.chapter;
            write!(text, "\n## {chapter}\n").expect("strings can be written");
        }
        write!(text, "\n### {}\n\n**{}.** {}\n\n```text\n{}\n```\n", rule.id, rule.title, rule.text, rule.example)
            .expect("strings can be written");
        if !rule.tools.is_empty() {
            write!(text, "\n*Tools:* {}\n", rule.tools).expect("strings can be written");
        }
    }
    text
}

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let expected = document();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the document is written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/rules.md is stale: run with BLESS=1");
}
