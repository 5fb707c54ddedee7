// A hundred thousand lines across the whole diagram are tens of millions of pixels, many times more than the diagram
// has. Where many lines go from one square to another, only a random selection of them is drawn, which looks the
// same. A line that is alone between two squares is always drawn.
import { type Lists, type Numbers } from "./lists";

/** Number of pixels that can be drawn in a fraction of the time of a frame. */
const most_pixels = 2.5e6;
const side = 24;
/** Maximum number of slots in the hash table of pairs of squares: more than twice the number of operations in any
 * recording that is not merged. thin() uses as small a part of the table as possible, so that more of it is in the
 * processor's cache. */
const most_slots = 1 << 19;
const keys = new Float64Array(most_slots);
const counts = new Int32Array(most_slots);
let slots = most_slots;
let slot_of_line = new Int32Array(1024);

function length_of(v: Float32Array, i: number): number {
  const dx = Math.abs(v[i + 2] - v[i]), dy = Math.abs(v[i + 3] - v[i + 1]);
  return dx > dy ? dx : dy;
}

/** Returns the slot in which lines of the list `of` between two squares are counted. */
function slot_of(v: Float32Array, i: number, of: number): number {
  const a = (v[i] / side) & 511, b = (v[i + 1] / side) & 511, c = (v[i + 2] / side) & 511, d = (v[i + 3] / side) & 511;
  // Never 0, which marks an empty slot.
  const key = 1 + (((of * 512 + a) * 512 + b) * 512 + c) * 512 + d;
  let at = Math.imul(a, 73856093) ^ Math.imul(b, 19349663) ^ Math.imul(c, 83492791) ^ Math.imul(d, 0x9e3779b1) ^ of;
  at = (at ^ (at >>> 13)) & (slots - 1);
  while (keys[at] !== 0 && keys[at] !== key) at = (at + 1) & (slots - 1);
  keys[at] = key;
  return at;
}

/** Returns a random number from 0 to 1, which depends only on the operation, so that it is the same in every frame. */
function chance(id: number): number {
  let x = Math.imul(id ^ (id >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return ((x ^ (x >>> 16)) >>> 0) / 4294967296;
}

/** Removes lines that cannot be told apart. Returns the number of removed lines. */
export function thin(stores: Lists[]): number {
  const all: { list: Numbers; from: number; of: number }[] = [];
  let lines = 0, pixels = 0;
  stores.forEach((store, i) => store.each((list, c) => {
    all.push({ list, from: lines, of: 32 * i + c });
    lines += list.length / 4;
    for (let k = 0; k < list.length; k += 4) pixels += length_of(list.values, k);
  }));
  // With too many lines for the table, nothing is removed: the table must not become full.
  if (pixels <= most_pixels || lines > most_slots / 2) return 0;
  slots = most_slots;
  while (lines <= slots / 4) slots /= 2;
  if (slot_of_line.length < lines) slot_of_line = new Int32Array(2 * lines);
  keys.fill(0, 0, slots);
  counts.fill(0, 0, slots);
  for (const { list, from, of } of all)
    for (let k = 0; k < list.length; k += 4) ++counts[(slot_of_line[from + k / 4] = slot_of(list.values, k, of))];

  // Number of pixels for each pair of squares. Short lines need few pixels, and are kept.
  let each = 32 * side;
  const share = (v: Float32Array, k: number, line: number): number => each / (Math.max(length_of(v, k), 1) * counts[slot_of_line[line]]);
  for (; each > 1; each /= 2) {
    let wanted = 0;
    for (const { list, from } of all)
      for (let k = 0; k < list.length; k += 4) wanted += length_of(list.values, k) * Math.min(1, share(list.values, k, from + k / 4));
    if (wanted <= most_pixels) break;
  }
  let left_out = 0;
  for (const { list, from } of all) {
    const v = list.values;
    let kept = 0;
    for (let k = 0; k < list.length; k += 4) {
      const id = list.ids[k >> 2];
      if (chance(id) >= share(v, k, from + k / 4)) { ++left_out; continue; }
      for (let n = 0; n < 4; ++n) v[kept + n] = v[k + n];
      list.ids[kept >> 2] = id;
      kept += 4;
    }
    list.length = kept;
  }
  return left_out;
}
