//! `vprintf`: what `printf` of C makes of a format and of arguments in memory.

/// Reads an argument of 4 or 8 bytes.
pub(super) struct Args<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Args<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Args<'a> {
        Args { bytes, at: 0 }
    }

    fn next(&mut self, size: usize) -> u64 {
        self.at = self.at.next_multiple_of(size);
        let mut word = [0; 8];
        if let Some(found) = self.bytes.get(self.at..self.at + size) {
            word[..size].copy_from_slice(found);
        }
        self.at += size;
        u64::from_le_bytes(word)
    }
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
}

/// Formats. `text` reads a string that ends with a zero, for `%s`.
pub(super) fn format(format: &[u8], args: &mut Args<'_>, text: &mut dyn FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut spec = Spec::default();
        while let Some(flag) = rest.next_if(|byte| b"-+ #0".contains(byte)) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                _ => spec.zero = true,
            }
        }
        let mut number = |rest: &mut std::iter::Peekable<std::iter::Copied<std::slice::Iter<'_, u8>>>| {
            if rest.next_if_eq(&b'*').is_some() {
                return args.next(4) as usize;
            }
            let mut value = 0usize;
            while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            }
            value.min(4096)
        };
        spec.width = number(&mut rest);
        if rest.next_if_eq(&b'.').is_some() {
            spec.precision = Some(number(&mut rest));
        }
        while let Some(length) = rest.next_if(|byte| b"hljzt".contains(byte)) {
            spec.long |= length != b'h';
        }
        let Some(conversion) = rest.next() else { break };
        out.extend(one(&spec, conversion, args, text));
    }
    out
}

fn one(spec: &Spec, conversion: u8, args: &mut Args<'_>, text: &mut dyn FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let size = if spec.long { 8 } else { 4 };
    let (sign, digits) = match conversion {
        b'%' => return b"%".to_vec(),
        b'd' | b'i' => {
            let bits = args.next(size);
            let value = if spec.long { bits as i64 } else { i64::from(bits as i32) };
            (sign(spec, value < 0), padded_digits(spec, value.unsigned_abs().to_string()))
        }
        b'u' => (String::new(), padded_digits(spec, args.next(size).to_string())),
        b'o' => {
            let digits = padded_digits(spec, format!("{:o}", args.next(size)));
            // The alternate form begins with a zero.
            (String::new(), if spec.alternate && !digits.starts_with('0') { format!("0{digits}") } else { digits })
        }
        b'x' | b'X' => {
            let value = args.next(size);
            let digits = if conversion == b'x' { format!("{value:x}") } else { format!("{value:X}") };
            let prefix = if spec.alternate && value != 0 { format!("0{}", char::from(conversion)) } else { String::new() };
            (prefix, padded_digits(spec, digits))
        }
        b'p' => ("0x".to_owned(), format!("{:x}", args.next(8))),
        b'c' => return pad(spec, vec![args.next(4) as u8]),
        b's' => {
            let mut bytes = text(args.next(8));
            bytes.truncate(spec.precision.unwrap_or(usize::MAX));
            return pad(spec, bytes);
        }
        b'a' | b'A' | b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
            let value = f64::from_bits(args.next(8));
            let body = float(spec, conversion.to_ascii_lowercase(), value.abs());
            let body = if conversion.is_ascii_uppercase() { body.to_ascii_uppercase() } else { body };
            // Zeros that fill the width stand behind the prefix of hexadecimal numbers.
            let prefix = if conversion.eq_ignore_ascii_case(&b'a') && value.is_finite() { 2 } else { 0 };
            (sign(spec, value.is_sign_negative()) + &body[..prefix], body[prefix..].to_owned())
        }
        other => return vec![b'%', other],
    };
    let zeros = spec.zero && !spec.left && digits.bytes().next().is_some_and(|byte| byte.is_ascii_hexdigit() && !digits.starts_with("inf"));
    let zeros = zeros && (spec.precision.is_none() || conversion.is_ascii_alphabetic() && b"aAfFeEgG".contains(&conversion));
    if zeros && !digits.starts_with("nan") {
        let fill = spec.width.saturating_sub(sign.len() + digits.len());
        return format!("{sign}{}{digits}", "0".repeat(fill)).into_bytes();
    }
    pad(spec, format!("{sign}{digits}").into_bytes())
}

fn sign(spec: &Spec, negative: bool) -> String {
    match () {
        () if negative => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    }
    .to_owned()
}

fn padded_digits(spec: &Spec, digits: String) -> String {
    match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len()))),
        None => digits,
    }
}

