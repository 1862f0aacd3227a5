//! "Did you mean".

/// Longer words are no misspelling of anything.
const MAX_LEN: usize = 40;

/// The candidate that differs from `word` by fewest letters, if by few; the first of several.
pub(super) fn nearest(word: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    if word.len() > MAX_LEN {
        return None;
    }
    let limit = 1 + word.len() / 4;
    let scored = candidates.map(|candidate| (distance(word, candidate), candidate));
    scored.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped or replaced to make `b` out of `a`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found() {
        let words = ["addi", "addf", "subi"];
        assert_eq!(nearest("adi", words.into_iter()), Some("addi"));
        assert_eq!(nearest("multiply", words.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
