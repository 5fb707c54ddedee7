// Colours of operations, by the property that the reader selects.
import { type Palette } from "../base/theme";
import { type Recording } from "../data";
import { message, type Operations } from "./operations";
import { bytes_text } from "../base/units";

export type ColourBy = "round" | "block" | "held" | "kind" | "bytes";
export const colour_words: { [by in ColourBy]: string } = {
  kind: "kind", round: "round", block: "block", held: "what slowed it", bytes: "size",
};

/** Returns the properties by which a run's operations can be coloured. A merged recording has neither blocks nor links
 * that slowed operations. Without a network, no link slows operations. */
export function colours_known(recording: Recording): ColourBy[] {
  const all = Object.keys(colour_words) as ColourBy[];
  return all.filter((by) => (by !== "block" || !recording.merged) && (by !== "held" || (!recording.merged && recording.network)));
}

export interface Classes {
  of_op: Uint8Array;
  names: string[];
  colours: (palette: Palette) => string[];
}

const most_in_order = 12;

/** Returns the colour at the position `share`, from 0 to 1, of a ramp, mixed from the two nearest steps. */
export function mixed(ramp: string[], share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2), part = at - low;
  const a = parseInt(ramp[low].slice(1), 16), b = parseInt(ramp[low + 1].slice(1), 16);
  let value = 0;
  for (const shift of [16, 8, 0])
    value |= Math.round(((a >> shift) & 255) * (1 - part) + ((b >> shift) & 255) * part) << shift;
  return `#${value.toString(16).padStart(6, "0")}`;
}

/** Divides the values from 0 to `count` - 1 into classes of about equal length. Negative values form the class
 * "other". */
function in_order(of_op: Uint8Array, value: (op: number) => number, count: number, what: string): Classes {
  const classes = Math.max(1, Math.min(count, most_in_order));
  for (let op = 0; op < of_op.length; ++op) {
    const v = value(op);
    of_op[op] = v < 0 ? classes : Math.min(classes - 1, Math.floor((v * classes) / count));
  }
  const names: string[] = [];
  for (let c = 0; c < classes; ++c) {
    const first = Math.ceil((c * count) / classes), last = Math.ceil(((c + 1) * count) / classes) - 1;
    names.push(first >= last ? `${what} ${first}` : `${what}s ${first}-${last}`);
  }
  names.push("other");
  return {
    of_op, names,
    colours: (palette) => [...Array.from({ length: classes },
      (_, c) => mixed(palette.ramp, classes === 1 ? 0.3 : c / (classes - 1))), palette.muted],
  };
}

function by_link(ops: Operations, of_op: Uint8Array): Classes {
  const links = ops.recording.network?.links ?? [];
  const lost = new Map<string, number>();
  const group_of = (op: number): string => links[ops.held_by[op]]?.group ?? "a link";
  for (let op = 0; op < ops.count; ++op)
    if (ops.held_by[op] >= 0 && ops.lost[op] > 0) lost.set(group_of(op), (lost.get(group_of(op)) ?? 0) + ops.lost[op]);
  const groups = [...lost.entries()].sort((a, b) => b[1] - a[1]).map((entry) => entry[0]).slice(0, 6);
  for (let op = 0; op < ops.count; ++op) {
    if (ops.kind[op] !== message) of_op[op] = groups.length + 2;
    else if (ops.held_by[op] < 0 || !(ops.lost[op] > 0)) of_op[op] = groups.length + 1;
    else {
      const at = groups.indexOf(group_of(op));
      of_op[op] = at < 0 ? groups.length : at;
    }
  }
  const order = [5, 0, 2, 3, 1, 8];
  return {
    of_op, names: [...groups.map((group) => `slowed by ${group}`), "slowed by other links", "not slowed", "work"],
    colours: (palette) => [...groups.map((_, i) => palette.series[order[i]]), palette.series[6], palette.series[9], palette.grid],
  };
}

export function classify(ops: Operations, by: ColourBy): Classes {
  const of_op = new Uint8Array(ops.count);
  switch (by) {
    case "kind":
      of_op.set(ops.kind);
      return { of_op, names: ["message", "reduction", "copy"],
        colours: (palette) => palette.kinds };
    case "round":
      return in_order(of_op, (op) => ops.round[op], ops.rounds, "round");
    case "block":
      return in_order(of_op, (op) => ops.blocks.first[op], Math.max(1, ops.recording.blocks), "block");
    case "held":
      return by_link(ops, of_op);
    case "bytes": {
      const sizes = [...new Set(ops.bytes)].sort((a, b) => a - b);
      const at = new Map(sizes.map((size, i) => [size, i]));
      const classes = in_order(of_op, (op) => at.get(ops.bytes[op])!, sizes.length, "size");
      classes.names = classes.names.map((name, c) => {
        if (c === classes.names.length - 1) return name;
        const of_class = sizes.filter((_, i) => Math.floor((i * (classes.names.length - 1)) / sizes.length) === c);
        const least = bytes_text(of_class[0]), most = bytes_text(of_class[of_class.length - 1]);
        return least === most ? least : `${least} to ${most}`;
      });
      return classes;
    }
  }
}
