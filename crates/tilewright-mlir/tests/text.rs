//! The generic form as text: what is printed is read back as the same.

use std::{fs, path::PathBuf};
use tilewright_mlir::{PrintOptions, Version, parse, print, read, write};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// The recorded texts of `mlir-opt` and jaxlib, with and without locations.
fn texts() -> Vec<(String, String)> {
    let paths = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    texts.sort();
    assert!(texts.len() > 20, "{} texts", texts.len());
    texts
}

#[track_caller]
fn assert_same(found: &str, expected: &str, what: &str) {
    let difference = expected.trim_end().lines().zip(found.trim_end().lines()).find(|(a, b)| a != b);
    assert_eq!(difference, None, "{what}");
    assert_eq!(found.trim_end().lines().count(), expected.trim_end().lines().count(), "{what}");
}

#[test]
fn texts_of_real_tools_come_back() {
    for (name, text) in texts() {
        let module = parse(&text).unwrap_or_else(|error| panic!("{}", error.render(&text, &name)));
        let options = PrintOptions::new().debug_info(name.ends_with(".located.mlir"));
        assert_same(&print(&module, &options), &text, &name);
        for number in [5, 6] {
            let written = write(&module, Version::new(number).unwrap()).unwrap();
            let again = read(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_same(&print(&again, &options), &text, &name);
        }
    }
}

/// Properties in forms of LLVM 24, whose encodings could be those of LLVM 22, too: they stay attributes, as which every MLIR finds them.
#[test]
fn newer_forms_of_properties_are_not_taken_for_older_ones() {
    let ops = [
        ("rocdl.flat.prefetch", "cachePolicy = 1 : i64"),
        ("nvvm.inline_ptx", "memoryClobber, operandSegmentSizes = array<i32: 0, 0, 0>, ptxCode = \"nop\""),
        ("nvvm.barrier", "aligned = true, operandSegmentSizes = array<i32: 0, 0>"),
        ("amdgpu.gather_to_lds", "async, operandSegmentSizes = array<i32: 0, 0, 0, 0>, transferType = i8"),
    ];
    for (op, properties) in ops {
        let text = format!("\"builtin.module\"() ({{\n  \"{op}\"() <{{{properties}}}> : () -> ()\n}}) : () -> ()");
        let module = parse(&text).unwrap_or_else(|error| panic!("{}", error.render(&text, op)));
        for number in [0, 4, 5, 6] {
            let written = write(&module, Version::new(number).unwrap()).unwrap();
            let printed = print(&read(&written).unwrap(), &PrintOptions::new());
            let line = printed.lines().nth(1).unwrap();
            // They may stand in one dictionary or in two.
            let words = |line: &str| {
                let mut words: Vec<String> = line.split([' ', ',', '<', '>', '{', '}']).map(str::to_owned).collect();
                words.sort_unstable();
                words.retain(|word| !word.is_empty());
                words
            };
            assert_eq!(words(line), words(text.lines().nth(1).unwrap()), "{line}");
        }
    }
}

#[test]
fn errors_say_where_and_what() {
    let cases: [(&str, &str); 22] = [
        (
            "func.func @f() { return }",
            "1:1: error[unexpected-token]: expected an operation in MLIR's generic form, such as \"func.return\"() : () -> (), found 'func.func'",
        ),
        ("\"a.b\"() : () -> ()\n\"a.c\"(%x) : (i32) -> ()", "2:7: error[undefined-value]: %x is not defined"),
        ("%0 = \"a.b\"() : () -> i32\n%0 = \"a.b\"() : () -> i32", "2:1: error[redefinition]: %0 is already defined"),
        (
            "%0 = \"a.b\"() : () -> i32\n\"a.c\"(%0) : (i64) -> ()",
            "2:7: error[type-mismatch]: %0 is defined with another type than it has here",
        ),
        ("%0:2 = \"a.b\"() : () -> i32", "1:1: error[wrong-count]: 2 results are named, but there are types for 1"),
        ("%0:2 = \"a.b\"() : () -> (i1, i1)\n\"a.c\"(%0#2) : (i1) -> ()", "2:7: error[undefined-value]: %0 has 2 results, and no number 2"),
        ("\"a.b\"() : (i32) -> ()", "1:11: error[wrong-count]: there are 0 operands, but types for 1"),
        ("\"a.b\"() ({\n", "1:9: error[unexpected-end]: this bracket is never closed"),
        ("\"a.b\"()[^x] : () -> ()", "1:9: error[undefined-value]: this region has no block ^x"),
        ("\"a.b\"() ({\n^x:\n^x:\n}) : () -> ()", "3:1: error[redefinition]: ^x is already defined"),
        ("\"a.b\"() {x = #y} : () -> ()", "1:14: error[undefined-alias]: #y is not defined"),
        ("#a = [#b]\n#b = [#a]\n\"a.b\"() : () -> ()", "2:7: error[alias-cycle]: #a needs itself"),
        ("\"a.b\"() {x = 1, x = 2} : () -> ()", "1:17: error[redefinition]: the attribute 'x' is given twice"),
        ("\"a.b\"() {x = 256 : i8} : () -> ()", "1:14: error[out-of-range]: the number does not fit into 8 bits"),
        ("\"a.b\"() {x = 1 : f32} : () -> ()", "1:14: error[wrong-literal]: a float has a point, as in 1.0, or is hexadecimal"),
        (
            "\"a.b\"() {x = dense<[1, 2]> : tensor<3xi8>} : () -> ()",
            "1:20: error[type-mismatch]: the shape of the elements is [2], but that of their type [3]",
        ),
        ("\"a.b\"() {x = \"y} : () -> ()", "1:14: error[unclosed-string]: the string does not end in its line"),
        ("\"a.b\"() : () -> int", "1:17: error[unknown-type]: 'int' is no type of the builtin dialect"),
        ("\"a.b\"() : () -> i99999999", "1:17: error[out-of-range]: integers have at most 16777215 bits"),
        (
            "\"a.b\"() {x = #sdy.opaque<\"0x01\">} : () -> ()",
            "1:14: error[unknown-attribute]: this was printed of an encoding that is not known",
        ),
        (
            "\"func.func\"() <{opaque_properties = \"0x01\"}> : () -> ()",
            "1:15: error[unknown-attribute]: these properties were printed of an encoding that is not known",
        ),
        (
            "\"builtin.module\"() ({\n  \"a.b\"(%x) : (i32) -> ()\n}) : () -> ()\n%x = \"a.b\"() : () -> i32",
            "2:9: error[undefined-value]: %x is not defined",
        ),
    ];
    let found = cases.map(|(text, _)| (text, parse(text).unwrap_err().to_string()));
    for ((_, expected), (text, found)) in cases.iter().zip(&found) {
        assert_eq!(found, expected, "{text}\n{found:#?}");
    }
}

/// What text may say in several ways.
#[test]
fn what_people_write_is_understood() {
    let cases = [
        ("%a, %b:2 = \"t.a\"() : () -> (i1, i2, i3)\n\"t.b\"(%b#1, %a) : (i3, i1) -> ()", "\"t.b\"(%0#2, %0#0) : (i3, i1) -> ()"),
        ("\"t.a\"() ({ \"t.b\"(%x) : (i1) -> () }) : () -> ()\n%x = \"t.c\"() : () -> i1", "\"t.b\"(%0) : (i1) -> ()"),
        ("\"t.a\"() {x = dense<[[1, 1], [1, 1]]> : tensor<2x2xi8>} : () -> ()", "dense<1> : tensor<2x2xi8>"),
        ("\"t.a\"() {x = [0x7FF0000000000000 : f64, 1.5 : f64]} : () -> ()", "{x = [0x7FF0000000000000 : f64, 1.500000e+00]}"),
        ("\"t.a\"() {x = -0x0F : i8, y = 0xFF : i8} : () -> ()", "{x = -15 : i8, y = -1 : i8}"),
        ("\"t.a\"() {m = memref<2xf32, affine_map<(d0) -> (d0)>, 3>} : () -> ()", "memref<2xf32, 3>"),
        ("\"t.a\"() {x = #t.x<#y, !z>} : () -> () // behind\n#y = #t<1> // y\n!z = i32", "#t.x<#t<1>, i32>"),
        (
            "\"func.func\"() ({}) {function_type = () -> (), sym_name = \"f\", x} : () -> ()",
            "<{function_type = () -> (), sym_name = \"f\"}> ({\n}) {x}",
        ),
        ("\"llvm.add\"() <{overflowFlags = #llvm.overflow<nsw, nuw>}> : () -> ()", "\"llvm.add\"() <{overflowFlags = 3 : i32}>"),
        ("\"llvm.add\"() <{overflowFlags = #llvm.other<nsw>}> : () -> ()", "<{overflowFlags = #llvm.other<nsw>}>"),
        ("\"func.func\"() <{odd = 1 : i32}> ({}) : () -> ()", "\"func.func\"() ({\n}) {odd = 1 : i32}"),
        ("\"func.func\"() <{sym_name = \"f\"}> ({}) : () -> ()", "\"func.func\"() <{sym_name = \"f\"}> ({"),
    ];
    for (text, expected) in cases {
        let module = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text, "text")));
        let printed = print(&module, &PrintOptions::new());
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&printed).contains(&flat(expected)), "{printed}");
        let written = write(&module, Version::LATEST).unwrap();
        assert_eq!(print(&read(&written).unwrap(), &PrintOptions::new()), printed);
    }
}

