//! Which accesses of a kernel tokens order, and which may overlap.

use tilewright_ir::{Op, VerifiedModule, verify};
use tilewright_passes::facts::{IntegerFacts, Overlap, Places, TokenOrder};
use tilewright_text::{ParseOptions, parse};

/// A kernel with two arrays, a view of each, and some numbers.
fn kernel(body: &str) -> VerifiedModule {
    let source = format!(
        "entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>, %c: tile<i1>) {{
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %x = constant <f32: 1.0> : tile<4xf32>
            %start = make_token : token
            %first = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %second = make_tensor_view %q, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %a = make_partition_view %first : {VIEW}
            %b = make_partition_view %second : {VIEW}
            {body}
        }}"
    );
    let module = parse(&source, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source, "kernel")));
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0].message))
}

const VIEW: &str = "partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>";

/// The accesses of a kernel, in the order of the text.
fn accesses(module: &VerifiedModule) -> Vec<Op> {
    module.functions[0].body.preorder().filter(|op| Places::target(*op).is_some()).map(|op| op.id()).collect()
}

/// A store to a view at an index after a token; its own token has this name.
fn store(name: &str, view: &str, index: &str, token: &str) -> String {
    format!("%{name} = store_view_tko weak %x, %{view}[%{index}] token = %{token} : tile<4xf32>, {VIEW}, tile<i32> -> token\n")
}

/// Whether tokens order the first access of a kernel before the last one.
fn ordered(body: &str) -> bool {
    let module = kernel(body);
    let accesses = accesses(&module);
    let body = &module.functions[0].body;
    TokenOrder::new(body).is_ordered(body, accesses[0], accesses[accesses.len() - 1])
}

#[test]
fn tokens_order_along_chains_and_joins() {
    let last = |token: &str| store("last", "a", "zero", token);
    let (s1, s2) = (store("s1", "a", "zero", "start"), store("s2", "b", "zero", "s1"));
    assert!(ordered(&format!("{s1}{}", last("s1"))));
    assert!(!ordered(&format!("{s1}{}", last("start"))), "program order is no order");
    assert!(ordered(&format!("{s1}{s2}{}", last("s2"))));
    let other = store("other", "b", "zero", "start");
    let join = "%j = join_tokens %other, %s1 : token\n";
    assert!(ordered(&format!("{s1}{other}{join}{}", last("j"))));
    assert!(!ordered(&format!("{s1}{other}{}", last("other"))));
}

#[test]
fn branches_must_both_keep_the_order() {
    let s1 = store("s1", "a", "zero", "start");
    let last = store("last", "a", "zero", "t");
    let branch = |yes: &str, no: &str| format!("%t = if %c -> (token) {{ {yes} }} else {{ {no} }}\n");
    let yields = |token: &str| format!("yield %{token} : token");
    assert!(ordered(&format!("{s1}{}{last}", branch(&yields("s1"), &yields("s1")))));
    assert!(!ordered(&format!("{s1}{}{last}", branch(&yields("s1"), &yields("start")))));
    // What the other branch gives does not matter if it does not execute the access.
    let inside = format!("{s1}{}", yields("s1"));
    assert!(ordered(&format!("{}{last}", branch(&inside, &yields("start")))));
    let forgets = format!("{s1}{}", yields("start"));
    assert!(!ordered(&format!("{}{last}", branch(&forgets, &yields("start")))));
}

#[test]
fn loops_keep_the_order_that_each_iteration_keeps() {
    let s1 = store("s1", "a", "zero", "start");
    let last = store("last", "a", "zero", "t");
    let counted = |begin: &str, body: &str, end: &str| {
        format!(
            "%t = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%k = %{begin}) -> (token) {{ {body} continue %{end} : token }}\n"
        )
    };
    // Before the loop.
    assert!(ordered(&format!("{s1}{}{last}", counted("s1", "", "k"))));
    assert!(!ordered(&format!("{s1}{}{last}", counted("s1", "", "start"))), "a later iteration forgets it");
    assert!(!ordered(&format!("{s1}{}{last}", counted("start", "", "k"))));
    let into = store("last", "a", "zero", "k");
    assert!(ordered(&format!("{s1}{}", counted("s1", &into, "last"))));
    assert!(!ordered(&format!("{s1}{}", counted("s1", &into, "start"))));
    // Inside of it: all iterations come before what follows only if each comes after the one before.
    let inside = store("s1", "a", "zero", "k");
    assert!(ordered(&format!("{}{last}", counted("start", &inside, "s1"))));
    let apart = store("s1", "a", "zero", "start");
    assert!(!ordered(&format!("{}{last}", counted("start", &apart, "s1"))));
    let joined = format!("{apart} %j = join_tokens %k, %s1 : token\n");
    assert!(ordered(&format!("{}{last}", counted("start", &joined, "j"))));
    // Two accesses of one iteration.
    let both = format!("{inside}{}", store("last", "a", "zero", "s1"));
    assert!(ordered(&counted("start", &both, "last")));
    let around = format!("{}{}", store("s0", "a", "zero", "start"), store("last", "a", "zero", "k"));
    assert!(!ordered(&counted("start", &around, "s0")), "the token is that of the iteration before");
}

