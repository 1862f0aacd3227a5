//! Texts as people write them: what they mean, and what is said of those with errors.

use std::path::{Path, PathBuf};
use tilewright_ir::{AttrName, AttrValue, Scalar, Version};
use tilewright_text::{ParseError, ParseOptions, PrintOptions, parse, print};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse").join(name)
}

/// The texts of a folder, by name.
fn texts(name: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder(name)).unwrap().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "mlir")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Compares with the file beside the text; `BLESS=1` rewrites it.
fn compare(path: &Path, found: &str) {
    let path = path.with_extension("expected");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{}", path.display());
}

fn module(text: &str) -> tilewright_ir::Module {
    parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

fn errors(text: &str) -> Vec<ParseError> {
    parse(text, &ParseOptions::new()).expect_err(text)
}

/// The errors of one operation in a function with some values.
fn op_errors(op: &str) -> Vec<ParseError> {
    let head = "entry @k(%i: tile<i32>, %f: tile<4xf32>, %p: tile<ptr<f32>>, %c: tile<i1>) {\n";
    errors(&format!("{head}{op}\n}}\n"))
}

#[test]
fn good_texts_mean_what_they_say() {
    let all = PrintOptions::new().module(true).debug_info(true);
    for (path, text) in texts("good") {
        let module = parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| {
            let rendered: String = errors.iter().map(|error| error.render(&text, &path.display().to_string())).collect();
            panic!("{rendered}")
        });
        let short = print(&module, &all);
        compare(&path, &short);
        for options in [all, all.generic(true), PrintOptions::new().module(true)] {
            let text = print(&module, &options);
            let again = parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}: {}\n{text}", path.display(), errors[0]));
            assert_eq!(print(&again, &options), text, "{}", path.display());
        }
    }
}

#[test]
fn bad_texts_have_these_errors() {
    for (path, text) in texts("bad") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let rendered: String = errors(&text).iter().map(|error| error.render(&text, &name)).collect();
        compare(&path, &rendered);
    }
}

#[test]
fn the_version_is_that_of_the_options() {
    let text = "entry @k() {\n}\n";
    assert_eq!(module(text).version, Version::LATEST);
    let old = parse(text, &ParseOptions::new().version(Version::V13_1)).unwrap();
    assert_eq!(old.version, Version::V13_1);
    assert_eq!(old.tables.strings.text(old.name), "kernels");
}

#[test]
fn a_splat_of_a_large_tile_is_one_element() {
    let module = module("entry @k() { %0 = constant <f32: 1.5> : tile<4096x4096xf32> }");
    assert_eq!(module.tables.constants.bytes(tilewright_ir::Const::new(0)), 1.5f32.to_le_bytes());
    let module = self::module("entry @k() { %0 = constant <i8: [7, 7, 7, 7]> : tile<4xi8> }");
    assert_eq!(module.tables.constants.bytes(tilewright_ir::Const::new(0)), [7]);
}

#[test]
fn literals_have_these_bits() {
    let bytes = |scalar: Scalar, literal: &str| {
        let module = module(&format!("entry @k() {{ %0 = constant <{scalar}: {literal}> : tile<2x{scalar}> }}"));
        module.tables.constants.bytes(tilewright_ir::Const::new(0)).to_vec()
    };
    for (scalar, literal, expected) in [
        (Scalar::I8, "-128", &[0x80][..]),
        (Scalar::I8, "255", &[0xff]),
        (Scalar::I16, "0x1234", &[0x34, 0x12]),
        (Scalar::I1, "true", &[0xff]),
        (Scalar::I1, "[true, false]", &[0x01]),
        (Scalar::F16, "1.0", &[0x00, 0x3c]),
        (Scalar::F16, "70000.0", &[0x00, 0x7c]),
        (Scalar::F32, "-inf", &[0, 0, 0x80, 0xff]),
        (Scalar::F32, "nan", &[0, 0, 0xc0, 0x7f]),
        (Scalar::F32, "0x3F800000", &[0, 0, 0x80, 0x3f]),
        (Scalar::F32, "1e-3", &0.001f32.to_le_bytes()),
        (Scalar::Tf32, "1.0", &[0x00, 0xfc, 0x01]),
        (Scalar::F8E5M2, "inf", &[0x7c]),
        (Scalar::F8E8M0FNU, "5.877470e-39", &[0]),
        (Scalar::F4E2M1FN, "[0x2, -6.0]", &[0x2, 0xf]),
        (Scalar::F4E2M1FN, "\"0x0204\"", &[0x2, 0x4]),
    ] {
        assert_eq!(bytes(scalar, literal), expected, "{scalar}: {literal}");
    }
}

