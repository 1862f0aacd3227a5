//! `tilewright completions` and `tilewright man`: what shells and `man` know of the command line, made of what `--help` is made of.

use super::{Cli, exit::Exit};
use anyhow::{Context as _, anyhow};
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use tilewright::ir::{nearest, printable};

/// Print completions of the command line for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright completions bash > ~/.local/share/bash-completion/completions/tilewright
  tilewright completions zsh > ~/.zfunc/_tilewright      where ~/.zfunc is in $fpath
  tilewright completions fish > ~/.config/fish/completions/tilewright.fish")]
pub(super) struct CompletionArgs {
    /// The shell that reads them
    shell: Shell,
}

pub(super) fn completions(args: &CompletionArgs) -> anyhow::Result<Exit> {
    // The generators take no failure of their sink: they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Exit::Ok)
}

/// Print a page of the manual, or write all pages to a folder
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tilewright man validate | man -l -
  tilewright man --to ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The command that the page is about; left out: the page that lists them
    #[arg(conflicts_with = "to")]
    command: Option<String>,
    /// Write all pages to this folder, which is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    // A page for each command, but none for 'help', which only prints what the pages say.
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    if let Some(folder) = &args.to {
        write_all(&cli, folder).with_context(|| format!("cannot write to {}", printable(folder.as_os_str().as_encoded_bytes())))?;
        return Ok(Exit::Ok);
    }
    let command = match &args.command {
        None => &cli,
        Some(name) => cli.find_subcommand(name).ok_or_else(|| unknown(&cli, name))?,
    };
    io::stdout().lock().write_all(&page(command)?)?;
    Ok(Exit::Ok)
}

fn write_all(cli: &Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for command in std::iter::once(cli).chain(cli.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        fs::write(folder.join(format!("{name}.1")), page(command)?)?;
    }
    Ok(())
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).source(source).manual("Tilewright").render(&mut page)?;
    Ok(page)
}

fn unknown(cli: &Command, name: &str) -> anyhow::Error {
    let hint = nearest(name, cli.get_subcommands().map(Command::get_name));
    let hint = hint.map_or_else(String::new, |hint| format!("; did you mean '{hint}'?"));
    anyhow!("there is no command '{}'{hint}", printable(name))
}
