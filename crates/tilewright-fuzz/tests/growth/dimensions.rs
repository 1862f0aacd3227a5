//! Modules that grow in one dimension.

use std::fmt::Write as _;

/// Something of which a module may have many.
pub(crate) struct Dimension {
    pub(crate) name: &'static str,
    /// How many of it the smallest module has.
    pub(crate) start: usize,
    /// The text of a module with so many.
    pub(crate) text: fn(usize) -> String,
}

/// All dimensions.
pub(crate) const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "operations in a chain", start: 400, text: chain },
    Dimension { name: "operations on one line", start: 400, text: one_line },
    Dimension { name: "operations that read one value", start: 400, text: readers },
    Dimension { name: "values that are read late", start: 400, text: late },
    Dimension { name: "operations on tiles", start: 200, text: tiles },
    Dimension { name: "loads and stores", start: 150, text: accesses },
    Dimension { name: "loads and stores through views", start: 100, text: view_accesses },
    Dimension { name: "reductions", start: 100, text: reductions },
    Dimension { name: "products", start: 200, text: products },
    Dimension { name: "operands", start: 1000, text: operands },
    Dimension { name: "parameters", start: 500, text: parameters },
    Dimension { name: "results of one operation", start: 250, text: results },
    Dimension { name: "values that a for carries", start: 250, text: for_carries },
    Dimension { name: "values that a loop carries", start: 250, text: loop_carries },
    Dimension { name: "values that change places in a loop", start: 250, text: exchanges },
    Dimension { name: "loops in a row", start: 100, text: loops },
    Dimension { name: "branches in a row", start: 100, text: branches },
    Dimension { name: "breaks of one loop", start: 100, text: breaks },
    Dimension { name: "loops in each other", start: 30, text: nested_loops },
    Dimension { name: "branches in each other", start: 30, text: nested_branches },
    Dimension { name: "stores and loads in loops in each other", start: 40, text: nested_accesses },
    Dimension { name: "stores and loads in loops in a row", start: 80, text: accesses_in_loops },
    Dimension { name: "pointers made of each other", start: 200, text: pointers },
    Dimension { name: "conditions on an induction variable", start: 120, text: conditions },
    Dimension { name: "comparisons in each other", start: 60, text: nested_comparisons },
    Dimension { name: "loops that split", start: 50, text: splits },
    Dimension { name: "products in sums", start: 200, text: sums_of_products },
    Dimension { name: "calls of one function", start: 100, text: calls },
    Dimension { name: "functions that call the next", start: 50, text: call_chain },
    Dimension { name: "allocations", start: 200, text: allocations },
    Dimension { name: "allocations that each way out releases", start: 60, text: released },
    Dimension { name: "letters of a name", start: 4000, text: long_name },
    Dimension { name: "names that collide", start: 400, text: equal_names },
    Dimension { name: "types", start: 300, text: types },
    Dimension { name: "extents of a type", start: 2000, text: long_type },
    Dimension { name: "constants", start: 300, text: constants },
    Dimension { name: "elements of a constant", start: 2048, text: long_constant },
    Dimension { name: "functions", start: 100, text: functions },
    Dimension { name: "globals", start: 200, text: globals },
    Dimension { name: "strings", start: 200, text: strings },
    Dimension { name: "letters of a string", start: 8000, text: long_string },
    Dimension { name: "arguments of a print", start: 300, text: print_arguments },
    Dimension { name: "hints", start: 200, text: hints },
    Dimension { name: "hints of one operation", start: 400, text: long_hints },
    Dimension { name: "locations", start: 200, text: locations },
    Dimension { name: "subprograms", start: 80, text: subprograms },
    Dimension { name: "scopes in each other", start: 60, text: nested_scopes },
    Dimension { name: "calls in each other", start: 60, text: nested_calls },
    Dimension { name: "aliases", start: 300, text: aliases },
    Dimension { name: "comments", start: 500, text: comments },
    Dimension { name: "findings", start: 80, text: findings },
    Dimension { name: "findings on one line", start: 80, text: findings_on_one_line },
    // Short gaps between operations that are alike are aligned by a table, up to a fixed size: this begins above it.
    Dimension { name: "findings about many types", start: 600, text: findings_of_views },
    Dimension { name: "errors of syntax", start: 150, text: syntax_errors },
];

