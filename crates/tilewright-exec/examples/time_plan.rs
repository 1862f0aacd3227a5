//! Times planning: `time_plan FILE [COUNT]`. Plans the first entry of a module COUNT times, each time of a program that has no plans yet,
//! and prints the best time.
//!
//! Instructions, which nothing else on the machine disturbs: `valgrind --tool=callgrind --toggle-collect='*::plan_first' time_plan FILE 1`.

use std::io::Write as _;
use std::time::{Duration, Instant};
use tilewright_exec::{PlanError, Program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("no file given")?;
    let count: u32 = args.next().map_or(Ok(1000), |n| n.parse())?;
    let module = tilewright_bytecode::read(&std::fs::read(&path)?)?;
    let module = tilewright_ir::verify(module).map_err(|findings| format!("{findings:?}"))?;
    let entry = module.functions.iter().find(|function| function.is_entry).ok_or("the module has no entry")?;
    let (name, ops) = (module.tables.strings.text(entry.name).into_owned(), entry.body.num_ops());
    let mut best = Duration::MAX;
    for _ in 0..count {
        let program = Program::new(module.clone());
        let start = Instant::now();
        plan_first(&program, &name)?;
        best = best.min(start.elapsed());
    }
    writeln!(std::io::stdout(), "{name}: {ops} operations planned in {best:?}")?;
    Ok(())
}

/// What a profiler is to count.
#[inline(never)]
fn plan_first(program: &Program, entry: &str) -> Result<(), PlanError> {
    program.plan(entry).map(drop)
}