#[test]
fn endless_loops_give_what_they_break_with() {
    let last = store("last", "a", "zero", "t");
    let repeated = |body: &str, carried: &str, given: &str| {
        format!(
            "%t = loop iter_values(%k = %start) : token -> token {{
                {body}
                if %c {{ break %{given} : token }}
                continue %{carried} : token
            }}\n"
        )
    };
    let inside = store("s1", "a", "zero", "k");
    assert!(ordered(&format!("{}{last}", repeated(&inside, "s1", "s1"))));
    assert!(!ordered(&format!("{}{last}", repeated(&inside, "s1", "k"))), "the last iteration's access is not waited for");
    assert!(!ordered(&format!("{}{last}", repeated(&inside, "start", "s1"))), "those before the last iteration are not waited for");
}

#[test]
fn long_chains_and_deep_joins_end() {
    let chain: String =
        (0..2000).map(|i| store(&format!("t{}", i + 1), "a", "zero", &if i == 0 { "start".into() } else { format!("t{i}") })).collect();
    assert!(ordered(&chain));
    let first = store("t0", "a", "zero", "start");
    let joins: String = (0..2000).map(|i| format!("%t{} = join_tokens %start, %t{i} : token\n", i + 1)).collect();
    // Too deep to be followed: not known to be ordered.
    assert!(!ordered(&format!("{first}{joins}{}", store("last", "a", "zero", "t2000"))));
}

/// How the first two accesses of a kernel overlap.
fn overlap(body: &str) -> Overlap {
    let module = kernel(body);
    let function = &module.functions[0];
    let facts = IntegerFacts::new(&module.tables, &function.body);
    let accesses = accesses(&module);
    Places::new(&module.tables, &function.body, &facts).overlap(function.body.op(accesses[0]), function.body.op(accesses[1]))
}

#[test]
fn tiles_of_one_tensor_overlap_by_their_indices() {
    let two = |view: &str, first: &str, second: &str| format!("{}{}", store("s1", "a", first, "start"), store("s2", view, second, "start"));
    assert_eq!(overlap(&two("a", "zero", "zero")), Overlap::Same);
    assert_eq!(overlap(&two("a", "zero", "one")), Overlap::Never);
    assert_eq!(overlap(&two("a", "zero", "n")), Overlap::May);
    assert_eq!(overlap(&two("b", "zero", "one")), Overlap::May, "parameters may lead to one array");
}

#[test]
fn strides_that_are_not_known_may_lead_to_one_place() {
    let tensor = |strides: &str| {
        format!(
            "%t = make_tensor_view %p, shape = [%n, 8], strides = [{}, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[{strides},1]>
            %v = make_partition_view %t : partition_view<tile=(1x4), tensor_view<?x8xf32, strides=[{strides},1]>>\n",
            if strides == "?" { "%n" } else { strides }
        )
    };
    let store = |row: &str, strides: &str| {
        format!(
            "store_view_tko weak %y, %v[%{row}, %zero] : tile<1x4xf32>, partition_view<tile=(1x4), tensor_view<?x8xf32, strides=[{strides},1]>>, tile<i32> -> token\n"
        )
    };
    let rows = |strides: &str| {
        let y = "%y = constant <f32: 1.0> : tile<1x4xf32>\n";
        format!("{y}{}{}{}", tensor(strides), store("zero", strides), store("one", strides))
    };
    assert_eq!(overlap(&rows("8")), Overlap::Never);
    assert_eq!(overlap(&rows("7")), Overlap::May, "rows overlap");
    assert_eq!(overlap(&rows("?")), Overlap::May);
}

#[test]
fn pointers_overlap_by_their_offsets() {
    let stores =
        |pointers: [&str; 2]| pointers.map(|p| format!("store_ptr_tko weak %{p}, %y : tile<ptr<f32>>, tile<f32> -> token\n")).concat();
    let setup = "%y = constant <f32: 1.0> : tile<f32>
        %index = assume bounded<4, 8>, %n : tile<i32>
        %small = assume bounded<0, 3>, %n : tile<i32>
        %far = offset %p, %index : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
        %near = offset %p, %small : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
        %other = offset %q, %small : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
        %own = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>\n";
    let found = |pointers| overlap(&format!("{setup}{}", stores(pointers)));
    assert_eq!(found(["near", "far"]), Overlap::Never);
    assert_eq!(found(["near", "near"]), Overlap::Same);
    assert_eq!(found(["near", "p"]), Overlap::May);
    assert_eq!(found(["far", "p"]), Overlap::Never);
    assert_eq!(found(["near", "other"]), Overlap::May);
    assert_eq!(found(["own", "near"]), Overlap::Never);
}