/// Text made of a line for each number.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        text.push_str(&line(i));
        text.push('\n');
        text
    })
}

fn listed(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(", ")
}

fn entry(parameters: &str, body: &str) -> String {
    format!("entry @k({parameters}) {{\n{body}  return\n}}\n")
}

fn chain(n: usize) -> String {
    let ops = lines(n, |i| format!("  %{} = addi %{i}, %x : tile<i32>", i + 1));
    entry("%x: tile<i32>", &format!("  %0 = addi %x, %x : tile<i32>\n{ops}"))
}

fn one_line(n: usize) -> String {
    let ops: String = (0..n).map(|i| format!("%{} = addi %{i}, %x : tile<i32> ", i + 1)).collect();
    entry("%x: tile<i32>", &format!("  %0 = addi %x, %x : tile<i32> {ops}\n"))
}

fn readers(n: usize) -> String {
    entry("%x: tile<i32>", &lines(n, |i| format!("  %{i} = muli %x, %x : tile<i32>")))
}

/// Values are summed up in the reverse of their order, so that many live at once.
fn late(n: usize) -> String {
    let values = lines(n, |i| format!("  %v{i} = muli %x, %x : tile<i32>\n  %w{i} = addi %v{i}, %x : tile<i32>"));
    let sums = lines(n, |i| format!("  %s{} = addi %s{i}, %w{} : tile<i32>", i + 1, n - 1 - i));
    entry("%x: tile<i32>", &format!("{values}  %s0 = addi %x, %x : tile<i32>\n{sums}  print_tko \"%d\", %s{n} : tile<i32> -> token\n"))
}

const POINTERS: &str = "  %z = constant <i32: 0> : tile<i32>
  %r = iota : tile<128xi32>
  %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %q : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %at = offset %b, %r : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %x, %t = load_ptr_tko weak %at : tile<128xptr<f32>> -> tile<128xf32>, token
";

fn tiles(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %a{} = addf %a{i}, %x : tile<128xf32>\n  %e{i} = exp %a{i} : tile<128xf32>\n  %m{i} = mulf %e{i}, %a{i} : tile<128xf32>",
            i + 1
        )
    });
    let stores = lines(n, |i| format!("  %s{i} = store_ptr_tko weak %at, %m{i} : tile<128xptr<f32>>, tile<128xf32> -> token"));
    entry("%p: tile<ptr<f32>>", &format!("{POINTERS}  %a0 = addf %x, %x : tile<128xf32>\n{ops}{stores}"))
}

fn accesses(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %x{i}, %l{i} = load_ptr_tko weak %at token = %t{i} : tile<128xptr<f32>> -> tile<128xf32>, token
  %y{i} = addf %x{i}, %x : tile<128xf32>
  %t{} = store_ptr_tko weak %at, %y{i} token = %l{i} : tile<128xptr<f32>>, tile<128xf32> -> token",
            i + 1
        )
    });
    entry("%p: tile<ptr<f32>>", &format!("{POINTERS}  %t0 = make_token : token\n{ops}"))
}

fn view_accesses(n: usize) -> String {
    let view = "partition_view<tile=(16x16), tensor_view<?x1024xf32, strides=[1024,1]>>";
    let ops = lines(n, |i| {
        format!(
            "  %i{i} = addi %i{}, %n : tile<i32>
  %x{i}, %l{i} = load_view_tko weak %v[%i{i}, %n] : {view}, tile<i32> -> tile<16x16xf32>, token
  %y{i} = addf %x{i}, %x{i} : tile<16x16xf32>
  %t{i} = store_view_tko weak %y{i}, %v[%n, %i{i}] : tile<16x16xf32>, {view}, tile<i32> -> token",
            i.wrapping_sub(1)
        )
    });
    let first = format!("  %i{} = addi %n, %n : tile<i32>\n", usize::MAX);
    let tensor =
        "  %m = make_tensor_view %p, shape = [%n, 1024], strides = [1024, 1] : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>\n";
    let made = format!("  %v = make_partition_view %m : {view}\n");
    entry("%p: tile<ptr<f32>>, %n: tile<i32>", &format!("{first}{tensor}{made}{ops}"))
}

