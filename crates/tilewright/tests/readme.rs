//! Runs the commands of `README.md`, `docs/engine.md`, `docs/gpu-guide.md`, `docs/memory-model.md` and the tutorials and compares what they print with what these show; `BLESS=1` writes the latter anew.
//!
//! Times, numbers of threads and measurements differ from machine to machine: the former become `TIME` and `N threads`, and what measures
//! is not run.
#![cfg(unix)]

use std::{
    env, fs,
    io::{self, Write as _},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tilewright::exec::{Level, TargetMachine};

/// Commands that measure, build, or need other programs.
const NOT_RUN: [&str; 6] = ["tilewright bench", "cargo ", "cc ", "./convert", "pip ", "python "];

/// A command of the README, and what it prints there.
struct Shown {
    line: usize,
    command: String,
    output: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands behind a `$` in blocks of code.
fn tour(readme: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let (mut in_block, mut in_output) = (false, false);
    for (i, line) in readme.lines().enumerate() {
        if line.starts_with("```") {
            (in_block, in_output) = (!in_block, false);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            commands.push(Shown { line: i + 1, command: command.to_owned(), output: String::new() });
            in_output = true;
        } else if in_output && let Some(last) = commands.last_mut() {
            last.output += &format!("{line}\n");
        }
    }
    commands
}

/// The commands in the tables: `| \`tilewright ...\` | what it does |`.
fn examples(readme: &str) -> Vec<Shown> {
    let command = |line: &str| line.strip_prefix("| `")?.split_once("` |").map(|(command, _)| command.to_owned());
    let lines = readme.lines().enumerate();
    lines.filter_map(|(i, line)| Some(Shown { line: i + 1, command: command(line)?, output: String::new() })).collect()
}

/// A folder with what commands name: the examples, the corpus, and `tilewright` to be found.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["crates", "examples", "tests"] {
        symlink(fs::canonicalize(root().join(name)).unwrap(), folder.path().join(name)).unwrap();
    }
    fs::create_dir(folder.path().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_tilewright"), folder.path().join("bin/tilewright")).unwrap();
    folder
}

/// How a command ends, and what it writes to stdout and stderr.
fn run(folder: &Path, command: &str) -> (bool, String) {
    let mut path = vec![folder.join("bin")];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder).stdin(Stdio::null());
    let output = shell.env("PATH", env::join_paths(path).unwrap()).env_remove("TILEWRIGHT_THREADS").output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

/// Without what differs from machine to machine.
fn normalise(output: &str) -> String {
    let mut lines = String::new();
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let shown = words.iter().enumerate().map(|(i, word)| match words.get(i + 1) {
            Some(&("us" | "ms" | "s")) if word.parse::<f64>().is_ok() => "TIME",
            Some(&("thread" | "threads")) => "N",
            _ => match *word {
                "us" | "ms" | "s" => "",
                "thread" => "threads",
                word => word,
            },
        });
        lines += &(shown.collect::<Vec<_>>().join(" ") + "\n");
    }
    lines
}

#[test]
fn the_tour_prints_what_it_shows() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = folder();
    let mut ran = 0;
    for Shown { line, command, output } in tour(&readme) {
        if NOT_RUN.iter().any(|start| command.starts_with(start)) {
            continue;
        }
        let (_, found) = run(folder.path(), &command);
        let (expected, found) = (normalise(&output), normalise(&found));
        assert_eq!(found, expected, "README.md:{line}: {command}");
        ran += 1;
    }
    assert!(ran >= 12, "only {ran} commands were found");
}

#[test]
fn the_examples_run() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = folder();
    let examples = examples(&readme);
    assert!(examples.len() >= 6, "only {} examples were found", examples.len());
    for Shown { line, command, .. } in examples {
        let (succeeds, output) = run(folder.path(), &command);
        assert!(succeeds, "README.md:{line}: {command}\n{output}");
    }
}

/// The page with what its commands print, which `printed` gives.
fn with_output(page: &str, printed: impl Fn(&str) -> String) -> String {
    let (mut text, mut in_block, mut in_output) = (String::new(), false, false);
    for line in page.lines() {
        if line.starts_with("```") {
            (in_block, in_output) = (!in_block, false);
        }
        if !in_output {
            text += &format!("{line}\n");
        }
        if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            let output = printed(command);
            text += output.trim_end();
            text += "\n";
            in_output = true;
        }
    }
    text
}

/// Compares a page with what its commands print, or writes it anew.
fn check_page(name: &str, commands: usize) {
    let path = root().join(name);
    let page = fs::read_to_string(&path).unwrap();
    let folder = folder();
    let printed = |command: &str| {
        let (succeeds, output) = run(folder.path(), command);
        assert!(succeeds, "{command}: {output}");
        output
    };
    let found = with_output(&page, printed);
    assert!(page.matches("\n$ ").count() >= commands, "the page follows a kernel");
    if env::var_os("BLESS").is_some() {
        fs::write(path, found).unwrap();
    } else if let Some((line, (expected, found))) = page.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{name}:{}: commands print something else (BLESS=1 writes it)\nexpected {expected}\nfound    {found}", line + 1);
    } else {
        assert_eq!(page, found, "{name}: commands print something else (BLESS=1 writes it)");
    }
}

#[test]
fn the_page_of_the_engine_shows_what_commands_print() {
    if TargetMachine::at(Level::Avx2).is_none() {
        let told = writeln!(io::stderr(), "NOT TESTED: docs/engine.md, which shows what a CPU with AVX2 prints");
        return told.unwrap();
    }
    check_page("docs/engine.md", 4);
}

#[test]
fn the_tutorials_show_what_commands_print() {
    check_page("docs/tutorial-kernel.md", 7);
    check_page("docs/tutorial-mistake.md", 6);
}

#[test]
fn the_guide_to_the_compiler_for_gpus_shows_what_commands_print() {
    check_page("docs/gpu-guide.md", 5);
}

#[test]
fn the_page_of_the_memory_model_shows_what_commands_print() {
    check_page("docs/memory-model.md", 4);
}
