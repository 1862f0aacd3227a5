//! Loops that are split or peeled run through the same numbers, wherever their bounds lie: at the ends of their type, too.

use tilewright_exec::{Arg, LaunchOptions, Memory, Program, launch};
use tilewright_ir::{Scalar, VerifiedModule, verify};
use tilewright_passes::{Pipeline, RunOptions};
use tilewright_text::{ParseOptions, parse};

/// The ends of `i8`, the middle, and the numbers beside them.
const EDGES: [i8; 9] = [-128, -127, -126, -1, 0, 1, 2, 126, 127];
const STEPS: [i8; 3] = [1, 3, 100];

/// A loop that mixes the numbers that it runs through into a sum, in a way that depends on a comparison with `bound`.
fn module(predicate: &str, bound: &str, signedness: &str, step: i8) -> VerifiedModule {
    let keyword = if signedness == "unsigned" { "unsigned " } else { "" };
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>, %a: tile<i8>, %b: tile<i8>, %x: tile<i8>) {{
           %step = constant <i8: {step}> : tile<i8>
           %zero = constant <i32: 0> : tile<i32>
           %k = constant <i32: 31> : tile<i32>
           %sum = for {keyword}%i in (%a to %b, step %step) : tile<i8> iter_values(%s = %zero) -> (tile<i32>) {{
             %c = cmpi {predicate} %i, %{bound}, {signedness} : tile<i8> -> tile<i1>
             %n = exti %i unsigned : tile<i8> -> tile<i32>
             %r = if %c -> (tile<i32>) {{
               %m = muli %s, %k : tile<i32>
               %r = addi %m, %n : tile<i32>
               yield %r : tile<i32>
             }} else {{
               %m = xori %s, %n : tile<i32>
               %r = addi %m, %k : tile<i32>
               yield %r : tile<i32>
             }}
             continue %r : tile<i32>
           }}
           %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
         }}"
    );
    verify(parse(&text, &ParseOptions::new()).expect("it parses")).expect("it is valid")
}

/// What the loop gives for all bounds.
fn sums(module: VerifiedModule) -> Vec<u32> {
    let plan = Program::new(module).plan("k").expect("a plan");
    let mut found = Vec::new();
    for [a, b, x] in EDGES.into_iter().flat_map(|a| EDGES.into_iter().flat_map(move |b| EDGES.map(|x| [a, b, x]))) {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![0; 4]);
        let pointer = Arg::Pointer(memory.address(buffer));
        let [a, b, x] = [a, b, x].map(|number| Arg::Scalar(Scalar::I8, u64::from(number.cast_unsigned())));
        launch(&plan, &mut memory, [1; 3], &[pointer, a, b, x], &LaunchOptions::new().threads(1)).expect("it runs");
        found.push(u32::from_le_bytes(memory.bytes(buffer).try_into().expect("4 bytes")));
    }
    found
}

/// Compares the loop with what a pass makes of it, which must be two loops exactly if the pass knows it.
fn compare(pass: &str, predicate: &str, bound: &str, step: i8, knows: bool) {
    for signedness in ["signed", "unsigned"] {
        let module = module(predicate, bound, signedness, step);
        let pipeline = Pipeline::parse(pass).expect("a pass");
        let (changed, report) = pipeline.run(module.clone(), RunOptions::new()).expect("it stays valid");
        let what = format!("{pass} of {predicate} {bound}, {signedness}, step {step}");
        assert_eq!(!report.steps[0].changes.is_empty(), knows, "{what}");
        assert_eq!(sums(changed), sums(module), "{what}");
    }
}

#[test]
fn split_loops_run_through_the_same_numbers() {
    for predicate in ["less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"] {
        STEPS.into_iter().for_each(|step| compare("loop-split", predicate, "x", step, true));
    }
    compare("loop-split", "equal", "x", 1, false);
}

#[test]
fn peeled_loops_run_through_the_same_numbers() {
    for predicate in ["equal", "not_equal"] {
        STEPS.into_iter().for_each(|step| compare("loop-peel", predicate, "a", step, true));
    }
    compare("loop-peel", "equal", "x", 1, false);
}
