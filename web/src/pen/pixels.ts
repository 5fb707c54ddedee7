// A picture of single pixels: a hundred thousand lines and boxes in some milliseconds, each of them drawn.

/** "#rrggbb" as a canvas's pixels have it, with an opacity of 0 to 255. */
export function pixel_of(colour: string, alpha: number): number {
  const value = parseInt(colour.slice(1, 7), 16);
  const red = (value >> 16) & 255, green = (value >> 8) & 255, blue = value & 255;
  return ((Math.round(alpha) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export class Pixels {
  readonly image: ImageData;
  private readonly words: Uint32Array;

  constructor(readonly width: number, readonly height: number) {
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
  }

  clear(): void { this.words.fill(0); }

  box(left: number, top: number, width: number, height: number, pixel: number): void {
    const x0 = Math.max(0, Math.floor(left)), y0 = Math.max(0, Math.floor(top));
    const x1 = Math.min(this.width, Math.max(x0 + 1, Math.round(left + width)));
    const y1 = Math.min(this.height, Math.max(y0 + 1, Math.round(top + height)));
    for (let y = y0; y < y1; ++y) {
      const row = y * this.width;
      for (let x = x0; x < x1; ++x) this.words[row + x] = pixel;
    }
  }

  /** One pixel for each step along the longer side. */
  line(x0: number, y0: number, x1: number, y1: number, pixel: number): void {
    const { width, height, words } = this;
    const dx = x1 - x0, dy = y1 - y0;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy))));
    const step_x = dx / steps, step_y = dy / steps;
    const colour = pixel & 0xffffff, more = 0x12000000;
    let x = x0, y = y0;
    for (let i = 0; i <= steps; ++i) {
      if (x >= 0 && y >= 0 && x < width && y < height) {
        const at = (y | 0) * width + (x | 0), old = words[at];
        // Lines of one colour that lie on each other are stronger together.
        words[at] = old >>> 0 >= pixel && (old & 0xffffff) === colour ? Math.min(old + more, 0xff000000 + colour) : pixel;
      }
      x += step_x;
      y += step_y;
    }
  }
}
