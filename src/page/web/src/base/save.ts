// Saves files for the reader.
import { h } from "./dom";

export function save_blob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function save_text(name: string, text: string, type: string): void {
  save_blob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Returns a file name that is valid in every file system. */
export function file_name(stem: string, ending: string): string {
  const clean = stem.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return `${clean || "tutti"}.${ending}`;
}

export function csv_line(cells: (string | number | null)[]): string {
  return cells.map((cell) => {
    if (cell === null) return "";
    const text = String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }).join(",") + "\n";
}

/** Saves an SVG picture as a PNG of twice its size. */
export function save_svg_as_png(name: string, svg: string, width: number, height: number, paper: string): void {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml;charset=utf-8" }));
  const image = new Image();
  image.onload = () => {
    const canvas = h("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
    const context = canvas.getContext("2d")!;
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => { if (blob) save_blob(name, blob); }, "image/png");
  };
  image.src = url;
}
