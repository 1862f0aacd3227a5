// The explorer in a real browser. EXPLORER is the folder that web/build made; SHOTS, if set, a folder for pictures of the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./axe.mjs";
import { launch, serve } from "./server.mjs";

const folder = resolve(process.env.EXPLORER ?? "../target/web/explorer");
const project = resolve(import.meta.dirname, "../..");
// Nothing here waits for a time to pass; this only ends what hangs.
const PATIENCE = 120_000;
let browser, server;

before(async () => {
  [browser, server] = [await launch(), await serve(folder)];
});
after(async () => {
  await browser.close();
  server.close();
});

// A page whose errors are those of the test.
async function newPage(options = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  return page;
}

async function open(query = "", options = {}) {
  const page = await newPage(options);
  await page.goto(query.startsWith("file:") ? query : `${server.address}/${query}`);
  await ready(page);
  return page;
}

const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready === "true");
const idle = (page) => page.waitForFunction(() => !document.querySelector("#result[aria-busy]") && !document.querySelector("#verdict[data-state=busy]"));
const text = (page, selector) => page.textContent(selector);

async function close(page) {
  assert.deepEqual(page.errors, []);
  await page.close();
}

async function type(page, program) {
  await page.fill("#text", program);
  await page.waitForFunction((program) => document.querySelector("#shown").textContent.startsWith(program.slice(0, 40)), program);
  await page.waitForTimeout(200);
  await idle(page);
}

