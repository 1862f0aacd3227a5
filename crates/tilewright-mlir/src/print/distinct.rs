//! The numbers of distinct attributes.
//!
//! They say which are the same within a text. An attribute that bytecode holds as text has numbers of its own in it, which are not those of
//! another one.

use super::{Printer, names};
use crate::tables::AttrId;

const MARK: &[u8] = b"distinct[";

/// Whether distinct attributes are part of a text.
pub(super) fn is_in(text: &[u8]) -> bool {
    text.contains(&b'[') && text.windows(MARK.len()).any(|piece| piece == MARK)
}

impl Printer<'_, '_> {
    /// The number of a distinct attribute, or of the one with some number within an attribute that is a text.
    pub(super) fn distinct_number(&self, id: AttrId, within: Option<u64>) -> u64 {
        let mut numbers = self.distinct.borrow_mut();
        let next = numbers.len() as u64;
        *numbers.entry((id, within)).or_insert(next)
    }

    /// Appends an attribute that stands as text.
    pub(super) fn push_text(&self, out: &mut Vec<u8>, id: AttrId, text: &[u8]) {
        if !is_in(text) {
            return out.extend_from_slice(text);
        }
        let (mut rest, mut in_string) = (text, false);
        while let [byte, behind @ ..] = rest {
            if !in_string && let Some(number) = rest.strip_prefix(MARK) {
                let len = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let within = number[..len].iter().fold(0u64, |all, digit| all.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
                out.extend_from_slice(MARK);
                names::push_number(out, self.distinct_number(id, Some(within)));
                rest = &number[len..];
                continue;
            }
            out.push(*byte);
            rest = behind;
            match (in_string, byte, behind) {
                (true, b'\\', [escaped, behind @ ..]) => {
                    out.push(*escaped);
                    rest = behind;
                }
                (_, b'"', _) => in_string = !in_string,
                _ => {}
            }
        }
    }
}
