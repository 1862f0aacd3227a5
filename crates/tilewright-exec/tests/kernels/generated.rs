//! Every module that is generated from the op table has a plan, unless its tiles are too large.

use tilewright_exec::{PlanError, Program};
use tilewright_fuzz::seeded;

const MODULES: u64 = 500;
/// How many bytes the larger ones are made of: some hundreds of operations.
const MAX_LEN: usize = 3000;

#[test]
fn generated_modules_have_plans() {
    let (mut planned, mut failures) = (0, Vec::new());
    for seed in 0..MODULES {
        let module = seeded(seed, MAX_LEN);
        let name = |function: &tilewright_ir::Function| module.tables.strings.text(function.name).into_owned();
        let names: Vec<String> = module.functions.iter().map(name).collect();
        let program = Program::new(module);
        for name in names {
            match program.plan(&name) {
                Ok(_) => planned += 1,
                Err(PlanError::TooLarge { .. }) => {}
                Err(error) => failures.push(format!("seed {seed}, @{name}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} entries have no plan:\n{}", failures.len(), failures.join("\n"));
    assert!(planned > MODULES, "only {planned} entries were planned");
}
