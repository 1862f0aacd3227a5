//! Passes, from text to text.
//!
//! Each file `tests/*.mlir` begins with `// passes: PIPELINE`. Behind each of its functions stands, in comments that begin with
//! `//|`, what the pipeline makes of it; a file with the line `// shows: debug-info` has the whole module at its end instead. `BLESS=1`
//! rewrites them. A file that begins with `// coarsened: AXIS by FACTOR` shows what block coarsening makes of each entry, without what nothing
//! needs, or why it is refused. A file that begins with `// facts: values` or `// facts: memory` shows what is known, beside each operation.

use std::{fmt::Write as _, fs, path::Path};
use tilewright_ir::{Body, Module, OpRef, Opcode, Value, verify};
use tilewright_passes::{
    PASSES, Pipeline, RunOptions,
    coarsen::{Coarsening, coarsen},
    facts::{Analyses, IntegerFacts, Overlap, Places, TripCount},
};
use tilewright_text::{Notes, ParseOptions, PrintOptions, parse, print, print_function, write_with_notes};

/// What the comments with expectations begin with.
const EXPECTED: &str = "//|";

/// The file as it should be.
fn blessed(text: &str, path: &Path) -> String {
    let name = path.display();
    let about_memory = text.starts_with("// facts: memory\n");
    if about_memory || text.starts_with("// facts: values\n") {
        return blessed_facts(text, &name.to_string(), about_memory);
    }
    if let Some(how) = text.lines().next().and_then(|line| line.strip_prefix("// coarsened: ")) {
        return blessed_coarsening(text, &name.to_string(), how);
    }
    let pipeline = text.lines().next().and_then(|line| line.strip_prefix("// passes: "));
    let pipeline = pipeline.unwrap_or_else(|| panic!("{name} does not begin with '// passes: '"));
    let pipeline = Pipeline::parse(pipeline).unwrap_or_else(|error| panic!("{name}: {error}"));
    let source: Vec<&str> = text.lines().filter(|line| !line.starts_with(EXPECTED)).collect();
    let module = parse(&source.join("\n"), &ParseOptions::new());
    let module = module.unwrap_or_else(|errors| panic!("{}", errors[0].render(&source.join("\n"), &name.to_string())));
    let module = verify(module).unwrap_or_else(|findings| panic!("{name}: {}", findings[0]));
    let (module, _) = pipeline.run(module, RunOptions::new().verify_each(true)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut out = String::new();
    let expect = |out: &mut String, text: &str| {
        for line in text.lines() {
            let _ = writeln!(out, "{}", format!("{EXPECTED} {line}").trim_end());
        }
    };
    let shows_locations = source.contains(&"// shows: debug-info");
    let mut symbol = "";
    for line in source {
        let _ = writeln!(out, "{line}");
        symbol = symbol_of(line).unwrap_or(symbol);
        if line == "}" && !shows_locations {
            let function = module.functions.iter().find(|function| module.tables.strings.text(function.name) == symbol);
            expect(&mut out, &function.map_or("removed".to_owned(), |function| print_function(&module, function)));
        }
    }
    if shows_locations {
        expect(&mut out, &print(&module, &PrintOptions::new().module(true).debug_info(true)));
    }
    out
}

/// The file with the facts about each function behind it.
fn blessed_facts(text: &str, name: &str, about_memory: bool) -> String {
    let source: Vec<&str> = text.lines().filter(|line| !line.starts_with(EXPECTED)).collect();
    let module = parse(&source.join("\n"), &ParseOptions::new());
    let module = module.unwrap_or_else(|errors| panic!("{}", errors[0].render(&source.join("\n"), name)));
    let module = verify(module).unwrap_or_else(|findings| panic!("{name}: {}", findings[0]));
    let mut noted = String::new();
    write_with_notes(&module, &PrintOptions::new(), &Known { module: &module, about_memory }, &mut noted)
        .expect("a string takes everything");
    let (mut out, mut symbol) = (String::new(), "");
    for line in source {
        let _ = writeln!(out, "{line}");
        symbol = symbol_of(line).unwrap_or(symbol);
        if line == "}" {
            let function = noted.lines().skip_while(|line| symbol_of(line) != Some(symbol));
            let last = function.clone().position(|line| line == "}").expect("a function ends");
            for line in function.take(last + 1) {
                let _ = writeln!(out, "{}", format!("{EXPECTED} {line}").trim_end());
            }
        }
    }
    out
}

/// The file with each entry coarsened behind it.
fn blessed_coarsening(text: &str, name: &str, how: &str) -> String {
    let (axis, factor) = how.split_once(" by ").unwrap_or_else(|| panic!("{name} does not say '// coarsened: AXIS by FACTOR'"));
    let coarsening = Coarsening { axis: axis.parse().expect("an axis"), factor: factor.parse().expect("a factor") };
    let cleanup = Pipeline::parse("canonicalize,cse,dce(loads=0)").expect("a pipeline");
    let source: Vec<&str> = text.lines().filter(|line| !line.starts_with(EXPECTED)).collect();
    let module = parse(&source.join("\n"), &ParseOptions::new());
    let module = module.unwrap_or_else(|errors| panic!("{}", errors[0].render(&source.join("\n"), name)));
    let module = verify(module).unwrap_or_else(|findings| panic!("{name}: {}", findings[0]));
    let (mut out, mut symbol) = (String::new(), "");
    for line in source {
        let _ = writeln!(out, "{line}");
        symbol = symbol_of(line).unwrap_or(symbol);
        if line != "}" {
            continue;
        }
        let mut one: Module = Module::clone(&module);
        one.functions.retain(|function| module.tables.strings.text(function.name) == symbol);
        let shown = match coarsen(&mut one, coarsening) {
            Err(refusal) => format!("refused: {refusal}"),
            Ok(()) => {
                let coarse = verify(one).unwrap_or_else(|findings| panic!("{name}, {symbol}: {}", findings[0]));
                let (coarse, _) = cleanup.run(coarse, RunOptions::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
                print_function(&coarse, &coarse.functions[0])
            }
        };
        for line in shown.lines() {
            let _ = writeln!(out, "{}", format!("{EXPECTED} {line}").trim_end());
        }
    }
    out
}

/// Facts as notes: about values and loops, or about accesses, which are counted.
struct Known<'m> {
    module: &'m Module,
    about_memory: bool,
}

impl Notes for Known<'_> {
    fn value(&self, body: &Body, value: Value) -> String {
        let is_constant = body.defining_op(value).is_some_and(|op| op.opcode() == Opcode::Constant);
        let facts = IntegerFacts::new(&self.module.tables, body);
        facts.of(value).filter(|_| !self.about_memory && !is_constant).map_or_else(String::new, ToString::to_string)
    }

    fn op(&self, op: OpRef<'_>) -> String {
        let body = op.body();
        let analyses = Analyses::default();
        let facts = analyses.integers(&self.module.tables, body);
        if !self.about_memory {
            return TripCount::of(op, facts).map_or_else(String::new, |trips| trips.to_string());
        }
        if Places::target(op).is_none() {
            return String::new();
        }
        let places = Places::new(&self.module.tables, body, facts);
        let before: Vec<OpRef<'_>> =
            body.preorder().filter(|op| Places::target(*op).is_some()).take_while(|access| access.id() != op.id()).collect();
        let listed = |what: &str, holds: &dyn Fn(OpRef<'_>) -> bool| {
            let found: Vec<String> = before.iter().enumerate().filter(|(_, op)| holds(**op)).map(|(i, _)| i.to_string()).collect();
            if found.is_empty() { String::new() } else { format!(", {what} {}", found.join(" and ")) }
        };
        let after = listed("after", &|other| analyses.tokens(body).is_ordered(body, other.id(), op.id()));
        let same = listed("the place of", &|other| places.overlap(other, op) == Overlap::Same);
        let apart = listed("apart from", &|other| places.overlap(other, op) == Overlap::Never);
        format!("access {}{after}{same}{apart}", before.len())
    }
}

