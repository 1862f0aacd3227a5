//! Writes `docs/gpu-performance.md`: what the compiler to PTX makes of kernels of the corpus, beside what `tileiras` makes of them.
//!
//! `cargo run --release -p tilewright --example gpu_performance`, with names of cases behind `--` for some of them only, which are printed.
//! Both are run on the PTX machine with the inputs of the case, so no GPU is needed; `tileiras` and `ptxas` come from the Python packages.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};
use tilewright::{case::Case, gpu};
use tilewright_fuzz::corpus;
use tilewright_oracle::Oracle;
use tilewright_ptx::{
    cubin,
    machine::{Program, Report},
    parse,
};

const GPU: gpu::Target = gpu::Target::Sm80;

/// The kernels of the table.
const CASES: [&str; 19] = [
    "vector_add",
    "saxpy",
    "activations",
    "transpose_2d",
    "softmax_rows",
    "layernorm_fwd",
    "rmsnorm",
    "reductions_float",
    "reductions_int",
    "scans_float",
    "histogram",
    "embedding_lookup",
    "matmul_f16",
    "matmul_bf16",
    "matmul_tf32",
    "matmul_i8",
    "batched_matmul",
    "flash_attention",
    "flash_attention_causal",
];

/// What is known of one compiler's code.
struct Measured {
    report: Report,
    registers: String,
    spills: String,
}

impl Measured {
    /// Runs PTX of a case, and assembles it.
    fn of(case: &Case, text: &str, oracle: &Oracle) -> Result<Measured, String> {
        let module = parse(text).map_err(|error| error.to_string())?;
        let program = Program::new(&module).map_err(|error| error.to_string())?;
        let bound = case.bind().map_err(|error| error.to_string())?;
        let (verdict, report) = bound.launch_on_ptx(&program, 0);
        if !verdict.ok {
            return Err(format!("{verdict:?}"));
        }
        let usage = oracle.resources(&without_debug(text), GPU.name()).stderr;
        let number = |behind: &str| {
            let words: Vec<&str> = usage.split_whitespace().collect();
            let phrase: Vec<&str> = behind.split(' ').collect();
            let at = words.windows(phrase.len()).position(|part| part.iter().zip(&phrase).all(|(a, b)| a.trim_end_matches(',') == *b));
            at.and_then(|at| words.get(at.checked_sub(1)?)).map_or_else(|| "?".to_owned(), |word| (*word).to_owned())
        };
        Ok(Measured { report, registers: number("registers"), spills: number("bytes spill stores") })
    }

    /// Instructions that access global memory, by bytes of a thread.
    fn widths(&self) -> String {
        let mut widths: BTreeMap<u32, u64> = BTreeMap::new();
        for count in &self.report.counts {
            let parts: Vec<&str> = count.form.split('.').collect();
            let is_access = matches!(parts[0], "ld" | "st") && parts.contains(&"global") || count.form.starts_with("cp.async.c");
            if !is_access {
                continue;
            }
            let elements = if parts.contains(&"v4") { 4 } else { u32::from(parts.contains(&"v2")) + 1 };
            let bits = parts.last().and_then(|ty| ty.trim_start_matches(char::is_alphabetic).parse().ok()).unwrap_or(128);
            *widths.entry(elements * bits / 8).or_default() += count.warps;
        }
        widths.iter().rev().map(|(width, count)| format!("{width} B: {count}")).collect::<Vec<_>>().join(", ")
    }
}

/// PTX without lines of the source and the sections that they are explained in.
fn without_debug(text: &str) -> String {
    let code = text.split("\n\t.section").next().unwrap_or(text).split("\n.section").next().unwrap_or(text);
    let is_code = |line: &&str| !matches!(line.split_whitespace().next(), Some(".loc" | ".file"));
    code.lines().filter(is_code).collect::<Vec<_>>().join("\n") + "\n"
}

/// Our code and theirs for a case.
fn measure(name: &str, oracle: &Oracle) -> Result<[Measured; 2], String> {
    let case = Case::load(corpus::folder().join("cases").join(name)).map_err(|error| error.to_string())?;
    let module = case.module(None).map_err(|error| error.to_string())?;
    let ours = gpu::compile(&module, case.entry(), GPU).map_err(|error| error.to_string())?.ptx();
    let (_, path) = case.bytecode(None).map_err(|error| error.to_string())?;
    let answer = oracle.compile_with_ptx(&fs::read(path).map_err(|error| error.to_string())?, GPU.name());
    let theirs = cubin::ptx(&answer.output).map_err(|error| error.to_string())?;
    if let Ok(folder) = env::var("KEEP") {
        let write = |what: &str, text: &str| fs::write(Path::new(&folder).join(format!("{name}.{what}.ptx")), text);
        write("ours", &ours).and_then(|()| write("theirs", &theirs)).map_err(|error| error.to_string())?;
    }
    let measured = |text: &str, whose: &str| Measured::of(&case, text, oracle).map_err(|error| format!("{name}, {whose}: {error}"));
    Ok([measured(&ours, "ours")?, measured(&theirs, "theirs")?])
}

fn main() {
    let only: Vec<String> = env::args().skip(1).collect();
    let Some(oracle) = Oracle::or_skip("kernels of two compilers") else { return };
    let mut table = String::new();
    let (mut few, mut all) = (0, 0);
    for name in CASES.iter().filter(|name| only.is_empty() || only.iter().any(|wanted| wanted == *name)) {
        let [ours, theirs] = match measure(name, &oracle) {
            Ok(both) => both,
            Err(error) => {
                let _ = writeln!(table, "| {name} | {error} |");
                continue;
            }
        };
        let (a, b) = (ours.report.instructions, theirs.report.instructions);
        all += 1;
        few += usize::from(a <= b);
        let _ = writeln!(
            table,
            "| {name} | {a} | {b} | {:.2} | {} | {} | {} | {} | {} / {} | {} / {} |",
            a as f64 / b as f64,
            ours.report.shared.conflicts,
            theirs.report.shared.conflicts,
            ours.widths(),
            theirs.widths(),
            ours.registers,
            theirs.registers,
            ours.spills,
            theirs.spills,
        );
        if !only.is_empty() {
            for (whose, measured) in [("ours", &ours), ("theirs", &theirs)] {
                let counts = measured.report.counts.iter().take(24).map(|count| format!("{} {}", count.warps, count.form));
                let _ = writeln!(table, "\n{whose}:\n  {}", counts.collect::<Vec<_>>().join("\n  "));
            }
        }
    }
    let header = "| kernel | ours | tileiras | ratio | our conflicts | theirs | our accesses | theirs | registers | spilled bytes |\n\
        |---|--:|--:|--:|--:|--:|---|---|--:|--:|\n";
    let text = format!("{}{header}{table}\nAt most tileiras' count: {few} of {all}.\n", include_str!("gpu_performance.md"));
    if only.is_empty() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gpu-performance.md");
        fs::write(path, text).expect("docs/gpu-performance.md can be written");
    } else {
        use std::io::Write as _;
        let _ = std::io::stdout().write_all(format!("{header}{table}").as_bytes());
    }
}
