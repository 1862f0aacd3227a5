// Starts `tilewright lsp`, and shows bytecode as text.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** Documents with the text of a file of bytecode: `tilewright-text:/kernel.tilebc.tileir`. */
const SCHEME = "tilewright-text";
const ENDING = ".tileir";

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("tilewright");
  const server = { command: settings.get("path"), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("tilewright", "Tile IR", server, {
    documentSelector: [{ language: "tileir" }, { scheme: SCHEME }],
    initializationOptions: { inlayHints: settings.get("inlayHints") },
  });
  try {
    await client.start();
  } catch (error) {
    const message = `The language server of Tile IR does not start: ${error.message ?? error}. The setting tilewright.path names the command.`;
    vscode.window.showErrorMessage(message);
  }
}

function textUri(uri) {
  return uri.with({ scheme: SCHEME, path: uri.path + ENDING });
}

/** The text of the file that a document of our scheme stands for. */
async function provideTextDocumentContent(uri) {
  const file = uri.with({ scheme: "file", path: uri.path.slice(0, -ENDING.length) });
  const { text } = await client.sendRequest("tilewright/bytecodeText", { uri: file.toString() });
  return text;
}

async function openAsText(uri) {
  const file = uri ?? vscode.window.tabGroups.activeTabGroup.activeTab?.input?.uri;
  if (!file) return;
  const document = await vscode.workspace.openTextDocument(textUri(file));
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Opens the text in place of the bytes, which no editor of texts can show. */
const bytecodeEditor = {
  openCustomDocument: (uri) => ({ uri, dispose() {} }),
  async resolveCustomEditor(document, panel) {
    try {
      await openAsText(document.uri);
      panel.dispose();
    } catch (error) {
      panel.webview.html = `<pre>${String(error.message ?? error).replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)}</pre>`;
    }
  },
};

async function activate(context) {
  await start();
  const changed = (event) => {
    if (event.affectsConfiguration("tilewright")) vscode.commands.executeCommand("tilewright.restart");
  };
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent }),
    vscode.window.registerCustomEditorProvider("tilewright.bytecode", bytecodeEditor),
    vscode.commands.registerCommand("tilewright.openAsText", openAsText),
    vscode.commands.registerCommand("tilewright.restart", async () => {
      await deactivate();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(changed),
  );
}

async function deactivate() {
  if (client?.isRunning()) await client.stop();
}

module.exports = { activate, deactivate };
