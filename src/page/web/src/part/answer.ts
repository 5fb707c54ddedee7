// The summary at the top of a run: its time, the time by a formula, and what takes most of the time.
import { h } from "../base/dom";
import { factor_text, limit_text, percent_text, plural, time_text } from "../base/units";
import { type Recording, type Result, type TableData } from "../data";
import { cell_text } from "./table";

/** Returns the largest share of the critical chain. Times lost on links of the same class count together, as in the
 * text of 'tutti explain'. */
function largest_share(recording: Recording): { words: string; seconds: number } | null {
  const { explanation, network } = recording;
  if (!explanation) return null;
  const class_of = new Map(network ? network.links.map((link) => [link.name, link.group]) : explanation.links.map((link) => [link.link, link.class]));
  const shares = new Map<string, number>();
  for (const row of explanation.account) {
    const words = row.link ? `slowed by sharing ${class_of.get(row.link) || "links"}` : row.in_words;
    shares.set(words, (shares.get(words) ?? 0) + row.seconds);
  }
  return [...shares].map(([words, seconds]) => ({ words, seconds })).sort((a, b) => b.seconds - a.seconds)[0] ?? null;
}

const tile = (name: string, value: string, words: string): HTMLElement =>
  h("div", { class: "tile" }, h("p", { class: "tile-name" }, name), h("p", { class: "tile-value" }, value), h("p", { class: "tile-words" }, words));

function limit_tile({ algorithm, bound_s, of_limit }: Result, named = false, certificate = ""): HTMLElement | null {
  return typeof bound_s !== "number" || typeof of_limit !== "number" ? null
    : tile(named ? `x limit, ${algorithm}` : "x limit", limit_text(of_limit), `no schedule takes less than ${time_text(bound_s)} here${certificate && `: ${certificate}`}`);
}

/** Returns a tile for the limit of each run; null if no limit is known. */
export function limits_of_runs(results: Result[]): HTMLElement | null {
  const tiles = results.map((result) => limit_tile(result, results.length > 1)).filter((one) => one !== null);
  return tiles.length > 0 ? h("div", { class: "answer" }, ...tiles) : null;
}

/** Returns tiles for the cells in which the best algorithm is nearest to the limit, and farthest from it. A cell is a
 * number of ranks and a size. Returns null if no table has limits. */
export function limits(tables: TableData[]): HTMLElement | null {
  const best = new Map<string, { factor: number; words: string }>();
  for (const table of tables) {
    const at = (...names: string[]): number => table.columns.findIndex((column) => names.includes(column.name));
    const limit = at("x limit"), ranks = at("ranks"), size = at("size"), algorithm = at("algorithm", "best");
    if (limit < 0) continue;
    table.rows.forEach((row, i) => {
      const factor = row[limit], cell = `${table.id} ${row[ranks]} ${row[size]}`;
      if (typeof factor === "number" && factor < (best.get(cell)?.factor ?? Infinity))
        best.set(cell, { factor, words: `${cell_text(table, i, algorithm)}, ${plural(Number(row[ranks]), "rank")}, ${cell_text(table, i, size)}` });
    });
  }
  const sorted = [...best.values()].sort((a, b) => a.factor - b.factor);
  if (sorted.length === 0) return null;
  const near = sorted[0], far = sorted[sorted.length - 1];
  return h("div", { class: "answer" }, tile("x limit, where nearest", limit_text(near.factor), near.words),
    sorted.length > 1 ? tile("x limit, where farthest", limit_text(far.factor), `even with the best: ${far.words}`) : null);
}

export function answer(recording: Recording): HTMLElement {
  const { result, explanation } = recording;
  const time = typeof result.simulated_s === "number" ? result.simulated_s : recording.total_s;
  const tiles = [tile("Simulated", time_text(time), `${plural(recording.ranks, "rank")}${result.platform ? `, ${result.platform}` : ""}`)];
  const formula = typeof result.published_s === "number" ? { name: "Published formula", seconds: result.published_s }
    : typeof result.exact_s === "number" ? { name: "Exact formula", seconds: result.exact_s } : null;
  if (formula) {
    const factor = formula.seconds > 0 ? time / formula.seconds : NaN;
    tiles.push(tile(formula.name, time_text(formula.seconds), !Number.isFinite(factor) ? ""
      : Math.abs(factor - 1) < 5e-4 ? "the simulation agrees"
        : factor > 1 ? `the simulation takes ${factor < 10 ? factor.toFixed(2) : factor_text(factor)} times as long` : `the simulation takes ${percent_text(factor)} of it`));
  }
  const limit = limit_tile(result, false, explanation?.limit?.in_words);
  if (limit) tiles.push(limit);
  const most = largest_share(recording);
  if (most)
    tiles.push(tile("Largest share", percent_text(most.seconds / (explanation?.total_s || 1)), `${most.words}, ${time_text(most.seconds)} of the critical chain`));
  // Skips the improvement "sharing=off", since no hardware provides it.
  const best = explanation?.improvements?.find((one) => one.what_if !== "sharing=off");
  if (best && best.saved > 0.005) tiles.push(tile("Best single change", `−${percent_text(best.saved)}`, best.what));
  return h("div", { class: "answer" }, ...tiles);
}
