//! Launches under other orders of blocks: what is found there only, whether results depend on the order, and whether blocks can wait for each
//! other for ever.
//!
//! First all blocks go backwards, so that of any two blocks each comes first, and then side by side, as on a GPU. Then schedules of one turn are tried, since few turns show most
//! mistakes (Musuvathi and Qadeer, "Iterative context bounding", 2007), and then random ones. One that shows a difference is made as short as
//! it can be.

use crate::{
    CheckError, CheckOptions, Finding, Related, Report, rules,
    watch::{Seen, Watch},
};
use std::{collections::BTreeSet, sync::Arc};
use tilewright_exec::{Arg, Buffer, LaunchOptions, Memory, Plan, Program, Schedule, Turn, launch};
use tilewright_ir::VerifiedModule;

/// The most blocks that a random schedule names.
const MOST_TURNS: u64 = 64;
/// The most launches that it takes to make a schedule shorter, and the most accesses to memory of all of them.
const MOST_ATTEMPTS: u64 = 400;
const MOST_REPEATED: u64 = 1 << 21;
/// The most blocks that go side by side, and the most turns that they take.
const SIDE_BY_SIDE: usize = 64;
const MOST_SIDE_BY_SIDE: usize = 1 << 14;

/// A launch that is repeated.
pub(crate) struct Explorer<'e, 'm> {
    pub(crate) module: &'e VerifiedModule,
    pub(crate) entry: &'e str,
    pub(crate) plan: Arc<Plan>,
    pub(crate) memory: &'e mut Memory<'m>,
    pub(crate) grid: [u32; 3],
    pub(crate) args: &'e [Arg],
    pub(crate) options: &'e CheckOptions,
    pub(crate) launch_options: &'e LaunchOptions<'e>,
    /// What the buffers that can be written hold before each launch.
    pub(crate) initial: Vec<(Buffer, Vec<u8>)>,
}

/// How a launch ended.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// All blocks ended, and the buffers that can be written hold this.
    Ended(Vec<Vec<u8>>),
    /// Blocks that had not ended waited for each other for ever.
    Stuck,
}

/// What a launch under a schedule showed.
struct Ran {
    outcome: Outcome,
    report: Report,
    /// How often each block accessed memory.
    accesses: Vec<u64>,
}

