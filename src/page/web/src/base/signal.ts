/** Notifies all listeners of a change. */
export class Signal {
  private listeners: (() => void)[] = [];
  on(listener: () => void): void { this.listeners.push(listener); }
  tell(): void { for (const listener of this.listeners) listener(); }
}

/** Returns a function that requests `work`. It runs once in the next frame, however often it was requested. */
export function per_frame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; work(); });
  };
}
