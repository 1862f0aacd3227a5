// The bytes of the module: a strip of its sections, and a line for each field, grouped as the file is.

import { $, make } from "./dom.js";

const KINDS = ["header", "section", "function"];

export class Bytes {
  #rows = new Map();
  #linked = [];
  #tree = null;

  constructor({ pointed, names }) {
    Object.assign(this, { pointed, names });
    addEventListener("resize", () => this.#drawStrip());
    $("strip").addEventListener("click", (event) => this.#jump(event));
  }

  show(tree, problem) {
    this.#rows.clear();
    this.#linked = [];
    this.#tree = tree;
    $("strip").hidden = !tree;
    if (!tree) {
      $("dump").replaceChildren(make("p", { class: "faint" }, "There are no bytes: the module is not valid."));
      return;
    }
    const out = [];
    if (tree.error) out.push(make("p", { class: "bad-text" }, `at byte 0x${tree.error.offset.toString(16)}: ${tree.error.message}`));
    else if (problem) out.push(make("p", { class: "bad-text" }, problem));
    this.functions = 0;
    for (const item of tree.items) out.push(item.items ? this.#section(item) : this.#leaf(item, 0));
    $("dump").replaceChildren(...out);
    this.#drawStrip();
  }

  #section(item) {
    const details = make("details", { open: !/^(string|debug|constant) section$/.test(item.title) || item.length < 200 });
    details.append(make("summary", {}, `${item.title} `, make("span", { class: "faint" }, `${item.length} bytes from 0x${item.offset.toString(16)}`)));
    item.element = details;
    for (const child of item.items) details.append(...this.#lines(child, 0, { function: null }));
    return details;
  }

  #lines(item, depth, state) {
    if (!item.items) return [this.#leaf(item, depth, state.operation)];
    let inner = state;
    if (item.kind === "function") inner = { function: this.functions++, next: { number: 0 } };
    if (item.kind === "operation" && state.next) inner = { ...state, operation: `${state.function}:${state.next.number++}` };
    const lines = [];
    if (item.kind !== "operation" && item.kind !== "body") {
      lines.push(make("div", { class: "group" }, make("span", { class: "at" }, `0x${hex(item.offset, 4)}`), "", make("span", { style: `padding-left:${depth * 1.2}ch` }, item.title)));
      lines[0].lastChild.style.paddingLeft = `${depth * 1.2}ch`;
    }
    for (const child of item.items) lines.push(...this.#lines(child, depth + (item.kind === "body" ? 0 : 1), inner));
    return lines;
  }

  #leaf(item, depth, operation) {
    const bytes = item.bytes.match(/../g) ?? [];
    const most = 24;
    const text = bytes.slice(0, most).join(" ") + (bytes.length > most ? ` … ${bytes.length - most} more` : "");
    const isHead = item.kind === "head";
    const says = isHead ? item.meaning : item.meaning ? `${item.name}: ${item.meaning}` : item.name;
    const row = make("div", { class: `leaf is-${item.kind}` },
      make("span", { class: "at" }, `0x${hex(item.offset, 4)}`), make("span", { class: "hex" }, text), make("span", { class: "says" }, says));
    row.lastChild.style.paddingLeft = `${Math.max(depth - (isHead ? 1 : 0), 0) * 1.2}ch`;
    if (item.error) row.lastChild.append(make("span", { class: "error" }, ` ${item.error}`));
    if (operation) {
      this.#rows.set(operation, [...(this.#rows.get(operation) ?? []), row]);
      row.addEventListener("pointerenter", () => this.pointed(operation));
      row.addEventListener("pointerleave", () => this.pointed(null));
    }
    return row;
  }

  // Marks the bytes of an operation.
  link(operation, reveals) {
    for (const row of this.#linked) row.classList.remove("linked");
    this.#linked = this.#rows.get(operation) ?? [];
    for (const row of this.#linked) row.classList.add("linked");
    if (!reveals || !this.#linked.length) return;
    this.#linked[0].closest("details").open = true;
    this.#linked[0].scrollIntoView({ block: "nearest" });
  }

  #drawStrip() {
    const canvas = $("strip");
    if (!this.#tree || canvas.offsetParent === null) return;
    const width = canvas.clientWidth;
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [width * ratio, 34 * ratio];
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const colours = ["#0c7a72", "#b06a12", "#3f6f9c", "#9a4257", "#5f6b3a", "#6c4a96", "#4f5b6b"];
    this.#tree.items.forEach((item, i) => {
      const [x, w] = [(item.offset / this.#tree.length) * width, (item.length / this.#tree.length) * width];
      context.fillStyle = item.items ? colours[i % colours.length] : "#8a8f98";
      context.fillRect(x, 0, Math.max(w - 1, 1), 34);
      const title = (item.title ?? item.name).replace(" section", "");
      if (context.measureText(title).width + 8 < w) {
        context.fillStyle = "#ffffff";
        context.fillText(title, x + 5, 17);
      }
    });
  }

  redraw() {
    this.#drawStrip();
  }

  #jump(event) {
    const at = ((event.clientX - $("strip").getBoundingClientRect().left) / $("strip").clientWidth) * this.#tree.length;
    const item = this.#tree.items.find((item) => at >= item.offset && at < item.offset + item.length);
    if (!item?.element) return;
    item.element.open = true;
    item.element.scrollIntoView({ block: "start" });
  }
}

const hex = (n, digits) => n.toString(16).padStart(digits, "0");
