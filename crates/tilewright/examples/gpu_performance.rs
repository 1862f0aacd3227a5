//! Writes `docs/gpu-performance.md`: what the compiler to PTX makes of kernels of the corpus, beside what `tileiras` makes of them.
//!
//! `cargo run --release -p tilewright --example gpu_performance`, with names of cases behind `--` for some of them only, which are printed.
//! Both are run on the PTX machine with the inputs of the case, so no GPU is needed; `tileiras` and `ptxas` come from the Python packages.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use tilewright::{case::Case, gpu};
use tilewright_fuzz::corpus;
use tilewright_oracle::Oracle;
use tilewright_ptx::{
    cubin,
    machine::{LaunchOptions, Program, Report},
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
    /// Bytes of the asynchronous copies that are not of 16.
    copied: u32,
    registers: String,
    spills: String,
}

impl Measured {
    /// Runs PTX of a case, and assembles it.
    fn of(case: &Case, (text, dynamic_shared): (&str, u32), oracle: &Oracle) -> Result<Measured, String> {
        let module = parse(text).map_err(|error| error.to_string())?;
        let program = Program::new(&module).map_err(|error| error.to_string())?;
        let bound = case.bind().map_err(|error| error.to_string())?;
        let (verdict, report) = bound.launch_on_ptx(&program, &LaunchOptions::new().dynamic_shared(dynamic_shared));
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
        // Of one width in all kernels of the list.
        let copied = text.lines().find(|line| line.contains("cp.async.ca")).and_then(|line| line.split("], ").nth(2));
        let copied = copied.and_then(|size| size.split([',', ';']).next()?.trim().parse().ok()).unwrap_or(0);
        Ok(Measured { report, copied, registers: number("registers"), spills: number("bytes spill stores") })
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
            if count.form.starts_with("cp.async.ca") {
                *widths.entry(self.copied).or_default() += count.warps;
                continue;
            }
            let bits = parts.last().and_then(|ty| ty.trim_start_matches(char::is_alphabetic).parse().ok()).unwrap_or(128);
            *widths.entry(elements * bits / 8).or_default() += count.warps;
        }
        widths.iter().rev().map(|(width, count)| format!("{width} B: {count}")).collect::<Vec<_>>().join(", ")
    }
}

/// PTX without lines of the source and the sections that they are explained in.
fn without_debug(text: &str) -> String {
    let ends = ["\n\t.section", "\n.section", "\n.nv_intermediate_source_section"];
    let code = ends.iter().filter_map(|end| text.find(end)).min().map_or(text, |end| &text[..end]);
    let is_code = |line: &&str| !matches!(line.split_whitespace().next(), Some(".loc" | ".file"));
    code.lines().filter(is_code).collect::<Vec<_>>().join("\n") + "\n"
}

/// Our code and theirs for a case.
fn measure(name: &str, oracle: &Oracle) -> Result<[Measured; 2], String> {
    let case = Case::load(corpus::folder().join("cases").join(name)).map_err(|error| error.to_string())?;
    let module = case.module(None).map_err(|error| error.to_string())?;
    let kernel = gpu::compile(&module, case.entry(), GPU).map_err(|error| error.to_string())?;
    let ours = kernel.ptx();
    let (_, path) = case.bytecode(None).map_err(|error| error.to_string())?;
    let answer = oracle.compile_with_ptx(&fs::read(path).map_err(|error| error.to_string())?, GPU.name());
    let theirs = cubin::ptx(&answer.output).map_err(|error| error.to_string())?;
    if let Ok(folder) = env::var("KEEP") {
        let write = |what: &str, text: &str| fs::write(Path::new(&folder).join(format!("{name}.{what}.ptx")), text);
        write("ours", &ours).and_then(|()| write("theirs", &theirs)).map_err(|error| error.to_string())?;
    }
    let measured = |text: &str, shared: u32, whose: &str| {
        Measured::of(&case, (text, shared), oracle).map_err(|error| format!("{name}, {whose}: {error}"))
    };
    Ok([measured(&ours, kernel.dynamic_shared(), "ours")?, measured(&theirs, 0, "theirs")?])
}

