//! The races of runs that are written down access by access.

use tilewright_ir::{MemoryOrderingSemantics as Ordering, MemoryScope as Scope};
use tilewright_memory_model::{
    access::Strength,
    races::{Access, Kind, Race, Races, Reason, Run, Token},
};

const DEVICE: fn(Ordering) -> Strength = |ordering| Strength::new(ordering, Scope::Device);

/// A launch that is told what happens.
#[derive(Default)]
struct Launch(Races);

impl Launch {
    fn runs(&mut self, (block, site): (u32, u32), strength: Strength, element: u32, runs: &[Run], token: &Token) -> Token {
        self.0.access(&Access { block, site, strength, element, runs, token, result_used: true, detail: &() })
    }

    fn one(&mut self, at: (u32, u32), strength: Strength, kind: Kind, address: u64, token: &Token) -> Token {
        self.runs(at, strength, 4, &[Run { address, bytes: 4, kind }], token)
    }

    fn findings(&self) -> Vec<Race> {
        self.0.findings()
    }
}

fn fresh() -> Token {
    Token::default()
}

const DATA: u64 = 0x10_0000;
const FLAG: u64 = 0x2000;

/// A message from block `from` to block `to`; the reader polls a few times before it comes.
fn message(from: u32, to: u32, write: Strength, read: Strength) -> Vec<Race> {
    let mut launch = Launch::default();
    let mut poll = fresh();
    for _ in 0..40 {
        poll = launch.one((to, 3), read, Kind::Read, FLAG, &poll);
    }
    let stored = launch.runs((from, 1), Strength::WEAK, 4, &[Run { address: DATA, bytes: 256, kind: Kind::Write }], &fresh());
    launch.one((from, 2), write, Kind::Write, FLAG, &stored);
    for _ in 0..2 {
        poll = launch.one((to, 3), read, Kind::Read, FLAG, &poll);
    }
    launch.runs((to, 4), Strength::WEAK, 4, &[Run { address: DATA + 64, bytes: 256, kind: Kind::Read }], &poll);
    launch.findings()
}

#[test]
fn a_message_is_silent_and_weaker_ones_are_not() {
    let (release, acquire, relaxed) = (DEVICE(Ordering::Release), DEVICE(Ordering::Acquire), DEVICE(Ordering::Relaxed));
    for (from, to) in [(0, 1), (1, 0)] {
        assert_eq!(message(from, to, release, acquire), []);
        for (write, read) in [(relaxed, acquire), (release, relaxed), (relaxed, relaxed)] {
            let races = message(from, to, write, read);
            assert_eq!(races.len(), 1, "{write} {read}");
            let race = races[0];
            assert_eq!((race.first.block, race.first.site, race.first.kind), (from, 1, Kind::Write));
            assert_eq!((race.second.block, race.second.site, race.second.kind), (to, 4, Kind::Read));
            assert_eq!((race.address, race.bytes, race.reason), (DATA + 64, 192, Reason::Unordered));
        }
        let narrow = message(from, to, Strength::new(Ordering::Release, Scope::TlBlk), acquire);
        let reasons: Vec<Reason> = narrow.iter().map(|race| race.reason).collect();
        assert_eq!(reasons, [Reason::Unordered, Reason::Scope]);
    }
}

/// Blocks that take a lock in some order, add to a value, and give the lock back.
fn locked(order: &[u32], take: Strength, give: Strength) -> Vec<Race> {
    let mut launch = Launch::default();
    for block in order {
        let failed = launch.one((*block, 0), take, Kind::Read, FLAG, &fresh());
        let taken = launch.one((*block, 0), take, Kind::Update, FLAG, &failed);
        let read = launch.one((*block, 1), Strength::WEAK, Kind::Read, DATA, &taken);
        let written = launch.one((*block, 2), Strength::WEAK, Kind::Write, DATA, &read);
        launch.one((*block, 3), give, Kind::Write, FLAG, &written);
    }
    launch.findings()
}

