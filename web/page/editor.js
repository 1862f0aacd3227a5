// The text: a transparent textarea above the coloured lines, so that it is edited, selected and read aloud like any other.

import { $, make } from "./dom.js";

export class Editor {
  #lines = [""];
  #starts = [0];
  #facts = new Map();
  #marks = { linked: [], step: [], related: [], wrong: [] };

  constructor(highlighter, { edited, pointed }) {
    this.highlighter = highlighter;
    this.area = $("text");
    this.shown = $("shown");
    this.area.addEventListener("input", () => {
      this.#facts.clear();
      this.#marks = { linked: [], step: [], related: [], wrong: [] };
      this.render();
      edited(this.area.value);
    });
    this.area.addEventListener("pointermove", (event) => pointed(this.#unitAt(event), "pointer"));
    this.area.addEventListener("pointerleave", () => pointed(null, "pointer"));
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === this.area) pointed(this.area.selectionStart, "caret");
    });
    // Tab leaves the text, as everywhere in the page.
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.#facts.clear();
    this.#marks = { linked: [], step: [], related: [], wrong: [] };
    this.render();
    $("editor").scrollTop = 0;
  }

  // What is known of values, by the unit behind their line.
  set facts(facts) {
    this.#facts = new Map(facts.map(([at, text]) => [this.lineOf(at), text]));
    this.render();
  }

  render() {
    const text = this.area.value;
    this.#lines = text.split("\n");
    let start = 0;
    this.#starts = this.#lines.map((line) => {
      const here = start;
      start += line.length + 1;
      return here;
    });
    const showsFacts = $("facts").checked;
    const out = document.createDocumentFragment();
    for (const [i, line] of this.#lines.entries()) {
      for (const [word, kind] of this.highlighter.words(line)) out.append(kind ? make("span", { class: kind }, word) : word);
      const fact = showsFacts && this.#facts.get(i);
      if (fact) out.append(make("span", { class: "fact" }, fact));
      out.append("\n");
    }
    this.shown.replaceChildren(out);
    this.#renderGutter();
    this.#renderMarks();
  }

  #renderGutter() {
    const wrong = new Set(this.#marks.wrong.map(([start]) => this.lineOf(start)));
    const gutter = $("gutter");
    gutter.replaceChildren();
    this.#lines.forEach((_, i) => gutter.append(wrong.has(i) ? make("span", { class: "bad" }, `● ${i + 1}`) : `${i + 1}`, "\n"));
  }

  // Marks spans: `linked`, `step`, `related` or `wrong`.
  mark(kind, spans) {
    this.#marks[kind] = spans.filter(Boolean);
    this.#renderMarks();
    if (kind === "wrong") this.#renderGutter();
  }

  #renderMarks() {
    const boxes = [];
    for (const kind of ["linked", "step", "related", "wrong"]) {
      for (const [start, end] of this.#marks[kind]) {
        const line = this.lineOf(start);
        const from = this.#column(line, start);
        const last = Math.min(Math.max(end, start + 1), this.#starts[line] + this.#lines[line].length);
        const to = Math.max(this.#column(line, last), from + 1);
        const box = make("i", { class: kind });
        box.style.cssText = `top:calc(${line} * var(--row));left:${from}ch;width:${to - from}ch`;
        boxes.push(box);
      }
    }
    $("marks").replaceChildren(...boxes);
  }

  // The column of a place, with tabs of two.
  #column(line, at) {
    const before = this.#lines[line].slice(0, at - this.#starts[line]);
    let column = 0;
    for (const c of before) column += c === "\t" ? 2 - (column % 2) : 1;
    return column;
  }

  lineOf(at) {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  line(i) {
    return this.#lines[i] ?? "";
  }

  #unitAt(event) {
    const box = this.area.getBoundingClientRect();
    const style = getComputedStyle(this.area);
    this.width ??= measure(style);
    const line = Math.floor((event.clientY - box.top - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight));
    const column = Math.floor((event.clientX - box.left - parseFloat(style.paddingLeft)) / this.width);
    if (line < 0 || line >= this.#lines.length || column < 0 || column > this.#lines[line].length) return null;
    return this.#starts[line] + column;
  }

  // Brings a place into sight, and puts the cursor there if asked.
  reveal(at, focus = false) {
    const editor = $("editor");
    const top = this.lineOf(at) * 19;
    if (top < editor.scrollTop + 19 || top > editor.scrollTop + editor.clientHeight - 57) editor.scrollTop = top - editor.clientHeight / 3;
    if (focus) {
      this.area.focus({ preventScroll: true });
      this.area.setSelectionRange(at, at);
    }
  }
}

function measure(style) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = style.font;
  return context.measureText("0".repeat(100)).width / 100;
}
