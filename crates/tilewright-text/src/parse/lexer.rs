//! Tokens.

use std::fmt;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The end of the text.
    End,
    /// A character that starts no token, or a string without an end.
    Invalid,
    /// `addi`, `cuda_tile.addi`
    Word,
    /// `%0`
    Value,
    /// `#loc3`, `#cuda_tile.di_file`, the `#1` of `%0#1`
    Hash,
    /// `!cuda_tile.tile`
    Bang,
    /// `@name`, `@"any name"`
    Symbol,
    /// `^bb0`
    Block,
    /// `42`
    Int,
    /// `0x2A`
    Hex,
    /// `4.2e1`
    Float,
    /// `"..."`, with its quotes
    Text,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `[`
    LeftSquare,
    /// `]`
    RightSquare,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `=`
    Equal,
    /// `->`
    Arrow,
    /// `?`
    Question,
    /// `-`
    Minus,
}

impl Kind {
    /// All kinds, by number. The list is as long as a power of two, so that no number is too large for it.
    const ALL: [Kind; 32] = {
        use Kind as K;
        let known = [
            K::End,
            K::Invalid,
            K::Word,
            K::Value,
            K::Hash,
            K::Bang,
            K::Symbol,
            K::Block,
            K::Int,
            K::Hex,
            K::Float,
            K::Text,
            K::LeftParen,
            K::RightParen,
            K::LeftBrace,
            K::RightBrace,
            K::LeftSquare,
            K::RightSquare,
            K::Less,
            K::Greater,
            K::Comma,
            K::Colon,
            K::Equal,
            K::Arrow,
            K::Question,
            K::Minus,
        ];
        let mut all = [Kind::Invalid; 32];
        let mut number = 0;
        while number < known.len() {
            all[known[number] as usize] = known[number];
            number += 1;
        }
        all
    };

    /// How a message names what it expects.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::End => "the end of the text",
            Kind::Invalid => "a token",
            Kind::Word => "a word",
            Kind::Value => "a value such as %0",
            Kind::Hash => "an attribute such as #loc",
            Kind::Bang => "a type such as !cuda_tile.token",
            Kind::Symbol => "a symbol such as @name",
            Kind::Block => "a block such as ^bb0",
            Kind::Int | Kind::Hex => "an integer",
            Kind::Float => "a float",
            Kind::Text => "a string",
            Kind::LeftParen => "'('",
            Kind::RightParen => "')'",
            Kind::LeftBrace => "'{'",
            Kind::RightBrace => "'}'",
            Kind::LeftSquare => "'['",
            Kind::RightSquare => "']'",
            Kind::Less => "'<'",
            Kind::Greater => "'>'",
            Kind::Comma => "','",
            Kind::Colon => "':'",
            Kind::Equal => "'='",
            Kind::Arrow => "'->'",
            Kind::Question => "'?'",
            Kind::Minus => "'-'",
        }
    }
}

/// A token: what it is, and the bytes it takes.
///
/// It is two numbers, which are moved in registers: with a field for each part, it would be written to memory in parts and read as a
/// whole, and wait for the memory each time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// From the lowest bit: 32 bits for where it starts, 32 for where it ends.
    place: u64,
    /// From the lowest bit: 32 for the number that the name of a value is, or [`NO_NUMBER`]; 8 for its kind; 1 if it is the first of
    /// its line.
    what: u64,
}

/// Stands for a name that is no number.
const NO_NUMBER: u32 = u32::MAX;

impl Token {
    /// The end of an empty text.
    pub(super) const END: Token = Token::new(Kind::End, true, 0, 0, NO_NUMBER);

    #[inline]
    const fn new(kind: Kind, leads: bool, start: usize, end: usize, number: u32) -> Token {
        Token { place: start as u64 | (end as u64) << 32, what: number as u64 | (kind as u64) << 32 | (leads as u64) << 40 }
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        Kind::ALL[(self.what >> 32) as usize % Kind::ALL.len()]
    }

    #[inline]
    pub(super) fn is(self, kind: Kind) -> bool {
        (self.what >> 32) as u8 == kind as u8
    }

