//! What the page asks for, and what it is told.

use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tilewright_web::Session;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn ask(session: &mut Session, request: &Value, bytes: &[u8]) -> Value {
    serde_json::from_str(&session.answer(&request.to_string(), bytes)).unwrap()
}

/// Opens a file of the project.
fn open(session: &mut Session, file: &str) -> Value {
    let bytes = fs::read(root().join(file)).unwrap();
    ask(session, &json!({ "do": "open", "name": file }), &bytes)
}

fn open_text(session: &mut Session, text: &str) -> Value {
    ask(session, &json!({ "do": "open", "name": "k.mlir", "text": text }), &[])
}

fn call(entry: &str, grid: &str, args: &[&str]) -> Value {
    json!({ "do": "run", "entry": entry, "grid": grid, "args": args, "block": 0 })
}

const SAXPY: [&str; 7] = ["f32:2", "f32[1000]=count", "i32:1000", "i32:1", "f32[1000]=1", "i32:1000", "i32:1"];

#[test]
fn bytecode_is_text_bytes_and_places_in_its_source() {
    let mut session = Session::default();
    let opened = open(&mut session, "examples/saxpy.tilebc");
    assert_eq!((&opened["is_bytecode"], &opened["version"]), (&json!(true), &json!("13.3")));
    assert_eq!(opened["problems"], json!([]));
    let text = opened["text"].as_str().unwrap();
    let operations = opened["operations"].as_array().unwrap();
    let fma = operations.iter().find(|op| op["mnemonic"] == "fma").unwrap();
    let span = |key: &str| fma[key][0].as_u64().unwrap() as usize..fma[key][1].as_u64().unwrap() as usize;
    assert_eq!(&text[span("name")], "fma");
    assert!(text[span("whole")].starts_with("%2 = fma"), "{}", &text[span("whole")]);
    assert_eq!(fma["source"][0], "/examples/kernels.py");
    assert_eq!(opened["functions"][0]["parameters"], json!(["f32", "ptr<f32>", "i32", "i32", "ptr<f32>", "i32", "i32"]));
    // The operations of the dump are those of the text, in their order.
    let dump = ask(&mut session, &json!({ "do": "bytes" }), &[]);
    let mut opcodes = Vec::new();
    collect_opcodes(&dump["items"], &mut opcodes);
    assert_eq!(opcodes, operations.iter().map(|op| op["mnemonic"].as_str().unwrap()).collect::<Vec<_>>());
}

fn collect_opcodes(items: &Value, opcodes: &mut Vec<String>) {
    for item in items.as_array().unwrap() {
        if item["kind"] == "head" {
            opcodes.push(item["meaning"].as_str().unwrap().to_owned());
        }
        if item["items"].is_array() {
            collect_opcodes(&item["items"], opcodes);
        }
    }
}

#[test]
fn texts_have_verdicts_facts_and_bytes() {
    let mut session = Session::default();
    let wrong = "// µ\nentry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32>\n}";
    let opened = open_text(&mut session, wrong);
    let problem = &opened["problems"][0];
    assert_eq!(problem["id"], "operand-type");
    assert!(problem["help"].as_str().unwrap().ends_with("docs/rules.md#operand-type"));
    let at = problem["span"][0].as_u64().unwrap() as usize;
    let units: Vec<u16> = wrong.encode_utf16().collect();
    assert_eq!(String::from_utf16_lossy(&units[at..at + 4]), "addi");
    assert_eq!(ask(&mut session, &json!({ "do": "bytes" }), &[]), Value::Null);
    assert!(ask(&mut session, &call("k", "1", &["f32:1"]), &[])["error"].as_str().unwrap().contains("no valid module"));

    let opened = open_text(&mut session, "entry @k() {\n  %0 = iota : tile<8xi32>\n}");
    assert_eq!(opened["problems"], json!([]));
    assert_eq!(opened["facts"], json!([[38, "range 0..=7, dim 0 contiguous 8 from 0"]]));
    assert!(opened["bytes"].as_u64().unwrap() > 0);
    let hover = ask(&mut session, &json!({ "do": "hover", "at": 21 }), &[]);
    assert!(hover[0].as_str().unwrap().contains("**iota**"), "{hover}");
    let rule = ask(&mut session, &json!({ "do": "explain", "rule": "out-of-bounds" }), &[]);
    assert!(rule["mend"].as_str().unwrap().contains("Mask"), "{rule}");
}

