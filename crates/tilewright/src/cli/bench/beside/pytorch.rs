//! PyTorch, in a process of its own: a script gets the problems and answers with a line for each.

use crate::cli::bench::problems::{Argument, Fill, Problem};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };
const SCRIPT: &str = include_str!("pytorch.py");
/// Prints the folders of packages in which NVIDIA's libraries lie.
const FOLDERS: &str =
    "import glob, os, nvidia\nfor root in nvidia.__path__:\n    print(*glob.glob(os.path.join(root, '*', 'lib*')), sep='\\n')\n";

/// What the script answers.
#[derive(Deserialize)]
struct Answer {
    name: String,
    seconds: Option<f64>,
    error: Option<String>,
}

/// The seconds that PyTorch takes for each problem that it is said of what it is in PyTorch, by name.
pub(super) fn run(problems: &[Problem], ordinal: u32, quick: bool) -> HashMap<String, Result<f64, String>> {
    let meant: Vec<&Problem> = problems.iter().filter(|problem| problem.torch.is_some()).collect();
    let (answers, end) = match ask(&meant, ordinal, quick) {
        Ok(told) => told,
        Err(error) => (Vec::new(), error),
    };
    let mut results: HashMap<String, Result<f64, String>> = answers.into_iter().map(result).collect();
    for problem in meant {
        results.entry(problem.name.clone()).or_insert_with(|| Err(end.clone()));
    }
    results
}

fn result(answer: Answer) -> (String, Result<f64, String>) {
    let Answer { name, seconds, error } = answer;
    (name, seconds.ok_or_else(|| error.unwrap_or_else(|| "PyTorch says nothing of it".to_owned())))
}

/// What the script answers, and why there is no more of it.
fn ask(problems: &[&Problem], ordinal: u32, quick: bool) -> Result<(Vec<Answer>, String), String> {
    let asked = json!({
        "device": format!("cuda:{ordinal}"), "quick": quick, "problems": problems.iter().map(|problem| describe(problem)).collect::<Vec<_>>(),
    });
    let mut command = Command::new(PYTHON);
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|error| format!("{PYTHON}, which runs PyTorch, cannot be started: {error}"))?;
    let mut input = process.stdin.take().expect("it is piped");
    // A script that ends early does not read all: what it says then counts.
    let _ = input.write_all(asked.to_string().as_bytes());
    drop(input);
    let output = process.wait_with_output().map_err(|error| format!("{PYTHON}: {error}"))?;
    let answers = String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Ok((answers, format!("PyTorch was not measured: {} ({})", last.trim(), output.status)))
}

/// A problem for the script.
fn describe(problem: &Problem) -> Value {
    let argument = |argument: &Argument| match argument {
        Argument::Number(..) => Value::Null,
        Argument::Array { scalar, shape, strides, fill } => {
            let fill = match fill {
                Fill::Zeros => json!("zeros"),
                Fill::Uniform(low, high) => json!({ "uniform": [low, high] }),
                Fill::Below(end) => json!({ "below": end }),
            };
            json!({ "type": scalar.name(), "shape": shape, "strides": strides, "fill": fill })
        }
    };
    let arguments: Vec<Value> = problem.arguments.iter().map(argument).collect();
    json!({ "name": problem.name, "torch": problem.torch, "arguments": arguments, "expected": problem.expected })
}

/// Folders of a Python environment with NVIDIA's libraries; none where there is no Python or none of these packages.
pub(super) fn library_folders() -> Vec<PathBuf> {
    let output = Command::new(PYTHON).args(["-c", FOLDERS]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
}
