// Shows the page's only tooltip beside the pointer or the focused element.
import { h } from "./dom";

let tip: HTMLElement | null = null;

export function show_tip(text: string, x: number, y: number): void {
  if (!tip) document.body.append(tip = h("div", { class: "tip", role: "tooltip" }));
  if (tip.textContent !== text) tip.textContent = text;
  tip.hidden = false;
  const wide = tip.offsetWidth, tall = tip.offsetHeight;
  const left = x + 14 + wide > innerWidth - 4 ? Math.max(4, x - wide - 12) : x + 14;
  const top = y + 16 + tall > innerHeight - 4 ? Math.max(4, y - tall - 12) : y + 16;
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

export function hide_tip(): void {
  if (tip) tip.hidden = true;
}
