//! Completions and pages of the manual say what `--help` says.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};

fn tilewright(args: &[&str]) -> String {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(args).output().unwrap();
    assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = tilewright(&["--help"]);
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The long options in a text.
fn options(text: &str) -> BTreeSet<&str> {
    let parts = text.split("--").skip(1);
    let options = parts.map(|rest| &rest[..rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len())]);
    options.filter(|option| !option.is_empty()).collect()
}

/// The options that the help of a command describes, a line or more each.
fn described_options(help: &str) -> BTreeSet<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    lines.flat_map(|line| options(line.split("  ").next().unwrap_or(line))).collect()
}

#[test]
fn every_command_and_option_has_its_place_in_the_manual() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    tilewright(&["man", "--to", pages.to_str().unwrap()]);
    let top = fs::read_to_string(pages.join("tilewright.1")).unwrap();
    assert_eq!(top, tilewright(&["man"]));
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        let page = fs::read_to_string(pages.join(format!("tilewright-{command}.1"))).unwrap();
        assert_eq!(page, tilewright(&["man", command]));
        assert!(page.contains(".SH NAME\n") && page.contains(".SH SYNOPSIS\n"), "{page}");
        let name = format!("tilewright-{command}").replace('-', "\\-");
        assert!(top.contains(&name), "{name} is not listed:\n{top}");
        // In roff a hyphen that is one is written with a backslash.
        let text = page.replace("\\-", "-");
        let help = tilewright(&[command, "--help"]);
        let missing: Vec<&str> = described_options(&help).difference(&options(&text)).copied().collect();
        assert!(missing.is_empty(), "{command}: {missing:?}\n{text}");
    }
    let written = fs::read_dir(&pages).unwrap().count();
    assert_eq!(written, commands.len(), "one page each, and one for all of them in place of 'help'");
}

/// What bash offers for the last word of a line.
#[cfg(unix)]
fn completed(script: &Path, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
    let program = format!(
        "source {}; COMP_WORDS=({}); COMP_CWORD={}; _tilewright tilewright '{last}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.iter().map(|word| format!("'{word}' ")).collect::<String>(),
        words.len() - 1,
    );
    let output = Command::new("bash").args(["--norc", "-c", &program]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tilewright.bash");
    fs::write(&script, tilewright(&["completions", "bash"])).unwrap();
    assert_eq!(completed(&script, "tilewright val"), ["validate"]);
    let offered: BTreeSet<String> = completed(&script, "tilewright ").into_iter().collect();
    let missing: Vec<String> = commands().into_iter().filter(|command| !offered.contains(command)).collect();
    assert!(missing.is_empty(), "{missing:?} of {offered:?}");
    assert_eq!(completed(&script, "tilewright validate --sa"), ["--sarif"]);
    let formats = completed(&script, "tilewright check --format ");
    assert!(formats.contains(&"sarif".to_owned()), "{formats:?}");
}

#[test]
fn every_shell_gets_a_script_with_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = tilewright(&["completions", shell]);
        let missing: Vec<String> = commands().into_iter().filter(|command| !script.contains(command.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
}
