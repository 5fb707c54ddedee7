// Lists of numbers to draw, with one list for each colour. The lists grow, and are reused in the next frame.

export class Numbers {
  values = new Float32Array(1024);
  /** The operation to which each group of four numbers belongs. */
  ids = new Int32Array(256);
  length = 0;
  push4(a: number, b: number, c: number, d: number, id: number): void {
    if (this.length + 4 > this.values.length) {
      const more = new Float32Array(2 * this.values.length), more_ids = new Int32Array(2 * this.ids.length);
      more.set(this.values);
      more_ids.set(this.ids);
      this.values = more;
      this.ids = more_ids;
    }
    const v = this.values;
    let n = this.length;
    this.ids[n >> 2] = id;
    v[n++] = a; v[n++] = b; v[n++] = c; v[n++] = d;
    this.length = n;
  }
}

export class Lists {
  private readonly lists: Numbers[] = [];
  list(i: number): Numbers { return (this.lists[i] ??= new Numbers()); }
  clear(): void { for (const list of this.lists) if (list) list.length = 0; }
  each(work: (list: Numbers, i: number) => void): void {
    this.lists.forEach((list, i) => { if (list.length > 0) work(list, i); });
  }
}
