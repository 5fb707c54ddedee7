// Tests that the committed src/page/web/bundle equals a new build of src/page/web/src.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../../src/page/web/", import.meta.url));

test("the bundle is up to date with its sources, and small", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tutti-bundle-"));
  try {
    execFileSync(process.execPath, [path.join(web, "bundle.mjs"), folder]);
    for (const name of ["page.js", "page.css"]) {
      const kept = readFileSync(path.join(web, "bundle", name), "utf8");
      assert.ok(kept === readFileSync(path.join(folder, name), "utf8"), `src/page/web/bundle/${name} is out of date: run src/page/web/build`);
      assert.ok(kept.length < 300e3, `${name} has ${kept.length} bytes`);
      assert.ok(!kept.includes(web), `${name} contains a path of this machine`);
      assert.ok(!/<\/script|<!--/i.test(kept), `${name} contains the end of its own element`);
      assert.ok(!/https?:\/\/(?!www\.w3\.org)/.test(kept), `${name} contains a web address`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