/// What makes findings one: the rule, and the operations that are concerned, by function and position, in any order. Where blocks wait for ever, and
/// where results depend on the order, is said once.
pub(crate) type Key = (&'static str, BTreeSet<(String, usize)>);

/// The key of a finding.
pub(crate) fn key(finding: &Finding) -> Key {
    let rule = finding.rule.id;
    if [rules::DEADLOCK.id, rules::BLOCK_ORDER.id].contains(&rule) {
        return (rule, BTreeSet::new());
    }
    let places = std::iter::once(&finding.place).chain(finding.other.as_ref().map(|other| &other.place));
    (rule, places.map(|place| (place.function.clone(), place.op)).collect())
}

impl Ran {
    /// The keys of what it showed, beside a launch that ended as is expected.
    fn shows(&self, expected: &Outcome) -> BTreeSet<Key> {
        let mut keys: BTreeSet<Key> = self.report.findings.iter().map(key).collect();
        if matches!((&self.outcome, expected), (Outcome::Ended(found), Outcome::Ended(expected)) if found != expected) {
            keys.insert((rules::BLOCK_ORDER.id, BTreeSet::new()));
        }
        keys
    }
}

impl Explorer<'_, '_> {
    /// What comes out differently under a schedule than in the order of the grid, and leaves the buffers as that order does.
    ///
    /// # Errors
    /// When the launch is stopped or takes more than it may.
    pub(crate) fn compare(&mut self, schedule: &Schedule) -> Result<Vec<Finding>, CheckError> {
        let (expected, found) = (self.run(&Schedule::default())?.outcome, self.run(schedule)?.outcome);
        let findings = match (&expected, &found) {
            _ if found == expected => Vec::new(),
            (Outcome::Ended(expected), Outcome::Ended(found)) => self.differing(schedule, expected, found)?.into_iter().collect(),
            _ => {
                let by = if found == Outcome::Stuck { schedule.clone() } else { Schedule::default() };
                let stuck = self.run(&by)?.report.findings.into_iter().filter(|finding| finding.rule.id == rules::DEADLOCK.id);
                stuck.map(|finding| Finding { schedule: Some(schedule.to_string()), ..finding }).collect()
            }
        };
        self.run(&Schedule::default())?;
        Ok(findings)
    }

    /// Launches under so many other schedules, and describes what these show that is not known, each by the shortest schedule that shows it.
    /// Leaves the buffers as the order of the grid does.
    ///
    /// # Errors
    /// As for [`compare`](Explorer::compare).
    pub(crate) fn search(&mut self, launches: u64, seed: u64, mut known: BTreeSet<Key>) -> Result<Vec<Finding>, CheckError> {
        let Ran { outcome: expected, accesses, .. } = self.run(&Schedule::default())?;
        let mut findings: Vec<Finding> = Vec::new();
        // Where blocks wait for ever in the order of the grid, there are no results to compare with.
        if expected != Outcome::Stuck && accesses.len() > 1 {
            let mut candidates = Candidates::new(&accesses, launches, seed);
            for _ in 0..launches {
                let Some(schedule) = candidates.next() else { break };
                let ran = self.run(&schedule)?;
                for new in ran.shows(&expected).difference(&known.clone()) {
                    if known.insert(new.clone()) {
                        let (schedule, ran) = self.shorten(&schedule, new, &expected)?;
                        findings.extend(self.describe(&schedule, new, &expected, ran)?);
                    }
                }
            }
        }
        self.run(&Schedule::default())?;
        Ok(findings)
    }

    /// Launches with the blocks from the last to the first, and side by side, and describes what that shows that is not known. Leaves the buffers
    /// with these contents. `accesses`: how often each block accessed memory before.
    ///
    /// # Errors
    /// As for [`compare`](Explorer::compare).
    pub(crate) fn usual_orders(
        &mut self,
        mut known: BTreeSet<Key>,
        contents: &[(Buffer, Vec<u8>)],
        accesses: &[u64],
    ) -> Result<Vec<Finding>, CheckError> {
        let blocks = self.grid.iter().map(|extent| u64::from(*extent)).product();
        let mut findings = Vec::new();
        for schedule in [backwards(blocks), side_by_side(accesses)] {
            let ran = self.run(&schedule)?;
            for new in ran.shows(&ran.outcome).difference(&known.clone()) {
                if known.insert(new.clone()) {
                    let (schedule, shown) = self.shorten(&schedule, new, &ran.outcome)?;
                    findings.extend(self.describe(&schedule, new, &ran.outcome, shown)?);
                }
            }
        }
        self.restore(contents);
        Ok(findings)
    }

    fn restore(&mut self, contents: &[(Buffer, Vec<u8>)]) {
        for (buffer, bytes) in contents {
            self.memory.bytes_mut(*buffer).copy_from_slice(bytes);
        }
    }

    /// The plan of a launch. Globals live from launch to launch: a new program has them as they were.
    fn plan(&self) -> Result<Arc<Plan>, CheckError> {
        if self.module.globals.is_empty() {
            return Ok(Arc::clone(&self.plan));
        }
        Program::watched(self.module.clone()).for_machine(self.plan.machine()).plan(self.entry).map_err(CheckError::Plan)
    }

    /// Launches under a schedule and all rules.
    fn run(&mut self, schedule: &Schedule) -> Result<Ran, CheckError> {
        let Seen { report, accesses, is_stuck, .. } = self.observe(schedule, None)?;
        let outcome = match is_stuck {
            true => Outcome::Stuck,
            false => Outcome::Ended(self.initial.iter().map(|(buffer, _)| self.memory.bytes(*buffer).to_vec()).collect()),
        };
        Ok(Ran { outcome, report, accesses })
    }

    /// The same, and tells the last write of a byte.
    fn observe(&mut self, schedule: &Schedule, byte: Option<u64>) -> Result<Seen, CheckError> {
        let initial = std::mem::take(&mut self.initial);
        self.restore(&initial);
        self.initial = initial;
        let plan = self.plan()?;
        let watch = Watch::new(self.module, self.entry, self.options).looking_at(byte);
        let options = self.launch_options.clone().watcher(&watch).schedule(schedule.clone());
        launch(&plan, self.memory, self.grid, self.args, &options).map_err(CheckError::Launch)?;
        watch.finish().map_err(|kind| crate::unplaced(self.entry, kind))
    }

    /// A schedule that shows the same, and from which nothing can be left out.
    fn shorten(&mut self, schedule: &Schedule, shown: &Key, expected: &Outcome) -> Result<(Schedule, Ran), CheckError> {
        let mut schedule = schedule.clone();
        let mut ran = self.run(&schedule)?;
        let most = (MOST_REPEATED / ran.accesses.iter().sum::<u64>().max(1)).clamp(MOST_ATTEMPTS / 16, MOST_ATTEMPTS);
        let mut attempts = 0;
        'again: loop {
            for shorter in shorter(&schedule) {
                attempts += 1;
                if attempts > most {
                    break 'again;
                }
                let other = self.run(&shorter)?;
                if other.shows(expected).contains(shown) {
                    (schedule, ran) = (shorter, other);
                    continue 'again;
                }
            }
            break;
        }
        Ok((schedule, ran))
    }

    /// The findings that say what a schedule shows.
    fn describe(&mut self, schedule: &Schedule, shown: &Key, expected: &Outcome, ran: Ran) -> Result<Vec<Finding>, CheckError> {
        if let ((id, _), Outcome::Ended(expected), Outcome::Ended(found)) = (shown, expected, &ran.outcome)
            && *id == rules::BLOCK_ORDER.id
        {
            return Ok(self.differing(schedule, expected, found)?.into_iter().collect());
        }
        let findings = ran.report.findings.into_iter().filter(|finding| key(finding) == *shown);
        Ok(findings.map(|finding| Finding { schedule: Some(schedule.to_string()), ..finding }).collect())
    }

    /// The finding that says what a schedule changes in the results.
    fn differing(&mut self, schedule: &Schedule, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<Option<Finding>, CheckError> {
        let mut differences = expected.iter().zip(found).enumerate().filter_map(|(i, (expected, found))| {
            let mut bytes = expected.iter().zip(found).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at as u64);
            Some((i, bytes.next()?, 1 + bytes.count() as u64))
        });
        let Some((buffer, first, count)) = differences.next() else { return Ok(None) };
        let count = count + differences.map(|(_, _, more)| more).sum::<u64>();
        let address = self.memory.address(self.initial[buffer].0) + first;
        let there = self.observe(schedule, Some(address))?.last_write;
        let here = self.observe(&Schedule::default(), Some(address))?.last_write;
        let bytes = if count == 1 { "byte of the results is another" } else { "bytes of the results are others" };
        let message = format!("{count} {bytes} if the blocks go on in another order");
        let what = |order: &str| format!("what the first of these bytes holds in {order} is written here");
        let grid_order = "the order of the grid";
        let (place, other) = match (there, here) {
            (Some(there), Some(here)) => (there, Some(Related { what: what(grid_order), place: here })),
            (Some(one), None) | (None, Some(one)) => (one, None),
            // Nothing that the check can see wrote it.
            (None, None) => return Ok(None),
        };
        let (rule, kernel, schedule) = (&rules::BLOCK_ORDER, self.entry.to_owned(), Some(schedule.to_string()));
        Ok(Some(Finding { rule, message, kernel, place, other, elements: 1, blocks: 1, schedule }))
    }
}

