// The search field: brings a rank into view, follows a block, or chooses operations one after another. If two runs are
// shown, it searches both.
import { h } from "../base/dom";
import { type Diagram } from "./diagram";
import { search } from "./search";

export interface Finder { field: HTMLElement; said: HTMLElement; forget: () => void }

export function finder(diagrams: () => Diagram[], follow: (block: number) => void): Finder {
  const said = h("output", { class: "found", "aria-live": "polite" });
  let found_for = "", found: { diagram: Diagram; op: number }[] = [], at = 0, words = "";
  const forget = (): void => { found_for = ""; found = []; said.textContent = ""; };
  const find = (): void => {
    const text = field.value;
    if (text.trim() === "") { forget(); return; }
    if (text === found_for && found.length > 0) at = (at + 1) % found.length;
    else {
      const results = diagrams().map((diagram) => ({ diagram, result: search(diagram.ops, text) }));
      found_for = text;
      at = 0;
      const alike = results.every(({ result }) => result.text === results[0].result.text);
      words = alike ? results[0].result.text : results.map(({ result }, i) => `${i === 0 ? "above" : "below"}: ${result.text}`).join("; ");
      found = [];
      for (const { diagram, result } of results) {
        if (result.what === "rank") { diagram.rows.set(result.row - 3, result.row + 4); diagram.draw_soon(); }
        if (result.what === "block") follow(result.block);
        if (result.what === "ops" || result.what === "block") for (const op of result.ops) found.push({ diagram, op });
      }
    }
    if (found.length > 0) found[at].diagram.choose(found[at].op, true);
    said.textContent = found.length > 1 ? `${words} (${at + 1}; Enter: the next)` : words;
  };
  const field = h("input", { type: "search", placeholder: "rank 3, block 5, 0 -> 4", class: "search",
    keydown: (event: KeyboardEvent) => { if (event.key === "Enter") { event.preventDefault(); find(); } },
    input: () => { if (field.value === "") forget(); } });
  return { field, said, forget };
}