test("the page is there before the engine is", async () => {
  const page = await newPage();
  let arrive;
  const held = new Promise((resolve) => (arrive = resolve));
  await page.route("**/tilewright.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${server.address}/`);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  assert.ok(await page.isVisible("#examples"));
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  console.log(`first paint after ${Math.round(paint)} ms, while the engine is held back`);
  arrive();
  await ready(page);
  assert.match(await text(page, "#verdict"), /^valid/);
  await close(page);
});

test("all examples run, and mistakes are found", async () => {
  const page = await open();
  const titles = await page.$$eval("#examples option:not([value=''])", (options) => options.map((option) => option.textContent));
  assert.ok(titles.length >= 10);
  for (const title of titles) {
    await page.selectOption("#examples", { label: title });
    await page.waitForFunction(() => document.querySelector("#verdict").dataset.state === "busy" || true);
    await idle(page);
    await page.waitForFunction((mistake) => {
      const { textContent, dataset } = document.querySelector("#outcome");
      return /block/.test(textContent) && (dataset.state === "bad") === mistake;
    }, title.startsWith("Mistake"));
    assert.match(await text(page, "#verdict"), /^valid/, title);
  }
  await close(page);
});

test("WebAssembly computes what native code does", async () => {
  const page = await open();
  const found = await page.evaluate(async () => {
    const { Engine } = await import("./engine.js");
    const { fromBase64 } = await import("./share.js");
    const { list } = await (await fetch("examples.json")).json();
    const engine = new Engine();
    const digests = {};
    for (const { id, name, bytes, text, entry, grid, args } of list) {
      await engine.ask({ do: "open", name, text }, bytes && fromBase64(bytes));
      const { buffers } = await engine.ask({ do: "run", entry, grid, args });
      let hash = 0x811c9dc5;
      for (const value of buffers.flatMap((buffer) => buffer.after)) {
        if (typeof value !== "number") continue;
        for (const byte of new Uint8Array(new Float32Array([value]).buffer)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
      }
      digests[id] = hash;
    }
    return digests;
  });
  assert.deepEqual(found, JSON.parse(readFileSync(join(project, "web/digests.json"), "utf8")));
  await close(page);
});

test("a text is judged as one types", async () => {
  const page = await open("?example=leaky-relu");
  const program = await page.inputValue("#text");
  await type(page, program.replace("mulf", "muli"));
  assert.match(await text(page, "#verdict"), /problem/);
  assert.match(await text(page, "#problems"), /operand-type/);
  assert.match(await page.getAttribute("#problems a.rule", "href"), /docs\/rules\.md#operand-type$/);
  assert.ok(await page.isVisible("#marks .wrong"));
  assert.ok(await page.isDisabled("#run"));
  await page.click("#problems button.to >> text=what it says");
  await page.waitForFunction(() => document.querySelector("#inspector").textContent.includes("This breaks it"));
  await page.click("#problems button.to");
  const line = await page.evaluate(() => { const area = document.querySelector("#text"); return area.value.slice(0, area.selectionStart).split("\n").at(-1) + area.value.slice(area.selectionStart).split(" ")[0]; });
  assert.match(line, /muli$/);
  await type(page, program.replace("0.01", "0.5"));
  assert.match(await text(page, "#verdict"), /^valid/);
  // Arguments stay as they were, and the kernel is the new one.
  await page.click("#run");
  await idle(page);
  assert.match(await text(page, "#outcome"), /2 blocks ran, nothing is wrong/);
  await close(page);
});

test("text, bytes and source point at each other", async () => {
  const page = await open("?example=saxpy");
  await page.click("#tab-bytes");
  const rows = page.locator(".leaf.is-head", { hasText: "fma" });
  await rows.first().hover();
  const linked = await page.evaluate(() => {
    const mark = document.querySelector("#marks .linked");
    const row = Math.round(parseFloat(mark.style.top.match(/calc\((\d+)/)[1]));
    return document.querySelector("#text").value.split("\n")[row];
  });
  assert.match(linked, /= fma /);
  // From the text to the bytes.
  const box = await page.locator("#text").boundingBox();
  const at = await page.evaluate(() => document.querySelector("#text").value.split("\n").findIndex((line) => line.includes("= fma ")));
  const width = await page.evaluate(() => { const context = document.createElement("canvas").getContext("2d"); context.font = getComputedStyle(document.querySelector("#text")).font; return context.measureText("0").width; });
  await page.mouse.move(box.x + 4 + 8.5 * width, box.y + 8 + 19 * (at + 0.5));
  await page.waitForSelector(".leaf.linked");
  assert.match(await page.locator(".leaf.linked").first().textContent(), /fma/);
  await page.waitForFunction(() => document.querySelector("#inspector").textContent.includes("kernels.py:20"));
  assert.match(await text(page, "#inspector"), /fma 0x28/);
  // From the source to the text.
  await page.click("#tab-source");
  await page.locator("#source .line.has", { hasText: "ct.store" }).first().hover();
  assert.ok(await page.locator("#marks .linked").count() > 0);
  await close(page);
});

test("kernels run step by step", async () => {
  const page = await open("?example=matmul");
  assert.match(await text(page, "#where"), /^block \(0, 0, 0\), step \d+ of 37$/);
  assert.match(await text(page, "#operation"), /load_view_tko/);
  await page.locator("#tiles canvas").first().waitFor();
  // The arrow keys read elements of a tile.
  const tile = page.locator("#tiles .picture", { has: page.locator("canvas") }).first();
  await tile.locator("canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.match(await tile.locator(".reading").textContent(), /^\[1, 0\] = -?\d/);
  await page.click("#next");
  await page.waitForFunction(() => /load_view_tko/.test(document.querySelector("#operation").textContent));
  await page.click("#next");
  await page.waitForFunction(() => /mmaf/.test(document.querySelector("#operation").textContent));
  await page.waitForFunction(() => document.querySelectorAll("#tiles canvas").length === 4);
  assert.ok(await page.isVisible("#marks .step"));
  // Another block, and who wrote what.
  await page.click("#blocks button[data-block='3']");
  await page.waitForFunction(() => document.querySelector("#where").textContent.startsWith("block (1, 1, 0)"));
  await page.check("#modes input[value=writes]");
  const product = page.locator("#arrays canvas").nth(2);
  assert.match(await product.getAttribute("aria-label"), /64 by 64, written by 4 blocks/);
  await product.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#arrays .reading").nth(2).textContent(), /written by block 0/);
  await page.fill("#grid", "1,1");
  await page.press("#grid", "Enter");
  await idle(page);
  assert.match(await page.locator("#arrays canvas").nth(2).getAttribute("aria-label"), /written by 1 blocks/);
  await close(page);
});

test("findings are drawn where they are", async () => {
  const bad = (page) => page.evaluate(() => {
    const canvas = [...document.querySelectorAll("#arrays canvas")].at(-1);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue("--bad").match(/[\da-f]{2}/gi).map((hex) => parseInt(hex, 16));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255;
    return count;
  });
  const page = await open("?example=too-small");
  assert.match(await text(page, "#outcome"), /3 findings/);
  assert.match(await text(page, "#findings"), /out-of-bounds/);
  assert.ok((await bad(page)) > 50, "the elements behind the buffer are drawn");
  assert.equal(await page.locator("#blocks button.wrong").count(), 2);
  await page.locator("#findings li", { hasText: "store_view_tko" }).locator("button").click();
  await page.waitForFunction(() => /block \(3, 0, 0\)/.test(document.querySelector("#where").textContent) && /store_view_tko/.test(document.querySelector("#operation").textContent));
  await page.selectOption("#examples", { label: "Saxpy: y = a x + y" });
  await page.waitForFunction(() => /nothing is wrong/.test(document.querySelector("#outcome").textContent));
  assert.equal(await bad(page), 0);
  await close(page);
});

test("plans are shown after each pass", async () => {
  const page = await open("?example=softmax");
  await page.click("#tab-plan");
  await page.waitForFunction(() => document.querySelector("#plan").textContent.includes("sweep"));
  await page.selectOption("#pass", { index: 0 });
  assert.ok(!(await text(page, "#plan")).includes("sweep"));
  const fuse = await page.$$eval("#pass option", (options) => options.findIndex((option) => option.textContent === "fuse"));
  await page.selectOption("#pass", { index: fuse });
  assert.ok(await page.locator("#plan .changed").count() > 0);
  await page.click("#pass-back");
  assert.equal(await page.inputValue("#pass"), `${fuse - 1}`);
  await close(page);
});

test("files are opened, and broken ones as far as they go", async () => {
  const page = await open();
  const saxpy = readFileSync(join(project, "examples/saxpy.tilebc"));
  const put = async (name, buffer) => {
    await page.setInputFiles("#file", { name, mimeType: "application/octet-stream", buffer });
    await page.waitForFunction((name) => document.querySelector("#name").textContent === name, name);
    await idle(page);
  };
  await put("broken.tilebc", saxpy.subarray(0, 300));
  assert.match(await text(page, "#problems"), /byte 0x9e/);
  await page.click("#tab-bytes");
  await page.waitForFunction(() => document.querySelector("#dump").textContent.includes("the debug section needs 258 bytes"));
  await put("theirs.tilebc", saxpy);
  assert.match(await text(page, "#verdict"), /^valid, bytecode 13.3/);
  assert.equal(await page.locator("#arguments input").nth(1).inputValue(), "f32[64]=random");
  await page.click("#tab-source");
  assert.match(await text(page, "#source-hint"), /stem from kernels\.py/);
  await page.setInputFiles("#file", { name: "kernels.py", mimeType: "text/x-python", buffer: readFileSync(join(project, "examples/kernels.py")) });
  await page.waitForSelector("#source .line.has");
  await put("notes.zip", Buffer.from("PK\x03\x04"));
  assert.match(await text(page, "#problems"), /zip archive/);
  await close(page);
});

test("links hold the module and the launch", async () => {
  const page = await open("?example=leaky-relu");
  await type(page, (await page.inputValue("#text")).replace("0.01", "0.25"));
  await page.fill("#grid", "1");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#1="));
  const link = page.url();
  const other = await newPage();
  await other.goto(link);
  await ready(other);
  assert.equal(await other.inputValue("#text"), await page.inputValue("#text"));
  assert.equal(await other.inputValue("#grid"), "1");
  assert.equal(await other.locator("#arguments input").first().inputValue(), "f32[2048]=random");
  await close(other);
  const cut = await newPage();
  await cut.goto(link.slice(0, -20));
  await ready(cut);
  assert.match(await text(cut, "#verdict"), /the link is broken/);
  await close(cut);
  await close(page);
});

test("a kernel that never ends is stopped", async () => {
  const page = await open("?example=leaky-relu");
  await type(page, `entry @k(%p: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %end = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
    %next = addi %i, %one : tile<i32>
    continue %next : tile<i32>
  }
  return
}`);
  assert.match(await text(page, "#verdict"), /^valid/);
  await page.click("#run");
  await page.click("#stop");
  await page.waitForFunction(() => document.querySelector("#outcome").textContent === "Stopped.");
  await page.selectOption("#examples", { label: "Softmax of rows" });
  await page.waitForFunction(() => /nothing is wrong/.test(document.querySelector("#outcome").textContent));
  await close(page);
});

test("tabs obey the keyboard", async () => {
  const page = await open();
  await page.focus("#tab-run");
  for (const name of ["bytes", "plan", "source", "run"]) {
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${name}`);
    assert.ok(await page.isVisible(`#view-${name}`));
  }
  await close(page);
});

test("a single file does all of it from a disk", async () => {
  const page = await open(`${pathToFileURL(join(folder, "explorer.html"))}?example=softmax`);
  assert.match(await text(page, "#verdict"), /^valid/);
  assert.match(await text(page, "#outcome"), /6 blocks ran, nothing is wrong/);
  await close(page);
});

for (const colorScheme of ["light", "dark"]) {
  test(`everybody can use it, ${colorScheme}`, async () => {
    const page = await open("?example=too-small", { colorScheme });
    for (const view of ["run", "bytes", "plan", "source"]) {
      await page.click(`#tab-${view}`);
      await page.waitForTimeout(50);
      assert.deepEqual(await violations(page), [], view);
    }
    await close(page);
  });
}

// Pictures for people to look at, and for the documentation.
if (process.env.SHOTS) {
  const shots = [
    ["explorer", "?example=softmax", { width: 1280, height: 800 }, "light", async (page) => page.check("#modes input[value=writes]")],
    ["explorer-dark", "?example=mandelbrot", { width: 1280, height: 800 }, "dark", async () => {}],
    ["explorer-findings", "?example=too-small", { width: 1280, height: 1020 }, "light", async () => {}],
    ["explorer-bytes", "?example=saxpy", { width: 1280, height: 800 }, "dark", async (page) => {
      await page.click("#tab-bytes");
      await page.locator(".leaf.is-head", { hasText: "fma" }).first().hover();
    }],
    ["explorer-plan", "?example=softmax", { width: 1280, height: 800 }, "light", async (page) => {
      await page.click("#tab-plan");
      await page.waitForFunction(() => document.querySelector("#plan").textContent.includes("sweep"));
      await page.selectOption("#pass", { label: "fuse" });
    }],
    ["explorer-narrow", "?example=matmul", { width: 420, height: 900 }, "dark", async () => {}],
  ];
  test("pictures", async () => {
    for (const [name, query, viewport, colorScheme, act] of shots) {
      const page = await open(query, { viewport, colorScheme });
      await idle(page);
      await act(page);
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
      await close(page);
    }
  });
}
