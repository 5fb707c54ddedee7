// A pen for drawings. The drawing code exists only once: one pen draws on a canvas, another into an SVG file with
// real text.

export interface TextStyle {
  colour: string; size?: number; align?: "left" | "center" | "right"; bold?: boolean; halo?: string;
}

export interface Pen {
  readonly width: number;
  readonly height: number;
  /** Filled boxes: four numbers each (left, top, width, height). */
  rects(boxes: ArrayLike<number>, count: number, colour: string, alpha?: number): void;
  /** Lines: four numbers each (x and y of both ends). */
  lines(ends: ArrayLike<number>, count: number, colour: string, width: number, alpha?: number): void;
  /** Triangles: six numbers each. */
  triangles(corners: ArrayLike<number>, count: number, colour: string, alpha?: number): void;
  circle(x: number, y: number, radius: number, colour: string, rim?: string): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  text_width(text: string, size: number): number;
  /** Clips what `draw` draws to the box. */
  clipped(x: number, y: number, width: number, height: number, draw: () => void): void;
  /** Calls `draw`. A pen may show the boxes and lines of `draw` as single pixels, which are enough for large numbers
   * of them. */
  dense(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const font_family = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
