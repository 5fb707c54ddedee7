// Builds page.js and page.css from src/, in bundle/ or, with `node bundle.mjs FOLDER`, in another folder. The output
// depends only on the sources: it contains no source map, path or date.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { existsSync, readFileSync, readdirSync } from "node:fs";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(here, "bundle"));

const common = {
  absWorkingDir: here, bundle: true, minify: true, charset: "ascii", legalComments: "none",
  logLevel: "warning", target: ["es2020"],
};
/** Returns the licence notices that every copy of the packages must contain. Each notice appears once. */
function notices(packages) {
  const by_terms = new Map();
  for (const name of packages) {
    const folder = path.join(here, "node_modules", name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file && existsSync(path.join(folder, file)) ? readFileSync(path.join(folder, file), "utf8") : "";
    const holder = /^Copyright.*$/m.exec(text)?.[0] ?? "";
    const terms = text.replace(/^Copyright.*$/gm, "").trim().replace(/\s*\n\s*/g, " ");
    const said = by_terms.get(terms) ?? new Map();
    said.set(holder, [...(said.get(holder) ?? []), name]);
    by_terms.set(terms, said);
  }
  return [...by_terms].map(([terms, said]) =>
    [...[...said].map(([holder, names]) => `${names.join(", ")}: ${holder}`), terms].join("\n")).join("\n\n");
}

const script = { ...common, entryPoints: ["src/main.ts"], format: "iife", outfile: path.join(folder, "page.js"), metafile: true };
const { metafile } = await build({ ...script, write: false });
const packages = [...new Set(Object.keys(metafile.inputs)
  .map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean))].sort();
await build({ ...script, banner: { js: `/*!\n${notices(packages).replaceAll("*/", "* /")}\n*/` } });
await build({ ...common, entryPoints: ["src/page.css"], outfile: path.join(folder, "page.css") });
