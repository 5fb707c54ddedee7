// Takes screenshots of every section of a page, wide and narrow, light and dark:
// node src/page/web/screenshots.mjs PAGE.html FOLDER
import { createRequire } from "node:module";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [file, folder] = process.argv.slice(2);
if (!file || !folder) {
  console.error("usage: node src/page/web/screenshots.mjs PAGE.html FOLDER");
  process.exit(2);
}
const puppeteer = createRequire(import.meta.url)("puppeteer-core");
const executablePath = process.env.TUTTI_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((one) => existsSync(one));
mkdirSync(folder, { recursive: true });
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
for (const width of [1280, 390]) for (const theme of ["light", "dark"]) {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  await page.goto(pathToFileURL(path.resolve(file)).href);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const save = (element, name) => element.screenshot({ path: path.join(folder, `${name}-${width}-${theme}.png`) });
  await save(await page.$("body"), "page");
  for (const [i, section] of (await page.$$("section.block")).entries()) {
    const title = await section.$eval("h3", (heading) => heading.textContent.toLowerCase().replace(/\W+/g, "-"));
    await save(section, `${i}-${title}`);
  }
}
await browser.close();
