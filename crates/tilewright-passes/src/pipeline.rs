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
        let mut report = Report::default();
        for step in &self.steps {
            report.steps.push(step.run(&mut module));
            if verify_each {
                module = verified(module, || step.to_string())?.into_inner();
            }
            if let Some(observer) = &mut options.after {
                observer(step, &module);
            }
        }
        Ok((verified(module, || self.to_string())?, report))
    }
}

fn verified(module: Module, pass: impl Fn() -> String) -> Result<VerifiedModule, BrokenModule> {
    try_verify(module).map_err(|rejected| BrokenModule { pass: pass(), findings: rejected.findings, module: Box::new(rejected.module) })
}

impl Step {
    fn run(&self, module: &mut Module) -> StepReport {
        let options = Options { info: self.info, values: &self.values };
        let ops_before = num_ops(module);
        let mut changes = Statistics::default();
        let start = Instant::now();
        match self.info.run {
            Run::Function(run) => {
                for function in &mut module.functions {
                    run(&mut Rewriter::new(&mut module.tables, &mut function.body), options, &mut changes);
                }
            }
            Run::Module(run) => run(module, options, &mut changes),
        }
        StepReport { pass: self.to_string(), time: start.elapsed(), changes, ops_before, ops_after: num_ops(module) }
    }
}

fn num_ops(module: &Module) -> usize {
    module.functions.iter().map(|function| function.body.num_ops()).sum()
}
