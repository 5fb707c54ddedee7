// A bitmap into which a hundred thousand lines and boxes can be drawn in a few milliseconds.

/** Converts "#rrggbb" and an opacity of 0 to 255 to a pixel of a canvas. */
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

  /** Draws one pixel per column of a flat line, or one per row of a steep line. Where lines of one colour overlap, the
   * opacity increases. */
  line(x0: number, y0: number, x1: number, y1: number, pixel: number): void {
    const { width, height, words } = this;
    const dx = x1 - x0, dy = y1 - y0;
    const longer = Math.max(Math.abs(dx), Math.abs(dy));
    const steps = longer < 1 ? 1 : Math.ceil(longer) | 0;
    const colour = pixel & 0xffffff, alpha = pixel >>> 24;
    // Fixed-point numbers with 16 fractional bits are precise enough for screens, and integers are fast.
    const step_x = Math.round((dx / steps) * 65536) | 0, step_y = Math.round((dy / steps) * 65536) | 0;
    let x = Math.floor(x0 * 65536) | 0, y = Math.floor(y0 * 65536) | 0;
    for (let i = 0; i <= steps; ++i) {
      const px = x >> 16, py = y >> 16;
      if (px >= 0 && py >= 0 && px < width && py < height) {
        const at = py * width + px, old = words[at] | 0;
        let strength = alpha;
        if ((old & 0xffffff) === colour) {
          strength = (old >>> 24) + 18;
          if (strength < alpha) strength = alpha;
          else if (strength > 255) strength = 255;
        }
        words[at] = (strength << 24) | colour;
      }
      x = (x + step_x) | 0;
      y = (y + step_y) | 0;
    }
  }
}
