// Small helpers.

export const $ = (id) => document.getElementById(id);

// An element with properties, attributes (those with a dash, and role) and children.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const say = (text) => ($("announce").textContent = text);

// The Markdown that the engine writes: paragraphs, fenced code, bold words and code in a line.
export function markdown(text) {
  const out = document.createDocumentFragment();
  for (const [i, part] of text.split(/^```.*$/m).entries()) {
    if (i % 2 === 1) {
      out.append(make("pre", {}, part.replace(/^\n|\n$/g, "")));
      continue;
    }
    for (const paragraph of part.split(/\n\s*\n/).map((p) => p.trim()).filter(Boolean)) {
      const pieces = paragraph.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((piece) =>
        piece.startsWith("**") ? make("strong", {}, piece.slice(2, -2)) : piece.startsWith("`") ? make("code", {}, piece.slice(1, -1)) : piece);
      out.append(make("p", {}, ...pieces));
    }
  }
  return out;
}

// Radio-like keys for a row of tabs.
export function tabs(buttons, chosen) {
  const choose = (button, focus) => {
    for (const other of buttons) {
      const isChosen = other === button;
      other.setAttribute("aria-selected", isChosen);
      other.tabIndex = isChosen ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = !isChosen;
    }
    if (focus) button.focus();
    chosen(button.id.replace("tab-", ""));
  };
  for (const [i, button] of buttons.entries()) {
    button.addEventListener("click", () => choose(button, false));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : step && (i + step + buttons.length) % buttons.length;
      if (to === undefined) return;
      event.preventDefault();
      choose(buttons[to], true);
    });
  }
  return (name) => choose(buttons.find((button) => button.id === `tab-${name}`), false);
}

export function debounce(wait, work) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), wait);
  };
}
