// Tests the space-time diagram: pointing, zooming, searching, playing and saving.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, box_of, drawn, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader, page;
const circulant = recording({ ranks: 16 });
describe("the schedule", () => {
  before(async () => {
    reader = await Reader.start();
    page = await reader.open(report_of([run_part(circulant), run_part(recording({ algorithm: "ring", ranks: 16 }))]), { motion: true });
  });

  const said = () => page.$eval(".said", (one) => one.textContent);
  const chosen = () => page.$eval(".choice", (one) => one.textContent);
  async function press(...keys) {
    await page.focus("canvas.diagram");
    for (const key of keys) await page.keyboard.press(key);
    await frames(page);
  }
  /** Returns the position of the middle of message `op` when the whole run is shown. */
  async function middle_of(op) {
    const box = await box_of(page, "canvas.diagram");
    const { ops, total_s, ranks } = circulant;
    const left = 44, width = box.width - left - 10, top = 6, height = box.height - 34;
    const t = (ops.start_s[op] + ops.end_s[op]) / 2, from = -0.005 * total_s, until = 1.01 * total_s;
    return { x: box.left + left + ((t - from) / (until - from)) * width,
      y: box.top + top + (((ops.src[op] + ops.dst[op]) / 2 + 0.5) / ranks) * height };
  }

  test("a message is described under the pointer, and a click shows what it waited for", async () => {
    const at = await middle_of(8);          // a message of round 0 that no other message overlaps
    await page.mouse.move(at.x, at.y);
    await frames(page);
    const tip = await page.$eval(".tip:not([hidden])", (one) => one.textContent);
    assert.match(tip, /^\d+ -> \d+, .*iB, round 0\n.* to .*us/);
    await page.mouse.click(at.x, at.y);
    await frames(page);
    const text = await chosen();
    for (const word of ["sender", "node-", "receiver", "payload", "blocks", "round", "waited for", "slack", "critical chain"]) assert.ok(text.includes(word), `${word}: ${text}`);
    await press("Escape");
    assert.match(await chosen(), /Point at a message/);
  });

  test("mouse wheel, dragging, keys, a box and the strip move the view", async () => {
    const whole = await drawn(page), all = await said();
    assert.match(all, /^All 192 operations/);
    const box = await box_of(page, "canvas.diagram");
    await page.mouse.move(box.left + 200, box.top + 100);
    await page.mouse.wheel({ deltaY: -900 });
    await frames(page);
    const zoomed = await said();
    assert.match(zoomed, /^\d+ of 192 operations/);
    const before = await drawn(page);
    await page.mouse.down();
    await page.mouse.move(box.left + 120, box.top + 100, { steps: 4 });
    await page.mouse.up();
    await frames(page);
    assert.notEqual(await drawn(page), before);
    await press("0");
    assert.equal(await said(), all);
    assert.equal(await drawn(page), whole);
    await press("+", "+", "ArrowRight");
    assert.notEqual(await said(), all);
    await press("0");
    await page.keyboard.down("Shift");
    await page.mouse.move(box.left + 200, box.top + 60);
    await page.mouse.down();
    await page.mouse.move(box.left + 330, box.top + 200, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await frames(page);
    assert.match(await said(), /^\d+ of 192/);
    const strip = await box_of(page, "canvas.minimap"), boxed = await drawn(page);
    await page.mouse.click(strip.left + strip.width * 0.8, strip.top + 10);
    await frames(page);
    assert.notEqual(await drawn(page), boxed);
    await press("0");
  });

  test("two fingers zoom", async () => {
    const box = await box_of(page, "canvas.diagram");
    await page.$eval("canvas.diagram", (canvas, { left, top }) => {
      canvas.setPointerCapture = () => {};
      const send = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, clientX: left + x, clientY: top + 100, button: 0, buttons: 1, pointerType: "touch", bubbles: true }));
      send("pointerdown", 11, 300);
      send("pointerdown", 12, 400);
      send("pointermove", 11, 150);
      send("pointermove", 12, 600);
      send("pointerup", 11, 150);
      send("pointerup", 12, 600);
      delete canvas.setPointerCapture;
    }, box);
    await frames(page);
    assert.match(await said(), /^\d+ of 192/);
    await press("0");
  });

  test("search finds ranks, blocks and labels, and reports what it cannot find", async () => {
    const find = async (text) => {
      await page.$eval(".tools .search", (field) => { field.value = ""; });
      await page.type(".tools .search", text);
      await page.keyboard.press("Enter");
      await frames(page);
      return page.$eval(".found", (one) => one.textContent);
    };
    assert.equal(await find("rank 3"), "rank 3");
    assert.match(await said(), / of 192/);
    await press("0");
    assert.match(await find("block 5"), /^block 5: \d+ operations/);
    assert.equal(await page.$eval(".tools .short", (field) => field.value), "5");
    assert.match(await chosen(), /payload/);
    assert.match(await find("0 -> 8"), /^2 operations/);  // "10 -> 8" does not count
    assert.match(await chosen(), /0 -> 8/);
    assert.match(await find("rank 99"), /there is no rank 99: ranks are 0 to 15/);
    assert.match(await find("nonsense"), /nothing is labelled "nonsense"/);
    await page.$eval(".tools .short", (field) => { field.value = ""; field.dispatchEvent(new Event("input")); });
    await press("0", "Escape");
  });

  test("messages are coloured by round, block, cause of delay or size", async () => {
    const seen = new Set([await drawn(page)]);
    for (const [value, legend] of [["round", /round 0.*round 7/], ["block", /block/], ["held", /slowed by leaf up-links/], ["bytes", /KiB/], ["kind", /message/]]) {
      await page.select(".tools select", value);
      await frames(page);
      assert.match(await page.$eval(".legend", (one) => one.textContent), legend);
      seen.add(await drawn(page));
    }
    assert.equal(seen.size, 5);
  });

  test("plays over time and by rounds, with the network in step", async () => {
    const moment = () => page.$eval(".moment", (one) => one.textContent);
    assert.equal(await moment(), "whole run");
    await page.click(".player .play");
    await new Promise((done) => setTimeout(done, 300));
    await page.click(".player .play");
    const at = await moment();
    assert.match(at, /us$/);
    await frames(page);
    assert.equal(await page.$eval(".network .when", (one) => one.textContent.split(".  ")[0].startsWith("Load at ")), true);
    await page.$eval(".player input", (slider) => { slider.value = "500"; slider.dispatchEvent(new Event("input")); });
    await frames(page);
    assert.notEqual(await moment(), at);
    assert.equal(await page.$eval(".player input", (slider) => slider.value), "500");
    await page.select(".player select", "round");
    await page.click(".player button[title='One step forward']");
    assert.match(await moment(), /^round \d of 0 to 7$/);
    await press(".");
    assert.match(await moment(), /^round \d of 0 to 7$/);
    await page.select(".player select", "time");
    await page.click(".player button:last-child");
    assert.equal(await moment(), "whole run");
  });

  test("keys follow the critical chain and the dependencies", async () => {
    await press("c");
    assert.match(await chosen(), /critical chainon it/);
    const first = await chosen();
    await press("a");
    const next = await chosen();
    assert.notEqual(next, first);
    await press("w");
    assert.notEqual(await chosen(), next);
    await press("n");
    await press("p");
    assert.equal(await page.$eval(".choice", (one) => one.getAttribute("aria-live")), "polite");
    await press("Escape");
  });

  test("the view is exported as a table, a CSV, an SVG with real text and a PNG", async () => {
    const save = (name) => reader.saved(() => page.click(`.schedule .exports button:nth-child(${{ CSV: 1, SVG: 2, PNG: 3 }[name]})`));
    const csv = (await save("CSV")).bytes.toString().trim().split("\n");
    assert.match(csv[0], /^operation,kind,sender,receiver,bytes,round,ready_s/);
    assert.equal(csv.length, 193);
    const svg = (await save("SVG")).bytes.toString();
    assert.match(svg, /^<svg .*<text[^>]*>15<\/text>/s);
    assert.ok(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null, svg));
    const png = await save("PNG");
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.match(png.name, /^schedule-allreduce-circulant.*\.png$/);
    await page.click(".listed summary");
    await frames(page);
    assert.equal(await page.$$eval(".listed tbody tr", (rows) => rows.length), 192);
    await page.click(".listed summary");
  });

  test("two runs stay synchronised", async () => {
    const select = (await page.$$(".tools select"))[1];
    await select.select("0");
    await frames(page);
    assert.equal(await page.$$eval("article:first-of-type canvas.diagram", (all) => all.length), 2);
    await page.select(".tools select", "round");
    await frames(page);
    const legends = await page.$$eval("article:first-of-type .legend", (all) => all.map((one) => one.textContent));
    assert.ok(legends[0].includes("round 7") && legends[1].includes("rounds 28-29"), legends.join(" | "));
    const second = () => page.$$eval("article:first-of-type .said", (all) => all[1].textContent);
    const find = async (text) => {
      await page.$eval(".tools .search", (field) => { field.value = ""; });
      await page.type(".tools .search", `${text}\n`);
      await frames(page);
      return page.$eval(".found", (one) => one.textContent);
    };
    // The upper run has two messages from rank 0 to rank 8, the lower run has none.
    assert.match(await find("0 -> 8"), /^above: 2 operations; below: nothing is labelled "0 -> 8"/);
    assert.match(await find("0 -> 1"), /^above: 1 operation; below: 30 operations \(1; Enter/);
    await page.keyboard.press("Enter");
    // The first of the 30 messages of the lower run is selected.
    assert.match(await chosen(), /round0.*waited fornothing/);
    assert.equal(await find("rank 3"), "rank 3");
    await press("0");
    const csv = (await reader.saved(() => page.click(".diagrams .exports button:first-child"))).bytes.toString().trim().split("\n");
    assert.equal(csv.length, 721, "the second run can be exported, too");
    const all = await second();
    await press("+", "+", "+");
    assert.notEqual(await second(), all);
    await select.select("-1");
    await frames(page);
    assert.equal(await page.$$eval("article:first-of-type canvas.diagram", (all) => all.length), 1);
    silent(page);
  });
});
