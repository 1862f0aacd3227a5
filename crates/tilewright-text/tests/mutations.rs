//! Texts that are broken in all kinds of ways: no panic, no endless reading, and errors that point into the text.

use std::path::Path;
use std::time::{Duration, Instant};
use tilewright_text::parse::{MAX_ERRORS, MAX_REGION_DEPTH};
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// How many mutated texts are read.
const MUTATIONS: u32 = 100_000;
/// Longer texts are left to the other tests: this one is about many.
const MAX_LEN: usize = 4000;

/// A small generator of random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Reads a text and checks what comes out.
fn check(text: &str) {
    match parse(text, &ParseOptions::new()) {
        Ok(module) => {
            print(&module, &PrintOptions::new().generic(true).debug_info(true));
        }
        Err(errors) => {
            assert!((1..=MAX_ERRORS).contains(&errors.len()), "{} errors in {text}", errors.len());
            for error in &errors {
                let inside = text.get(error.span.clone());
                assert!(inside.is_some(), "{error} has the span {:?} in {text}", error.span);
                assert!(error.line > 0 && error.column > 0);
                assert!(error.render(text, "text").lines().count() >= 4);
            }
            assert!(errors.is_sorted_by_key(|error| error.span.start));
        }
    }
}

/// The texts of the corpus, in the default form and in the one that shows most.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = [root.join("../../tests/corpus/modules"), root.join("tests/data"), root.join("tests/parse/good")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if path.extension().is_some_and(|e| e == "mlir") {
            texts.push(String::from_utf8(bytes).unwrap());
        } else if let Ok(module) = tilewright_bytecode::read(&bytes) {
            texts.push(print(&module, &PrintOptions::new().module(true).generic(true).debug_info(true)));
        }
    }
    texts.retain(|text| text.len() <= MAX_LEN && !text.is_empty());
    texts
}

/// Where words, numbers and single other characters begin.
fn token_starts(text: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    let mut before = ' ';
    let mut starts: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        if !(is_part(c) && is_part(before)) {
            starts.push(at);
        }
        before = c;
    }
    starts.push(text.len());
    starts
}

/// One or a few changes of bytes or tokens.
fn mutate(random: &mut Random, text: &str, other: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        if random.below(2) == 0 {
            mutate_bytes(random, &mut text);
        } else {
            mutate_tokens(random, &mut text, other);
        }
    }
    text
}

fn mutate_bytes(random: &mut Random, text: &mut String) {
    const REPLACEMENTS: &[u8] = b"%#!@^\"<>(){}[],:=-?0x9.e \n/\\\xc3\xff\0";
    let mut bytes = std::mem::take(text).into_bytes();
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes.truncate(at),
        1 if !bytes.is_empty() => drop(bytes.remove(at)),
        2 => bytes.insert(at, REPLACEMENTS[random.below(REPLACEMENTS.len())]),
        _ if !bytes.is_empty() => bytes[at] = REPLACEMENTS[random.below(REPLACEMENTS.len())],
        _ => {}
    }
    *text = String::from_utf8_lossy(&bytes).into_owned();
}

fn mutate_tokens(random: &mut Random, text: &mut String, other: &str) {
    let starts = token_starts(text);
    let pick = |random: &mut Random, starts: &[usize]| {
        let index = random.below(starts.len() - 1);
        starts[index]..starts[(index + 1 + random.below(3)).min(starts.len() - 1)]
    };
    if starts.len() < 2 {
        return;
    }
    let place = pick(random, &starts);
    let theirs = token_starts(other);
    let new = match random.below(4) {
        0 => "",
        1 => &text[pick(random, &starts)],
        2 if theirs.len() > 1 => &other[pick(random, &theirs)],
        _ => ["18446744073709551616", "0x1FFFFFFFF", "-1", "%0:3", "tile<", "tile<3xf32>", "ä", "loc(unknown)"][random.below(8)],
    };
    let new = new.to_owned();
    if random.below(2) == 0 { text.replace_range(place, &new) } else { text.insert_str(place.start, &new) }
}

#[test]
fn mutated_texts_are_read_or_refused() {
    let texts = texts();
    assert!(texts.len() > 100, "only {} texts", texts.len());
    let mut random = Random(0x5EED_0002);
    for _ in 0..MUTATIONS {
        let (first, second) = (random.below(texts.len()), random.below(texts.len()));
        check(&mutate(&mut random, &texts[first], &texts[second]));
    }
}

/// Beginnings that a careless parser would follow for ever, or into the end of the stack.
#[test]
fn hostile_texts_are_refused_in_time() {
    const COUNT: usize = 100_000;
    let entry = "entry @k(%a: tile<i32>) {\n";
    let repeated = [
        ("", "tile<"),
        ("", "{"),
        ("", "module {"),
        ("", "("),
        ("", "\""),
        ("", "#a = "),
        ("", "#a = [\n"),
        ("", "!t = tile<\n"),
        ("", "entry @k() {\n"),
        ("", "#a = #cuda_tile.di_loc<"),
        ("", "#a = loc(callsite("),
        ("entry @k(%a: ", "("),
        ("entry @k(%a: ", "tile<"),
        ("entry @k(%a: tile<", "1x"),
        ("entry @k() optimization_hints=<a = {b = ", "["),
        ("entry @k() optimization_hints=<a = {b = ", "{c = "),
        (entry, "loop {"),
        (entry, "if %a {"),
        (entry, "\"cuda_tile.loop\"() ({\n"),
        (entry, "%x = "),
        (entry, "%x, "),
        (entry, "%b = addi %a, %a : tile<i32>\n"),
        (entry, "%b = constant <i32: ["),
        (entry, "return loc("),
        (entry, "addi %a, %a : tile<i32> loc(callsite("),
        (entry, "^bb0:\n"),
        (entry, "^bb0("),
        (entry, "addi %a : "),
    ];
    for (start, part) in repeated {
        let text = format!("{start}{}", part.repeat(COUNT));
        let began = Instant::now();
        check(&text);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(10), "{start:?} and many {part:?} took {took:?}");
    }
}

#[test]
fn regions_nest_as_deep_as_readers_let_them() {
    let nest = |depth: usize| format!("entry @k() {{\n{}{}return\n}}\n", "loop {\n".repeat(depth), "break\n}\n".repeat(depth));
    assert!(parse(&nest(MAX_REGION_DEPTH - 1), &ParseOptions::new()).is_ok());
    let errors = parse(&nest(MAX_REGION_DEPTH), &ParseOptions::new()).unwrap_err();
    assert_eq!(errors[0].id, "limit");
}

#[test]
fn long_chains_of_aliases_are_refused_where_they_run_backward() {
    let chain: String = (0..1000).map(|i| format!("#l{i} = loc(callsite(#l{} at unknown))\n", i + 1)).collect();
    let text = format!("{chain}#l1000 = loc(\"f\":1:2)\nentry @k() {{\n}} loc(#l0)\n");
    assert!(parse(&text, &ParseOptions::new()).unwrap_err().iter().all(|error| error.id == "limit"));
}
