// The explorer: what is open, and how its views hang together.

import { Bytes } from "./bytes.js";
import { $, debounce, make, markdown, say, tabs } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Highlighter } from "./highlight.js";
import { Plans } from "./plan.js";
import { Runs } from "./run.js";
import { fromBase64, pack, toBase64, unpack } from "./share.js";
import { Sources } from "./source.js";

const engine = new Engine();
const highlighter = new Highlighter();

// What is open: a name, and bytes, until the text is edited.
let current = { name: "", bytes: null };
let opened = null;
let operations = new Map();
let view = "run";
let examples = [];

const operationAt = (unit) => {
  let found = null;
  for (const op of operations.values()) if (op.whole && op.whole[0] <= unit && unit <= op.whole[1] && (!found || op.whole[0] >= found.whole[0])) found = op;
  return found;
};

const editor = new Editor(highlighter, {
  edited: debounce(120, (text) => open({ name: current.name.replace(/\.tilebc$/, ".mlir"), text }, { isEdit: true })),
  pointed: (unit, by) => {
    link(unit === null ? null : operationAt(unit)?.id, "text");
    if (unit !== null) inspect(unit, by);
  },
});
const bytes = new Bytes({ pointed: (id) => link(id, "bytes") });
const plans = new Plans(engine);
const sources = new Sources({
  pointed: (ids, reveals) => {
    editor.mark("linked", ids.map((id) => operations.get(id)?.name));
    const first = operations.get(ids[0]);
    if (reveals && first?.name) editor.reveal(first.name[0]);
  },
});
const runs = new Runs(engine, {
  stepped: (id) => {
    const op = id && operations.get(id);
    editor.mark("step", [op?.name]);
    if (op?.name && !$("view-run").hidden) editor.reveal(op.name[0]);
  },
  revealed: (id) => {
    const op = operations.get(id);
    if (op?.name) editor.reveal(op.name[0]);
  },
  operationText: (id) => {
    const op = operations.get(id);
    if (!op?.whole) return op?.mnemonic ?? "";
    return editor.text.slice(...op.whole).split("\n")[0].trim();
  },
});

// Marks an operation in all views but the one that it was pointed at in.
function link(id, from) {
  const op = id ? operations.get(id) : null;
  editor.mark("linked", [op?.name]);
  if (from === "bytes" && op?.name) editor.reveal(op.name[0]);
  bytes.link(id, from !== "bytes" && view === "bytes");
  sources.link(op, from !== "source" && view === "source");
}

const inspect = debounce(60, async (unit) => {
  if (!opened) return;
  try {
    const found = await engine.ask({ do: "hover", at: unit });
    if (!found) return;
    const op = operationAt(unit);
    const from = op?.source ? make("p", { class: "faint" }, `from ${op.source[0]}:${op.source[1]}:${op.source[2]}`) : "";
    $("inspector").replaceChildren(markdown(found[0]), from);
  } catch {
    // The text has changed meanwhile.
  }
});

let opening = 0;

// Opens a file or a text. An edit leaves the arguments and the cursor alone.
async function open({ name, text, bytes: data, call, source }, { isEdit = false } = {}) {
  const number = ++opening;
  // What runs for long is not waited for.
  if (runs.isRunning) engine.stop();
  current = { name, bytes: data ?? null };
  $("name").textContent = name;
  verdict("busy", "checking …");
  if (text !== undefined && !isEdit) editor.text = text;
  let answer;
  try {
    answer = await engine.ask({ do: "open", name, text: data ? undefined : text }, data);
  } catch (error) {
    if (error.message !== "stopped") verdict("bad", error.message);
    return;
  }
  if (number !== opening) return;
  opened = answer;
  if (source) sources.add(source.name, source.text);
  operations = new Map(answer.operations.map((op) => [`${op.function}:${op.number}`, { ...op, id: `${op.function}:${op.number}` }]));
  sources.operations = [...operations.values()];
  if (!isEdit && (data || answer.text !== editor.text)) editor.text = answer.text;
  editor.facts = answer.facts;
  showProblems(answer);
  runs.functionNames = answer.functions.map((f) => f.name);
  runs.open(answer.functions, call);
  plans.entries = answer.functions.filter((f) => f.is_entry && !f.refused).map((f) => f.name);
  await showView();
  if (call?.runs) await runs.run();
}

function verdict(state, text) {
  $("verdict").dataset.state = state;
  $("verdict").textContent = text;
}

function showProblems({ problems, version, is_bytecode }) {
  editor.mark("wrong", problems.map((problem) => problem.span));
  editor.mark("related", problems.flatMap((problem) => problem.related.map(([span]) => span)));
  const count = problems.length;
  if (count === 0) verdict("good", `valid, ${is_bytecode ? "bytecode" : "text"} ${version}`);
  else verdict("bad", count === 1 ? "1 problem" : `${count} problems`);
  $("problems").replaceChildren(...problems.map((problem) => {
    const line = problem.span ? `line ${editor.lineOf(problem.span[0]) + 1}` : problem.byte !== null ? `byte 0x${problem.byte.toString(16)}` : "module";
    const go = make("button", { type: "button", class: "to" }, line);
    if (problem.span) go.addEventListener("click", () => editor.reveal(problem.span[0], true));
    const rule = problem.help ? make("a", { class: "rule", href: problem.help }, problem.id) : make("span", { class: "rule" }, problem.id);
    const related = problem.related.map(([span, message]) => {
      const to = make("button", { type: "button", class: "to related" }, `line ${editor.lineOf(span[0]) + 1}`);
      to.addEventListener("click", () => editor.reveal(span[0], true));
      return make("div", { class: "message" }, to, ` ${message}`);
    });
    const item = make("li", {}, go, " ", rule, make("div", { class: "message" }, problem.message, ...related));
    if (problem.help) {
      const more = make("button", { type: "button", class: "to" }, "what it says");
      more.addEventListener("click", () => explain(problem.id));
      item.insertBefore(more, item.lastChild);
      item.insertBefore(document.createTextNode(" "), more);
    }
    return item;
  }));
}

