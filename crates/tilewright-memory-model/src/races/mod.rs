//! Data races of a run: between blocks, within a block, within one operation.
//!
//! [`Races`] is told every access of a launch in the order in which they happened, and says which of them are in a data race in the sense of
//! `docs/memory-model.md`: neither related by happens-before nor morally strong. What reads from what is known by that order. Happens-before
//! is kept as vector clocks, in the manner of FastTrack: each operation knows positions in chains of tokens, of its own block and, by
//! synchronisation, of others (`knowledge.rs`); memory remembers the accesses that later ones may race with (`shadow.rs`).
//!
//! Two accesses are found to race whichever of them came first, so the findings do not depend on the order of the blocks, as far as that
//! does not decide what is read. A caller may give each access a detail, which it finds again in both sides of a race.
//!
//! Bounds: of the strong accesses that one operation of the program makes at one location in one block, in token order, the latest
//! `MAX_STRONG` are kept.

mod knowledge;
mod shadow;
mod step;

use crate::access::Strength;
use knowledge::{Foreign, Knowledge, Local, Position};
use shadow::{Bytes, EventId, Shadow, Shape, State};
use smallvec::SmallVec;
use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};
use step::Step;

/// How many accesses of one strong operation are kept for each location and block.
const MAX_STRONG: usize = 16;

/// A token of a program, while it runs. The default is one that has waited for nothing, as `make_token` gives.
#[derive(Clone, Default)]
pub struct Token(Option<Arc<Node>>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Token(none)"),
            Some(node) => write!(f, "Token(block {}, event {:?})", node.block, node.event),
        }
    }
}

/// Where a token came from.
struct Node {
    block: u32,
    /// The operation that it is the result of; none if tokens were joined.
    event: Option<EventId>,
    /// What was known to the operation, and what it acquired; of joined tokens, all that is known behind them.
    known: Knowledge,
    /// What is known behind the operation: filled in when something waits for the token.
    behind: OnceLock<Knowledge>,
}

/// What an access does to its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// It reads them. So does a compare-and-swap that finds another value.
    Read,
    /// It writes them.
    Write,
    /// It reads and writes them as one.
    Update,
}

impl Kind {
    fn reads(self) -> bool {
        self != Kind::Write
    }

    fn writes(self) -> bool {
        self != Kind::Read
    }
}

/// Elements that lie side by side in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The address of the first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What the access does to them.
    pub kind: Kind,
}

impl Run {
    /// The run in parts of so many bytes; 0 gives it as a whole.
    fn parts(self, bytes: u32) -> impl Iterator<Item = Run> {
        let step = if bytes == 0 { self.bytes.max(1) } else { u64::from(bytes) };
        let part = move |at: u64| Run { address: self.address.saturating_add(at), bytes: step.min(self.bytes - at), kind: self.kind };
        (0..self.bytes.div_ceil(step)).map(move |index| part(index * step))
    }
}

/// An operation of a block that accesses memory.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a, D = ()> {
    /// The block, by any number that is its own.
    pub block: u32,
    /// Which operation of the program this is an instance of.
    pub site: u32,
    /// How it orders others, and for whom.
    pub strength: Strength,
    /// Bytes of one element.
    pub element: u32,
    /// What it accesses. Elements that are masked off or outside of a view are no accesses.
    pub runs: &'a [Run],
    /// The token that it waits for.
    pub token: &'a Token,
    /// Whether anything can wait for its token. `true` is always right; `false` saves memory.
    pub result_used: bool,
    /// What a race is to say of the access: kept as long as memory remembers it.
    pub detail: &'a D,
}

/// One of two accesses in a race.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Side<D = ()> {
    /// The block.
    pub block: u32,
    /// See [`Access::site`].
    pub site: u32,
    /// What it does.
    pub kind: Kind,
    /// How it orders others.
    pub strength: Strength,
    /// See [`Access::detail`]: that of an access to the race's first byte.
    pub detail: D,
}

/// Why two accesses race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// One is weak, and nothing orders them.
    Unordered,
    /// Both are strong, but the scope of one does not include the block of the other.
    Scope,
    /// Both are strong, but their elements cover different bytes.
    Overlap,
    /// Two elements of one weak operation are in one place.
    SameOperation,
}

/// Two operations of a program whose accesses race, with the first blocks in which they do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race<D = ()> {
    /// The operation with the lower number, or of the lower block.
    pub first: Side<D>,
    /// The other one.
    pub second: Side<D>,
    /// The first byte that both access, in these blocks.
    pub address: u64,
    /// How many bytes from there to the last such byte.
    pub bytes: u64,
    /// Why they race.
    pub reason: Reason,
}

