//! NVIDIA's disassembler takes what is written, and sees in it what was read.

use crate::{samples, support::Random};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};
use tilewright_bytecode::{Style, WriteOptions, write};
use tilewright_ir::Version;

/// How many files the disassembler is asked about: it takes a while to start.
const ASKED: usize = 150;

/// `tileirdisasm`: where `TILEIRDISASM` says, in the path, or with a Python package.
fn disassembler() -> Option<PathBuf> {
    let in_path = env::var_os("PATH").into_iter().flat_map(|path| env::split_paths(&path).collect::<Vec<_>>());
    let in_path = in_path.flat_map(|folder| [folder.join("tileirdisasm"), folder.join("../nvidia/cu13/bin/tileirdisasm")]);
    let homes = [PathBuf::from("/usr/lib"), PathBuf::from("/usr/local/lib")];
    let in_packages = homes.iter().flat_map(|home| packages(home));
    env::var_os("TILEIRDISASM").map(PathBuf::from).into_iter().chain(in_path).chain(in_packages).find(|path| path.is_file())
}

/// The places where Python packages below a folder would have it.
fn packages(home: &Path) -> Vec<PathBuf> {
    let folders =
        |folder: &Path| -> Vec<PathBuf> { fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect() };
    let pythons = folders(home).into_iter().flat_map(|version| [version.clone(), version.join("lib")]);
    let pythons = pythons.flat_map(|lib| [vec![lib.clone()], folders(&lib)].concat());
    pythons.map(|python| python.join("site-packages/nvidia/cu13/bin/tileirdisasm")).collect()
}

fn disassemble(tool: &Path, bytes: &[u8]) -> Result<String, String> {
    let path = env::temp_dir().join(format!("tilewright-{}.tilebc", process::id()));
    fs::write(&path, bytes).expect("a temporary file");
    let output = Command::new(tool).arg("--print-debug-info").arg(&path).output().expect("the disassembler starts");
    fs::remove_file(&path).expect("a temporary file");
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn the_disassembler_sees_the_same() {
    let samples = samples();
    let Some(tool) = disassembler() else {
        eprintln!("SKIPPED: no tileirdisasm found, {} files are not shown to it", samples.len());
        return;
    };
    let mut random = Random::new(11);
    let mut shown = 0;
    for _ in 0..if samples.is_empty() { 0 } else { ASKED } {
        let sample = &samples[random.below(samples.len())];
        let module = sample.module();
        let expected = disassemble(&tool, &sample.bytes).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        let version = Version::ALL[random.below(Version::ALL.len())];
        let style = [Style::Cutile, Style::Cpp][random.below(2)];
        let Ok(bytes) = write(&module, &WriteOptions::new(version).style(style)) else { continue };
        let seen = disassemble(&tool, &bytes).unwrap_or_else(|e| panic!("{} at {version}, {style:?}: {e}", sample.name));
        assert_eq!(seen, expected, "{} at {version}, {style:?}", sample.name);
        shown += 1;
    }
    eprintln!("{shown} written files shown to {}", tool.display());
}