#[test]
fn locks_are_silent_and_weaker_ones_are_not_in_any_order() {
    let (release, acquire, relaxed) = (DEVICE(Ordering::Release), DEVICE(Ordering::Acquire), DEVICE(Ordering::Relaxed));
    let mut expected = None;
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        assert_eq!(locked(&order, acquire, release), []);
        // Which accesses race, but for which of two blocks came first: reads with writes, and writes with each other.
        let races: Vec<_> = locked(&order, relaxed, release).iter().map(|race| (race.first.site, race.second.site, race.reason)).collect();
        assert_eq!(races, [(1, 2, Reason::Unordered), (2, 2, Reason::Unordered)]);
        assert_eq!(locked(&order, acquire, relaxed).len(), 2);
        let narrow = Strength::new(Ordering::Acquire, Scope::TlBlk);
        assert!(locked(&order, narrow, release).iter().any(|race| race.reason == Reason::Scope));
        let shown = locked(&order, relaxed, relaxed);
        assert_eq!(expected.get_or_insert_with(|| shown.clone()), &shown, "the same findings in any order");
    }
}

#[test]
fn a_counter_of_many_blocks_orders_what_came_before_it() {
    const BLOCKS: u32 = 3000;
    let mut launch = Launch::default();
    for block in 0..BLOCKS {
        let part = launch.one((block, 0), Strength::WEAK, Kind::Write, DATA + 4 * u64::from(block), &fresh());
        let counted = launch.one((block, 1), DEVICE(Ordering::AcqRel), Kind::Update, FLAG, &part);
        if block == BLOCKS - 1 {
            let all = Run { address: DATA, bytes: 4 * u64::from(BLOCKS), kind: Kind::Read };
            launch.runs((block, 2), Strength::WEAK, 4, &[all], &counted);
            launch.one((block, 3), Strength::WEAK, Kind::Write, FLAG, &counted);
        }
    }
    assert_eq!(launch.findings(), []);
}

#[test]
fn a_weak_reset_behind_relaxed_additions_is_silent() {
    let mut launch = Launch::default();
    let relaxed = DEVICE(Ordering::Relaxed);
    let counted: Vec<Token> = (0..50).map(|block| launch.one((block, 0), relaxed, Kind::Update, FLAG, &fresh())).collect();
    launch.one((49, 1), Strength::WEAK, Kind::Write, FLAG, &counted[49]);
    assert_eq!(launch.findings(), []);
    // The last but one has not seen the last.
    let mut launch = Launch::default();
    let counted: Vec<Token> = (0..50).map(|block| launch.one((block, 0), relaxed, Kind::Update, FLAG, &fresh())).collect();
    launch.one((48, 1), Strength::WEAK, Kind::Write, FLAG, &counted[48]);
    let races = launch.findings();
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].first.block, races[0].second.block), (49, 48));
}

#[test]
fn two_places_of_one_store_that_are_equal_race() {
    let run = |address| Run { address, bytes: 4, kind: Kind::Write };
    let mut launch = Launch::default();
    launch.runs((0, 7), Strength::WEAK, 4, &[run(DATA), run(DATA + 8), run(DATA)], &fresh());
    let races = launch.findings();
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].reason, races[0].address, races[0].bytes), (Reason::SameOperation, DATA, 4));
    assert!(races[0].is_in_one_block());
    let mut launch = Launch::default();
    let block = Strength::new(Ordering::Relaxed, Scope::TlBlk);
    launch.runs((0, 7), block, 4, &[run(DATA), run(DATA)], &fresh());
    launch.runs((0, 8), Strength::WEAK, 4, &[Run { kind: Kind::Read, ..run(FLAG) }, Run { kind: Kind::Read, ..run(FLAG) }], &fresh());
    assert_eq!(launch.findings(), []);
}

