// All elements are created by these functions: data becomes text, never markup.

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

/** A button with an action; its label is also its tip. */
export function button(text: string, label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", title: label, "aria-label": label === text ? null : label, click, ...attributes }, text);
}

let counter = 0;
export function fresh_id(stem: string): string {
  return `${stem}-${++counter}`;
}
