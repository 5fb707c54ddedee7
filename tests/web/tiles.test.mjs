// Tests the figures at the top of runs, comparisons and decisions.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader;
const tiles_of = (page) => page.$$eval(".tile", (all) => Object.fromEntries(all.map((tile) => {
  const [name, value, words] = [...tile.children].map((child) => child.textContent);
  return [name, { value, words }];
})));

const column = (name, align = "right") => ({ name, unit: "", align });
/** Returns a part with a table of factors. `rows` have a number of ranks, a size, an algorithm and a factor or null. */
const times_part = (kind, best, rows) => ({ kind, title: kind, source: kind, notes: [], document: {}, pictures: [],
  tables: [{ id: kind, title: kind, columns: [column("ranks"), column("size"), column(best, "left"), column("x limit")],
    rows, shown: rows.map(([ranks, size, name, factor]) => [`${ranks}`, `${size} B`, name, factor === null ? "" : `${factor}`]) }] });

describe("tiles", () => {
  before(async () => { reader = await Reader.start(); });

  test("the largest share counts the links of a class together", async () => {
    const made = recording({ ranks: 16 });
    const [first, second, third] = made.network.links;
    second.group = third.group = "leaf up-links";
    first.group = "host links";
    const sharing = (link, seconds) => ({ row: "sharing", in_words: `slowed by sharing ${link.place}`, link: link.name, seconds, ops: [], rounds: [] });
    made.explanation.total_s = 10e-6;
    made.explanation.account = [{ row: "transfer", in_words: "transfer", link: null, seconds: 4e-6, ops: [], rounds: [] },
      sharing(second, 3e-6), sharing(third, 2e-6), sharing(first, 1e-6)];
    const page = await reader.open(report_of([run_part(made)]));
    assert.deepEqual((await tiles_of(page))["Largest share"], { value: "50 %", words: "slowed by sharing leaf up-links, 5 us of the critical chain" });
    silent(page);
    await page.close();
  });

  test("a run is compared with its limit, if the limit is known", async () => {
    const known = recording({ ranks: 8 }), unknown = recording({ ranks: 8 });
    Object.assign(known.result, { bound_s: 2e-4, of_limit: 1.0826 });
    Object.assign(unknown.result, { bound_s: null, of_limit: null });
    let page = await reader.open(report_of([run_part(known)]));
    assert.deepEqual((await tiles_of(page))["x limit"], { value: "1.08", words: "no schedule takes less than 200 us here" });
    await page.close();
    known.explanation.limit = { in_words: "rank 0 must send 1 MiB, at 5 GB/s" };
    page = await reader.open(report_of([run_part(known)]));
    assert.equal((await tiles_of(page))["x limit"].words, "no schedule takes less than 200 us here: rank 0 must send 1 MiB, at 5 GB/s");
    await page.close();
    page = await reader.open(report_of([run_part(unknown)]));
    assert.equal((await tiles_of(page))["x limit"], undefined);
    await page.close();
  });

  test("explanations have a tile for each run", async () => {
    const part = (kind, document) => ({ kind, title: kind, source: kind, notes: [], tables: [], pictures: [], document });
    const result = (algorithm, of_limit) => ({ algorithm, bound_s: 1e-6, of_limit });
    const page = await reader.open(report_of([part("explanation", { result: result("tree", 4) }),
      part("contrast", { explanations: [{ result: result("ring", 2) }, { result: result("star", 30.25) }] })]));
    const words = "no schedule takes less than 1 us here";
    assert.deepEqual(await tiles_of(page), { "x limit": { value: "4.00", words }, "x limit, ring": { value: "2.00", words }, "x limit, star": { value: "30.3", words } });
    silent(page);
    await page.close();
  });

  test("a comparison names the cells whose best algorithm is nearest to the limit, and farthest from it", async () => {
    const rows = [[8, 64, "ring", 9], [8, 64, "tree", 1.5], [8, 128, "ring", 3.25], [8, 128, "tree", null], [4, 128, "ring", 2]];
    for (const [kind, best] of [["comparison", "algorithm"], ["decision", "best"]]) {
      const page = await reader.open(report_of([times_part(kind, best, rows)]));
      const tiles = await tiles_of(page);
      assert.deepEqual(tiles["x limit, where nearest"], { value: "1.50", words: "tree, 8 ranks, 64 B" });
      assert.deepEqual(tiles["x limit, where farthest"], { value: "3.25", words: "even with the best: ring, 8 ranks, 128 B" });
      silent(page);
      await page.close();
    }
    const page = await reader.open(report_of([times_part("comparison", "algorithm", [[8, 64, "ring", null]])]));
    assert.deepEqual(await tiles_of(page), {});
    await page.close();
  });
});