/// The blocks from the last to the first, each to its end.
fn backwards(blocks: u64) -> Schedule {
    Schedule::new((0..blocks).rev().map(|block| Turn { block, accesses: None }))
}

/// The first blocks by turns, one access each.
fn side_by_side(accesses: &[u64]) -> Schedule {
    let blocks = &accesses[..accesses.len().min(SIDE_BY_SIDE)];
    let rounds = 0..blocks.iter().copied().max().unwrap_or(0);
    let turn = |round: u64| blocks.iter().zip(0..).filter(move |(count, _)| **count > round).map(|(_, block)| block);
    Schedule::new(rounds.flat_map(turn).take(MOST_SIDE_BY_SIDE).map(|block| Turn { block, accesses: Some(1) }))
}

/// Turns of one block that follow each other are one.
fn merged(turns: impl IntoIterator<Item = Turn>) -> Schedule {
    let mut merged: Vec<Turn> = Vec::new();
    for turn in turns {
        match merged.last_mut().filter(|last| last.block == turn.block) {
            Some(last) => last.accesses = last.accesses.zip(turn.accesses).map(|(a, b)| a + b),
            None => merged.push(turn),
        }
    }
    Schedule::new(merged)
}

/// Schedules with less in them, those with the least first.
fn shorter(schedule: &Schedule) -> Vec<Schedule> {
    let turns = schedule.turns();
    let mut all = Vec::new();
    let mut size = turns.len() / 2;
    while size > 0 {
        for start in (0..turns.len()).step_by(size) {
            let end = (start + size).min(turns.len());
            all.push(merged(turns[..start].iter().chain(&turns[end..]).copied()));
        }
        size /= 2;
    }
    for (i, turn) in turns.iter().enumerate() {
        let with =
            |accesses| Schedule::new(turns.iter().enumerate().map(|(j, other)| if i == j { Turn { accesses, ..*turn } } else { *other }));
        if let Some(accesses) = turn.accesses {
            all.push(with(None));
            let fewer: BTreeSet<u64> = [1, accesses / 2, accesses - 1].into_iter().filter(|fewer| (1..accesses).contains(fewer)).collect();
            all.extend(fewer.into_iter().map(|fewer| with(Some(fewer))));
        }
    }
    all
}

