// The grammar with the engine of Visual Studio Code.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const onigLib = { createOnigScanner: (p) => new oniguruma.OnigScanner(p), createOnigString: (s) => new oniguruma.OnigString(s) };
  const file = path.join(__dirname, "../syntaxes/tileir.tmLanguage.json");
  const loadGrammar = async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  return new textmate.Registry({ onigLib: Promise.resolve(onigLib), loadGrammar }).loadGrammar("source.tileir");
}

test("words have the colours of what they are", async () => {
  const tileir = await grammar();
  const scopes = (line) => {
    const { tokens } = tileir.tokenizeLine(line, textmate.INITIAL);
    const named = tokens.filter(({ scopes }) => scopes.length > 1);
    return Object.fromEntries(named.map((t) => [line.slice(t.startIndex, t.endIndex), t.scopes.at(-1).replace(".tileir", "")]));
  };
  assert.deepStrictEqual(scopes('  %0 = load_view_tko weak %v[%i] : tile<4x?xf32> loc("a.py":1:2) // done'), {
    "%0": "variable.other",
    load_view_tko: "keyword.operator.word",
    weak: "storage.modifier",
    "%v": "variable.other",
    "%i": "variable.other",
    tile: "support.type",
    "4x?x": "constant.numeric.shape",
    f32: "storage.type",
    loc: "keyword.other",
    '"a.py"': "string.quoted.double",
    1: "constant.numeric",
    2: "constant.numeric",
    "// done": "comment.line.double-slash",
  });
  const entry = scopes("entry @k(%a: !t) { ^bb0: #loc3 -1.5e3 0xFF cuda_tile.addi cond_br");
  assert.strictEqual(entry.entry, "storage.type.function");
  assert.strictEqual(entry["@k"], "entity.name.function");
  assert.strictEqual(entry["!t"], "entity.name.type");
  assert.strictEqual(entry["^bb0"], "entity.name.label");
  assert.strictEqual(entry["#loc3"], "variable.other.constant");
  assert.strictEqual(entry["-1.5e3"], "constant.numeric");
  assert.strictEqual(entry["cuda_tile.addi"], "keyword.operator.word");
  assert.strictEqual(entry.cond_br, "keyword.operator.word");
});
