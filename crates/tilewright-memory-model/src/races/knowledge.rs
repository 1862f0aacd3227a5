//! What an operation knows: the operations that happen before it.
//!
//! The tokens of a block are laid out in *chains*, each of which is totally ordered; a [`Local`] says for some chains how far they are
//! known. What is known of other blocks is a [`Foreign`]: a map from blocks to what is known of each, a Patricia tree whose parts are
//! shared. Two maps that have grown out of one are merged in time for what differs.

use smallvec::SmallVec;
use std::sync::Arc;

/// A position in a chain of a block.
pub(super) type Position = (u32, u32);

/// For some chains of one block, by number: the last position that is known, and with it all before.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Local(SmallVec<[Position; 2]>);

impl Local {
    /// The chains and positions.
    pub(super) fn positions(&self) -> &[Position] {
        &self.0
    }

    /// Whether a position is known.
    pub(super) fn has(&self, (chain, index): Position) -> bool {
        let found = self.0.binary_search_by_key(&chain, |(chain, _)| *chain);
        found.is_ok_and(|at| self.0[at].1 >= index)
    }

    /// Adds a position.
    pub(super) fn add(&mut self, (chain, index): Position) {
        match self.0.binary_search_by_key(&chain, |(chain, _)| *chain) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(index),
            Err(at) => self.0.insert(at, (chain, index)),
        }
    }

    /// Adds positions.
    pub(super) fn add_all(&mut self, positions: impl IntoIterator<Item = Position>) {
        positions.into_iter().for_each(|position| self.add(position));
    }

    /// Adds all that is known to another.
    pub(super) fn merge(&mut self, other: &Local) {
        self.add_all(other.0.iter().copied());
    }
}

/// What is known of the blocks of a launch, by block.
#[derive(Clone, Default, Debug)]
pub(super) struct Foreign(Option<Arc<Node>>);

#[derive(Debug)]
enum Node {
    Leaf {
        block: u32,
        local: Local,
    },
    /// Blocks whose numbers agree above a bit: those with 0 there, and those with 1.
    Branch {
        prefix: u32,
        bit: u32,
        zero: Arc<Node>,
        one: Arc<Node>,
    },
}

impl Node {
    fn key(&self) -> u32 {
        match self {
            Node::Leaf { block, .. } => *block,
            Node::Branch { prefix, .. } => *prefix,
        }
    }

    /// The bit that a branch decides; a leaf decides none.
    fn bit(&self) -> u32 {
        match self {
            Node::Leaf { .. } => 0,
            Node::Branch { bit, .. } => *bit,
        }
    }
}

/// The part of a key above a bit.
fn above(key: u32, bit: u32) -> u32 {
    if bit == 0 { key } else { key & !(bit | (bit - 1)) }
}

impl Foreign {
    /// What is known of a block.
    pub(super) fn of(&self, block: u32) -> Option<&Local> {
        let mut node = self.0.as_deref()?;
        loop {
            match node {
                Node::Leaf { block: here, local } => return (*here == block).then_some(local),
                Node::Branch { bit, zero, one, .. } => node = if block & bit == 0 { zero } else { one },
            }
        }
    }

    /// Adds what is known of one block.
    pub(super) fn add(&mut self, block: u32, local: &Local) {
        if !local.positions().is_empty() {
            self.merge(&Foreign(Some(Arc::new(Node::Leaf { block, local: local.clone() }))));
        }
    }

    /// Adds all that is known to another.
    pub(super) fn merge(&mut self, other: &Foreign) {
        self.0 = match (self.0.take(), &other.0) {
            (None, other) => other.clone(),
            (Some(own), None) => Some(own),
            (Some(own), Some(other)) => Some(merge(&own, other)),
        };
    }

    #[cfg(test)]
    fn is_shared_with(&self, other: &Foreign) -> bool {
        self.0.as_ref().zip(other.0.as_ref()).is_some_and(|(a, b)| Arc::ptr_eq(a, b))
    }
}

