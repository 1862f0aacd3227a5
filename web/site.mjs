// Makes the site of docs/, which is an mdBook: a page for each line of SUMMARY.md, with the explorer. Every link and picture must lead somewhere, and
// every page of docs/ must be in the summary.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import MarkdownIt from "markdown-it";
import { Highlighter } from "./page/highlight.js";

const root = normalize(join(import.meta.dirname, ".."));
const [out, explorer] = process.argv.slice(2);
const docs = join(root, "docs");
const repository = /repository = "([^"]+)"/.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
const problems = [];

// The lines of the summary: titles of parts, and pages with the file that they are in.
const summary = readFileSync(join(docs, "SUMMARY.md"), "utf8").split("\n").flatMap((line) => {
  const page = /^\s*(?:- )?\[([^\]]+)\]\(([^)]+)\)/.exec(line);
  if (page) return [{ title: page[1], file: page[2] }];
  const part = /^# (?!Summary)(.+)/.exec(line);
  return part ? [{ part: part[1] }] : [];
});
const pages = summary.filter((entry) => entry.file?.endsWith(".md"));

// Where a page goes: what lies beside docs/ stands beside its pages, and the README is the first of them.
const address = (file) => {
  const name = basename(file, ".md");
  return name === "README" ? "index.html" : `${name.toLowerCase()}.html`;
};
const byPath = new Map(pages.map((page) => [normalize(join(docs, page.file)), page]));

// The names that GitHub gives to headings, so that links to them work in both places.
function anchors() {
  const used = new Map();
  return (title) => {
    const name = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return count ? `${name}-${count}` : name;
  };
}

const highlighter = new Highlighter();
highlighter.learn(JSON.parse(readFileSync(join(root, "spec/ops.json"), "utf8")).ops.map((op) => op.mnemonic));
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function highlight(code, language) {
  const isTileIr = language === "mlir" || language === "tileir" || (["", "text"].includes(language) && /^\s*(entry|%\w+[\w, %:]* = \w)/m.test(code));
  if (!isTileIr) return escape(code);
  return code.split("\n").map((line) => (line.startsWith("$ ") ? escape(line) : highlighter.words(line).map(([word, kind]) => (kind ? `<span class="${kind}">${escape(word)}</span>` : escape(word))).join(""))).join("\n");
}

const links = [];
function render(page) {
  const path = normalize(join(docs, page.file));
  const markdown = new MarkdownIt({ html: false, linkify: false, highlight });
  const anchor = anchors();
  page.anchors = new Set();
  markdown.renderer.rules.heading_open = (tokens, i, options, env, self) => {
    const id = anchor(tokens[i + 1].children.map((child) => (child.type === "text" || child.type === "code_inline" ? child.content : "")).join(""));
    page.anchors.add(id);
    tokens[i].attrSet("id", id);
    return self.renderToken(tokens, i, options);
  };
  markdown.renderer.rules.table_open = () => '<div class="wide"><table>';
  markdown.renderer.rules.table_close = () => "</table></div>";
  const lead = (token, attribute) => token.attrSet(attribute, target(token.attrGet(attribute), path, page));
  markdown.core.ruler.push("links", (state) => {
    for (const token of state.tokens.flatMap((token) => token.children ?? [])) {
      if (token.type === "link_open") lead(token, "href");
      if (token.type === "image") lead(token, "src");
    }
  });
  return markdown.render(readFileSync(path, "utf8"));
}

// Where a link leads in the site; files that are no pages are those of the repository.
function target(link, from, page) {
  if (/^[a-z]+:/.test(link)) return link;
  const [file, hash = ""] = link.split("#");
  if (link.startsWith("explorer/") || link.startsWith("images/")) {
    if (link.startsWith("images/") && !existsSync(join(docs, link))) problems.push(`${page.file}: there is no ${link}`);
    return link;
  }
  const path = file ? normalize(join(dirname(from), decodeURIComponent(file))) : from;
  if (path.startsWith(join(docs, "images"))) return relative(docs, path);
  const other = byPath.get(path);
  if (other) {
    links.push({ from: page.file, to: other, hash });
    return `${file ? address(other.file) : ""}${hash && `#${hash}`}`;
  }
  if (!existsSync(path)) problems.push(`${page.file}: there is no ${link}`);
  return `${repository}/blob/main/${relative(root, path)}${hash && `#${hash}`}`;
}

function navigation(current) {
  const entries = summary.map((entry) => {
    if (entry.part) return `<li class="part">${escape(entry.part)}</li>`;
    const href = entry.file.endsWith(".md") ? address(entry.file) : entry.file;
    return `<li><a href="${href}"${entry === current ? ' aria-current="page"' : ""}>${escape(entry.title)}</a></li>`;
  });
  return `<ul>${entries.join("\n")}</ul>`;
}

function wholePage(page, content) {
  const at = pages.indexOf(page);
  const step = (to, label) => (to ? `<a href="${address(to.file)}">${label}: ${escape(to.title)}</a>` : "");
  const heading = page.title === "Tilewright" ? "Tilewright" : `${page.title} · Tilewright`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(heading)}</title>
<link rel="stylesheet" href="site.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="home" href="index.html">Tilewright</a> <a href="explorer/index.html">Explorer</a> <a href="${repository}">Source</a></header>
<nav aria-label="Pages"><details open><summary>Pages</summary>${navigation(page)}</details></nav>
<script>if (innerWidth <= 820) document.querySelector("nav details").open = false;</script>
<main id="content">
${content}
<footer>${step(pages[at - 1], "Before")} ${step(pages[at + 1], "Next")}</footer>
</main>
</body>
</html>
`;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const page of pages) writeFileSync(join(out, address(page.file)), wholePage(page, render(page)));
for (const { from, to, hash } of links) if (hash && !to.anchors.has(hash)) problems.push(`${from}: ${to.file} has no #${hash}`);
for (const file of readdirSync(docs).filter((file) => file.endsWith(".md") && file !== "SUMMARY.md")) {
  if (!byPath.has(join(docs, file))) problems.push(`docs/SUMMARY.md: ${file} is missing`);
}
cpSync(join(root, "web/site.css"), join(out, "site.css"));
cpSync(join(docs, "images"), join(out, "images"), { recursive: true });
if (explorer) cpSync(explorer, join(out, "explorer"), { recursive: true });
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${pages.length} pages, ${links.length} links between them`);
