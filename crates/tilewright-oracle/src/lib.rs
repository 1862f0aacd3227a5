//! NVIDIA's own tools, for tests to compare with.
//!
//! `tileirdisasm` and `tileiras` come from PyPI and run without a GPU. The first test that asks for them installs them into a
//! private virtual environment, `target/oracle`. Where that fails, for want of Python or of a network, tests skip their comparisons
//! and say loudly how many; with `CI` set in the environment they fail instead.
//!
//! Tests compare a selection that CI has time for. `TILEWRIGHT_ORACLE=all` lets them compare everything they can.
#![forbid(unsafe_code)]

pub mod llvm;
pub mod mlir;
mod nvvm;

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The packages, at the version that all recorded facts come from.
const PACKAGES: [&str; 3] = ["nvidia-cuda-tileiras==13.5.37", "nvidia-cuda-nvcc==13.5.37", "nvidia-nvvm==13.5.37"];

/// NVIDIA's tools.
#[derive(Clone, Debug)]
pub struct Oracle {
    bin: PathBuf,
}

/// Whether tests that compare a selection by default shall compare everything: `TILEWRIGHT_ORACLE=all`.
pub fn is_exhaustive() -> bool {
    std::env::var_os("TILEWRIGHT_ORACLE").is_some_and(|value| value == "all")
}

/// What `check` finds wrong with items, in their order. Two threads share the work: the tools are processes of their own.
pub fn failures<T: Sync>(items: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((index, item)) = take(&next, items) {
                    if let Some(failure) = check(item) {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push((index, failure));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort();
    found.into_iter().map(|(_, failure)| failure).collect()
}

fn take<'t, T>(next: &AtomicUsize, items: &'t [T]) -> Option<(usize, &'t T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

/// How a tool ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Exit status; `None` if a signal ended it, as happens to `tileirdisasm` on some malformed files.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error, as text.
    pub stderr: String,
    /// The file that the tool made; empty if it makes none.
    pub output: Vec<u8>,
}

impl Answer {
    /// Whether the tool accepted its input.
    pub fn accepted(&self) -> bool {
        self.status == Some(0)
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Answer { status: output.status.code(), stdout: output.stdout, stderr, output: Vec::new() }
    }
}

impl Oracle {
    /// The tools, installed if they are not there yet; `None` if they cannot be had.
    ///
    /// `comparisons` says how many comparisons a test would have made, for the message.
    ///
    /// # Panics
    /// When they cannot be had and `CI` is set: CI must not skip.
    pub fn or_skip(comparisons: &str) -> Option<Oracle> {
        static FOUND: OnceLock<Result<Oracle, String>> = OnceLock::new();
        match FOUND.get_or_init(find) {
            Ok(oracle) => Some(oracle.clone()),
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "NVIDIA's tools are needed in CI: {why}");
                // Tests capture the standard error stream only of macros, so this shows.
                let _ = writeln!(std::io::stderr(), "SKIPPED {comparisons}: NVIDIA's tools cannot be had: {why}");
                None
            }
        }
    }

    /// Runs `tileirdisasm` on the content of a file.
    ///
    /// # Panics
    /// When the tool cannot be started or the file cannot be written.
    pub fn disassemble(&self, bytecode: &[u8], args: &[&str]) -> Answer {
        let mut input = tempfile::NamedTempFile::new().expect("a temporary file");
        input.write_all(bytecode).expect("a temporary file can be written");
        self.run("tileirdisasm", args, &[input.path()])
    }

    /// Compiles the content of a file with `tileiras` for a GPU such as `sm_100`.
    ///
    /// # Panics
    /// When the tool cannot be started or the file cannot be written.
    pub fn compile(&self, bytecode: &[u8], gpu: &str) -> Answer {
        self.compile_with(bytecode, gpu, &[])
    }

    /// Compiles the content of a file to a cubin that carries the PTX that it was made from.
    ///
    /// # Panics
    /// When the tool cannot be started or the file cannot be written.
    pub fn compile_with_ptx(&self, bytecode: &[u8], gpu: &str) -> Answer {
        self.compile_with(bytecode, gpu, &["--lineinfo"])
    }

    fn compile_with(&self, bytecode: &[u8], gpu: &str, options: &[&str]) -> Answer {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (input, output) = (folder.path().join("in.tilebc"), folder.path().join("out.cubin"));
        fs::write(&input, bytecode).expect("a temporary file can be written");
        let (gpu, to) = (format!("--gpu-name={gpu}"), output.to_string_lossy());
        let args: Vec<&str> = [gpu.as_str(), "-o", &*to].into_iter().chain(options.iter().copied()).collect();
        let answer = self.run("tileiras", &args, &[&input]);
        Answer { output: fs::read(output).unwrap_or_default(), ..answer }
    }

    /// Assembles PTX with `ptxas` for a GPU such as `sm_80`.
    ///
    /// # Panics
    /// When the tool cannot be started or the file cannot be written.
    pub fn assemble(&self, ptx: &str, gpu: &str) -> Answer {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (input, output) = (folder.path().join("in.ptx"), folder.path().join("out.cubin"));
        fs::write(&input, ptx).expect("a temporary file can be written");
        let (gpu, to) = (format!("--gpu-name={gpu}"), output.to_string_lossy());
        // What is accepted counts here, not how fast it is.
        let answer = self.run("ptxas", &["-O0", gpu.as_str(), "-o", &*to], &[&input]);
        Answer { output: fs::read(output).unwrap_or_default(), ..answer }
    }

    /// What `ptxas -v` says that a kernel takes on a GPU, on stderr: registers, spills, shared memory.
    ///
    /// # Panics
    /// When the tool cannot be started or the file cannot be written.
    pub fn resources(&self, ptx: &str, gpu: &str) -> Answer {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (input, output) = (folder.path().join("in.ptx"), folder.path().join("out.cubin"));
        fs::write(&input, ptx).expect("a temporary file can be written");
        let (gpu, to) = (format!("--gpu-name={gpu}"), output.to_string_lossy());
        self.run("ptxas", &["-v", gpu.as_str(), "-o", &*to], &[&input])
    }

    /// Where a tool is.
    pub fn program(&self, tool: &str) -> PathBuf {
        self.bin.join(tool)
    }

    fn run(&self, tool: &str, args: &[&str], files: &[&Path]) -> Answer {
        let mut command = Command::new(self.bin.join(tool));
        // The compiler looks for ptxas on the path.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
        let output = command.args(args).args(files).stdin(Stdio::null()).output();
        output.unwrap_or_else(|error| panic!("{tool} cannot be started: {error}")).into()
    }
}

