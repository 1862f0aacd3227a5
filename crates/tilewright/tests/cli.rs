//! Runs the command as its users do.
//!
//! Every `NAME.cmd` under `tests/cli` is a test: its lines prepare files and call the command, and `NAME.out` beside it holds
//! what must come out. `BLESS=1 cargo test -p tilewright --test cli` writes the `.out` files anew; `CLI_TEST=run/` runs only
//! the tests whose path contains that text. The lines of a `.cmd` file:
//!
//! | line | what it does |
//! |---|---|
//! | `# text` | nothing |
//! | `tilewright ARGS` | calls the command; `'...'` holds a word with spaces together |
//! | `terminal tilewright ARGS` | calls the command with a terminal for output; colours are noted as `\e[31m` |
//! | `raw tilewright ARGS` | calls the command, whose output holds bytes that act on a terminal; notes them as escape sequences |
//! | `cut FILE LENGTH NAME` | makes a file of the first bytes of another |
//! | `bytes NAME HEX...` | makes a file of bytes, which stand as hexadecimal digits, or as text in quotes |
//! | `stdin FILE` | the input of the next call |
//! | `env NAME=VALUE` | a variable of the environment of the next call |
//! | `same FILE FILE` | notes whether two files have the same bytes |
//! | `list` | notes the files in the folder of the test |
//!
//! `{corpus}` and `{fixtures}` in a line stand for the paths of `tests/corpus` and `tests/cli/fixtures`; other paths are
//! relative to a folder of the test's own. Times in the output become `TIME`. Output for people must be printable.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};
use tilewright::ir::{is_printable, printable};

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn commands_do_what_their_files_say() {
    let mut scripts = Vec::new();
    collect_scripts(&manifest().join("tests/cli"), &mut scripts);
    scripts.sort();
    let wanted = env::var("CLI_TEST").unwrap_or_default();
    scripts.retain(|script| script.to_string_lossy().contains(&wanted));
    assert!(!scripts.is_empty(), "no script matches '{wanted}'");
    let failures: Vec<String> = scripts.iter().filter_map(|script| check(script).err()).collect();
    assert!(failures.is_empty(), "{} of {} scripts failed:\n\n{}", failures.len(), scripts.len(), failures.join("\n\n"));
}

fn collect_scripts(folder: &Path, scripts: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_scripts(&path, scripts);
        } else if path.extension().is_some_and(|e| e == "cmd") {
            scripts.push(path);
        } else if path.extension().is_some_and(|e| e == "out") {
            assert!(path.with_extension("cmd").exists(), "{} belongs to no script", path.display());
        }
    }
}

