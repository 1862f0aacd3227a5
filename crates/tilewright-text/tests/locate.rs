//! Operations without a location get their place in the text, if that is asked for.

use tilewright_ir::Diagnostic;
use tilewright_text::{
    ParseError, ParseOptions, parse,
    parse::{parse_mapped, place_findings},
};

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

/// The findings about a text, at their places.
fn placed(text: &str) -> (Vec<Diagnostic>, Vec<Option<ParseError>>) {
    let rejected = tilewright_ir::try_verify(parse(text, &ParseOptions::new()).unwrap()).unwrap_err();
    let mapped = parse_mapped(text, &ParseOptions::new());
    let placed = place_findings(text, &mapped.module, &mapped.map, &rejected.findings);
    (rejected.findings, placed)
}

#[test]
fn findings_show_the_operation_and_where_its_operands_are_defined() {
    let text = TEXT.replace("%d = addi %u, %n : tile<i32>", "%d = addi %u, %n : tile<i32> %f = negf %d : tile<i32>");
    let (findings, placed) = placed(&text);
    let first = placed[0].as_ref().unwrap();
    assert_eq!((first.id, first.line, first.column, &text[first.span.clone()]), (findings[0].rule, 5, 77, "negf"));
    let labels: Vec<_> = first.labels.iter().map(|label| (label.line, label.column, &text[label.span.clone()], &*label.message)).collect();
    assert_eq!(labels, [(5, 43, "%d", "defined here: tile<i32>")]);
    // Of a text that does not have the place.
    let other = "entry @k() {\n}";
    let mapped = parse_mapped(other, &ParseOptions::new());
    let placed = place_findings(other, &mapped.module, &mapped.map, &findings);
    assert_eq!(&other[placed[0].as_ref().unwrap().span.clone()], "k", "what is known is the function");
}

#[test]
fn findings_about_two_functions_of_one_name_are_told_apart() {
    let entry = "entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}\n";
    let text = format!("\u{feff}{entry}{entry}");
    let (findings, placed) = placed(&text);
    let about_operands: Vec<&ParseError> = placed.iter().flatten().filter(|error| error.id == "operand-type").collect();
    let lines: Vec<usize> = about_operands.iter().map(|error| error.line).collect();
    assert_eq!(lines, [2, 2, 5, 5], "{findings:#?}");
    let label = &about_operands[3].labels[0];
    assert_eq!((label.line, label.column, &text[label.span.clone()]), (4, 10, "%x"));
}
