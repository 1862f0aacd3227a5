// The plan of an entry after each pass; what a pass changed is marked.

import { $, make } from "./dom.js";

export class Plans {
  #stages = [];
  #asked = 0;

  constructor(engine) {
    this.engine = engine;
    $("pass").addEventListener("change", () => this.#show());
    $("plan-entry").addEventListener("change", () => this.load());
    $("pass-back").addEventListener("click", () => this.#move(-1));
    $("pass-next").addEventListener("click", () => this.#move(1));
  }

  // Entries that can be planned.
  set entries(names) {
    $("plan-entry").replaceChildren(...names.map((name) => make("option", {}, name)));
    this.#stages = [];
  }

  async load() {
    const entry = $("plan-entry").value;
    const asked = ++this.#asked;
    if (!entry) return this.#nothing("There is no kernel that can be planned.");
    try {
      const stages = await this.engine.ask({ do: "plan", entry });
      if (asked !== this.#asked) return;
      this.#stages = stages;
    } catch (error) {
      return this.#nothing(error.message);
    }
    // Passes that leave this kernel alone are named, and marked as such.
    const options = this.#stages.map((stage, i) => {
      const changes = i === 0 || stage.text !== this.#stages[i - 1].text;
      return make("option", { value: `${i}` }, changes ? stage.name : `${stage.name} (no change)`);
    });
    $("pass").replaceChildren(...options);
    $("pass").value = `${this.#stages.length - 1}`;
    this.#show();
  }

  get isLoaded() {
    return this.#stages.length > 0;
  }

  #nothing(why) {
    this.#stages = [];
    $("pass").replaceChildren();
    $("plan").textContent = "";
    $("pass-summary").textContent = why;
  }

  #move(step) {
    const to = Number($("pass").value) + step;
    if (to < 0 || to >= this.#stages.length) return;
    $("pass").value = `${to}`;
    this.#show();
  }

  #show() {
    const i = Number($("pass").value);
    const stage = this.#stages[i];
    if (!stage) return;
    $("pass-summary").textContent = stage.summary;
    const before = i > 0 ? this.#stages[i - 1].text.split("\n") : null;
    const lines = stage.text.split("\n");
    const kept = before ? common(before, lines) : null;
    const out = [];
    lines.forEach((line, j) => out.push(kept && !kept.has(j) ? make("span", { class: "changed" }, `${line}\n`) : `${line}\n`));
    $("plan").replaceChildren(...out);
  }
}

// The positions of lines that stand in both texts, in their order: by length of the longest common subsequence. Numbers of instructions
// at the beginning of lines do not count, as they change with every line in front of them.
function common(before, after) {
  const plain = (line) => line.replace(/^\s*\d+:?\s+/, "");
  const [a, b] = [before.map(plain), after.map(plain)];
  if (a.length * b.length > 4e6) return null;
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      kept.add(j);
      i++;
      j++;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  }
  return kept;
}
