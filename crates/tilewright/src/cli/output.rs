//! Writing to the terminal: colours, complaints, closed pipes.

use std::{
    env,
    io::{self, IsTerminal, Write},
};

/// Whether and how to colour text.
#[derive(Clone, Copy)]
pub(super) struct Style {
    colour: bool,
}

impl Style {
    /// Colours if stdout is a terminal.
    pub(super) fn stdout() -> Style {
        Style::for_terminal(io::stdout().is_terminal())
    }

    /// Colours if stderr is a terminal.
    pub(super) fn stderr() -> Style {
        Style::for_terminal(io::stderr().is_terminal())
    }

    fn for_terminal(terminal: bool) -> Style {
        // https://no-color.org: any value but the empty one.
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) || env::var_os("TERM").is_some_and(|t| t == "dumb");
        Style { colour: terminal && !unwanted }
    }

    /// Green.
    pub(super) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Red and bold.
    pub(super) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// Bold.
    pub(super) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Dim.
    pub(super) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Writes a line to stderr. Where that fails there is nobody left to tell.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether the reader of our output went away.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// The number and its noun: `1 entry`, `2 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A time for people.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Stdout as a sink of text, which keeps the I/O error that [`std::fmt::Error`] cannot carry.
pub(super) struct TextSink<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> TextSink<W> {
    pub(super) fn new(out: W) -> TextSink<W> {
        TextSink { out, error: None }
    }

    /// Flushes, and gives the first error there was.
    pub(super) fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

impl<W: Write> std::fmt::Write for TextSink<W> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            std::fmt::Error
        })
    }
}
