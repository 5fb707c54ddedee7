import { font_family, type Pen, type TextStyle } from "./pen";
import { Pixels, pixel_of } from "./pixels";

/** Maximum number of lines in a path, because browsers are slow with longer paths. */
const lines_per_path = 256;

export class CanvasPen implements Pen {
  private pixels: Pixels | null = null;
  private pixel_canvas: HTMLCanvasElement | null = null;
  private dense_from: { x: number; y: number } | null = null;

  constructor(private readonly context: CanvasRenderingContext2D, public width: number, public height: number) {}

  rects(boxes: ArrayLike<number>, count: number, colour: string, alpha = 1): void {
    if (this.dense_from) {
      const pixel = pixel_of(colour, 255 * alpha);
      const { x, y } = this.dense_from;
      for (let i = 0; i < 4 * count; i += 4) this.pixels!.box(boxes[i] - x, boxes[i + 1] - y, boxes[i + 2], boxes[i + 3], pixel);
      return;
    }
    this.context.globalAlpha = alpha;
    this.context.fillStyle = colour;
    for (let i = 0; i < 4 * count; i += 4) this.context.fillRect(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
    this.context.globalAlpha = 1;
  }

  lines(ends: ArrayLike<number>, count: number, colour: string, width: number, alpha = 1): void {
    if (this.dense_from) {
      const pixel = pixel_of(colour, 255 * alpha);
      const { x, y } = this.dense_from;
      for (let i = 0; i < 4 * count; i += 4)
        this.pixels!.line(ends[i] - x, ends[i + 1] - y, ends[i + 2] - x, ends[i + 3] - y, pixel);
      return;
    }
    const context = this.context;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    for (let from = 0; from < count; from += lines_per_path) {
      context.beginPath();
      for (let i = 4 * from; i < 4 * Math.min(count, from + lines_per_path); i += 4) {
        context.moveTo(ends[i], ends[i + 1]);
        context.lineTo(ends[i + 2], ends[i + 3]);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  triangles(corners: ArrayLike<number>, count: number, colour: string, alpha = 1): void {
    const context = this.context;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.beginPath();
    for (let i = 0; i < 6 * count; i += 6) {
      context.moveTo(corners[i], corners[i + 1]);
      context.lineTo(corners[i + 2], corners[i + 3]);
      context.lineTo(corners[i + 4], corners[i + 5]);
      context.closePath();
    }
    context.fill();
    context.globalAlpha = 1;
  }

  circle(x: number, y: number, radius: number, colour: string, rim?: string): void {
    const context = this.context;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    if (rim) {
      context.strokeStyle = rim;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const context = this.context;
    context.font = `${style.bold ? "600 " : ""}${style.size ?? 12}px ${font_family}`;
    context.textAlign = style.align ?? "left";
    context.textBaseline = "middle";
    if (style.halo) {
      context.strokeStyle = style.halo;
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeText(text, x, y);
    }
    context.fillStyle = style.colour;
    context.fillText(text, x, y);
  }

  text_width(text: string, size: number): number {
    this.context.font = `${size}px ${font_family}`;
    return this.context.measureText(text).width;
  }

  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  dense(x: number, y: number, width: number, height: number, draw: () => void): void {
    const w = Math.max(1, Math.ceil(width)), h = Math.max(1, Math.ceil(height));
    if (!this.pixels || this.pixels.width !== w || this.pixels.height !== h) {
      this.pixels = new Pixels(w, h);
      this.pixel_canvas = document.createElement("canvas");
      this.pixel_canvas.width = w;
      this.pixel_canvas.height = h;
    } else {
      this.pixels.clear();
    }
    this.dense_from = { x, y };
    try { draw(); } finally { this.dense_from = null; }
    this.pixel_canvas!.getContext("2d")!.putImageData(this.pixels.image, 0, 0);
    this.context.drawImage(this.pixel_canvas!, x, y, w, h);
  }
}
