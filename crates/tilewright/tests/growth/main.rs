//! Time grows with `n log n` at most, in every dimension of a module.
//!
//! Modules of three sizes, each twice as large as the one before, are made for every dimension (`dimensions.rs`), and all is done with
//! them that the library can do (`tasks.rs`). `valgrind` counts the instructions, so that the machine's speed makes no difference. From
//! one size to the next the count may grow by somewhat more than twice of what it grew before.
//!
//! `GROWTH` selects dimensions whose names contain it, `GROWTH_TASK` tasks; the table of all counts goes to the standard error stream.
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "a long test tells its numbers")]

mod dimensions;
mod tasks;

use dimensions::{DIMENSIONS, Dimension};
use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
};
use tasks::{Subject, TASKS, Task};

/// How often a size doubles.
const SIZES: usize = 3;

/// How much more a count may grow in a step than in the step before: `n log n` of the smallest sizes stays below.
const MAX_GROWTH: f64 = 2.5;

/// Growth of fewer instructions than this says nothing: it is the tail of allocations and hash tables.
const NEGLIGIBLE: u64 = 100_000;

/// How many processes count at the same time.
const PROCESSES: usize = 2;

/// The dimensions and the process that this is one of, for the test that runs under `valgrind`.
const PART: &str = "GROWTH_PART";

/// The function that instructions are counted of, and the one inside it after which `valgrind` writes the count: the switch must lie
/// outside.
#[inline(never)]
fn measured_task(task: &Task, subject: &Subject, more: &Subject) {
    counted_task(task, subject, more);
    std::hint::black_box(());
}

#[inline(never)]
fn counted_task(task: &Task, subject: &Subject, more: &Subject) {
    (task.run)(std::hint::black_box(subject), more);
    std::hint::black_box(());
}

fn selected() -> Vec<&'static Dimension> {
    let part = env::var("GROWTH").unwrap_or_default();
    DIMENSIONS.iter().filter(|dimension| dimension.name.contains(&part)).collect()
}

fn selected_tasks() -> impl Iterator<Item = &'static Task> {
    let part = env::var("GROWTH_TASK").unwrap_or_default();
    TASKS.iter().filter(move |task| task.name.contains(&part))
}

/// Does everything once, and names it on a line each.
#[test]
#[ignore = "it is run under valgrind by the other test"]
fn work_to_count() {
    let part: usize = env::var(PART).ok().and_then(|part| part.parse().ok()).expect("the other test says which part");
    // What is made once, when it is first needed, belongs to no size.
    for dimension in DIMENSIONS {
        let subject = Subject::new((dimension.text)(2));
        TASKS.iter().for_each(|task| (task.run)(&subject, &subject));
    }
    for dimension in selected().into_iter().skip(part).step_by(PROCESSES) {
        for step in 0..SIZES {
            let size = dimension.start << step;
            let (subject, more) = (Subject::new((dimension.text)(size)), Subject::new((dimension.text)(size + size / 4 + 1)));
            for task in selected_tasks() {
                measured_task(task, &subject, &more);
                println!("\n@{}\t{}\t{step}", dimension.name, task.name);
            }
        }
    }
}

/// The counts of the work of one process: by dimension and task, one for each size.
type Counts = BTreeMap<(String, String), Vec<u64>>;

/// Runs a part of the work under `valgrind`, which writes a file of counts after each call of [`counted_task`].
fn count(part: usize, folder: &Path) -> Counts {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*measured_task*", "--dump-after=*counted_task*"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(env::current_exe().expect("a test knows its binary"))
        .args(["--ignored", "--exact", "work_to_count", "--nocapture", "--test-threads=1"])
        .env(PART, part.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("valgrind starts");
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{names}\n{}", String::from_utf8_lossy(&output.stderr));
    let mut counts = Counts::new();
    for (index, line) in names.lines().filter_map(|line| line.strip_prefix('@')).enumerate() {
        let mut parts = line.split('\t').map(str::to_owned);
        let key = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        counts.entry(key).or_default().push(instructions(&folder.join(format!("out.{}", index + 1))));
    }
    counts
}

/// The total of a file of counts.
fn instructions(path: &Path) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    total.and_then(|total| total.trim().parse().ok()).unwrap_or_else(|| panic!("{} has no total", path.display()))
}

/// How much more the count grew in the last step than in the one before, if it grew at all.
fn growth(counts: &[u64]) -> Option<f64> {
    let [.., a, b, c] = *counts else { return None };
    let (first, second) = (b.saturating_sub(a), c.saturating_sub(b));
    (second > NEGLIGIBLE).then(|| second as f64 / first.max(1) as f64)
}

fn has_valgrind() -> bool {
    let found = Command::new("valgrind").arg("--version").stdin(Stdio::null()).output();
    found.is_ok_and(|output| output.status.success())
}

#[test]
fn every_dimension_grows_with_n_log_n() {
    if !has_valgrind() {
        assert!(env::var_os("CI").is_none(), "valgrind is needed in CI");
        eprintln!("SKIPPED: {} dimensions of growth, for want of valgrind", selected().len());
        return;
    }
    let counts: Counts = std::thread::scope(|scope| {
        let count = |part| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            count(part, folder.path())
        };
        let parts: Vec<_> = (0..PROCESSES).map(|part| scope.spawn(move || count(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a part is counted")).collect()
    });
    assert_eq!(counts.len(), selected().len() * selected_tasks().count());
    let mut failures = Vec::new();
    for ((dimension, task), counts) in &counts {
        let growth = growth(counts);
        let line = format!("{:>5}  {dimension}, {task}: {counts:?}", growth.map_or("-".to_owned(), |growth| format!("{growth:.2}")));
        eprintln!("{line}");
        if growth.is_some_and(|growth| growth > MAX_GROWTH) {
            failures.push(line);
        }
    }
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
