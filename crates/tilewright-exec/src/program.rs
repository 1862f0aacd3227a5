//! Programs: verified modules with the plans made from them.

use crate::{
    Plan, PlanError, PlanPass, TargetMachine,
    hash::HashMap,
    memory::Globals,
    plan::{Grouping, ShortDivisions, Source, mark_origins},
};
use std::{
    fmt::Display,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright_ir::{AttrName, AttrValue, Function, LocationTable, Module, Opcode, Str, Tables, VerifiedModule};
use tilewright_passes::{
    Pipeline,
    coarsen::{Coarsening, coarsen},
};

/// A module that can be run. Its globals are initialised when it is made, and keep what launches store in them.
#[derive(Debug)]
pub struct Program {
    planner: Planner,
    plans: Mutex<Plans>,
}

#[derive(Debug, Default)]
struct Plans {
    by_entry: HashMap<String, Arc<Plan>>,
    /// Everything of the module but its functions, and what passes added; made when the first entry is changed.
    workshop: Option<Module>,
}

/// How the entries of a module are planned.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    module: Arc<VerifiedModule>,
    globals: Arc<Globals>,
    passes: Option<Arc<Pipeline>>,
    /// Whether plans show each operation to a watcher.
    watched: bool,
    machine: TargetMachine,
    /// Blocks of plans do the work of groups.
    coarsening: Option<Coarsening>,
}

impl Program {
    /// The passes that a program is improved by: the usual ones, but loads stay where they are, also where nothing reads them. So an access
    /// outside of all memory is an error whatever becomes of the number, and observers see the accesses of the program.
    pub const PASSES: &'static str = "canonicalize,cse,licm(loads=0),canonicalize,cse,dce(loads=0)";

    /// A program without plans; each is made when it is first asked for, of what [`Program::PASSES`] make of the entry.
    ///
    /// # Panics
    /// Never: a test parses the passes.
    pub fn new(module: VerifiedModule) -> Program {
        let passes = Pipeline::parse(Program::PASSES).expect("the passes are well formed");
        Program::with_passes(module, passes)
    }

    /// A program whose plans are made of the operations as they stand.
    pub fn without_passes(module: VerifiedModule) -> Program {
        Program::of(module, None, false)
    }

    /// A program whose launches a [`Watcher`](crate::Watcher) can see: plans are made of the operations as they stand, and show each.
    pub fn watched(module: VerifiedModule) -> Program {
        Program::of(module, None, true)
    }

    /// A program whose entries are improved by these passes before they are planned. Messages still name the operations of `module`.
    pub fn with_passes(module: VerifiedModule, passes: Pipeline) -> Program {
        Program::of(module, Some(passes), false)
    }

    fn of(module: VerifiedModule, passes: Option<Pipeline>, watched: bool) -> Program {
        let globals = Arc::new(Globals::new(&module));
        let (module, passes, machine) = (Arc::new(module), passes.map(Arc::new), TargetMachine::host());
        Program { planner: Planner { module, globals, passes, watched, machine, coarsening: None }, plans: Mutex::default() }
    }

    /// The same program, planned for a part of what this machine can do. Plans that were made stay with those who have them.
    #[must_use]
    pub fn for_machine(self, machine: TargetMachine) -> Program {
        Program { planner: Planner { machine, ..self.planner }, plans: Mutex::default() }
    }

    /// The same program, planned so that each block does the work of a group of neighbouring blocks. A launch wants a grid of groups.
    #[must_use]
    pub fn in_groups(self, coarsening: Coarsening) -> Program {
        Program { planner: self.planner.in_groups(coarsening), plans: Mutex::default() }
    }

    /// Another program of the same module and passes, planned for a machine. It has globals of its own, as they are at first.
    #[must_use]
    pub fn copy_for(&self, machine: TargetMachine) -> Program {
        let globals = Arc::new(Globals::new(&self.planner.module));
        Program { planner: Planner { globals, machine, ..self.planner.clone() }, plans: Mutex::default() }
    }

    /// What its plans are made for.
    pub fn machine(&self) -> TargetMachine {
        self.planner.machine
    }

    /// Its module, as it was before any pass.
    pub fn module(&self) -> &VerifiedModule {
        &self.planner.module
    }

    /// The plan of the entry with this name.
    ///
    /// # Errors
    /// When there is no such entry, or the engine cannot run it.
    pub fn plan(&self, entry: &str) -> Result<Arc<Plan>, PlanError> {
        // A panic while planning leaves the map as it was.
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.by_entry.get(entry) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(self.planner.plan(entry, &mut plans.workshop, |_, _| {})?);
        plans.by_entry.insert(entry.to_owned(), Arc::clone(&plan));
        Ok(plan)
    }

    /// The text of the plan of the entry with this name, as it is after a pass.
    ///
    /// # Errors
    /// When there is no such entry, or the engine cannot run it.
    pub fn plan_after(&self, entry: &str, pass: &PlanPass) -> Result<String, PlanError> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        self.planner.plan(entry, &mut plans.workshop, |done, plan| {
            if done.name == pass.name {
                text = plan.to_string();
            }
        })?;
        Ok(text)
    }

    /// The texts of the plan of the entry with this name, as it is after each pass, in their order.
    ///
    /// # Errors
    /// When there is no such entry, or the engine cannot run it.
    pub fn plan_stages(&self, entry: &str) -> Result<Vec<(PlanPass, String)>, PlanError> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stages = Vec::new();
        self.planner.plan(entry, &mut plans.workshop, |done, plan| stages.push((*done, plan.to_string())))?;
        Ok(stages)
    }
}

