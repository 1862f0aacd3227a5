//! `tilewright bench --operations`: the time of every operation of the table for each element, as a multiple of that of `addf` on f32.
//!
//! Elementwise operations come from the op table, with every type and attribute that the verifier takes ([`regular`]); the others with
//! what changes how they run ([`others`]). A kernel loads its operands from memory and stores its result, as users' kernels do.

mod frame;
mod others;
mod reasons;
mod regular;

use crate::cli::{
    exit::Exit,
    output::{Style, write_json},
};
use anyhow::Context as _;
use frame::{Array, BLOCKS, Fill};
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::Arc,
    time::{Duration, Instant},
};
use tilewright::{
    exec::{Arg, LaunchOptions, Level, Memory, Plan, Program, launch},
    ir::{Opcode, Scalar, VerifiedModule, ops::Placement},
    numeric::{FloatFormat, Rounding},
};

/// What no operation should take more of: times the time of `addf` on f32.
const LIMIT: f64 = 20.0;
/// The kernel that the others are compared with.
const UNIT: &str = "addf nearest_even f32";
/// Launches of a kernel: at least this many, and for at least this long, unless one takes longer than the other.
const LAUNCHES: usize = 3;
const PATIENCE: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(200);

/// A kernel to measure.
#[derive(Debug)]
struct Case {
    /// The operation, its attributes and its types.
    name: String,
    /// One for each parameter.
    arrays: Vec<Array>,
    /// Elements of a block that its time is divided by.
    elements: usize,
    module: VerifiedModule,
}

/// An operation's time.
#[derive(Serialize)]
struct Row {
    operation: String,
    /// Nanoseconds for an element.
    nanoseconds: f64,
    /// The same as a multiple of the time of `addf` on f32 meanwhile.
    times_addf: f64,
    above_limit: bool,
    /// Why it may be above the limit, if it is and that is known.
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct Report {
    level: &'static str,
    unit: &'static str,
    limit: f64,
    rows: Vec<Row>,
}

pub(super) fn run(filter: &str, quick: bool, json: bool, list: bool) -> anyhow::Result<Exit> {
    let (unit, mut cases) = cases()?;
    cases.retain(|case| case.name.contains(filter));
    if cases.is_empty() {
        anyhow::bail!("no operation's name contains '{filter}'; --operations --list shows them all");
    }
    let out = &mut io::stdout().lock();
    if list {
        cases.iter().try_for_each(|case| writeln!(out, "{}", case.name))?;
        return Ok(Exit::Ok);
    }
    let blocks = if quick { 1 } else { BLOCKS };
    let mut unit = Running::new(unit, blocks)?;
    let mut rows = Vec::with_capacity(cases.len());
    for case in cases {
        let name = case.name.clone();
        let mut running = Running::new(case, blocks)?;
        let (time, unit_time) = by_turns(&mut running, &mut unit, quick)?;
        let times = time / unit_time;
        let above_limit = times > LIMIT;
        let reason = reasons::reason(&name).filter(|_| above_limit);
        rows.push(Row { operation: name, nanoseconds: time * 1e9, times_addf: times, above_limit, reason });
    }
    rows.sort_by(|a, b| b.times_addf.total_cmp(&a.times_addf));
    let report = Report { level: Level::best().name(), unit: UNIT, limit: LIMIT, rows };
    if json {
        write_json(out, &report)?
    } else {
        report.write(out)?
    }
    Ok(Exit::Ok)
}

/// The kernel that the others are compared with, and all of these.
fn cases() -> anyhow::Result<(Case, Vec<Case>)> {
    let of_table = || Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body);
    let mut cases = Vec::new();
    for &opcode in of_table() {
        cases.extend(regular::cases(opcode)?);
    }
    cases.extend(others::cases()?);
    let is_measured = |opcode: Opcode| cases.iter().any(|case| case.name.split(' ').next() == Some(opcode.mnemonic()));
    let is_left_out = |opcode: Opcode| others::NOT_MEASURED.iter().any(|(opcodes, _)| opcodes.contains(&opcode));
    if let Some(opcode) = of_table().find(|opcode| is_measured(**opcode) == is_left_out(**opcode)) {
        anyhow::bail!("'{opcode}' must either be measured or be named, with a reason, as not measured");
    }
    let unit = regular::cases(Opcode::AddF)?.into_iter().find(|case| case.name == UNIT).context("the unit is an operation")?;
    Ok((unit, cases))
}

