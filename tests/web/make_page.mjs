// Makes a page as `tutti report` does: the page contains the bundle, and the caller's data as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const bundle = fileURLToPath(new URL("../../src/page/web/bundle/", import.meta.url));
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
/** Rounds numbers to eight digits, because further digits make no visible difference. */
const short = (_, value) => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(8)) : value);

export function page_of(report) {
  const script = readFileSync(path.join(bundle, "page.js"), "utf8"), style = readFileSync(path.join(bundle, "page.css"), "utf8");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>${escaped(report.title)}</title><style>${style}</style></head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="tutti-data">${JSON.stringify(report, short).replaceAll("<", "\\u003c")}</script>
<script>${script}</script></body></html>
`;
}

export function report_of(parts, title = "tutti report") {
  return { schema: "tutti-report/1", title, made_by: "tutti 0.1.0 (build test)", parts };
}

export function write_page(file, report) {
  writeFileSync(file, page_of(report));
  return file;
}
