// Creates the elements of the page. These functions insert data as text, never as markup.

export type Child = Node | string | number | null | undefined;
type Value = string | number | boolean | null | undefined | ((event: any) => void);
export interface Attributes { [name: string]: Value }

const svg_space = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(svg_space, tag);
  fill(element, attributes, children);
  return element;
}

/** Returns a button that calls `click`. `label` is also its tooltip. */
export function button(text: string, label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", title: label, "aria-label": label === text ? null : label, click, ...attributes }, text);
}

let counter = 0;
export function fresh_id(stem: string): string {
  return `${stem}-${++counter}`;
}
