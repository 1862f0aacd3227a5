//! How many operations a block executes before and after `-O`: the table of docs/passes.md.
//!
//! `BLESS=1 cargo test -p tilewright --test executed` writes it anew.

use std::{env, fs, path::Path};
use tilewright::{
    bytecode,
    ir::VerifiedModule,
    passes::{Pipeline, RunOptions},
    stats::{Amount, FunctionStats, Stats},
};

const BEGIN: &str = "<!-- executed -->\n";
const END: &str = "\n<!-- end -->";

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &Path) -> VerifiedModule {
    let bytes = fs::read(file).expect("the file is there");
    let module = bytecode::read(&bytes).expect("it reads");
    tilewright::ir::verify(module).expect("it is valid")
}

/// Each kernel's bytecode: the newest version of each case that every checkout has, and the benchmarks.
fn kernels() -> Vec<std::path::PathBuf> {
    let newest = |folder: &Path| {
        let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.filter(|path| path.extension().is_some_and(|ending| ending == "tilebc")).max()
    };
    let cases = fs::read_dir(folder().join("../../tests/corpus/cases")).expect("the corpus");
    let mut cases: Vec<_> = cases.filter_map(|case| newest(&case.expect("an entry").path())).collect();
    cases.sort();
    let benches = fs::read_dir(folder().join("benches")).expect("the benchmarks").map(|entry| entry.expect("an entry").path());
    let mut benches: Vec<_> = benches.filter(|path| path.extension().is_some_and(|ending| ending == "tilebc")).collect();
    benches.sort();
    cases.into_iter().chain(benches).collect()
}

/// What stands for an amount where two are compared: the numbers of each term, the one with the most unknown factors first.
fn weight(amount: &Amount) -> Vec<(usize, u128)> {
    let mut terms: Vec<(usize, u128)> = amount.terms.iter().map(|term| (term.loops.len(), term.count)).collect();
    terms.sort_by(|a, b| b.cmp(a));
    terms
}

fn executed(stats: &FunctionStats) -> &Amount {
    stats.executed.as_ref().expect("few loops nest")
}

fn row(file: &Path, before: &FunctionStats, after: &FunctionStats) -> String {
    let name = |path: Option<&std::ffi::OsStr>| path.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = name(file.parent().and_then(Path::file_name));
    let case = if folder == "benches" { format!("bench: {}", name(file.file_stem())) } else { folder };
    format!("| {case} | `{}` | {} | {} |\n", before.name, executed(before), executed(after))
}

#[test]
fn the_documentation_says_what_is_executed() {
    let mut table = "| case | kernel | before | after |\n| --- | --- | --- | --- |\n".to_owned();
    let mut fewer = 0;
    let mut all = 0;
    for file in kernels() {
        let module = read(&file);
        let before = Stats::of_module(&module);
        let pipeline = Pipeline::parse(Pipeline::DEFAULT).expect("the usual passes");
        let (module, _) = pipeline.run(module, RunOptions::default()).expect("it stays valid");
        let after = Stats::of_module(&module);
        for (before, after) in before.functions.iter().zip(&after.functions) {
            assert!(weight(executed(after)) <= weight(executed(before)), "{} executes more", file.display());
            fewer += usize::from(weight(executed(after)) < weight(executed(before)));
            all += 1;
            table += &row(&file, before, after);
        }
    }
    assert!(fewer * 10 > all * 9, "{fewer} of {all} kernels execute fewer operations");
    let page = folder().join("../../docs/passes.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (head, rest) = text.split_once(BEGIN).expect("a begin");
    let (found, tail) = rest.split_once(END).expect("an end");
    if env::var_os("BLESS").is_some() {
        fs::write(&page, format!("{head}{BEGIN}\n{table}{END}{tail}")).expect("the page is written");
    } else {
        assert_eq!(found.trim(), table.trim(), "BLESS=1 writes the table anew");
    }
}
