//! Pipelines: passes in an order, from text, and how they run.

mod parse;

pub use parse::PipelineError;

use crate::{
    clock::Moment,
    facts::{Analyses, Analysis},
    registry::{Options, PassInfo, Run},
    statistics::Statistics,
};
use std::{fmt, time::Duration};
use tilewright_ir::{Diagnostic, Module, Rewriter, VerifiedModule, try_verify};

/// Passes in the order in which they run.
///
/// ```
/// use tilewright_passes::Pipeline;
///
/// let pipeline = Pipeline::parse("cse, dce")?;
/// assert_eq!(pipeline.to_string(), "cse,dce");
/// assert_eq!(Pipeline::parse("cse,dse").unwrap_err().position(), 4);
/// # Ok::<(), tilewright_passes::PipelineError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    pub(crate) steps: Vec<Step>,
}

/// A pass with the numbers that it was given.
#[derive(Clone, Debug)]
pub struct Step {
    info: &'static PassInfo,
    /// One for each option of the pass.
    values: Vec<u64>,
}

impl Step {
    /// The pass.
    pub fn info(&self) -> &'static PassInfo {
        self.info
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let changed = self.info.options.iter().zip(&self.values).filter(|(option, value)| option.default != **value);
        let changed: Vec<String> = changed.map(|(option, value)| format!("{}={value}", option.name)).collect();
        if changed.is_empty() { Ok(()) } else { write!(f, "({})", changed.join(",")) }
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            write!(f, "{}{step}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// How a pipeline runs.
#[derive(Default)]
pub struct RunOptions<'a> {
    verify_each: Option<bool>,
    after: Option<&'a mut Observer<'a>>,
}

/// Looks at the module after a pass.
pub type Observer<'a> = dyn FnMut(&Step, &Module) + 'a;

impl fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions").field("verify_each", &self.verify_each).finish_non_exhaustive()
    }
}

impl<'a> RunOptions<'a> {
    /// The defaults.
    pub fn new() -> RunOptions<'a> {
        RunOptions::default()
    }

    /// Whether the module is verified after each pass, so that a broken pass is named, and analyses that the pass preserves are computed
    /// again and compared. By default it is where debug assertions are on. What a pipeline gives is verified in any case.
    pub fn verify_each(mut self, verify: bool) -> Self {
        self.verify_each = Some(verify);
        self
    }

    /// Is called with the module after each pass.
    pub fn after(mut self, observer: &'a mut Observer<'a>) -> Self {
        self.after = Some(observer);
        self
    }
}

/// What a pass did.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The pass, as it stands in the pipeline.
    pub pass: String,
    /// How long it took.
    pub time: Duration,
    /// What it changed.
    pub changes: Statistics,
    /// How many operations the module had before it.
    pub ops_before: usize,
    /// How many operations it has after it.
    pub ops_after: usize,
}

/// What the passes of a pipeline did, in their order.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One report for each pass.
    pub steps: Vec<StepReport>,
}

/// A pass that broke a module, or what is known of it: a defect of the pass, for what it was given was valid.
#[derive(Clone, Debug)]
pub struct BrokenModule {
    /// The pass, or, unless the module was verified after each, the whole pipeline.
    pub pass: String,
    /// What is wrong with the module.
    pub findings: Vec<Diagnostic>,
    /// An analysis that the pass is said to preserve, and that says something else of the module now.
    pub stale: Option<Analysis>,
    /// The module.
    pub module: Box<Module>,
}

impl fmt::Display for BrokenModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.stale {
            Some(stale) => format!("the analysis '{stale}' does not hold"),
            None => "the module is not valid".to_owned(),
        };
        write!(f, "after '{}' {what} any more, which is a defect of Tilewright: please report it", self.pass)?;
        self.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
    }
}

impl std::error::Error for BrokenModule {}

impl Pipeline {
    /// The usual pipeline: what `-O` stands for.
    pub const DEFAULT: &'static str = "canonicalize,cse,licm,canonicalize,cse,dce";

