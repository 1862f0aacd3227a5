//! The PTX that a cubin carries.

use object::{Object as _, ObjectSection as _, read::elf::ElfFile64};
use std::fmt;

/// The section in which `tileiras --lineinfo` and `ptxas -lineinfo` leave the PTX that a cubin was made from.
const SECTION: &str = ".nv_debug_ptx_txt";

/// Why no PTX was found in a cubin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubinError(String);

impl fmt::Display for CubinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CubinError {}

/// The PTX in a cubin that was compiled with `--lineinfo`.
///
/// # Errors
/// When the bytes are no ELF file, or hold no PTX.
pub fn ptx(cubin: &[u8]) -> Result<String, CubinError> {
    let file = ElfFile64::<object::LittleEndian>::parse(cubin).map_err(|error| CubinError(format!("this is no cubin: {error}")))?;
    let section = file.section_by_name(SECTION);
    let section = section.ok_or_else(|| CubinError(format!("this cubin has no section {SECTION}: compile with --lineinfo")))?;
    let bytes = section.data().map_err(|error| CubinError(format!("section {SECTION}: {error}")))?;
    // Lines end with zeros, of which there are some more behind the last one.
    let text = String::from_utf8_lossy(bytes).trim_end_matches('\0').replace('\0', "\n");
    Ok(text)
}
