// Puts the page together around tilewright.wasm: copies its files, makes examples.json of the files that web/examples.json names, and writes
// explorer.html, which holds everything.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

const out = process.argv[2];
const page = "web/page";
// Each stands in front of those that import it.
const MODULES = ["dom", "share", "colours", "picture", "highlight", "engine", "editor", "bytes", "plan", "source", "run", "main"];

cpSync(page, out, { recursive: true });

const sources = {};
const list = JSON.parse(readFileSync("web/examples.json", "utf8")).map(({ file, source, ...example }) => {
  const data = readFileSync(file);
  if (source) sources[basename(source)] = readFileSync(source, "utf8");
  const content = file.endsWith(".tilebc") ? { bytes: data.toString("base64") } : { text: data.toString("utf8") };
  return { ...example, name: basename(file), ...content, ...(source && { source: basename(source) }) };
});
writeFileSync(join(out, "examples.json"), JSON.stringify({ list, sources }));

// In one file, modules are parts of one script: they import nothing, and have no names in common.
const script = MODULES.map((name) => {
  const text = readFileSync(join(page, `${name}.js`), "utf8");
  return text.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, "");
}).join("\n").replaceAll("import.meta.url", "document.baseURI");
const worker = readFileSync(join(page, "worker.js"), "utf8");
const wasm = gzipSync(readFileSync(join(out, "tilewright.wasm")), { level: 9 }).toString("base64");
// No text inside ends the script that it stands in.
const json = (value) => JSON.stringify(value).replaceAll("</", "<\\/");
const html = readFileSync(join(page, "index.html"), "utf8")
  .replace('<link rel="stylesheet" href="style.css">', () => `<style>\n${readFileSync(join(page, "style.css"), "utf8")}</style>`)
  .replace('<script type="module" src="main.js"></script>', () =>
    `<script>globalThis.tilewrightInline = ${json({ wasm, worker, examples: { list, sources } })};</script>\n<script type="module">\n${script.replaceAll("</", "<\\/")}</script>`);
writeFileSync(join(out, "explorer.html"), html);
