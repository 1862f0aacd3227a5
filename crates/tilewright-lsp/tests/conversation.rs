//! Conversations of an editor with the server, each over a connection in memory.

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::thread::{self, JoinHandle};
use tilewright_lsp::{ServeError, serve};

const URI: &str = "file:///k.mlir";

/// An editor, and the server that it talks to.
struct Editor {
    connection: Connection,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    next: i32,
    /// What the server said is wrong, by text.
    diagnostics: Vec<Value>,
}

impl Editor {
    fn new() -> Editor {
        let (ours, theirs) = Connection::memory();
        let server = Some(thread::spawn(move || serve(&theirs)));
        let mut editor = Editor { connection: ours, server, next: 0, diagnostics: Vec::new() };
        let result = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    /// An editor with a text.
    fn with(text: &str) -> Editor {
        let editor = Editor::new();
        editor.tell("textDocument/didOpen", json!({ "textDocument": { "uri": URI, "languageId": "tileir", "version": 1, "text": text } }));
        editor
    }

    fn tell(&self, method: &str, params: Value) {
        self.connection.sender.send(Message::Notification(Notification { method: method.to_owned(), params })).unwrap();
    }

    fn respond(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.connection.sender.send(Message::Request(Request { id: id.clone(), method: method.to_owned(), params })).unwrap();
        loop {
            match self.connection.receiver.recv().unwrap() {
                Message::Response(response) if response.id == id => {
                    let response = serde_json::to_value(response).unwrap();
                    return match response.get("error") {
                        Some(error) => Err(error["message"].as_str().unwrap().to_owned()),
                        None => Ok(response["result"].clone()),
                    };
                }
                Message::Notification(told) if told.method == "textDocument/publishDiagnostics" => self.diagnostics.push(told.params),
                other => panic!("{other:?}"),
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.respond(method, params).unwrap()
    }

    /// Asks about a place.
    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.ask(method, place(line, character))
    }

    /// What is wrong, as the server says next.
    fn wrong(&mut self) -> Value {
        while self.diagnostics.is_empty() {
            match self.connection.receiver.recv().unwrap() {
                Message::Notification(told) => self.diagnostics.push(told.params),
                other => panic!("{other:?}"),
            }
        }
        self.diagnostics.remove(0)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        let served = self.server.take().unwrap().join().unwrap();
        assert!(served.is_ok(), "{served:?}");
    }
}

fn place(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

/// A range as `line:from-to`.
fn short(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    assert_eq!(start["line"], end["line"]);
    format!("{}:{}-{}", start["line"], start["character"], end["character"])
}

fn shorts(ranges: &Value) -> Vec<String> {
    ranges.as_array().unwrap().iter().map(|item| short(&item["range"])).collect()
}

const KERNEL: &str = "\
!t = tile<8xi32>
entry @k(%p: tile<ptr<i32>>) {
  /* */
  %i = iota : !t
  %n = constant <i32: 8> : tile<i32>
  %zero, %one = for
}
";

const VALID: &str = "\
!t = tile<8xi32>
global @table <i32: [1, 2]> : tile<2xi32>
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %i = iota : !t // \u{1d11e} is two units of UTF-16
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  for %k in (%one to %four, step %one) : tile<i32> {
    %s = addi %k, %one : tile<i32>
  }
  %g = get_global @table : tile<ptr<i32>>
  %l, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  \"cuda_tile.assert\"(%c) <{message = \"\u{1d11e}\"}> : (tile<i1>) -> ()
}
";

#[test]
fn errors_of_the_parser_are_shown_where_they_are() {
    let mut editor = Editor::with(KERNEL);
    let wrong = editor.wrong();
    assert_eq!((&wrong["uri"], &wrong["version"]), (&json!(URI), &json!(1)));
    let first = &wrong["diagnostics"][0];
    assert_eq!(short(&first["range"]), "2:2-3");
    assert_eq!((first["code"].as_str(), first["source"].as_str()), (Some("unknown-character"), Some("tilewright")));
    assert_eq!(first["severity"], 1);
}

#[test]
fn findings_of_the_verifier_are_shown_at_their_operation_with_help() {
    let text = "entry @k(%x: tile<f32>) {\n  %y = addi %x, %x : tile<f32> loc(\"other.py\":1:1)\n}\nentry @k() {}\n";
    let mut editor = Editor::with(text);
    let wrong = editor.wrong();
    let all: Vec<(String, &str)> =
        wrong["diagnostics"].as_array().unwrap().iter().map(|d| (short(&d["range"]), d["code"].as_str().unwrap())).collect();
    assert!(all.contains(&("1:7-11".to_owned(), "operand-type")), "{all:?}");
    assert!(all.iter().any(|(_, rule)| *rule == "symbol-unique"), "{all:?}");
    let help = wrong["diagnostics"][0]["codeDescription"]["href"].as_str().unwrap();
    assert!(help.starts_with("https://") && help.contains("docs/rules.md#"), "{help}");
}

#[test]
fn changes_are_followed_and_closed_texts_have_no_errors() {
    let mut editor = Editor::with("// \u{1d11e}\nentry @k() {\n}\n");
    assert_eq!(editor.wrong()["diagnostics"], json!([]));
    let change = |version: i32, line: u32, from: u32, to: u32, text: &str| {
        let range = json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
        json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [{ "range": range, "text": text }] })
    };
    editor.tell("textDocument/didChange", change(2, 0, 5, 5, "\u{1d11e}\nbroken // "));
    let wrong = editor.wrong();
    assert_eq!((&wrong["version"], wrong["diagnostics"][0]["code"].as_str()), (&json!(2), Some("unknown-operation")));
    assert_eq!(short(&wrong["diagnostics"][0]["range"]), "1:0-6");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(editor.wrong()["diagnostics"], json!([]));
    assert_eq!(editor.at("textDocument/hover", 0, 0), Value::Null);
}

