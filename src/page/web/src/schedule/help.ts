// Explains how to move in a diagram.
import { h } from "../base/dom";

const ways: [string, string][] = [
  ["wheel, + and −", "zoom in time; with Shift, the wheel and the up and down keys zoom ranks"],
  ["drag, arrow keys", "move"],
  ["Shift and drag", "zoom into a box"],
  ["0", "show the whole run"],
  ["click, N and P", "choose an operation, the next one, the previous one"],
  ["W and A", "choose the operation it waited for, or one that comes after it"],
  ["C", "choose the next operation of the critical chain"],
  ["space, comma, full stop", "play, one step back, one step forward"],
  ["Escape", "clear the choice"],
];

export function help(): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [keys, what] of ways) list.append(h("dt", {}, keys), h("dd", {}, what));
  return h("details", { class: "listed" }, h("summary", {}, "Mouse and keys"), list);
}