/// Runs a script and compares its transcript with the expected one.
fn check(script: &Path) -> Result<(), String> {
    let name = script.strip_prefix(manifest()).unwrap_or(script).display();
    let found = Session::new().run(&fs::read_to_string(script).unwrap()).map_err(|e| format!("{name}: {e}"))?;
    let expectation = script.with_extension("out");
    if env::var_os("BLESS").is_some() {
        fs::write(&expectation, found).unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(&expectation).unwrap_or_default();
    match first_difference(&expected, &found) {
        None => Ok(()),
        Some(line) => {
            Err(format!("{name}: line {line} of the transcript differs (BLESS=1 accepts it)\n--- expected\n{expected}\n--- found\n{found}"))
        }
    }
}

fn first_difference(expected: &str, found: &str) -> Option<usize> {
    if expected == found {
        return None;
    }
    let same = expected.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

/// A script on its way: its folder, and what came out so far.
struct Session {
    folder: tempfile::TempDir,
    stdin: Option<PathBuf>,
    variables: Vec<(String, String)>,
    transcript: String,
}

impl Session {
    fn new() -> Session {
        Session { folder: tempfile::tempdir().unwrap(), stdin: None, variables: Vec::new(), transcript: String::new() }
    }

    fn run(mut self, script: &str) -> Result<String, String> {
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.line(line).map_err(|error| format!("'{line}': {error}"))?;
        }
        Ok(self.transcript)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let words = split_words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["tilewright", ref args @ ..] => self.call(line, args),
            ["terminal", "tilewright", ref args @ ..] => self.call_on_terminal(line, args),
            ["raw", "tilewright", ref args @ ..] => {
                let output = self.command(args)?.output().map_err(|e| e.to_string())?;
                let shown = |bytes: &[u8]| printable(bytes).lines().to_string();
                self.note(line, output.status, &[("stdout", shown(&output.stdout)), ("stderr", shown(&output.stderr))]);
                Ok(())
            }
            ["bytes", name, ref parts @ ..] => {
                let bytes: Result<Vec<u8>, String> =
                    parts.iter().map(|part| bytes_of(part)).collect::<Result<Vec<_>, _>>().map(|b| b.concat());
                fs::write(self.path(name), bytes?).map_err(|e| e.to_string())
            }
            ["cut", file, length, name] => {
                let bytes = fs::read(self.path(file)).map_err(|e| e.to_string())?;
                let length: usize = length.parse().map_err(|_| "the length is no number")?;
                fs::write(self.path(name), &bytes[..length.min(bytes.len())]).map_err(|e| e.to_string())
            }
            ["stdin", file] => {
                self.stdin = Some(self.path(file));
                Ok(())
            }
            ["env", variable] => {
                let (name, value) = variable.split_once('=').ok_or("there is no '='")?;
                self.variables.push((name.to_owned(), value.to_owned()));
                self.transcript += &format!("{line}\n");
                Ok(())
            }
            ["same", a, b] => {
                let read = |file| fs::read(self.path(file)).map_err(|e| format!("{file}: {e}"));
                let verdict = if read(a)? == read(b)? { "the same" } else { "different" };
                self.transcript += &format!("{line}: {verdict}\n\n");
                Ok(())
            }
            ["list"] => {
                let entries = fs::read_dir(self.folder.path()).map_err(|e| e.to_string())?;
                let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
                names.sort();
                self.transcript += &format!("list: {}\n\n", names.join(" "));
                Ok(())
            }
            _ => Err("no such line".to_owned()),
        }
    }

    fn command(&mut self, args: &[&str]) -> Result<Command, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
        command.args(args.iter().map(|word| expand(word))).current_dir(self.folder.path());
        // Backtraces and widths must not depend on who runs the tests.
        command
            .env("RUST_BACKTRACE", "0")
            .env_remove("NO_COLOR")
            .env("COLUMNS", "100")
            .env("TERM", "xterm")
            .env_remove("TILEWRIGHT_THREADS");
        command.envs(self.variables.drain(..));
        match self.stdin.take() {
            Some(file) => command.stdin(fs::File::open(file).map_err(|e| e.to_string())?),
            None => command.stdin(Stdio::null()),
        };
        Ok(command)
    }

    fn call(&mut self, line: &str, args: &[&str]) -> Result<(), String> {
        let output = self.command(args)?.output().map_err(|e| e.to_string())?;
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| checked(&bytes, ""));
        self.note(line, output.status, &[("stdout", stdout?), ("stderr", stderr?)]);
        Ok(())
    }

    #[cfg(unix)]
    fn call_on_terminal(&mut self, line: &str, args: &[&str]) -> Result<(), String> {
        let mut command = self.command(args)?;
        let (status, output) = on_terminal(&mut command).map_err(|e| e.to_string())?;
        let output = checked(&output, "\x1b\r")?.replace("\r\n", "\n");
        let colours = ["0m", "1m", "2m", "32m", "1;31m", "1m\x1b[4m", "1m\x1b[31m", "4m", "31m", "33m", "91m", "92m", "94m", "96m"];
        let output = colours.iter().fold(output, |output, code| output.replace(&format!("\x1b[{code}"), &format!("\\e[{code}")));
        self.note(line, status, &[("terminal", checked(output.as_bytes(), "")?)]);
        Ok(())
    }

    #[cfg(not(unix))]
    fn call_on_terminal(&mut self, _: &str, _: &[&str]) -> Result<(), String> {
        Err("there are no terminals to test with".to_owned())
    }

    /// Notes how a call ended, and what it wrote.
    fn note(&mut self, line: &str, status: ExitStatus, outputs: &[(&str, String)]) {
        let status = status.code().map_or("killed".to_owned(), |code| code.to_string());
        self.transcript += &format!("$ {line}\nexit {status}\n");
        for (name, text) in outputs {
            let text = normalise(text);
            if !text.is_empty() {
                self.transcript += &format!("{name}:\n{}\n", text.trim_end_matches('\n'));
            }
        }
        self.transcript.push('\n');
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(expand(file))
    }
}

/// The text of an output, if it is printable but for some characters.
fn checked(bytes: &[u8], allowed: &str) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("the output is not UTF-8: {}", printable(bytes)))?;
    match text.chars().find(|&c| !is_printable(c) && !"\n\t".contains(c) && !allowed.contains(c)) {
        Some(c) => Err(format!("the output holds {c:?}: {}", printable(text))),
        None => Ok(text.to_owned()),
    }
}

/// Runs a command with a terminal for stdout and stderr; gives how it ended, and what it wrote there.
#[cfg(unix)]
fn on_terminal(command: &mut Command) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::{io::Read, os::unix::ffi::OsStrExt};
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&controller)?;
    unlockpt(&controller)?;
    let name = ptsname(&controller, Vec::new())?;
    let terminal = fs::OpenOptions::new().read(true).write(true).open(std::ffi::OsStr::from_bytes(name.as_bytes()))?;
    let mut child = command.stdout(terminal.try_clone()?).stderr(terminal).spawn()?;
    // The command holds copies of the terminal: reading ends when the last is closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = Vec::new();
    let mut reader = fs::File::from(controller);
    let mut piece = [0; 4096];
    // The end is an error on Linux.
    while let Ok(length @ 1..) = reader.read(&mut piece) {
        output.extend_from_slice(&piece[..length]);
    }
    Ok((child.wait()?, output))
}

