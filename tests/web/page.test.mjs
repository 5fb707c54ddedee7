// Tests that the page as a whole makes no network request and prints nothing to the console, in both themes,
// in narrow and wide windows, and on paper.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, drawn, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader;
describe("the page", () => {
  before(async () => { reader = await Reader.start(); });

  const report = report_of([run_part(recording({ ranks: 16 }), ["A note."]), run_part(recording({ algorithm: "ring", ranks: 16, kind: "torus" }))], "Two runs");

  test("opens from a file: title, answer, navigation", async () => {
    const page = await reader.open(report);
    assert.equal(await page.$eval("h1", (h) => h.textContent), "Two runs");
    assert.match(await page.$eval(".page-head p", (p) => p.textContent), /^tutti 0\.1\.0/);
    assert.match(await page.$eval(".tile", (t) => t.textContent), /Simulated.*us/);
    assert.deepEqual(await page.$$eval(".page-nav > ul > li > ul", (lists) => lists.map((list) => [...list.children].map((li) => li.textContent))),
      [["Schedule", "Network", "Why"], ["Schedule", "Network", "Why"]]);
    for (const target of await page.$$eval(".page-nav a", (links) => links.map((a) => a.hash.slice(1))))
      assert.ok(await page.$(`#${target}`), target);
    silent(page);
    await page.close();
  });

  test("all text has a contrast of at least 4.5 to its background, in both themes", async () => {
    for (const theme of ["light", "dark"]) {
      const page = await reader.open(report, { theme });
      const low = await page.evaluate(() => {
        const value = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
        const light = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
          .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const contrast = (a, b) => { const [x, y] = [light(value(a)), light(value(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
        return [["ink", "paper"], ["muted", "paper"], ["accent", "paper"], ["ink", "panel"], ["muted", "panel"], ["accent", "panel"], ["paper", "ink"], ["bad", "paper"], ["good", "paper"],
          ...Array.from({ length: 10 }, (_, i) => [`s${i}`, "paper"]), ...Array.from({ length: 9 }, (_, i) => [i < 5 ? "ink" : "paper", `q${i}`])]
          .map(([a, b]) => [a, b, contrast(a, b)]).filter((row) => !(row[2] >= 4.5));
      });
      assert.deepEqual(low, [], theme);
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), theme);
      await page.close();
    }
  });

  test("no series has the colour of another, nor that of the limit", async () => {
    for (const theme of ["light", "dark"]) {
      const page = await reader.open(report_of([run_part(recording({ ranks: 4 }))]), { theme });
      const colours = await page.evaluate(() => ["ink", ...Array.from({ length: 10 }, (_, i) => `s${i}`)]
        .map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()));
      assert.equal(new Set(colours).size, 11, `${theme}: ${colours}`);
      await page.close();
    }
  });

  test("the reader's choice of a theme takes precedence, and canvases follow it", async () => {
    const page = await reader.open(report);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.select(".page-tools select", "dark");
    await frames(page);
    assert.notEqual(await ground(), light);
    await page.select(".page-tools select", "light");
    assert.equal(await ground(), light);
    await page.select(".page-tools select", "auto");
    silent(page);
    await page.close();
  });

  test("the page does not scroll sideways at a width of 390 pixels", async () => {
    const page = await reader.open(report, { width: 390, height: 800, theme: "dark" });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    silent(page);
    await page.close();
  });

  test("everything can be reached by keyboard, beginning with a link that skips the navigation", async () => {
    const page = await reader.open(report);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    const want = await page.$$eval("#main button, #main select, #main input, #main canvas.diagram, #main .network-box svg, #main summary",
      (all) => all.filter((one) => one.tabIndex < 0 || (one.offsetParent === null && !(one instanceof SVGElement))).map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(want, []);
    const unnamed = await page.$$eval("button, select, input, canvas[tabindex], svg[tabindex]", (all) => all.filter((one) =>
      !(one.getAttribute("aria-label") || one.closest("label")?.textContent.trim() || one.textContent.trim())).map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(unnamed, []);
    const seen = await page.evaluate(() => {
      const button = document.querySelector(".tools select");
      button.focus({ focusVisible: true });
      return getComputedStyle(button).outlineStyle;
    });
    assert.notEqual(seen, "none");
    await page.close();
  });

  test("prints on A4, in light colours even if the page is dark", async () => {
    const page = await reader.open(report_of([run_part(recording({ ranks: 8 }))]));
    await page.select(".page-tools select", "dark");
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await ground(), "rgb(255, 255, 255)");
    const on_paper = await drawn(page);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.notEqual(await ground(), "rgb(255, 255, 255)");
    assert.notEqual(await drawn(page), on_paper);
    const pdf = Buffer.from(await page.pdf({ format: "A4", printBackground: false }));
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    silent(page);
    await page.select(".page-tools select", "auto");
    await page.close();
  });

  test("data that is not a report gives an error in one line", async () => {
    const page = await reader.open({ schema: "tutti-report/9", title: "x", made_by: "", parts: [] });
    assert.match(await page.$eval("#page", (one) => one.textContent), /cannot be read: .*tutti-report\/9/);
    silent(page);
    await page.close();
  });
});