/// Most lines are printed in a short way; these are too long for it in every respect, or just not.
#[test]
fn long_lines_are_whole() {
    let list = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    // Lines within an operation of this name, so often.
    let nest = |name: &str, depth: usize, inner: &str| -> String {
        let indented: String = inner.lines().map(|line| format!("{}{line}\n", "  ".repeat(depth))).collect();
        let open: String = (0..depth).map(|level| format!("{}\"{name}\"() ({{\n", "  ".repeat(level))).collect();
        let close: String = (0..depth).rev().map(|level| format!("{}}}) : () -> ()\n", "  ".repeat(level))).collect();
        open + &indented + &close
    };
    let several = list(12, &|_| "i1".to_owned());
    let values = format!("%0 = \"t.a\"() : () -> i1\n%1:2 = \"t.a\"() : () -> (i1, i1)\n%2:12 = \"t.a\"() : () -> ({several})\n");
    for count in [0, 1, 7, 8, 9, 12] {
        for length in [1, 60, 61, 70] {
            let operands = list(count, &|index| format!("%1#{}", index % 2));
            let types = list(count, &|_| "i1".to_owned());
            let line = format!("\"t.{}\"({operands}) {{x = \"{}\"}} : ({types}) -> ()\n", "o".repeat(length), "y".repeat(length));
            for depth in [0, 15, 16, 17, 20] {
                // Of the same line several times, the last are taken from what was printed before.
                let text = nest("builtin.module", 1, &(values.clone() + &nest("t.r", depth, &line.repeat(3))));
                let module = parse(&text).unwrap_or_else(|error| panic!("{}", error.render(&text, "text")));
                assert_eq!(print(&module, &PrintOptions::new()).trim_end(), text.trim_end());
            }
        }
    }
}

