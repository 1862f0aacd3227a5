//! Tokens.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// It is the first of its line.
    pub(super) leads: bool,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    pub(super) fn span(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Letters, digits, `_`, `$` and `.`: what a word goes on with.
const PART: u8 = 1;
const DIGIT: u8 = 1 << 1;
const SPACE: u8 = 1 << 2;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'.' => PART,
            b'0'..=b'9' => PART | DIGIT,
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
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

    fn class(&self, at: usize) -> u8 {
        CLASSES[usize::from(self.byte(at))]
    }

    /// Skips what belongs to these classes.
    #[inline]
    fn skip(&mut self, classes: u8) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().take_while(|&&byte| CLASSES[usize::from(byte)] & classes != 0).count();
    }

    /// Skips spaces and comments; tells whether a line ended, or none has begun.
    #[inline]
    fn skip_blank(&mut self) -> bool {
        let mut leads = self.at == 0;
        loop {
            let byte = self.byte(self.at);
            if CLASSES[usize::from(byte)] == SPACE {
                leads |= byte == b'\n';
                self.at += 1;
            } else if byte == b'/' && self.byte(self.at + 1) == b'/' {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                return leads;
            }
        }
    }

    /// The next token.
    #[inline]
    pub(super) fn next(&mut self) -> Token {
        let leads = self.skip_blank();
        let start = self.at;
        let kind = self.kind();
        Token { kind, leads, start: start as u32, end: self.at as u32 }
    }

    #[inline]
    fn kind(&mut self) -> Kind {
        let Some(&byte) = self.bytes.get(self.at) else { return Kind::End };
        self.at += 1;
        match KINDS[usize::from(byte)] {
            Kind::Word => {
                self.skip(PART);
                Kind::Word
            }
            kind @ (Kind::Value | Kind::Hash | Kind::Bang | Kind::Block) => self.name(kind),
            Kind::Int => self.number(byte),
            Kind::Symbol => self.symbol(),
            Kind::Text => self.string(),
            Kind::Minus if self.byte(self.at) == b'>' => self.single(Kind::Arrow),
            Kind::Invalid => {
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                Kind::Invalid
            }
            single => single,
        }
    }

    fn single(&mut self, kind: Kind) -> Kind {
        self.at += 1;
        kind
    }

    /// What follows `%`, `#`, `!` or `^`: digits, or a word that may hold dashes.
    #[inline]
    fn name(&mut self, kind: Kind) -> Kind {
        let first = self.at;
        if self.class(first) & DIGIT != 0 {
            self.skip(DIGIT);
            return kind;
        }
        loop {
            self.skip(PART);
            if self.byte(self.at) != b'-' || self.byte(self.at + 1) == b'>' {
                break;
            }
            self.at += 1;
        }
        if self.at == first { Kind::Invalid } else { kind }
    }

    fn symbol(&mut self) -> Kind {
        if self.byte(self.at) == b'"' {
            self.at += 1;
            return if self.string() == Kind::Text { Kind::Symbol } else { Kind::Invalid };
        }
        let first = self.at;
        self.skip(PART);
        if self.at == first { Kind::Invalid } else { Kind::Symbol }
    }

    /// A string after its first quote: it ends in its line.
    fn string(&mut self) -> Kind {
        loop {
            match self.byte(self.at) {
                b'"' => return self.single(Kind::Text),
                b'\\' if !matches!(self.byte(self.at + 1), b'\n' | 0) => self.at += 2,
                b'\n' => break,
                0 if self.at >= self.bytes.len() => break,
                _ => self.at += 1,
            }
        }
        Kind::Invalid
    }

    /// A number after its first digit.
    fn number(&mut self, first: u8) -> Kind {
        if first == b'0' && self.byte(self.at) == b'x' && self.byte(self.at + 1).is_ascii_hexdigit() {
            self.at += 1;
            while self.byte(self.at).is_ascii_hexdigit() {
                self.at += 1;
            }
            return Kind::Hex;
        }
        self.skip(DIGIT);
        let mut kind = Kind::Int;
        if self.byte(self.at) == b'.' {
            self.at += 1;
            self.skip(DIGIT);
            kind = Kind::Float;
        }
        if matches!(self.byte(self.at), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(self.at + 1), b'+' | b'-'));
            if self.class(self.at + 1 + sign) & DIGIT != 0 {
                self.at += 1 + sign;
                self.skip(DIGIT);
                kind = Kind::Float;
            }
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        let tokens = std::iter::from_fn(|| Some(lexer.next()).filter(|t| t.kind != Kind::End));
        tokens.map(|t| (t.kind, &text[t.span()])).collect()
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
}
