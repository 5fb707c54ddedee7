// The visible part of a run: times across, ranks down.
import { type Operations } from "./operations";

export class TimeSpan {
  from = 0;
  until: number;
  constructor(public total: number) { this.until = total; }

  set(from: number, until: number): void {
    const least = this.total * 1e-7;
    let length = Math.min(Math.max(until - from, least), this.total * 1.04);
    const middle = (from + until) / 2;
    this.from = Math.max(-0.02 * this.total, middle - length / 2);
    this.until = this.from + length;
    if (this.until > this.total * 1.02) {
      this.until = this.total * 1.02;
      this.from = this.until - length;
    }
  }
  /** Zooms in if `factor` is below 1, and out otherwise. The time `at` stays where it is. */
  zoom(factor: number, at: number): void {
    this.set(at - (at - this.from) * factor, at + (this.until - at) * factor);
  }
  pan(by: number): void { this.set(this.from + by, this.until + by); }
  whole(): void { this.set(-0.005 * this.total, this.total * 1.01); }
}

export class RowSpan {
  from = 0;
  until: number;
  constructor(public readonly rows: number) { this.until = rows; }

  set(from: number, until: number): void {
    const length = Math.min(Math.max(until - from, Math.min(2, this.rows)), this.rows);
    this.from = Math.min(Math.max(0, (from + until) / 2 - length / 2), this.rows - length);
    this.until = this.from + length;
  }
  zoom(factor: number, at: number): void {
    this.set(at - (at - this.from) * factor, at + (this.until - at) * factor);
  }
  pan(by: number): void { this.set(this.from + by, this.until + by); }
  whole(): void { this.set(0, this.rows); }
}

/** A rectangle in a drawing. */
export interface Frame { left: number; top: number; width: number; height: number }

export class Scale {
  constructor(readonly frame: Frame, readonly time: TimeSpan, readonly rows: RowSpan) {}
  x(t: number): number { return this.frame.left + ((t - this.time.from) / (this.time.until - this.time.from)) * this.frame.width; }
  /** Vertical position of the middle of a row. */
  y(row: number): number { return this.frame.top + ((row + 0.5 - this.rows.from) / (this.rows.until - this.rows.from)) * this.frame.height; }
  t(x: number): number { return this.time.from + ((x - this.frame.left) / this.frame.width) * (this.time.until - this.time.from); }
  row(y: number): number { return this.rows.from + ((y - this.frame.top) / this.frame.height) * (this.rows.until - this.rows.from); }
  get row_height(): number { return this.frame.height / (this.rows.until - this.rows.from); }
}

export const bar_height = (row_height: number): number => Math.min(14, Math.max(1, row_height * 0.5));

/** Returns the operation closest to a point, within `reach` pixels; -1 if there is none. */
export function operation_at(ops: Operations, scale: Scale, x: number, y: number, reach = 6): number {
  const bar = bar_height(scale.row_height) / 2;
  let best = -1, best_distance = reach;
  ops.within(scale.t(x - reach), scale.t(x + reach), (op) => {
    const x0 = scale.x(ops.start[op]), x1 = scale.x(ops.end[op]), y0 = scale.y(ops.src[op]);
    let distance: number;
    if (ops.kind[op] === 0) {
      const y1 = scale.y(ops.dst[op]);
      const dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length));
      distance = Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
    } else {
      const across = Math.max(0, x0 - x, x - x1), down = Math.max(0, Math.abs(y - y0) - bar);
      distance = Math.hypot(across, down);
    }
    if (ops.on_chain[op]) distance -= 0.5;
    if (distance < best_distance) { best = op; best_distance = distance; }
  });
  return best;
}
