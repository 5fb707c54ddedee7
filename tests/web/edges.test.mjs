// Tests pages of unusual recordings: only operations, nothing at all, and sums over many operations.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader;
const all_keys = ["n", "p", "w", "a", "c", "0", "+", "-", "ArrowLeft", "ArrowUp", " ", ".", ","];

const colours = (page) => page.$$eval(".tools select:first-of-type option", (all) => all.map((one) => one.value));

describe("edges", () => {
  before(async () => { reader = await Reader.start(); });

  test("a run without an explanation or a network is shown", async () => {
    const made = { ...recording({ ranks: 4 }), explanation: null, network: null, chain: [] };
    made.ops = { ...made.ops, slack_s: null };
    const page = await reader.open(report_of([run_part(made)]));
    await page.focus("canvas.diagram");
    for (const key of all_keys) await page.keyboard.press(key);
    assert.deepEqual(await colours(page), ["kind", "round", "block", "bytes"]);
    await frames(page);
    assert.equal(await page.$(".network"), null);
    silent(page);
    await page.close();
  });

  test("a run without operations is shown", async () => {
    const made = recording({ algorithm: "bcast", ranks: 1 });
    const page = await reader.open(report_of([run_part(made)]));
    await page.focus("canvas.diagram");
    for (const key of all_keys) await page.keyboard.press(key);
    await frames(page);
    assert.match(await page.$eval(".said", (one) => one.textContent), /^All 0 operations/);
    const svg = (await reader.saved(() => page.click(".schedule .exports button:nth-child(2)"))).bytes.toString();
    assert.match(svg, /text-anchor="middle"[^>]*>0/, "there is an axis");
    assert.ok(!svg.includes("NaN"));
    assert.ok(!(await page.$eval("#page", (one) => one.textContent)).match(/NaN|undefined|Infinity/));
    silent(page);
    await page.close();
  });

  test("an operation that waits in view, and takes no time outside it, gives no invalid line", async () => {
    const made = recording({ algorithm: "bcast", ranks: 8 });
    const last = made.ops.kind.length - 1;
    made.ops.ready_s[last] = 0;
    made.ops.start_s[last] = made.ops.end_s[last] = made.total_s;
    const page = await reader.open(report_of([run_part(made)]));
    await page.focus("canvas.diagram");
    for (const key of ["+", "+", "+", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
    await frames(page);
    const svg = (await reader.saved(() => page.click(".schedule .exports button:nth-child(2)"))).bytes.toString();
    assert.ok(!svg.includes("NaN"));
    silent(page);
    await page.close();
  });

  test("sums over groups of ranks are labelled as sums", async () => {
    const made = recording({ algorithm: "ring", ranks: 16 });
    made.merged = { ranks_per_group: 64, operations: 3140000 };
    made.ranks = 1000;
    made.ops.count = made.ops.kind.map(() => 4096);
    made.ops.slack_s = null;
    made.ops.after_start = [];
    made.ops.after = [];
    made.chain = [];
    made.ops.first_block = made.ops.kind.map(() => -1);
    const page = await reader.open(report_of([run_part(made)]));
    assert.match(await page.$eval(".said", (one) => one.textContent), /3,140,000 operations are combined over groups of 64 ranks/);
    assert.deepEqual(await colours(page), ["kind", "round", "bytes"]);
    await page.focus("canvas.diagram");
    for (const key of all_keys) await page.keyboard.press(key);
    await page.keyboard.press("n");
    await frames(page);
    const text = await page.$eval(".choice", (one) => one.textContent);
    assert.match(text, /ranks \d+-\d+/);
    assert.match(text, /4,096 operations/);
    await page.type(".tools .search", "rank 999\n");
    assert.equal(await page.$eval(".found", (one) => one.textContent), "rank 999");
    assert.ok(!(await page.$eval("#page", (one) => one.textContent)).match(/NaN|undefined|Infinity/));
    silent(page);
    await page.close();
  });

  test("a long account shows its rest as one row, and all rows on request", async () => {
    const made = recording({ ranks: 8 });
    made.explanation.account = Array.from({ length: 20 }, (_, i) => ({ row: "sharing", in_words: `link ${i}`, seconds: (20 - i) * 1e-6, ops: [], rounds: [] }));
    made.explanation.total_s = 210e-6;
    const page = await reader.open(report_of([run_part(made)]));
    const rows = () => page.$$eval(".account tbody tr", (all) => all.map((row) => row.textContent));
    assert.equal((await rows()).length, 9);
    assert.match((await rows())[8], /^12 smaller rows78 us37 %/);
    await page.click(".account button");
    assert.equal((await rows()).length, 20);
    silent(page);
    await page.close();
  });
});
