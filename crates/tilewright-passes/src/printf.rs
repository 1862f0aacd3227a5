//! The format strings of `print_tko`, which are those of C `printf` (SEMANTICS c.13).

use tilewright_ir::printable;

/// A part of a format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Bytes that are written as they are.
    Text(Vec<u8>),
    /// One operand of the operation.
    Value(Conversion),
}

/// How an operand is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Conversion {
    /// `-`: flush left.
    pub left: bool,
    /// `+`: a sign for positive numbers too.
    pub plus: bool,
    /// space: a space in place of a plus sign.
    pub space: bool,
    /// `#`: the alternative form.
    pub alternative: bool,
    /// `0`: fill with zeros.
    pub zeros: bool,
    /// The least number of bytes.
    pub width: usize,
    /// Digits, if it is said how many.
    pub precision: Option<usize>,
    /// The letter.
    pub letter: u8,
}

/// The widest field and the highest precision: more is a mistake, and would let a format string fill the memory.
const MAX_FIELD: usize = 4096;

/// Splits a format string, which is bytes as in C: what is no conversion is written as it is, whatever its encoding.
///
/// # Errors
/// When a conversion is unknown or incomplete.
pub fn parse(format: &[u8]) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut rest = format;
    while let Some(position) = rest.iter().position(|byte| *byte == b'%') {
        text.extend_from_slice(&rest[..position]);
        rest = &rest[position + 1..];
        if let [b'%', after @ ..] = rest {
            text.push(b'%');
            rest = after;
            continue;
        }
        let (conversion, after) = conversion(rest)?;
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Value(conversion));
        rest = after;
    }
    text.extend_from_slice(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Reads what follows a `%`.
fn conversion(mut rest: &[u8]) -> Result<(Conversion, &[u8]), String> {
    let whole = rest;
    let mut conversion = Conversion::default();
    while let [flag, after @ ..] = rest {
        match flag {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.alternative = true,
            b'0' => conversion.zeros = true,
            _ => break,
        }
        rest = after;
    }
    (conversion.width, rest) = number(rest)?;
    if let [b'.', after @ ..] = rest {
        let (precision, after) = number(after)?;
        conversion.precision = Some(precision);
        rest = after;
    }
    // The operand says how wide it is; length modifiers say nothing more.
    while let [b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q', after @ ..] = rest {
        rest = after;
    }
    let shown = |bytes: &[u8]| printable(bytes).to_string();
    let [letter, after @ ..] = rest else { return Err(format!("the conversion '%{}' has no letter", shown(whole))) };
    if !b"diuoxXeEfFgGaAcp".contains(letter) {
        let until = whole.len() - after.len();
        return Err(format!("'%{}' is no conversion of numbers: d i u o x X e E f F g G a A c p are", shown(&whole[..until])));
    }
    conversion.letter = *letter;
    Ok((conversion, after))
}

fn number(rest: &[u8]) -> Result<(usize, &[u8]), String> {
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    let value = digits.iter().try_fold(0, |value, digit| {
        let value = 10 * value + usize::from(digit - b'0');
        (value <= MAX_FIELD).then_some(value)
    });
    value.map(|value| (value, after)).ok_or_else(|| format!("the field '{}' is wider than {MAX_FIELD}", String::from_utf8_lossy(digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_split() {
        let pieces = parse(b"a %-08.3lf%% %d\n\xff").unwrap();
        let value = Conversion { left: true, zeros: true, width: 8, precision: Some(3), letter: b'f', ..Conversion::default() };
        let plain = Conversion { letter: b'd', ..Conversion::default() };
        let text = |bytes: &[u8]| Piece::Text(bytes.to_vec());
        let expected = [text(b"a "), Piece::Value(value), text(b"% "), Piece::Value(plain), text(b"\n\xff")];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn bad_formats_are_refused() {
        for bad in ["%", "%5", "%n", "%s", "%99999999999d", "%é"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
