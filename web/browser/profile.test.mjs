// The page of a profile in a real browser. TILEWRIGHT is the command; SHOTS, if set, a folder for pictures of the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./axe.mjs";
import { launch } from "./server.mjs";

const project = resolve(import.meta.dirname, "../..");
const command = resolve(process.env.TILEWRIGHT ?? join(project, "target/packages/bin/tilewright"));
const profile = ["--threads", "2", "--repeat", "200", "--profile-html"];
let browser, folder, file;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "profile-"));
  file = join(folder, "profile.html");
  execFileSync(command, ["run", "--case", join(project, "tests/corpus/cases/softmax_rows"), ...profile, file], { cwd: folder });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function open(options) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || page.errors.push(`asks for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  return page;
}

async function close(page) {
  assert.deepEqual(page.errors, []);
  await page.close();
}

test("it has the instructions and the lines of the kernel", async () => {
  const page = await open({});
  assert.equal(await page.textContent("h1"), "Profile of @softmax_rows");
  const captions = await page.locator("caption").allTextContents();
  assert.ok(captions.length >= 2 && captions[0].startsWith("Instructions"), `${captions}`);
  for (const name of ["exp", "reduce", "load_view_tko"]) {
    assert.ok(await page.locator("td", { hasText: name }).count() > 0, name);
  }
  await close(page);
});

test("a narrow window scrolls tables, not the page", async () => {
  const page = await open({ viewport: { width: 420, height: 900 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await close(page);
});

for (const colorScheme of ["light", "dark"]) {
  test(`everybody can use it, ${colorScheme}`, async () => {
    for (const width of [1280, 420]) {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      assert.deepEqual(await violations(page), [], `${width} wide`);
      await close(page);
    }
  });
}

if (process.env.SHOTS) {
  test("pictures", async () => {
    for (const [name, colorScheme] of [["profile", "light"], ["profile-dark", "dark"]]) {
      const page = await open({ colorScheme, viewport: { width: 1280, height: 800 } });
      await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
      await close(page);
    }
  });
}
