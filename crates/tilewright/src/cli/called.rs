//! How the command was called: usages, examples and hints name it so.

use clap::{Command, builder::StyledStr};
use std::{
    env::consts::EXE_SUFFIX,
    ffi::{OsStr, OsString},
    path::Path,
};
use tilewright::ir::printable;

/// What texts call the command.
const NAME: &str = env!("CARGO_PKG_NAME");

/// The name that the command was called by, and its arguments.
pub(super) struct Called {
    /// As a shell takes it: `tilewright`, or `python -m tilewright`.
    name: String,
    arguments: Vec<OsString>,
}

impl Called {
    pub(super) fn new(args: &[OsString]) -> Called {
        let (name, arguments) = args.split_first().map_or((OsStr::new(NAME), &[][..]), |(name, rest)| (name.as_os_str(), rest));
        let name = Path::new(name).file_name().unwrap_or(name).to_string_lossy();
        let name = printable(name.strip_suffix(EXE_SUFFIX).unwrap_or(&name)).to_string();
        Called { name, arguments: arguments.to_vec() }
    }

    /// The same command as a shell takes it, without some options that have a value.
    pub(super) fn without(&self, options: &[&str]) -> String {
        let mut words = vec![self.name.clone()];
        let mut arguments = self.arguments.iter().map(|argument| argument.to_string_lossy());
        while let Some(argument) = arguments.next() {
            let (name, value) = argument.split_once('=').map_or((&*argument, None), |(name, value)| (name, Some(value)));
            if !options.contains(&name) {
                words.push(quoted(&argument));
            } else if value.is_none() {
                arguments.next();
            }
        }
        words.join(" ")
    }

    /// A command line whose texts name the command as it was called.
    pub(super) fn rename(&self, command: Command) -> Command {
        if self.name == NAME {
            return command;
        }
        let mut names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        names.push("COMMAND".to_owned());
        self.rename_commands(command, &names)
    }

    fn rename_commands(&self, mut command: Command, names: &[String]) -> Command {
        let renamed = |text: &StyledStr| self.renamed(&text.to_string(), names);
        if let Some(text) = command.get_about().map(renamed) {
            command = command.about(text);
        }
        if let Some(text) = command.get_long_about().map(renamed) {
            command = command.long_about(text);
        }
        if let Some(text) = command.get_after_help().map(renamed) {
            command = command.after_help(text);
        }
        if let Some(text) = command.get_overridden_usage().map(renamed) {
            command = command.override_usage(text);
        }
        let command = command.mut_args(|mut argument| {
            if let Some(text) = argument.get_help().map(renamed) {
                argument = argument.help(text);
            }
            if let Some(text) = argument.get_long_help().map(renamed) {
                argument = argument.long_help(text);
            }
            argument
        });
        command.mut_subcommands(|command| self.rename_commands(command, names))
    }

    /// A text in which each call of a subcommand begins with the name of the call.
    fn renamed(&self, text: &str, names: &[String]) -> String {
        let mut parts = text.split(NAME);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let word = part.strip_prefix(' ').and_then(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next());
            let is_call = word.is_some_and(|word| names.iter().any(|name| name == word));
            out += if is_call { &self.name } else { NAME };
            out += part;
        }
        out
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory as _;

    fn called(words: &[&str]) -> Called {
        Called::new(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_same_command_is_given_as_it_was_called() {
        let options = ["--schedules", "--seed"];
        let rest = ["check", "k.mlir", "--schedules", "16", "--seed=3", "it's", "--grid=2"];
        for (name, shown) in
            [("python -m tilewright", "python -m tilewright"), ("tilewright", "tilewright"), ("/opt/bin/tilewright", "tilewright")]
        {
            let words = [&[name], &rest[..]].concat();
            assert_eq!(called(&words).without(&options), format!("{shown} check k.mlir 'it'\\''s' '--grid=2'"));
        }
        assert_eq!(called(&["tilewright", "check", "--seed"]).without(&options), "tilewright check");
    }

    /// All help, of all commands.
    fn help(name: &str) -> String {
        let mut command = called(&[name]).rename(Cli::command()).bin_name(name);
        command.build();
        let mut out = command.render_long_help().to_string();
        for command in command.get_subcommands_mut() {
            out += &command.render_help().to_string();
            out += &command.render_long_help().to_string();
        }
        out
    }

    #[test]
    fn help_names_the_command_as_it_was_called() {
        let plain = help("tilewright");
        assert!(plain.contains("tilewright check --case") && plain.contains("Usage: tilewright run [OPTIONS] --grid"), "{plain}");
        let python = help("python -m tilewright");
        for text in [
            "Usage: python -m tilewright check [OPTIONS] --grid",
            "       python -m tilewright check [OPTIONS] --case PATH...",
            "Usage: python -m tilewright validate",
            "  python -m tilewright check --case tests/corpus/cases/*",
            "'python -m tilewright COMMAND --help'",
            "'python -m tilewright explain RULE'",
        ] {
            assert!(python.contains(text), "{text} is missing in:\n{python}");
        }
        // Lines may end between any two words.
        let calls = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.windows(2).filter(|pair| pair[0] != "-m" && matches!(pair[1], "tilewright" | "'tilewright")).count()
        };
        assert_eq!(calls(&python), 0, "{python}");
        assert!(calls(&plain) > 50, "{plain}");
    }
}
