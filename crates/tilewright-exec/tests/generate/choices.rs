//! The decisions that a program is made of. A program is shrunk by shrinking them: 0 is always the simplest choice.

/// A stream of decisions: recorded ones first, then random ones, or 0 if there is no seed.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    taken: Vec<u32>,
    at: usize,
    state: Option<u64>,
}

impl Choices {
    /// Those of a seed. The state grows by a large odd number from one decision to the next, so that small seeds share none.
    pub(crate) fn random(seed: u64) -> Choices {
        Choices { taken: Vec::new(), at: 0, state: Some(seed) }
    }

    /// These decisions, and 0 from then on.
    pub(crate) fn recorded(taken: Vec<u32>) -> Choices {
        Choices { taken, at: 0, state: None }
    }

    /// The decisions that were taken.
    pub(crate) fn into_taken(mut self) -> Vec<u32> {
        self.taken.truncate(self.at);
        self.taken
    }

    fn next(&mut self) -> u32 {
        if self.at == self.taken.len() {
            let value = self.state.as_mut().map_or(0, |state| {
                // SplitMix64.
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ z >> 31) as u32
            });
            self.taken.push(value);
        }
        self.at += 1;
        self.taken[self.at - 1]
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }

    /// Whether something that happens once in `n` times does.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn bits(&mut self) -> u64 {
        u64::from(self.next()) << 32 | u64::from(self.next())
    }
}
