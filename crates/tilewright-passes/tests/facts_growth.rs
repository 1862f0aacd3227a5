//! What the analysis of integers costs: operations that it looks at, for modules of growing size.

use std::fmt::Write;
use tilewright_ir::verify;
use tilewright_passes::facts::IntegerFacts;
use tilewright_text::{ParseOptions, parse};

/// The text of a kernel of some size.
type Make = fn(usize) -> String;

fn steps(body: &str) -> u64 {
    let source = format!("entry @k(%n: tile<i32>, %c: tile<i1>) {{ %one = constant <i32: 1> : tile<i32>\n {body} }}");
    let module = parse(&source, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let module = verify(module).unwrap_or_else(|findings| panic!("{}", findings[0].message));
    IntegerFacts::new(&module.tables, &module.functions[0].body).steps()
}

/// Sums, each of the one before.
fn chain(n: usize) -> String {
    (0..n).fold("%v0 = addi %n, %one : tile<i32>".to_owned(), |mut text, i| {
        let _ = writeln!(text, "%v{} = addi %v{i}, %one : tile<i32>", i + 1);
        text
    })
}

/// Loops one after the other, each of which carries what the last one gave.
fn loops(n: usize) -> String {
    (0..n).fold("%v0 = addi %n, %one : tile<i32>".to_owned(), |mut text, i| {
        let _ = writeln!(
            text,
            "%v{} = for %i{i} in (%one to %v{i}, step %one) : tile<i32> iter_values(%a{i} = %v{i}) -> (tile<i32>) {{
                %b{i} = addi %a{i}, %i{i} : tile<i32>
                continue %b{i} : tile<i32>
            }}",
            i + 1
        );
        text
    })
}

/// Loops inside of each other, which hand a growing value on all the way.
fn nested(n: usize) -> String {
    let open =
        |i: usize| format!("%r{i} = for %i{i} in (%one to %n, step %one) : tile<i32> iter_values(%a{} = %a{i}) -> (tile<i32>) {{\n", i + 1);
    let close = |i: usize| {
        let inner = if i + 1 == n { format!("a{n}") } else { format!("r{}", i + 1) };
        format!("%s{i} = addi %{inner}, %one : tile<i32>\ncontinue %s{i} : tile<i32>\n}}\n")
    };
    let opened: String = (0..n).map(open).collect();
    let closed: String = (0..n).rev().map(close).collect();
    format!("%a0 = addi %n, %one : tile<i32>\n{opened}{closed}")
}

/// Values that one loop carries, each of which takes the place of the next.
fn carried(n: usize) -> String {
    let list = |each: &dyn Fn(usize) -> String| (0..n).map(each).collect::<Vec<_>>().join(", ");
    let types = vec!["tile<i32>"; n].join(", ");
    let values = list(&|i| format!("%a{i} = %one"));
    let next = list(&|i| if i == 0 { "%grown".to_owned() } else { format!("%a{}", i - 1) });
    let results = if n == 1 { String::new() } else { format!(":{n}") };
    format!(
        "%r{results} = for %i in (%one to %n, step %one) : tile<i32> iter_values({values}) -> ({types}) {{
            %grown = addi %a{}, %one : tile<i32>
            continue {next} : {types}
        }}",
        n - 1
    )
}

/// Branches that compare one value with others.
fn conditions(n: usize) -> String {
    (0..n).fold("%v0 = addi %n, %one : tile<i32>".to_owned(), |mut text, i| {
        let _ = writeln!(
            text,
            "%c{i} = cmpi less_than %n, %v{i}, signed : tile<i32> -> tile<i1>
            %v{} = if %c{i} -> (tile<i32>) {{
                %t{i} = addi %n, %one : tile<i32>
                yield %t{i} : tile<i32>
            }} else {{
                yield %v{i} : tile<i32>
            }}",
            i + 1
        );
        text
    })
}

#[test]
fn twice_the_module_takes_little_more_than_twice_the_steps() {
    let makers: [(&str, Make, usize); 5] =
        [("chain", chain, 2000), ("loops", loops, 500), ("nested", nested, 60), ("carried", carried, 500), ("conditions", conditions, 500)];
    for (name, make, n) in makers {
        let [once, twice] = [n, 2 * n].map(|n| steps(&make(n)));
        assert!(twice as f64 <= 2.3 * once as f64, "{name}: {once} steps for {n}, {twice} for {}", 2 * n);
    }
}
