//! Time grows with `n log n` at most, in every dimension of a module.
//!
//! Modules of three sizes, each twice as large as the one before, are made for every dimension (`dimensions.rs`), and all is done with
//! them that the library can do (`tasks.rs`). `valgrind` counts the instructions, so that the machine's speed makes no difference. From
//! one size to the next the count may grow by somewhat more than twice of what it grew before; by more where what is read and written
//! grows by more, as the indentation of nests does.
//!
//! It takes minutes, and several times as many without optimisation, so it is left out there:
//!
//! ```text
//! cargo test --release -p tilewright-fuzz --test growth
//! ```
//!
//! `GROWTH` selects dimensions whose names contain it, `GROWTH_TASK` tasks; the table of all counts goes to the standard error stream.
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "a long test tells its numbers")]

mod dimensions;
mod tasks;

use dimensions::{DIMENSIONS, Dimension};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
    process::{Command, Stdio},
};
use tasks::{Subject, Task, tasks};

/// How often a size doubles.
const SIZES: usize = 3;

/// How much more a count may grow in a step than in the step before: `n log n` of the smallest sizes stays below.
const MAX_GROWTH: f64 = 2.5;

/// How many times the count of a size may be that of half the size.
const MAX_RATIO: f64 = 2.2;

/// Growth of fewer instructions than this says nothing: it is the tail of allocations and hash tables.
const NEGLIGIBLE: u64 = 100_000;

/// Lets no copy be made by an instruction that repeats itself: `valgrind` counts one for each byte of it, and of long copies only.
const TUNABLES: &str = "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000";

/// How many processes count at the same time.
const PROCESSES: usize = 2;

/// The dimensions and the process that this is one of, for the test that runs under `valgrind`.
const PART: &str = "GROWTH_PART";

/// The pairs of a dimension and a task, one on each line, that are counted; all, if it is not there.
const ONLY: &str = "GROWTH_ONLY";

/// A dimension and a task.
type Pair = (String, String);

/// The function that instructions are counted of, and the one inside it after which `valgrind` writes the count: the switch must lie
/// outside.
#[inline(never)]
fn measured_task(task: &Task, subject: &Subject, more: &Subject) -> usize {
    std::hint::black_box(counted_task(task, subject, more))
}

#[inline(never)]
fn counted_task(task: &Task, subject: &Subject, more: &Subject) -> usize {
    std::hint::black_box((task.run)(std::hint::black_box(subject), more))
}

fn selected() -> Vec<&'static Dimension> {
    let part = env::var("GROWTH").unwrap_or_default();
    DIMENSIONS.iter().filter(|dimension| dimension.name.contains(&part)).collect()
}

fn selected_tasks() -> Vec<Task> {
    let part = env::var("GROWTH_TASK").unwrap_or_default();
    tasks().into_iter().filter(|task| task.name.contains(&part)).collect()
}

/// How a pair is written.
fn line_of(dimension: &str, task: &str) -> String {
    format!("{dimension}\t{task}")
}

/// Does everything once, and names it on a line each.
#[test]
#[ignore = "it is run under valgrind by the other test"]
fn work_to_count() {
    let only = env::var(ONLY).ok();
    let is_counted = |dimension: &Dimension, task: &Task| {
        let line = line_of(dimension.name, &task.name);
        only.as_ref().is_none_or(|only| only.lines().any(|pair| pair == line))
    };
    let part: usize = env::var(PART).ok().and_then(|part| part.parse().ok()).expect("the other test says which part");
    // What is made once, when it is first needed, belongs to no size.
    let tasks = selected_tasks();
    for dimension in DIMENSIONS {
        let subject = Subject::new((dimension.text)(2));
        for task in &tasks {
            std::hint::black_box((task.run)(&subject, &subject));
        }
    }
    let dimensions = selected().into_iter().filter(|dimension| tasks.iter().any(|task| is_counted(dimension, task)));
    for dimension in dimensions.skip(part).step_by(PROCESSES) {
        for step in 0..SIZES {
            let size = dimension.start << step;
            let (subject, more) = (Subject::new((dimension.text)(size)), Subject::new((dimension.text)(size + size / 4 + 1)));
            for task in tasks.iter().filter(|task| is_counted(dimension, task)) {
                let bytes = measured_task(task, &subject, &more);
                println!("\n@{}\t{bytes}", line_of(dimension.name, &task.name));
            }
        }
    }
}

/// What a task took for a module of one size.
#[derive(Clone, Copy, Debug)]
struct Cost {
    instructions: u64,
    /// What it read and wrote, where that is text.
    bytes: u64,
}

/// The counts of the work of one process: by dimension and task, one for each size.
type Counts = BTreeMap<Pair, Vec<Cost>>;

