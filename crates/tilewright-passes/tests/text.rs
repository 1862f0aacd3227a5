//! Passes, from text to text.
//!
//! Each file `tests/*.mlir` begins with `// passes: PIPELINE`. Behind each of its functions stands, in comments that begin with
//! `//|`, what the pipeline makes of it; a file with the line `// shows: debug-info` has the whole module at its end instead. `BLESS=1`
//! rewrites them.

use std::{fmt::Write as _, fs, path::Path};
use tilewright_ir::verify;
use tilewright_passes::{PASSES, Pipeline, RunOptions};
use tilewright_text::{ParseOptions, PrintOptions, parse, print, print_function};

/// What the comments with expectations begin with.
const EXPECTED: &str = "//|";

/// The file as it should be.
fn blessed(text: &str, path: &Path) -> String {
    let name = path.display();
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
