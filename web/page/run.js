// Launches: the form, the steps of a block with their tiles, the grid, and the arrays with who touches them.

import { $, make, say } from "./dom.js";
import { ofBlock, shown } from "./colours.js";
import { Picture, coordinates, tilePicture } from "./picture.js";

export class Runs {
  #functions = [];
  #launched = null;
  #pictures = [];
  #position = 0;
  #playing = null;
  #asked = 0;

  // `stepped` is told the operation of a step, `pointed` what a finding names.
  constructor(engine, { stepped, revealed, operationText }) {
    Object.assign(this, { engine, stepped, revealed, operationText });
    $("call").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    $("stop").addEventListener("click", () => engine.stop());
    $("entry").addEventListener("change", () => this.#showParameters(null));
    $("first").addEventListener("click", () => this.#goTo(0));
    $("back").addEventListener("click", () => this.#goTo(this.#position - 1));
    $("next").addEventListener("click", () => this.#goTo(this.#position + 1));
    $("position").addEventListener("input", () => this.#goTo(Number($("position").value)));
    $("play").addEventListener("click", () => this.#play(!this.#playing));
    $("modes").addEventListener("change", () => this.#paintArrays());
    $("view-run").addEventListener("keydown", (event) => {
      if (event.target !== $("view-run") || !this.#launched) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) this.#goTo(this.#position + step);
    });
  }

  // The functions of the module that is open, and arguments to begin with.
  open(functions, call) {
    this.clear();
    this.#functions = functions.filter((f) => f.is_entry);
    // While a text is wrong, what was written for it stays.
    $("run").disabled = this.#functions.length === 0;
    if (this.#functions.length === 0 && !call) return;
    const before = $("entry").value;
    $("entry").replaceChildren(...this.#functions.map((f) => make("option", {}, f.name)));
    const wanted = call?.entry ?? before;
    if (this.#functions.some((f) => f.name === wanted)) $("entry").value = wanted;
    if (call) $("grid").value = call.grid;
    this.#showParameters(call?.args ?? null);
  }

  // A file for an array: the argument that has the focus, or else the first that is none yet.
  offer(name) {
    const inputs = [...$("arguments").querySelectorAll(".array input")];
    const input = inputs.find((input) => input === document.activeElement) ?? inputs.find((input) => !input.value.startsWith("@"));
    if (input) input.value = `@${name}`;
  }

  clear() {
    this.#play(false);
    this.#launched = null;
    $("result").hidden = true;
    this.stepped(null);
  }

  get call() {
    const args = [...$("arguments").querySelectorAll("input")].map((input) => input.value.trim());
    return { entry: $("entry").value, grid: $("grid").value.trim(), args };
  }

  #showParameters(args) {
    const entry = this.#functions.find((f) => f.name === $("entry").value);
    const parameters = entry?.parameters ?? [];
    // What was written stays, as long as it can be for the same parameters.
    const written = [...$("arguments").querySelectorAll("label")].map((label) => [label.dataset.type, label.querySelector("input").value]);
    const stays = !args && written.length === parameters.length && parameters.every((type, i) => type === written[i][0]);
    const values = args ?? (stays ? written.map(([, value]) => value) : (entry?.suggested ?? []));
    // An array and the numbers behind it, its extents and strides, stand in one row.
    const rows = [];
    for (const [i, type] of parameters.entries()) {
      const isPointer = type.startsWith("ptr");
      const input = make("input", { type: "text", value: values[i] ?? "", spellcheck: false, "aria-label": `Parameter ${i}, ${type}` });
      const label = make("label", { dataset: { type }, class: isPointer ? "array" : "", title: `parameter ${i}: ${type}` }, make("span", {}, isPointer || rows.length === 0 ? `${i} ${type}` : `${i}`), input);
      if (isPointer || rows.length === 0) rows.push(make("div", { class: "row" }));
      rows.at(-1).append(label);
    }
    $("arguments").replaceChildren(...rows);
    $("run").disabled = !entry || Boolean(entry.refused);
    if (entry?.refused) $("arguments").append(make("p", { class: "bad-text" }, entry.refused));
  }

  async run() {
    const asked = ++this.#asked;
    this.isRunning = true;
    this.#play(false);
    $("run").disabled = true;
    const slow = setTimeout(() => ($("stop").hidden = false), 400);
    $("outcome").textContent = "running …";
    $("outcome").dataset.state = "busy";
    $("result").hidden = false;
    $("result").setAttribute("aria-busy", "true");
    try {
      const launched = await this.engine.ask({ do: "run", ...this.call, block: 0 });
      if (asked !== this.#asked) return;
      this.#launched = launched;
      this.#show();
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#launched = null;
      this.#outcome("bad", error.message === "stopped" ? "Stopped." : `Not run: ${error.message}`);
    } finally {
      this.isRunning = false;
      clearTimeout(slow);
      $("stop").hidden = true;
      $("run").disabled = false;
      $("result").removeAttribute("aria-busy");
      for (const section of $("result").querySelectorAll("section")) section.hidden = !this.#launched;
      if (this.#launched) $("printed-section").hidden = !this.#launched.printed;
      else $("findings").replaceChildren();
    }
  }

  #outcome(state, text) {
    $("outcome").dataset.state = state;
    $("outcome").textContent = text;
  }

  #show() {
    const { findings, grid, printed } = this.#launched;
    const blocks = grid.reduce((product, extent) => product * extent, 1);
    const ran = blocks === 1 ? "1 block ran" : `${blocks} blocks ran`;
    const count = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
    this.#outcome(findings.length ? "bad" : "good", findings.length ? `${ran}, ${count}` : `${ran}, nothing is wrong`);
    $("findings").replaceChildren(...findings.map((finding) => this.#finding(finding)));
    $("printed").textContent = printed;
    this.#showGrid();
    this.#showArrays();
    this.#recorded(this.#launched.recorded);
  }

  #finding(finding) {
    const { title, message, place, help, rule, elements, blocks, other } = finding;
    const block = `(${place.block.join(", ")})`;
    const often = `${elements} ${elements === 1 ? "element" : "elements"} in ${blocks} ${blocks === 1 ? "block" : "blocks"}`;
    const element = place.element?.length ? `, element [${place.element.join(", ")}]` : "";
    const memory = place.memory?.buffer ? `; byte ${place.memory.buffer.offset} of ${place.memory.buffer.name}, which has ${place.memory.buffer.size}` : "";
    const show = make("button", { type: "button" }, "Show it");
    show.addEventListener("click", () => this.#reveal(finding));
    const lines = [
      make("p", { class: "head" }, make("span", { class: "title" }, title), make("a", { class: "rule", href: help }, rule), show),
      make("p", {}, `${place.operation}: ${message}`),
      make("p", { class: "faint" }, `block ${block}${element}${memory}; ${often}`),
    ];
    if (other) lines.push(make("p", { class: "faint" }, `${other.what}: ${other.place.operation}, block (${other.place.block.join(", ")})`));
    const allocation = place.memory?.buffer?.allocation;
    if (allocation) lines.push(make("p", { class: "faint" }, `the memory was allocated here: ${allocation.operation}, block (${allocation.block.join(", ")})`));
    return make("li", {}, ...lines);
  }

  async #reveal(finding) {
    const [x, y, z] = finding.place.block;
    const [gx, gy] = this.#launched.grid;
    await this.#trace(x + gx * (y + gy * z));
    const function_ = this.#functionOf(finding.place.function);
    const at = this.#launched.recorded.steps.findIndex(([f, n]) => f === function_ && n === finding.number);
    this.#goTo(Math.max(at, 0));
    this.revealed(`${function_}:${finding.number}`);
  }

  #functionOf(name) {
    return this.functionNames.indexOf(name);
  }

  // The grid: a button for each block, which shows its steps.
  #showGrid() {
    const [x, y, z] = this.#launched.grid;
    const wrong = new Set();
    for (const { place, other } of this.#launched.findings) for (const p of [place, other?.place].filter(Boolean)) wrong.add(p.block[0] + x * (p.block[1] + y * p.block[2]));
    const most = 1024;
    const blocks = Math.min(x * y * z, most);
    const buttons = [];
    for (let block = 0; block < blocks; block++) {
      const at = coordinates([z, y, x], block).reverse();
      const label = `Block ${at.join(", ")}${wrong.has(block) ? ", named in a finding" : ""}`;
      const button = make("button", { type: "button", class: wrong.has(block) ? "wrong" : "", title: label, "aria-label": label, "aria-pressed": "false", dataset: { block } }, blocks <= 256 ? `${block}` : "");
      button.style.background = ofBlock(block);
      button.addEventListener("click", () => this.#trace(block));
      button.addEventListener("pointerenter", () => this.#markArrays(({ 4: by }) => by === block));
      button.addEventListener("pointerleave", () => this.#markStep());
      buttons.push(button);
    }
    const grid = make("div", { class: "blocks", role: "group", "aria-label": `Grid of ${x} by ${y} by ${z} blocks; choose one to step through` }, ...buttons);
    grid.style.gridTemplateColumns = `repeat(${Math.min(x, 8)}, 26px)`;
    const more = x * y * z > most ? make("p", { class: "faint" }, `the first ${most} blocks`) : "";
    $("blocks").replaceChildren(grid, more);
  }

  async #trace(block) {
    if (block === this.#launched.recorded.block) return;
    this.#play(false);
    try {
      this.#recorded(await this.engine.ask({ do: "trace", block }));
    } catch (error) {
      say(error.message);
    }
  }

  #recorded(recorded, position) {
    this.#launched.recorded = recorded;
    const steps = recorded.steps.length;
    $("position").max = `${Math.max(steps - 1, 0)}`;
    for (const button of $("blocks").querySelectorAll("button")) button.setAttribute("aria-pressed", Number(button.dataset.block) === recorded.block);
    this.#index();
    this.#paintArrays();
    // Where nobody has said, the first step that touches memory is the first of interest.
    this.#goTo(position ?? Math.min(...this.touches, Math.max(steps - 1, 0)));
  }

  // Who has read and written what, by buffer, and the accesses of each step.
  #index() {
    const { buffers, recorded } = this.#launched;
    this.maps = buffers.map(({ before }) => ({ reads: new Int32Array(before.length).fill(-1), writes: new Int32Array(before.length).fill(-1) }));
    this.touches = new Set();
    for (const [buffer, kind, first, count, block, step] of recorded.accesses) {
      const map = this.maps[buffer];
      if (kind !== 1) map.reads.fill(block, first, first + count);
      if (kind !== 0) map.writes.fill(block, first, first + count);
      if (step !== null) this.touches.add(step);
    }
  }

  #showArrays() {
    const shownBuffers = [...this.#launched.buffers.entries()].filter(([, buffer]) => buffer.before.length > 0);
    this.#pictures = shownBuffers.map(([index, buffer]) => {
      const wrong = this.#wrongIn(index, buffer);
      const beyond = Math.max(0, ...wrong.map(([first, count]) => first + count - buffer.before.length));
      const type = `${buffer.dtype}[${buffer.shape.join("x")}]`;
      const picture = new Picture({ name: `parameter ${buffer.parameter}`, type, shape: buffer.shape, label: `array of parameter ${buffer.parameter}`, beyond, room: 400 });
      return { index, buffer, picture, wrong };
    });
    $("arrays").replaceChildren(...this.#pictures.map(({ picture }) => picture.element));
  }

  // Runs of elements of a buffer that findings name: what lies behind its end, or else the bytes themselves.
  #wrongIn(index, buffer) {
    const runs = [];
    for (const { place, other } of this.#launched.findings) {
      for (const { memory } of [place, other?.place].filter(Boolean)) {
        if (memory?.buffer?.number !== index) continue;
        const size = memory.buffer.size / Math.max(buffer.before.length, 1);
        const [first, end] = [Math.floor(memory.buffer.offset / size), Math.ceil((memory.buffer.offset + memory.bytes) / size)];
        runs.push(end > buffer.before.length ? [Math.max(first, buffer.before.length), end - Math.max(first, buffer.before.length)] : [first, end - first]);
      }
    }
    return runs;
  }

  #paintArrays() {
    if (!this.#launched) return;
    const mode = $("modes").querySelector("input:checked").value;
    for (const { index, buffer, picture } of this.#pictures) {
      const who = (i) => this.#who(index, i);
      if (mode === "before" || mode === "after") picture.showValues(buffer[mode], who);
      else picture.showBlocks(this.maps[index][mode], mode === "writes" ? "written by" : "read by", (i) => `${shown(buffer.after[i])}${who(i)}`);
    }
  }

  #who(buffer, element) {
    const readers = new Set();
    const writers = new Set();
    for (const [b, kind, first, count, block] of this.#launched.recorded.accesses) {
      if (b !== buffer || element < first || element >= first + count) continue;
      if (kind !== 1) readers.add(block);
      if (kind !== 0) writers.add(block);
    }
    const list = (blocks) => (blocks.size > 4 ? `${blocks.size} blocks` : [...blocks].map((block) => `block ${block}`).join(", "));
    return `${readers.size ? ` · read by ${list(readers)}` : ""}${writers.size ? ` · written by ${list(writers)}` : ""}`;
  }

  redraw() {
    if (!this.#launched) return;
    this.#showGrid();
    for (const button of $("blocks").querySelectorAll("button")) button.setAttribute("aria-pressed", Number(button.dataset.block) === this.#launched.recorded.block);
    this.#paintArrays();
    this.#goTo(this.#position);
  }

  #play(plays) {
    clearInterval(this.#playing);
    this.#playing = plays ? setInterval(() => this.#goTo(this.#position + 1, true), 450) : null;
    $("play").setAttribute("aria-pressed", Boolean(plays));
    $("play").textContent = plays ? "❚❚ Pause" : "▶\uFE0E Play";
  }

  async #goTo(position, plays = false) {
    const { recorded } = this.#launched ?? {};
    if (!recorded) return;
    const last = recorded.steps.length - 1;
    if (plays && position > last) return this.#play(false);
    position = Math.min(Math.max(position, 0), Math.max(last, 0));
    this.#position = position;
    $("position").value = `${position}`;
    const [x, y, z] = this.#launched.grid;
    const block = coordinates([z, y, x], recorded.block).reverse();
    const more = recorded.has_more_steps ? "+" : "";
    $("where").textContent = `block (${block.join(", ")}), step ${Math.min(position, last) + 1} of ${last + 1}${more}`;
    $("back").disabled = $("first").disabled = position === 0;
    $("next").disabled = position >= last;
    const step = recorded.steps[position];
    if (!step) return $("tiles").replaceChildren();
    const operation = `${step[0]}:${step[1]}`;
    $("operation").textContent = this.operationText(operation);
    this.stepped(operation);
    this.#markStep();
    const asked = (this.asked = {});
    try {
      const { operands, results } = await this.engine.ask({ do: "step", index: position });
      if (asked !== this.asked) return;
      const unique = operands.filter((tile, i) => operands.findIndex((other) => other.name === tile.name) === i);
      const pictures = [...results.map((tile) => tilePicture({ ...tile, name: `${tile.name} =` })), ...unique.map(tilePicture)].filter(Boolean);
      $("tiles").replaceChildren(...(pictures.length ? pictures : [make("p", { class: "faint" }, "no tiles")]));
    } catch (error) {
      if (asked === this.asked) $("tiles").replaceChildren(make("p", { class: "faint" }, error.message));
    }
  }

  #markStep() {
    this.#markArrays(({ 5: step }) => step === this.#position);
  }

  // Outlines the elements of the accesses that are wanted, and marks what findings name.
  #markArrays(isWanted) {
    const accesses = this.#launched.recorded.accesses.filter(isWanted);
    for (const { index, picture, wrong } of this.#pictures) {
      const wanted = accesses.filter(([buffer]) => buffer === index).map(([, , first, count]) => [first, count, "access"]);
      picture.mark([...wrong.map(([first, count]) => [first, count, "wrong"]), ...wanted]);
    }
  }
}
