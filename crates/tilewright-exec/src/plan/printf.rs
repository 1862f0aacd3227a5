//! The format strings of `print_tko`, which are those of C `printf` (SEMANTICS c.13).

/// A part of a format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    Text(String),
    /// One operand of the operation.
    Value(Conversion),
}

/// How an operand is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Conversion {
    /// `-`: flush left.
    pub(crate) left: bool,
    /// `+`: a sign for positive numbers too.
    pub(crate) plus: bool,
    /// space: a space in place of a plus sign.
    pub(crate) space: bool,
    /// `#`: the alternative form.
    pub(crate) alternative: bool,
    /// `0`: fill with zeros.
    pub(crate) zeros: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
    /// The letter.
    pub(crate) letter: u8,
}

/// The widest field and the highest precision: more is a mistake, and would let a format string fill the memory.
const MAX_FIELD: usize = 4096;

/// Splits a format string.
///
/// # Errors
/// When a conversion is unknown or incomplete.
pub(crate) fn parse(format: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(position) = rest.find('%') {
        text.push_str(&rest[..position]);
        rest = &rest[position + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
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
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Reads what follows a `%`.
fn conversion(mut rest: &str) -> Result<(Conversion, &str), String> {
    let whole = rest;
    let mut conversion = Conversion::default();
    while let Some(flag) = rest.chars().next() {
        match flag {
            '-' => conversion.left = true,
            '+' => conversion.plus = true,
            ' ' => conversion.space = true,
            '#' => conversion.alternative = true,
            '0' => conversion.zeros = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    (conversion.width, rest) = number(rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = number(after)?;
        conversion.precision = Some(precision);
        rest = after;
    }
    // The operand says how wide it is; length modifiers say nothing more.
    rest = rest.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L', 'q']);
    let letter = rest.bytes().next().ok_or_else(|| format!("the conversion '%{whole}' has no letter"))?;
    if !b"diuoxXeEfFgGaAcp".contains(&letter) {
        let shown = rest.chars().next().unwrap_or('?');
        return Err(format!("the conversion '%{shown}' is not supported: use one of d i u o x X e E f F g G a A c p"));
    }
    conversion.letter = letter;
    Ok((conversion, &rest[1..]))
}

fn number(rest: &str) -> Result<(usize, &str), String> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    let value = if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|n| *n <= MAX_FIELD) };
    value.map(|value| (value, after)).ok_or_else(|| format!("the field '{digits}' is wider than {MAX_FIELD}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_split() {
        let pieces = parse("a %-08.3lf%% %d\n").unwrap();
        let value = Conversion { left: true, zeros: true, width: 8, precision: Some(3), letter: b'f', ..Conversion::default() };
        let plain = Conversion { letter: b'd', ..Conversion::default() };
        let expected =
            [Piece::Text("a ".into()), Piece::Value(value), Piece::Text("% ".into()), Piece::Value(plain), Piece::Text("\n".into())];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn bad_formats_are_refused() {
        for bad in ["%", "%5", "%n", "%s", "%99999999999d", "%é"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