/// The folders of all cases.
fn folders() -> Vec<PathBuf> {
    let folders = fs::read_dir(corpus::folder().join("cases")).expect("the corpus").flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = folders.filter(|folder| folder.join("case.json").is_file()).collect();
    folders.sort();
    folders
}

/// The least milliseconds that something takes, of several times.
fn least(times: u32, done: impl Fn()) -> f64 {
    let one = || {
        let begin = Instant::now();
        done();
        begin.elapsed().as_secs_f64() * 1e3
    };
    (0..times).map(|_| one()).fold(f64::INFINITY, f64::min)
}

/// What a kernel takes to be compiled, in milliseconds.
struct CompileTimes {
    name: String,
    /// From bytecode to PTX, in process.
    ptx: f64,
    /// The same, and a process of ptxas that makes a cubin of it.
    cubin: f64,
    /// A process of tileiras that makes a cubin; none if it refuses the kernel for this GPU.
    tileiras: Option<f64>,
}

impl CompileTimes {
    fn of(folder: &Path, oracle: &Oracle) -> Result<CompileTimes, String> {
        let case = Case::load(folder).map_err(|error| error.to_string())?;
        let (_, path) = case.bytecode(None).map_err(|error| error.to_string())?;
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let compile = || {
            let module = case.module(None).map_err(|error| error.to_string())?;
            gpu::compile(&module, case.entry(), GPU).map(|kernel| kernel.ptx()).map_err(|error| error.to_string())
        };
        let text = compile()?;
        let ptx = least(10, || drop(compile()));
        let assembled = least(2, || drop(oracle.resources(&text, GPU.name())));
        let is_taken = oracle.compile(&bytes, GPU.name()).accepted();
        let tileiras = is_taken.then(|| least(2, || drop(oracle.compile(&bytes, GPU.name()))));
        Ok(CompileTimes { name: case.name().to_owned(), ptx, cubin: ptx + assembled, tileiras })
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// How long it takes to compile the kernels of the corpus.
fn compile_times(oracle: &Oracle) -> String {
    let measured: Vec<Result<CompileTimes, String>> = folders().iter().map(|folder| CompileTimes::of(folder, oracle)).collect();
    let mut table = "| kernel | to PTX | to PTX, then ptxas | tileiras |\n|---|--:|--:|--:|\n".to_owned();
    let times: Vec<&CompileTimes> = measured.iter().flatten().collect();
    let or_none = |time: Option<f64>| time.map_or_else(|| "refused".to_owned(), |time| format!("{time:.0}"));
    for time in times.iter().filter(|time| CASES.contains(&time.name.as_str())) {
        let _ = writeln!(table, "| {} | {:.2} | {:.0} | {} |", time.name, time.ptx, time.cubin, or_none(time.tileiras));
    }
    let of_all = |get: fn(&CompileTimes) -> Option<f64>| median(times.iter().filter_map(|time| get(time)).collect());
    let (ptx, cubin, tileiras) = (of_all(|time| Some(time.ptx)), of_all(|time| Some(time.cubin)), of_all(|time| time.tileiras));
    let _ = writeln!(table, "| median of {} cases | {ptx:.2} | {cubin:.0} | {tileiras:.0} |", times.len());
    measured.iter().filter_map(|measured| measured.as_ref().err()).for_each(|error| {
        let _ = writeln!(table, "\n{error}");
    });
    table
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
    if only.is_empty() {
        let times = compile_times(&oracle);
        let [about, of_times] = [include_str!("gpu_performance.md"), include_str!("gpu_compile_times.md")];
        let text = format!("{about}{header}{table}\nAt most tileiras' count: {few} of {all}.\n{of_times}{times}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gpu-performance.md");
        fs::write(path, text).expect("docs/gpu-performance.md can be written");
    } else {
        use std::io::Write as _;
        let _ = std::io::stdout().write_all(format!("{header}{table}").as_bytes());
    }
}