    /// Whether it is the first of its line.
    #[inline]
    pub(super) fn leads(self) -> bool {
        self.what >> 40 != 0
    }

    /// The token, which is the first of its line if `leads` or if it was.
    #[inline]
    pub(super) fn leading(self, leads: bool) -> Token {
        Token { place: self.place, what: self.what | u64::from(leads) << 40 }
    }

    #[inline]
    pub(super) fn start(self) -> usize {
        self.place as u32 as usize
    }

    #[inline]
    pub(super) fn end(self) -> usize {
        (self.place >> 32) as usize
    }

    #[inline]
    pub(super) fn span(self) -> std::ops::Range<usize> {
        self.start()..self.end()
    }

    /// The number that the name of a value is: 42 for `%42`, which is its shortest form. Larger numbers are names like others.
    #[inline]
    pub(super) fn number(self) -> Option<usize> {
        let number = self.what as u32;
        (number != NO_NUMBER).then_some(number as usize)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.kind(), self.span())
    }
}

/// Letters, digits, `_`, `$` and `.`: what a word goes on with.
const PART: u8 = 1;
const DIGIT: u8 = 1 << 1;
/// White space, and the slash that comments begin with.
const BLANK: u8 = 1 << 2;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'.' => PART,
            b'0'..=b'9' => PART | DIGIT,
            b' ' | b'\t' | b'\r' | b'\n' | b'/' => BLANK,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// What a token is that starts with this byte, as far as one byte tells.
static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Invalid; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Kind::Word,
            b'0'..=b'9' => Kind::Int,
            b'%' => Kind::Value,
            b'#' => Kind::Hash,
            b'!' => Kind::Bang,
            b'^' => Kind::Block,
            b'@' => Kind::Symbol,
            b'"' => Kind::Text,
            b'(' => Kind::LeftParen,
            b')' => Kind::RightParen,
            b'{' => Kind::LeftBrace,
            b'}' => Kind::RightBrace,
            b'[' => Kind::LeftSquare,
            b']' => Kind::RightSquare,
            b'<' => Kind::Less,
            b'>' => Kind::Greater,
            b',' => Kind::Comma,
            b':' => Kind::Colon,
            b'=' => Kind::Equal,
            b'?' => Kind::Question,
            b'-' => Kind::Minus,
            _ => Kind::Invalid,
        };
        byte += 1;
    }
    kinds
};

/// Cuts a text into tokens, one at a time; it can be set back to any place.
///
/// What finds the end of a token is given the place where to look, and gives the end: so the place stays in a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'s> {
    bytes: &'s [u8],
    text: &'s str,
    pub(super) at: usize,
}

impl<'s> Lexer<'s> {
    /// The text is shorter than 4 GiB: the parser refuses longer ones.
    pub(super) fn new(text: &'s str) -> Lexer<'s> {
        Lexer { bytes: text.as_bytes(), text, at: 0 }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn class(&self, at: usize) -> u8 {
        CLASSES[usize::from(self.byte(at))]
    }

    /// Where what belongs to this class ends.
    #[inline]
    fn skip(&self, class: u8, mut at: usize) -> usize {
        while self.class(at) & class != 0 {
            at += 1;
        }
        at
    }

    /// Skips spaces and comments; tells whether a line ended, or none has begun.
    #[inline(always)]
    fn skip_blank(&self, at: usize) -> (bool, usize) {
        // Most tokens follow the one before, or a single space.
        let next = at + usize::from(self.byte(at) == b' ');
        if self.class(next) & BLANK == 0 { (at == 0, next) } else { self.skip_long_blank(at) }
    }

    fn skip_long_blank(&self, mut at: usize) -> (bool, usize) {
        let mut leads = at == 0;
        loop {
            let byte = self.byte(at);
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                leads |= byte == b'\n';
                at += 1;
            } else if byte == b'/' && self.byte(at + 1) == b'/' {
                let rest = &self.bytes[at..];
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                return (leads, at);
            }
        }
    }

    /// The next token. It is put together where it is used: one that was written to memory as a whole and read in parts, or the
    /// other way round, would have to wait for the memory.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Token {
        let token = self.token_behind(self.at);
        self.at = token.end();
        token
    }

