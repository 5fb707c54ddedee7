// Opens pages in headless Chromium from a file, as a reader would. Records the page's network requests and console
// messages; there must be none.
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after } from "node:test";
import assert from "node:assert/strict";
import { write_page } from "./make_page.mjs";

const puppeteer = createRequire(new URL("../../src/page/web/package.json", import.meta.url))("puppeteer-core");
const chromium = process.env.TUTTI_CHROMIUM ??
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => existsSync(file));

let the_reader = null;
after(async () => (await the_reader)?.stop());

export class Reader {
  /** Returns the one browser that all tests of a process share. */
  static start() {
    return (the_reader ??= Reader.launch());
  }

  static async launch() {
    const reader = new Reader();
    reader.folder = mkdtempSync(path.join(tmpdir(), "tutti-web-"));
    reader.downloads = path.join(reader.folder, "downloads");
    reader.browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    return reader;
  }

  async stop() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Opens the page of a report, or `file` if the page exists already. */
  async open(report, { width = 1280, height = 900, theme = "light", motion = false, file } = {}) {
    file ??= write_page(path.join(this.folder, `page-${Math.random().toString(36).slice(2)}.html`), report);
    const page = await this.browser.newPage();
    page.asked = [];
    page.said = [];
    page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) page.asked.push(request.url()); });
    page.on("console", (message) => page.said.push(message.text()));
    page.on("pageerror", (error) => page.said.push(String(error.stack ?? error)));
    page.on("dialog", (dialog) => { page.said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: this.downloads });
    await page.setViewport({ width, height });
    // Reduced motion turns off smooth scrolling. Otherwise an element might still move when a test clicks on
    // it.
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: motion ? "no-preference" : "reduce" }]);
    await page.goto(pathToFileURL(file).href);
    await frames(page);
    return page;
  }

  /** Returns the file that a button saves, once it is complete. */
  async saved(press) {
    const before = new Set(existsSync(this.downloads) ? readdirSync(this.downloads) : []);
    await press();
    for (let i = 0; i < 200; ++i) {
      const name = existsSync(this.downloads) && readdirSync(this.downloads).find((one) => !before.has(one) && !/^\.|crdownload$/.test(one));
      const bytes = name ? readFileSync(path.join(this.downloads, name)) : "";
      if (bytes.length > 0) return { name, bytes };  // the browser creates the file before it has the bytes
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail("nothing was saved");
  }
}

/** Waits for `count` frames, so that the page has drawn its changes. */
export async function frames(page, count = 3) {
  await page.evaluate((n) => new Promise((done) => {
    const next = (left) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(n);
  }), count);
}

export function silent(page) {
  assert.deepEqual(page.asked, [], "the page made a network request");
  assert.deepEqual(page.said, [], "the page wrote to the console");
}

/** Scrolls to an element and returns its position in the window. */
export async function box_of(page, selector) {
  return page.$eval(selector, (element) => {
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { left, top, width, height };
  });
}

/** Returns a hash of the drawing on a canvas. */
export async function drawn(page, selector = "canvas.diagram") {
  return page.$eval(selector, (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let hash = 2166136261;
    for (let i = 0; i < data.length; i += 16) hash = Math.imul(hash ^ data[i] ^ (data[i + 1] << 8) ^ (data[i + 2] << 16), 16777619);
    return hash >>> 0;
  });
}

/** Focuses an element; works for SVG elements too. */
export async function focus(page, selector) {
  await page.$eval(selector, (element) => element.focus());
}
