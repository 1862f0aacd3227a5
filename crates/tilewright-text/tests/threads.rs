//! Printing on several threads gives the text that one thread gives.

use std::fmt::Write as _;
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// So many additions, one to a line; the numbers of their results begin at `first`.
fn additions(text: &mut String, first: usize, ops: usize) {
    for index in first..first + ops {
        writeln!(text, "%{index} = addi %n, %n : tile<i32> loc(\"k.py\":{index}:1)").unwrap();
    }
}

/// A function with so many operations, and a loop with as many.
fn long_text(ops: usize) -> String {
    let mut text = String::from("entry @k(%n: tile<i32>) {\n");
    additions(&mut text, 0, ops);
    text.push_str("loop {\n");
    additions(&mut text, ops, ops);
    text.push_str("break\n}\nreturn\n}\n");
    text
}

#[test]
fn any_number_of_threads_prints_the_same() {
    for ops in [1, 2048, 2049, 9000] {
        let module = parse(&long_text(ops), &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        for generic in [false, true] {
            let options = PrintOptions::new().module(true).generic(generic).debug_info(true);
            let expected = print(&module, &options);
            for threads in [2, 3, 64] {
                assert!(print(&module, &options.threads(threads)) == expected, "{ops} operations, {threads} threads, generic: {generic}");
            }
        }
    }
}
