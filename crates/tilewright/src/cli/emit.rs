//! Writing modules, as text or bytecode, to a file or to stdout.

use super::{
    exit::Exit,
    input::shown,
    output::{TextSink, printing_threads, write_file},
};
use anyhow::{Context as _, bail};
use std::{
    io::{self, BufWriter, IsTerminal, Write},
    path::Path,
};
use tilewright::{
    ir::VerifiedModule,
    text::{self, PrintOptions},
};

/// Writes a module as text; `-` is stdout.
pub(super) fn text(module: &VerifiedModule, path: &Path) -> anyhow::Result<Exit> {
    let options = PrintOptions::new().threads(printing_threads());
    if path == Path::new("-") {
        let mut out = TextSink::new(BufWriter::new(io::stdout().lock()));
        // A failure to write is kept in the sink, with its cause.
        let _ = text::write(module, &options, &mut out);
        out.finish()?;
        return Ok(Exit::Ok);
    }
    let printed = text::print(module, &options);
    write_file(path, |out| out.write_all(printed.as_bytes())).with_context(|| format!("cannot write {}", shown(path)))?;
    Ok(Exit::Ok)
}

/// Writes text that was made before; `-` is stdout.
pub(super) fn generated_text(text: &[u8], path: &Path) -> anyhow::Result<Exit> {
    if path == Path::new("-") {
        io::stdout().lock().write_all(text)?;
        return Ok(Exit::Ok);
    }
    write_file(path, |out| out.write_all(text)).with_context(|| format!("cannot write {}", shown(path)))?;
    Ok(Exit::Ok)
}

/// Writes the bytes of a module; `-` is stdout, unless that is a terminal.
pub(super) fn bytecode(bytes: &[u8], path: &Path) -> anyhow::Result<Exit> {
    binary("bytecode", bytes, path)
}

/// Writes bytes of some kind; `-` is stdout, unless that is a terminal.
pub(super) fn binary(kind: &str, bytes: &[u8], path: &Path) -> anyhow::Result<Exit> {
    if path == Path::new("-") {
        if io::stdout().is_terminal() {
            bail!("{kind} is not for a terminal: name a file with -o, or send the output elsewhere");
        }
        io::stdout().lock().write_all(bytes)?;
        return Ok(Exit::Ok);
    }
    write_file(path, |out| out.write_all(bytes)).with_context(|| format!("cannot write {}", shown(path)))?;
    Ok(Exit::Ok)
}
