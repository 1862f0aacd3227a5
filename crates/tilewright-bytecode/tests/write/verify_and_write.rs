//! Verifying and writing at once: what comes out is what comes out one after the other.

use std::fmt::Write as _;
use tilewright_bytecode::{Refusal, WriteOptions, verify_and_write, write};
use tilewright_ir::{Module, Version, verify};
use tilewright_text::{ParseOptions, parse};

/// An entry of so many additions, and this operation behind them.
fn module(additions: usize, last: &str) -> Module {
    let mut text = String::from("entry @k(%x: tile<i32>, %y: tile<f32>, %p: tile<ptr<i32>>) {\n");
    for number in 0..additions {
        writeln!(text, "  %{number} = addi %x, %x : tile<i32>").expect("a string takes everything");
    }
    let text = format!("{text}  {last}\n}}");
    parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

/// With and without a second thread.
const SIZES: [usize; 2] = [10, 20_000];

#[test]
fn the_file_is_that_of_a_verified_module() {
    for additions in SIZES {
        let module = module(additions, "return");
        let options = WriteOptions::new(Version::V13_2);
        let expected = write(&verify(module.clone()).expect("it is valid"), &options).expect("it can be written");
        assert_eq!(verify_and_write(module, &options).expect("it is valid and can be written"), expected);
    }
}

#[test]
fn findings_come_first() {
    for additions in SIZES {
        let invalid = module(additions, "%t = store_ptr_tko relaxed %p, %x : tile<ptr<i32>>, tile<i32> -> token");
        let expected = verify(invalid.clone()).expect_err("there is no scope");
        let Err(Refusal::Invalid(rejected)) = verify_and_write(invalid, &WriteOptions::new(Version::V13_1)) else {
            panic!("it is written")
        };
        assert_eq!(rejected.findings, expected);
    }
}

#[test]
fn what_the_version_lacks_is_refused() {
    for additions in SIZES {
        let module = module(additions, "%a = atan2 %y, %y : tile<f32>");
        let refused = verify_and_write(module, &WriteOptions::new(Version::V13_1));
        assert!(matches!(refused, Err(Refusal::Unwritable(_))), "{refused:?}");
    }
}
