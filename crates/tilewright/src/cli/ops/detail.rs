//! One operation, explained.

use crate::cli::output::Style;
use std::io::{self, Write};
use tilewright::ir::ops::OpDef;

/// Writes everything about an operation that a reader of modules may ask.
pub(super) fn write(out: &mut dyn Write, def: &OpDef) -> io::Result<()> {
    let style = Style::stdout();
    let preview = if def.preview { ", preview" } else { "" };
    writeln!(
        out,
        "{}  {}",
        style.strong(def.mnemonic),
        style.faint(&format!("{:#04x}, {}, since {}{preview}", def.wire, def.ods_name, def.since))
    )?;
    writeln!(out, "{}\n", def.doc)?;
    write!(out, "{}", def.details())
}
