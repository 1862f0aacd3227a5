//! Machine code as text: instructions, below the vector code that they do.

use iced_x86::{Decoder, DecoderOptions, Formatter as _, IntelFormatter};
use std::fmt::Write as _;
use tilewright::exec::RegionCode;

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
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_first_operand_char_index(12);
    options.set_space_after_operand_separator(true);
    options.set_uppercase_hex(false);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_branch_leading_zeros(false);
    for instruction in Decoder::with_ip(BITS, &native.bytes, 0, DecoderOptions::NONE) {
        while let Some((_, item)) = items.next_if(|(begin, _)| *begin as u64 <= instruction.ip()) {
            // Of vectors side by side, each does an item.
            if item != told {
                text += &format!("{item}\n");
            }
            told = item;
        }
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {:5x}  {line}", instruction.ip());
    }
    if !native.constants.is_empty() {
        text += "// constants at r15\n";
        text += &constants(&native.constants);
    }
    text + "\n"
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
