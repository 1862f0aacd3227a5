//! What is done with modules.

use std::cell::RefCell;
use tilewright::{
    bytecode::{self, FileLayout, WriteOptions, dump},
    diff::{DiffOptions, diff},
    exec::Program,
    facts::FactNotes,
    ir::{self, Diagnostic, Module, VerifiedModule},
    passes::{PASSES, Pipeline, RunOptions},
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
    /// One for each pass to change, and what they made: to copy and to drop modules is no part of a pass.
    copies: RefCell<Vec<Module>>,
    changed: RefCell<Vec<Module>>,
}

impl Subject {
    pub(crate) fn new(text: String) -> Subject {
        let module = text::parse(&text, &ParseOptions::new()).ok();
        let verified = module.clone().and_then(|module| ir::verify(module).ok());
        let located = text::parse(&text, &ParseOptions::new().locate(FILE)).ok();
        let findings = located.map(ir::try_verify).and_then(Result::err).map(|rejected| (rejected.module, rejected.findings));
        // Bytecode has no form for functions that are only called.
        let file = verified.as_ref().filter(|module| module.functions.iter().all(|function| function.is_entry)).map(|module| {
            let bytes = bytecode::write(module, &WriteOptions::new(module.version)).expect("the newest version can say it");
            let layout = bytecode::read_with_layout(&bytes).expect("what was written reads").1;
            (bytes, layout)
        });
        let program = verified.clone().map(Program::new);
        let as_it_is = verified.clone().map(Program::without_passes);
        let generic = verified.as_ref().map(|module| text::print(module, &all_forms()));
        let copies: Vec<Module> = verified.iter().flat_map(|module| PASSES.iter().map(|_| Module::clone(module))).collect();
        let (copies, changed) = (RefCell::new(copies), RefCell::new(Vec::with_capacity(PASSES.len())));
        Subject {
            texts: std::iter::once(text).chain(generic).collect(),
            module,
            findings,
            verified,
            program,
            as_it_is,
            file,
            copies,
            changed,
        }
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

/// Something that is done with a module, or with a module and a somewhat longer one. Gives how many bytes it read and made: texts with
/// deep nests grow with the square of the depth.
type Run = dyn Fn(&Subject, &Subject) -> usize;

pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) run: Box<Run>,
}

/// All tasks: those of the library, and each pass by itself. Each of them does nothing for modules that it is not about.
pub(crate) fn tasks() -> Vec<Task> {
    let of_library = LIBRARY.iter().map(|(name, run)| Task { name: (*name).to_owned(), run: Box::new(run) });
    let of_passes = PASSES.iter().map(|pass| {
        let pipeline = Pipeline::parse(pass.name).expect("a name is a pipeline");
        Task { name: format!("pass {}", pass.name), run: Box::new(move |subject, _| change(subject, &pipeline)) }
    });
    of_library.chain(of_passes).collect()
}

/// What the library does.
const LIBRARY: &[(&str, &Run)] = &[
    ("parse", &|subject, _| parse(&subject.texts[0], &ParseOptions::new())),
    ("parse with places", &|subject, _| parse(&subject.texts[0], &ParseOptions::new().locate(FILE))),
    ("parse generic text", &|subject, _| subject.texts.get(1).map_or(0, |text| parse(text, &ParseOptions::new()))),
    ("render errors", &render_errors),
    ("verify", &verify),
    ("render findings", &render_findings),
    ("print", &|subject, _| print(subject, PrintOptions::new())),
    ("print a module", &|subject, _| print(subject, PrintOptions::new().module(true))),
    ("print locations", &|subject, _| print(subject, PrintOptions::new().debug_info(true))),
    ("print generic text", &|subject, _| print(subject, all_forms())),
    ("read", &read),
    ("read with layout", &read_with_layout),
    ("write", &write),
    ("write with layout", &write_with_layout),
    ("objdump", &objdump),
    ("diff with itself", &|subject, _| compare(subject, subject)),
    ("diff with more", &compare),
    ("stats", &stats),
    ("put in order", &put_in_order),
    ("opt -O", &opt),
    ("plan", &plan),
    ("plan as it is", &plan_as_it_is),
    ("print facts", &print_facts),
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
    let Some((_, findings)) = &subject.findings else { return 0 };
    let text = &subject.texts[0];
    let mapped = text::parse::parse_mapped(text, &ParseOptions::new());
    let placed = text::parse::place_findings(text, &mapped.module, &mapped.map, findings);
    text.len() + placed.iter().flatten().map(|error| error.render(text, FILE).len()).sum::<usize>()
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

/// Without verifying the result, which is another task.
fn change(subject: &Subject, pipeline: &Pipeline) -> usize {
    let copy = subject.copies.borrow_mut().pop();
    if let Some(mut module) = copy {
        pipeline.change(&mut module);
        subject.changed.borrow_mut().push(module);
    }
    0
}

fn print_facts(subject: &Subject, _: &Subject) -> usize {
    let Some(module) = &subject.verified else { return 0 };
    let mut out = String::new();
    text::write_with_notes(module, &PrintOptions::new(), &FactNotes::new(module), &mut out).expect("a string takes everything");
    out.len()
}

fn plan(subject: &Subject, _: &Subject) -> usize {
    drop(subject.program.as_ref().map(|program| program.plan("k")));
    0
}

fn plan_as_it_is(subject: &Subject, _: &Subject) -> usize {
    drop(subject.as_it_is.as_ref().map(|program| program.plan("k")));
    0
}
