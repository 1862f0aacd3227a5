//! What a file is, by its first bytes.

use crate::MAGIC;
use std::fmt;

/// What a file is, as far as its first bytes tell.
///
/// People hand all that compilers make on the way from a kernel to a GPU to tools of Tile IR; an error that says which of them it
/// is helps more than one that says what it is not.
///
/// ```
/// use tilewright_bytecode::FileKind;
/// assert_eq!(FileKind::of(b"\x7fTileIR\0\x0d\x04"), FileKind::Bytecode);
/// assert_eq!(FileKind::of(b"ML\xefR\x0d"), FileKind::MlirBytecode);
/// assert_eq!(FileKind::of(b".version 8.7\n.target sm_100\n"), FileKind::Ptx);
/// assert_eq!(FileKind::of(b"entry @k() {}"), FileKind::Text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FileKind {
    /// Tile IR bytecode.
    Bytecode,
    /// Text that may be Tile IR.
    Text,
    /// No bytes at all.
    Empty,
    /// The beginning of the magic number of Tile IR bytecode, and no more.
    CutOff,
    /// What a description of tileiras takes for its input; no release does.
    Envelope,
    /// Bytecode of upstream MLIR.
    MlirBytecode,
    /// A compiled package of Mojo, which holds MLIR bytecode that is compressed.
    MojoPackage,
    /// Other data with bytecode of upstream MLIR in it, such as a serialized export of JAX.
    HoldsMlirBytecode,
    /// Machine code for NVIDIA GPUs.
    Cubin,
    /// Another ELF file.
    Elf,
    /// Assembly for NVIDIA GPUs.
    Ptx,
    /// Several cubins and PTX texts in one.
    FatBinary,
    /// LLVM IR in binary form.
    LlvmBitcode,
    /// LLVM IR in text form.
    LlvmText,
    /// A program in Python.
    Python,
    /// A Python object.
    Pickle,
    /// A zip archive, such as a wheel or an `.npz` file.
    Zip,
    /// What gzip, xz, bzip2 or Zstandard has compressed.
    Compressed,
    /// A NumPy array.
    Npy,
    /// Text in UTF-16 or UTF-32.
    WideText,
    /// Something else.
    Unknown,
}

/// What formats begin with.
const SIGNATURES: [(&[u8], FileKind); 18] = [
    (&MAGIC, FileKind::Bytecode),
    (b"\x06\x03\x80Tile\0", FileKind::Envelope),
    (b"ML\xefR", FileKind::MlirBytecode),
    (b"MPKG", FileKind::MojoPackage),
    // A fat binary, and the record that refers to one.
    (b"\x50\xed\x55\xba", FileKind::FatBinary),
    (b"\xb1\x43\x62\x46", FileKind::FatBinary),
    // As it is, and in a wrapper.
    (b"BC\xc0\xde", FileKind::LlvmBitcode),
    (b"\xde\xc0\x17\x0b", FileKind::LlvmBitcode),
    (b"PK\x03\x04", FileKind::Zip),
    (b"PK\x05\x06", FileKind::Zip),
    (b"\x1f\x8b", FileKind::Compressed),
    (b"\xfd7zXZ\0", FileKind::Compressed),
    (b"BZh", FileKind::Compressed),
    (b"\x28\xb5\x2f\xfd", FileKind::Compressed),
    (b"\x93NUMPY", FileKind::Npy),
    // Byte order marks.
    (b"\xff\xfe", FileKind::WideText),
    (b"\xfe\xff", FileKind::WideText),
    (b"\0\0\xfe\xff", FileKind::WideText),
];

/// How many bytes are looked at to tell text.
const LOOKED_AT: usize = 4096;

impl FileKind {
    /// The kind of a file with these bytes.
    pub fn of(bytes: &[u8]) -> FileKind {
        if let Some((_, kind)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
            return *kind;
        }
        match bytes {
            [] => FileKind::Empty,
            [0x7f, b'E', b'L', b'F', ..] => elf(bytes),
            // The opcode for the version of the protocol, and the version.
            [0x80, 2..=5, ..] => FileKind::Pickle,
            _ if MAGIC.starts_with(bytes) => FileKind::CutOff,
            _ => match by_content(&bytes[..bytes.len().min(LOOKED_AT)]) {
                FileKind::Unknown if holds_mlir(bytes) => FileKind::HoldsMlirBytecode,
                kind => kind,
            },
        }
    }

    /// Whether it may hold a module: is bytecode or text.
    pub fn may_be_tile_ir(self) -> bool {
        matches!(self, FileKind::Bytecode | FileKind::Text)
    }