    /// The usual pipeline.
    ///
    /// # Panics
    /// Never: a test parses it.
    pub fn default_passes() -> Pipeline {
        Pipeline::parse(Pipeline::DEFAULT).expect("the usual pipeline is well formed")
    }

    /// The passes, in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Runs the passes.
    ///
    /// # Errors
    /// When a pass made a module that is not valid.
    pub fn run(&self, module: VerifiedModule, mut options: RunOptions<'_>) -> Result<(VerifiedModule, Report), BrokenModule> {
        let verify_each = options.verify_each.unwrap_or(cfg!(debug_assertions));
        let mut module = module.into_inner();
        let mut report = Report::default();
        if !verify_each && options.after.is_none() {
            for steps in self.groups() {
                run_steps(steps, &mut module, &mut Mode { report: Some(&mut report), ..Mode::default() });
            }
            return Ok((verified(module, || self.to_string())?, report));
        }
        for step in &self.steps {
            let mut mode = Mode { report: Some(&mut report), checks_analyses: verify_each, ..Mode::default() };
            run_steps(std::slice::from_ref(step), &mut module, &mut mode);
            if let Some(stale) = mode.stale {
                return Err(BrokenModule { pass: step.to_string(), findings: Vec::new(), stale: Some(stale), module: Box::new(module) });
            }
            if verify_each {
                module = verified(module, || step.to_string())?.into_inner();
            }
            if let Some(observer) = &mut options.after {
                observer(step, &module);
            }
        }
        Ok((verified(module, || self.to_string())?, report))
    }

    /// Runs the passes on what is known to be valid, as a part of a [`VerifiedModule`] is. What they make of it is valid too, but
    /// nobody looks, and operations are not numbered in the order of the text: for those that read it once and rely on nothing.
    pub fn change(&self, module: &mut Module) {
        let mut groups = self.groups().peekable();
        while let Some(steps) = groups.next() {
            run_steps(steps, module, &mut Mode { leaves_unordered: groups.peek().is_none(), ..Mode::default() });
        }
    }

    /// The passes, those of functions together.
    fn groups(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunk_by(|a, b| a.is_of_functions() && b.is_of_functions())
    }
}

fn verified(module: Module, pass: impl Fn() -> String) -> Result<VerifiedModule, BrokenModule> {
    try_verify(module).map_err(|rejected| {
        let (findings, module) = (rejected.findings, Box::new(rejected.module));
        BrokenModule { pass: pass(), findings, stale: None, module }
    })
}

/// How passes run, and what is learnt meanwhile.
#[derive(Default)]
struct Mode<'a> {
    /// What they did is added to this.
    report: Option<&'a mut Report>,
    /// Operations need not be numbered as they stand in the text in the end.
    leaves_unordered: bool,
    /// Analyses that a pass preserves are computed again.
    checks_analyses: bool,
    /// The first one that says something else then.
    stale: Option<Analysis>,
}

/// Runs passes one after the other on each function, of which the uses of values are found once; or one on the module.
fn run_steps(steps: &[Step], module: &mut Module, mode: &mut Mode<'_>) {
    let mut reports: Vec<StepReport> = Vec::new();
    if mode.report.is_some() {
        reports.extend(steps.iter().map(StepReport::new));
    }
    if let [step] = steps
        && let Run::Module(run) = step.info.run
    {
        let ops_before = num_ops(module);
        measure(reports.first_mut(), ops_before, |changes| {
            run(module, step.options(), changes);
            num_ops(module)
        });
    } else {
        run_on_functions(steps, module, mode, &mut reports);
    }
    if let Some(report) = &mut mode.report {
        report.steps.append(&mut reports);
    }
}