#[test]
fn what_is_no_module_says_so() {
    let mut session = Session::default();
    let broken = &fs::read(root().join("examples/saxpy.tilebc")).unwrap()[..300];
    let opened = ask(&mut session, &json!({ "do": "open", "name": "broken.tilebc" }), broken);
    assert_eq!(opened["problems"][0]["byte"], 0x9e);
    let dump = ask(&mut session, &json!({ "do": "bytes" }), &[]);
    assert_eq!(dump["error"]["offset"], 0x9e);
    let opened = ask(&mut session, &json!({ "do": "open", "name": "x.zip" }), b"PK\x03\x04");
    assert!(opened["problems"][0]["message"].as_str().unwrap().contains("zip archive"), "{opened}");
    let opened = ask(&mut session, &json!({ "do": "open", "name": "x.mlir" }), b"entry @k() { // \xff\n}");
    assert_eq!(opened["problems"][0]["id"], "not-utf8");
}

#[test]
fn launches_are_shown_step_by_step() {
    let mut session = Session::default();
    let opened = open(&mut session, "examples/saxpy.tilebc");
    let launched = ask(&mut session, &call("saxpy", "4", &SAXPY), &[]);
    assert_eq!(launched["findings"], json!([]), "{launched}");
    let y = &launched["buffers"][1];
    assert_eq!((&y["parameter"], &y["shape"], &y["before"][3], &y["after"][3]), (&json!(4), &json!([1000]), &json!(1.0), &json!(7.0)));
    // Block 3 writes 232 of its 256 elements.
    let accesses = launched["recorded"]["accesses"].as_array().unwrap();
    let written: u64 = accesses.iter().filter(|a| a[1] == 1 && a[4] == 3).map(|a| a[3].as_u64().unwrap()).sum();
    assert_eq!(written, 232);
    let steps = launched["recorded"]["steps"].as_array().unwrap();
    let number_of =
        |mnemonic: &str| opened["operations"].as_array().unwrap().iter().find(|op| op["mnemonic"] == mnemonic).unwrap()["number"].clone();
    let step_of = |mnemonic: &str| steps.iter().position(|step| step[1] == number_of(mnemonic)).unwrap();
    let load = ask(&mut session, &json!({ "do": "step", "index": step_of("load_view_tko") }), &[]);
    assert_eq!(load["results"][0]["tile"]["values"][5], 5.0, "{load}");
    let fma = ask(&mut session, &json!({ "do": "step", "index": step_of("fma") }), &[]);
    assert_eq!((&fma["results"][0]["name"], &fma["results"][0]["ty"]), (&json!("%2"), &json!("tile<256xf32>")));
    assert_eq!(fma["results"][0]["tile"]["values"][5], 11.0);
    // What repeats is told once.
    assert_eq!((&fma["operands"][0]["tile"]["extents"], &fma["operands"][0]["tile"]["values"]), (&json!([1]), &json!([2.0])));
    let other = ask(&mut session, &json!({ "do": "trace", "block": 3 }), &[]);
    assert_eq!(other["steps"].as_array().unwrap().len(), steps.len());
    let load = ask(&mut session, &json!({ "do": "step", "index": step_of("load_view_tko") }), &[]);
    assert_eq!(load["results"][0]["tile"]["values"][5], 773.0, "{load}");
}