    /// What such a file is.
    fn noun(self) -> &'static str {
        match self {
            FileKind::Bytecode => "this is Tile IR bytecode",
            FileKind::Text => "this is text",
            FileKind::Empty => "the file is empty",
            FileKind::CutOff => "the file ends within its first 8 bytes",
            FileKind::Envelope => "this is a container that begins with 06 03 80 'Tile' 00",
            FileKind::MlirBytecode => "this is MLIR bytecode",
            FileKind::MojoPackage => "this is a compiled Mojo package",
            FileKind::HoldsMlirBytecode => "this is other data that holds MLIR bytecode, such as what serialize() of a jax.export writes",
            FileKind::Cubin => "this is a cubin, machine code for NVIDIA GPUs",
            FileKind::Elf => "this is an ELF file, a program or a library",
            FileKind::Ptx => "this is PTX, assembly for NVIDIA GPUs",
            FileKind::FatBinary => "this is a CUDA fat binary, machine code and PTX for NVIDIA GPUs",
            FileKind::LlvmBitcode => "this is LLVM bitcode",
            FileKind::LlvmText => "this is LLVM IR",
            FileKind::Python => "this is a Python program",
            FileKind::Pickle => "this is a Python pickle",
            FileKind::Zip => "this is a zip archive, such as a wheel or an .npz file",
            FileKind::Compressed => "this is a compressed file",
            FileKind::Npy => "this is a NumPy array",
            FileKind::WideText => "this is text in UTF-16 or UTF-32",
            FileKind::Unknown => "this does not begin with 7f 'TileIR' 00 as bytecode does, and is no text",
        }
    }

    /// What to do with it.
    fn advice(self) -> Option<&'static str> {
        const EXPORT: &str = "load the Tile IR that it was compiled from; cuTile Python writes it with \
                              cuda.tile.compilation.export_kernel(..., output_format=\"tileir_bytecode\")";
        match self {
            FileKind::Cubin | FileKind::Ptx | FileKind::FatBinary | FileKind::LlvmBitcode | FileKind::LlvmText | FileKind::Elf => {
                Some(EXPORT)
            }
            FileKind::Text => Some("'tilewright convert' makes bytecode of text"),
            FileKind::Envelope => Some(
                "the bytecode that tileiras takes begins with 7f 'TileIR' 00; 'tilewright objdump' lists the sections, as far as they are \
                 as the one description of such files says",
            ),
            FileKind::MojoPackage => {
                Some("it holds MLIR bytecode: what begins with 28 b5 2f fd in it is that, compressed by Zstandard; decompress it first")
            }
            FileKind::HoldsMlirBytecode => Some("mlir_module_serialized of the export is the bytecode itself"),
            FileKind::MlirBytecode => Some(
                "'tilewright print', 'validate', 'objdump', 'stats', 'diff' and 'convert' take it; if it is of the cuda_tile dialect, \
                 'tilewright convert' makes Tile IR bytecode of it",
            ),
            FileKind::Python => Some(
                "'python -m tilewright.cutile' runs a program that launches kernels of cuTile Python, and \
                 cuda.tile.compilation.export_kernel(..., output_format=\"tileir_bytecode\") writes the Tile IR of one",
            ),
            FileKind::Zip => Some("extract what it holds"),
            FileKind::Compressed => Some("decompress it first"),
            FileKind::Npy => Some("'tilewright run' takes it as an argument for a kernel, @FILE.npy"),
            FileKind::WideText => Some("save it as UTF-8"),
            _ => None,
        }
    }
}

/// What the file is, and what to do with it where Tile IR bytecode is expected: `this is a compressed file: decompress it first`.
impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())?;
        self.advice().map_or(Ok(()), |advice| write!(f, ": {advice}"))
    }
}

/// The kind of what has no signature.
fn by_content(head: &[u8]) -> FileKind {
    if is_text(head) {
        text(head)
    } else if is_wide(head) {
        FileKind::WideText
    } else {
        FileKind::Unknown
    }
}

/// Whether MLIR bytecode begins somewhere, of a version that is known and with a producer that is text.
fn holds_mlir(bytes: &[u8]) -> bool {
    const MAGIC: &[u8] = b"ML\xefR";
    let is_start = |at: usize| matches!(bytes[at..], [_, _, _, _, version, first, ..] if version <= 15 && first.is_ascii_alphanumeric());
    bytes.windows(MAGIC.len()).enumerate().any(|(at, window)| window == MAGIC && is_start(at))
}

fn elf(bytes: &[u8]) -> FileKind {
    /// `e_machine` of CUDA.
    const CUDA: u16 = 190;
    // The sixth byte says how numbers are written.
    let number = if bytes.get(5) == Some(&2) { u16::from_be_bytes } else { u16::from_le_bytes };
    match bytes.get(18..20) {
        Some(&[a, b]) if number([a, b]) == CUDA => FileKind::Cubin,
        _ => FileKind::Elf,
    }
}

/// Whether most of it can be read: a wrong byte in a text does not make it something else.
fn is_text(head: &[u8]) -> bool {
    let is_readable = |c: &char| !c.is_control() || c.is_whitespace();
    let readable = head.utf8_chunks().flat_map(|chunk| chunk.valid().chars()).filter(is_readable).map(char::len_utf8);
    readable.sum::<usize>() * 10 >= head.len() * 9
}

