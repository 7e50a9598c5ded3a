// Takes screenshots of pages, light and dark.
//
//     node shots.mjs URL FOLDER [PAGE...]
//     WIDTH=1120 HEIGHT=620 node shots.mjs URL FOLDER map=/ answer=/search?q=WORDS
//
// A page may have the name of its file before it. Without pages, all that need no repository are taken, and those of the first repository.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [base, folder, ...listed] = process.argv.slice(2);
const viewport = { width: Number(process.env.WIDTH ?? 1360), height: Number(process.env.HEIGHT ?? 900) };
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

// Returns the pages of the first repository of the map, and those that they lead to.
async function found() {
  const page = await browser.newPage();
  const first = async (path, selector) => {
    await page.goto(new URL(path, base).href);
    const links = await page.$$eval(selector, (all) => all.map((one) => one.getAttribute("href")));
    return links[0];
  };
  const focus = await first("/", "a.node, a.member");
  const repository = `/r/${new URL(focus, base).searchParams.get("focus")}`;
  const symbol = await first(repository, "a[href^='/symbol']");
  const file = await first(repository, "a[href*='/-/']");
  const evidence = await first(focus, "a[href^='/links']");
  const impact = symbol && (await first(symbol, "a[href^='/impact']"));
  await page.close();
  return { focus, repository, symbol, file, evidence, impact };
}

const general = { map: "/", search: "/search?q=retry", answer: "/search?q=where+are+records+checked%3F", review: "/review", health: "/health", usage: "/usage" };
const pages = listed.length > 0
  ? listed.map((one) => (/^\w+=/.test(one) ? [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] : [one.replaceAll(/\W+/g, "-"), one]))
  : Object.entries({ ...general, ...(await found()) }).filter(([, path]) => path);
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ colorScheme, viewport });
  const page = await context.newPage();
  for (const [name, path] of pages) {
    await page.goto(new URL(path, base).href, { waitUntil: "load" });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await context.close();
}
await browser.close();
