//! What kernels print goes where Python prints.

use pyo3::{prelude::*, types::PyString};
use std::{
    io,
    sync::{Arc, Mutex},
};
use tilewright::exec::OutputSink;

/// Writes to `sys.stdout`, whatever that is at the time: a terminal, a notebook, or what a test captures.
pub(crate) fn python_stdout() -> OutputSink {
    OutputSink::new(Arc::new(Mutex::new(PythonStdout)))
}

struct PythonStdout;

impl io::Write for PythonStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        Python::attach(|py| {
            let stdout = py.import("sys")?.getattr("stdout")?;
            stdout.call_method1("write", (PyString::new(py, &text),)).map(drop)
        })
        .map_err(|error| io::Error::other(error.to_string()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
