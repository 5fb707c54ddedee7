// Makes bundle/page.js and bundle/page.css of src/, or in another folder: node bundle.mjs FOLDER.
// The same sources give the same bytes wherever they lie: no source map, no path, no date.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(here, "bundle"));

const common = {
  absWorkingDir: here, bundle: true, minify: true, charset: "ascii", legalComments: "none",
  logLevel: "warning", target: ["es2020"],
};
await build({ ...common, entryPoints: ["src/main.ts"], format: "iife", outfile: path.join(folder, "page.js") });
await build({ ...common, entryPoints: ["src/page.css"], outfile: path.join(folder, "page.css") });
