// Tests that tables can be sorted and filtered, and stay fast. Tests that pictures show their values, hide
// and show series, and can be saved.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, focus, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";

let reader, page;
const picture = {
  id: "times", title: "Time against size", alt: "ring is faster above 1 MiB", group: "comparison", csv: "n,ring,tree\n1,2,3\n",
  svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120"><style>.ink{fill:red}</style><rect class="paper" width="300" height="120"/>
<line class="grid" x1="10" y1="60" x2="290" y2="60"/><text class="muted" x="10" y="115">1 KiB</text>
<g data-series="ring"><path class="s0" d="M10 20L200 90" fill="none"/><circle class="s0 fill" cx="10" cy="20" r="4" data-tip="ring, 1 KiB&#10;2 us"/><text class="s0" x="205" y="90">ring</text></g>
<g data-series="tree"><path class="s1" d="M10 90L200 20" fill="none"/><circle class="s1 fill" cx="10" cy="90" r="4" data-tip="tree, 1 KiB&#10;3 us"/><text class="s1" x="205" y="20">tree</text></g></svg>`,
};
const rows = Array.from({ length: 3000 }, (_, i) => [`algorithm-${i % 7}`, (i * 7919) % 3001, i % 11 === 0 ? null : i / 3]);
const tables = [
  { id: "short", title: "Winners", columns: [{ name: "n", unit: "", align: "left" }, { name: "time", unit: "us", align: "right" }],
    rows: [["1 KiB", 30.5], ["2 KiB", 4.25], ["4 KiB", null], ["8 KiB", 100]], shown: [["1 KiB", "30.5"], ["2 KiB", "4.25"], ["4 KiB", "-"], ["8 KiB", "100.0"]] },
  { id: "long", title: "All cells", columns: [{ name: "algorithm", unit: "", align: "left" }, { name: "key", unit: "", align: "right" }, { name: "value", unit: "", align: "right" }], rows, shown: null }];
const part = { kind: "comparison", title: "compare allreduce", source: "compare allreduce -p 4", notes: [], document: {}, tables, pictures: [picture] };

describe("tables and pictures", () => {
  before(async () => {
    reader = await Reader.start();
    page = await reader.open(report_of([part]));
  });

  const column = (table, c) => page.$$eval(".table", (all, t, n) => [...all[t].querySelectorAll("tbody tr:not(.gap)")].map((row) => row.children[n].textContent), table, c);

  test("tables sort by click and by key, with unknown values last", async () => {
    const heads = await page.$$(".table:first-of-type thead button");
    await heads[1].click();
    assert.deepEqual(await column(0, 0), ["2 KiB", "1 KiB", "8 KiB", "4 KiB"]);
    await heads[1].focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await column(0, 0), ["8 KiB", "1 KiB", "2 KiB", "4 KiB"]);
    assert.deepEqual(await page.$$eval(".table:first-of-type th[scope=col]", (all) => all.map((th) => th.getAttribute("aria-sort"))), ["none", "descending"]);
    const csv = await reader.saved(() => page.click(".table .table-head button"));
    assert.equal(csv.bytes.toString(), "n,time (us)\n8 KiB,100\n1 KiB,30.5\n2 KiB,4.25\n4 KiB,\n");
  });

  test("a long table renders only the visible rows, and can be filtered", async () => {
    const long = (await page.$$(".table"))[1];
    const rendered = () => long.$$eval("tbody tr", (all) => all.length);
    assert.ok(await rendered() < 120);
    await long.$eval(".scroller", (one) => { one.scrollTop = one.scrollHeight; });
    await frames(page);
    assert.equal((await column(1, 0)).at(-1), rows.at(-1)[0]);
    assert.ok(await rendered() < 120);
    await (await long.$("input")).type("algorithm-3");
    await frames(page);
    assert.match(await long.$eval(".table-head .muted", (one) => one.textContent), /^429 of 3,000 rows/);
    assert.ok((await column(1, 0)).every((text) => text === "algorithm-3"));
  });

  test("a picture shows its values under the pointer and by arrow keys", async () => {
    assert.equal(await page.$eval(".picture svg", (one) => one.getAttribute("aria-label")), picture.alt);
    const at = await page.$eval(".picture circle", (one) => { one.scrollIntoView({ block: "center", behavior: "instant" }); const r = one.getBoundingClientRect(); return { x: r.left + r.width / 2, y: r.top + r.height / 2 }; });
    await page.mouse.move(at.x, at.y);
    assert.equal(await page.$eval(".tip:not([hidden])", (one) => one.textContent), "ring, 1 KiB\n2 us");
    assert.ok(await page.$eval("[data-series=tree]", (one) => one.classList.contains("dimmed")));
    await page.mouse.move(2, 2);
    await focus(page, ".picture svg");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.$eval(".tip:not([hidden])", (one) => one.textContent), "tree, 1 KiB\n3 us");
    await page.keyboard.press("Escape");
  });

  test("a series is hidden by its label or by its button", async () => {
    const off = () => page.$eval("[data-series=ring]", (one) => one.classList.contains("off"));
    await page.click("[data-series=ring] text");
    assert.equal(await off(), true);
    await page.click(".series button");
    assert.equal(await off(), false);
  });

  test("a picture is saved with its own colours, as SVG, PNG and data", async () => {
    const save = (n) => reader.saved(() => page.click(`.picture .exports button:nth-child(${n})`));
    const svg = (await save(1)).bytes.toString();
    assert.match(svg, /\.s0 ?\{ ?stroke: ?#[0-9a-f]{6};? ?\}/);
    assert.match(svg, /<text[^>]*>ring<\/text>/);
    assert.ok(!svg.includes("red") && !svg.includes("var(") && !svg.includes("svg-box"));
    assert.equal((await save(2)).bytes.subarray(1, 4).toString(), "PNG");
    assert.equal((await save(3)).bytes.toString(), picture.csv);
    silent(page);
  });

  test("a sentence is readable on wide and narrow screens", async () => {
    const why = "hosts 0-15 must send 12 MiB to the others over 4 links of 25 GB/s; before that, the latency of 1.4 us";
    const right = (name) => ({ name, unit: "us", align: "right" });
    const table = { id: "bounds", title: "Bounds", columns: [{ name: "collective", unit: "", align: "left" }, right("at least"),
      { name: "certificate", unit: "", align: "left" }, right("bytes"), right("rounds"), right("ports"), right("reductions")],
      rows: [["alltoall", 148.2, why, 148.2, 4.9, 148.2, null]], shown: null };
    for (const width of [1280, 390]) {
      const one = await reader.open(report_of([{ ...part, tables: [table] }]), { width });
      const box = (await one.evaluateHandle((words) => [...document.querySelectorAll("tbody tr *")].filter((each) => each.textContent.includes(words)).at(-1), why)).asElement();
      const { x, width: wide } = await box.boundingBox();
      assert.ok(x >= 0 && x + wide <= width && wide >= 300, `${x} ${wide} at ${width}`);
      assert.equal(await one.$$eval(".own-line", (all) => all.length), width < 700 ? 1 : 0);
      silent(one);
      await one.close();
    }
  });
});