fn reductions(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %e{i} = exp %x : tile<128xf32>
  %r{i} = reduce %e{i} dim=0 identities=[0.0 : f32] : tile<128xf32> -> tile<f32> (%lhs: tile<f32>, %rhs: tile<f32>) {{
    %s = addf %lhs, %rhs : tile<f32>
    yield %s : tile<f32>
  }}
  %t{} = addf %t{i}, %r{i} : tile<f32>",
            i + 1
        )
    });
    entry(
        "%p: tile<ptr<f32>>",
        &format!("{}  %t0 = constant <f32: 0.0> : tile<f32>\n{ops}  print_tko \"%f\", %t{n} : tile<f32> -> token\n", POINTERS),
    )
}

fn products(n: usize) -> String {
    let ops = lines(n, |i| format!("  %c{} = mmaf %a, %a, %c{i} : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>", i + 1));
    let zero = "  %z = constant <f32: 0.5> : tile<f32>
  %one = reshape %z : tile<f32> -> tile<1x1xf32>
  %a = broadcast %one : tile<1x1xf32> -> tile<16x16xf32>
  %c0 = exp %a : tile<16x16xf32>\n";
    entry("", &format!("{zero}{ops}  print_tko \"%f\", %c{n} : tile<16x16xf32> -> token\n"))
}

fn operands(n: usize) -> String {
    let tokens = lines(n, |i| format!("  %t{i} = make_token : token"));
    entry("", &format!("{tokens}  %t = join_tokens {} : token\n", listed(n, |i| format!("%t{i}"))))
}

fn parameters(n: usize) -> String {
    let parameters = listed(n, |i| format!("%p{i}: tile<i32>"));
    let ops = lines(n, |i| format!("  %{i} = addi %p{i}, %p{} : tile<i32>", n - 1 - i));
    entry(&parameters, &ops)
}

/// Values `%xI` to carry, a list of them, and their types.
fn carried(n: usize) -> (String, String) {
    (lines(n, |i| format!("  %x{i} = addi %x, %x : tile<i32>")), listed(n, |_| "tile<i32>".to_owned()))
}

fn results(n: usize) -> String {
    let (values, types) = carried(n);
    let (forward, backward) = (listed(n, |i| format!("%x{i}")), listed(n, |i| format!("%x{}", n - 1 - i)));
    let uses = lines(n, |i| format!("  %u{i} = addi %r#{i}, %x : tile<i32>"));
    let op =
        format!("  %r:{n} = if %c -> ({types}) {{\n    yield {forward} : {types}\n  }} else {{\n    yield {backward} : {types}\n  }}\n");
    entry("%x: tile<i32>, %c: tile<i1>", &format!("{values}{op}{uses}"))
}

fn for_carries(n: usize) -> String {
    let (values, types) = carried(n);
    let head = format!(
        "  %r:{n} = for %i in (%x to %x, step %x) : tile<i32> iter_values({}) -> ({types}) {{\n",
        listed(n, |i| format!("%a{i} = %x{i}"))
    );
    let sums = lines(n, |i| format!("    %s{i} = addi %a{i}, %i : tile<i32>"));
    let end = format!("    continue {} : {types}\n  }}\n", listed(n, |i| format!("%s{i}")));
    entry("%x: tile<i32>", &format!("{values}{head}{sums}{end}"))
}

fn loop_carries(n: usize) -> String {
    let (values, types) = carried(n);
    let head = format!("  %r:{n} = loop iter_values({}) : {types} -> {types} {{\n", listed(n, |i| format!("%a{i} = %x{i}")));
    let leave = format!("    if %c {{\n      break {} : {types}\n    }}\n", listed(n, |i| format!("%a{i}")));
    let end = format!("    continue {} : {types}\n  }}\n", listed(n, |i| format!("%a{i}")));
    entry("%x: tile<i32>, %c: tile<i1>", &format!("{values}{head}{leave}{end}"))
}

