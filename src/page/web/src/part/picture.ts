// Shows an SVG picture, with tooltips for the pointer and the keyboard, series that can be hidden, and buttons that
// save the picture as a file.
import { h, s, button, fresh_id } from "../base/dom";
import { file_name, save_svg_as_png, save_text } from "../base/save";
import { palette } from "../base/theme";
import { hide_tip, show_tip } from "../base/tip";
import { type Picture } from "../data";

/** Returns the page's CSS rules for pictures, with the colours of the current theme. */
function picture_rules(): string {
  const root = getComputedStyle(document.documentElement);
  const rules: string[] = [];
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSStyleRule && rule.selectorText.startsWith(".svg-box ") && rule.selectorText !== ".svg-box svg")
        rules.push(rule.cssText.replace(/\.svg-box /g, "").replace(/var\((--\w+)\)/g, (_, name: string) => root.getPropertyValue(name).trim()));
  return rules.join("\n");
}

/** Returns the picture as a self-contained file. */
function file_of(svg: SVGSVGElement): { text: string; width: number; height: number } {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const view = (copy.getAttribute("viewBox") ?? "0 0 800 500").split(/[ ,]+/).map(Number);
  copy.prepend(s("style", {}, picture_rules()), s("rect", { class: "paper", x: view[0], y: view[1], width: view[2], height: view[3] }));
  copy.removeAttribute("tabindex");
  for (const one of copy.querySelectorAll(".tipped, .dimmed")) one.classList.remove("tipped", "dimmed");
  copy.removeAttribute("style");
  copy.setAttribute("width", String(view[2]));
  copy.setAttribute("height", String(view[3]));
  return { text: new XMLSerializer().serializeToString(copy) + "\n", width: view[2], height: view[3] };
}

/** Shows tooltips. Arrow keys move from one element with a tooltip to the next; the Tab key stops only at the picture
 * itself. */
function tips(svg: SVGSVGElement, told: HTMLElement): void {
  const elements = [...svg.querySelectorAll<SVGElement>("[data-tip]")];
  const text_of = (element: Element): string => element.getAttribute("data-tip") ?? "";
  let at = -1;
  const leave = (): void => { svg.querySelector(".tipped")?.classList.remove("tipped"); };
  svg.addEventListener("pointermove", (event) => {
    const element = (event.target as Element).closest("[data-tip]");
    if (element) show_tip(text_of(element), event.clientX, event.clientY); else hide_tip();
  });
  svg.addEventListener("pointerleave", hide_tip);
  if (elements.length === 0) return;
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const step: { [key: string]: number } = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (event.key === "Escape") { leave(); hide_tip(); at = -1; return; }
    if (!(event.key in step)) return;
    event.preventDefault();
    leave();
    at = Math.min(elements.length - 1, Math.max(0, at < 0 ? (step[event.key] < 0 ? elements.length - 1 : 0) : at + step[event.key]));
    const element = elements[at];
    element.classList.add("tipped");
    const box = element.getBoundingClientRect();
    show_tip(text_of(element), box.left + box.width / 2, box.top + box.height / 2);
    told.textContent = text_of(element);
  });
  svg.addEventListener("blur", () => { leave(); hide_tip(); });
}

/** Lets the reader point at a series to dim all other series, and click its label to hide it. Returns buttons that do
 * the same. */
function series(svg: SVGSVGElement): HTMLElement | null {
  const groups = [...svg.querySelectorAll<SVGGElement>("[data-series]")];
  const names = [...new Set(groups.map((group) => group.getAttribute("data-series")!))];
  if (names.length === 0) return null;
  const dim = (name: string | null): void => {
    for (const group of groups) group.classList.toggle("dimmed", name !== null && group.getAttribute("data-series") !== name);
  };
  const off = new Set<string>();
  const buttons = new Map<string, HTMLButtonElement>();
  const toggle = (name: string): void => {
    if (!off.delete(name)) off.add(name);
    for (const group of groups) group.classList.toggle("off", off.has(group.getAttribute("data-series")!));
    buttons.get(name)?.setAttribute("aria-pressed", String(!off.has(name)));
  };
  for (const group of groups) {
    const name = group.getAttribute("data-series")!;
    group.addEventListener("pointerenter", () => dim(name));
    group.addEventListener("pointerleave", () => dim(null));
    for (const label of group.querySelectorAll("text")) {
      label.classList.add("pressable");
      label.addEventListener("click", () => toggle(name));
    }
  }
  for (const name of names)
    buttons.set(name, h("button", { type: "button", "aria-pressed": "true", click: () => toggle(name),
      pointerenter: () => dim(name), pointerleave: () => dim(null), focus: () => dim(name), blur: () => dim(null) }, name));
  return h("div", { class: "series", role: "group", "aria-label": "Curves that are shown" }, ...buttons.values());
}

/** Shows the picture in the form that suits the screen: charts have a narrow form for phones. */
export function picture_view(picture: Picture): HTMLElement {
  const title = fresh_id("picture");
  const figure = h("figure", { class: picture.narrow_svg ? "picture" : "picture wide-only", "aria-labelledby": title });
  const narrow = matchMedia("screen and (max-width: 700px)");
  const fill = (): void => {
    figure.replaceChildren(...contents_of(picture, picture.narrow_svg && narrow.matches ? picture.narrow_svg : picture.svg, title));
  };
  fill();
  if (picture.narrow_svg) narrow.addEventListener("change", fill);
  return figure;
}

function contents_of(picture: Picture, text: string, title: string): HTMLElement[] {
  // This is the only place that inserts markup unchanged. tutti created the markup, and escaped all data in it.
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const told = h("p", { class: "hidden", "aria-live": "polite" });
  if (!(parsed instanceof SVGSVGElement))
    return [h("figcaption", { id: title }, `${picture.title}: the picture cannot be read`)];
  const svg = document.importNode(parsed, true);
  for (const style of [...svg.querySelectorAll("style")]) style.remove();  // the page's style sheet has both themes
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", picture.alt || picture.title);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const view = (svg.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
  if (view.length === 4) svg.style.maxWidth = `${Math.round(view[2] * 1.25)}px`;
  tips(svg, told);
  // Many pictures contain their title, which need not be read twice.
  const titled = [...svg.querySelectorAll("text")].some((text) => text.textContent?.trim() === picture.title.trim());
  return [
    h("figcaption", { id: title, class: titled ? "hidden" : null }, h("h4", {}, picture.title)),
    h("div", { class: "svg-box" }, svg),
    h("div", { class: "legend-row" }, series(svg),
      h("span", { class: "buttons exports" },
        button("SVG", `${picture.title} as SVG`, () => save_text(file_name(picture.id, "svg"), file_of(svg).text, "image/svg+xml")),
        button("PNG", `${picture.title} as PNG`, () => {
          const file = file_of(svg);
          save_svg_as_png(file_name(picture.id, "png"), file.text, file.width, file.height, palette().paper);
        }),
        picture.csv ? button("CSV", `The data of ${picture.title}`, () => save_text(file_name(picture.id, "csv"), picture.csv, "text/csv")) : null)),
    told];
}