#[test]
fn literals_that_do_not_fit_are_refused() {
    for (constant, id) in [
        ("<i8: 256> : tile<i8>", "out-of-range"),
        ("<i8: -129> : tile<i8>", "out-of-range"),
        ("<i64: 18446744073709551616> : tile<i64>", "out-of-range"),
        ("<i8: 0x10AB> : tile<i8>", "out-of-range"),
        ("<f16: 0x12345> : tile<f16>", "out-of-range"),
        ("<f8E4M3FN: 1000.0> : tile<f8E4M3FN>", "out-of-range"),
        ("<f8E8M0FNU: 0.0> : tile<f8E8M0FNU>", "out-of-range"),
        ("<f4E2M1FN: nan> : tile<2xf4E2M1FN>", "out-of-range"),
        ("<f32: 1> : tile<f32>", "wrong-literal"),
        ("<i32: 1.0> : tile<i32>", "wrong-literal"),
        ("<i32: [1, 2, 3]> : tile<4xi32>", "wrong-count"),
        ("<i32: [[1, 2], [3]]> : tile<2x2xi32>", "wrong-count"),
        ("<i32: [[1, 2], 3]> : tile<2x2xi32>", "wrong-count"),
        ("<i32: \"0x0102\"> : tile<2xi32>", "wrong-count"),
        ("<i32: \"0x0\"> : tile<2xi32>", "wrong-literal"),
        ("<i32: 1> : tile<i64>", "type-mismatch"),
        ("<i32: 1> : token", "invalid-type"),
        ("<i32: 1> : tile<3xi32>", "invalid-type"),
        ("<i32: 1> : tile<16777216x2xi32>", "invalid-type"),
    ] {
        let errors = op_errors(&format!("%x = constant {constant}"));
        assert_eq!(errors[0].id, id, "{constant}: {}", errors[0]);
        assert_eq!(errors.len(), 1, "{constant}");
    }
}

#[test]
fn types_that_are_not_written_are_checked() {
    for op in [
        "%x = addi %i, %f : tile<i32>",
        "%x = cmpi equal %i, %c, signed : tile<i32> -> tile<i1>",
        "%x = select %c, %i, %f : tile<i1>, tile<i32>",
        "%x = make_partition_view %i : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>",
        "%x = extract %f[%c] : tile<4xf32> -> tile<2xf32>",
        "%x = make_tensor_view %p, shape = [%i], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>",
        "%x = make_tensor_view %p, shape = [4], strides = [2] : tensor_view<4xf32, strides=[1]>",
        "continue %i : tile<f32>",
    ] {
        let errors = op_errors(op);
        assert_eq!(errors[0].id, "type-mismatch", "{op}: {}", errors[0]);
    }
}

/// The shape of a tensor without dimensions: there is no type to show, so the operation stands in its generic form.
#[test]
fn an_operation_without_results_to_show_is_read_back() {
    let generic = "\"cuda_tile.get_tensor_shape\"(%tview) : (!cuda_tile.tensor_view<f32>) -> ()";
    let source = format!(
        "entry @k(%p: tile<ptr<f32>>) {{
  %tview = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  {generic}
}}"
    );
    let module = tilewright_ir::verify(module(&source)).unwrap_or_else(|findings| panic!("{}", findings[0]));
    let text = print(&module, &PrintOptions::new());
    assert!(text.contains(&format!("\n  {generic}\n")), "{text}");
    let again = parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, "text")));
    assert_eq!(print(&again, &PrintOptions::new()), text);
}

/// A mask and a padding value look alike; the type of the value, perhaps one of several results, tells which it is.
#[test]
fn a_mask_is_told_from_a_padding_value() {
    let source = "entry @k(%c: tile<i1>, %p: tile<ptr<f32>>, %x: tile<f32>) {
  %r:2 = if %c -> (tile<f32>, tile<i1>) {
    yield %x, %c : tile<f32>, tile<i1>
  } else {
    yield %x, %c : tile<f32>, tile<i1>
  }
  %a, %t0 = load_ptr_tko weak %p, %r#1 : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
  %b, %t1 = load_ptr_tko weak %p, %r#0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
}";
    let module = tilewright_ir::verify(module(source)).unwrap_or_else(|findings| panic!("{}", findings[0]));
    let mut operands = Vec::new();
    module.functions[0].body.walk(|op| {
        if op.opcode() == tilewright_ir::Opcode::LoadPtrTko {
            operands.push((op.operand_named("mask").len(), op.operand_named("paddingValue").len()));
        }
    });
    assert_eq!(operands, [(1, 0), (0, 1)]);
}

#[test]
fn misspelt_words_get_a_suggestion() {
    for (op, suggestion) in [
        ("%x = adi %i, %i : tile<i32>", "addi"),
        ("%x = addf %f, %f rounding<nearest_evn> : tile<4xf32>", "nearest_even"),
        ("%x = iota : tyle<4xi32>", "tile"),
        ("%x = \"cuda_tile.addi\"(%i, %i) <{overflw = 1}> : () -> ()", "overflow"),
    ] {
        let errors = op_errors(op);
        assert_eq!(errors[0].notes, [format!("did you mean '{suggestion}'?")], "{op}");
    }
}

#[test]
fn defaults_are_filled_in() {
    let text = "entry @k(%a: tile<f32>, %v: tile<i32>) { %x = exp %a : tile<f32> }";
    let module = module(text);
    let body = &module.functions[0].body;
    let op = body.op(tilewright_ir::Op::new(0));
    assert_eq!(op.attr(AttrName::RoundingMode), AttrValue::Enum(tilewright_ir::RoundingMode::Full as u8));
    assert_eq!(body.last_op(body.entry_block().unwrap()).unwrap().opcode().mnemonic(), "return");
}

#[test]
fn there_are_so_many_errors_and_no_more() {
    let text = format!("entry @k() {{\n{}}}\n", "  foo\n".repeat(1000));
    let errors = errors(&text);
    assert_eq!(errors.len(), tilewright_text::parse::MAX_ERRORS);
    assert_eq!(errors.last().unwrap().notes.len(), 1 + usize::from(false));
    assert_eq!(errors[10].line, 12);
}
