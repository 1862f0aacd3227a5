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
