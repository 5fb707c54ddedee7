// Tests that each kind of network has its own drawing, and that a link shows its load.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, focus, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader;
describe("the network", () => {
  before(async () => { reader = await Reader.start(); });

  const one = (kind, ranks, more = {}) => run_part(recording({ kind, ranks, ...more, title: `${kind} ${ranks}` }));

  test("networks are drawn as levels, grids, slices, groups and circles", async () => {
    const page = await reader.open(report_of([one("fat_tree", 16), one("torus", 16), one("torus", 64), one("dragonfly", 64), one("star", 8), one("generic", 8)]));
    const shapes = await page.$$eval(".network-box svg", (all) => all.map((svg) => {
      const boxes = [...svg.querySelectorAll("[data-place] rect")];
      return { label: svg.getAttribute("aria-label").split(",")[0], places: boxes.length, frames: [...svg.querySelectorAll("g > text")].map((t) => t.textContent).filter((t) => /^(slice|group)/.test(t)).length,
        heights: new Set(boxes.map((r) => Math.round(Number(r.getAttribute("y")) + Number(r.getAttribute("height")) / 2))).size, edges: svg.querySelectorAll("[data-edge]").length };
    }));
    assert.deepEqual(shapes.map((s) => s.label), ["Fat tree", "Torus", "Torus", "Dragonfly", "Hosts at one switch", "Network"]);
    assert.deepEqual([shapes[0].heights, shapes[0].places, shapes[0].edges], [3, 20, 40]);
    assert.deepEqual([shapes[1].heights, shapes[1].places], [4, 16]);
    assert.deepEqual([shapes[2].frames, shapes[2].places, shapes[2].edges], [4, 64, 384]);
    assert.equal(shapes[3].frames, 4);
    silent(page);
    await page.close();
  });

  test("parallel links have a line each, including those that carried nothing", async () => {
    const made = recording({ kind: "fat_tree", ranks: 16, title: "parallel" });
    for (const link of made.network.links) if (link.group.startsWith("leaf")) link.parallel_links = 4;
    const page = await reader.open(report_of([run_part(made)]));
    const lines = await page.$$eval(".network-box [data-edge]", (all) => all.map((path) => path.getAttribute("d")));
    assert.equal(lines.length, 32 + 8 * 4);
    assert.equal(new Set(lines).size, lines.length);
    const when = await page.$eval(".network .when", (p) => p.textContent);
    assert.match(when, /24 parallel links carried nothing/);
    assert.match(when, /lines on the right go up/);
    assert.doesNotMatch(when, /drawn as one/);
    silent(page);
    await page.close();
  });

  test("1,024 hosts are drawn as groups, labelled as such, and quickly", async () => {
    const page = await reader.open(report_of([one("fat_tree", 1024, { algorithm: "bcast" })]));
    assert.match(await page.$eval(".network .when", (p) => p.textContent), /drawn as one/);
    assert.ok((await page.$$("[data-place]")).length < 120);
    const ms = await page.evaluate(async () => {
      const slider = document.querySelector(".player input");
      const from = performance.now();
      for (let i = 1; i <= 10; ++i) {
        slider.value = String(i * 90);
        slider.dispatchEvent(new Event("input"));
        await new Promise(requestAnimationFrame);
      }
      return (performance.now() - from) / 10;
    });
    console.log(`1,024 hosts: a step of the slider takes ${ms.toFixed(1)} ms`);
    silent(page);
    await page.close();
  });

  test("a link selected by click or by keys lists its messages, which lead back to the diagram", async () => {
    const page = await reader.open(report_of([one("fat_tree", 16)]));
    await page.$eval(".network-box svg", (svg) => svg.scrollIntoView({ block: "center", behavior: "instant" }));
    const at = await page.$eval("[data-edge='33']", (path) => { const r = path.getBoundingClientRect(); return { x: r.left + r.width / 2, y: r.top + r.height / 2 }; });
    await page.mouse.move(at.x, at.y);
    assert.match(await page.$eval(".tip:not([hidden])", (t) => t.textContent), /of its capacity over the whole run/);
    await page.mouse.click(at.x, at.y);
    const text = await page.$eval(".link-panel", (p) => p.textContent);
    for (const word of ["name", "place", "capacity", "25 GB/s", "carried", "busy", "lost by sharing", "Its messages"]) assert.ok(text.includes(word), word);
    await focus(page, ".network-box svg");
    await page.keyboard.press("Escape");
    assert.equal(await page.$(".link-panel"), null);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.ok(await page.$(".link-panel"));
    await page.click(".link-panel tbody button");
    await frames(page);
    assert.match(await page.$eval(".choice", (p) => p.textContent), /->/);
    assert.ok(await page.$(".network-box path.on-route"));
    const svg = (await reader.saved(() => page.click(".network .exports button:nth-child(2)"))).bytes.toString();
    assert.match(svg, /<text[^>]*>15<\/text>/);
    const csv = (await reader.saved(() => page.click(".network .exports button:nth-child(1)"))).bytes.toString();
    assert.equal(csv.trim().split("\n").length, 41);
    silent(page);
    await page.close();
  });
});
