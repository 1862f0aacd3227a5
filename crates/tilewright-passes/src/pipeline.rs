//! Pipelines: passes in an order, from text, and how they run.

mod parse;

pub use parse::PipelineError;

use crate::{
    registry::{Options, PassInfo, Run},
    statistics::Statistics,
};
use std::{
    fmt,
    time::{Duration, Instant},
};
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

    /// Whether the module is verified after each pass, so that a broken pass is named. By default it is where debug assertions
    /// are on. What a pipeline gives is verified in any case.
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

/// A pass that broke a module: a defect of the pass, for what it was given was valid.
#[derive(Clone, Debug)]
pub struct BrokenModule {
    /// The pass, or, unless the module was verified after each, the whole pipeline.
    pub pass: String,
    /// What is wrong with the module.
    pub findings: Vec<Diagnostic>,
    /// The module.
    pub module: Box<Module>,
}

impl fmt::Display for BrokenModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after '{}' the module is not valid any more, which is a defect of Tilewright: please report it", self.pass)?;
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
        if !verify_each && options.after.is_none() {
            let mut report = Report::default();
            for steps in self.groups() {
                run_steps(steps, &mut module, Order::Text, Some(&mut report));
            }
            return Ok((verified(module, || self.to_string())?, report));
        }
        let mut report = Report::default();
        for step in &self.steps {
            run_steps(std::slice::from_ref(step), &mut module, Order::Text, Some(&mut report));
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
            let order = if groups.peek().is_some() { Order::Text } else { Order::Any };
            run_steps(steps, module, order, None);
        }
    }

    /// The passes, those of functions together.
    fn groups(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunk_by(|a, b| a.is_of_functions() && b.is_of_functions())
    }
}

fn verified(module: Module, pass: impl Fn() -> String) -> Result<VerifiedModule, BrokenModule> {
    try_verify(module).map_err(|rejected| BrokenModule { pass: pass(), findings: rejected.findings, module: Box::new(rejected.module) })
}

/// The code of a pass with its options.
enum Code {
    Function(fn(&mut Rewriter<'_>, Options<'_>, &mut Statistics)),
    Module(fn(&mut Module, Options<'_>, &mut Statistics)),
}

/// How operations are numbered behind passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As they stand in the text.
    Text,
    /// Somehow.
    Any,
}

/// Runs passes one after the other on each function, of which the uses of values are found once; or one on the module.
fn run_steps(steps: &[Step], module: &mut Module, order: Order, report: Option<&mut Report>) {
    let mut reports: Vec<StepReport> = Vec::new();
    if report.is_some() {
        reports.extend(steps.iter().map(StepReport::new));
    }
    if let [step] = steps
        && let Code::Module(run) = step.code()
    {
        let ops_before = num_ops(module);
        measure(reports.first_mut(), ops_before, |changes| {
            run(module, step.options(), changes);
            num_ops(module)
        });
    } else {
        run_on_functions(steps, module, order, &mut reports);
    }
    if let Some(report) = report {
        report.steps.append(&mut reports);
    }
}

/// Runs passes of functions. `reports`: one for each step, or none.
fn run_on_functions(steps: &[Step], module: &mut Module, order: Order, reports: &mut [StepReport]) {
    for function in &mut module.functions {
        let mut rewriter = Rewriter::new(&mut module.tables, &mut function.body);
        // By step: whether it changed the function.
        let mut changed: Vec<bool> = Vec::with_capacity(steps.len());
        for (i, step) in steps.iter().enumerate() {
            let Code::Function(run) = step.code() else { break };
            let ops_before = rewriter.num_ops();
            let again = step.info.is_idempotent && step.is_settled(&steps[..i], &changed);
            let did = measure(reports.get_mut(i), ops_before, |changes| {
                if !again {
                    run(&mut rewriter, step.options(), changes);
                }
                rewriter.num_ops()
            });
            changed.push(did);
        }
        if order == Order::Any {
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
    let start = Instant::now();
    report.ops_after += pass(&mut changes);
    report.time += start.elapsed();
    report.ops_before += ops_before;
    changes.counts().iter().for_each(|(what, count)| report.changes.add(what, *count));
    !changes.is_empty()
}

impl Step {
    fn is_of_functions(&self) -> bool {
        matches!(self.code(), Code::Function(_))
    }

    /// What it runs with its options.
    fn code(&self) -> Code {
        match self.info.run {
            Run::Function(function) => Code::Function(function),
            Run::Module(module) => Code::Module(module),
            Run::Unless { option, function, .. } if self.options().get(option) == 0 => Code::Function(function),
            Run::Unless { module, .. } => Code::Module(module),
        }
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
