// The theme: light, dark, or that of the reader's system. Canvases take their colours from the style sheet, so that
// both themes are defined in one place.

export type Choice = "auto" | "light" | "dark";

export interface Palette {
  paper: string; panel: string; ink: string; muted: string; grid: string; accent: string; chain: string;
  wait: string; good: string; bad: string;
  series: string[];      // colours for things without an order
  kinds: string[];       // colours of messages, reductions and copies
  scale: string[];       // colours of loads, light to strong
  ramp: string[];        // colours for ordered things: rounds and blocks
}

const listeners: (() => void)[] = [];
let forced_light = false;
let known: Palette | null = null;

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const several = (stem: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => value(`${stem}${i}`));
  return {
    paper: value("paper"), panel: value("panel"), ink: value("ink"), muted: value("muted"), grid: value("grid"),
    accent: value("accent"), chain: value("chain"), wait: value("wait"), good: value("good"), bad: value("bad"),
    series: several("s", 10), kinds: several("k", 3), scale: several("q", 9), ramp: several("r", 7),
  };
}

export function palette(): Palette {
  return known ??= read();
}

export function on_theme(listener: () => void): void {
  listeners.push(listener);
}

function changed(): void {
  known = null;
  for (const listener of listeners) listener();
}

function stored(): Choice {
  try {
    const value = localStorage.getItem("tutti-theme");
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto";      // pages opened from file:// may have no storage
  }
}

export function choice(): Choice {
  return (document.documentElement.dataset.theme as Choice | undefined) ?? "auto";
}

export function choose(theme: Choice): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("tutti-theme", theme); } catch { /* without storage, the choice is not kept */ }
  changed();
}

/** Redraws canvases with the light theme for printing, and with the reader's theme afterwards. */
function for_print(on: boolean): void {
  if (forced_light === on) return;
  forced_light = on;
  document.documentElement.classList.toggle("printing", on);
  changed();
}

export function start_theme(): void {
  const theme = stored();
  if (theme !== "auto") document.documentElement.dataset.theme = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  addEventListener("beforeprint", () => for_print(true));
  addEventListener("afterprint", () => for_print(false));
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