impl<D> Race<D> {
    /// Whether both accesses are of one block, where tokens order them.
    pub fn is_in_one_block(&self) -> bool {
        self.first.block == self.second.block
    }

    /// Adds bytes that both access.
    fn reach(&mut self, begin: u64, end: u64) {
        let end = end.max(self.address + self.bytes);
        self.address = self.address.min(begin);
        self.bytes = end - self.address;
    }
}

/// What races are grouped by: a finding for each pair of operations and reason.
type Key = (u32, Kind, u32, Kind, Reason, bool);

/// An operation of the launch.
struct Event {
    /// Positions in chains of its block such that who knows one knows the operation.
    known_by: SmallVec<[Position; 1]>,
}

/// Chains of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChainKind {
    /// Of tokens: each waits for the one before.
    Tokens = 0,
    /// Of releases: each is behind the one before by base causality.
    Releases = 1,
}

/// The last position of each chain, by block. Chains of tokens have even numbers, those of releases odd ones.
#[derive(Default)]
struct Chains(HashMap<u32, [Vec<u32>; 2]>);

impl Chains {
    /// The next position of a chain whose last one is known, or the first of a new chain.
    fn next(&mut self, block: u32, kind: ChainKind, known: &Local) -> Position {
        let chains = &mut self.0.entry(block).or_default()[kind as usize];
        for (chain, index) in known.positions().iter().filter(|(chain, _)| chain % 2 == kind as u32) {
            let last = &mut chains[(*chain / 2) as usize];
            if last == index {
                *last += 1;
                return (*chain, *last);
            }
        }
        chains.push(0);
        (2 * (chains.len() - 1) as u32 + kind as u32, 0)
    }
}

/// Finds the data races of one launch.
pub struct Races<D = ()> {
    events: Vec<Event>,
    chains: Chains,
    shadow: Shadow<D>,
    found: BTreeMap<Key, Race<D>>,
}

impl<D> Default for Races<D> {
    fn default() -> Races<D> {
        Races { events: Vec::new(), chains: Chains::default(), shadow: Shadow::default(), found: BTreeMap::new() }
    }
}

impl<D: fmt::Debug> fmt::Debug for Races<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Races").field("events", &self.events.len()).field("found", &self.found).finish_non_exhaustive()
    }
}

impl<D: Clone> Races<D> {
    /// Nothing has happened.
    pub fn new() -> Races<D> {
        Races::default()
    }

    /// An operation has accessed memory: every read saw what was written last among all that was told before. Gives the token of its result.
    pub fn access(&mut self, access: &Access<'_, D>) -> Token {
        let event = self.events.len() as EventId;
        self.events.push(Event { known_by: SmallVec::new() });
        let mut step = Step {
            event,
            access,
            known: self.behind(access.token),
            acquired: Foreign::default(),
            releases: Local::default(),
            races: Vec::new(),
        };
        let releases = access.strength.releases() && access.runs.iter().any(|run| run.kind.writes());
        let is_single = matches!(access.runs, [run] if run.bytes == u64::from(access.element));
        // Each element releases for itself.
        let by_element = releases && !is_single;
        let parts: Vec<Run> = access.runs.iter().flat_map(|run| run.parts(if by_element { access.element } else { 0 })).collect();
        self.shadow(&mut step, &parts, by_element);
        let Step { mut known, acquired, releases, races, .. } = step;
        races.into_iter().for_each(|race| self.note(race));
        if !access.result_used {
            return Token::default();
        }
        known.foreign.merge(&acquired);
        if is_single {
            known.foreign.add(access.block, &releases);
        }
        let behind = OnceLock::new();
        Token(Some(Arc::new(Node { block: access.block, event: Some(event), known, behind })))
    }

