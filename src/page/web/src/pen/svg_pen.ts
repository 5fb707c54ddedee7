import { font_family, type Pen, type TextStyle } from "./pen";

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!)
    // XML does not allow most control characters.
    .replace(/[\u0000-\u001f]/g, " ");
const short = (value: number): string => String(Math.round(value * 10) / 10);
const opacity = (alpha: number | undefined, what: string): string =>
  alpha === undefined || alpha >= 1 ? "" : ` ${what}-opacity="${alpha}"`;

export class SvgPen implements Pen {
  private readonly out: string[] = [];
  private clips = 0;

  constructor(public readonly width: number, public readonly height: number,
    private readonly title: string, private readonly paper: string) {}

  /** Boxes of one colour form a single path, so that a file of 100,000 operations stays small. */
  rects(boxes: ArrayLike<number>, count: number, colour: string, alpha?: number): void {
    if (count === 0) return;
    const path: string[] = [];
    for (let i = 0; i < 4 * count; i += 4)
      path.push(`M${short(boxes[i])} ${short(boxes[i + 1])}h${short(boxes[i + 2])}v${short(boxes[i + 3])}h${short(-boxes[i + 2])}z`);
    this.out.push(`<path fill="${colour}"${opacity(alpha, "fill")} d="${path.join("")}"/>`);
  }

  lines(ends: ArrayLike<number>, count: number, colour: string, width: number, alpha?: number): void {
    if (count === 0) return;
    const path: string[] = [];
    for (let i = 0; i < 4 * count; i += 4)
      path.push(`M${short(ends[i])} ${short(ends[i + 1])}L${short(ends[i + 2])} ${short(ends[i + 3])}`);
    this.out.push(`<path fill="none" stroke="${colour}" stroke-width="${width}"${opacity(alpha, "stroke")} d="${path.join("")}"/>`);
  }

  triangles(corners: ArrayLike<number>, count: number, colour: string, alpha?: number): void {
    if (count === 0) return;
    const path: string[] = [];
    for (let i = 0; i < 6 * count; i += 6)
      path.push(`M${short(corners[i])} ${short(corners[i + 1])}L${short(corners[i + 2])} ${short(corners[i + 3])}L${short(corners[i + 4])} ${short(corners[i + 5])}z`);
    this.out.push(`<path fill="${colour}"${opacity(alpha, "fill")} d="${path.join("")}"/>`);
  }

  circle(x: number, y: number, radius: number, colour: string, rim?: string): void {
    this.out.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="${colour}"${rim ? ` stroke="${rim}" stroke-width="1.5"` : ""}/>`);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const anchor = { left: "start", center: "middle", right: "end" }[style.align ?? "left"];
    const halo = style.halo ? ` stroke="${style.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
    this.out.push(`<text x="${short(x)}" y="${short(y)}" dy="0.35em" text-anchor="${anchor}" font-size="${style.size ?? 12}"${style.bold ? ' font-weight="600"' : ""} fill="${style.colour}"${halo}>${escaped(text)}</text>`);
  }

  text_width(text: string, size: number): number { return 0.56 * size * text.length; }

  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    const id = `clip${++this.clips}`;
    this.out.push(`<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.out.push("</g>");
  }

  dense(_x: number, _y: number, _width: number, _height: number, draw: () => void): void { draw(); }

  finished(): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" font-family="${font_family}" role="img">` +
      `<title>${escaped(this.title)}</title><rect width="100%" height="100%" fill="${this.paper}"/>${this.out.join("\n")}</svg>\n`;
  }
}
