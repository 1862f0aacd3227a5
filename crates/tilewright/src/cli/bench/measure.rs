//! Measuring.

use super::{
    arrays::{arrays, place},
    beside::Other,
    check::check,
    problems::{Limit, Problem},
};
use anyhow::Context as _;
use serde::Serialize;
use std::time::{Duration, Instant};
use tilewright::{
    exec::{LaunchOptions, Memory, Plan, Program, TargetMachine, launch, limits},
    ir::{Module, VerifiedModule, verify},
};

/// Launches of a kernel: at least this many, and for at least this long.
pub(super) const LAUNCHES: usize = 5;
pub(super) const PATIENCE: Duration = Duration::from_millis(600);
/// How long launches go on before the machine's limit has its turn again, and how long that takes.
const TURN: Duration = Duration::from_millis(150);
const LIMIT_TURN: Duration = Duration::from_millis(50);

/// What the machine can do with some threads, or a GPU.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Limits {
    pub(super) threads: Option<usize>,
    /// Bytes per second.
    pub(super) bandwidth: f64,
    /// Floating-point operations per second.
    pub(super) peak_f32: f64,
    pub(super) peak_f64: f64,
}

/// What measures what the machine can do.
pub(super) struct Machine {
    /// What kernels are planned for.
    plans_for: TargetMachine,
    arrays: limits::Bandwidth,
    /// Measure as little as there is to measure.
    quick: bool,
}

impl Machine {
    pub(super) fn new(quick: bool, plans_for: TargetMachine) -> Machine {
        Machine { plans_for, arrays: limits::Bandwidth::new(if quick { 1 << 16 } else { 1 << 26 }), quick }
    }

    /// What it can do with some threads, at a moment.
    pub(super) fn limits(&mut self, threads: usize) -> Limits {
        let mut of = |limit| self.limit(limit, threads, Duration::from_millis(200));
        Limits { threads: Some(threads), bandwidth: of(Limit::Bandwidth), peak_f32: of(Limit::PeakF32), peak_f64: of(Limit::PeakF64) }
    }

    /// Bytes or operations per second.
    fn limit(&mut self, limit: Limit, threads: usize, patience: Duration) -> f64 {
        let patience = if self.quick { Duration::ZERO } else { patience };
        match limit {
            Limit::Bandwidth => self.arrays.measure(threads, patience),
            Limit::PeakF32 => limits::peak_f32(threads, patience),
            Limit::PeakF64 => limits::peak_f64(threads, patience),
        }
    }
}

/// The best times of a problem with some threads, or on a GPU.
pub(super) struct Timing {
    pub(super) threads: Option<usize>,
    pub(super) seconds: f64,
    /// Processor time, all threads together, where the system tells.
    pub(super) cpu_seconds: Option<f64>,
    /// The limit that applies, in bytes or operations per second.
    pub(super) limit: f64,
    /// What was measured beside it.
    pub(super) beside: Vec<Other>,
}

/// Processor time that the process has used.
#[cfg(unix)]
fn cpu_time() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn cpu_time() -> Option<f64> {
    None
}