fn exchanges(n: usize) -> String {
    let (values, types) = carried(n);
    let head = format!(
        "  %r:{n} = for %i in (%x to %x, step %x) : tile<i32> iter_values({}) -> ({types}) {{\n",
        listed(n, |i| format!("%a{i} = %x{i}"))
    );
    let end = format!("    continue {} : {types}\n  }}\n", listed(n, |i| format!("%a{}", (i + 1) % n)));
    let uses = lines(n, |i| format!("  %u{i} = addi %r#{i}, %x : tile<i32>"));
    entry("%x: tile<i32>", &format!("{values}{head}{end}{uses}"))
}

fn loops(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %v{} = for %i in (%x to %x, step %x) : tile<i32> iter_values(%a = %v{i}) -> (tile<i32>) {{
    %s = addi %a, %i : tile<i32>
    continue %s : tile<i32>
  }}",
            i + 1
        )
    });
    entry("%x: tile<i32>", &format!("  %v0 = addi %x, %x : tile<i32>\n{ops}"))
}

fn branches(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %v{} = if %c -> (tile<i32>) {{
    %s = addi %v{i}, %x : tile<i32>
    yield %s : tile<i32>
  }} else {{
    yield %v{i} : tile<i32>
  }}",
            i + 1
        )
    });
    entry("%x: tile<i32>, %c: tile<i1>", &format!("  %v0 = addi %x, %x : tile<i32>\n{ops}"))
}

fn breaks(n: usize) -> String {
    let ops = lines(n, |_| "    if %c {\n      break %a : tile<i32>\n    }".to_owned());
    let end = "    continue %a : tile<i32>\n  }\n";
    entry("%x: tile<i32>, %c: tile<i1>", &format!("  %r = loop iter_values(%a = %x) : tile<i32> -> tile<i32> {{\n{ops}{end}"))
}

fn nested_loops(n: usize) -> String {
    let heads = lines(n, |i| {
        let outer = if i == 0 { "%x".to_owned() } else { format!("%a{}", i - 1) };
        format!("  %v{i} = for %i{i} in (%x to %x, step %x) : tile<i32> iter_values(%a{i} = {outer}) -> (tile<i32>) {{")
    });
    let ends = lines(n, |i| {
        let inner = if i == 0 { format!("%a{}", n - 1) } else { format!("%v{}", n - i) };
        format!("  %s{i} = addi {inner}, %x : tile<i32>\n  continue %s{i} : tile<i32>\n  }}")
    });
    entry("%x: tile<i32>", &format!("{heads}{ends}"))
}

fn nested_branches(n: usize) -> String {
    let (heads, ends) = (lines(n, |_| "  if %c {".to_owned()), lines(n, |i| format!("  %s{i} = addi %x, %x : tile<i32>\n  }}")));
    entry("%x: tile<i32>, %c: tile<i1>", &format!("{heads}{ends}"))
}

/// A tile that is stored and loaded again.
fn access(i: usize) -> String {
    format!(
        "  %a{i} = store_ptr_tko weak %at, %x token = %t : tile<128xptr<f32>>, tile<128xf32> -> token
  %y{i}, %b{i} = load_ptr_tko weak %at token = %a{i} : tile<128xptr<f32>> -> tile<128xf32>, token
  %c{i} = store_ptr_tko weak %at, %y{i} token = %b{i} : tile<128xptr<f32>>, tile<128xf32> -> token\n"
    )
}

fn accessing(body: &str) -> String {
    entry("%p: tile<ptr<f32>>, %n: tile<i32>", &format!("{POINTERS}  %one = constant <i32: 1> : tile<i32>\n{body}"))
}

fn nested_accesses(n: usize) -> String {
    let heads: String = (0..n).map(|i| format!("  for %i{i} in (%z to %n, step %one) : tile<i32> {{\n{}", access(i))).collect();
    accessing(&format!("{heads}{}", "  continue\n  }\n".repeat(n)))
}

fn accesses_in_loops(n: usize) -> String {
    let in_turn =
        |i: usize| format!("{}  for %i in (%z to %n, step %one) : tile<i32> {{\n{}  continue\n  }}", access(2 * i), access(2 * i + 1));
    accessing(&lines(n, in_turn))
}

