//! The extended assembly: each of its names in a kernel that runs, and what is said of texts that it cannot express.
//!
//! The kernels are those of tests/extended. Comments before an entry tell what it is run with and what must come of it:
//!
//! ```text
//! // @name grid 4                the entry, and how many blocks there are (1)
//! // i32: 1 2 3 -> 4 5 6         a buffer for the next parameter: its elements before and after
//! // prints: text                a line that is printed
//! // stops: text                 part of the error that the launch ends with
//! ```
//!
//! `BLESS=1 cargo test -p tilewright --test extended` writes docs/extended.md anew.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tilewright::{
    bytecode,
    exec::{Arg, LaunchOptions, Memory, OutputSink, Program, launch},
    ir::{self, Opcode, VerifiedModule},
    text::{self, ParseOptions, PrintOptions},
};
use tilewright_oracle::Oracle;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/extended")
}

/// The texts of the folder, in order.
fn texts() -> Vec<(String, String)> {
    let entries = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "mlir")).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).expect("a text"))).collect()
}

struct Buffer {
    is_float: bool,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Buffer {
    fn parse(kind: &str, text: &str) -> Buffer {
        let numbers = |text: &str| text.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let (before, after) = text.split_once("->").expect("elements before and after");
        Buffer { is_float: kind == "f32", before: numbers(before), after: numbers(after) }
    }

    fn bytes(&self) -> Vec<u8> {
        let element = |value: &f64| if self.is_float { (*value as f32).to_le_bytes() } else { (*value as i32).to_le_bytes() };
        self.before.iter().flat_map(element).collect()
    }

    fn check(&self, bytes: &[u8], place: &str) {
        let value = |bytes: &[u8]| {
            let bytes = bytes.try_into().expect("4 bytes");
            if self.is_float { f64::from(f32::from_le_bytes(bytes)) } else { f64::from(i32::from_le_bytes(bytes)) }
        };
        let found: Vec<f64> = bytes.chunks(4).map(value).collect();
        let agrees =
            |(found, expected): (&f64, &f64)| (found - expected).abs() <= if self.is_float { 1e-6 * expected.abs().max(1.0) } else { 0.0 };
        assert!(
            found.len() == self.after.len() && found.iter().zip(&self.after).all(agrees),
            "{place}: {:?} expected, found {found:?}",
            self.after
        );
    }
}

/// How an entry is run.
struct Run {
    entry: String,
    blocks: u32,
    buffers: Vec<Buffer>,
    prints: String,
    stops: Option<String>,
}

fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        if let Some(head) = line.strip_prefix('@') {
            let mut words = head.split_whitespace();
            let entry = words.next().expect("a name").to_owned();
            let blocks = words.nth(1).map_or(1, |blocks| blocks.parse().expect("a number"));
            runs.push(Run { entry, blocks, buffers: Vec::new(), prints: String::new(), stops: None });
        }
        let Some(run) = runs.last_mut() else { continue };
        match line.split_once(": ") {
            Some((kind @ ("i32" | "f32"), rest)) => run.buffers.push(Buffer::parse(kind, rest)),
            Some(("prints", line)) => run.prints = format!("{}{line}\n", run.prints),
            Some(("stops", part)) => run.stops = Some(part.to_owned()),
            _ => {}
        }
    }
    runs
}

fn verified(text: &str, place: &str) -> VerifiedModule {
    let module = text::parse(text, &ParseOptions::new()).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| error.render(text, place)).collect::<String>());
    });
    let printed = text::print(&module, &PrintOptions::new());
    ir::verify(module).unwrap_or_else(|findings| panic!("{place}: {}\n{printed}", findings[0]))
}