/// The tools in the private environment, installed by whoever comes first.
fn find() -> Result<Oracle, String> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    fs::create_dir_all(&target).map_err(|e| format!("{}: {e}", target.display()))?;
    let lock = File::create(target.join("oracle.lock")).map_err(|e| format!("oracle.lock: {e}"))?;
    lock.lock().map_err(|e| format!("oracle.lock: {e}"))?;
    let environment = target.join("oracle");
    if let Some(oracle) = installed(&environment) {
        return Ok(oracle);
    }
    install(&environment)?;
    installed(&environment).ok_or_else(|| "the packages do not hold tileirdisasm".to_owned())
}

fn installed(environment: &Path) -> Option<Oracle> {
    let lib = fs::read_dir(environment.join("lib")).ok()?;
    let bins = lib.flatten().map(|python| python.path().join("site-packages/nvidia/cu13/bin"));
    bins.into_iter().find(|bin| bin.join("tileirdisasm").is_file() && bin.join("tileiras").is_file()).map(|bin| Oracle { bin })
}

fn install(environment: &Path) -> Result<(), String> {
    succeed(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    let pip = environment.join("bin/pip");
    succeed(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disassembler_tells_good_from_bad() {
        let Some(oracle) = Oracle::or_skip("2 comparisons with tileirdisasm") else { return };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/cases/vector_add");
        let bytecode = fs::read(path.join("vector_add.13.4.tilebc")).unwrap();
        let answer = oracle.disassemble(&bytecode, &[]);
        assert!(answer.accepted(), "{}", answer.stderr);
        assert_eq!(answer.stdout, fs::read(path.join("vector_add.mlir")).unwrap());
        assert_eq!(oracle.disassemble(&bytecode[..100], &[]).status, Some(3));
    }

    #[test]
    fn failures_come_in_order() {
        let numbers: Vec<usize> = (0..100).collect();
        let odd = failures(&numbers, |n| (n % 2 == 1).then(|| n.to_string()));
        assert_eq!(odd, (0..50).map(|n| (2 * n + 1).to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn the_compiler_runs_without_a_gpu() {
        let Some(oracle) = Oracle::or_skip("a comparison with tileiras") else { return };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/cases/vector_add/vector_add.13.4.tilebc");
        let answer = oracle.compile(&fs::read(path).unwrap(), "sm_100");
        assert!(answer.accepted(), "{}", answer.stderr);
    }
}