    /// The first token that begins here or behind.
    #[inline(always)]
    pub(super) fn token_behind(&self, at: usize) -> Token {
        let (leads, start) = self.skip_blank(at);
        if self.byte(start) == b'%' && self.class(start + 1) & DIGIT != 0 {
            let (number, end) = self.numbered(start + 1);
            return Token::new(Kind::Value, leads, start, end, number);
        }
        let (kind, end) = self.token(start);
        Token::new(kind, leads, start, end, NO_NUMBER)
    }

    /// The name of a value whose `%` is here; anything else if there is none.
    #[inline]
    pub(super) fn value_at(&self, start: usize) -> Token {
        if let Some(b'0'..=b'9') = self.bytes.get(start + 1) {
            let (number, end) = self.numbered(start + 1);
            return Token::new(Kind::Value, false, start, end, number);
        }
        let (kind, end) = self.name(Kind::Value, start + 1);
        Token::new(kind, false, start, end, NO_NUMBER)
    }

    /// What the token is that starts here, and its end.
    fn token(&self, start: usize) -> (Kind, usize) {
        let Some(&byte) = self.bytes.get(start) else { return (Kind::End, start) };
        let next = start + 1;
        match KINDS[usize::from(byte)] {
            Kind::Word => (Kind::Word, self.skip(PART, next)),
            kind @ (Kind::Value | Kind::Hash | Kind::Bang | Kind::Block) => self.name(kind, next),
            Kind::Int => self.number(byte, next),
            Kind::Symbol => self.symbol(next),
            Kind::Text => self.string(next),
            Kind::Minus if self.byte(next) == b'>' => (Kind::Arrow, next + 1),
            Kind::Invalid => (Kind::Invalid, (next..).find(|&at| self.text.is_char_boundary(at)).unwrap_or(next)),
            single => (single, next),
        }
    }

    /// The digits of a name: their number, if this is its shortest form, and their end.
    #[inline]
    fn numbered(&self, first: usize) -> (u32, usize) {
        let word = self.bytes.get(first..).and_then(|bytes| bytes.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes));
        match word.and_then(leading_number) {
            Some((number, len)) if len == 1 || self.byte(first) != b'0' => (number, first + len),
            _ => self.long_number(first),
        }
    }

    fn long_number(&self, first: usize) -> (u32, usize) {
        const MAX_DIGITS: usize = 9;
        let (mut number, mut at) = (0u32, first);
        loop {
            let digit = self.byte(at).wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            at += 1;
        }
        let is_shortest = at == first + 1 || self.byte(first) != b'0';
        (if is_shortest && at - first <= MAX_DIGITS { number } else { NO_NUMBER }, at)
    }

    /// What follows `%`, `#`, `!` or `^`: digits, or a word that may hold dashes.
    #[inline]
    fn name(&self, kind: Kind, first: usize) -> (Kind, usize) {
        if self.class(first) & DIGIT != 0 {
            return (kind, self.skip(DIGIT, first));
        }
        let mut at = first;
        loop {
            at = self.skip(PART, at);
            if self.byte(at) != b'-' || self.byte(at + 1) == b'>' {
                break;
            }
            at += 1;
        }
        (if at == first { Kind::Invalid } else { kind }, at)
    }

    fn symbol(&self, first: usize) -> (Kind, usize) {
        if self.byte(first) == b'"' {
            let (kind, end) = self.string(first + 1);
            return (if kind == Kind::Text { Kind::Symbol } else { Kind::Invalid }, end);
        }
        let end = self.skip(PART, first);
        (if end == first { Kind::Invalid } else { Kind::Symbol }, end)
    }

    /// A string after its first quote: it ends in its line.
    fn string(&self, mut at: usize) -> (Kind, usize) {
        loop {
            match self.byte(at) {
                b'"' => return (Kind::Text, at + 1),
                b'\\' if !matches!(self.byte(at + 1), b'\n' | 0) => at += 2,
                b'\n' => return (Kind::Invalid, at),
                0 if at >= self.bytes.len() => return (Kind::Invalid, at),
                _ => at += 1,
            }
        }
    }

    /// A number after its first digit.
    fn number(&self, first: u8, mut at: usize) -> (Kind, usize) {
        if first == b'0' && self.byte(at) == b'x' && self.byte(at + 1).is_ascii_hexdigit() {
            at += 1;
            while self.byte(at).is_ascii_hexdigit() {
                at += 1;
            }
            return (Kind::Hex, at);
        }
        at = self.skip(DIGIT, at);
        let mut kind = Kind::Int;
        if self.byte(at) == b'.' {
            at = self.skip(DIGIT, at + 1);
            kind = Kind::Float;
        }
        if matches!(self.byte(at), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
            if self.class(at + 1 + sign) & DIGIT != 0 {
                at = self.skip(DIGIT, at + 1 + sign);
                kind = Kind::Float;
            }
        }
        (kind, at)
    }
}

