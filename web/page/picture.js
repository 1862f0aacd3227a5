// Tiles and arrays as pictures: a cell for each element, with its value under the pointer or the arrow keys.

import { make } from "./dom.js";
import { none, ofBlock, scale, shown } from "./colours.js";

// The most cells that are drawn: larger tensors are cut, and the picture says so.
const MAX_CELLS = 1 << 16;

// How elements are laid out: the last dimension across, all others down; long vectors are wrapped.
function layOut(shape) {
  const elements = shape.reduce((product, extent) => product * extent, 1);
  const last = shape.at(-1) ?? 1;
  const across = shape.length <= 1 ? Math.min(Math.max(elements, 1), elements > 96 ? 64 : 32) : last;
  return { elements, across: Math.max(across, 1), down: Math.max(Math.ceil(elements / Math.max(across, 1)), 1) };
}

export function coordinates(shape, index) {
  const out = [];
  for (const extent of [...shape].reverse()) {
    out.unshift(index % extent);
    index = Math.floor(index / extent);
  }
  return out;
}

export class Picture {
  // `shape` of what is shown; `beyond` elements behind its end are drawn as well.
  constructor({ name, type, shape, label, room = 420, beyond = 0, pointed = () => {} }) {
    Object.assign(this, { name, shape, label, pointed });
    const { elements, across, down } = layOut(shape);
    [this.elements, this.across] = [elements, across];
    this.cells = Math.min(elements, MAX_CELLS) + Math.min(beyond, 3 * across);
    this.down = Math.min(Math.max(Math.ceil(this.cells / across), 1), down + 3);
    this.cell = Math.max(Math.min(Math.floor(room / across), Math.floor(320 / this.down), 30), 3);
    const isSmall = across <= 8 && this.down <= 12;
    if (isSmall) this.cell = 44;
    // A few rows are no line.
    this.height = isSmall ? 24 : this.down <= 4 ? Math.max(this.cell, 14) : this.cell;
    this.marks = [];
    this.at = null;
    this.canvas = make("canvas", { tabIndex: 0, role: "application", "aria-roledescription": "picture of an array" });
    this.reading = make("p", { class: "reading", "aria-live": "polite" });
    this.legend = make("span", { class: "legend" });
    const cut = elements > MAX_CELLS ? make("span", {}, `the first ${MAX_CELLS} of ${elements} elements`) : null;
    const caption = make("figcaption", {}, make("b", {}, name), make("code", {}, type), this.legend, cut);
    this.element = make("figure", { class: "picture" }, caption, make("div", { class: "scroll" }, this.canvas), this.reading);
    this.canvas.addEventListener("pointermove", (event) => this.#point(this.#cellAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.#point(null));
    this.canvas.addEventListener("blur", () => this.#point(null));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  // Shows values, by the index of an element.
  showValues(values, describe = () => "") {
    const colours = scale(values);
    this.paint = (i) => colours.of(values[i]);
    this.text = this.cell === 44 ? (i) => shown(values[i]) : null;
    this.describe = (i) => `${shown(values[i])}${describe(i)}`;
    this.legend.hidden = !(colours.least < colours.most);
    this.legend.replaceChildren(shown(colours.least), make("i", {}), shown(colours.most));
    this.legend.children[0].style.background = colours.css;
    const range = colours.least <= colours.most ? `values from ${shown(colours.least)} to ${shown(colours.most)}` : "no numbers";
    this.#label(range);
    this.draw();
  }

  // Shows which block has last touched each element, -1 where none has.
  showBlocks(blocks, what, describe) {
    this.paint = (i) => (blocks[i] >= 0 ? ofBlock(blocks[i]) : none());
    this.text = null;
    this.describe = describe;
    this.legend.hidden = true;
    const different = new Set(blocks);
    different.delete(-1);
    this.#label(`${what} ${different.size} blocks`);
    this.draw();
  }

  #label(what) {
    const shape = this.shape.length ? this.shape.join(" by ") : "one element";
    this.canvas.setAttribute("aria-label", `${this.label ?? this.name}, ${shape}, ${what}. Arrow keys read single elements`);
  }

  // Marks runs of elements: [first, count, "access" or "wrong"].
  mark(marks) {
    this.marks = marks;
    this.draw();
  }

  draw() {
    if (!this.paint) return;
    const ratio = Math.max(devicePixelRatio || 1, 1);
    const { canvas, cell, height, across, down } = this;
    canvas.width = across * cell * ratio;
    canvas.height = down * height * ratio;
    canvas.style.width = `${across * cell}px`;
    canvas.style.height = `${down * height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const gap = cell >= 7 ? 1 : 0;
    const style = getComputedStyle(document.documentElement);
    const [ink, bad] = [style.getPropertyValue("--ink"), style.getPropertyValue("--bad")];
    for (let i = 0; i < this.cells; i++) {
      const [x, y] = this.#corner(i);
      if (i >= this.elements) continue;
      context.fillStyle = this.paint(i);
      context.fillRect(x, y, cell - gap, height - gap);
      if (this.text) this.#write(context, this.text(i), x, y);
    }
    this.#drawMarks(context, "access", ink);
    this.#drawMarks(context, "wrong", bad);
    if (this.at !== null) {
      const [x, y] = this.#corner(this.at);
      context.lineWidth = 2;
      context.strokeStyle = ink;
      context.strokeRect(x + 1, y + 1, cell - 2 - gap, height - 2 - gap);
    }
  }

  #write(context, text, x, y) {
    const [r, g, b] = context.fillStyle.match(/[\da-f]{2}/gi).map((channel) => parseInt(channel, 16));
    context.fillStyle = 0.3 * r + 0.59 * g + 0.11 * b > 128 ? "#10151b" : "#ffffff";
    context.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const short = text.length > 6 && Number.isFinite(Number(text)) ? `${parseFloat(Number(text).toPrecision(3))}` : text;
    context.fillText(short, x + this.cell / 2, y + this.height / 2, this.cell - 4);
  }

  // An outline around the elements, and stripes over those that are wrong.
  #drawMarks(context, kind, colour) {
    const marked = new Set();
    for (const [first, count, of] of this.marks) {
      if (of !== kind) continue;
      for (let i = Math.max(first, 0); i < Math.min(first + count, this.cells); i++) marked.add(i);
    }
    const { across, cell, height } = this;
    context.strokeStyle = colour;
    context.beginPath();
    for (const i of marked) {
      const [x, y] = this.#corner(i);
      const [right, bottom] = [x + cell, y + height];
      const edges = [
        [i < across || !marked.has(i - across), x, y, right, y],
        [!marked.has(i + across), x, bottom, right, bottom],
        [i % across === 0 || !marked.has(i - 1), x, y, x, bottom],
        [i % across === across - 1 || !marked.has(i + 1), right, y, right, bottom],
      ];
      for (const [isEdge, x0, y0, x1, y1] of edges) {
        if (!isEdge) continue;
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
      }
      if (kind === "wrong") {
        context.moveTo(x, bottom);
        context.lineTo(right, y);
      }
    }
    context.lineWidth = 2;
    context.stroke();
  }

  #corner(i) {
    return [(i % this.across) * this.cell, Math.floor(i / this.across) * this.height];
  }

  #cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [column, row] = [Math.floor((event.clientX - box.left) / this.cell), Math.floor((event.clientY - box.top) / this.height)];
    const i = row * this.across + column;
    return column >= 0 && column < this.across && i >= 0 && i < this.cells ? i : null;
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.across, ArrowUp: -this.across }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = this.at === null ? 0 : this.at + step;
    if (to >= 0 && to < this.cells) this.#point(to);
  }

  #point(i) {
    if (i === this.at) return;
    this.at = i;
    this.draw();
    this.pointed(i);
    if (i === null) this.reading.textContent = "";
    else if (i >= this.elements) this.reading.textContent = `element ${i}: behind the end`;
    else this.reading.textContent = `[${coordinates(this.shape, i).join(", ")}] = ${this.describe(i)}`;
  }
}

// A tile of a step.
export function tilePicture({ name, ty, tile }) {
  if (!tile) return null;
  const { shape, extents, values } = tile;
  if (!values) return make("figure", { class: "picture" }, make("figcaption", {}, make("b", {}, name), make("code", {}, ty)), make("p", { class: "faint" }, "not kept: too many elements"));
  if (shape.length === 0) {
    const caption = make("figcaption", {}, make("b", {}, name), make("code", {}, ty));
    return make("figure", { class: "picture" }, caption, make("span", { class: "scalar" }, shown(values[0])));
  }
  const picture = new Picture({ name, type: ty, shape, label: `tile ${name}`, room: 300 });
  picture.showValues(spread(shape, extents, values));
  return picture.element;
}

// All elements, of which those along dimensions with one extent repeat.
function spread(shape, extents, values) {
  if (shape.every((extent, i) => extent === extents[i])) return values;
  const elements = Math.min(shape.reduce((product, extent) => product * extent, 1), MAX_CELLS);
  const out = new Array(elements);
  for (let i = 0; i < elements; i++) {
    const at = coordinates(shape, i);
    out[i] = values[at.reduce((index, coordinate, dim) => index * extents[dim] + (extents[dim] === 1 ? 0 : coordinate), 0)];
  }
  return out;
}
