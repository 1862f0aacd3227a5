//! Changing texts.

use crate::Random;

/// A text that differs from `text` in one to three bytes or tokens; `other` gives tokens to put in.
pub fn text(random: &mut Random, text: &str, other: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        match random.below(2) {
            0 => change_bytes(random, &mut text),
            _ => change_tokens(random, &mut text, other),
        }
    }
    text
}

fn change_bytes(random: &mut Random, text: &mut String) {
    const REPLACEMENTS: &[u8] = b"%#!@^\"<>(){}[],:=-?0x9.e \n/\\\xc3\xff\0";
    let mut bytes = std::mem::take(text).into_bytes();
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes.truncate(at),
        1 if !bytes.is_empty() => drop(bytes.remove(at)),
        2 => bytes.insert(at, REPLACEMENTS[random.below(REPLACEMENTS.len())]),
        _ if !bytes.is_empty() => bytes[at] = REPLACEMENTS[random.below(REPLACEMENTS.len())],
        _ => {}
    }
    *text = String::from_utf8_lossy(&bytes).into_owned();
}

fn change_tokens(random: &mut Random, text: &mut String, other: &str) {
    const TOKENS: [&str; 8] = ["18446744073709551616", "0x1FFFFFFFF", "-1", "%0:3", "tile<", "tile<3xf32>", "ä", "loc(unknown)"];
    let starts = token_starts(text);
    let pick = |random: &mut Random, starts: &[usize]| {
        let index = random.below(starts.len() - 1);
        starts[index]..starts[(index + 1 + random.below(3)).min(starts.len() - 1)]
    };
    if starts.len() < 2 {
        return;
    }
    let place = pick(random, &starts);
    let theirs = token_starts(other);
    let new = match random.below(4) {
        0 => "",
        1 => &text[pick(random, &starts)],
        2 if theirs.len() > 1 => &other[pick(random, &theirs)],
        _ => TOKENS[random.below(TOKENS.len())],
    };
    let new = new.to_owned();
    if random.below(2) == 0 { text.replace_range(place, &new) } else { text.insert_str(place.start, &new) }
}

/// Where words, numbers and single other characters begin, and the end.
fn token_starts(text: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    let mut before = ' ';
    let mut starts: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        if !(is_part(c) && is_part(before)) {
            starts.push(at);
        }
        before = c;
    }
    starts.push(text.len());
    starts
}
