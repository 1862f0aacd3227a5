//! Binary relations on the events of an execution.

/// The most events that a relation is about.
pub const MAX_EVENTS: usize = 64;

/// A relation on events `0..n`, `n` at most [`MAX_EVENTS`]: for each event, the set of those that it is related to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation(Vec<u64>);

impl Relation {
    /// The empty relation on `n` events.
    pub fn empty(n: usize) -> Relation {
        debug_assert!(n <= MAX_EVENTS);
        Relation(vec![0; n])
    }

    /// The pairs of `n` events for which `holds` is true.
    pub fn of(n: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut relation = Relation::empty(n);
        for a in 0..n {
            for b in 0..n {
                if holds(a, b) {
                    relation.insert(a, b);
                }
            }
        }
        relation
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.0.len()
    }

    /// Relates `a` to `b`.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.0[a] |= 1 << b;
    }

    /// Whether `a` is related to `b`.
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    /// The pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.events()).flat_map(move |a| (0..self.events()).filter(move |b| self.has(a, *b)).map(move |b| (a, b)))
    }

    fn zip(&self, other: &Relation, combine: impl Fn(u64, u64) -> u64) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| combine(*a, *b)).collect())
    }

    /// The pairs of either relation.
    #[must_use]
    pub fn or(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }

    /// The pairs of both relations.
    #[must_use]
    pub fn and(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & b)
    }

    /// The pairs `(a, c)` with `(a, b)` in this relation and `(b, c)` in the other: `self ; next`.
    #[must_use]
    pub fn then(&self, next: &Relation) -> Relation {
        let row = |row: &u64| (0..self.events()).filter(|b| row >> b & 1 == 1).fold(0, |all, b| all | next.0[b]);
        Relation(self.0.iter().map(row).collect())
    }

    /// The pairs, turned around.
    #[must_use]
    pub fn inverse(&self) -> Relation {
        let mut inverse = Relation::empty(self.events());
        self.pairs().for_each(|(a, b)| inverse.insert(b, a));
        inverse
    }

    /// This relation and the identity.
    #[must_use]
    pub fn or_same(&self) -> Relation {
        Relation(self.0.iter().enumerate().map(|(event, row)| row | 1 << event).collect())
    }

    /// The transitive closure.
    #[must_use]
    pub fn closure(&self) -> Relation {
        let mut closure = self.clone();
        for middle in 0..self.events() {
            let onwards = closure.0[middle];
            closure.0.iter_mut().filter(|row| **row >> middle & 1 == 1).for_each(|row| *row |= onwards);
        }
        closure
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(event, row)| row >> event & 1 == 0)
    }

    /// Whether following pairs never leads back.
    pub fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_follows_chains_and_finds_cycles() {
        let mut chain = Relation::empty(4);
        [(0, 1), (1, 2), (2, 3)].iter().for_each(|(a, b)| chain.insert(*a, *b));
        assert!(chain.is_acyclic());
        assert!(chain.closure().has(0, 3) && !chain.closure().has(3, 0));
        chain.insert(3, 1);
        assert!(!chain.is_acyclic());
        assert!(chain.is_irreflexive());
    }

    #[test]
    fn composition_and_inverse_are_those_of_pairs() {
        let a = Relation::of(5, |a, b| b == a + 1);
        let b = Relation::of(5, |a, b| b == a + 2);
        assert_eq!(a.then(&b), Relation::of(5, |a, b| b == a + 3));
        assert_eq!(a.inverse(), Relation::of(5, |a, b| a == b + 1));
    }
}
