// Walks through the pages with a browser, and checks accessibility, weight and time of each.
//
//     node walk.mjs OPEN_URL LIMITED_URL TOKEN OAUTH_URL LARGE_URL
//
// OPEN_URL serves the example organisation without access rules. LIMITED_URL serves it to a token that may read `parcel-kit` only.
// OAUTH_URL serves it to a person who signs in at an authorisation server on another site, and may read `parcel-kit` only.
// LARGE_URL serves an organisation of 60 repositories (`organisation.mjs`).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [open, limited, token, oauth, large] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// The size of targets (WCAG 2.2) is checked as well, which axe does not do by itself.
const AXE_OPTIONS = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } };
const MAX_BYTES = 150_000;
const MAX_FIRST_BYTE_MS = Number(process.env.MAX_FIRST_BYTE_MS ?? 50);
const SYMBOL = "/symbol?id=parcel-kit//src/code.ts::parseParcelCode";
const PAGES = ["/", "/?focus=customer-portal", "/links?user=customer-portal&provider=parcel-kit", "/search", "/search?q=retry", "/search?q=parseParcelCode",
  "/search?q=who+calls+the+tracking+service%3F", "/r/tracking-service", "/r/customer-portal/-/src/api/client.ts", "/r/customer-portal/-/src/", "/r/customer-portal/-/", SYMBOL,
  "/impact?target=parcel-kit//src/code.ts::parseParcelCode", "/impact", "/review", "/health", "/usage", "/nothing", "/search?q=a&q=b"];

const CHANGE = `diff --git a/src/code.ts b/src/code.ts
--- a/src/code.ts
+++ b/src/code.ts
@@ -33,3 +33,3 @@
 /** Returns the code in its canonical form, or throws a {@link ParcelCodeError}. Spaces and small letters are forgiven. */
-export function parseParcelCode(input: string): string {
+export function parseParcelCode(input: string, strict: boolean): string {
   const code = input.replace(/[\\s-]/g, "").toUpperCase();
`;

let n_failed = 0;
async function check(name, run) {
  try {
    await run();
    console.log(`passed  ${name}`);
  } catch (error) {
    n_failed += 1;
    console.log(`failed  ${name}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
  }
}
function expect(holds, message) {
  if (!holds) throw new Error(message);
}

// Returns the words beside code that are on two lines.
function brokenWords() {
  const broken = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest(".code, code, svg, .hidden, textarea, select")) continue;
    for (const { index, 0: word } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter((rect) => rect.width > 0).map((rect) => Math.round(rect.top)));
      if (lines.size > 1) broken.push(word);
    }
  }
  return broken;
}

// Returns the names of a map that are wider than their box, and the counts that cover each other.
function coveredTexts() {
  const box = (element) => element.getBoundingClientRect();
  const wide = [...document.querySelectorAll("svg.map .node")].filter((node) => box(node.querySelector("text")).right > box(node.querySelector("rect")).right);
  const counts = [...document.querySelectorAll("svg.map .count")];
  const overlaps = (one, other) => one.left < other.right && other.left < one.right && one.top + 2 < other.bottom && other.top + 2 < one.bottom;
  const covered = counts.filter((count, at) => counts.slice(0, at).some((other) => overlaps(box(count), box(other))));
  return [...wide, ...covered].map((one) => one.textContent);
}

// Returns the size of a page with its style sheet, script and icon.
async function weight(base, path) {
  const text = await (await fetch(base + path, { headers: { accept: "text/html" } })).text();
  const assets = [...text.matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)].map((match) => match[1]);
  const sizes = await Promise.all(assets.map(async (asset) => (await (await fetch(base + asset)).arrayBuffer()).byteLength));
  return Buffer.byteLength(text) + sizes.reduce((sum, size) => sum + size, 0);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const withPage = async (options, run) => {
  // The check of accessibility is a script of the test, which the policy of the pages forbids.
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && !/status of 40[0134]/.test(message.text()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    await run(page);
    expect(errors.length === 0, `errors in the console: ${errors.join("; ")}`);
  } finally {
    await context.close();
  }
};

for (const path of PAGES) {
  for (const colorScheme of ["light", "dark"]) {
    await check(`accessible: ${path} (${colorScheme})`, () => withPage({ colorScheme, bypassCSP: true }, async (page) => {
      await page.goto(open + path);
      await page.evaluate(axe);
      const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), AXE_OPTIONS);
      expect(violations.length === 0, violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`).join("; "));
    }));
  }
  await check(`light and quick: ${path}`, async () => {
    let best = Infinity;
    for (let attempt = 0; attempt < 5; attempt++) {
      const began = performance.now();
      const response = await fetch(open + path, { headers: { accept: "text/html" } });
      best = Math.min(best, performance.now() - began);
      await response.text();
    }
    const n_bytes = await weight(open, path);
    console.log(`        ${path}: ${n_bytes} bytes, first byte after ${best.toFixed(0)} ms`);
    expect(n_bytes < MAX_BYTES, `${n_bytes} bytes`);
    expect(best < MAX_FIRST_BYTE_MS, `first byte after ${best.toFixed(0)} ms`);
  });
}