fn hover(editor: &mut Editor, line: u32, character: u32) -> String {
    editor.at("textDocument/hover", line, character)["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn hovers_tell_types_facts_and_rows() {
    let text = VALID.replace("  \"cuda_tile.assert\"(%c)", "  //");
    let mut editor = Editor::with(&text);
    assert_eq!(editor.wrong()["diagnostics"], json!([]));
    assert_eq!(hover(&mut editor, 3, 2), "```tileir\n%i : tile<8xi32>\n```\n\nrange 0..=7, dim 0 contiguous 8 from 0");
    let row = hover(&mut editor, 3, 8);
    assert!(row.starts_with("**iota** 0x") && row.contains("  syntax      iota : type(result)"), "{row}");
    assert_eq!(hover(&mut editor, 3, 15), "```tileir\n!t = tile<8xi32>\n```");
    assert_eq!(hover(&mut editor, 9, 20), "```tileir\nglobal @table : tile<2xi32>\n```");
    assert_eq!(hover(&mut editor, 2, 7), "```tileir\nentry @k : (tile<ptr<i32>>, tile<i32>) -> ()\n```");
    assert_eq!(hover(&mut editor, 6, 7), "```tileir\n%k : tile<i32>\n```\n\nrange 1..=3\n\n3 trips");
    assert_eq!(hover(&mut editor, 2, 0), "");
}

#[test]
fn names_are_found_and_renamed() {
    let mut editor = Editor::with(VALID);
    assert_eq!(short(&editor.at("textDocument/definition", 7, 19)["range"]), "4:2-6");
    assert_eq!(short(&editor.at("textDocument/definition", 9, 22)["range"]), "1:8-13");
    assert_eq!(short(&editor.at("textDocument/definition", 3, 14)["range"]), "0:0-2");
    let mut asked = place(4, 3);
    asked["context"] = json!({ "includeDeclaration": true });
    assert_eq!(shorts(&editor.ask("textDocument/references", asked.clone())), ["4:2-6", "6:13-17", "6:33-37", "7:18-22"]);
    asked["context"] = json!({ "includeDeclaration": false });
    assert_eq!(editor.ask("textDocument/references", asked).as_array().unwrap().len(), 3);
    assert_eq!(shorts(&editor.at("textDocument/documentHighlight", 1, 10)), ["1:8-13", "9:19-24"]);
    assert_eq!(short(&editor.at("textDocument/prepareRename", 6, 15)), "6:13-17");

    let mut renamed = |line: u32, character: u32, new: &str| {
        let mut params = place(line, character);
        params["newName"] = json!(new);
        let result = editor.respond("textDocument/rename", params)?;
        let edits = result["changes"][URI].as_array().unwrap().clone();
        Ok(edits.iter().map(|edit| format!("{} {}", short(&edit["range"]), edit["newText"].as_str().unwrap())).collect::<Vec<_>>())
    };
    assert_eq!(renamed(4, 3, "unit"), Ok(["4:2-6 %unit", "6:13-17 %unit", "6:33-37 %unit", "7:18-22 %unit"].map(str::to_owned).to_vec()));
    assert_eq!(renamed(1, 9, "@lut"), Ok(["1:8-13 lut", "9:19-24 lut"].map(str::to_owned).to_vec()));
    assert_eq!(renamed(0, 1, "!v"), Ok(["0:0-2 !v", "3:14-16 !v"].map(str::to_owned).to_vec()));
    assert_eq!(renamed(4, 3, "s"), Err("%s is defined in line 8 already".to_owned()));
    assert_eq!(renamed(4, 3, "a b"), Err("'a b' is no name that can stand behind %".to_owned()));
    assert_eq!(renamed(4, 3, "%%"), Err("'%%' is no name that can stand behind %".to_owned()));
    assert_eq!(renamed(6, 0, "x"), Err("there is no name here".to_owned()));
}

fn labels(editor: &mut Editor, line: u32, character: u32) -> Vec<String> {
    let items = editor.at("textDocument/completion", line, character);
    items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn completion_offers_what_can_stand_there() {
    // Line 7: a name is about to be written inside of the loop.
    let text = VALID.replace("addi %k, %one : tile<i32>", "addi %");
    let mut editor = Editor::with(&text);
    assert_eq!(labels(&mut editor, 7, 15), ["%p", "%n", "%i", "%one", "%four", "%k"]);
    assert_eq!(labels(&mut editor, 9, 20), ["@table", "@k"]);
    let operations = labels(&mut editor, 7, 11);
    assert!(operations.contains(&"addi".to_owned()) && operations.contains(&"cond_br".to_owned()), "{operations:?}");
    assert!(!operations.contains(&"entry".to_owned()));
    assert_eq!(labels(&mut editor, 1, 0), ["entry", "global", "cuda_tile.module"]);
    let words = labels(&mut editor, 10, 24);
    for word in ["weak", "relaxed", "tile", "f32", "token"] {
        assert!(words.contains(&word.to_owned()), "{word}: {words:?}");
    }
    let item = &editor.at("textDocument/completion", 7, 15)[5];
    assert_eq!((short(&item["textEdit"]["range"]).as_str(), item["detail"].as_str()), ("7:14-15", Some("tile<i32>")));
}

fn hints(editor: &mut Editor, last_line: u32) -> Vec<String> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": last_line, "character": 0 } });
    let hints = editor.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let short =
        |hint: &Value| format!("{}:{} {}", hint["position"]["line"], hint["position"]["character"], hint["label"].as_str().unwrap());
    hints.as_array().unwrap().iter().map(short).collect()
}

#[test]
fn hints_show_types_and_facts() {
    let text = VALID
        .replace("  \"cuda_tile.assert\"(%c)", "  //")
        .replace("  %l, %t", "  %c = cmpi equal %one, %n, signed : tile<i32> -> tile<i1>\n  %l, %t");
    let mut editor = Editor::with(&text);
    assert_eq!(editor.wrong()["diagnostics"], json!([]));
    let hints = hints(&mut editor, 99);
    let expected = ["3:4 : tile<8xi32>", "3:45 range 0..=7, dim 0 contiguous 8 from 0", "6:52 range 1..=3, 3 trips", "7:34 range 2..=4"];
    assert_eq!(hints, expected);
}

#[test]
fn the_outline_has_functions_and_globals() {
    let mut editor = Editor::with(VALID);
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["table", "k"]);
    assert_eq!((&symbols[1]["range"]["start"]["line"], &symbols[1]["range"]["end"]["line"]), (&json!(2), &json!(12)));
}

