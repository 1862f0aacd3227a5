//! The files that mutations begin with.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The corpora that are here: the one that is shared between workspaces, and the selection that belongs to this one.
pub fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    [root.join("../shared/corpus"), root.join("tests/corpus")].into_iter().filter(|folder| folder.is_dir()).collect()
}

/// Every file with this extension in the largest corpus that is here, in order, with its content.
///
/// # Panics
/// When a file cannot be read.
pub fn files(extension: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders: Vec<PathBuf> = self::folders().into_iter().take(1).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                files.push((path, content));
            }
        }
    }
    files.sort();
    files
}
