//! Writing to the terminal: colours, complaints, closed pipes.

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use std::{
    env, fs,
    io::{self, BufWriter, IsTerminal, Write},
    path::Path,
};
use tilewright::{ir::printable, text::report::Look};

use crate::json::PrintableJson;

/// Whether and how to colour text.
#[derive(Clone, Copy)]
pub(super) struct Style {
    colour: bool,
    /// How wide the terminal is.
    columns: Option<usize>,
}

impl Style {
    /// Colours if stdout is a terminal.
    pub(super) fn stdout() -> Style {
        Style::for_terminal(io::stdout().is_terminal(), columns(io::stdout()))
    }

    /// Colours if stderr is a terminal.
    pub(super) fn stderr() -> Style {
        Style::for_terminal(io::stderr().is_terminal(), columns(io::stderr()))
    }

    fn for_terminal(terminal: bool, columns: Option<usize>) -> Style {
        // https://no-color.org: any value but the empty one.
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) || env::var_os("TERM").is_some_and(|t| t == "dumb");
        Style { colour: terminal && !unwanted, columns: columns.filter(|_| terminal) }
    }

    /// The same for reports.
    pub(super) fn look(self) -> Look {
        /// With fewer columns, source is no longer to be understood.
        const LEAST: usize = 60;
        let look = if self.colour { Look::colour() } else { Look::plain() };
        self.columns.map_or(look, |columns| look.width(columns.max(LEAST)))
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
    // What the text quotes is escaped where it is put into it; here nothing that was missed gets through.
    let _ = writeln!(io::stderr().lock(), "{}", printable(text).lines());
}

/// Writes an error to stderr.
pub(super) fn complain_of(error: &str) {
    let _ = write!(io::stderr().lock(), "{} ", Style::stderr().bad("error:"));
    complain(error);
}

/// Writes a report to stderr, which lets nothing through that acts on a terminal but its own colours.
pub(super) fn show_report(report: &str) {
    // Where that fails there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{report}");
}

/// The columns of a terminal, if it tells.
#[cfg(unix)]
fn columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

#[cfg(not(unix))]
fn columns<S>(_: S) -> Option<usize> {
    None
}

/// Whether the reader of our output went away.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// How many threads print a long module: one for each core, up to where they would wait for the one that writes.
pub(super) fn printing_threads() -> usize {
    const MOST: usize = 8;
    cores().min(MOST)
}

/// The cores that this process may run on. The standard library also asks for the quota of a container; that takes it some files to
/// read, and longer than to print a short module.
#[cfg(target_os = "linux")]
fn cores() -> usize {
    rustix::thread::sched_getaffinity(None).map_or(1, |cores| cores.count() as usize)
}

#[cfg(not(target_os = "linux"))]
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number and its noun: `1 entry`, `2 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Writes a value as JSON, with a line break at the end.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, PrintableJson(PrettyFormatter::new())))?;
    writeln!(out)?;
    out.flush()
}

/// A time for people.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Writes a file whole or not at all: what was there before stays until the new content is complete.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    // Through a link to the file itself; a pipe or a device is written directly, it cannot be replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(&target)?);
        write(&mut out)?;
        return Ok(out.flush()?);
    }
    if target.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A missing folder is named by what was asked for, not by the temporary file.
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.prefix(".tilewright-").tempfile_in(folder).map_err(|error| without_path(&error))?;
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// The error without ` at path ...`, the name of a temporary file that nobody asked for.
fn without_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ir::is_printable, json::json_text};

    #[test]
    fn json_means_the_same_and_is_printable() {
        let value = serde_json::json!({"a\u{9b}": ["\u{202e}x\n\x1b", "größe", 1.5, null, {}]});
        let mut pretty = Vec::new();
        write_json(&mut pretty, &value).unwrap();
        let pretty = String::from_utf8(pretty).unwrap();
        for text in [&pretty, &json_text(&value).unwrap()] {
            assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), value);
            assert!(text.chars().all(|c| c == '\n' || is_printable(c)) && text.contains("größe"), "{text}");
        }
        assert_eq!(
            pretty.replace("\\u009b", "\u{9b}").replace("\\u202e", "\u{202e}"),
            serde_json::to_string_pretty(&value).unwrap() + "\n"
        );
        assert_eq!(json_text(&"\u{e0001}").unwrap(), r#""\udb40\udc01""#);
    }

    #[test]
    fn files_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.npy");
        fs::write(&path, "old").unwrap();
        let failed = write_file(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the rest is missing"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write_file(&path, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