/// Runs a problem with each number of threads, by turns with a measurement of the limit that applies: what a machine gives may change within
/// seconds, where others share its memory or where its clock depends on its temperature.
pub(super) fn measure(problem: &Problem, threads: &[usize], machine: &mut Machine) -> anyhow::Result<Vec<Timing>> {
    let program = program(problem, machine)?;
    let plan = program.plan(&entry(&program)?)?;
    let mut arrays = arrays(problem);
    let mut memory = Memory::new();
    let (args, buffers) = place(problem, &mut arrays, &mut memory);
    // Results are looked at once: what a kernel adds to an array, it adds again with each launch.
    let mut checked = false;
    let mut timings = Vec::new();
    for &threads in threads {
        let options = LaunchOptions::new().threads(threads);
        let mut best = Timing { threads: Some(threads), seconds: f64::INFINITY, cpu_seconds: None, limit: 0.0, beside: Vec::new() };
        let mut once = |best: &mut Timing| -> anyhow::Result<()> {
            let (begin, cpu_begin) = (Instant::now(), cpu_time());
            launch(&plan, &mut memory, grid(problem), &args, &options).with_context(|| problem.name.clone())?;
            best.seconds = best.seconds.min(begin.elapsed().as_secs_f64());
            let cpu = cpu_time().zip(cpu_begin).map(|(end, begin)| end - begin);
            best.cpu_seconds = cpu.map(|cpu| cpu.min(best.cpu_seconds.unwrap_or(cpu)));
            if !std::mem::replace(&mut checked, true) {
                check(problem, |argument| buffers.get(argument).copied().flatten().map(|buffer| memory.bytes(buffer)))?;
            }
            Ok(())
        };
        let (mut launches, mut launched) = (0, Duration::ZERO);
        let turn = if machine.quick { Duration::ZERO } else { TURN };
        while launches == 0 || !machine.quick && (launches < LAUNCHES || launched < PATIENCE) {
            best.limit = best.limit.max(machine.limit(problem.limit, threads, LIMIT_TURN));
            let begin = Instant::now();
            loop {
                once(&mut best)?;
                launches += 1;
                if begin.elapsed() >= turn {
                    break;
                }
            }
            launched += begin.elapsed();
        }
        timings.push(best);
    }
    Ok(timings)
}

/// What something costs that should cost nothing.
pub(super) struct Overhead {
    pub(super) name: &'static str,
    pub(super) seconds: f64,
}

/// The times of planning a kernel, and of launching one and a few small blocks of a planned one, on all cores.
pub(super) fn overheads(machine: &Machine) -> anyhow::Result<Vec<Overhead>> {
    const TIMES: usize = 200;
    let problems = super::problems::all(true);
    let find = |name| problems.iter().find(|p| p.name == name).context("the overheads name a problem");
    let (product, small) = (find("matmul_f32")?, find("vector_add")?);
    let mut planning = f64::INFINITY;
    for _ in 0..TIMES {
        let program = program(product, machine)?;
        let name = entry(&program)?;
        let begin = Instant::now();
        program.plan(&name)?;
        planning = planning.min(begin.elapsed().as_secs_f64());
    }
    let program = program(small, machine)?;
    let plan: std::sync::Arc<Plan> = program.plan(&entry(&program)?)?;
    let mut arrays = arrays(small);
    let mut memory = Memory::new();
    let (args, _) = place(small, &mut arrays, &mut memory);
    let options = LaunchOptions::new();
    let mut overheads = vec![Overhead { name: "plan matmul_f32", seconds: planning }];
    for (name, blocks) in [("launch one block", 1), ("launch 8 blocks", 8)] {
        let mut launching = f64::INFINITY;
        for _ in 0..TIMES {
            let begin = Instant::now();
            launch(&plan, &mut memory, [blocks, 1, 1], &args, &options)?;
            launching = launching.min(begin.elapsed().as_secs_f64());
        }
        overheads.push(Overhead { name, seconds: launching });
    }
    Ok(overheads)
}

fn program(problem: &Problem, machine: &Machine) -> anyhow::Result<Program> {
    Ok(Program::new(module(problem)?).for_machine(machine.plans_for))
}

/// The kernel of a problem.
pub(super) fn module(problem: &Problem) -> anyhow::Result<VerifiedModule> {
    let module = tilewright::bytecode::read(&problem.bytecode).with_context(|| problem.name.clone())?;
    verify(module).map_err(|findings| anyhow::anyhow!("{}: {}", problem.name, findings[0]))
}

/// The entry of a module that has one.
fn entry(program: &Program) -> anyhow::Result<String> {
    entry_of(program.module())
}

/// The entry of a module that has one.
pub(super) fn entry_of(module: &Module) -> anyhow::Result<String> {
    let entry = module.functions.iter().find(|f| f.is_entry).context("the module has no entry")?;
    Ok(module.tables.strings.text(entry.name).into_owned())
}

pub(super) fn grid(problem: &Problem) -> [u32; 3] {
    problem.grid.map(|n| n as u32)
}