/// The number that the bytes of a word begin with, first byte lowest, and its digits: at least one, and fewer than eight.
#[inline]
fn leading_number(word: u64) -> Option<(u32, usize)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = word ^ (EACH * 0x30);
    // The highest bit of each byte that is no digit; a carry reaches only what is behind the first of them.
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    let len = others.trailing_zeros() as usize / 8;
    if len == 0 || len == 8 {
        return None;
    }
    // Zeros go in front, then neighbours are joined: to numbers of two digits, of four, and of eight.
    let ones = digits << (64 - 8 * len);
    let tens = ones.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let thousands = tens.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(((thousands.wrapping_mul(10_000 << 32 | 1) >> 32) as u32, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        let tokens = std::iter::from_fn(|| Some(lexer.next()).filter(|t| !t.is(Kind::End)));
        tokens.map(|t| (t.kind(), &text[t.span()])).collect()
    }

    #[test]
    fn words_and_names() {
        assert_eq!(kinds("cuda_tile.addi %cst_-1_i8#1"), [(Kind::Word, "cuda_tile.addi"), (Kind::Value, "%cst_-1_i8"), (Kind::Hash, "#1")]);
        assert_eq!(kinds("@\"a b\"@c"), [(Kind::Symbol, "@\"a b\""), (Kind::Symbol, "@c")]);
        assert_eq!(kinds("%a->"), [(Kind::Value, "%a"), (Kind::Arrow, "->")]);
    }

    #[test]
    fn numbers() {
        let floats = kinds("1 0xFf 1. 1.5E-4 2e3");
        assert_eq!(floats.iter().map(|t| t.0).collect::<Vec<_>>(), [Kind::Int, Kind::Hex, Kind::Float, Kind::Float, Kind::Float]);
        assert_eq!(kinds("4x8xf32"), [(Kind::Int, "4"), (Kind::Word, "x8xf32")]);
    }

    #[test]
    fn what_is_no_token_ends_between_characters() {
        assert_eq!(kinds("ä\"open"), [(Kind::Invalid, "ä"), (Kind::Invalid, "\"open")]);
        assert_eq!(kinds("// all\n  \"\\\"\""), [(Kind::Text, "\"\\\"\"")]);
        assert_eq!(kinds("\"\\ä"), [(Kind::Invalid, "\"\\ä")]);
    }

    #[test]
    fn names_are_numbers_in_their_shortest_form_only() {
        let cases =
            [("%0", Some(0)), ("%42", Some(42)), ("%00", None), ("%999999999", Some(999_999_999)), ("%9999999999", None), ("%a4", None)];
        for (name, expected) in cases {
            assert_eq!(Lexer::new(name).next().number(), expected, "{name}");
        }
        assert_eq!(Lexer::new("42").next().number(), None);
    }

    #[test]
    fn numbers_are_read_with_any_number_of_digits() {
        for digits in 1..=9 {
            for number in [0, 1, 12_345_678, 98_765_432, 900_000_000, 999_999_999u32].map(|number| number % 10u32.pow(digits)) {
                for behind in ["", ",", " ", ":", "/", "a", "\u{ff}", ", %12345678"] {
                    let text = format!("%{number}{behind}");
                    assert_eq!(Lexer::new(&text).next().number(), Some(number as usize), "{text}");
                    assert_eq!(Lexer::new(&text).next().end(), 1 + number.to_string().len(), "{text}");
                }
            }
        }
    }
}