/// The name of the function that begins in a line.
fn symbol_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("entry @").or_else(|| line.strip_prefix("func @"))?;
    rest.split('(').next()
}

#[test]
fn passes_make_what_the_files_expect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    files.sort();
    assert!(!files.is_empty());
    let bless = std::env::var_os("BLESS").is_some_and(|bless| !bless.is_empty());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let expected = blessed(&text, &path);
        if bless {
            fs::write(&path, expected).unwrap();
        } else if let Some((i, (found, expected))) = text.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b) {
            panic!("{}:{}:\n  the file has    {found}\n  the passes make {expected}\nBLESS=1 rewrites the file", path.display(), i + 1);
        } else {
            assert_eq!(text.lines().count(), expected.lines().count(), "{}: BLESS=1 rewrites it", path.display());
        }
    }
}

#[test]
fn every_pass_is_tested_and_documented() {
    let docs = include_str!("../../../docs/passes.md");
    assert!(docs.contains(&format!("`-O` stands for `{}`.", Pipeline::DEFAULT)));
    for pass in PASSES {
        assert!(docs.contains(&format!("\n## `{}`\n", pass.name)), "docs/passes.md has no section about {}", pass.name);
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{}.mlir", pass.name.replace('-', "_")));
        assert!(tests.is_file(), "{} is missing", tests.display());
    }
}

/// The list of NVIDIA's tests names tests of ours that are there.
#[test]
fn tests_beside_those_of_nvidia_exist() {
    let list = include_str!("NVIDIA.md");
    let quoted: Vec<&str> = list.split('`').collect();
    let pairs = quoted.windows(3).filter(|words| words[0].ends_with(".mlir") && words[1] == " ");
    let mut found = 0;
    for words in pairs {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(words[0]);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let is_there = text.lines().filter_map(symbol_of).any(|symbol| symbol == words[2]);
        assert!(is_there, "{} has no function @{}", words[0], words[2]);
        found += 1;
    }
    assert!(found > 40, "only {found} tests of ours are named");
}
