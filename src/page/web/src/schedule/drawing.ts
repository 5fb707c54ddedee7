// Draws the space-time diagram, with ranks down and time across. Messages are arrows, local work is bars, and waiting
// is light bars.
import { scaleLinear } from "d3-scale";
import { type Palette } from "../base/theme";
import { time_unit } from "../base/units";
import { type Pen } from "../pen/pen";
import { type Classes } from "./colours";
import { message, type Operations } from "./operations";
import { Lists, type Numbers } from "./lists";
import { type Moment } from "./moment";
import { thin } from "./thinning";
import { bar_height, type Frame, Scale, type RowSpan, type TimeSpan } from "./view";

export interface Scene {
  ops: Operations; time: TimeSpan; rows: RowSpan; classes: Classes; palette: Palette;
  follow: number;          // block to follow; -1: none
  moment: Moment;
  show_chain: boolean;
  show_waiting: boolean;
}

/** `seen`: number of operations in view; `left_out`: number of messages that are not drawn, because other messages
 * represent them. */
export interface Drawn { seen: number; dense: boolean; left_out: number }

/** With more operations in view than this, they are drawn by Pen.dense. */
const most_fine = 2500;
const most_heads = 1500;
const faded = 0.13;

export function frame_of(pen: { width: number; height: number }, ops: Operations): Frame {
  const digits = Math.max(2, ops.row_name(Math.max(0, ops.rows - 1)).length);
  const left = Math.max(44, 18 + 8 * digits);
  return { left, top: 6, width: Math.max(10, pen.width - left - 10), height: Math.max(10, pen.height - 34) };
}

const strong_lines = new Lists(), faint_lines = new Lists(), strong_bars = new Lists(), faint_bars = new Lists();
const waits = new Lists();

function axes(pen: Pen, scene: Scene, scale: Scale): void {
  const { palette, ops } = scene;
  const { left, top, width, height } = scale.frame;
  const bottom = top + height;
  const unit = time_unit(Math.min(scene.time.total, scene.time.until));
  const ticks = scaleLinear([scene.time.from * unit.factor, scene.time.until * unit.factor], [left, left + width]);
  const values = ticks.ticks(Math.max(2, Math.floor(width / 110)));
  const name = ticks.tickFormat(Math.max(2, Math.floor(width / 110)));
  const grid: number[] = [];
  for (const value of values) {
    const x = ticks(value);
    if (value < 0) continue;
    grid.push(x, top, x, bottom);
    pen.text(x, bottom + 14, name(value) + (value === values[values.length - 1] ? ` ${unit.name}` : ""),
      { colour: palette.muted, size: 11, align: x > left + width - 24 ? "right" : "center" });
  }
  pen.lines(grid, grid.length / 4, palette.grid, 1);

  const every = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].find((step) => step * scale.row_height >= 13) ?? 8192;
  const lines: number[] = [];
  for (let row = Math.ceil(Math.max(0, scale.rows.from - 0.5) / every) * every; row < Math.min(ops.rows, scale.rows.until + 0.5); row += every) {
    const y = scale.y(row);
    if (y < top - 1 || y > bottom + 1) continue;
    lines.push(left, y, left + width, y);
    if (y >= top - 1 && y <= bottom + 1)
      pen.text(left - 7, y, ops.row_name(row), { colour: palette.muted, size: 11, align: "right" });
  }
  pen.lines(lines, lines.length / 4, palette.grid, 1, 0.8);
}

function is_faded(scene: Scene, op: number): boolean {
  const { ops, moment, follow } = scene;
  if (moment.t !== null) {
    if (moment.by === "round" ? ops.round[op] > moment.round : ops.start[op] > moment.t) return true;
    if (moment.by === "round" && follow < 0 && ops.round[op] < moment.round) return true;
  }
  return follow >= 0 && !ops.blocks.has(op, follow);
}

