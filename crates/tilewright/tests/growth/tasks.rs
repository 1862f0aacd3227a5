//! What is done with modules.

use tilewright::{
    bytecode::{self, FileLayout, WriteOptions, dump},
    diff::{DiffOptions, diff},
    exec::Program,
    ir::{self, Diagnostic, Module, VerifiedModule},
    passes::{Pipeline, RunOptions},
    stats::{FileStats, Stats},
    text::{self, ParseOptions, PrintOptions},
};

/// The name of the file that texts are located in.
const FILE: &str = "growth.mlir";

/// A module in all its forms.
pub(crate) struct Subject {
    /// As it was written, and in generic form with all that there is to say.
    texts: Vec<String>,
    module: Option<Module>,
    /// The module with its places in the text, and what is wrong with it.
    findings: Option<(Module, Vec<Diagnostic>)>,
    verified: Option<VerifiedModule>,
    program: Option<Program>,
    /// The same, without passes.
    as_it_is: Option<Program>,
    file: Option<(Vec<u8>, FileLayout)>,
}

impl Subject {
    pub(crate) fn new(text: String) -> Subject {
        let module = text::parse(&text, &ParseOptions::new()).ok();
        let verified = module.clone().and_then(|module| ir::verify(module).ok());
        let located = text::parse(&text, &ParseOptions::new().locate(FILE)).ok();
        let findings = located.map(ir::try_verify).and_then(Result::err).map(|rejected| (rejected.module, rejected.findings));
        let file = verified.as_ref().map(|module| {
            let bytes = bytecode::write(module, &WriteOptions::new(module.version)).expect("the newest version can say it");
            let layout = bytecode::read_with_layout(&bytes).expect("what was written reads").1;
            (bytes, layout)
        });
        let program = verified.clone().map(Program::new);
        let as_it_is = verified.clone().map(Program::without_passes);
        let generic = verified.as_ref().map(|module| text::print(module, &all_forms()));
        Subject { texts: std::iter::once(text).chain(generic).collect(), module, findings, verified, program, as_it_is, file }
    }

    /// What is wrong with the module, if anything is.
    pub(crate) fn complaint(&self) -> Option<String> {
        let errors = text::parse(&self.texts[0], &ParseOptions::new()).err().unwrap_or_default();
        let rendered = errors.first().map(|error| error.render(&self.texts[0], FILE));
        rendered.or_else(|| self.findings.as_ref().map(|(_, findings)| findings[0].to_string()))
    }
}

fn all_forms() -> PrintOptions {
    PrintOptions::new().module(true).generic(true).debug_info(true)
}

/// Something that is done with a module, or with a module and a somewhat longer one.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    /// Gives how many bytes it read and made: texts with deep nests grow with the square of the depth.
    pub(crate) run: fn(&Subject, &Subject) -> usize,
}

/// All tasks. Each of them does nothing for modules that it is not about.
pub(crate) const TASKS: &[Task] = &[
    Task { name: "parse", run: |subject, _| parse(&subject.texts[0], &ParseOptions::new()) },
    Task { name: "parse with places", run: |subject, _| parse(&subject.texts[0], &ParseOptions::new().locate(FILE)) },
    Task { name: "parse generic text", run: |subject, _| subject.texts.get(1).map_or(0, |text| parse(text, &ParseOptions::new())) },
    Task { name: "render errors", run: render_errors },
    Task { name: "verify", run: verify },
    Task { name: "render findings", run: render_findings },
    Task { name: "print", run: |subject, _| print(subject, PrintOptions::new()) },
    Task { name: "print a module", run: |subject, _| print(subject, PrintOptions::new().module(true)) },
    Task { name: "print locations", run: |subject, _| print(subject, PrintOptions::new().debug_info(true)) },
    Task { name: "print generic text", run: |subject, _| print(subject, all_forms()) },
    Task { name: "read", run: read },
    Task { name: "read with layout", run: read_with_layout },
    Task { name: "write", run: write },
    Task { name: "write with layout", run: write_with_layout },
    Task { name: "objdump", run: objdump },
    Task { name: "diff with itself", run: |subject, _| compare(subject, subject) },
    Task { name: "diff with more", run: compare },
    Task { name: "stats", run: stats },
    Task { name: "put in order", run: put_in_order },
    Task { name: "opt -O", run: opt },
    Task { name: "plan", run: plan },
    Task { name: "plan as it is", run: plan_as_it_is },
];

