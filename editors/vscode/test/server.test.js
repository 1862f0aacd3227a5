// The client library of Visual Studio Code and the real server: TILEWRIGHT names the command.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const EXAMPLES = path.join(__dirname, "../../../examples");

test("a client has errors, hovers, edits and bytecode from the server", async () => {
  const server = spawn(process.env.TILEWRIGHT ?? "tilewright", ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const client = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  client.listen();
  const { capabilities } = await client.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  assert.ok(capabilities.hoverProvider && capabilities.renameProvider.prepareProvider);
  await client.sendNotification(lsp.InitializedNotification.type, {});

  const uri = "file:///kernel.tileir";
  const textDocument = { uri };
  const wrong = () => new Promise((resolve) => client.onNotification(lsp.PublishDiagnosticsNotification.type, resolve));
  const text = "// \u{1d11e}\nentry @k(%n: tile<i32>) {\n  %m = addi %n, %oops : tile<i32>\n}\n";
  let next = wrong();
  client.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "tileir", version: 1, text } });
  assert.deepStrictEqual((await next).diagnostics.map(({ code, range }) => [code, range.start]), [["undefined-value", { line: 2, character: 16 }]]);

  next = wrong();
  const range = { start: { line: 2, character: 16 }, end: { line: 2, character: 21 } };
  client.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ range, text: "%n" }] });
  assert.deepStrictEqual((await next).diagnostics, []);

  const hover = await client.sendRequest(lsp.HoverRequest.type, { textDocument, position: { line: 2, character: 3 } });
  assert.match(hover.contents.value, /%m : tile<i32>/);
  const edit = await client.sendRequest(lsp.RenameRequest.type, { textDocument, position: { line: 1, character: 10 }, newName: "count" });
  assert.strictEqual(edit.changes[uri].length, 3);
  const asked = { uri: pathToFileURL(path.join(EXAMPLES, "saxpy.tilebc")).toString() };
  const bytecode = await client.sendRequest("tilewright/bytecodeText", asked);
  assert.match(bytecode.text, /entry @saxpy\(/);

  await client.sendRequest(lsp.ShutdownRequest.type);
  await client.sendNotification(lsp.ExitNotification.type);
  assert.strictEqual(await ended, 0);
});
