//! The grammar of `editors/vscode` is made of the op table: `BLESS=1` writes it anew.

use serde_json::{Value, json};
use std::{collections::BTreeSet, env, fs, path::Path};
use tilewright_ir::{EnumKind, Opcode, Scalar, ops::Placement};
use tilewright_text::parse::{TYPE_NAMES, extended_ops};

/// Words of the assembly that no row of the table has.
const WORDS: [&str; 20] = [
    "alignment",
    "array",
    "attributes",
    "callsite",
    "constant",
    "default",
    "dense",
    "dim",
    "false",
    "fused",
    "identities",
    "loc",
    "nan",
    "inf",
    "optimization_hints",
    "shape",
    "strides",
    "true",
    "unknown",
    "unit",
];

/// One of these words, whole.
fn one_of<'w>(words: impl IntoIterator<Item = &'w str>, prefix: &str) -> String {
    // The longest first: the first alternative that fits is taken.
    let mut words: Vec<&str> = words.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let words: Vec<String> = words.iter().map(|word| word.replace('$', "\\$").replace('.', "\\.")).collect();
    format!("(?<![\\w.$%@!#^]){prefix}(?:{})(?![\\w.$])", words.join("|"))
}

fn rule(name: &str, pattern: &str) -> Value {
    json!({ "name": format!("{name}.tileir"), "match": pattern })
}

/// The words of all syntaxes that stand for themselves.
fn syntax_words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for syntax in Opcode::ALL.iter().map(|opcode| opcode.def().syntax()).chain(extended_ops().iter().map(|op| op.syntax())) {
        let pieces = syntax.split(|c: char| !c.is_ascii_alphanumeric() && !"_%$.".contains(c)).skip(1);
        let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        words.extend(pieces.filter(is_word).map(str::to_owned));
    }
    words.retain(|word| word != "type" && Opcode::from_mnemonic(word).is_none());
    words
}

fn grammar() -> Value {
    let body = Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body).map(|opcode| opcode.mnemonic());
    let operations = body.chain(Opcode::OLD_NAMES.iter().map(|(name, _)| *name)).chain(extended_ops().iter().map(|op| op.name));
    let keywords = EnumKind::ALL.iter().flat_map(|kind| kind.values()).map(|value| value.keyword);
    let syntax = syntax_words();
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Tile IR",
        "scopeName": "source.tileir",
        "patterns": [
            rule("comment.line.double-slash", "//.*$"),
            rule("entity.name.function", "@(?:[A-Za-z_][\\w$.]*|\"(?:[^\"\\\\]|\\\\.)*\")"),
            rule("string.quoted.double", "\"(?:[^\"\\\\]|\\\\.)*\""),
            rule("variable.other", "%[\\w$.-]+(?:#\\d+)?"),
            rule("entity.name.label", "\\^[\\w$.-]+"),
            rule("support.type", &format!("!cuda_tile\\.(?:{})(?![\\w.$])", TYPE_NAMES.join("|"))),
            rule("entity.name.type", "![A-Za-z_][\\w$.-]*"),
            rule("variable.other.constant", "#[A-Za-z_][\\w$.-]*"),
            rule("storage.type.function", &one_of(["entry", "func", "global", "module", "private"], "(?:cuda_tile\\.)?")),
            rule("keyword.operator.word", &one_of(operations, "(?:cuda_tile\\.)?")),
            rule("support.type", &one_of(TYPE_NAMES, "(?:cuda_tile\\.)?")),
            // The extents of a shape, in front of its element type.
            rule("constant.numeric.shape", "(?<![\\w.$])(?:(?:\\d+|\\?)x)+"),
            rule("storage.type", &format!("(?<![A-Za-wyz_.$])(?:{})(?![\\w.$])", Scalar::all().map(Scalar::name).collect::<Vec<_>>().join("|"))),
            rule("storage.modifier", &one_of(keywords, "")),
            rule("keyword.other", &one_of(WORDS.into_iter().chain(syntax.iter().map(String::as_str)), "")),
            rule("constant.numeric", "-?(?<![\\w$])(?:0x[0-9A-Fa-f]+|\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)"),
        ],
    })
}

#[test]
fn the_grammar_is_made_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes/tileir.tmLanguage.json");
    let made = serde_json::to_string_pretty(&grammar()).unwrap() + "\n";
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{} is not up to date: BLESS=1 cargo test -p tilewright-lsp --test grammar", path.display());
}
