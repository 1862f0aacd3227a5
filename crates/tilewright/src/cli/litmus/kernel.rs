//! Kernels of modules: their arguments, and what is shown of their executions.

use super::{Args, Report, ReportedAnswer, ReportedOutcome, ReportedSide};
use crate::cli::{
    exit::Finding,
    input::File,
    run::{Bound, Grid, bind, choose_entry_of},
};
use anyhow::Context as _;
use tilewright::{
    array::Array,
    exec::Program,
    memory_model::{
        Executions, Observe, Outcome, RaceSide, enumerate,
        kernel::{Argument, Kernel},
        litmus::Litmus,
    },
};

pub(super) fn report(args: &Args, grid: Grid) -> anyhow::Result<Report> {
    let (path, texts) = args.files.split_first().context("FILE is missing")?;
    let texts: Vec<String> = texts.iter().map(|text| text.to_string_lossy().into_owned()).collect();
    let file = File::read(path)?;
    let program = Program::new(file.verified()?);
    let entry = choose_entry_of(program.module(), args.entry.as_deref())?;
    let plan = program.plan(&entry).map_err(|error| Finding::new(format!("cannot enumerate: {error}")))?;
    let arguments = bind(&plan, &texts)?.into_iter().map(argument).collect();
    let kernel = Kernel::new(program.module(), &entry, grid.0, arguments, args.rounds.get());
    let kernel = kernel.map_err(|error| file.finding(error))?;
    let found = enumerate(&kernel, Observe::Written, args.limit).map_err(|error| file.finding(error))?;
    let text = |outcome: &Outcome| {
        let shown = found.observed.iter().zip(&outcome.memory);
        let shown = shown.map(|(location, bits)| format!("{}={}", kernel.location_name(*location), kernel.value_text(*location, *bits)));
        shown.collect::<Vec<_>>().join(" ")
    };
    let outcomes = found.outcomes.iter().map(|(outcome, executions)| ReportedOutcome { outcome: text(outcome), executions: *executions });
    let block = |index: usize| {
        let [x, y, _] = grid.0.map(|n| n as usize);
        (index % x, index / x % y, index / x / y)
    };
    let side = |side: &RaceSide| ReportedSide { block: side.block, line: None, text: kernel.site_text(side.site) };
    let mut races: Vec<[ReportedSide; 2]> = found.races.iter().map(|(a, b)| [side(a), side(b)]).collect();
    for side in races.iter_mut().flatten().filter(|_| grid.0[1..] != [1, 1]) {
        side.text = format!("{:?} {}", block(side.block), side.text);
    }
    let can = args.can.as_deref().map(|condition| answer(&kernel, &found, condition)).transpose()?;
    Ok(Report { name: entry, outcomes: outcomes.collect(), executions: found.count, races, can, surprises: Vec::new(), cut: found.cut })
}

fn argument(bound: Bound) -> Argument {
    match bound {
        Bound::Number(_, bits) => Argument::Number(bits),
        Bound::Buffer(array) => Argument::Buffer(array.dtype().scalar(), elements(&array)),
    }
}

/// The bits of the elements of an array.
fn elements(array: &Array) -> Vec<u64> {
    let count: u64 = array.shape().iter().product();
    (0..count as usize).map(|index| array.dtype().bits_at(array.bytes(), index)).collect()
}

/// Whether an execution can end as asked. Conditions name locations as outcomes do.
fn answer(kernel: &Kernel<'_>, found: &Executions, condition: &str) -> anyhow::Result<ReportedAnswer> {
    let mut named = Litmus {
        name: String::new(),
        locations: kernel.location_names(),
        initial: Vec::new(),
        blocks: Vec::new(),
        observed: found.observed.clone(),
        expectations: Vec::new(),
    };
    let condition = named.condition(condition).map_err(|error| Finding::new(format!("--can: {}", error.message)))?;
    if let Some(location) = named.observed.get(found.observed.len()) {
        return Err(Finding::new(format!("--can: {} is not written by any block", kernel.location_name(*location))).into());
    }
    let mut can = false;
    for outcome in found.outcomes.keys() {
        let bits = found.observed.iter().zip(&outcome.memory);
        let memory: Option<Vec<u64>> = bits.map(|(location, bits)| kernel.value_bits(*location, *bits)).collect();
        let memory = memory.ok_or_else(|| Finding::new("--can: conditions compare integers of up to 32 bits".to_owned()))?;
        can |= condition.holds(&Outcome { values: Vec::new(), memory });
    }
    Ok(ReportedAnswer { condition: condition.text(&named), answer: can })
}
