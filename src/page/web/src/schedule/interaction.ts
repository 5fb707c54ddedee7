// Zoom and pan: by wheel, drag, touch, keys, or a box drawn with Shift held.
import { type RowSpan, Scale, type TimeSpan, type Frame } from "./view";

export interface Handlers {
  scale: () => Scale;
  moved: () => void;
  hover: (x: number, y: number) => void;
  leave: () => void;
  click: (x: number, y: number) => void;
  box: (box: Frame | null) => void;
  box_wanted: () => boolean;
}

function between(a: { x: number; y: number }, b: { x: number; y: number }): Frame {
  return { left: Math.min(a.x, b.x), top: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

export function zoom_to_box(box: Frame, scale: Scale): void {
  const from = scale.t(box.left), until = scale.t(box.left + box.width);
  const first = scale.row(box.top), last = scale.row(box.top + box.height);
  scale.time.set(from, until);
  if (box.height > 12) scale.rows.set(first, last);
}

export function listen(canvas: HTMLCanvasElement, time: TimeSpan, rows: RowSpan, handlers: Handlers): void {
  const fingers = new Map<number, { x: number; y: number }>();
  let pressed_at: { x: number; y: number } | null = null;
  let boxing = false, dragged = false;
  const at = (event: PointerEvent | WheelEvent | MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = at(event);
    const scale = handlers.scale();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const length = time.until - time.from;
    if (event.shiftKey) rows.zoom(Math.exp((event.deltaY || event.deltaX) * lines * 0.0016), scale.row(y));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) time.pan((event.deltaX * lines * length) / scale.frame.width);
    else time.zoom(Math.exp(event.deltaY * lines * 0.0016), scale.t(x));
    handlers.moved();
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const point = at(event);
    fingers.set(event.pointerId, point);
    canvas.setPointerCapture(event.pointerId);
    if (fingers.size === 1) {
      pressed_at = point;
      dragged = false;
      boxing = event.shiftKey || handlers.box_wanted();
    }
  });

  canvas.addEventListener("pointermove", (event) => {
    const point = at(event);
    const before = fingers.get(event.pointerId);
    if (!before) { handlers.hover(point.x, point.y); return; }
    const scale = handlers.scale();
    const per_pixel = (time.until - time.from) / scale.frame.width;
    if (fingers.size >= 2) {
      const [a, b] = [...fingers.values()];
      const old = Math.hypot(a.x - b.x, a.y - b.y), middle = (a.x + b.x) / 2;
      fingers.set(event.pointerId, point);
      const [c, d] = [...fingers.values()];
      time.pan((middle - (c.x + d.x) / 2) * per_pixel);
      if (old > 0) time.zoom(old / Math.max(1, Math.hypot(c.x - d.x, c.y - d.y)), handlers.scale().t((c.x + d.x) / 2));
      dragged = true;
      handlers.moved();
      return;
    }
    fingers.set(event.pointerId, point);
    if (pressed_at && !dragged && Math.hypot(point.x - pressed_at.x, point.y - pressed_at.y) < 4) return;
    dragged = true;
    if (boxing) { handlers.box(between(pressed_at!, point)); return; }
    time.pan((before.x - point.x) * per_pixel);
    rows.pan(((before.y - point.y) * (rows.until - rows.from)) / scale.frame.height);
    handlers.moved();
  });

  const release = (event: PointerEvent): void => {
    const point = at(event);
    if (!fingers.delete(event.pointerId) || fingers.size > 0 || !pressed_at) return;
    if (boxing && dragged) {
      const box = between(pressed_at, point);
      handlers.box(null);
      if (box.width > 4) { zoom_to_box(box, handlers.scale()); handlers.moved(); }
    } else if (!dragged && event.type === "pointerup") {
      handlers.click(point.x, point.y);
    }
    pressed_at = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { if (fingers.size === 0) handlers.leave(); });
  canvas.addEventListener("dblclick", (event) => {
    event.preventDefault();
    const { x } = at(event);
    time.zoom(0.4, handlers.scale().t(x));
    handlers.moved();
  });
}

/** Handles a key that moves or zooms the view. Returns false for any other key. */
export function key_moves(key: string, shift: boolean, time: TimeSpan, rows: RowSpan): boolean {
  const length = time.until - time.from, tall = rows.until - rows.from;
  const middle = (time.from + time.until) / 2, middle_row = (rows.from + rows.until) / 2;
  switch (key) {
    case "ArrowLeft": time.pan(-0.1 * length); return true;
    case "ArrowRight": time.pan(0.1 * length); return true;
    case "ArrowUp": if (shift) rows.zoom(0.7, middle_row); else rows.pan(-0.15 * tall); return true;
    case "ArrowDown": if (shift) rows.zoom(1 / 0.7, middle_row); else rows.pan(0.15 * tall); return true;
    case "+": case "=": time.zoom(0.7, middle); return true;
    case "-": case "_": time.zoom(1 / 0.7, middle); return true;
    case "0": time.whole(); rows.whole(); return true;
    default: return false;
  }
}