async function explain(rule) {
  const { title, text, mend, example, help } = await engine.ask({ do: "explain", rule });
  $("inspector").replaceChildren(
    make("p", {}, make("strong", {}, title), " ", make("a", { class: "rule", href: help }, rule)),
    make("p", {}, text), mend ? make("p", {}, mend) : "", ...(example ? [make("p", { class: "faint" }, "This breaks it:"), make("pre", {}, example.trim())] : []));
}

async function showView() {
  if (!opened) return;
  if (view === "bytes") {
    const number = opening;
    const tree = await engine.ask({ do: "bytes" });
    if (number === opening) bytes.show(tree);
  }
  if (view === "plan" && !plans.isLoaded) await plans.load();
  if (view === "source") sources.show();
}

const chooseTab = tabs([...document.querySelectorAll("[role=tab]")], (name) => {
  view = name;
  showView();
});

// Files.
async function openFiles(files) {
  for (const file of files) {
    const data = new Uint8Array(await file.arrayBuffer());
    if (/\.(py|rs|jl|cu|c|cc|cpp|h)$/.test(file.name)) {
      sources.add(file.name, new TextDecoder().decode(data));
      say(`${file.name} was taken as source`);
      chooseTab("source");
      continue;
    }
    if (/\.npy$/.test(file.name)) {
      await engine.ask({ do: "file", name: file.name }, data);
      say(`${file.name} can be an argument`);
      runs.offer(file.name);
      continue;
    }
    history.replaceState(null, "", location.pathname + location.search);
    await open({ name: file.name, bytes: data });
  }
}

$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => {
  openFiles([...$("file").files]);
  $("file").value = "";
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) $("drop").hidden = true;
});
addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  openFiles([...event.dataTransfer.files]);
});

// Links.
$("share").addEventListener("click", async () => {
  const state = { name: current.name, ...runs.call };
  if (current.bytes) state.bytes = toBase64(current.bytes);
  else state.text = editor.text;
  const fragment = await pack(state);
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    flash("Copied");
    say("The link was copied");
  } catch {
    flash("In the address bar");
    say("The link is in the address bar");
  }
});

function flash(text) {
  $("share").textContent = text;
  setTimeout(() => ($("share").textContent = "Copy link"), 1600);
}

async function openLink() {
  let state;
  try {
    state = await unpack(location.hash);
  } catch {
    verdict("bad", "the link is broken: it was cut off, perhaps");
    return true;
  }
  if (!state) return false;
  const { name, text, bytes: data, entry, grid, args } = state;
  await open({ name, text, bytes: data && fromBase64(data), call: entry ? { entry, grid, args } : undefined });
  return true;
}
addEventListener("hashchange", openLink);

// Examples.
async function loadExamples() {
  if (globalThis.tilewrightInline) examples = globalThis.tilewrightInline.examples;
  else examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
  $("examples").append(...examples.list.map((example, i) => make("option", { value: `${i}` }, example.title)));
}

function openExample(example) {
  const source = example.source && { name: example.source, text: examples.sources[example.source] };
  return open({ name: example.name, text: example.text, bytes: example.bytes && fromBase64(example.bytes), source,
    call: { entry: example.entry, grid: example.grid, args: example.args, runs: true } });
}
$("examples").addEventListener("change", () => {
  const example = examples.list[$("examples").value];
  history.replaceState(null, "", location.pathname + location.search);
  if (example) openExample(example);
});

// Colours.
const THEMES = { auto: ["◐", "as the system has them"], light: ["☀", "light"], dark: ["☾", "dark"] };
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
function applyTheme() {
  const { choice } = document.documentElement.dataset;
  document.documentElement.dataset.theme = choice !== "auto" ? choice : systemIsDark.matches ? "dark" : "light";
  $("theme").textContent = THEMES[choice][0];
  $("theme").setAttribute("aria-label", `Colours: ${THEMES[choice][1]}`);
  runs.redraw();
}
$("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const choice = names[(names.indexOf(document.documentElement.dataset.choice) + 1) % names.length];
  document.documentElement.dataset.choice = choice;
  try {
    localStorage.setItem("tilewright-theme", choice);
  } catch {
    // Pages of files may have no storage: the choice holds until they are closed.
  }
  applyTheme();
});
systemIsDark.addEventListener("change", applyTheme);
applyTheme();

$("facts").addEventListener("change", () => editor.render());

// The first module is there before the engine is.
async function begin() {
  const listed = loadExamples();
  engine.ask({ do: "operations" }).then((names) => {
    highlighter.learn(names);
    editor.render();
  }, (error) => verdict("bad", error.message));
  if (await openLink()) return;
  await listed;
  const wanted = new URLSearchParams(location.search).get("example");
  await openExample(examples.list.find((example) => example.id === wanted) ?? examples.list[0]);
}
begin().finally(() => (document.documentElement.dataset.ready = "true"));