/// The schedules to try.
struct Candidates<'a> {
    /// How often each block accesses memory.
    accesses: &'a [u64],
    /// The usual orders, the next one last.
    first: Vec<Schedule>,
    /// Schedules of one turn, the next one last.
    single: Vec<Turn>,
    random: Random,
    tried: BTreeSet<String>,
}

impl<'a> Candidates<'a> {
    /// For so many launches: half of them at most have one turn.
    fn new(accesses: &'a [u64], launches: u64, seed: u64) -> Candidates<'a> {
        let mut random = Random(seed);
        let blocks = accesses.len() as u64;
        // Block 0 is the first one anyway, and a block behind its last access as good as ended.
        let whole = (1..blocks).map(|block| Turn { block, accesses: None });
        let parts = (0..blocks).flat_map(|block| {
            let until = accesses[block as usize].min(launches);
            (1..until).map(move |accesses| Turn { block, accesses: Some(accesses) })
        });
        let mut single: Vec<Turn> = whole.chain(parts.filter(|turn| turn.block > 0)).take(1 << 16).collect();
        random.shuffle(&mut single);
        single.truncate((launches / 2) as usize);
        Candidates { accesses, first: vec![side_by_side(accesses), backwards(blocks)], single, random, tried: BTreeSet::new() }
    }

    /// A schedule of a few turns, or one of many.
    fn random(&mut self) -> Schedule {
        let blocks = self.accesses.len() as u64;
        let most = blocks.min(MOST_TURNS);
        let count = if self.random.below(2) == 0 { 2 + self.random.below(2) } else { 2 + self.random.below(2 * most - 1) };
        let turns: Vec<Turn> = (0..count).map(|_| self.turn(blocks)).collect();
        Schedule::new(turns)
    }

    fn turn(&mut self, blocks: u64) -> Turn {
        let block = self.random.below(blocks);
        let accesses = self.accesses[block as usize];
        let preempted = accesses > 1 && self.random.below(3) < 2;
        Turn { block, accesses: preempted.then(|| 1 + self.random.below(accesses - 1)) }
    }
}

impl Iterator for Candidates<'_> {
    type Item = Schedule;

    fn next(&mut self) -> Option<Schedule> {
        if let Some(schedule) = self.first.pop() {
            return Some(schedule);
        }
        if let Some(turn) = self.single.pop() {
            let schedule = Schedule::new([turn]);
            self.tried.insert(schedule.to_string());
            return Some(schedule);
        }
        // A small launch has few schedules.
        for _ in 0..16 {
            let schedule = self.random();
            if self.tried.insert(schedule.to_string()) {
                return Some(schedule);
            }
        }
        None
    }
}

/// The generator SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}
