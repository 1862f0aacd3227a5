//! Launches under other orders of blocks: whether results depend on the order, and whether blocks can wait for each other for ever.
//!
//! Schedules of one turn are tried first, since few turns show most mistakes (Musuvathi and Qadeer, "Iterative context bounding", 2007), and
//! then random ones. One that shows a difference is made as short as it can be.

use crate::{
    CheckError, CheckOptions, Finding, Place, Related, Report,
    rules::{self, Rule},
    watch::{Watch, is_reported},
};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tilewright_exec::{
    Arg, Buffer, LaunchErrorKind, LaunchOptions, Memory, Plan, Program, Schedule, Step, Turn, WatchedLaunch, Watcher, launch,
};
use tilewright_ir::VerifiedModule;

/// The most blocks that a random schedule names.
const MOST_TURNS: u64 = 64;
/// The most launches that it takes to make a schedule shorter.
const MOST_ATTEMPTS: usize = 400;

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

impl Outcome {
    fn rule(&self) -> &'static Rule {
        match self {
            Outcome::Ended(_) => &rules::BLOCK_ORDER,
            Outcome::Stuck => &rules::DEADLOCK,
        }
    }
}

/// Counts the accesses of each block, which is all that a repeated launch is watched for.
struct Counter(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    accesses: Vec<u64>,
    is_stuck: bool,
    /// Why the launch says nothing.
    failure: Option<LaunchErrorKind>,
}

impl Counter {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher for Counter {
    fn begins(&self, _launch: &WatchedLaunch) {}

    fn operation(&self, step: &Step<'_>) {
        if step.accesses_memory() {
            let (index, mut counts) = (step.block_index() as usize, self.counts());
            if counts.accesses.len() <= index {
                counts.accesses.resize(index + 1, 0);
            }
            counts.accesses[index] += 1;
        }
    }

    fn freed(&self, _block: u64, _address: u64) {}

    fn stuck(&self, _blocks: &[u64]) {
        self.counts().is_stuck = true;
    }

    fn ended(&self, _block: u64) {}

    fn failed(&self, _block: u64, why: &LaunchErrorKind) {
        if !is_reported(why) {
            self.counts().failure.get_or_insert_with(|| why.clone());
        }
    }
}

impl Explorer<'_, '_> {
    /// What comes out differently under a schedule than in the order of the grid, and leaves the buffers as that order does.
    ///
    /// # Errors
    /// When the launch is stopped or takes more than it may.
    pub(crate) fn compare(&mut self, schedule: &Schedule) -> Result<Vec<Finding>, CheckError> {
        let (expected, _) = self.run(&Schedule::default())?;
        let (found, _) = self.run(schedule)?;
        let findings = if found == expected { Vec::new() } else { self.describe(schedule, &expected, &found)? };
        self.run(&Schedule::default())?;
        Ok(findings)
    }

    /// Launches under so many other schedules, and describes the shortest one that gives other results, and the shortest one under which
    /// blocks wait for ever, if there are any. Leaves the buffers as the order of the grid does.
    ///
    /// # Errors
    /// As for [`compare`](Explorer::compare).
    pub(crate) fn search(&mut self, launches: u64, seed: u64) -> Result<Vec<Finding>, CheckError> {
        let (expected, accesses) = self.run(&Schedule::default())?;
        let mut findings: Vec<Finding> = Vec::new();
        // Blocks that wait for ever in the order of the grid are reported as such.
        if expected != Outcome::Stuck && accesses.len() > 1 {
            let mut candidates = Candidates::new(&accesses, launches, seed);
            let mut known = BTreeSet::new();
            for _ in 0..launches {
                let Some(schedule) = candidates.next() else { break };
                let (found, _) = self.run(&schedule)?;
                if found == expected || !known.insert(found.rule().id) {
                    continue;
                }
                let (schedule, found) = self.shorten(schedule, found, &expected)?;
                findings.extend(self.describe(&schedule, &expected, &found)?);
                if known.len() == 2 {
                    break;
                }
            }
        }
        self.run(&Schedule::default())?;
        Ok(findings)
    }