/// Runs passes of functions. `reports`: one for each step, or none.
fn run_on_functions(steps: &[Step], module: &mut Module, mode: &mut Mode<'_>, reports: &mut [StepReport]) {
    for function in &mut module.functions {
        let mut rewriter = Rewriter::new(&mut module.tables, &mut function.body);
        let mut analyses = Analyses::default();
        // By step: whether it changed the function.
        let mut changed: Vec<bool> = Vec::with_capacity(steps.len());
        for (i, step) in steps.iter().enumerate() {
            let Run::Function { run, preserves } = step.info.run else { break };
            let ops_before = rewriter.num_ops();
            let again = step.info.is_idempotent && step.is_settled(&steps[..i], &changed);
            if mode.checks_analyses {
                let (tables, body) = rewriter.parts();
                analyses.compute_all(tables, body);
            }
            let did = measure(reports.get_mut(i), ops_before, |changes| {
                if !again {
                    run(&mut rewriter, &mut analyses, step.options(), changes);
                }
                rewriter.num_ops()
            });
            if did {
                analyses.keep(preserves);
            }
            if mode.checks_analyses {
                let (tables, body) = rewriter.parts();
                mode.stale = mode.stale.or_else(|| analyses.stale(tables, body));
            }
            changed.push(did);
        }
        if mode.leaves_unordered {
            rewriter.leave_unordered();
        }
    }
}

/// Does what a pass does, which gives how many operations it left, and adds that to a report; gives whether it changed anything.
fn measure(report: Option<&mut StepReport>, ops_before: usize, pass: impl FnOnce(&mut Statistics) -> usize) -> bool {
    let mut changes = Statistics::default();
    let Some(report) = report else {
        pass(&mut changes);
        return !changes.is_empty();
    };
    let start = Moment::now();
    report.ops_after += pass(&mut changes);
    report.time += Moment::now().since(start);
    report.ops_before += ops_before;
    changes.counts().iter().for_each(|(what, count)| report.changes.add(what, *count));
    !changes.is_empty()
}

impl Step {
    fn is_of_functions(&self) -> bool {
        matches!(self.info.run, Run::Function { .. })
    }

    fn options(&self) -> Options<'_> {
        Options { info: self.info, values: &self.values }
    }

    /// Whether the same pass was among those before, and none changed anything behind it. `changed`: which of them did.
    fn is_settled(&self, before: &[Step], changed: &[bool]) -> bool {
        let same = |step: &Step| std::ptr::eq(step.info, self.info) && step.values == self.values;
        before.iter().rposition(same).is_some_and(|last| !changed[last + 1..].contains(&true))
    }
}

impl StepReport {
    fn new(step: &Step) -> StepReport {
        StepReport { pass: step.to_string(), time: Duration::ZERO, changes: Statistics::default(), ops_before: 0, ops_after: 0 }
    }
}

fn num_ops(module: &Module) -> usize {
    module.functions.iter().map(|function| function.body.num_ops()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_ir::{Opcode, Version, verify};

    /// Removes loops, and says that all jumps are still there.
    static BROKEN: PassInfo = PassInfo {
        name: "broken",
        summary: "Removes all loops",
        options: &[],
        run: Run::Function {
            run: |rewriter, _, _, changes| {
                for op in rewriter.ops_of(Opcode::Loop) {
                    rewriter.erase(op).expect("nothing reads it");
                    changes.add("loops removed", 1);
                }
            },
            preserves: &[Analysis::Tokens],
        },
        is_idempotent: false,
    };

    #[test]
    fn an_analysis_that_a_pass_only_claims_to_preserve_is_found() {
        let mut module = Module::new("m", Version::LATEST);
        let built = module.add_entry("k", &[], |b, _| {
            let around = b.op(Opcode::Loop).finish()?;
            b.region(around, 0, &[], |b, _| b.op(Opcode::Break).finish().map(drop))?;
            b.op(Opcode::Return).finish().map(drop)
        });
        built.expect("it is built");
        let module = verify(module).expect("it is valid");
        let pipeline = Pipeline { steps: vec![Step { info: &BROKEN, values: Vec::new() }] };
        let broken = pipeline.run(module.clone(), RunOptions::new().verify_each(true)).expect_err("the claim is wrong");
        assert_eq!(broken.stale, Some(Analysis::Tokens));
        let told = "after 'broken' the analysis 'tokens' does not hold any more, which is a defect of Tilewright: please report it";
        assert_eq!(broken.to_string(), told);
        pipeline.run(module, RunOptions::new().verify_each(false)).expect("what it makes is valid");
    }
}
