//! The bits of flags words.

use std::fmt::Write as _;

/// What the bits that are set mean, lowest first, to put behind the number; nothing where none is set.
pub(super) fn names_of_bits(flags: u64, names: &[&str]) -> String {
    let mut text = String::new();
    for bit in (0..u64::BITS).filter(|bit| flags >> bit & 1 != 0) {
        text += if text.is_empty() { " = " } else { ", " };
        match names.get(bit as usize) {
            Some(name) => text += name,
            None => write!(text, "unknown bit {bit}").expect("a string takes everything"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_names() {
        assert_eq!(names_of_bits(0, &["a"]), "");
        assert_eq!(names_of_bits(0b1101, &["a", "b", "c"]), " = a, c, unknown bit 3");
    }
}