for (const path of ["/", "/search?q=retry", SYMBOL, "/r/tracking-service", "/r/customer-portal", "/health", "/usage"]) {
  await check(`accessible at 390 px: ${path}`, () => withPage({ viewport: { width: 390, height: 844 }, bypassCSP: true }, async (page) => {
    await page.goto(open + path);
    await page.evaluate(axe);
    const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), AXE_OPTIONS);
    expect(violations.length === 0, violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`).join("; "));
  }));
}

await check("a module leads to its files", () => withPage({}, async (page) => {
  await page.goto(open + "/r/tracking-service");
  await page.click("a >> text=internal/parcel");
  await page.click("main a >> text=store.go");
  await page.waitForURL(/\/r\/tracking-service\/-\/internal\/parcel\/store\.go/);
  await page.click("nav.crumbs a >> text=internal");
  await page.click("main a >> text=httpapi/");
  await page.waitForSelector("main a >> text=routes.go");
}));

await check("an unknown definition, file or folder is not found", async () => {
  for (const path of [SYMBOL + "Nothing", "/r/customer-portal/-/src/nothing.ts", "/r/customer-portal/-/nothing/", "/r/nothing/-/"]) {
    const response = await fetch(open + path, { headers: { accept: "text/html" } });
    expect(response.status === 404, `${path} has the status ${response.status}`);
  }
});

await check("the files at the root are listed", () => withPage({}, async (page) => {
  await page.goto(open + "/r/customer-portal");
  await page.click("main .actions a >> text=Files");
  await page.waitForURL(/\/r\/customer-portal\/-\/$/);
  await page.click("main a >> text=package.json");
  await page.waitForSelector(".code >> text=name");
}));

await check("search as one types", () => withPage({}, async (page) => {
  await page.goto(open + "/search");
  await page.keyboard.press("/");
  await page.keyboard.type("parseParcelCode");
  await page.waitForSelector(".symbols >> text=parseParcelCode");
  await page.waitForURL(/q=parseParcelCode/);
}));

await check("the name of a repository leads to it", () => withPage({}, async (page) => {
  await page.goto(open + "/search?q=tracking-service");
  await page.click("[aria-labelledby=repositories] a >> text=tracking-service");
  await page.waitForURL(/\/r\/tracking-service$/);
}));

await check("a tab is four columns wide", () => withPage({}, async (page) => {
  await page.goto(open + "/r/tracking-service/-/internal/parcel/parcel.go");
  const [column, indentation] = await page.evaluate(() => {
    // The text of a line begins behind its number.
    const left = (line, offset) => {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode();
      while (node.parentElement.closest(".n") || offset >= node.length) {
        offset -= node.parentElement.closest(".n") ? 0 : node.length;
        node = walker.nextNode();
      }
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      return range.getBoundingClientRect().left;
    };
    const lines = [...document.querySelectorAll(".code pre > span")];
    const code = (line) => line.textContent.slice(line.querySelector(".n").textContent.length);
    const plain = lines.find((line) => /^\w{2}/.test(code(line)));
    const indented = lines.find((line) => /^\t\w/.test(code(line)));
    return [left(plain, 1) - left(plain, 0), left(indented, 1) - left(plain, 0)];
  });
  expect(Math.abs(indentation - 4 * column) < 1, `${indentation} px, and a column has ${column}`);
}));

await check("the policy forbids inline scripts", () => withPage({}, async (page) => {
  await page.goto(open + "/");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.wasRun = true";
    document.head.append(script);
    return globalThis.wasRun === true;
  }).catch(() => false);
  expect(!ran, "an inline script ran");
}).catch((error) => expect(/Content Security Policy/.test(error.message), error.message)));

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "" : " without JavaScript";
  await check(`search, and follow a definition across repositories${how}`, () => withPage({ javaScriptEnabled }, async (page) => {
    await page.goto(open + "/");
    await page.fill("#q", "who shows a parcel by its code?");
    await page.press("#q", "Enter");
    await page.waitForSelector("#results .hit");
    await page.goto(open + "/r/customer-portal/-/src/api/client.ts");
    await page.click(".code a:not(.n) >> text=parseParcelCode");
    await page.waitForURL(/\/r\/parcel-kit\/-\/src\/code\.ts/);
    expect((await page.textContent("span.on")).includes("parseParcelCode"), "the definition does not stand out");
  }));

  await check(`open the evidence of a link${how}`, () => withPage({ javaScriptEnabled }, async (page) => {
    await page.goto(open + "/");
    await page.click("summary");
    await page.click("[aria-label='Evidence of the links from customer-portal to tracking-service']");
    await page.waitForSelector(".evidence .sides .code >> nth=1");
    expect((await page.textContent("main")).includes("GET /api/v1/parcels"), "the request is missing");
  }));
}

await check("a change is reviewed", () => withPage({}, async (page) => {
  await page.goto(open + "/review?repo=parcel-kit");
  await page.fill("#changes", CHANGE);
  await page.click(".review button[type=submit]");
  await page.waitForSelector(".verdict");
  const result = await page.textContent(".review-result");
  expect(result.includes("no argument for the required parameter strict") && result.includes("customer-portal:src/api/client.ts:36"), result.slice(0, 200));
}));

await check("live progress", () => withPage({}, async (page) => {
  const events = page.waitForResponse((response) => response.url().endsWith("/events"));
  await page.goto(open + "/health");
  expect((await events).status() === 200, "no event stream");
  await page.waitForSelector("#live .tile");
}));

for (const width of [1024, 1360]) {
  await check(`${width} pixels`, () => withPage({ viewport: { width, height: 900 } }, async (page) => {
    for (const path of PAGES) {
      await page.goto(open + path);
      const own = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(own <= width, `${path} is ${own} pixels wide`);
      const covered = await page.evaluate(coveredTexts);
      expect(covered.length === 0, `${path} covers ${covered.slice(0, 5).join(", ")}`);
    }
  }));
}

await check("390 pixels", () => withPage({ viewport: { width: 390, height: 844 } }, async (page) => {
  for (const path of PAGES) {
    await page.goto(open + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width <= 390, `${path} is ${width} pixels wide`);
    const broken = await page.evaluate(brokenWords);
    expect(broken.length === 0, `${path} breaks ${broken.slice(0, 5).join(", ")}`);
  }
}));

await check("access is denied, and what one may not read is not there", () => withPage({}, async (page) => {
  const first = await page.goto(limited + "/r/parcel-kit");
  expect(first.status() === 401, `status ${first.status()}`);
  await page.fill("#token", "wrong");
  await page.click("main button[type=submit]");
  await page.waitForSelector("[role=alert]");
  await page.fill("#token", token);
  await page.click("main button[type=submit]");
  await page.waitForURL(/\//);
  await page.goto(limited + "/");
  const map = await page.textContent("main");
  expect(map.includes("parcel-kit") && !map.includes("tracking-service"), "the map shows other repositories");
  const secret = await page.goto(limited + "/r/tracking-service");
  expect(secret.status() === 404, `status ${secret.status()}`);
  const absent = await page.goto(limited + "/r/no-such-thing");
  expect(absent.status() === 404, `status ${absent.status()}`);
  await page.click("text=Sign out");
  await page.waitForURL(/signin/);
  expect((await page.goto(limited + "/")).status() === 401, "the session did not end");
}));

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "" : " without JavaScript";
  await check(`sign-in at the authorisation server${how}`, () => withPage({ javaScriptEnabled }, async (page) => {
    await page.goto(oauth + "/r/parcel-kit");
    await page.click("text=Sign in with localhost");
    await page.click("text=Sign in as Ada");
    await page.waitForURL(/\/r\/parcel-kit$/);
    expect((await page.textContent("h1")).includes("parcel-kit"), "the repository is missing");
    await page.goto(oauth + "/");
    expect(!(await page.textContent("main")).includes("tracking-service"), "the map shows other repositories");
    const cookies = (await page.context().cookies()).map((cookie) => cookie.name).sort().join();
    expect(cookies === "causeway_csrf,causeway_session", cookies);
    await page.click("text=Sign out");
    await page.waitForURL(/signin/);
    expect((await page.goto(oauth + "/")).status() === 401, "the session did not end");
    const replayed = await page.goto(oauth + "/signin/callback?code=x&state=y");
    expect(replayed.status() === 400 && (await page.textContent("[role=alert]")).includes("completed already"), "a reply without an attempt");
  }));
}

await check("a large map is cards at any width", () => withPage({ bypassCSP: true }, async (page) => {
  for (let attempt = 0; ; attempt++) {
    await page.goto(large + "/health");
    if ((await page.textContent("main")).includes("60 of 60")) break;
    expect(attempt < 120, "the organisation was not indexed");
    await page.waitForTimeout(1000);
  }
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(large + "/");
    const cards = await page.$$eval(".cluster-card", (all) => all.map((one) => [one.scrollHeight - one.clientHeight, one.offsetWidth]));
    expect(cards.length >= 10 && cards.every(([hidden, own]) => hidden <= 1 && own <= width), `${width}: ${JSON.stringify(cards)}`);
    expect((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, "the page is too wide");
    const broken = await page.evaluate(brokenWords);
    expect(broken.length === 0, `broken words: ${broken.slice(0, 5).join(", ")}`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), AXE_OPTIONS);
    expect(violations.length === 0, violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`).join("; "));
  }
  const n_bytes = await weight(large, "/");
  expect(n_bytes < MAX_BYTES, `${n_bytes} bytes`);
  await page.click(".cluster-card h2 a");
  await page.waitForSelector("svg.map .node");
  const covered = await page.evaluate(coveredTexts);
  expect(covered.length === 0, `covered: ${covered.slice(0, 5).join(", ")}`);
}));

await check("accessible: sign-in", () => withPage({ bypassCSP: true }, async (page) => {
  for (const url of [limited + "/signin", oauth + "/signin", oauth + "/signin/callback?code=x&state=y"]) {
    await page.goto(url);
    await page.evaluate(axe);
    const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), AXE_OPTIONS);
    expect(violations.length === 0, violations.map((one) => `${url} ${one.id}: ${one.nodes[0].html.slice(0, 120)}`).join("; "));
  }
}));

await browser.close();
console.log(n_failed === 0 ? "all passed" : `${n_failed} failed`);
process.exit(n_failed === 0 ? 0 : 1);
