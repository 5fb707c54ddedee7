// Tests that names with markup, quotes or line breaks are shown as text and have no effect.
import test, { before, describe } from "node:test";
import assert from "node:assert/strict";
import { Reader, focus, frames, silent } from "./browser.mjs";
import { report_of } from "./make_page.mjs";
import { recording, run_part } from "./recordings.mjs";

const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'\n<b>`;
let reader;
describe("hostile names", () => {
  before(async () => { reader = await Reader.start(); });

  test("markup in names of hosts, links, programs, tables and pictures has no effect", async () => {
    const made = recording({ ranks: 8, host_name: (i) => `${evil}${i}`, title: evil });
    for (const link of made.network.links) { link.name += evil; link.place = evil; link.group = evil; }
    for (const row of made.explanation.account) row.in_words = evil;
    for (const one of made.explanation.improvements) one.what = one.what_if = evil;
    for (const link of made.explanation.links) link.link = link.place = link.class = evil;
    const run = { ...run_part(made, [evil]), source: evil, tables: [{ id: evil, title: evil, columns: [{ name: evil, unit: evil, align: "left" }], rows: [[evil]], shown: null }],
      pictures: [{ id: evil, title: evil, alt: evil, group: "why", csv: evil, narrow_svg: "", svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><text data-tip="&lt;script&gt;alert(3)&lt;/script&gt;\\name">&lt;b&gt;</text></svg>` }] };
    const page = await reader.open(report_of([run, { ...run, kind: "comparison", document: {} }], evil));
    await page.select(".tools select", "held");
    await page.focus("canvas.diagram");
    for (const key of ["n", "n", "c"]) await page.keyboard.press(key);
    await focus(page, ".network-box svg");
    for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
    await focus(page, ".picture svg");
    await page.keyboard.press("ArrowRight");
    await frames(page);
    assert.equal(await page.$eval(".tip:not([hidden])", (one) => one.textContent), "<script>alert(3)</script>\\name");
    assert.ok((await page.$eval("h1", (one) => one.textContent)).startsWith("</script><script>alert(1)"));
    assert.match(await page.$eval(".choice", (one) => one.textContent), /<script>/);
    assert.equal(await page.$$eval("body script, img, b", (all) => all.length), 2, "the data and the page's own script");
    const svg = (await reader.saved(() => page.click(".schedule .exports button:nth-child(2)")));
    assert.match(svg.name, /^[A-Za-z0-9-]+\.svg$/);
    assert.ok(!svg.bytes.toString().includes("<script"));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    silent(page);
    await page.close();
  });
});