/// The bytes of a part of a `bytes` line.
fn bytes_of(part: &str) -> Result<Vec<u8>, String> {
    if let Some(text) = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Ok(text.replace("\\n", "\n").into_bytes());
    }
    let digits: Vec<char> = part.chars().collect();
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(&String::from_iter(pair), 16));
    pairs.collect::<Result<_, _>>().map_err(|error| format!("'{part}': {error}"))
}

/// Splits at spaces outside of single quotes.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (i, part) in line.split('\'').enumerate() {
        let quoted = i % 2 == 1;
        for (j, piece) in part.split(if quoted { '\0' } else { ' ' }).enumerate() {
            if j > 0 {
                words.push(String::new());
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The places that scripts can name.
fn places() -> [(&'static str, String); 2] {
    let text = |path: PathBuf| fs::canonicalize(path).unwrap().to_string_lossy().into_owned();
    [("{corpus}", text(manifest().join("../../tests/corpus"))), ("{fixtures}", text(manifest().join("tests/cli/fixtures")))]
}

fn expand(word: &str) -> String {
    places().iter().fold(word.to_owned(), |word, (name, path)| word.replace(name, path))
}

/// Takes out of an output what differs from machine to machine: paths and times.
fn normalise(text: &str) -> String {
    let text = places().iter().fold(text.to_owned(), |text, (name, path)| text.replace(path.as_str(), name));
    text.split_inclusive('\n').map(normalise_times).collect()
}

fn normalise_times(line: &str) -> String {
    let is_json = line.contains("seconds\": ");
    let is_report = line.starts_with("  plan ") || line.starts_with("  launch ");
    if !is_json && !is_report {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut words = line.split_inclusive(' ').peekable();
    while let Some(word) = words.next() {
        let end = word.trim_end_matches([' ', ',', '\n']);
        let unit = words.peek().map(|next| next.trim_end_matches([' ', ',', '\n']));
        if is_json && end.parse::<f64>().is_ok() {
            out += &word.replace(end, "TIME");
        } else if end.parse::<f64>().is_ok()
            && let Some(unit @ ("us" | "ms" | "s")) = unit
        {
            out += &words.next().unwrap_or_default().replace(unit, "TIME");
        } else {
            out += word;
        }
    }
    out
}

#[test]
fn a_closed_pipe_is_quiet() {
    let module = manifest().join("../../tests/corpus/cases/flash_attention/flash_attention.13.4.tilebc");
    let module = module.to_str().unwrap();
    let mut commands = vec![vec!["ops", "--json"]];
    commands.extend(["print", "validate", "objdump", "stats"].map(|command| vec![command, module]));
    commands.push(vec!["diff", module, module]);
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
        let mut child = command.args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let module = manifest().join("../../tests/corpus/cases/vector_add/vector_add.13.4.tilebc");
    let module = module.to_str().unwrap();
    for args in [&["print", module][..], &["validate", module], &["stats", "--json", module], &["ops", "addf"], &["completions", "bash"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(args).stdout(full).output().unwrap();
        let told = "error: cannot write stdout: No space left on device (os error 28)\n";
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(2), told), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_unicode_is_named() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let args = [OsStr::new("explain"), OsStr::from_bytes(b"a\xffb")];
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(args).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.starts_with("error: 'a\\xffb' is not UTF-8"), "{told}");
    assert_eq!(output.status.code(), Some(2));
}

/// `ops --json` gives every operation as the specification has it, key by key where both have the key.
#[test]
fn the_operations_agree_with_the_specification() {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright")).args(["ops", "--json"]).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = fs::read(manifest().join("../../spec/ops.json")).unwrap();
    let spec: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let spec_ops = spec["ops"].as_array().unwrap();
    let found_ops = found["operations"].as_array().unwrap();
    assert_eq!(found_ops.len(), spec_ops.len());
    for expected in spec_ops {
        let name = &expected["mnemonic"];
        let op = found_ops.iter().find(|op| op["mnemonic"] == *name).unwrap_or_else(|| panic!("{name} is missing"));
        for key in ["opcode", "ods_name", "since", "preview", "placement", "operand_encoding", "regions"] {
            assert_eq!(op[key], expected[key], "{key} of {name}");
        }
        for key in ["kind", "count_on_wire", "names", "since"] {
            assert_eq!(op["results"][key], expected["results"][key], "{key} of the results of {name}");
        }
        let bits = expected["flags"]["bits"].as_array().map(|bits| bits.iter().map(|bit| bit["name"].clone()).collect());
        assert_eq!(op["flags"]["bits"].as_array().cloned(), bits, "flags of {name}");
        let names = |list: &serde_json::Value| -> Vec<serde_json::Value> {
            let items = list.as_array().unwrap().iter().filter(|item| item["encoding"] != "unit");
            items.map(|item| serde_json::json!([item["name"], item["encoding"], item["enum"], item["since"], item["kind"]])).collect()
        };
        assert_eq!(names(&op["attributes"]), names(&expected["attributes"]), "attributes of {name}");
        assert_eq!(names(&op["operands"]), names(&expected["operands"]), "operands of {name}");
    }
}
