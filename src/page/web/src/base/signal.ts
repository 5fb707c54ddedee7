/** Notifies all listeners of a change. */
export class Signal {
  private listeners: (() => void)[] = [];
  on(listener: () => void): void { this.listeners.push(listener); }
  tell(): void { for (const listener of this.listeners) listener(); }
}

/** Returns a function that makes `work` run in the next frame: once, however often the function was called. */
export function per_frame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; work(); });
  };
}