/** Fills the lists of lines, bars and waits to draw. Returns the number of operations in view. */
function collect(scene: Scene, scale: Scale): number {
  const { ops, time, rows } = scene;
  const of_class = scene.classes.of_op;
  const bar = bar_height(scale.row_height);
  const left = scale.frame.left - 2, right = scale.frame.left + scale.frame.width + 2;
  const above = scale.frame.top - 2, below = scale.frame.top + scale.frame.height + 2;
  for (const store of [strong_lines, faint_lines, strong_bars, faint_bars, waits]) store.clear();
  const x_factor = scale.frame.width / (time.until - time.from);
  const row_height = scale.row_height;
  const y_first = scale.frame.top + (0.5 - rows.from) * row_height;
  const x_first = scale.frame.left - time.from * x_factor;
  let seen = 0;
  ops.within(time.from, time.until, (op) => {
    const a = ops.src[op], b = ops.dst[op];
    const low = a < b ? a : b, high = a < b ? b : a;
    if (high + 1 < rows.from || low > rows.until) return;
    ++seen;
    const x0 = x_first + ops.start[op] * x_factor, x1 = x_first + ops.end[op] * x_factor;
    const y0 = y_first + a * row_height;
    const faint = is_faded(scene, op);
    if (scene.show_waiting && !faint && ops.ready[op] < ops.start[op]) {
      const w0 = Math.max(left, x_first + ops.ready[op] * x_factor);
      if (x0 - w0 > 0.5) waits.list(0).push4(w0, y0 - bar / 4, Math.min(right, x0) - w0, Math.max(1, bar / 2), op);
    }
    if (x0 > right) return;      // the operation waits in view, but starts to the right of the frame
    if (ops.kind[op] === message) {
      const y1 = y_first + b * row_height;
      // Cuts lines off at the frame, since pens would draw along their whole length.
      let ax = x0, ay = y0, bx = x1, by = y1;
      if (ax < left) { ay += ((left - ax) * (by - ay)) / (bx - ax); ax = left; }
      if (bx > right) { by = ay + ((right - ax) * (by - ay)) / (bx - ax); bx = right; }
      const lower = by > ay ? ay : by, upper = by > ay ? by : ay;
      if (lower < above || upper > below) {
        const slope = (bx - ax) / (by - ay);
        if (ay < above) { ax += (above - ay) * slope; ay = above; } else if (ay > below) { ax += (below - ay) * slope; ay = below; }
        if (by < above) { bx += (above - by) * slope; by = above; } else if (by > below) { bx += (below - by) * slope; by = below; }
      }
      (faint ? faint_lines : strong_lines).list(of_class[op]).push4(ax, ay, bx, by, op);
    } else {
      const from = Math.max(left, x0), until = Math.min(right, x1);
      (faint ? faint_bars : strong_bars).list(of_class[op]).push4(from, y0 - bar / 2, Math.max(until - from, 0.5), bar, op);
    }
  });
  return seen;
}

function heads(pen: Pen, list: Numbers, colour: string, alpha: number, size: number, frame: Frame): void {
  const right = frame.left + frame.width, top = frame.top, bottom = frame.top + frame.height;
  const corners = new Float32Array((list.length / 4) * 6);
  let count = 0;
  for (let i = 0; i < list.length; i += 4) {
    const [x0, y0, x1, y1] = [list.values[i], list.values[i + 1], list.values[i + 2], list.values[i + 3]];
    const length = Math.hypot(x1 - x0, y1 - y0);
    if (length < 2 * size || x1 >= right || y1 < top || y1 > bottom) continue;
    const ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    corners.set([x1, y1, x1 - ux * size - uy * size * 0.4, y1 - uy * size + ux * size * 0.4,
      x1 - ux * size + uy * size * 0.4, y1 - uy * size - ux * size * 0.4], 6 * count++);
  }
  pen.triangles(corners, count, colour, alpha);
}

function chain(pen: Pen, scene: Scene, scale: Scale, dense: boolean): void {
  const { ops, palette } = scene;
  const lines: number[] = [], bars: number[] = [];
  const bar = Math.max(3, bar_height(scale.row_height) * 0.7);
  let before = -1;
  for (const op of ops.recording.chain) {
    const x0 = scale.x(ops.start[op]), x1 = scale.x(ops.end[op]), y0 = scale.y(ops.src[op]);
    // Waiting between two operations is drawn along the rank that they share.
    if (before >= 0 && ops.start[op] > ops.end[before])
      lines.push(scale.x(ops.end[before]), y0, x0, y0);
    if (ops.kind[op] === message) lines.push(x0, y0, x1, scale.y(ops.dst[op]));
    else if (x1 > x0) bars.push(x0, y0 - bar / 2, x1 - x0, bar);
    before = op;
  }
  const width = dense ? 2.2 : 2.6;
  pen.lines(lines, lines.length / 4, palette.paper, width + 2.4, 0.85);
  pen.rects(bars, bars.length / 4, palette.chain, 0.9);
  pen.lines(lines, lines.length / 4, palette.chain, width);
}

