// Measures the time to draw a frame with 100,000 operations, and the size of a page with 20,000 operations. The time is
// printed. If TUTTI_WEB_BENCH is set, which requires an idle machine, the median time must be below 50 ms.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, silent } from "./browser.mjs";
import { page_of, report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

let reader;
describe("speed", () => {
  before(async () => { reader = await Reader.start(); });

  // Lines across the whole diagram take the longest to draw. The all-to-all has 100,000 lines only if
  // TUTTI_WEB_BENCH is set.
  for (const [algorithm, ranks] of [["ring", 183], ["alltoall", process.env.TUTTI_WEB_BENCH ? 317 : 150]]) test(`${algorithm} on ${ranks} ranks: frame times while zooming, moving and playing`, async () => {
    const made = recording({ algorithm, ranks, kind: "star" });
    const page = await reader.open(report_of([run_part(made)]), { theme: "light" });
    assert.match(await page.$eval(".said", (one) => one.textContent), algorithm === "ring" ? /zoom in for arrow heads/ : /[\d,]+ are left out; zoom in for them/);
    const times = await page.evaluate(async (frames) => {
      const canvas = document.querySelector("canvas.diagram");
      const frame = () => new Promise(requestAnimationFrame);
      const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      // Waits until the picture is drawn; otherwise queued drawing would not be measured.
      const settle = () => { copy.drawImage(canvas, 0, 0); copy.getImageData(0, 0, 1, 1); };
      const measure = async (count, change) => {
        const all = [];
        for (let i = 0; i < count; ++i) {
          change(i);
          await frame();
          await frame();
          settle();
          all.push(Number(canvas.dataset.frameMs));
        }
        return all.sort((a, b) => a - b);
      };
      canvas.focus();
      const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
      await measure(4, (i) => key(i % 2 ? "-" : "+"));
      const slider = document.querySelector(".player input");
      return {
        "the whole, moved": await measure(frames, (i) => key(i % 2 ? "ArrowLeft" : "ArrowRight")),
        "zoomed": await measure(frames, (i) => key(i < 5 ? "+" : "-")),
        "played": await measure(frames, (i) => { slider.value = String(i * 100); slider.dispatchEvent(new Event("input")); }),
      };
    }, process.env.TUTTI_WEB_BENCH ? 10 : 2);
    for (const [what, all] of Object.entries(times)) {
      const middle = all[all.length >> 1], most = all.at(-1);
      console.log(`${made.ops.kind.length.toLocaleString("en")} operations of ${algorithm}, ${what}: ${middle.toFixed(1)} ms per frame (median), from ${all[0].toFixed(1)} to ${most.toFixed(1)} ms`);
      if (process.env.TUTTI_WEB_BENCH) assert.ok(middle < 50, `${what}: ${most} ms`);
    }
    silent(page);
    await page.close();
  });

  test("a page of 20,000 operations is smaller than 5 MB", () => {
    const made = recording({ algorithm: "doubling", ranks: 1024 });
    assert.ok(made.ops.kind.length > 20000);
    const size = Buffer.byteLength(page_of(report_of([run_part(made)])));
    console.log(`${made.ops.kind.length.toLocaleString("en")} operations, ${made.network.links.length} links: ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size < 5e6, `${size} bytes`);
  });
});
