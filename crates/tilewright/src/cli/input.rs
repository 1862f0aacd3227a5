//! Reading modules.

use super::exit::Finding;
use anyhow::Context as _;
use std::{
    fs,
    io::{self, Read},
    path::{Display, Path},
};
use tilewright::{bytecode, ir};

/// The name of an input, for messages.
pub(super) fn name(path: &Path) -> Display<'_> {
    if path == Path::new("-") { Path::new("stdin") } else { path }.display()
}

/// The bytes of a file, or of stdin for `-`.
pub(super) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The module in a file.
pub(super) fn read_module(path: &Path) -> anyhow::Result<ir::Module> {
    let bytes = read_bytes(path)?;
    bytecode::read(&bytes).map_err(|error| Finding(format!("{}: {error}", name(path))).into())
}

/// The module in a file, verified.
pub(super) fn read_verified(path: &Path) -> anyhow::Result<ir::VerifiedModule> {
    let verified = ir::verify(read_module(path)?);
    verified.map_err(|findings| {
        let findings: String = findings.iter().map(|finding| format!("\n  {finding}")).collect();
        Finding(format!("{} is not a valid module{findings}", name(path))).into()
    })
}
