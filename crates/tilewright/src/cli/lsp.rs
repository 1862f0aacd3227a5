//! `tilewright lsp`: the language server.

use super::exit::Exit;
use tilewright_lsp::serve_stdio;

/// Serve an editor: a language server for text of Tile IR
///
/// Speaks the Language Server Protocol over stdin and stdout, until the editor ends it: errors and findings as one types, what is known
/// of names and operations, definitions, references, renaming, completion, layout, and notes with types and facts. docs/editors.md tells
/// how editors start it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Speak over stdin and stdout, which it does anyway: some editors say so
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_: &Args) -> anyhow::Result<Exit> {
    serve_stdio()?;
    Ok(Exit::Ok)
}
