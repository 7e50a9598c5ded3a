// Takes screenshots of every page, light and dark.
//
//     node shots.mjs URL FOLDER [PAGE...]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [base, folder, ...pages] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1360, height: 900 } });
  const page = await context.newPage();
  for (const path of pages.length > 0 ? pages : ["/", "/search", "/review", "/health", "/usage"]) {
    await page.goto(new URL(path, base).href, { waitUntil: "load" });
    const name = path.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "").slice(0, 60) || "map";
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await context.close();
}
await browser.close();
