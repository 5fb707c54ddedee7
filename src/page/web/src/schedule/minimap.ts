// An overview of the whole run in a strip: how many operations are active over time, and which part the diagram
// shows.
import { h } from "../base/dom";
import { palette } from "../base/theme";
import { CanvasPen } from "../pen/canvas_pen";
import { type Operations } from "./operations";
import { type TimeSpan } from "./view";

const bins = 400;
const height = 34;

/** Average number of active operations in each bin. */
function activity(ops: Operations): Float64Array {
  const steps = new Float64Array(bins + 1);
  const width = ops.recording.total_s / bins || 1;
  const sum = new Float64Array(bins);
  for (let op = 0; op < ops.count; ++op) {
    const a = Math.min(bins - 1, Math.max(0, Math.floor(ops.start[op] / width)));
    const b = Math.min(bins - 1, Math.max(0, Math.floor(ops.end[op] / width)));
    if (a === b) { sum[a] += (ops.end[op] - ops.start[op]) / width; continue; }
    sum[a] += a + 1 - ops.start[op] / width;
    sum[b] += ops.end[op] / width - b;
    ++steps[a + 1];
    --steps[b];
  }
  let on = 0;
  for (let i = 0; i < bins; ++i) sum[i] += on += steps[i];
  return sum;
}

export class Minimap {
  readonly element: HTMLCanvasElement;
  private readonly heights: Float64Array;

  constructor(private readonly ops: Operations, private readonly time: TimeSpan, private readonly left: number, moved: () => void) {
    this.heights = activity(ops);
    this.element = h("canvas", { class: "minimap", "aria-hidden": "true",
      title: "Number of operations under way; drag to move the visible part" });
    const go = (event: PointerEvent): void => {
      const box = this.element.getBoundingClientRect();
      const at = ((event.clientX - box.left - this.left) / Math.max(1, box.width - this.left - 10)) * time.total;
      const length = time.until - time.from;
      time.set(at - length / 2, at + length / 2);
      moved();
    };
    this.element.addEventListener("pointerdown", (event) => { this.element.setPointerCapture(event.pointerId); go(event); });
    this.element.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
  }

  draw(): void {
    const width = this.element.clientWidth;
    if (width === 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    if (this.element.width !== Math.round(width * ratio)) this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    const context = this.element.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pen = new CanvasPen(context, width, height);
    const colours = palette();
    const inner = width - this.left - 10;
    const most = this.heights.reduce((a, b) => Math.max(a, b), 1e-9);
    const boxes: number[] = [];
    // If a longer run is shown too, this run fills only a part of the strip.
    const own = inner * Math.min(1, this.ops.recording.total_s / this.time.total);
    this.heights.forEach((value, i) => {
      const tall = ((height - 4) * value) / most;
      boxes.push(this.left + (i * own) / bins, height - tall, own / bins + 0.3, tall);
    });
    pen.rects([this.left, 0, inner, height], 1, colours.panel);
    pen.rects(boxes, bins, colours.muted, 0.45);
    const from = Math.max(0, this.time.from / this.time.total), until = Math.min(1, this.time.until / this.time.total);
    const x0 = this.left + from * inner, x1 = Math.max(this.left + until * inner, this.left + from * inner + 3);
    pen.rects([x0, 0, x1 - x0, height], 1, colours.accent, 0.18);
    pen.lines([x0, 0, x0, height, x1, 0, x1, height], 2, colours.accent, 1.5);
  }
}
