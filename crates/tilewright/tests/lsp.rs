//! `tilewright lsp` as an editor starts it: another process, to which messages go through pipes.

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::{
    io::{BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

struct Server {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
        let mut process =
            command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Server { process, to, from }
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.to).unwrap();
        self.to.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(Message::Notification(Notification { method: method.to_owned(), params }));
    }

    fn ask(&mut self, id: i32, method: &str, params: Value) -> Value {
        self.send(Message::Request(Request { id: RequestId::from(id), method: method.to_owned(), params }));
        loop {
            if let Message::Response(response) = Message::read(&mut self.from).unwrap().unwrap() {
                return serde_json::to_value(response).unwrap()["result"].clone();
            }
        }
    }
}

#[test]
fn an_editor_starts_it_and_ends_it() {
    let mut server = Server::start();
    let result = server.ask(1, "initialize", json!({ "capabilities": {} }));
    assert_eq!(result["serverInfo"], json!({ "name": "tilewright", "version": env!("CARGO_PKG_VERSION") }));
    server.tell("initialized", json!({}));
    let text = "entry @k(%n: tile<i32>) {\n  %m = addi %n, %n : tile<i32>\n}\n";
    server.tell(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": "file:///k.mlir", "languageId": "tileir", "version": 1, "text": text } }),
    );
    let place = json!({ "textDocument": { "uri": "file:///k.mlir" }, "position": { "line": 1, "character": 9 } });
    let hover = server.ask(2, "textDocument/hover", place);
    assert!(hover["contents"]["value"].as_str().unwrap().starts_with("**addi**"), "{hover}");
    server.ask(3, "shutdown", Value::Null);
    server.tell("exit", Value::Null);
    assert!(server.process.wait().unwrap().success());
}

#[test]
fn an_editor_that_goes_away_ends_it() {
    let Server { mut process, to, mut from } = Server::start();
    drop(to);
    assert!(Message::read(&mut from).unwrap().is_none(), "nothing is said to nobody");
    assert_eq!(process.wait().unwrap().code(), Some(2));
}

#[test]
fn without_an_editor_it_says_so() {
    for said in ["", "help\n"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
        let mut process = command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*error), (Some(2), "error: no editor spoke the Language Server Protocol on stdin\n"));
    }
}

#[test]
fn a_message_that_says_too_much_of_itself_is_told() {
    let mut server = Server::start();
    server.ask(1, "initialize", json!({ "capabilities": {} }));
    let Server { process, mut to, from } = server;
    to.write_all(b"Content-Length: 99999999999999\r\n\r\n{}").unwrap();
    drop((to, from));
    let output = process.wait_with_output().unwrap();
    let told = "error: the conversation with the editor broke off: a message of 99999999999999 bytes ended after 2\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(2), told));
}
