// The summary at the top of a run: its time, the time by a formula, and what takes most of the time.
import { h } from "../base/dom";
import { factor_text, percent_text, plural, time_text } from "../base/units";
import { type Recording } from "../data";

const tile = (name: string, value: string, words: string): HTMLElement =>
  h("div", { class: "tile" }, h("p", { class: "tile-name" }, name), h("p", { class: "tile-value" }, value), h("p", { class: "tile-words" }, words));

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
  const most = explanation?.account[0];
  if (most && explanation)
    tiles.push(tile("Largest share", percent_text(most.seconds / (explanation.total_s || 1)), `${most.in_words}, ${time_text(most.seconds)} of the critical chain`));
  // Skips the improvement "sharing=off", since no hardware provides it.
  const best = explanation?.improvements?.find((one) => one.what_if !== "sharing=off");
  if (best && best.saved > 0.005) tiles.push(tile("Best single change", `−${percent_text(best.saved)}`, best.what));
  return h("div", { class: "answer" }, ...tiles);
}
