//! Tokens of litmus tests.

use super::LitmusError;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A word: a keyword, an operation, a location.
    Word(String),
    /// `%name`
    Value(String),
    Number(i64),
    /// `{ } ( ) , : = == != && || !`
    Sign(&'static str),
    EndOfLine,
}

const SIGNS: [&str; 12] = ["==", "!=", "&&", "||", "{", "}", "(", ")", ",", ":", "=", "!"];

/// The tokens of a text with the lines that they stand on, from 1. The name of a test, which may hold any characters, is one word.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, LitmusError> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix("litmus ") {
            tokens.extend([(at, Token::Word("litmus".to_owned())), (at, Token::Word(name.trim().to_owned()))]);
        } else {
            words(line, at, &mut tokens)?;
        }
        tokens.push((at, Token::EndOfLine));
    }
    Ok(tokens)
}

fn words(line: &str, at: usize, tokens: &mut Vec<(usize, Token)>) -> Result<(), LitmusError> {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push((at, Token::Sign(sign)));
            rest = &rest[sign.len()..];
        } else {
            let is_value = first == '%';
            let body = &rest[usize::from(is_value)..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']');
            let negative = usize::from(!is_value && body.starts_with('-'));
            let length = negative + body[negative..].find(|c: char| !is_part(c)).unwrap_or(body.len() - negative);
            let word = &body[..length];
            if word.len() == negative {
                return Err(LitmusError::new(at, format!("unexpected character {first:?}")));
            }
            tokens.push((
                at,
                match () {
                    () if is_value => Token::Value(word.to_owned()),
                    () if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                        Token::Number(word.parse().map_err(|_| LitmusError::new(at, format!("{word} is not a number")))?)
                    }
                    () => Token::Word(word.to_owned()),
                },
            ));
            rest = &body[length..];
        }
    }
    Ok(())
}