fn pointers(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %p{} = offset %p{i}, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %x{i}, %l{i} = load_ptr_tko weak %p{i} : tile<ptr<f32>> -> tile<f32>, token
  %s{i} = store_ptr_tko weak %p{}, %x{i} : tile<ptr<f32>>, tile<f32> -> token",
            i + 1,
            i + 1
        )
    });
    entry("%p0: tile<ptr<f32>>, %n: tile<i32>", &ops)
}

/// A branch on a comparison of a value with a constant, which gives the next value.
fn compared(i: usize, value: &str) -> String {
    format!(
        "  %k{i} = constant <i32: {i}> : tile<i32>
  %c{i} = cmpi less_than {value}, %k{i}, signed : tile<i32> -> tile<i1>
  %s{} = if %c{i} -> (tile<i32>) {{
    %u = muli %s{i}, {value} : tile<i32>
    yield %u : tile<i32>
  }} else {{
    yield %s{i} : tile<i32>
  }}",
        i + 1
    )
}

fn conditions(n: usize) -> String {
    let head = "  %z = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>
  %r = for %i in (%z to %n, step %one) : tile<i32> iter_values(%s0 = %z) -> (tile<i32>) {\n";
    let body = lines(n, |i| compared(i, "%i"));
    let end = format!("  continue %s{n} : tile<i32>\n  }}\n  print_tko \"%d\", %r : tile<i32> -> token\n");
    entry("%n: tile<i32>", &format!("{head}{body}{end}"))
}

fn nested_comparisons(n: usize) -> String {
    let heads = lines(n, |i| {
        format!(
            "  %k{i} = constant <i32: {}> : tile<i32>
  %c{i} = cmpi less_than %n, %k{i}, signed : tile<i32> -> tile<i1>
  if %c{i} {{
  print_tko \"%d\", %n : tile<i32> -> token",
            4 * n - i
        )
    });
    entry("%n: tile<i32>", &format!("{heads}{}", "  }\n".repeat(n)))
}

fn splits(n: usize) -> String {
    let loops = lines(n, |i| {
        format!(
            "  %v{} = for %i in (%z to %n, step %one) : tile<i32> iter_values(%s0 = %v{i}) -> (tile<i32>) {{
{}
  continue %s1 : tile<i32>
  }}",
            i + 1,
            compared(0, "%i").replace("%k0 = constant <i32: 0>", &format!("%k0 = constant <i32: {}>", i + 2)),
        )
    });
    let constants = "  %z = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n  %v0 = addi %n, %n : tile<i32>\n";
    entry("%n: tile<i32>", &format!("{constants}{loops}  print_tko \"%d\", %v{n} : tile<i32> -> token\n"))
}

fn sums_of_products(n: usize) -> String {
    let ops = lines(n, |i| format!("  %m{i} = mulf %a{i}, %x : tile<128xf32>\n  %a{} = addf %m{i}, %x : tile<128xf32>", i + 1));
    let store = format!("  %s = store_ptr_tko weak %at, %a{n} : tile<128xptr<f32>>, tile<128xf32> -> token\n");
    entry("%p: tile<ptr<f32>>", &format!("{POINTERS}  %a0 = addf %x, %x : tile<128xf32>\n{ops}{store}"))
}

fn calls(n: usize) -> String {
    let body = lines(n, |i| format!("  %{} = preview$call @f(%{i}) : (tile<i32>) -> (tile<i32>)", i + 1));
    let callee = "func @f(%x: tile<i32>) -> tile<i32> {\n  %0 = muli %x, %x : tile<i32>\n  return %0 : tile<i32>\n}\n";
    format!("{callee}{}", entry("%0: tile<i32>", &body))
}

fn call_chain(n: usize) -> String {
    let functions = lines(n, |i| {
        format!(
            "func @f{i}(%x: tile<i32>) -> tile<i32> {{
  %0 = {}
  %1 = addi %0, %x : tile<i32>
  return %1 : tile<i32>
}}",
            if i == 0 {
                "muli %x, %x : tile<i32>".to_owned()
            } else {
                format!("preview$call @f{}(%x) : (tile<i32>) -> (tile<i32>)", i - 1)
            }
        )
    });
    functions + &entry("%x: tile<i32>", &format!("  %0 = preview$call @f{}(%x) : (tile<i32>) -> (tile<i32>)\n", n - 1))
}

