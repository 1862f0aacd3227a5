use super::*;

/// The names of a text: each with the places of its uses, which are told as line and column from 1.
fn names(source: &str) -> Vec<String> {
    let mapped = parse_mapped(source, &ParseOptions::new());
    let place = |at: usize| {
        let before = &source[..at];
        format!("{}:{}", before.matches('\n').count() + 1, at - before.rfind('\n').map_or(0, |at| at + 1) + 1)
    };
    let map = &mapped.map;
    let name = |index: usize| {
        let places: Vec<String> = map.places_of(index).map(|span| place(span.start)).collect();
        let span = map.definitions[index].span.clone();
        assert!(map.places_of(index).all(|place| source[place] == source[span.clone()]), "all places hold the name");
        format!("{:?} {} {}", map.definitions[index].kind, &source[span], places.join(" "))
    };
    (0..map.definitions.len()).map(name).collect()
}

const LOOP: &str = r#"#why = loc("f.py":1:2)
!t = !cuda_tile.tile<i32>
cuda_tile.module @kernels {
  global @table <i32: [1, 2]> : tile<2xi32>
  entry @k(%n: !t, %p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : !t
    %r:2 = for %i in (%one to %n, step %one) : tile<i32> iter_values(%a = %one, %b = %one) -> (tile<i32>, tile<i32>) {
      %c = addi %a, %i : tile<i32> loc(#why)
      continue %c, %b : tile<i32>, tile<i32>
    }
    %g = get_global @table : tile<ptr<i32>>
    %s = addi %r#1, %r#0 : tile<i32>
    return
  }
}
"#;

#[test]
fn definitions_know_their_uses() {
    let expected = [
        "AttrAlias #why 1:1 8:40",
        "TypeAlias !t 2:1 5:16 6:32",
        "Global table 4:11 11:22",
        "Function k 5:10",
        "Value %n 5:12 7:31",
        "Value %p 5:20",
        "Value %one 6:5 7:23 7:40 7:75 7:86",
        "Value %r 7:5 12:15 12:21",
        "Value %i 7:16 8:21",
        "Value %a 7:70 8:17",
        "Value %b 7:81 9:20",
        "Value %c 8:7 9:16",
        "Value %g 11:5",
        "Value %s 12:5",
    ];
    assert_eq!(names(LOOP), expected);
}

#[test]
fn errors_take_no_names() {
    // The loop has an operand without a type, and nothing of it is read; the header of the function is wrong; a line is unknown.
    for (right, wrong) in [("constant <i32: 1>", "constant <i32: x>"), ("%p: tile<", "%p: tila<"), ("= addi %a", "= adda %a")] {
        assert_eq!(names(&LOOP.replace(right, wrong)), names(LOOP), "{wrong}");
    }
    let reduce = "entry @k(%x: tile<4xf32>) {
  %y = reduce %x dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<nope> (%a: tile<f32>, %b: tile<f32>) {
    %c = addf %a, %b : tile<f32>
    yield %c : tile<f32>
  }
}";
    assert_eq!(names(reduce), names(&reduce.replace("nope", "f32 ")));
    let operations = |source: &str| -> Vec<usize> {
        parse_mapped(source, &ParseOptions::new()).map.operations.iter().map(|operation| operation.span.start).collect()
    };
    assert_eq!(operations(reduce), operations(&reduce.replace("nope", "f32 ")));
}

#[test]
fn values_of_definitions_are_those_of_the_module() {
    let extended = "entry @k(%p: tile<ptr<f32>>) {
  %x = load %p : tile<ptr<f32>> -> tile<f32>
  store %p, %x : tile<ptr<f32>>, tile<f32>
  %y = load %p : tile<ptr<f32>> -> tile<f32>
}";
    for source in [extended, LOOP] {
        let mapped = parse_mapped(source, &ParseOptions::new());
        assert_eq!(mapped.errors, []);
        let values = mapped.map.definitions.iter().filter(|definition| definition.kind == NameKind::Value);
        for definition in values {
            let DefinedValues { function, first, .. } = definition.values.unwrap();
            let body = &mapped.module.functions[function].body;
            assert_eq!(Some(body.ty(first)), definition.ty);
            assert_eq!(body.defining_op(first).is_none(), definition.is_argument);
        }
    }
}

#[test]
fn blocks_that_branch_have_labels_and_no_values() {
    let source = "entry @k(%c: tile<i1>) {
  cond_br %c, ^bb1, ^bb2
^bb1:
  br ^bb2
^bb2:
  return
}
entry @l(%c: tile<i1>) {
  br ^bb1
^bb1:
  return
}";
    let expected = ["Function k 1:8", "Value %c 1:10 2:11", "Label ^bb1 3:1 2:15", "Label ^bb2 5:1 2:21 4:6"];
    assert_eq!(names(source)[..4], expected);
    assert_eq!(names(source)[4..], ["Function l 8:8", "Value %c 8:10", "Label ^bb1 10:1 9:6"]);
    let mapped = parse_mapped(source, &ParseOptions::new());
    assert!(mapped.errors.is_empty() && mapped.map.definitions.iter().all(|definition| definition.values.is_none()));
}

