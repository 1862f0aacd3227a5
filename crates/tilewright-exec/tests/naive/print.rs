//! `print_tko`: each element as the C library prints it.
#![expect(unsafe_code, reason = "printf is a function of C")]

use super::{number, value::Tile};
use std::ffi::{CString, c_char, c_int, c_longlong};

/// The text of a format with these tiles.
pub(crate) fn text(format: &str, args: &[&Tile]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut args = args.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.extend_from_slice(&rest.as_bytes()[..at]);
        let end = at + 1 + rest[at + 1..].find(|c: char| c == '%' || c.is_ascii_alphabetic()).expect("conversions have a letter");
        match rest.as_bytes()[end] {
            b'%' => text.push(b'%'),
            letter => {
                let tile = args.next().expect("there is a tile for each conversion");
                let mut items = tile.items.iter().map(|item| element(&rest[at..end], letter, tile, item.decisive()));
                nested(&mut text, &tile.shape, &mut items);
            }
        }
        rest = &rest[end + 1..];
    }
    text.extend_from_slice(rest.as_bytes());
    text
}

/// Brackets around each dimension.
fn nested(text: &mut Vec<u8>, shape: &[usize], items: &mut impl Iterator<Item = Vec<u8>>) {
    let Some((extent, rest)) = shape.split_first() else {
        text.extend(items.next().expect("there is an item for each place"));
        return;
    };
    for i in 0..*extent {
        text.extend_from_slice(if i == 0 { b"[" } else { b", " });
        nested(text, rest, items);
    }
    text.push(b']');
}

/// One element, by a conversion of which the letter is cut off.
fn element(conversion: &str, letter: u8, tile: &Tile, bits: u64) -> Vec<u8> {
    let width = tile.element.bits();
    let letter = char::from(letter);
    if tile.element.is_float() {
        let value = number::to_f64(&number::decode(tile.element.scalar(), bits));
        let format = CString::new(format!("{conversion}{letter}")).expect("formats have no zeros");
        // SAFETY: the format has one conversion, for a double; at most `length` bytes are written.
        return printed(|to, length| unsafe { libc::snprintf(to, length, format.as_ptr(), value) });
    }
    let signed = matches!(letter, 'd' | 'i' | 'c') && width > 1;
    let value = if signed { bits.cast_signed() << (64 - width) >> (64 - width) } else { bits.cast_signed() };
    if letter == 'c' {
        let format = CString::new(format!("{conversion}c")).expect("formats have no zeros");
        // SAFETY: the format has one conversion, for an int; at most `length` bytes are written.
        return printed(|to, length| unsafe { libc::snprintf(to, length, format.as_ptr(), value as c_int) });
    }
    let format = CString::new(format!("{conversion}ll{letter}")).expect("formats have no zeros");
    // SAFETY: the format has one conversion, for a long long; at most `length` bytes are written.
    printed(|to, length| unsafe { libc::snprintf(to, length, format.as_ptr(), value as c_longlong) })
}

/// What a function like `snprintf` writes.
fn printed(write: impl Fn(*mut c_char, usize) -> i32) -> Vec<u8> {
    let mut bytes = vec![0u8; 1024];
    let length = usize::try_from(write(bytes.as_mut_ptr().cast(), bytes.len())).expect("the format is right");
    assert!(length < bytes.len(), "numbers are shorter than the buffer");
    bytes.truncate(length);
    bytes
}
