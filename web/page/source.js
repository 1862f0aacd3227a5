// The source program of bytecode, where somebody has dropped it: lines and operations point at each other.

import { $, make } from "./dom.js";

const base = (path) => path.split(/[\\/]/).at(-1);

export class Sources {
  #files = new Map();
  #operations = [];
  #shown = null;
  #lines = [];

  constructor({ pointed }) {
    this.pointed = pointed;
  }

  add(name, text) {
    this.#files.set(base(name), text);
    this.#shown = null;
  }

  // The operations of the module that is open.
  set operations(operations) {
    this.#operations = operations;
    this.#shown = null;
  }

  show() {
    const named = [...new Set(this.#operations.filter((op) => op.source).map((op) => op.source[0]))];
    const name = named.find((name) => this.#files.has(base(name)));
    const wanted = named.map(base).join(", ");
    $("source-hint").hidden = Boolean(name);
    $("source-hint").textContent = named.length
      ? `The operations stem from ${wanted}. Drop that file here to see both side by side.`
      : "This module names no lines of a source program.";
    if (this.#shown === (name ?? "")) return;
    this.#shown = name ?? "";
    this.#lines = [];
    if (!name) return $("source").replaceChildren();
    const byLine = new Map();
    for (const op of this.#operations) if (op.source?.[0] === name) byLine.set(op.source[1], [...(byLine.get(op.source[1]) ?? []), op.id]);
    this.#lines = this.#files.get(base(name)).split("\n").map((line, i) => {
      const operations = byLine.get(i + 1);
      const element = make("span", { class: operations ? "line has" : "line" }, make("span", { class: "n" }, `${i + 1}`), line || " ");
      if (operations) {
        element.addEventListener("pointerenter", () => this.pointed(operations, false));
        element.addEventListener("pointerleave", () => this.pointed([], false));
        element.addEventListener("click", () => this.pointed(operations, true));
      }
      return element;
    });
    $("source").replaceChildren(...this.#lines);
  }

  link(operation, reveals) {
    for (const line of this.#lines) line.classList.remove("linked");
    const line = operation?.source && this.#lines[operation.source[1] - 1];
    if (!line) return;
    line.classList.add("linked");
    if (reveals) line.scrollIntoView({ block: "nearest" });
  }
}
