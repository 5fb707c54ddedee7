// The diagram of one run: its canvases, and the chosen operation.
import { h, fresh_id } from "../base/dom";
import { palette } from "../base/theme";
import { per_frame } from "../base/signal";
import { time_text } from "../base/units";
import { hide_tip, show_tip } from "../base/tip";
import { CanvasPen } from "../pen/canvas_pen";
import { SvgPen } from "../pen/svg_pen";
import { type Pen } from "../pen/pen";
import { classify, type Classes, type ColourBy } from "./colours";
import { draw_above, draw_diagram, frame_of, type Drawn, type Scene } from "./drawing";
import { key_moves, listen } from "./interaction";
import { Minimap } from "./minimap";
import { type Moment } from "./moment";
import { type Operations } from "./operations";
import { operation_at, RowSpan, Scale, type Frame, type TimeSpan } from "./view";

export interface Settings {
  colour_by: ColourBy; follow: number; show_chain: boolean; show_waiting: boolean; box_zoom: boolean;
}

export class Diagram {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly above: HTMLCanvasElement;
  readonly rows: RowSpan;
  classes: Classes;
  chosen = -1;
  private hovered = -1;
  private box: Frame | null = null;
  private readonly minimap: Minimap;
  private readonly said = h("p", { class: "said" });
  readonly draw_soon: () => void;
  private readonly draw_above_soon: () => void;
  /** Duration of the last call of draw(), in milliseconds. */
  frame_ms = 0;
  chosen_changed: (by_keyboard: boolean) => void = () => {};
  key: (event: KeyboardEvent) => boolean = () => false;

  constructor(readonly ops: Operations, readonly time: TimeSpan, private readonly moment: Moment,
    private readonly settings: Settings, label: string, private readonly moved: () => void) {
    this.rows = new RowSpan(ops.rows);
    this.classes = classify(ops, settings.colour_by);
    this.draw_soon = per_frame(() => this.draw());
    this.draw_above_soon = per_frame(() => this.draw_above());
    const described = h("p", { class: "hidden", id: fresh_id("keys") },
      "Arrow keys move, plus and minus zoom, 0 shows all, Shift with up and down zooms the ranks. " +
      "N and P choose the next and previous operation, W what it waited for, A what comes after it, " +
      "C the next one of the critical chain; Escape chooses none. The chosen operation is described beside the diagram.");
    this.canvas = h("canvas", { class: "diagram", tabindex: 0, role: "application",
      "aria-label": `${label}: ranks down, time across`, "aria-describedby": described.id });
    this.above = h("canvas", { class: "above", "aria-hidden": "true" });
    this.minimap = new Minimap(ops, time, frame_of({ width: 600, height: 400 }, ops).left, moved);
    this.element = h("div", { class: "diagram-box" },
      h("div", { class: "layers" }, this.canvas, this.above), this.minimap.element, this.said, described);
    this.canvas.style.height = this.above.style.height = `${this.height_wanted()}px`;
    listen(this.canvas, time, this.rows, {
      scale: () => this.scale(), moved,
      hover: (x, y) => this.hover(x, y),
      leave: () => { this.hovered = -1; hide_tip(); this.draw_above_soon(); },
      click: (x, y) => this.choose(operation_at(ops, this.scale(), x, y), false),
      box: (box) => { this.box = box; this.draw_above_soon(); },
      box_wanted: () => settings.box_zoom,
    });
    this.canvas.addEventListener("keydown", (event) => this.on_key(event));
    new ResizeObserver(() => this.draw_soon()).observe(this.canvas);
  }

  private height_wanted(): number {
    return Math.round(Math.min(Math.max(this.ops.rows * 22 + 40, 200), 560));
  }

  private scene(): Scene {
    return { ops: this.ops, time: this.time, rows: this.rows, classes: this.classes, palette: palette(),
      follow: this.settings.follow, moment: this.moment, show_chain: this.settings.show_chain,
      show_waiting: this.settings.show_waiting };
  }

  scale(): Scale {
    return new Scale(frame_of({ width: this.canvas.clientWidth, height: this.canvas.clientHeight }, this.ops), this.time, this.rows);
  }