fn pad(spec: &Spec, mut bytes: Vec<u8>) -> Vec<u8> {
    let fill = spec.width.saturating_sub(bytes.len());
    if spec.left {
        bytes.extend(std::iter::repeat_n(b' ', fill));
        bytes
    } else {
        let mut all = vec![b' '; fill];
        all.append(&mut bytes);
        all
    }
}

/// A number that is not negative.
fn float(spec: &Spec, conversion: u8, value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return "inf".to_owned();
    }
    let precision = spec.precision.unwrap_or(6);
    match conversion {
        b'a' => hexadecimal(value, spec.precision, spec.alternate),
        b'f' => with_point(spec, format!("{value:.precision$}")),
        b'e' => with_point(spec, exponential(value, precision)),
        _ => {
            let precision = precision.max(1);
            let scientific = exponential(value, precision - 1);
            let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
            let text = if exponent < -4 || exponent >= precision as i32 {
                scientific
            } else {
                format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize)
            };
            if spec.alternate { with_point(spec, text) } else { without_zeros(&text) }
        }
    }
}

/// With a point even if no digits follow it, if that is asked for.
fn with_point(spec: &Spec, text: String) -> String {
    if !spec.alternate || text.contains('.') {
        return text;
    }
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    format!("{mantissa}.{exponent}")
}

/// `0x1.8p+1`: the digits that it takes, or as many as asked for, rounded to even.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const MANTISSA: u32 = 52;
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> MANTISSA) as i64, bits & ((1 << MANTISSA) - 1));
    let (lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let mut digits = (lead << MANTISSA) | fraction;
    let kept = precision.unwrap_or(13).min(13);
    let dropped = 4 * (13 - kept as u32);
    if dropped > 0 {
        let half = 1u64 << (dropped - 1);
        let rest = digits & ((1 << dropped) - 1);
        digits >>= dropped;
        digits += u64::from(rest > half || (rest == half && digits & 1 == 1));
        digits <<= dropped;
    }
    let (lead, fraction) = (digits >> MANTISSA, digits & ((1 << MANTISSA) - 1));
    let text = format!("{fraction:013x}");
    let text = match precision {
        None => text.trim_end_matches('0').to_owned(),
        Some(precision) => format!("{}{}", &text[..kept], "0".repeat(precision - kept)),
    };
    let dot = if text.is_empty() && !point { "" } else { "." };
    format!("0x{lead}{dot}{text}p{exponent:+}")
}

fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str, words: &[u64]) -> String {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        String::from_utf8(format(text.as_bytes(), &mut Args::new(&bytes), &mut |_| b"text".to_vec())).unwrap()
    }

    #[test]
    fn numbers_print_as_c_prints_them() {
        for (format, word, expected) in [
            ("%d", (-5i32) as u32 as u64, "-5"),
            ("%5u|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", (-42i32) as u32 as u64, "-0042"),
            ("%.3d", 7, "007"),
            ("%x %%", 255, "ff %"),
            ("%#llX", 255, "0XFF"),
            ("%lld", u64::MAX, "-1"),
            ("%f", 1.5f64.to_bits(), "1.500000"),
            ("%.1f", 0.25f64.to_bits(), "0.2"),
            ("%e", 12345.678f64.to_bits(), "1.234568e+04"),
            ("%g", 0.0001f64.to_bits(), "0.0001"),
            ("%g", 1e-5f64.to_bits(), "1e-05"),
            ("%g", 1e6f64.to_bits(), "1e+06"),
            ("%+08.2f", 3.25f64.to_bits(), "+0003.25"),
            ("%f", f64::NEG_INFINITY.to_bits(), "-inf"),
            ("%a", 1f64.to_bits(), "0x1p+0"),
            ("%+12.2a", 2.5f64.to_bits(), "  +0x1.40p+1"),
            ("%.0a", 1.5f64.to_bits(), "0x2p+0"),
            ("%a", 5e-324f64.to_bits(), "0x0.0000000000001p-1022"),
            ("%#.0f", 2f64.to_bits(), "2."),
            ("%#.0e", 2f64.to_bits(), "2.e+00"),
            ("%#g", 2f64.to_bits(), "2.00000"),
            ("%#.1g", 2f64.to_bits(), "2."),
            ("%#o %%", 8, "010 %"),
            ("%#.0o", 0, "0"),
            ("%s", 0, "text"),
            ("%c", 65, "A"),
        ] {
            assert_eq!(print(format, &[word]), expected, "{format}");
        }
    }

    #[test]
    fn arguments_are_aligned() {
        assert_eq!(print("%d %f", &[7, 2.5f64.to_bits()]), "7 2.500000");
    }
}