export function draw_diagram(pen: Pen, scene: Scene): Drawn {
  const { ops, palette } = scene;
  const frame = frame_of(pen, ops);
  const scale = new Scale(frame, scene.time, scene.rows);
  const colours = scene.classes.colours(palette);
  axes(pen, scene, scale);
  const seen = collect(scene, scale);
  const dense = seen > most_fine;
  const left_out = dense ? thin([strong_lines, faint_lines]) : 0;
  const draw_all = (): void => {
    waits.each((list) => pen.rects(list.values, list.length / 4, palette.wait, 0.8));
    faint_bars.each((list, c) => pen.rects(list.values, list.length / 4, colours[c], faded));
    faint_lines.each((list, c) => pen.lines(list.values, list.length / 4, colours[c], 1, faded));
    strong_bars.each((list, c) => pen.rects(list.values, list.length / 4, colours[c], 0.9));
    const width = dense ? 0.6 : seen > 600 ? 1 : 1.4;
    strong_lines.each((list, c) => pen.lines(list.values, list.length / 4, colours[c], width, dense ? 0.55 : 1));
  };
  pen.clipped(frame.left, frame.top, frame.width, frame.height, () => {
    if (dense) pen.dense(frame.left, frame.top, frame.width, frame.height, draw_all);
    else draw_all();
    if (seen <= most_heads && scale.row_height >= 5) {
      const size = Math.min(8, Math.max(4, scale.row_height * 0.4));
      strong_lines.each((list, c) => heads(pen, list, colours[c], 1, size, frame));
    }
    if (scene.show_chain && scene.moment.t === null) chain(pen, scene, scale, dense);
  });
  return { seen, dense, left_out };
}

/** Draws what often changes: the operations that are chosen or pointed at, the moment, and messages in transit. */
export function draw_above(pen: Pen, scene: Scene, chosen: number, hovered: number, box: Frame | null): void {
  const { ops, palette, moment } = scene;
  const frame = frame_of(pen, ops);
  const scale = new Scale(frame, scene.time, scene.rows);
  pen.clipped(frame.left, frame.top, frame.width, frame.height, () => {
    for (const op of hovered === chosen ? [chosen] : [hovered, chosen]) {
      if (op < 0 || op >= ops.count) continue;
      const x0 = scale.x(ops.start[op]), x1 = scale.x(ops.end[op]), y0 = scale.y(ops.src[op]);
      if (ops.ready[op] < ops.start[op]) pen.lines([scale.x(ops.ready[op]), y0, x0, y0], 1, palette.wait, 4);
      if (ops.kind[op] === message) {
        const ends = [x0, y0, x1, scale.y(ops.dst[op])];
        pen.lines(ends, 1, palette.paper, 6, 0.9);
        pen.lines(ends, 1, palette.ink, op === chosen ? 3.2 : 2.2);
        pen.circle(x0, y0, 3.5, palette.ink, palette.paper);
        pen.circle(x1, ends[3], 3.5, palette.ink, palette.paper);
      } else {
        const bar = bar_height(scale.row_height) + 4;
        pen.rects([x0 - 2, y0 - bar / 2, Math.max(4, x1 - x0 + 4), bar], 1, palette.ink);
      }
    }
    if (moment.t !== null) {
      if (moment.by === "time") {
        const x = scale.x(moment.t);
        pen.lines([x, frame.top, x, frame.top + frame.height], 1, palette.ink, 1.5);
        let dots = 0;
        ops.within(moment.t, moment.t, (op) => {
          if (dots > 400 || ops.kind[op] !== message || ops.start[op] > moment.t! || ops.end[op] <= ops.start[op]) return;
          if (scene.follow >= 0 && !ops.blocks.has(op, scene.follow)) return;
          const y = scale.y(ops.src[op]) + (scale.y(ops.dst[op]) - scale.y(ops.src[op])) *
            ((moment.t! - ops.start[op]) / (ops.end[op] - ops.start[op]));
          pen.circle(x, y, scene.follow >= 0 ? 4.5 : 3, palette.chain, palette.paper);
          ++dots;
        });
      }
    }
    if (box) {
      pen.rects([box.left, box.top, box.width, box.height], 1, palette.accent, 0.15);
      const [l, t, r, b] = [box.left, box.top, box.left + box.width, box.top + box.height];
      pen.lines([l, t, r, t, r, t, r, b, r, b, l, b, l, b, l, t], 4, palette.accent, 1);
    }
  });
}