/// Whether it is ASCII in UTF-16 without a byte order mark: every second byte is 0.
fn is_wide(head: &[u8]) -> bool {
    let alternates = |low: usize| head.iter().enumerate().all(|(i, &byte)| (byte == 0) != (i % 2 == low) && byte.is_ascii());
    head.len() >= 4 && (alternates(0) || alternates(1))
}

/// What kind of text it is, by the first line that is not empty or a comment.
fn text(head: &[u8]) -> FileKind {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    let comments: [&[u8]; 3] = [b"//", b"# ", b"#!"];
    let Some(line) = lines.find(|line| !line.is_empty() && *line != b"#" && !comments.iter().any(|mark| line.starts_with(mark))) else {
        return FileKind::Text;
    };
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word.as_bytes()));
    if begins(&[".version", "/*"]) && head.windows(8).any(|word| word == b".version") && head.windows(7).any(|word| word == b".target") {
        FileKind::Ptx
    } else if begins(&["; ModuleID", "source_filename =", "target datalayout", "target triple"]) {
        FileKind::LlvmText
    } else if begins(&["import ", "from ", "def ", "class ", "\"\"\"", "@ct.", "@cuda.", "@functools."]) {
        FileKind::Python
    } else {
        FileKind::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf_for(machine: u16) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(18, 0);
        bytes.extend(machine.to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }

    #[test]
    fn files_are_known_by_how_they_begin() {
        let wide: Vec<u8> = "entry @k() {}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: &[(&[u8], FileKind)] = &[
            (b"", FileKind::Empty),
            (b"\x7fTil", FileKind::CutOff),
            (b"\x7fTileIR\0", FileKind::Bytecode),
            (b"\x06\x03\x80Tile\0\x0d\x01", FileKind::Envelope),
            (b"ML\xefR\x0dMLIR20\0", FileKind::MlirBytecode),
            (b"MPKG\x02...", FileKind::MojoPackage),
            (&elf_for(190), FileKind::Cubin),
            (&elf_for(62), FileKind::Elf),
            (b"\x7fELF", FileKind::Elf),
            (b"//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.7\n.target sm_100a\n", FileKind::Ptx),
            (b"/* by hand */\n.version 8.7\n.target sm_100a\n", FileKind::Ptx),
            (&0xba55_ed50_u32.to_le_bytes(), FileKind::FatBinary),
            (&0x4662_43b1_u32.to_le_bytes(), FileKind::FatBinary),
            (b"BC\xc0\xde5\x14\0\0", FileKind::LlvmBitcode),
            (b"; ModuleID = 'k'\ntarget triple = \"nvptx64\"\n", FileKind::LlvmText),
            (b"PK\x03\x04\x14\0", FileKind::Zip),
            (b"\x1f\x8b\x08\0", FileKind::Compressed),
            (b"\x93NUMPY\x01\0v\0{", FileKind::Npy),
            (b"\x80\x04\x95\x03\0", FileKind::Pickle),
            (b"#!/usr/bin/env python3\n# a program\n\nimport cuda.tile as ct\n", FileKind::Python),
            (b"\"\"\"What it does.\"\"\"\nimport cuda.tile as ct\n", FileKind::Python),
            (b"\xff\xfee\0n\0", FileKind::WideText),
            (&wide, FileKind::WideText),
            (b"\0e\0n\0t\0r\0y", FileKind::WideText),
            (b"\x3c\0\0\0\x38\0\x60\0\x01\x02\x03\x04\x05\x06ML\xefR\x0dStableHLO_v1\0\x07\x01\x02", FileKind::HoldsMlirBytecode),
            (&[0x90; 100], FileKind::Unknown),
        ];
        for (bytes, expected) in cases {
            assert_eq!(FileKind::of(bytes), *expected, "{:?}", tilewright_ir::printable(bytes));
        }
    }

    #[test]
    fn text_stays_text_with_something_wrong_in_it() {
        let texts: [&[u8]; 9] = [
            b"entry @k() {}",
            b"\n  // a comment\n",
            b" ",
            b"#loc = loc(\"a.py\":1:1)\nmodule {}",
            b"\"cuda_tile.module\"() : () -> ()",
            b"\xef\xbb\xbf// with a byte order mark\n",
            "// größe: 核\nentry @k() {}".as_bytes(),
            b"// caf\xe9\nentry @k() {}",
            b"entry @k\0() { return }",
        ];
        for text in texts {
            assert_eq!(FileKind::of(text), FileKind::Text, "{:?}", tilewright_ir::printable(text));
        }
    }

    #[test]
    fn messages_say_what_it_is_and_what_to_do() {
        assert_eq!(FileKind::Compressed.to_string(), "this is a compressed file: decompress it first");
        assert_eq!(FileKind::Empty.to_string(), "the file is empty");
        assert_eq!(FileKind::Pickle.to_string(), "this is a Python pickle");
        assert!(FileKind::Cubin.to_string().contains("export_kernel"));
    }
}
