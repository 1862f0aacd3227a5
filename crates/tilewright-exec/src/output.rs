//! Where the text goes that kernels print.

use crate::LaunchErrorKind;
use std::{
    fmt, io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Where `print_tko` writes.
#[derive(Clone)]
pub struct OutputSink(Arc<Mutex<dyn io::Write + Send>>);

impl OutputSink {
    /// Writes to `target`, which can be looked at after the launch.
    pub fn new(target: Arc<Mutex<dyn io::Write + Send>>) -> OutputSink {
        OutputSink(target)
    }

    /// Writes to the standard output.
    pub fn stdout() -> OutputSink {
        OutputSink(Arc::new(Mutex::new(io::stdout())))
    }
}

impl fmt::Debug for OutputSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OutputSink")
    }
}

/// The output of a launch: a sink for so many bytes.
pub(crate) struct Output {
    sink: OutputSink,
    limit: u64,
    left: AtomicU64,
}

impl Output {
    pub(crate) fn new(sink: OutputSink, limit: Option<u64>) -> Output {
        let limit = limit.unwrap_or(u64::MAX);
        Output { sink, limit, left: AtomicU64::new(limit) }
    }

    /// How many bytes may still be written.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Writes bytes in one piece: those that may still be written.
    ///
    /// # Errors
    /// When these are not all, or cannot be written.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), LaunchErrorKind> {
        let wanted = bytes.len() as u64;
        // Who has the sink says what is left: a text that is cut is the last one.
        let mut sink = self.sink.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.left();
        let allowed = left.min(wanted);
        self.left.store(left - allowed, Ordering::Relaxed);
        // As many as there are, so it fits.
        sink.write_all(&bytes[..allowed as usize]).map_err(|error| LaunchErrorKind::Output(error.to_string()))?;
        if allowed == wanted { Ok(()) } else { Err(LaunchErrorKind::PrintedTooMuch(self.limit)) }
    }
}