/// `TILEWRIGHT_MUTATIONS` says how often each text is changed. Whatever a text says, parsing it gives a module or an error, and a module
/// can be printed, written, and read again.
#[test]
fn broken_texts_are_no_danger() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    const PIECES: [&str; 24] = [
        "(", ")", "<", ">", "{", "}", "[", "]", "\"", "%0", "#loc", "!a", "^bb0", "-", "->", ":", ",", "=", "0x", "1", ".", "dense<",
        "{-#", "é",
    ];
    let mutations = std::env::var("TILEWRIGHT_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let mut parsed_anyway = 0;
    for (name, text) in texts() {
        for _ in 0..mutations {
            let mut changed = text.clone();
            for _ in 0..=random(2) {
                let mut at = random(changed.len());
                while !changed.is_char_boundary(at) {
                    at -= 1;
                }
                let piece = PIECES[random(PIECES.len())];
                match random(4) {
                    0 => changed.insert_str(at, piece),
                    1 => drop(changed.remove(at)),
                    2 => changed.truncate(at.max(1)),
                    _ => {
                        let len = changed[at..].chars().next().map_or(0, char::len_utf8);
                        changed.replace_range(at..at + len, piece);
                    }
                }
                if changed.is_empty() {
                    break;
                }
            }
            let module = match parse(&changed) {
                Ok(module) => module,
                Err(error) => {
                    error.render(&changed, &name);
                    continue;
                }
            };
            parsed_anyway += 1;
            let options = PrintOptions::new().debug_info(true);
            let printed = print(&module, &options);
            let written = write(&module, module.version).unwrap();
            let again = read(&written).unwrap_or_else(|error| panic!("{error}\n{changed}"));
            assert_eq!(print(&again, &options), printed);
        }
    }
    assert!(parsed_anyway > 100, "only {parsed_anyway} of the changed texts were parsed");
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("[", "]"), ("{a = ", "}"), ("tuple<", ">"), ("dense<[", "]>"), ("loc(fused[", "])")] {
        let text = format!("\"t.a\"() {{x = {}{}}} : () -> ()", open.repeat(100_000), close.repeat(100_000));
        assert!(parse(&text).is_err());
    }
    let text = format!("{}{}", "\"t.a\"() ({ ".repeat(100_000), "}) : () -> () ".repeat(100_000));
    assert_eq!(parse(&text).unwrap_err().id, "limit");
    // Each alias is twice as long as the one before.
    let lines: String = (1..60).map(|i| format!("#a{i} = #t.x<#a{}, #a{}>\n", i - 1, i - 1)).collect();
    let text = format!("#a0 = #t.x<1>\n{lines}\"t.a\"() {{x = #a59}} : () -> ()");
    assert_eq!(parse(&text).unwrap_err().id, "limit");
    let lines: String = (1..60).map(|i| format!("#a{i} = [#a{}, #a{}]\n", i - 1, i - 1)).collect();
    let text = format!("#a0 = [1]\n{lines}\"t.a\"() {{x = #a59}} : () -> ()");
    assert_eq!(parse(&text).unwrap_err().id, "limit");
}

