// The operations of a run in flat arrays, with a search by time span.
import { type Recording } from "../data";
import { bytes_text, count_text } from "../base/units";
import { BlockSets } from "./blocks";

export const message = 0, reduction = 1, copy = 2;
export const kind_words = ["message", "reduction", "copy"];

/** Number of operations in a piece of `order`. A piece whose time span is out of view is skipped as a whole. */
const piece = 256;

export class Operations {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly src: Int32Array;
  readonly dst: Int32Array;
  readonly bytes: Float64Array;
  readonly round: Int32Array;
  readonly ready: Float64Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly blocks: BlockSets;
  readonly held_by: Int32Array;
  readonly lost: Float64Array;
  readonly slack: Float64Array | null;
  readonly merged_count: Float64Array | null;
  readonly after_start: Int32Array;
  readonly after: Int32Array;
  readonly on_chain: Uint8Array;
  readonly rounds: number;
  readonly rows: number;
  /** Operations in the order of their starts. */
  readonly order: Uint32Array;
  /** Position of each operation in `order`. */
  readonly place: Uint32Array;
  private readonly piece_from: Float64Array;
  private readonly piece_until: Float64Array;

  constructor(readonly recording: Recording) {
    const ops = recording.ops;
    const n = this.count = ops.kind.length;
    this.kind = Uint8Array.from(ops.kind);
    this.src = Int32Array.from(ops.src);
    this.dst = Int32Array.from(ops.dst);
    this.bytes = Float64Array.from(ops.bytes);
    this.round = Int32Array.from(ops.round);
    this.start = Float64Array.from(ops.start_s);
    // The operations of a merged entry began at different times, so the time from the moment when the first of them was
    // ready to the earliest start is not a wait of all of them.
    this.ready = recording.merged ? this.start : Float64Array.from(ops.ready_s);
    this.end = Float64Array.from(ops.end_s);
    this.blocks = new BlockSets(recording);
    this.held_by = Int32Array.from(ops.held_by);
    this.lost = Float64Array.from(ops.lost_s);
    this.slack = ops.slack_s ? Float64Array.from(ops.slack_s) : null;
    this.merged_count = ops.count ? Float64Array.from(ops.count) : null;
    this.after_start = Int32Array.from(ops.after_start);
    this.after = Int32Array.from(ops.after);
    this.on_chain = new Uint8Array(n);
    for (const op of recording.chain) this.on_chain[op] = 1;
    this.rounds = this.round.reduce((most, round) => Math.max(most, round + 1), 1);
    this.rows = recording.merged ? Math.ceil(recording.ranks / recording.merged.ranks_per_group) : recording.ranks;

    const start = this.start;
    this.order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => start[a] - start[b] || a - b);
    this.place = new Uint32Array(n);
    const pieces = Math.ceil(n / piece);
    this.piece_from = new Float64Array(pieces).fill(Infinity);
    this.piece_until = new Float64Array(pieces).fill(-Infinity);
    for (let i = 0; i < n; ++i) {
      const op = this.order[i], at = Math.floor(i / piece);
      this.place[op] = i;
      this.piece_from[at] = Math.min(this.piece_from[at], this.ready[op], this.start[op]);
      this.piece_until[at] = Math.max(this.piece_until[at], this.end[op]);
    }
  }

  /** Calls `each`, in the order of starts, for every operation that is under way or waits at some time of the span. */
  within(from: number, until: number, each: (op: number) => void): void {
    for (let p = 0; p < this.piece_from.length; ++p) {
      if (this.piece_from[p] > until || this.piece_until[p] < from) continue;
      const last = Math.min(this.count, (p + 1) * piece);
      for (let i = p * piece; i < last; ++i) {
        const op = this.order[i];
        if (this.end[op] >= from && Math.min(this.ready[op], this.start[op]) <= until) each(op);
      }
    }
  }

  /** A label such as "0 -> 4, 512 KiB, round 1". */
  label(op: number): string {
    const who = this.kind[op] === message ? `${this.row_name(this.src[op])} -> ${this.row_name(this.dst[op])}`
      : `${kind_words[this.kind[op]]} on ${this.row_name(this.src[op])}`;
    const many = this.merged_count && this.merged_count[op] > 1 ? `, ${count_text(this.merged_count[op])} operations` : "";
    return `${who}, ${bytes_text(this.bytes[op])}, round ${this.round[op]}${many}`;
  }

  row_name(row: number): string {
    const merged = this.recording.merged;
    if (!merged) return String(row);
    const first = row * merged.ranks_per_group;
    return `${first}-${Math.min(this.recording.ranks, first + merged.ranks_per_group) - 1}`;
  }

  /** Returns the predecessor that ended last; -1 if there is none. */
  waited_for(op: number): number {
    let last = -1;
    for (let i = this.after_start[op] ?? 0; i < (this.after_start[op + 1] ?? 0); ++i)
      if (last < 0 || this.end[this.after[i]] > this.end[last]) last = this.after[i];
    return last;
  }

  /** Returns the operation that held the port or core for which `op` waited: an operation of the same rank that ended
   * when `op` started; -1 if `op` did not wait, or if there is none. */
  held_until_start(op: number): number {
    const wait = this.start[op] - this.ready[op];
    if (wait <= 1e-12 * this.recording.total_s) return -1;
    const near = 1e-9 * this.recording.total_s;
    const is_message = this.kind[op] === message;
    let found = -1;
    this.within(this.start[op] - near, this.start[op] + near, (other) => {
      if (found >= 0 || other === op || Math.abs(this.end[other] - this.start[op]) > near) return;
      const same = is_message
        ? this.kind[other] === message && (this.src[other] === this.src[op] || this.dst[other] === this.dst[op])
        : this.kind[other] !== message && this.src[other] === this.src[op];
      if (same) found = other;
    });
    return found;
  }

  /** Returns the successor that starts first; -1 if there is none. */
  next_of(op: number): number {
    this.followers ??= this.make_followers();
    let first = -1;
    const { start, ids } = this.followers;
    for (let i = start[op]; i < start[op + 1]; ++i)
      if (first < 0 || this.start[ids[i]] < this.start[first]) first = ids[i];
    return first;
  }

  private followers: { start: Int32Array; ids: Int32Array } | null = null;
  private make_followers(): { start: Int32Array; ids: Int32Array } {
    const start = new Int32Array(this.count + 1);
    const ids = new Int32Array(this.after.length);
    if (this.after_start.length === this.count + 1) {
      for (const before of this.after) ++start[before + 1];
      for (let i = 0; i < this.count; ++i) start[i + 1] += start[i];
      const at = start.slice();
      for (let op = 0; op < this.count; ++op)
        for (let i = this.after_start[op]; i < this.after_start[op + 1]; ++i) ids[at[this.after[i]]++] = op;
    }
    return { start, ids };
  }
}