#[test]
fn scopes_end_with_their_region() {
    let mapped = parse_mapped(LOOP, &ParseOptions::new());
    let seen = |needle: &str| -> Vec<&str> {
        let at = LOOP.find(needle).unwrap();
        let values = mapped.map.in_sight(at).filter(|definition| definition.kind == NameKind::Value);
        values.map(|definition| &LOOP[definition.span.clone()]).collect()
    };
    assert_eq!(seen("constant"), ["%n", "%p"]);
    assert_eq!(seen("continue"), ["%n", "%p", "%one", "%i", "%a", "%b", "%c"]);
    assert_eq!(seen("return"), ["%n", "%p", "%one", "%r", "%g", "%s"]);
    assert_eq!(mapped.map.regions.len(), 2);
}

#[test]
fn unfinished_texts_have_maps_too() {
    for (end, _) in LOOP.char_indices() {
        let mapped = parse_mapped(&LOOP[..end], &ParseOptions::new());
        let map = &mapped.map;
        let spans = map.definitions.iter().flat_map(|definition| [&definition.span, &definition.scope]);
        let spans = spans.chain(map.uses.iter().map(|used| &used.span)).chain(map.regions.iter());
        let mut spans = spans.chain(map.operations.iter().flat_map(|operation| [&operation.span, &operation.whole]));
        assert!(spans.all(|span| span.start <= span.end && span.end <= end), "{end}: {map:?}");
        assert!(map.uses.iter().all(|used| used.definition < map.definitions.len()));
    }
    let cut = &LOOP[..LOOP.find("continue").unwrap()];
    let mapped = parse_mapped(cut, &ParseOptions::new());
    let seen = mapped.map.in_sight(cut.len()).filter(|definition| definition.kind == NameKind::Value);
    let seen: Vec<&str> = seen.map(|definition| &cut[definition.span.clone()]).collect();
    // The loop is not closed: its result is behind it, or not yet.
    assert_eq!(seen, ["%n", "%p", "%one", "%r", "%i", "%a", "%b", "%c"], "what is in sight at the end of an unfinished text");
}

#[test]
fn the_generic_form_has_names_too() {
    let module = crate::parse(LOOP, &ParseOptions::new()).unwrap();
    let generic = crate::print(&module, &crate::PrintOptions::new().generic(true));
    let names = names(&generic);
    assert!(names.iter().any(|name| name.starts_with("Function k ")), "{generic}\n{names:?}");
    assert!(names.iter().any(|name| name.starts_with("Global table ") && name.split(' ').count() == 4), "{names:?}");
}

#[test]
fn names_in_quotes_are_told_without_them() {
    let source = "global @\"a b\" <i32: 1> : tile<1xi32>\nentry @\"\"() { %p = get_global @\"a b\" : tile<ptr<i32>> }";
    assert_eq!(names(source)[..2], ["Global a b 1:10 2:33", "Function  2:9"]);
}

#[test]
fn operations_are_located_in_the_text() {
    let source = "\u{feff}entry @k() {\n  %ä = constant <i32: 0> : tile<i32> loc(\"a.py\":1:1)\n  // more\n  // comments\n  return\n}";
    let source = source.replace('ä', "x");
    let mapped = parse_mapped(&source, &ParseOptions::new().locate("k.mlir"));
    assert!(mapped.errors.is_empty() && mapped.has_locations);
    let texts: Vec<(&str, &str)> =
        mapped.map.operations.iter().map(|operation| (&source[operation.span.clone()], &source[operation.whole.clone()])).collect();
    assert_eq!(texts[0], ("constant", "%x = constant <i32: 0> : tile<i32> loc(\"a.py\":1:1)"));
    assert_eq!(texts[1], ("return", "return"));
    let op = mapped.module.functions[0].body.preorder().next().unwrap();
    let (file, line, column) = mapped.module.tables.locations.source(op.loc()).unwrap();
    assert_eq!((&*mapped.module.tables.strings.text(file), line, column), ("k.mlir", 2, 8));
}

#[test]
fn maps_do_not_change_what_is_read() {
    let print = |module: &Module| crate::print(module, &crate::PrintOptions::new());
    let mapped = parse_mapped(LOOP, &ParseOptions::new());
    assert_eq!(print(&mapped.module), print(&crate::parse(LOOP, &ParseOptions::new()).unwrap()));
    let errors = |source: &str| crate::parse(source, &ParseOptions::new()).err().unwrap_or_default();
    for wrong in [LOOP, "entry @k(", "entry @k() { addd }", "!t = !u\n!u = !t\nentry @k(%x: !t) {}"] {
        assert_eq!(parse_mapped(wrong, &ParseOptions::new()).errors, errors(wrong), "{wrong}");
    }
}