/// Runs a part of the work, or of `only` these pairs, under `valgrind`, which writes a file of counts after each call of [`counted_task`].
fn count(part: usize, folder: &Path, only: Option<&BTreeSet<Pair>>) -> Counts {
    let mut command = Command::new("valgrind");
    if let Some(only) = only {
        command.env(ONLY, Vec::from_iter(only.iter().map(|(dimension, task)| line_of(dimension, task))).join("\n"));
    }
    let output = command
        .args(["--tool=callgrind", "--toggle-collect=*measured_task*", "--dump-after=*counted_task*"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(env::current_exe().expect("a test knows its binary"))
        .args(["--ignored", "--exact", "work_to_count", "--nocapture", "--test-threads=1"])
        .env(PART, part.to_string())
        .env("GLIBC_TUNABLES", TUNABLES)
        .stdin(Stdio::null())
        .output()
        .expect("valgrind starts");
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{names}\n{}", String::from_utf8_lossy(&output.stderr));
    let mut counts = Counts::new();
    for (index, line) in names.lines().filter_map(|line| line.strip_prefix('@')).enumerate() {
        let mut parts = line.split('\t').map(str::to_owned);
        let key = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let bytes = parts.next().and_then(|bytes| bytes.parse().ok()).expect("a line ends in a number");
        let instructions = instructions(&folder.join(format!("out.{}", index + 1)));
        counts.entry(key).or_default().push(Cost { instructions, bytes });
    }
    counts
}

/// The total of a file of counts.
fn instructions(path: &Path) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    total.and_then(|total| total.trim().parse().ok()).unwrap_or_else(|| panic!("{} has no total", path.display()))
}

/// How much more something grew in the last step than in the step before.
fn growth(counts: [u64; SIZES]) -> f64 {
    let [a, b, c] = counts;
    c.saturating_sub(b) as f64 / b.saturating_sub(a).max(1) as f64
}

/// Whether a task takes more than `n log n`: if it grows more than it grew before, and if the last count is more than twice the one
/// before. Either alone may be by chance, as where a table happens to be moved.
fn is_excessive(instructions: [u64; SIZES], bytes: [u64; SIZES]) -> bool {
    let allowed = growth(bytes).max(2.0) / 2.0;
    let [_, b, c] = instructions;
    let doubles = c as f64 / b as f64;
    c.saturating_sub(b) > NEGLIGIBLE && growth(instructions) > MAX_GROWTH * allowed && doubles > MAX_RATIO * allowed
}

fn has_valgrind() -> bool {
    let found = Command::new("valgrind").arg("--version").stdin(Stdio::null()).output();
    found.is_ok_and(|output| output.status.success())
}

/// The tasks, of all or of `only` these, that took more than `n log n` when they were counted now, each with what it took.
fn excessive_tasks(only: Option<&BTreeSet<Pair>>) -> BTreeMap<Pair, String> {
    let counts: Counts = std::thread::scope(|scope| {
        let count = |part| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            count(part, folder.path(), only)
        };
        let parts: Vec<_> = (0..PROCESSES).map(|part| scope.spawn(move || count(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a part is counted")).collect()
    });
    assert_eq!(counts.len(), only.map_or(selected().len() * selected_tasks().len(), BTreeSet::len));
    let mut failures = BTreeMap::new();
    for ((dimension, task), costs) in &counts {
        let of = |part: fn(&Cost) -> u64| <[u64; SIZES]>::try_from(Vec::from_iter(costs.iter().map(part))).expect("a cost for each size");
        let (instructions, bytes) = (of(|cost| cost.instructions), of(|cost| cost.bytes));
        let line = format!("{:6.2}  {dimension}, {task}: {instructions:?}, {bytes:?} bytes", growth(instructions));
        eprintln!("{line}");
        if is_excessive(instructions, bytes) {
            failures.insert((dimension.clone(), task.clone()), line);
        }
    }
    failures
}

#[test]
#[cfg_attr(debug_assertions, ignore = "it takes minutes, and is run with optimisation")]
fn every_dimension_grows_with_n_log_n() {
    if !has_valgrind() {
        assert!(env::var_os("CI").is_none(), "valgrind is needed in CI");
        eprintln!("SKIPPED: {} dimensions of growth, for want of valgrind", selected().len());
        return;
    }
    let mut failures = excessive_tasks(None);
    // What random keys of a table or a moved array cost once is no growth: a task fails if it does so each time.
    for _ in 0..2 {
        if failures.is_empty() {
            break;
        }
        let again = excessive_tasks(Some(&failures.keys().cloned().collect()));
        failures.retain(|task, _| again.contains_key(task));
    }
    let failures: Vec<String> = failures.into_values().collect();
    assert!(failures.is_empty(), "{} tasks grow faster than n log n:\n{}", failures.len(), failures.join("\n"));
}

/// Modules that are not valid would be no work for most tasks.
#[test]
fn all_but_findings_and_errors_are_valid() {
    let mut wrong = Vec::new();
    for dimension in DIMENSIONS {
        let about_errors = dimension.name.starts_with("findings") || dimension.name.starts_with("errors");
        let complaint = Subject::new((dimension.text)(8)).complaint();
        if complaint.is_some() != about_errors {
            wrong.push(format!("{}: {}", dimension.name, complaint.unwrap_or("it is valid".to_owned())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_quadratic_is_excessive() {
    let text = [0; SIZES];
    let of = |cost: fn(u64) -> u64| [400, 800, 1600].map(cost);
    assert!(!is_excessive(of(|n| 1000 * n), text));
    assert!(!is_excessive(of(|n| 100 * n * u64::from(n.ilog2())), text));
    assert!(!is_excessive(of(|n| 1_000_000 + 1000 * n), text));
    assert!(is_excessive(of(|n| n * n), text));
    assert!(is_excessive(of(|n| 1000 * n + n * n / 2), text));
    // Unless it is because a text grows like that.
    assert!(!is_excessive(of(|n| 5 * n * n), of(|n| n * n)));
    assert!(is_excessive(of(|n| n * n * n), of(|n| n * n)));
}