fn execute(module: &VerifiedModule, run: &Run, place: &str) {
    let program = Program::new(module.clone());
    let mut memory = Memory::new();
    let buffers: Vec<_> = run.buffers.iter().map(|buffer| memory.add(buffer.bytes())).collect();
    let args: Vec<Arg> = buffers.iter().map(|&buffer| Arg::Pointer(memory.address(buffer))).collect();
    let plan = program.plan(&run.entry).unwrap_or_else(|error| panic!("{place}: {error}"));
    let printed = Arc::new(Mutex::new(Vec::<u8>::new()));
    let output = OutputSink::new(printed.clone());
    let options = LaunchOptions::new().threads(1).output(output);
    let ended = launch(&plan, &mut memory, [run.blocks, 1, 1], &args, &options);
    match (&run.stops, ended) {
        (None, Ok(_)) => {}
        (None, Err(error)) => panic!("{place}: {error}"),
        (Some(part), Ok(_)) => panic!("{place} ends well, but '{part}' is expected"),
        (Some(part), Err(error)) => return assert!(error.to_string().contains(part), "{place}: {error}"),
    }
    for (number, (buffer, expected)) in buffers.iter().zip(&run.buffers).enumerate() {
        expected.check(memory.bytes(*buffer), &format!("{place}, buffer {number}"));
    }
    let printed = printed.lock().expect("no panic");
    assert_eq!(String::from_utf8_lossy(&printed), run.prints, "{place}");
}

#[test]
fn examples_give_what_they_say() {
    for (name, text) in texts() {
        let module = verified(&text, &name);
        // What is printed has no extended operations, and means the same.
        let again = verified(&text::print(&module, &PrintOptions::new()), &name);
        let runs = runs(&text);
        let entries = module.functions.iter().filter(|function| function.is_entry).count();
        assert_eq!(runs.len(), entries, "{name}: each entry has its comment");
        for run in runs {
            let place = format!("{name}, @{}", run.entry);
            execute(&module, &run, &place);
            execute(&again, &run, &format!("{place}, printed and read again"));
        }
    }
}

/// What NVIDIA's compiler says of bytecode that has no extended operations any more.
#[test]
fn examples_compile_for_a_gpu() {
    let mut texts = texts();
    // Functions that are called belong to a preview, which it does not take.
    texts.retain(|(_, text)| !text.contains("\nfunc "));
    let Some(oracle) = Oracle::or_skip(&format!("{} texts of the extended assembly through tileiras", texts.len())) else { return };
    let failures = tilewright_oracle::failures(&texts, |(name, text)| {
        let module = verified(text, name);
        let bytes = bytecode::write(&module, &bytecode::WriteOptions::new(module.version)).expect("bytecode");
        let answer = oracle.compile(&bytes, "sm_100");
        (!answer.accepted()).then(|| format!("{name}: {}", answer.stderr))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_name_has_an_example() {
    let texts: Vec<String> = texts().into_iter().map(|(_, text)| text).collect();
    let code = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with("//"));
    let words: Vec<&str> = code.flat_map(str::split_whitespace).map(|word| word.trim_start_matches("cuda_tile.")).collect();
    for op in text::extended_ops() {
        assert!(words.contains(&op.name), "no example of {}", op.name);
    }
}

/// The text of docs/extended.md.
fn document() -> String {
    let mut text = fs::read_to_string(folder().join("head.md")).expect("the head of the document");
    text += "\n| name | is written | becomes | limits |\n| --- | --- | --- | --- |\n";
    for op in text::extended_ops() {
        let syntax = op.syntax().replace('|', "\\|");
        text += &format!("| `{}` | `{syntax}` | {} | {} |\n", op.name, op.expansion, op.limits);
    }
    text += &fs::read_to_string(folder().join("tail.md")).expect("the tail of the document");
    let same: Vec<String> = Opcode::ALL.iter().map(|opcode| format!("`{opcode}`")).collect();
    text + "\n" + &same.join(", ") + ".\n"
}

#[test]
fn the_document_is_up_to_date() {
    let path = folder().join("../../docs/extended.md");
    let expected = document();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the document is written");
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == expected, "docs/extended.md is stale: run with BLESS=1");
}
