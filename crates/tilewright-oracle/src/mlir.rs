//! Upstream MLIR, for tests to compare with: `mlir-opt` of Debian's `mlir-22-tools`, and MLIR inside `jaxlib` from PyPI.

use crate::succeed;
use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// `mlir-opt` of LLVM 22.
#[derive(Clone, Debug)]
pub struct MlirOpt(());

/// How long the tool may take: it does not come to an end on some malformed files.
const SECONDS: &str = "20";
const TOOL: &str = "mlir-opt-22";

impl MlirOpt {
    /// The tool; `None` if it is not installed. `comparisons` says how many comparisons a test would have made, for the message.
    ///
    /// # Panics
    /// When it is not there and `CI` is set: CI must not skip.
    pub fn or_skip(comparisons: &str) -> Option<MlirOpt> {
        let is_there = Command::new(TOOL).arg("--version").output().is_ok_and(|output| output.status.success());
        is_there.then_some(MlirOpt(())).or_else(|| skip(comparisons, "mlir-opt-22 is not installed: apt-get install mlir-22-tools"))
    }

    /// Runs the tool on the content of a file; what it writes, or what it complains of.
    ///
    /// # Errors
    /// When the tool refuses the file.
    ///
    /// # Panics
    /// When the tool cannot be started.
    pub fn run(&self, input: &[u8], args: &[&str]) -> Result<Vec<u8>, String> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(input).expect("a temporary file can be written");
        let mut command = Command::new("timeout");
        command.arg(SECONDS).arg(TOOL).arg("--allow-unregistered-dialect").args(args).arg(file.path());
        let output = command.stdin(Stdio::null()).output().expect("mlir-opt can be started");
        if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }
}

/// Exports models with JAX into a new folder with a script; `None` where JAX cannot be had.
///
/// # Panics
/// When it cannot be had and `CI` is set, or when the script fails.
pub fn jax_exports(script: &Path, comparisons: &str) -> Option<tempfile::TempDir> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(python_with_jax) {
        Ok(python) => {
            let folder = tempfile::tempdir().expect("a temporary folder");
            succeed(Command::new(python).arg(script).arg(folder.path()).arg("all")).expect("the script exports its models");
            Some(folder)
        }
        Err(why) => skip(comparisons, &format!("JAX cannot be had: {why}")),
    }
}

fn skip<T>(comparisons: &str, why: &str) -> Option<T> {
    assert!(std::env::var_os("CI").is_none(), "MLIR's tools are needed in CI: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED {comparisons}: {why}");
    None
}

/// A Python with JAX in a private environment, `target/oracle-jax`.
fn python_with_jax() -> Result<PathBuf, String> {
    const PACKAGES: [&str; 2] = ["jax==0.10.2", "jaxlib==0.10.2"];
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    fs::create_dir_all(&target).map_err(|e| format!("{}: {e}", target.display()))?;
    let lock = File::create(target.join("oracle-jax.lock")).map_err(|e| format!("oracle-jax.lock: {e}"))?;
    lock.lock().map_err(|e| format!("oracle-jax.lock: {e}"))?;
    let environment = target.join("oracle-jax");
    let python = environment.join("bin/python");
    let has_jax = |python: &Path| Command::new(python).args(["-c", "import jax"]).output().is_ok_and(|output| output.status.success());
    if !has_jax(&python) {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        succeed(Command::new(environment.join("bin/pip")).args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES))?;
    }
    Ok(python)
}
