// Tests pages that the program itself writes, because they might differ from the pages that other tests make.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Reader, frames, silent } from "./browser.mjs";

const source = fileURLToPath(new URL("../../", import.meta.url));
const program = process.env.TUTTI_BINARY ?? path.join(source, "build/release/tutti");
const tree = path.join(source, "platforms/infiniband_hdr_128_thin.xml");
const run = (...words) => execFileSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });

let reader, number = 0;
const page_of = async (...words) => {
  const file = path.join(reader.folder, `program-${++number}.html`);
  run("report", ...words, "-o", file);
  return reader.open(null, { file });
};
/** Returns block numbers as a text of runs: "0-3 8-11" for [8, 9, 10, 11, 0, 1, 2, 3]. */
function runs_of(blocks) {
  const runs = [];
  for (const block of [...new Set(blocks)].sort((a, b) => a - b)) {
    if (runs.length > 0 && block === runs.at(-1)[1] + 1) runs.at(-1)[1] = block; else runs.push([block, block]);
  }
  return runs.map(([from, until]) => (from === until ? `${from}` : `${from}-${until}`)).join(" ");
}

describe("pages of the program", { skip: existsSync(program) ? false : `${program} does not exist` }, () => {
  before(async () => { reader = await Reader.start(); });

  test("each operation shows its ranks, places and data, and what it waited for", async () => {
    const page = await page_of("simulate", "allreduce/circulant", "-p", "16", "-n", "1MiB", "--platform", tree);
    const chosen = () => page.$eval(".choice", (one) => one.textContent);
    await page.focus("canvas.diagram");
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press(i % 3 === 0 ? "c" : "n");
      const text = await chosen();
      assert.match(text, /(senderrank|done byrank) \d+ on host \d+.*payload.*iB, block.*round\d.*waited for.*slack.*critical chain/s);
    }
    for (const value of ["round", "block", "held", "bytes"]) await page.select(".tools select", value);
    await page.click(".player .play");
    await frames(page);
    assert.ok(!(await page.$eval("#page", (one) => one.innerText)).match(/NaN|undefined|Infinity/));
    silent(page);
    await page.close();
  });

  for (const [what, options, ranks, wanted] of [
    ["nodes with a switch", ["--nodes", "4", "--gpu", "h100", "--unit", "2"], 32, { nodes: 4, switches: 4, gpus: 32, units: 2 }],
    ["nodes with links between GPUs", ["--nodes", "4", "--gpu", "mi300x"], 32, { nodes: 4, switches: 0, gpus: 32, units: 0 }],
    ["many nodes", ["--nodes", "64", "--gpu", "h100", "--unit", "16"], 512, { nodes: 32, switches: 0, gpus: 0, units: 4 }]])
    test(`a cluster of GPUs: ${what}`, async () => {
      const file = path.join(reader.folder, `gpus-${++number}.xml`);
      run("platform", "gpu", ...options, "-o", file);
      const page = await page_of("simulate", ranks > 32 ? "allreduce/rabenseifner" : "alltoall/linear", "-p", String(ranks), "-n", "64KiB", "--platform", file);
      const found = await page.$eval(".network-box svg", (svg) => {
        const texts = [...svg.querySelectorAll("g > text")].map((text) => text.textContent);
        const names = [...svg.querySelectorAll("[data-place]")].map((place) => place.getAttribute("data-place"));
        const count = (all, pattern) => all.filter((text) => pattern.test(text)).length;
        return { nodes: names.filter((name) => /card/.test(name)).length, switches: count(texts, /^switch$/), gpus: count(names, /^GPU \d+ of node \d+$/),
          units: count(texts, /^unit \d+$/), label: svg.getAttribute("aria-label").split(",")[0] };
      });
      assert.equal(found.label, "Nodes of GPUs");
      // Cards have a box each, or one for those of two nodes.
      assert.equal(found.nodes, wanted.gpus || wanted.nodes);
      assert.deepEqual([found.switches, found.gpus, found.units], [wanted.switches, wanted.gpus, wanted.units]);
      silent(page);
      await page.close();
    });

  // In these algorithms, the blocks of a message are one run, a run that wraps around the end of the vector,
  // many runs, or a list.
  for (const [algorithm, ...options] of [["allreduce/ring"], ["allgather/bruck"], ["alltoall/bruck"], ["gather/binomial", "--root", "3"],
    ["reduce_scatter/circulant", "--skips", "sqrt"], ["reduce_scatter/circulant", "--skips", "6,4,2,1"], ["alltoall/circulant"]])
    test(`${[algorithm, ...options].join(" ")}: messages show the blocks that they carry`, async () => {
      const words = [algorithm, "-p", "11", "-n", "11KiB", ...options];
      const page = await page_of("simulate", ...words);
      const csv = (await reader.saved(() => page.click(".schedule .exports button:first-child"))).bytes.toString().trim().split("\n");
      const at = csv[0].split(",").indexOf("blocks"), told = [];
      for (const line of csv.slice(1)) told[Number(line.split(",")[0])] = line.split(",")[at];
      const { ops } = JSON.parse(run("show", ...words, "--format", "json"));
      assert.deepEqual(told, ops.map((op) => runs_of(op.from.blocks.map((block) => block % 11))));
      // A search for a single block must find all messages that carry this block.
      for (const block of [0, 5, 10]) {
        await page.$eval(".tools .search", (field) => { field.value = ""; });
        await page.type(".tools .search", `block ${block}\n`);
        const count = ops.filter((op) => op.from.blocks.some((one) => one % 11 === block)).length;
        assert.match(await page.$eval(".found", (one) => one.textContent), new RegExp(`^block ${block}: ${count} operation`));
      }
      silent(page);
      await page.close();
    });

  test("a page of 20,000 operations on a thousand hosts is smaller than 5.1 MB", () => {
    const file = path.join(reader.folder, "large.html");
    run("report", "simulate", "alltoall/bruck", "-p", "1024", "-n", "1MiB", "--platform",
      path.join(source, "platforms/infiniband_hdr_1024.xml"), "-o", file);
    const { size } = statSync(file);
    console.log(`21,504 operations, 5,248 links: ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size < 5.1e6, `${size} bytes`);
  });

  test("sums over groups of ranks, comparisons, decisions: nothing is written to the console", async () => {
    const page = await page_of("simulate", "alltoall/pairwise", "-p", "500", "-n", "1MiB", "--and",
      "compare", "allreduce", "-p", "4,7", "-n", "1K,64K", "--and", "decide", "bcast", "-p", "4,8", "-n", "1K..1MiB*32", "--and",
      "explain", "allreduce/ring", "-p", "8", "-n", "64K", "--against", "allreduce/circulant", "--and",
      "bound", "all", "-p", "16", "-n", "1K,1MiB", "--platform", tree);
    await page.focus("canvas.diagram");
    for (const key of ["n", "n", "c", "w", "+", "0"]) await page.keyboard.press(key);
    assert.match(await page.$eval(".choice", (one) => one.textContent), /stands for\d/);
    assert.ok(!(await page.$eval("#page", (one) => one.innerText)).match(/NaN|undefined|Infinity/));
    silent(page);
    await page.close();
  });
});