fn merge(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(a, b) {
        return Arc::clone(a);
    }
    let bit = a.bit().max(b.bit());
    if above(a.key(), bit) != above(b.key(), bit) || (bit == 0 && a.key() != b.key()) {
        return join(a, b);
    }
    match (&**a, &**b) {
        (Node::Leaf { block, local }, Node::Leaf { local: other, .. }) => {
            let mut both = local.clone();
            both.merge(other);
            match () {
                () if both == *local => Arc::clone(a),
                () if both == *other => Arc::clone(b),
                () => Arc::new(Node::Leaf { block: *block, local: both }),
            }
        }
        (Node::Branch { bit: high, prefix, zero, one }, Node::Branch { bit: other, zero: zero_b, one: one_b, .. }) if high == other => {
            let (low, top) = (merge(zero, zero_b), merge(one, one_b));
            match () {
                () if Arc::ptr_eq(&low, zero) && Arc::ptr_eq(&top, one) => Arc::clone(a),
                () if Arc::ptr_eq(&low, zero_b) && Arc::ptr_eq(&top, one_b) => Arc::clone(b),
                () => Arc::new(Node::Branch { bit: *high, prefix: *prefix, zero: low, one: top }),
            }
        }
        (Node::Branch { bit: high, .. }, _) if *high == bit => into_branch(a, b),
        _ => into_branch(b, a),
    }
}

/// Merges a part into the half of a branch that it belongs to.
fn into_branch(branch: &Arc<Node>, part: &Arc<Node>) -> Arc<Node> {
    let Node::Branch { bit, prefix, zero, one } = &**branch else { return join(branch, part) };
    let (low, top) = if part.key() & bit == 0 { (merge(zero, part), Arc::clone(one)) } else { (Arc::clone(zero), merge(one, part)) };
    if Arc::ptr_eq(&low, zero) && Arc::ptr_eq(&top, one) {
        return Arc::clone(branch);
    }
    Arc::new(Node::Branch { bit: *bit, prefix: *prefix, zero: low, one: top })
}

/// The branch above two parts that have no block in common.
fn join(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    let bit = 1 << (31 - (a.key() ^ b.key()).leading_zeros());
    let (zero, one) = if a.key() & bit == 0 { (a, b) } else { (b, a) };
    Arc::new(Node::Branch { bit, prefix: above(a.key(), bit), zero: Arc::clone(zero), one: Arc::clone(one) })
}

/// What an operation knows.
#[derive(Clone, Default, Debug)]
pub(super) struct Knowledge {
    /// Of its own block, by tokens.
    pub(super) own: Local,
    /// Of all blocks, by synchronisation; of its own, too, where that went round over others.
    pub(super) foreign: Foreign,
}

impl Knowledge {
    /// Adds all that is known to another.
    pub(super) fn merge(&mut self, other: &Knowledge) {
        self.own.merge(&other.own);
        self.foreign.merge(&other.foreign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as u32
    }

    #[test]
    fn merging_maps_is_merging_their_positions() {
        let mut seed = 1;
        let mut maps = vec![(Foreign::default(), BTreeMap::<u32, Local>::new())];
        for round in 0..3000 {
            let at = random(&mut seed) as usize % maps.len();
            let (mut map, mut expected) = maps[at].clone();
            if random(&mut seed).is_multiple_of(2) {
                let block = random(&mut seed) >> (random(&mut seed) % 31);
                let mut local = Local::default();
                local.add((random(&mut seed) % 3, random(&mut seed) % 50));
                map.add(block, &local);
                expected.entry(block).or_default().merge(&local);
            } else {
                let (other, more) = maps[random(&mut seed) as usize % maps.len()].clone();
                map.merge(&other);
                more.iter().for_each(|(block, local)| expected.entry(*block).or_default().merge(local));
                let mut again = map.clone();
                again.merge(&other);
                assert!(map.0.is_none() || again.is_shared_with(&map), "what adds nothing changes nothing");
            }
            for (block, local) in &expected {
                assert_eq!(map.of(*block), Some(local), "round {round}");
            }
            let other = random(&mut seed) % 64;
            assert_eq!(map.of(other), expected.get(&other));
            if maps.len() < 40 { maps.push((map, expected)) } else { maps[at] = (map, expected) }
        }
    }
}