#[test]
fn formatting_changes_the_lines_that_need_it() {
    let mut editor = Editor::with("entry @k() {\nreturn  \n  // {\n}\n");
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    let edits = editor.ask("textDocument/formatting", json!({ "textDocument": { "uri": URI }, "options": options }));
    let edits: Vec<String> =
        edits.as_array().unwrap().iter().map(|edit| format!("{} {}", short(&edit["range"]), edit["newText"].as_str().unwrap())).collect();
    assert_eq!(edits, ["1:0-8   return"]);
}

#[test]
fn bytecode_is_shown_as_text() {
    let mut editor = Editor::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let mut text_of =
        |name: &str| editor.respond("tilewright/bytecodeText", json!({ "uri": format!("file://{}/{name}", folder.display()) }));
    let text = text_of("saxpy.tilebc").unwrap();
    assert!(text["text"].as_str().unwrap().contains("entry @saxpy("), "{text}");
    assert_eq!(text_of("double.mlir"), Err("this is text already".to_owned()));
    assert!(text_of("no such file").is_err());
}

#[test]
fn what_is_not_served_is_refused_and_the_conversation_goes_on() {
    let mut editor = Editor::with(VALID);
    assert_eq!(editor.respond("textDocument/unheardOf", json!({})), Err("this is not served".to_owned()));
    assert!(editor.respond("textDocument/hover", json!({ "textDocument": 1 })).is_err());
    assert!(hover(&mut editor, 0, 0).contains("!t"));
}
