//! Texts that are broken on purpose: no endless reading, and no end of the stack.
#![allow(clippy::print_stderr, reason = "a text that takes long is named")]

use std::time::Duration;
use tilewright_fuzz::{Watchdog, targets};
use tilewright_text::parse::MAX_REGION_DEPTH;
use tilewright_text::{ParseOptions, parse};

/// Far more than any text here needs: a report, and no failure, for the machine may be slow.
const PATIENCE: Duration = Duration::from_secs(10);

/// Beginnings that a careless parser would follow for ever, or into the end of the stack.
#[test]
fn hostile_texts_come_to_an_end() {
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
    let watchdog = Watchdog::new(PATIENCE, |report| eprintln!("{report}"));
    for (start, part) in repeated {
        watchdog.watch(format!("{start:?} and many {part:?}"));
        targets::text_parser(format!("{start}{}", part.repeat(COUNT)).as_bytes());
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

/// Words and lines of the examples of the extended assembly, exchanged and left out at random.
#[test]
fn mutated_extended_texts_are_read_or_refused() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/extended");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "mlir"));
    paths.sort();
    let mut state = 1u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let (mut read, mut refused) = (0, 0);
    for text in paths.iter().map(|path| std::fs::read_to_string(path).unwrap()) {
        let entries: Vec<&str> = text.split_inclusive("\n}\n").collect();
        for _ in 0..2000 {
            let mut lines: Vec<String> = entries[below(entries.len())].lines().map(str::to_owned).collect();
            for _ in 0..1 + below(3) {
                let (at, other) = (below(lines.len()), below(lines.len()));
                match below(3) {
                    0 => lines.swap(at, other),
                    1 => lines[at].clear(),
                    _ => {
                        let words: Vec<&str> = lines[at].split(' ').collect();
                        let from: Vec<&str> = lines[other].split(' ').collect();
                        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
                        let place = below(words.len());
                        words[place] = from[below(from.len())].to_owned();
                        lines[at] = words.join(" ");
                    }
                }
            }
            match parse(&lines.join("\n"), &ParseOptions::new()) {
                Ok(module) => {
                    tilewright_ir::verify(module).ok();
                    read += 1;
                }
                Err(errors) => {
                    assert!(!errors.is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

/// As many blocks as there may be, each of which may go to two others.
#[test]
fn large_graphs_are_structured_or_refused() {
    for stride in [1, 7, 512, 1023] {
        let count = 1020;
        let mut text = "entry @k(%c: tile<i1>, %x: tile<i32>) {\n  br ^b0(%x : tile<i32>)\n".to_owned();
        for block in 0..count {
            let next = (block + 1) % count;
            text += &format!("^b{block}(%a{block}: tile<i32>):\n  %v{block} = addi %a{block}, %x : tile<i32>\n");
            text += &format!("  cond_br %c, ^b{next}(%v{block} : tile<i32>), ^b{}(%a{block} : tile<i32>)\n", (block * stride + 3) % count);
        }
        text += "}\n";
        if let Err(errors) = parse(&text, &ParseOptions::new()) {
            assert!(errors[0].id == "cannot-expand" || errors[0].id == "limit", "{}", errors[0]);
        }
    }
}
