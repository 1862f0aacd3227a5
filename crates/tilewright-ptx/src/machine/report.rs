//! What a launch did and found.

use super::{decode::Code, shared::SharedCounts};
use crate::Position;
use std::{collections::HashMap, fmt};

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function.
    pub function: String,
    /// The instruction's place in the PTX.
    pub position: Position,
    /// The instruction's opcode with its modifiers.
    pub instruction: String,
    /// File, line and column of the source that the PTX was made from, as `.loc` says.
    pub source: Option<(String, u64, u64)>,
    /// The block of the grid.
    pub block: [u32; 3],
    /// The thread of the block, in the order of the lanes.
    pub thread: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        write!(f, "{} at {} of {}", self.instruction, self.position, self.function)?;
        if let Some((file, line, column)) = &self.source {
            write!(f, " ({file}:{line}:{column})")?;
        }
        write!(f, ", thread {} of block ({x}, {y}, {z})", self.thread)
    }
}

/// Kinds of findings: the launch goes on, but what it does is not defined, or differs from machine to machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two threads access a byte of shared memory, one writes, and nothing orders them.
    SharedRace,
    /// Shared memory is accessed where an asynchronous copy may still arrive.
    AsyncCopy,
    /// A barrier that some threads never reach, because they have ended.
    BarrierMissed,
    /// An instruction for lanes together, some of which do not carry it out.
    LanesMissing,
    /// Memory is read that nobody has written.
    UnwrittenRead,
}

impl FindingKind {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::SharedRace => "race in shared memory",
            FindingKind::AsyncCopy => "access during an asynchronous copy",
            FindingKind::BarrierMissed => "barrier that threads miss",
            FindingKind::LanesMissing => "lanes that are missing",
            FindingKind::UnwrittenRead => "read of what nobody wrote",
        }
    }
}

/// Something that is wrong with a kernel; the first of its kind at its instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Where it was seen first.
    pub site: Site,
    /// In words, with the other side of a race.
    pub message: String,
    /// How often this instruction did it.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {} (seen {} times)", self.kind.name(), self.message, self.site, self.count)
    }
}

/// How often instructions of one form were carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The opcode with its modifiers.
    pub form: String,
    /// By warps.
    pub warps: u64,
    /// By threads.
    pub threads: u64,
}

/// What a launch did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What `vprintf` wrote.
    pub printed: Vec<u8>,
    /// What is wrong, in the order of finding.
    pub findings: Vec<Finding>,
    /// Instructions by form, the most frequent first.
    pub counts: Vec<Count>,
    /// What accesses to shared memory cost.
    pub shared: SharedCounts,
    /// Instructions that warps carried out.
    pub instructions: u64,
}

/// Why a launch ended early.
#[derive(Clone, Debug)]
pub struct LaunchError {
    /// Why.
    pub kind: LaunchErrorKind,
    /// Where, if an instruction is to blame.
    pub site: Option<Box<Site>>,
    /// What was done until then.
    pub report: Box<Report>,
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchErrorKind {
    /// The launch itself is wrong: entry, grid, block or arguments.
    Invalid(String),
    /// An access outside of memory, or not aligned.
    Access(String),
    /// `trap`
    Trap,
    /// Threads wait for each other and none can go on.
    Deadlock(String),
    /// More instructions than the limit allows.
    Limit(u64),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            LaunchErrorKind::Invalid(what) => write!(f, "this cannot be launched: {what}")?,
            LaunchErrorKind::Access(what) => f.write_str(what)?,
            LaunchErrorKind::Trap => f.write_str("a trap")?,
            LaunchErrorKind::Deadlock(what) => write!(f, "a deadlock: {what}")?,
            LaunchErrorKind::Limit(limit) => write!(f, "more than {limit} instructions")?,
        }
        self.site.as_ref().map_or(Ok(()), |site| write!(f, ", {site}"))
    }
}

impl std::error::Error for LaunchError {}

/// What is gathered while a launch runs.
pub(super) struct Journal<'c> {
    code: &'c Code,
    pub(super) printed: Vec<u8>,
    findings: Vec<Finding>,
    known: HashMap<(FindingKind, u32), usize>,
    /// By instruction: warps and threads.
    pub(super) counts: Vec<(u64, u64)>,
    pub(super) shared: SharedCounts,
    pub(super) steps: u64,
}

impl<'c> Journal<'c> {
    pub(super) fn new(code: &'c Code) -> Journal<'c> {
        Journal {
            code,
            printed: Vec::new(),
            findings: Vec::new(),
            known: HashMap::new(),
            counts: vec![(0, 0); code.insts.len()],
            shared: SharedCounts::default(),
            steps: 0,
        }
    }

    pub(super) fn site(&self, pc: u32, block: [u32; 3], thread: u32) -> Site {
        let place = &self.code.places[pc as usize];
        let file = |number: u64| self.code.files.get(&number).cloned().unwrap_or_else(|| format!("file {number}"));
        Site {
            function: self.code.functions[place.function as usize].clone(),
            position: place.position,
            instruction: self.code.forms[place.form as usize].clone(),
            source: place.source.map(|(number, line, column)| (file(number), line, column)),
            block,
            thread,
        }
    }

    pub(super) fn found(&mut self, kind: FindingKind, pc: u32, block: [u32; 3], thread: u32, message: impl FnOnce(&Self) -> String) {
        if let Some(index) = self.known.get(&(kind, pc)) {
            self.findings[*index].count += 1;
            return;
        }
        let finding = Finding { kind, site: self.site(pc, block, thread), message: message(self), count: 1 };
        self.known.insert((kind, pc), self.findings.len());
        self.findings.push(finding);
    }

    pub(super) fn report(self) -> Report {
        let mut by_form = vec![(0, 0); self.code.forms.len()];
        for ((warps, threads), place) in self.counts.iter().zip(&self.code.places) {
            let sum: &mut (u64, u64) = &mut by_form[place.form as usize];
            *sum = (sum.0 + warps, sum.1 + threads);
        }
        let counts = self.code.forms.iter().zip(by_form).filter(|(_, (warps, _))| *warps > 0);
        let mut counts: Vec<Count> = counts.map(|(form, (warps, threads))| Count { form: form.clone(), warps, threads }).collect();
        counts.sort_by(|a, b| b.warps.cmp(&a.warps).then(a.form.cmp(&b.form)));
        Report { printed: self.printed, findings: self.findings, counts, shared: self.shared, instructions: self.steps }
    }
}
