// A pen with which the page draws. There are two pens, so that the same code can draw on a canvas and into an SVG file
// with real text.

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
  /** Calls `draw`. Within the box, a pen may draw the boxes and lines of `draw` without smoothing, pixel by pixel: this
   * is faster, and hard to see where they are dense. */
  dense(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const font_family = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