    fn restore(&mut self) {
        for (buffer, bytes) in &self.initial {
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

    /// Launches under a schedule; gives how that ended, and how often each block accessed memory.
    fn run(&mut self, schedule: &Schedule) -> Result<(Outcome, Vec<u64>), CheckError> {
        self.restore();
        let (plan, counter) = (self.plan()?, Counter(Mutex::default()));
        let options = self.launch_options.clone().watcher(&counter).schedule(schedule.clone());
        launch(&plan, self.memory, self.grid, self.args, &options).map_err(CheckError::Launch)?;
        let counts = counter.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = counts.failure {
            return Err(crate::unplaced(self.entry, kind));
        }
        let outcome = match counts.is_stuck {
            true => Outcome::Stuck,
            false => Outcome::Ended(self.initial.iter().map(|(buffer, _)| self.memory.bytes(*buffer).to_vec()).collect()),
        };
        Ok((outcome, counts.accesses))
    }

    /// A schedule that shows the same, and from which nothing can be left out.
    fn shorten(&mut self, mut schedule: Schedule, mut found: Outcome, expected: &Outcome) -> Result<(Schedule, Outcome), CheckError> {
        let rule = found.rule().id;
        let mut attempts = 0;
        'again: loop {
            for shorter in shorter(&schedule) {
                attempts += 1;
                if attempts > MOST_ATTEMPTS {
                    break 'again;
                }
                let (outcome, _) = self.run(&shorter)?;
                if outcome != *expected && outcome.rule().id == rule {
                    (schedule, found) = (shorter, outcome);
                    continue 'again;
                }
            }
            break;
        }
        Ok((schedule, found))
    }

    /// The findings that say what a schedule shows.
    fn describe(&mut self, schedule: &Schedule, expected: &Outcome, found: &Outcome) -> Result<Vec<Finding>, CheckError> {
        let text = Some(schedule.to_string());
        let (Outcome::Ended(expected), Outcome::Ended(found)) = (expected, found) else {
            let by = if *found == Outcome::Stuck { schedule.clone() } else { Schedule::default() };
            let (report, _) = self.observe(&by, None)?;
            let stuck = report.findings.into_iter().filter(|finding| finding.rule.id == rules::DEADLOCK.id);
            return Ok(stuck.map(|finding| Finding { schedule: text.clone(), ..finding }).collect());
        };
        let mut differences = expected.iter().zip(found).enumerate().filter_map(|(i, (expected, found))| {
            let mut bytes = expected.iter().zip(found).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at as u64);
            Some((i, bytes.next()?, 1 + bytes.count() as u64))
        });
        let Some((buffer, first, count)) = differences.next() else { return Ok(Vec::new()) };
        let count = count + differences.map(|(_, _, more)| more).sum::<u64>();
        let address = self.memory.address(self.initial[buffer].0) + first;
        let (_, there) = self.observe(schedule, Some(address))?;
        let (_, here) = self.observe(&Schedule::default(), Some(address))?;
        let bytes = if count == 1 { "byte of the results is another" } else { "bytes of the results are others" };
        let message = format!("{count} {bytes} if the blocks go on in another order");
        let what = |order: &str| format!("what the first of these bytes holds in {order} is written here");
        let grid_order = "the order of the grid";
        let (place, other) = match (there, here) {
            (Some(there), Some(here)) => (there, Some(Related { what: what(grid_order), place: here })),
            (Some(one), None) | (None, Some(one)) => (one, None),
            // Nothing that the check can see wrote it.
            (None, None) => return Ok(Vec::new()),
        };
        let (rule, kernel) = (&rules::BLOCK_ORDER, self.entry.to_owned());
        Ok(vec![Finding { rule, message, kernel, place, other, elements: 1, blocks: 1, schedule: text }])
    }

    /// Launches under a schedule and all rules; gives the report, and the last write of a byte.
    fn observe(&mut self, schedule: &Schedule, byte: Option<u64>) -> Result<(Report, Option<Place>), CheckError> {
        self.restore();
        let plan = self.plan()?;
        let watch = Watch::new(self.module, self.entry, self.options).looking_at(byte);
        let options = self.launch_options.clone().watcher(&watch).schedule(schedule.clone());
        launch(&plan, self.memory, self.grid, self.args, &options).map_err(CheckError::Launch)?;
        watch.finish().map_err(|kind| crate::unplaced(self.entry, kind))
    }
}

/// Schedules with less in them, those with the least first.
fn shorter(schedule: &Schedule) -> Vec<Schedule> {
    let turns = schedule.turns();
    let mut all = Vec::new();
    let mut size = turns.len() / 2;
    while size > 0 {
        for start in (0..turns.len()).step_by(size) {
            let end = (start + size).min(turns.len());
            all.push(Schedule::new(turns[..start].iter().chain(&turns[end..]).copied()));
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
        Candidates { accesses, single, random, tried: BTreeSet::new() }
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
