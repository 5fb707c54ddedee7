// Explains how to move in a diagram.
import { h } from "../base/dom";

const ways: [string, string][] = [
  ["wheel, + and −", "zoom in time; with Shift the wheel zooms ranks, as Shift with up and down does"],
  ["drag, arrow keys", "move"],
  ["Shift and drag", "a box to zoom into"],
  ["0", "the whole run"],
  ["click, N and P", "choose an operation, the next, the one before"],
  ["W and A", "what it waited for, and what comes after it"],
  ["C", "the next one of the critical chain"],
  ["space, comma, point", "play, one step back, one step on"],
  ["Escape", "choose none"],
];

export function help(): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [keys, what] of ways) list.append(h("dt", {}, keys), h("dd", {}, what));
  return h("details", { class: "listed" }, h("summary", {}, "Mouse and keys"), list);
}
