//! "Did you mean".

/// Longer words are no misspelling of anything.
const MAX_LEN: usize = 40;

/// The candidate that is nearest to `word`, which may be misspelt; the first of several. `None` if all are too far away.
///
/// The distance is the number of letters that must be added, dropped, replaced or exchanged with their neighbour; up to one of
/// them, and another for every four letters, is taken for a slip. Capital letters make no difference.
///
/// ```
/// let rules = ["operand-type", "operand-count"];
/// assert_eq!(tilewright_ir::nearest("opperand-tpye", rules), Some("operand-type"));
/// assert_eq!(tilewright_ir::nearest("dominance", rules), None);
/// ```
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() > MAX_LEN {
        return None;
    }
    let limit = 1 + word.len() / 4;
    let scored = candidates.into_iter().filter(|candidate| candidate.len() <= 2 * MAX_LEN);
    let scored = scored.map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), candidate));
    // A word of one letter is not near to all other words of one letter.
    let near = scored.filter(|&(distance, candidate)| distance <= limit && distance < word.len().max(candidate.len()));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped, replaced or exchanged with their neighbour to make `b` out of `a`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let same = |i: usize, j: usize| a[i].eq_ignore_ascii_case(&b[j]);
    let mut before = vec![0; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            next[j + 1] = (row[j] + usize::from(!same(i, j))).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j) {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found() {
        let words = ["addi", "addf", "subi"];
        assert_eq!(nearest("adi", words), Some("addi"));
        assert_eq!(nearest("ADDF", words), Some("addf"));
        assert_eq!(nearest("adfd", words), Some("addf"));
        assert_eq!(nearest("multiply", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest(&"x".repeat(41), words), None);
    }

    #[test]
    fn distances_count_slips() {
        let cases = [("kitten", "sitting", 3), ("ab", "ba", 1), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0), ("fro", "for", 1)];
        for (a, b, expected) in cases {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
