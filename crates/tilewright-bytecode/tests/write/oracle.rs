//! NVIDIA's tools take what is written: the disassembler sees in it what was read, and the compiler compiles it.

use crate::{Sample, samples, valid};
use std::collections::{BTreeMap, HashSet};
use tilewright_bytecode::{Style, WriteOptions, write};
use tilewright_ir::{VerifiedModule, Version};
use tilewright_oracle::{Oracle, failures, is_exhaustive};
use tilewright_text::ParseOptions;

/// A module of the corpus, written in some way.
struct Written<'s> {
    sample: &'s Sample,
    version: Version,
    style: Style,
    bytes: Vec<u8>,
}

impl<'s> Written<'s> {
    /// `None` where the version cannot say it.
    fn new(sample: &'s Sample, module: &VerifiedModule, version: Version, style: Style) -> Option<Written<'s>> {
        let bytes = write(module, &WriteOptions::new(version).style(style)).ok()?;
        Some(Written { sample, version, style, bytes })
    }

    /// A file of the corpus at each version that can say it, in each of the styles.
    fn ways(sample: &'s Sample, styles: &[Style]) -> Vec<Written<'s>> {
        let module = sample.module();
        let versions = Version::ALL.into_iter();
        versions
            .flat_map(|version| styles.iter().filter_map(|style| Written::new(sample, &module, version, *style)).collect::<Vec<_>>())
            .collect()
    }

    fn name(&self) -> String {
        format!("{} at {}, {:?}", self.sample.name, self.version, self.style)
    }
}

/// What the disassembler says about a file, debug information included.
fn disassembly(oracle: &Oracle, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let answer = oracle.disassemble(bytes, &["--print-debug-info"]);
    if answer.accepted() { Ok(answer.stdout) } else { Err(answer.stderr) }
}

/// A tenth of what can be written, or all of it.
#[test]
fn the_disassembler_sees_the_same() {
    let samples = samples();
    let step = if is_exhaustive() { 1 } else { 10 };
    let written = samples.iter().flat_map(|sample| Written::ways(sample, &[Style::Cutile, Style::Cpp]));
    let written: Vec<Written<'_>> = written.step_by(step).collect();
    let Some(oracle) = Oracle::or_skip(&format!("{} comparisons of written files", written.len())) else { return };
    let differences = failures(&written, |way| {
        let (seen, expected) = (disassembly(&oracle, &way.bytes), disassembly(&oracle, &way.sample.bytes));
        (seen != expected || seen.is_err())
            .then(|| format!("{}: {:?}", way.name(), seen.map(|text| String::from_utf8_lossy(&text).into_owned())))
    });
    eprintln!("{} written files shown to the disassembler", written.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// GPUs that files are compiled for.
const GPUS: [&str; 2] = ["sm_90", "sm_100"];

/// The newest file of each kernel that every checkout has, at its own version; or every file of the corpus at every version, each
/// of the byte sequences once (a kernel's file of one version often is what its file of another gives at that version).
fn to_compile(samples: &[Sample]) -> Vec<Written<'_>> {
    if is_exhaustive() {
        let by_name: BTreeMap<&str, &Sample> = samples.iter().map(|sample| (&*sample.name, sample)).collect();
        let mut seen = HashSet::new();
        let ways = by_name.into_values().flat_map(|sample| Written::ways(sample, &[Style::Cutile]));
        return ways.filter(|way| seen.insert(way.bytes.clone())).collect();
    }
    let kernels = samples.iter().filter(|sample| sample.is_bundled && sample.name.starts_with(|c: char| c.is_ascii_lowercase()));
    let newest: BTreeMap<&str, &Sample> = kernels.map(|sample| (sample.family().0, sample)).collect();
    newest.into_values().filter_map(|sample| Written::new(sample, &sample.module(), sample.family().1, Style::Cutile)).collect()
}

#[test]
fn the_compiler_compiles_what_is_written() {
    let samples = samples();
    let written = to_compile(&samples);
    let Some(oracle) = Oracle::or_skip(&format!("{} compilations of written files", written.len() * GPUS.len())) else { return };
    let refused = failures(&written, |way| {
        let refusal = |gpu: &&str| {
            let answer = oracle.compile(&way.bytes, gpu);
            if answer.accepted() {
                return None;
            }
            let why = answer.stderr.lines().find(|line| line.contains("error")).unwrap_or_default().to_owned();
            // A GPU may lack what the kernel needs: then NVIDIA's own file is refused as well.
            let is_ours = oracle.compile(&way.sample.bytes, gpu).accepted();
            eprintln!("{} for {gpu}: {why}; NVIDIA's own file is {}", way.name(), if is_ours { "taken" } else { "refused as well" });
            is_ours.then(|| format!("{} for {gpu}: {}", way.name(), answer.stderr))
        };
        GPUS.iter().find_map(refusal)
    });
    eprintln!("{} written files compiled for {GPUS:?}", written.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Text leaves out the types of numbers in hints, and says all the same: the compiler makes the same of hints of any integer type, and
/// something else of another number.
#[test]
fn hints_of_any_integer_type_compile_to_the_same() {
    let Some(oracle) = Oracle::or_skip("6 compilations of hints") else { return };
    let compiled = |hint: &str| {
        let text = format!("entry @k() optimization_hints=<sm_100 = {{num_cta_in_cga = {hint}}}> {{\n  return\n}}\n");
        let module =
            tilewright_text::parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, hint)));
        let bytes = write(&valid(module), &WriteOptions::new(Version::LATEST)).expect("it can be written");
        let shown = oracle.disassemble(&bytes, &[]).stdout;
        let number = hint.split(' ').next().unwrap_or(hint);
        assert!(String::from_utf8_lossy(&shown).contains(&format!("{{num_cta_in_cga = {number}}}")), "{hint}");
        let answer = oracle.compile(&bytes, "sm_100");
        assert!(answer.accepted(), "{hint}: {}", answer.stderr);
        answer.output
    };
    let expected = compiled("2");
    for hint in ["2 : i8", "2 : i16", "2 : i32", "2 : i64"] {
        assert!(compiled(hint) == expected, "{hint}");
    }
    assert!(compiled("4 : i32") != expected);
}