impl Planner {
    /// The plan of an entry.
    fn plan(&self, name: &str, workshop: &mut Option<Module>, observe: impl FnMut(&PlanPass, &dyn Display)) -> Result<Plan, PlanError> {
        let module: &Module = &self.module;
        let text = |function: &Function| module.tables.strings.text(function.name).into_owned();
        let wanted = module.tables.strings.find(name);
        let Some(entry) = module.functions.iter().position(|function| function.is_entry && Some(function.name) == wanted) else {
            let entries = module.functions.iter().filter(|function| function.is_entry).map(text);
            return Err(PlanError::UnknownEntry { name: name.to_owned(), entries: entries.collect() });
        };
        let Some(passes) = &self.passes else {
            if self.watched {
                return Plan::watched(module, &self.globals, &module.functions[entry], self.machine);
            }
            return Plan::new(Source::Original(module), &self.globals, &module.functions[entry], self.machine, observe);
        };
        // An error or a panic in a pass leaves no workshop, and the next plan makes another one.
        let mut changed = workshop.take().unwrap_or_else(|| without_functions(module));
        copy_functions(module, entry, &mut changed);
        passes.change(&mut changed);
        if let Some(coarsening) = self.coarsening {
            coarsen(&mut changed, coarsening).map_err(|refusal| PlanError::NoGroups { why: refusal.to_string() })?;
            passes.change(&mut changed);
        }
        let source = Source::Changed { module: &changed, original: module };
        let plan = Plan::new(source, &self.globals, &changed.functions[0], self.machine, observe);
        changed.functions.clear();
        *workshop = Some(changed);
        let mut plan = plan?;
        if self.coarsening.is_none() {
            plan.grouping = Grouping::new(self, &plan);
            plan.short_divisions = ShortDivisions::new(self, &plan);
        }
        Ok(plan)
    }

    /// The same, with blocks that do the work of groups.
    fn in_groups(&self, coarsening: Coarsening) -> Planner {
        Planner { coarsening: Some(coarsening), passes: Some(self.passes.clone().unwrap_or_default()), ..self.clone() }
    }

    /// The same, for plans whose loads with divided indices go lane by lane.
    pub(crate) fn without_divisions(&self) -> Planner {
        Planner { machine: self.machine.without_divisions(), ..self.clone() }
    }

    /// The plan of an entry.
    ///
    /// # Errors
    /// When the engine cannot run it.
    pub(crate) fn plan_alone(&self, entry: &str) -> Result<Plan, PlanError> {
        self.plan(entry, &mut None, |_, _| {})
    }

    /// The plan of groups of an entry's blocks.
    ///
    /// # Errors
    /// When blocks cannot be joined so, or the engine cannot run what is made of them.
    pub(crate) fn plan_of_groups(&self, entry: &str, coarsening: Coarsening) -> Result<Plan, PlanError> {
        self.in_groups(coarsening).plan(entry, &mut None, |_, _| {})
    }
}

/// All of a module but its functions and its locations.
fn without_functions(module: &Module) -> Module {
    let Module { name, producer, version, tables, globals, functions: _ } = module;
    let Tables { strings, types, attrs, constants, locations: _ } = tables;
    let (strings, types, attrs, constants) = (strings.clone(), types.clone(), attrs.clone(), constants.clone());
    let tables = Tables { strings, types, attrs, constants, locations: LocationTable::default() };
    Module { name: *name, producer: *producer, version: *version, tables, globals: globals.clone(), functions: Vec::new() }
}

/// Puts copies of an entry and of all that it calls into a module without functions, the entry first.
fn copy_functions(from: &Module, entry: usize, to: &mut Module) {
    to.tables.locations = LocationTable::default();
    let mut needed = vec![entry];
    let mut by_name: Option<HashMap<Str, usize>> = None;
    // By position: whether it is in the module, or will be.
    let mut seen = vec![false; from.functions.len()];
    seen[entry] = true;
    while let Some(position) = needed.pop() {
        let function = &from.functions[position];
        to.functions.push(function.clone());
        mark_origins(to, to.functions.len() - 1, position);
        let calls = function.body.preorder().filter(|op| op.opcode() == Opcode::PreviewCall);
        for call in calls {
            let by_name = by_name.get_or_insert_with(|| from.functions.iter().enumerate().map(|(i, f)| (f.name, i)).collect());
            let AttrValue::Str(callee) = call.attr(AttrName::Callee) else { continue };
            needed.extend(by_name.get(&callee).copied().filter(|callee| !std::mem::replace(&mut seen[*callee], true)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_usual_passes_but_for_loads() {
        let passes = Pipeline::parse(Program::PASSES).unwrap().to_string();
        assert_eq!(passes.replace("(loads=0)", ""), Pipeline::DEFAULT);
    }
}
