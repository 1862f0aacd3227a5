//! What kernels print goes where Python prints.

use pyo3::{prelude::*, types::PyString};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright::exec::OutputSink;

/// Writes to `sys.stdout`, whatever that is at the time: a terminal, a notebook, or what a test captures.
#[derive(Clone, Default)]
pub(crate) struct PythonStdout {
    failure: Arc<Mutex<Option<PyErr>>>,
}

impl PythonStdout {
    pub(crate) fn sink(&self) -> OutputSink {
        OutputSink::new(Arc::new(Mutex::new(self.clone())))
    }

    /// What Python raised instead of writing.
    pub(crate) fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl io::Write for PythonStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        Python::attach(|py| {
            let stdout = py.import("sys")?.getattr("stdout")?;
            // As `print` does in a program without a console.
            if stdout.is_none() {
                return Ok(());
            }
            stdout.call_method1("write", (PyString::new(py, &text),)).map(drop)
        })
        .map_err(|error| {
            let message = error.to_string();
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            io::Error::other(message)
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