#[test]
fn strong_elements_that_overlap_in_part_race() {
    let relaxed = DEVICE(Ordering::Relaxed);
    let mut launch = Launch::default();
    launch.runs((0, 0), relaxed, 8, &[Run { address: DATA, bytes: 8, kind: Kind::Write }], &fresh());
    launch.runs((1, 1), relaxed, 4, &[Run { address: DATA + 4, bytes: 4, kind: Kind::Write }], &fresh());
    let races = launch.findings();
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].reason, races[0].address, races[0].bytes), (Reason::Overlap, DATA + 4, 4));
}

#[test]
fn memory_that_was_freed_is_new() {
    let mut launch = Launch::default();
    launch.one((0, 0), Strength::WEAK, Kind::Write, DATA, &fresh());
    launch.0.forget(DATA - 64, 128);
    launch.one((1, 1), Strength::WEAK, Kind::Write, DATA, &fresh());
    assert_eq!(launch.findings(), []);
}

/// Rows of a matrix that blocks read and one block each writes, as products of matrices do: tokens in a loop, joined for the store.
#[test]
fn tiles_of_a_product_are_silent_and_one_wrong_tile_is_found() {
    let product = |wrong: Option<u32>| {
        let (tiles, tile, row) = (8u32, 64u64, 2048u64);
        let mut launch = Launch::default();
        let rows = |base: u64, x: u32, y: u32, kind| -> Vec<Run> {
            (0..tile)
                .map(|line| Run { address: base + (u64::from(y) * tile + line) * row + u64::from(x) * tile * 4, bytes: tile * 4, kind })
                .collect()
        };
        for block in 0..tiles * tiles {
            let (x, y) = (block % tiles, block / tiles);
            let mut read = fresh();
            for k in 0..tiles {
                let a = launch.runs((block, 0), Strength::WEAK, 4, &rows(0, k, y, Kind::Read), &fresh());
                let b = launch.runs((block, 1), Strength::WEAK, 4, &rows(1 << 24, x, k, Kind::Read), &fresh());
                read = launch.0.join(block, &[&read, &a, &b]);
            }
            let x = if wrong == Some(block) { (x + 1) % tiles } else { x };
            launch.runs((block, 2), Strength::WEAK, 4, &rows(1 << 25, x, y, Kind::Write), &read);
        }
        launch.findings()
    };
    assert_eq!(product(None), []);
    let races = product(Some(9));
    assert_eq!(races.len(), 1);
    assert_eq!((races[0].first.block.min(races[0].second.block), races[0].first.block.max(races[0].second.block)), (9, 10));
}

#[test]
fn long_histories_are_dropped_without_a_deep_stack() {
    let mut launch = Launch::default();
    let mut token = fresh();
    for _ in 0..100_000 {
        launch.one((0, 0), DEVICE(Ordering::AcqRel), Kind::Update, FLAG, &fresh());
        token = launch.one((0, 1), Strength::WEAK, Kind::Read, DATA, &token);
        launch.one((0, 2), Strength::WEAK, Kind::Read, DATA, &fresh());
    }
    assert_eq!(launch.findings(), []);
}

#[test]
fn a_race_has_the_details_of_accesses_to_its_first_byte() {
    let mut races = Races::new();
    let mut access = |block, detail: &str, address| {
        let runs = [Run { address, bytes: 8, kind: Kind::Write }];
        let detail = detail.to_owned();
        let strength = Strength::WEAK;
        let site = block;
        races.access(&Access { block, site, strength, element: 4, runs: &runs, token: &fresh(), result_used: false, detail: &detail });
    };
    access(0, "first, high", DATA + 64);
    access(0, "first, low", DATA);
    access(1, "second, high", DATA + 64);
    access(1, "second, low", DATA + 4);
    let [race] = &*races.findings() else { panic!("{races:?}") };
    assert_eq!((race.address, race.bytes), (DATA + 4, 68));
    assert_eq!((&*race.first.detail, &*race.second.detail), ("first, low", "second, low"));
}
