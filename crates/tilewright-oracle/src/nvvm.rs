//! libNVVM has no program: a script in Python calls it. A process that runs the script compiles one module after another, because
//! starting it and loading the library take longer than most modules do.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, PoisonError},
};

const SCRIPT: &str = include_str!("nvvm.py");

/// Processes that wait for a module. Those left at the end of the tests read the end of their standard input, and end.
static IDLE: Mutex<Vec<Nvvm>> = Mutex::new(Vec::new());

/// A process that has loaded a library.
struct Nvvm {
    library: PathBuf,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Its standard error: a file, which takes all of it while nobody reads.
    errors: File,
}

/// The PTX that the library makes of a module for an architecture such as `compute_80`, or what it, or Python, complains of.
pub(crate) fn compile(library: &Path, module: &str, architecture: &str) -> Result<String, String> {
    let mut nvvm = idle(library).unwrap_or_else(|| Nvvm::start(library));
    match nvvm.ask(module, architecture) {
        Ok(answer) => {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(nvvm);
            answer
        }
        Err(error) => Err(nvvm.end(&error)),
    }
}

fn idle(library: &Path) -> Option<Nvvm> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let index = idle.iter().position(|nvvm| nvvm.library == library)?;
    Some(idle.swap_remove(index))
}

impl Nvvm {
    fn start(library: &Path) -> Nvvm {
        let errors = tempfile::tempfile().expect("a temporary file");
        let mut command = Command::new("python3");
        command.args(["-c", SCRIPT]).arg(library);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors.try_clone().expect("a second handle of a file"));
        let mut process = command.spawn().expect("Python can be started");
        let requests = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Nvvm { library: library.to_owned(), process, requests, answers, errors }
    }

    /// What the library makes of a module.
    ///
    /// # Errors
    /// When the process ends over it.
    fn ask(&mut self, module: &str, architecture: &str) -> io::Result<Result<String, String>> {
        self.requests.write_all(format!("{architecture} {}\n{module}", module.len()).as_bytes())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let (kind, length) = line.trim_end().split_once(' ').ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut text = vec![0; length.parse().map_err(io::Error::other)?];
        self.answers.read_exact(&mut text)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(if kind == "ptx" { Ok(text) } else { Err(text) })
    }

    /// How the process ended, and what it said on its standard error.
    fn end(mut self, error: &io::Error) -> String {
        drop(self.requests);
        let status = self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let mut said = Vec::new();
        let _ = self.errors.rewind().and_then(|()| self.errors.read_to_end(&mut said));
        format!("{}: {error}: {status}\n{}", self.library.display(), String::from_utf8_lossy(&said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;

    /// The one that it takes.
    const LAYOUT: &str = concat!(
        "e-p:64:64:64-p6:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-f128:128:128",
        "-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
    );

    /// A kernel that stores a number.
    fn module(number: u32) -> String {
        format!(
            "target datalayout = \"{LAYOUT}\"
            target triple = \"nvptx64-nvidia-cuda\"
            define ptx_kernel void @k(ptr addrspace(1) %p) {{
                store i32 {number}, ptr addrspace(1) %p
                ret void
            }}
            !nvvmir.version = !{{!0}}
            !0 = !{{i32 2, i32 0}}"
        )
    }

    #[test]
    fn a_refused_module_does_not_touch_the_next() {
        let Some(oracle) = Oracle::or_skip("3 modules by way of libNVVM") else { return };
        let compile = |module: &str| oracle.compile_llvm(module, "sm_100");
        let (first, refused, last) = (compile(&module(1234)), compile("nonsense"), compile(&module(4321)));
        assert!(first.as_ref().is_ok_and(|ptx| ptx.contains("1234")), "{first:?}");
        assert!(refused.as_ref().is_err_and(|error| error.starts_with("verify: status ")), "{refused:?}");
        assert!(last.as_ref().is_ok_and(|ptx| ptx.contains("4321") && !ptx.contains("1234")), "{last:?}");
    }

    #[test]
    fn a_process_that_ends_says_why() {
        let error = compile(Path::new("/nowhere/libnvvm.so"), &module(1), "compute_100").expect_err("no library");
        assert!(error.contains("exit status: 1") && error.contains("OSError: /nowhere/libnvvm.so"), "{error}");
    }
}