fn allocations(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %a{i} = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n  %x{i}, %t{i} = load_ptr_tko weak %a{i} : tile<ptr<f32>> -> tile<f32>, token"
        )
    });
    entry("", &ops)
}

/// A loop with allocations and ways out.
fn released(n: usize) -> String {
    let ops = lines(n, |i| format!("    %a{i} = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n    if %c {{\n      break\n    }}"));
    entry("%c: tile<i1>", &format!("  loop {{\n{ops}    continue\n  }}\n"))
}

fn long_name(n: usize) -> String {
    let name = "n".repeat(n);
    format!("entry @{name}(%{name}: tile<i32>) {{\n  %0 = addi %{name}, %{name} : tile<i32>\n  return\n}}\n")
}

/// The printer names equal constants alike.
fn equal_names(n: usize) -> String {
    entry("", &lines(n, |i| format!("  %c{i} = constant <i32: 7> : tile<i32>")))
}

fn types(n: usize) -> String {
    let ops = lines(n, |i| {
        format!("  %v{i} = make_tensor_view %p, shape = [{}], strides = [1] : tensor_view<{}xf32, strides=[1]>", i + 1, i + 1)
    });
    entry("%p: tile<ptr<f32>>", &ops)
}

fn long_type(n: usize) -> String {
    let (shape, strides) = (listed(n, |i| (i + 1).to_string()), listed(n, |i| (2 * i + 1).to_string()));
    let extents: String = (0..n).map(|i| format!("{}x", i + 1)).collect();
    let view = format!("tensor_view<{extents}f32, strides=[{}]>", strides.replace(' ', ""));
    entry("%p: tile<ptr<f32>>", &format!("  %v = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : {view}\n"))
}

fn constants(n: usize) -> String {
    entry("", &lines(n, |i| format!("  %c{i} = constant <i32: [{i}, {}]> : tile<2xi32>", 2 * i)))
}

fn long_constant(n: usize) -> String {
    entry("", &format!("  %c = constant <i32: [{}]> : tile<{n}xi32>\n", listed(n, |i| (i * 7).to_string())))
}

fn functions(n: usize) -> String {
    lines(n, |i| format!("entry @k{i}(%x: tile<i32>) {{\n  %0 = addi %x, %x : tile<i32>\n  return\n}}")) + &entry("", "")
}

fn globals(n: usize) -> String {
    let globals = lines(n, |i| format!("global @g{i} <i32: [{i}, 1]> : tile<2xi32>"));
    globals + &entry("", &lines(n, |i| format!("  %g{i} = get_global @g{i} : tile<ptr<i32>>")))
}

fn strings(n: usize) -> String {
    entry("%x: tile<i1>", &lines(n, |i| format!("  assert %x, \"number {i}\" : tile<i1>")))
}

fn long_string(n: usize) -> String {
    entry("%x: tile<i1>", &format!("  assert %x, \"{}\" : tile<i1>\n", "\\22s".repeat(n / 2)))
}

fn print_arguments(n: usize) -> String {
    let (values, types) = (listed(n, |_| "%x".to_owned()), listed(n, |_| "tile<i32>".to_owned()));
    entry("%x: tile<i32>", &format!("  %t = print_tko \"{}\", {values} : {types} -> token\n", "%d ".repeat(n)))
}

fn hints(n: usize) -> String {
    let ops = lines(n, |i| {
        format!(
            "  %x{i}, %t{i} = load_ptr_tko weak %p optimization_hints = <sm_100 = {{latency = {i} : i32}}> : tile<ptr<f32>> -> tile<f32>, token"
        )
    });
    entry("%p: tile<ptr<f32>>", &ops)
}

fn long_hints(n: usize) -> String {
    let hints = listed(n, |i| format!("h{i} = {i}"));
    format!("entry @k() optimization_hints=<sm_100 = {{{hints}}}> {{\n  return\n}}\n")
}