    /// Compares an operation with what memory remembers of its runs, and adds it.
    fn shadow(&mut self, step: &mut Step<'_, D>, runs: &[Run], by_element: bool) {
        let element = step.access.element;
        let shape = |run: &Run| Shape { bytes: element, phase: (run.address % u64::from(element.max(1))) as u32 };
        let bytes: SmallVec<[Bytes; 4]> = runs.iter().map(|run| (run.address, run.address.saturating_add(run.bytes))).collect();
        let Some(first) = runs.first() else { return };
        let alike = !by_element && runs.iter().all(|run| (run.kind, shape(run)) == (first.kind, shape(first)));
        if alike && let Some(state) = self.shadow.of_whole(&bytes) {
            step.visit(&self.events, &mut self.chains, Arc::make_mut(state), (first.kind, shape(first)), bytes[0]);
            for race in &mut step.races {
                bytes.iter().for_each(|(begin, end)| race.reach(*begin, *end));
            }
            return;
        }
        // The last history that was met, what became of it, and the races that it has.
        let mut last: Option<Met<D>> = None;
        self.shadow.update(&bytes, |index, (begin, end), mut state| {
            let (kind, shape) = (runs[index].kind, shape(&runs[index]));
            if let Some(met) = last.as_ref().filter(|met| met.is(&state, kind, shape)) {
                step.races[met.races.clone()].iter_mut().for_each(|race| race.reach(begin, end));
                return Arc::clone(&met.after);
            }
            // A history that no other bytes have is changed in place.
            let before = (Arc::strong_count(&state) > 1).then(|| Arc::clone(&state));
            let races = step.races.len();
            step.visit(&self.events, &mut self.chains, Arc::make_mut(&mut state), (kind, shape), (begin, end));
            if let Some(before) = before.filter(|_| !by_element) {
                last = Some(Met { before, kind, shape, after: Arc::clone(&state), races: races..step.races.len() });
            }
            state
        });
    }

    /// The token that waits for several, as `join_tokens` gives it.
    pub fn join(&mut self, block: u32, tokens: &[&Token]) -> Token {
        let mut known = Knowledge::default();
        let mut joined = Vec::new();
        for token in tokens {
            let Some(node) = &token.0 else { continue };
            match node.event.filter(|event| node.behind.get().is_none() && self.events[*event as usize].known_by.is_empty()) {
                // Its operation is known by the position of the joined token: so loads that are only joined need no chains.
                Some(event) => {
                    known.merge(&node.known);
                    joined.push(event);
                }
                None => known.merge(&self.behind(token)),
            }
        }
        if !joined.is_empty() {
            let position = self.chains.next(block, ChainKind::Tokens, &known.own);
            known.own.add(position);
            joined.into_iter().for_each(|event| self.events[event as usize].known_by.push(position));
        }
        Token(Some(Arc::new(Node { block, event: None, known, behind: OnceLock::new() })))
    }

    /// Memory was freed, and may be used for something else.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        self.shadow.forget(address, address.saturating_add(bytes));
    }

    /// The races, by their operations.
    pub fn findings(&self) -> Vec<Race<D>> {
        self.found.values().cloned().collect()
    }

    /// What is known behind a token.
    fn behind(&mut self, token: &Token) -> Knowledge {
        let Some(node) = &token.0 else { return Knowledge::default() };
        let Some(event) = node.event else { return node.known.clone() };
        if let Some(behind) = node.behind.get() {
            return behind.clone();
        }
        let position = self.place(node.block, &node.known, event);
        let mut behind = node.known.clone();
        behind.own.add(position);
        node.behind.get_or_init(|| behind).clone()
    }

    /// Gives an operation a position of its own.
    fn place(&mut self, block: u32, known: &Knowledge, event: EventId) -> Position {
        let position = self.chains.next(block, ChainKind::Tokens, &known.own);
        self.events[event as usize].known_by.push(position);
        position
    }

    /// Adds a race to the findings. Of each pair of operations, the lowest blocks are shown.
    fn note(&mut self, race: Race<D>) {
        let order = |side: &Side<D>| (side.site, side.kind, side.block);
        let (first, second) = if order(&race.first) <= order(&race.second) { (race.first, race.second) } else { (race.second, race.first) };
        let race = Race { first, second, ..race };
        let (first, second) = (&race.first, &race.second);
        let key = (first.site, first.kind, second.site, second.kind, race.reason, race.is_in_one_block());
        let blocks = |race: &Race<D>| (race.first.block, race.second.block);
        match self.found.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(race);
            }
            Entry::Occupied(mut known) if blocks(&race) < blocks(known.get()) => {
                known.insert(race);
            }
            Entry::Occupied(known) if blocks(&race) == blocks(known.get()) => {
                let known = known.into_mut();
                let (begin, end) = (race.address, race.address + race.bytes);
                if begin < known.address {
                    (known.first, known.second) = (race.first, race.second);
                }
                known.reach(begin, end);
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// A history that an operation has met.
struct Met<D> {
    before: Arc<State<D>>,
    kind: Kind,
    shape: Shape,
    after: Arc<State<D>>,
    /// Where in the list of races those with it are.
    races: Range<usize>,
}

impl<D> Met<D> {
    fn is(&self, state: &Arc<State<D>>, kind: Kind, shape: Shape) -> bool {
        Arc::ptr_eq(&self.before, state) && (self.kind, self.shape) == (kind, shape)
    }
}

#[cfg(test)]
mod tests;
