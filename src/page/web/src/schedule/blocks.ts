// The blocks of the vector that each operation carries.
import { type Recording } from "../data";

/** Maximum number of runs of blocks that a text names. If there are more, it names only the first runs and the last. */
const most_told = 4;

export class BlockSets {
  /** First block of each operation; -1: unknown. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  private readonly run: Int32Array;
  private readonly stride: Int32Array;
  private readonly lists = new Map<number, number[]>();
  private readonly all: number;

  constructor(recording: Recording) {
    const { ops } = recording;
    this.all = Math.max(1, recording.blocks);
    this.first = Int32Array.from(ops.first_block);
    this.count = Int32Array.from(ops.block_count);
    this.run = Int32Array.from(ops.block_run);
    this.stride = Int32Array.from(ops.block_stride);
    for (const [op, blocks] of Object.entries(ops.block_lists)) {
      this.lists.set(Number(op), blocks);
      this.first[Number(op)] = blocks[0] ?? -1;
    }
  }

  has(op: number, block: number): boolean {
    const list = this.lists.get(op);
    if (list) return list.includes(block);
    const first = this.first[op], count = this.count[op], run = this.run[op] || count, stride = this.stride[op] || this.all;
    if (first < 0) return false;
    const runs = Math.ceil(count / run);
    if ((runs - 1) * stride + run > this.all) return this.runs_of(op).some(([from, until]) => from <= block && block <= until);
    // Runs do not overlap, so that only one of them can contain the block.
    const behind = (block - first + this.all) % this.all, which = Math.floor(behind / stride), within = behind - which * stride;
    return within < run && which * run + within < count;
  }

  /** Returns the first and the last block of each run, in ascending order. */
  private runs_of(op: number): [number, number][] {
    const found: [number, number][] = [];
    const list = this.lists.get(op);
    if (list) for (const block of [...list].sort((a, b) => a - b)) found.push([block, block]);
    else if (this.first[op] >= 0) {
      const run = this.run[op] || this.count[op];
      let start = this.first[op];
      for (let left = this.count[op]; left > 0; left -= run, start += this.stride[op]) {
        const from = start % this.all, until = from + Math.min(run, left) - 1;
        found.push([from, Math.min(until, this.all - 1)]);
        if (until >= this.all) found.push([0, until - this.all]);
      }
      found.sort((a, b) => a[0] - b[0]);
    }
    const joined: [number, number][] = [];
    for (const [from, until] of found) {
      const last = joined[joined.length - 1];
      if (last && from <= last[1] + 1) last[1] = Math.max(last[1], until); else joined.push([from, until]);
    }
    return joined;
  }

  /** Lists all blocks of an operation: "0-3 8-11". */
  runs_text(op: number): string {
    return this.runs_of(op).map(([from, until]) => (from === until ? `${from}` : `${from}-${until}`)).join(" ");
  }

  /** Names the blocks of an operation: "block 3", "blocks 0 to 3", "blocks 1, 3, 5 ... 15 (8)"; "" if they are
   * unknown. */
  text(op: number): string {
    const runs = this.runs_of(op);
    if (runs.length === 0) return "";
    const name = ([from, until]: [number, number]): string => (from === until ? `${from}` : until === from + 1 ? `${from}, ${until}` : `${from} to ${until}`);
    const told = runs.length <= most_told ? runs.map(name).join(", ")
      : `${runs.slice(0, most_told - 1).map(name).join(", ")} ... ${name(runs[runs.length - 1])} (${this.count[op]})`;
    return runs.length === 1 && runs[0][0] === runs[0][1] ? `block ${told}` : `blocks ${told}`;
  }
}