/// The scopes of an entry, and of what is defined for it.
const UNIT: &str = "#file = #cuda_tile.di_file<\"f.py\" in \"/d\">
#unit = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"k\", linkageName = \"k\", compileUnit = #unit, scopeLine = 1>
#here = #cuda_tile.di_loc<loc(\"f.py\":1:1) in #sub>
";

fn located(ops: &str, aliases: &str) -> String {
    format!("entry @k(%x: tile<i32>) {{\n{ops}  return loc(#here)\n}} loc(#here)\n{UNIT}{aliases}")
}

fn locations(n: usize) -> String {
    let ops = lines(n, |i| format!("  %{i} = addi %x, %x : tile<i32> loc(#l{i})"));
    located(&ops, &lines(n, |i| format!("#l{i} = #cuda_tile.di_loc<loc(\"f.py\":{i}:1) in #sub>")))
}

fn subprograms(n: usize) -> String {
    let functions = lines(n, |i| {
        format!("entry @f{i}(%x: tile<i32>) {{\n  %0 = addi %x, %x : tile<i32> loc(#l{i})\n  return loc(#l{i})\n}} loc(#l{i})")
    });
    let aliases = lines(n, |i| {
        format!(
            "#s{i} = #cuda_tile.di_subprogram<file = #file, line = {i}, name = \"f{i}\", linkageName = \"f{i}\", compileUnit = #unit>
#l{i} = #cuda_tile.di_loc<loc(\"f.py\":{i}:1) in #s{i}>"
        )
    });
    functions + &located("", &aliases)
}

fn nested_scopes(n: usize) -> String {
    let ops = lines(n, |i| format!("  %{i} = addi %x, %x : tile<i32> loc(#l{i})"));
    let aliases = lines(n, |i| {
        let outer = if i == 0 { "#sub".to_owned() } else { format!("#b{}", i - 1) };
        format!(
            "#b{i} = #cuda_tile.di_lexical_block<scope = {outer}, file = #file, line = {i}>
#l{i} = #cuda_tile.di_loc<loc(\"f.py\":{i}:1) in #b{i}>"
        )
    });
    located(&ops, &aliases)
}

fn nested_calls(n: usize) -> String {
    let ops = lines(n, |i| format!("  %{i} = addi %x, %x : tile<i32> loc(#c{i})"));
    let aliases = lines(n, |i| {
        let callee = if i == 0 { "#here".to_owned() } else { format!("#c{}", i - 1) };
        format!("#c{i} = loc(callsite({callee} at #here))")
    });
    located(&ops, &aliases)
}

fn aliases(n: usize) -> String {
    let definitions = lines(n, |i| format!("!t{i} = !cuda_tile.tile<{}xi32>", 1 << (i % 10)));
    definitions + &entry("", &lines(n, |i| format!("  %{i} = iota : !t{i}")))
}

fn comments(n: usize) -> String {
    entry("", &lines(n, |i| format!("  // Comment {i}\n")))
}

fn findings(n: usize) -> String {
    entry("%x: tile<f32>", &lines(n, |i| format!("  %{i} = addi %x, %x : tile<f32>")))
}

fn findings_on_one_line(n: usize) -> String {
    let ops: String = (0..n).map(|i| format!("%{i} = addi %x, %x : tile<f32> ")).collect();
    entry("%x: tile<f32>", &format!("  {ops}\n"))
}

fn findings_of_views(n: usize) -> String {
    let ops = lines(n, |i| {
        format!("  %v{i} = make_tensor_view %p, shape = [{}], strides = [1] : tensor_view<{}xf32, strides=[1]>", i + 1, i + 1)
    });
    let view = |i: usize| format!("!cuda_tile.tensor_view<{}xf32, strides=[1]>", i + 1);
    let uses = lines(n, |i| format!("  %u{i} = \"cuda_tile.negi\"(%v{i}) : ({}) -> {}", view(i), view(i)));
    entry("%p: tile<ptr<f32>>", &(ops + &uses))
}

fn syntax_errors(n: usize) -> String {
    let mut text = entry("%x: tile<f32>", &lines(n, |i| format!("  %{i} = addj %x, %x : tile<f32>")));
    let _ = writeln!(text, "{}", "}".repeat(n));
    text
}
