/** Says that something changed, to all who asked. */
export class Signal {
  private listeners: (() => void)[] = [];
  on(listener: () => void): void { this.listeners.push(listener); }
  tell(): void { for (const listener of this.listeners) listener(); }
}

/** Does the work at the next frame, once, however often it was asked for. */
export function per_frame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; work(); });
  };
}