  private pen_of(canvas: HTMLCanvasElement): Pen | null {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0) return null;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const w = Math.round(width * ratio), tall = Math.round(height * ratio);
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== tall) canvas.height = tall;
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    let pen = this.pens.get(canvas);
    if (!pen) this.pens.set(canvas, pen = new CanvasPen(context, width, height));
    pen.width = width;
    pen.height = height;
    return pen;
  }
  private readonly pens = new Map<HTMLCanvasElement, CanvasPen>();

  draw(): void {
    const from = performance.now();
    const pen = this.pen_of(this.canvas);
    if (!pen) return;
    this.tell(draw_diagram(pen, this.scene()));
    this.minimap.draw();
    this.draw_above();
    this.frame_ms = performance.now() - from;
    this.canvas.dataset.frameMs = this.frame_ms.toFixed(1);
  }

  private draw_above(): void {
    const pen = this.pen_of(this.above);
    if (pen) draw_above(pen, this.scene(), this.chosen, this.hovered, this.box);
  }

  private tell(drawn: Drawn): void {
    const merged = this.ops.recording.merged;
    const all = this.ops.count;
    let text = drawn.seen < all ? `${drawn.seen.toLocaleString("en")} of ${all.toLocaleString("en")} operations are in view.`
      : `All ${all.toLocaleString("en")} operations are in view.`;
    if (drawn.left_out > 0)
      text += ` Where messages are too dense to distinguish, only some are drawn: ${drawn.left_out.toLocaleString("en")} are left out; zoom in for them.`;
    else if (drawn.dense) text += " Many share a pixel; zoom in for arrow heads.";
    if (merged)
      text = `Each line stands for many: ${merged.operations.toLocaleString("en")} operations are combined ` +
        `over groups of ${merged.ranks_per_group} ranks and over rounds. ` + text;
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  recolour(): void {
    this.classes = classify(this.ops, this.settings.colour_by);
    this.draw_soon();
  }

  private hover(x: number, y: number): void {
    const op = operation_at(this.ops, this.scale(), x, y);
    if (op >= 0) {
      const wait = this.ops.start[op] - this.ops.ready[op], before = this.ops.waited_for(op);
      const box = this.canvas.getBoundingClientRect();
      show_tip(`${this.ops.label(op)}\n${time_text(this.ops.start[op])} to ${time_text(this.ops.end[op])}` +
        (before >= 0 ? `\nafter ${this.ops.label(before)}` : "") +
        (wait > 1e-12 * this.time.total ? `\nwaited ${time_text(wait)} for a port or core` : "") +
        (this.ops.on_chain[op] ? "\non the critical chain" : ""), box.left + x, box.top + y);
    } else hide_tip();
    if (op === this.hovered) return;
    this.hovered = op;
    this.canvas.style.cursor = op >= 0 ? "pointer" : this.settings.box_zoom ? "crosshair" : "grab";
    this.draw_above_soon();
  }

  choose(op: number, by_keyboard: boolean): void {
    this.chosen = op;
    if (by_keyboard && op >= 0) this.bring_into_view(op);
    this.draw_above_soon();
    this.chosen_changed(by_keyboard);
  }

  private bring_into_view(op: number): void {
    const { time, rows, ops } = this;
    const length = time.until - time.from;
    if (ops.end[op] < time.from || ops.start[op] > time.until) {
      const middle = (ops.start[op] + ops.end[op]) / 2;
      time.set(middle - length / 2, middle + length / 2);
    }
    const low = Math.min(ops.src[op], ops.dst[op]), high = Math.max(ops.src[op], ops.dst[op]) + 1;
    if (low < rows.from || high > rows.until)
      rows.set(Math.min(low, (low + high - (rows.until - rows.from)) / 2), Math.max(high, (low + high + rows.until - rows.from) / 2));
    this.moved();
  }

  private on_key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { ops } = this;
    const step = (by: number): number => {
      if (ops.count === 0) return -1;
      if (this.chosen < 0) {
        let first = -1;
        ops.within(this.time.from, this.time.until, (op) => { if (first < 0 && ops.start[op] >= this.time.from) first = op; });
        return first;
      }
      return ops.order[Math.min(ops.count - 1, Math.max(0, ops.place[this.chosen] + by))];
    };
    let op: number | null = null;
    switch (event.key.toLowerCase()) {
      case "n": op = step(1); break;
      case "p": op = step(-1); break;
      case "w": op = this.chosen >= 0 ? ops.waited_for(this.chosen) : null; break;
      case "a": op = this.chosen >= 0 ? ops.next_of(this.chosen) : null; break;
      case "c": {
        const chain = ops.recording.chain;
        if (chain.length > 0) op = chain[(chain.indexOf(this.chosen) + 1) % chain.length];
        break;
      }
      case "escape": this.choose(-1, true); event.preventDefault(); return;
    }
    if (op !== null) {
      if (op >= 0) this.choose(op, true);
      event.preventDefault();
      return;
    }
    if (key_moves(event.key, event.shiftKey, this.time, this.rows)) { this.moved(); event.preventDefault(); return; }
    if (this.key(event)) event.preventDefault();
  }

  /** Returns the current view as an SVG file. */
  svg(title: string): { text: string; width: number; height: number } {
    const width = Math.max(700, this.canvas.clientWidth), height = Math.max(220, this.canvas.clientHeight);
    const pen = new SvgPen(width, height, title, palette().paper);
    draw_diagram(pen, this.scene());
    if (this.chosen >= 0 || this.moment.t !== null) draw_above(pen, this.scene(), this.chosen, -1, null);
    return { text: pen.finished(), width, height };
  }
}
