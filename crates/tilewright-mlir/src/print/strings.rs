//! Names, strings and lists.

use super::names;
use tilewright_text::short::push_block as push_bytes;

pub(super) fn push_block(out: &mut Vec<u8>, index: u32) {
    out.extend(b"^bb");
    names::push_number(out, u64::from(index));
}

pub(super) fn push_spaces(out: &mut Vec<u8>, count: usize) {
    const SPACES: [u8; 32] = [b' '; 32];
    match count {
        0..=32 => push_bytes(out, &SPACES, count),
        _ => out.resize(out.len() + count, b' '),
    }
}

pub(super) fn push_list<T>(out: &mut Vec<u8>, items: &[T], mut item: impl FnMut(&mut Vec<u8>, &T)) {
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            out.extend(b", ");
        }
        item(out, each);
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

pub(super) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(2 * bytes.len());
    out.extend(bytes.iter().flat_map(|&byte| [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]));
}

pub(super) fn push_hex_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(b"\"0x");
    push_hex(out, bytes);
    out.push(b'"');
}

/// Appends a string in quotes; what is not printable in ASCII stands as `\0A`.
pub(super) fn push_string(out: &mut Vec<u8>, string: &[u8]) {
    out.push(b'"');
    // Nearly all strings stand as they are.
    if string.iter().all(|&byte| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\')) {
        out.extend_from_slice(string);
        return out.push(b'"');
    }
    for &byte in string {
        match byte {
            b'\\' => out.extend(b"\\\\"),
            b' '..=b'~' if byte != b'"' => out.push(byte),
            _ => out.extend([b'\\', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
        }
    }
    out.push(b'"');
}

/// Appends a name, in quotes if it is no identifier.
pub(super) fn push_keyword_or_string(out: &mut Vec<u8>, name: &[u8]) {
    let begins = name.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
    if begins && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')) {
        out.extend(name);
    } else {
        push_string(out, name);
    }
}