/// As `mlir-opt` prints them: nothing else has a name in these modules.
#[test]
fn locations_within_attributes_have_names() {
    let text =
        "#loc = loc(\"a\":1:2)\n\"builtin.module\"() ({\n  \"t.a\"() {ports = [#loc]} : () -> ()\n  \"t.b\"() : () -> ()\n}) : () -> ()\n";
    let written = write(&parse(text).unwrap(), Version::LATEST).unwrap();
    assert_eq!(print(&read(&written).unwrap(), &PrintOptions::new()), text);
    let without = "\"builtin.module\"() ({\n  \"t.b\"() {id = 1 : i64} : () -> () loc(\"a\":1:2)\n}) : () -> ()\n";
    let written = write(&parse(without).unwrap(), Version::LATEST).unwrap();
    assert_eq!(print(&read(&written).unwrap(), &PrintOptions::new()), without.replace(" loc(\"a\":1:2)", ""));
}

/// Bytecode holds each attribute of a dialect whose encoding is not known as a text with numbers of its own.
/// MLIR does not look for names there, but uses those that it has.
#[test]
fn properties_of_operations_that_nobody_knows_give_no_names() {
    let text = "#map = affine_map<(d0) -> (d0 + 8)>\n\
                \"builtin.module\"() ({\n  \
                \"t.op\"() <{l = loc(\"a\":1:2), p = affine_map<(d0) -> (d0 + 7)>}> : () -> ()\n  \
                \"t.op\"() <{p = #map}> {q = #map} : () -> ()\n\
                }) : () -> ()\n";
    let module = parse(text).unwrap();
    assert_same(&print(&module, &PrintOptions::new()), text, "as mlir-opt prints it");
}

#[test]
fn distinct_attributes_of_several_texts_are_several() {
    let text = "\"t.a\"() {a = #t.x<distinct[0]<>, distinct[1]<>, \"distinct[7]\", distinct[0]<>>, b = #t.y<distinct[1]<>>} : () -> ()";
    let module = parse(text).unwrap();
    let expected = "a = #t.x<distinct[0]<>, distinct[1]<>, \"distinct[7]\", distinct[0]<>>, b = #t.y<distinct[2]<>>";
    let printed = print(&module, &PrintOptions::new());
    assert!(printed.contains(expected), "{printed}");
}

/// Attributes with names stand in others as deep as they like; unclosed brackets and numbers that are none stay as they are.
#[test]
fn attributes_within_texts_are_bounded() {
    let nested = |open: &str, count: usize| format!("#t.x<{}{}>", open.repeat(count), ">".repeat(count));
    let texts = [
        nested("#llvm.tbaa_root<", 5),
        nested("#llvm.tbaa_root<", 2_000),
        nested("distinct[0]<", 400),
        nested("#t.y<", 50_000),
        format!("#t.x<{}>", "#llvm.tbaa_root<1>, distinct[3]<>, ".repeat(50_000)),
        format!("#t.x<\"{}\">", "distinct[0]<#llvm.tbaa_root<".repeat(10)),
        "#t.x<distinct[99999999999999999999]<>, distinct[], distinct[x]<>, distinct[1]>".to_owned(),
    ];
    for text in texts {
        let module = parse(&format!("\"t.a\"() {{x = {text}}} : () -> ()\n")).unwrap_or_else(|error| panic!("{error}"));
        let printed = print(&module, &PrintOptions::new());
        // What is very deep has more names where its text has some.
        let again = parse(&printed).unwrap_or_else(|error| panic!("{error}"));
        assert!(print(&again, &PrintOptions::new()) == printed || printed.lines().count() > 30);
        let again = write(&module, Version::LATEST).unwrap();
        assert_eq!(print(&read(&again).unwrap(), &PrintOptions::new()), printed);
    }
    // As a file may have it, and no text.
    let text = "\"t.a\"() {x = #t.x<aaaaaaaaaaaaaaaaaaaaaaaaaaaaa>} : () -> ()\n";
    let bytes = write(&parse(text).unwrap(), Version::LATEST).unwrap();
    for piece in [
        "#llvm.tbaa_root<aaaaaaaaaaaaa",
        "distinct[0]<distinct[1]<aaaaa",
        "\"#llvm.tbaa_root<aaaaaaaaaaaa",
        "#llvm.tbaa_root->>>>>>>>>>>>>",
    ] {
        let at = bytes.windows(29).position(|window| window == [b'a'; 29]).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + 29].copy_from_slice(piece.as_bytes());
        let printed = print(&read(&changed).unwrap(), &PrintOptions::new());
        assert!(printed.contains(&format!("#t.x<{piece}>")) || printed.contains("#tbaa_root"), "{printed}");
    }
}
