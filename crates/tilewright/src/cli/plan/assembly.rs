//! Machine code as text: instructions, below the vector code that they do.

use iced_x86::{Decoder, DecoderOptions, Formatter as _, IntelFormatter};
use std::fmt::Write as _;
use tilewright::exec::RegionCode;
use tilewright_vector::Level;
use yaxpeax_arch::{Arch, Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::ARMv8;

/// The bits of a CPU's addresses.
const BITS: u32 = 64;
/// Bytes of the constant pool in a line.
const WORD: usize = 8;

/// The machine code of a region.
pub(super) fn listing(region: &RegionCode) -> String {
    let mut text = format!("// instruction {}\n", region.instruction);
    let Some(native) = &region.native else {
        text += "// the portable executor runs it\n";
        text += &region.vector;
        return text + "\n";
    };
    let (mut items, mut told) = (native.items.iter().peekable(), "");
    let (instructions, pool) = match native.level {
        Level::Avx2 | Level::Avx512 | Level::Avx512Fp16 => (x86(&native.bytes), "r15"),
        Level::Neon | Level::NeonFp16 => (aarch64(&native.bytes), "x1"),
    };
    for (place, line) in instructions {
        while let Some((_, item)) = items.next_if(|(begin, _)| *begin <= place) {
            // Of vectors side by side, each does an item.
            if item != told {
                text += &format!("{item}\n");
            }
            told = item;
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {place:5x}  {line}");
    }
    if !native.constants.is_empty() {
        text += &format!("// constants at {pool}\n");
        text += &constants(&native.constants);
    }
    text + "\n"
}

/// Instructions of x86-64 as text, each with where it begins.
fn x86(bytes: &[u8]) -> Vec<(usize, String)> {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_first_operand_char_index(12);
    options.set_space_after_operand_separator(true);
    options.set_uppercase_hex(false);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_branch_leading_zeros(false);
    let decoder = Decoder::with_ip(BITS, bytes, 0, DecoderOptions::NONE);
    let line = |instruction: iced_x86::Instruction| {
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        (instruction.ip() as usize, line)
    };
    decoder.into_iter().map(line).collect()
}

/// Instructions of AArch64 as text, each with where it begins. Jumps say how far they lead.
fn aarch64(bytes: &[u8]) -> Vec<(usize, String)> {
    let decoder = <ARMv8 as Arch>::Decoder::default();
    let line = |(i, word): (usize, &[u8])| {
        let text = match decoder.decode(&mut U8Reader::new(word)) {
            Ok(instruction) => instruction.to_string(),
            Err(_) => format!(".inst 0x{:02x}{:02x}{:02x}{:02x}", word[3], word[2], word[1], word[0]),
        };
        let (name, operands) = text.split_once(' ').unwrap_or((&text, ""));
        (4 * i, format!("{name:11} {operands}").trim_end().to_owned())
    };
    bytes.chunks_exact(4).enumerate().map(line).collect()
}

/// The constant pool, a word in a line; of equal ones that follow each other, one.
fn constants(bytes: &[u8]) -> String {
    let words: Vec<&[u8]> = bytes.chunks(WORD).collect();
    let (mut text, mut at) = (String::new(), 0);
    while at < words.len() {
        let same = words[at..].iter().take_while(|word| **word == words[at]).count();
        let bits = words[at].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let times = if same > 1 { format!("  {same} times") } else { String::new() };
        let _ = writeln!(text, "  {:5x}  {bits:016x}{times}", at * WORD);
        at += same;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_are_told_once() {
        let words = [1u64, 2, 2, 2, 3].map(u64::to_le_bytes).concat();
        let lines = ["0  0000000000000001", "8  0000000000000002  3 times", "20  0000000000000003"];
        assert_eq!(constants(&words).lines().map(str::trim).collect::<Vec<_>>(), lines);
    }
}