fn parse(text: &str, options: &ParseOptions<'_>) -> usize {
    drop(text::parse(text, options));
    text.len()
}

fn render_errors(subject: &Subject, _: &Subject) -> usize {
    let text = &subject.texts[0];
    let errors = text::parse(text, &ParseOptions::new()).err().unwrap_or_default();
    text.len() + errors.iter().map(|error| error.render(text, FILE).len()).sum::<usize>()
}

fn verify(subject: &Subject, _: &Subject) -> usize {
    drop(subject.module.clone().map(ir::verify));
    0
}

fn render_findings(subject: &Subject, _: &Subject) -> usize {
    let Some((module, findings)) = &subject.findings else { return 0 };
    let shown = text::render_findings(module, findings, &subject.texts[0], FILE);
    shown.iter().flatten().map(String::len).sum()
}

fn print(subject: &Subject, options: PrintOptions) -> usize {
    subject.module.as_ref().map_or(0, |module| text::print(module, &options).len())
}

fn read(subject: &Subject, _: &Subject) -> usize {
    drop(subject.file.as_ref().map(|(bytes, _)| bytecode::read(bytes)));
    0
}

fn read_with_layout(subject: &Subject, _: &Subject) -> usize {
    drop(subject.file.as_ref().map(|(bytes, _)| bytecode::read_with_layout(bytes)));
    0
}

fn write(subject: &Subject, _: &Subject) -> usize {
    drop(subject.verified.as_ref().map(|module| bytecode::write(module, &WriteOptions::new(module.version))));
    0
}

fn write_with_layout(subject: &Subject, _: &Subject) -> usize {
    if let (Some(module), Some((_, layout))) = (&subject.verified, &subject.file) {
        drop(bytecode::write(module, &WriteOptions::new(module.version).layout(layout)));
    }
    0
}

fn objdump(subject: &Subject, _: &Subject) -> usize {
    let mut out = String::new();
    if let Some((bytes, _)) = &subject.file {
        dump::dump(bytes, &mut dump::write_text(dump::TextOptions::new(), &mut out));
    }
    out.len()
}

fn compare(old: &Subject, new: &Subject) -> usize {
    let (Some(old), Some(new)) = (&old.module, &new.module) else { return 0 };
    diff(old, new, &DiffOptions::new().locations(true)).to_string().len()
}

fn stats(subject: &Subject, _: &Subject) -> usize {
    drop(subject.file.as_ref().map(|(bytes, _)| FileStats::of_file(bytes)));
    subject.module.as_ref().map_or(0, |module| Stats::of_module(module).to_string().len())
}

fn put_in_order(subject: &Subject, _: &Subject) -> usize {
    for function in subject.module.iter().flat_map(|module| &module.functions) {
        drop(function.body.in_order());
    }
    0
}

fn opt(subject: &Subject, _: &Subject) -> usize {
    let passes = Pipeline::default_passes();
    drop(subject.verified.clone().map(|module| passes.run(module, RunOptions::new().verify_each(false))));
    0
}

fn plan(subject: &Subject, _: &Subject) -> usize {
    drop(subject.program.as_ref().map(|program| program.plan("k")));
    0
}

fn plan_as_it_is(subject: &Subject, _: &Subject) -> usize {
    drop(subject.as_it_is.as_ref().map(|program| program.plan("k")));
    0
}
