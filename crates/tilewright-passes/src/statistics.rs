//! What passes changed, counted.

use std::fmt;

/// How often a pass changed what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    counts: Vec<(&'static str, u64)>,
}

impl Statistics {
    /// Counts changes of one kind.
    pub(crate) fn add(&mut self, what: &'static str, count: u64) {
        if count == 0 {
            return;
        }
        match self.counts.iter_mut().find(|(known, _)| *known == what) {
            Some((_, total)) => *total += count,
            None => self.counts.push((what, count)),
        }
    }

    /// The kinds of changes and their numbers, in the order in which they first happened.
    pub fn counts(&self) -> &[(&'static str, u64)] {
        &self.counts
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (what, count)) in self.counts.iter().enumerate() {
            write!(f, "{}{count} {what}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
