//! Making a failing input small.

use crate::Target;
use std::panic::{self, AssertUnwindSafe};

/// What a target panics with on an input; `None` if it does not.
///
/// The message of the panic goes the usual way too: silence the hook where many are expected.
pub fn failure(target: Target, input: &[u8]) -> Option<String> {
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let payload = outcome.err()?;
    let text = payload.downcast_ref::<String>().cloned();
    Some(text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
}

/// A small input that still fails: parts are left out, then bytes set to zero, until neither helps.
pub fn shrink(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    loop {
        let before = best.clone();
        drop_parts(&mut best, &fails);
        clear_bytes(&mut best, &fails);
        if best == before {
            return best;
        }
    }
}

fn drop_parts(best: &mut Vec<u8>, fails: &impl Fn(&[u8]) -> bool) {
    let mut len = best.len().div_ceil(2);
    while len > 0 {
        // From the end: the last choices matter least.
        let mut end = best.len();
        while end > 0 {
            let start = end.saturating_sub(len);
            let mut shorter = best.clone();
            shorter.drain(start..end);
            if fails(&shorter) {
                *best = shorter;
            }
            end = start.min(best.len());
        }
        len /= 2;
    }
}

fn clear_bytes(best: &mut [u8], fails: &impl Fn(&[u8]) -> bool) {
    for i in 0..best.len() {
        let byte = std::mem::take(&mut best[i]);
        if byte != 0 && !fails(best) {
            best[i] = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left() {
        let input: Vec<u8> = (0..100).collect();
        assert_eq!(shrink(&input, |bytes| bytes.contains(&40) && bytes.contains(&60)), [40, 60]);
        assert_eq!(shrink(&input, |bytes| bytes.len() >= 5), [0; 5]);
        assert_eq!(shrink(&input, |_| true), []);
    }

    #[test]
    fn failures_say_why() {
        fn fussy(bytes: &[u8]) {
            assert!(bytes.len() < 2, "{} bytes", bytes.len());
        }
        let target = Target { name: "fussy", run: fussy };
        assert_eq!(failure(target, &[1]), None);
        assert_eq!(failure(target, &[1, 2]).as_deref(), Some("2 bytes"));
    }
}
