//! Operations without a location get their place in the text, if that is asked for.

use tilewright_text::{ParseOptions, parse, render_finding};

const TEXT: &str = "entry @k(%n: tile<i32>) {
  %a = addi %n, %n : tile<i32>
  %b = addi %a, %n : tile<i32>
  %c = addi %b, %n : tile<i32> loc(\"kernel.py\":7:3)
  %u = cuda_tile.addi %c, %n : tile<i32>  %d = addi %u, %n : tile<i32>
  for %i in (%n to %a, step %b) : tile<i32> {
    %e = \"cuda_tile.addi\"(%i, %n) : (tile<i32>, tile<i32>) -> tile<i32>
  }
  return
}
";

/// File, line and column of each operation, in their order.
fn places(options: &ParseOptions<'_>) -> Vec<Option<(String, u32, u32)>> {
    let module = parse(TEXT, options).unwrap_or_else(|errors| panic!("{}", errors[0].render(TEXT, "text")));
    let mut places = Vec::new();
    module.functions[0].body.walk(|op| {
        let source = module.tables.locations.source(op.loc());
        places.push(source.map(|(file, line, column)| (module.tables.strings.text(file).into_owned(), line, column)));
    });
    places
}

#[test]
fn operations_have_the_place_of_their_name() {
    let here = |line, column| Some(("k.mlir".to_owned(), line, column));
    let there = Some(("kernel.py".to_owned(), 7, 3));
    // The `continue` at the end of the loop is not in the text.
    let expected = [here(2, 8), here(3, 8), there, here(5, 8), here(5, 48), here(6, 3), here(7, 10), None, here(9, 3)];
    assert_eq!(places(&ParseOptions::new().locate("k.mlir")), expected);
}

#[test]
fn nothing_has_a_place_unless_asked() {
    assert_eq!(places(&ParseOptions::new()).iter().flatten().count(), 1);
}

#[test]
fn findings_show_the_line() {
    let text = TEXT.replace("%d = addi %u, %n : tile<i32>", "%d = addi %u, %n : tile<i32> %f = negf %d : tile<i32>");
    let module = parse(&text, &ParseOptions::new().locate("k.mlir")).unwrap();
    let rejected = tilewright_ir::try_verify(module).unwrap_err();
    let shown: Vec<_> = rejected.findings.iter().map(|finding| render_finding(&rejected.module, finding, &text, "k.mlir")).collect();
    let first = shown[0].as_deref().unwrap();
    assert!(first.starts_with("error[operand-type]: ") && first.contains(":5:77\n") && first.trim_end().ends_with("^^^^"), "{first}");
    // Another file, or a place that the text does not have.
    assert_eq!(render_finding(&rejected.module, &rejected.findings[0], &text, "other.mlir"), None);
    assert_eq!(render_finding(&rejected.module, &rejected.findings[0], "entry", "k.mlir"), None);
}