#[test]
fn findings_name_what_the_page_draws() {
    let mut session = Session::default();
    open(&mut session, "examples/saxpy.tilebc");
    let mut args = SAXPY;
    args[4] = "f32[900]";
    let launched = ask(&mut session, &call("saxpy", "4", &args), &[]);
    let finding = launched["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "out-of-bounds").unwrap();
    assert_eq!(finding["place"]["block"], json!([3, 0, 0]));
    assert_eq!(
        (&finding["place"]["memory"]["buffer"]["number"], &finding["place"]["memory"]["buffer"]["offset"]),
        (&json!(1), &json!(3600))
    );
    assert!(finding["help"].as_str().unwrap().ends_with("docs/check-rules.md#out-of-bounds"), "{finding}");
    let errors =
        [(call("saxpy", "0", &SAXPY), "not an extent"), (call("saxpy", "1", &SAXPY[1..]), "7 parameters"), (call("no", "1", &[]), "no")];
    for (request, expected) in errors {
        let answer = ask(&mut session, &request, &[]);
        assert!(answer["error"].as_str().unwrap().contains(expected), "{answer}");
    }
}

#[test]
fn names_are_those_of_the_text() {
    let mut session = Session::default();
    open_text(&mut session, "entry @k(%in: tile<i32>) {\n  %twice = addi %in, %in : tile<i32>\n  return\n}");
    ask(&mut session, &call("k", "1", &["i32:21"]), &[]);
    let step = ask(&mut session, &json!({ "do": "step", "index": 0 }), &[]);
    assert_eq!((&step["results"][0]["name"], &step["operands"][0]["name"]), (&json!("%twice"), &json!("%in")));
    assert_eq!(step["results"][0]["tile"]["values"], json!([42]));
    assert!(ask(&mut session, &json!({ "do": "step", "index": 9 }), &[])["error"].is_string());
}

#[test]
fn arguments_are_files_that_were_dropped() {
    let mut session = Session::default();
    open_text(
        &mut session,
        "entry @k(%p: tile<ptr<i32>>) {\n  %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token\n  return\n}",
    );
    let missing = ask(&mut session, &call("k", "1", &["@x.npy"]), &[]);
    assert!(missing["error"].as_str().unwrap().contains("no such file was dropped"), "{missing}");
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((118u16).to_le_bytes());
    npy.extend(format!("{header:<117}\n").bytes());
    npy.extend([7, 0, 0, 0, 8, 0, 0, 0]);
    assert_eq!(ask(&mut session, &json!({ "do": "file", "name": "x.npy" }), &npy), json!({}));
    let launched = ask(&mut session, &call("k", "1", &["@x.npy"]), &[]);
    assert_eq!(launched["buffers"][0]["after"], json!([7, 8]), "{launched}");
}

#[test]
fn plans_are_shown_after_each_pass() {
    let mut session = Session::default();
    open(&mut session, "examples/softmax.tilebc");
    let stages = ask(&mut session, &json!({ "do": "plan", "entry": "softmax" }), &[]);
    assert_eq!(stages[0]["name"], "lower");
    assert!(stages.as_array().unwrap().last().unwrap()["text"].as_str().unwrap().contains("sweep"), "{stages}");
}

/// A number that depends on all values of the buffers after a launch: FNV-1a over the bytes of each as f32, which forgives what reading JSON
/// may be off by.
fn digest(launched: &Value) -> u32 {
    let values = launched["buffers"].as_array().unwrap().iter().flat_map(|buffer| buffer["after"].as_array().unwrap());
    let bytes = values.filter_map(Value::as_f64).flat_map(|value| (value as f32).to_le_bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The examples of the page run as they stand, only those that say so have mistakes, and WebAssembly computes the same, as the tests of the page
/// find by these digests (`BLESS=1` writes them).
#[test]
fn examples_run() {
    let path = root().join("web/digests.json");
    let examples: Value = serde_json::from_str(&fs::read_to_string(root().join("web/examples.json")).unwrap()).unwrap();
    let mut digests = serde_json::Map::new();
    for example in examples.as_array().unwrap() {
        let mut session = Session::default();
        let opened = open(&mut session, example["file"].as_str().unwrap());
        assert_eq!(opened["problems"], json!([]), "{example}");
        let request = json!({ "do": "run", "entry": example["entry"], "grid": example["grid"], "args": example["args"] });
        let launched = ask(&mut session, &request, &[]);
        let findings = launched["findings"].as_array().unwrap_or_else(|| panic!("{example}: {launched}"));
        let is_mistake = example["title"].as_str().unwrap().starts_with("Mistake");
        assert_eq!(!findings.is_empty(), is_mistake, "{example}: {findings:?}");
        assert!(launched["recorded"]["has_more_steps"] == false && launched["recorded"]["has_more_accesses"] == false, "{example}");
        digests.insert(example["id"].as_str().unwrap().to_owned(), digest(&launched).into());
    }
    let found = serde_json::to_string_pretty(&digests).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), found, "web/digests.json is stale: run with BLESS=1");
}