/// A kernel with its arrays in memory.
struct Running {
    name: String,
    plan: Arc<Plan>,
    memory: Memory<'static>,
    args: Vec<Arg>,
    blocks: usize,
    elements: usize,
}

impl Running {
    fn new(case: Case, blocks: usize) -> anyhow::Result<Running> {
        let plan = Program::new(case.module).plan("k").with_context(|| case.name.clone())?;
        let mut memory = Memory::new();
        let buffers: Vec<_> = case.arrays.iter().map(|array| memory.add(content(array, blocks))).collect();
        let args = buffers.into_iter().map(|buffer| Arg::Pointer(memory.address(buffer))).collect();
        Ok(Running { name: case.name, plan, memory, args, blocks, elements: blocks * case.elements })
    }

    /// Seconds of a launch.
    fn launch(&mut self) -> anyhow::Result<Duration> {
        let begin = Instant::now();
        let options = LaunchOptions::new().threads(1);
        launch(&self.plan, &mut self.memory, [self.blocks as u32, 1, 1], &self.args, &options).with_context(|| self.name.clone())?;
        Ok(begin.elapsed())
    }
}

/// The best times of both for an element, in seconds.
fn by_turns(running: &mut Running, unit: &mut Running, quick: bool) -> anyhow::Result<(f64, f64)> {
    let (mut best, mut best_unit) = (Duration::MAX, Duration::MAX);
    let (mut launches, mut launched) = (0, Duration::ZERO);
    while launches == 0 || !quick && launched < LONG && (launches < LAUNCHES || launched < PATIENCE) {
        best_unit = best_unit.min(unit.launch()?);
        let time = running.launch()?;
        best = best.min(time);
        launches += 1;
        launched += time;
    }
    // The time of the unit is short, and its best one is rare.
    for _ in 0..if quick { 0 } else { LAUNCHES } {
        best_unit = best_unit.min(unit.launch()?);
    }
    Ok((best.as_secs_f64() / running.elements as f64, best_unit.as_secs_f64() / unit.elements as f64))
}

/// The bytes of an array.
fn content(array: &Array, blocks: usize) -> Vec<u8> {
    /// Elements after which they repeat.
    const PERIOD: usize = 1 << 16;
    let n = array.per_block * blocks;
    let mut state = u64::from(array.scalar as u8) + 1;
    let mut random = || {
        // Knuth's multiplier; the high bits are the random ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    let pattern: Vec<u64> = (0..PERIOD.min(n)).map(|_| element(array, random() << 32 | random())).collect();
    let bytes = match array.scalar {
        // Two share a byte.
        Scalar::F4E2M1FN => return (0..n.div_ceil(2)).map(|i| (pattern[i % pattern.len()] * 0x11) as u8).collect(),
        Scalar::Tf32 => 4,
        scalar => scalar.bits().div_ceil(8) as usize,
    };
    (0..n).flat_map(|i| pattern[i % pattern.len()].to_le_bytes().into_iter().take(bytes)).collect()
}

/// An element made of random bits.
fn element(array: &Array, random: u64) -> u64 {
    let bits = array.scalar.bits();
    if array.fill == Fill::Places {
        return random % frame::TILE as u64;
    }
    match FloatFormat::from_name(array.scalar.name()) {
        // From a quarter to 4.
        Some(format) => {
            let unit = (random >> 12) as f64 / (1u64 << 52) as f64;
            format.encode((unit * 4.0 - 2.0).exp2(), Rounding::NearestEven)
        }
        // All magnitudes, not zero.
        None => (random >> (64 - bits) >> (random % u64::from(bits))) | u64::from(bits > 1),
    }
}

impl Report {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let style = Style::stdout();
        writeln!(out, "{}", style.strong(&format!("{:>8} {:>9}  operation ({})", "x addf", "ns", self.level)))?;
        for row in &self.rows {
            let unexplained = row.above_limit && row.reason.is_none();
            let mark = if unexplained { '!' } else { ' ' };
            let line = format!("{:>7.1}{mark} {:>9.3}  {}", row.times_addf, row.nanoseconds, row.operation);
            write!(out, "{}", if unexplained { style.bad(&line) } else { line })?;
            writeln!(out, "{}", row.reason.map(|reason| format!(": {reason}")).unwrap_or_default())?;
        }
        let above = || self.rows.iter().filter(|row| row.above_limit);
        let unexplained = above().filter(|row| row.reason.is_none()).count();
        writeln!(
            out,
            "\n{} of {} take more than {} times the time of {}, {unexplained} of them for no known reason",
            above().count(),
            self.rows.len(),
            self.limit,
            self.unit
        )
    }
}
