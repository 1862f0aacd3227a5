//! The corpus: real kernels, which tests read, and which mutations begin with.
//!
//! Every checkout has a selection of it in `tests/corpus`. The environment variable `TILEWRIGHT_CORPUS` names the folder of a
//! larger corpus of the same form (`tests/corpus/README.md`), which tests take instead; a relative path begins at the root of the
//! workspace. No test may need it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The environment variable that names the folder of a corpus.
const VARIABLE: &str = "TILEWRIGHT_CORPUS";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The selection that every checkout has.
pub fn selection() -> PathBuf {
    root().join("tests/corpus")
}

/// The folder of the corpus.
///
/// # Panics
/// When `TILEWRIGHT_CORPUS` names something that is no corpus: tests must not pass for want of files.
pub fn folder() -> PathBuf {
    let Some(path) = env::var_os(VARIABLE) else { return selection() };
    let folder = root().join(path);
    assert!(
        folder.join("cases").is_dir() && folder.join("modules").is_dir(),
        "{VARIABLE} must name a folder with `cases` and `modules`, found {}",
        folder.display()
    );
    folder
}

/// The folders of all cases of the corpus, in order; only that of one, if the environment variable `CASE` names it.
///
/// # Panics
/// When the corpus cannot be read.
pub fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder().join("cases")).expect("the corpus has cases").map(|entry| entry.expect("an entry").path());
    let only = env::var_os("CASE");
    let is_meant = |folder: &PathBuf| only.as_ref().is_none_or(|only| folder.ends_with(only));
    let mut cases: Vec<PathBuf> = entries.filter(|folder| folder.join("case.json").is_file() && is_meant(folder)).collect();
    cases.sort();
    cases
}

/// The paths of all files with this extension in the corpus, in order.
pub fn paths(extension: &str) -> Vec<PathBuf> {
    paths_below(&folder(), extension)
}

/// The paths of all files with this extension below a folder, in order.
///
/// # Panics
/// When the folder cannot be read, or holds no such file.
pub fn paths_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut folders, mut paths) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                paths.push(path);
            }
        }
    }
    assert!(!paths.is_empty(), "{} holds no .{extension} file", folder.display());
    paths.sort();
    paths
}

/// All files with this extension in the corpus, in order, with their content.
///
/// # Panics
/// When a file cannot be read.
pub fn files(extension: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| {
        let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, content)
    };
    paths(extension).into_iter().map(read).collect()
}
