//! Bytecode as text, which editors show in its place.

use lsp_types::{Uri, request::Request};
use serde::{Deserialize, Serialize};
use std::{fs, path::PathBuf};
use tilewright_bytecode::FileKind;
use tilewright_text::{PrintOptions, print};

/// The request for the text of a file of bytecode.
#[derive(Debug)]
pub enum BytecodeText {}

/// Which file is meant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BytecodeTextParams {
    /// A URI with the scheme `file`.
    pub uri: Uri,
}

/// The text of a file of bytecode.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BytecodeTextResult {
    /// What `tilewright print` prints.
    pub text: String,
}

impl Request for BytecodeText {
    type Params = BytecodeTextParams;
    type Result = BytecodeTextResult;
    const METHOD: &'static str = "tilewright/bytecodeText";
}

/// The text of a file, or why there is none.
pub(crate) fn text(params: &BytecodeTextParams) -> Result<BytecodeTextResult, String> {
    let path = path_of(&params.uri).ok_or_else(|| format!("{} names no file of this machine", params.uri.as_str()))?;
    let bytes = fs::read(&path).map_err(|error| error.to_string())?;
    match FileKind::of(&bytes) {
        FileKind::Bytecode => {
            let module = tilewright_bytecode::read(&bytes).map_err(|error| error.to_string())?;
            Ok(BytecodeTextResult { text: print(&module, &PrintOptions::new()) })
        }
        FileKind::Text => Err("this is text already".to_owned()),
        other => Err(other.to_string()),
    }
}

/// The path that a URI names: `file:///a%20b.tilebc`, `file:///c%3A/a.tilebc`.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file"));
    let path = uri.path().as_estr().decode().into_string().ok().filter(|_| is_file)?;
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if cfg!(windows) && is_drive { &path[1..] } else { &path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        let path = |uri: &str| path_of(&uri.parse().unwrap());
        assert_eq!(path("file:///a%20b/%C3%A4.tilebc"), Some(PathBuf::from("/a b/\u{e4}.tilebc")));
        assert_eq!(path("tilewright-text:/a.tilebc"), None);
    }
}
