// Finds a rank ("rank 3"), a block ("block 5"), a round ("round 2"), or operations by their label.
import { type Operations } from "./operations";

export type Found =
  | { what: "rank"; row: number; text: string }
  | { what: "block"; block: number; ops: number[]; text: string }
  | { what: "ops"; ops: number[]; text: string }
  | { what: "none"; text: string };

const most_found = 5000;

export function search(ops: Operations, typed: string): Found {
  const words = typed.trim().toLowerCase().replace(/\s+/g, " ");
  const number = /^(rank|block|round)s? ?(\d+)$/.exec(words);
  const pick = (fits: (op: number) => boolean): number[] => {
    const found: number[] = [];
    for (let i = 0; i < ops.count && found.length < most_found; ++i) if (fits(ops.order[i])) found.push(ops.order[i]);
    return found;
  };
  const many = (count: number): string => (count >= most_found ? `the first ${most_found}` : String(count)) + (count === 1 ? " operation" : " operations");
  if (number) {
    const value = Number(number[2]);
    if (number[1] === "rank") {
      if (value >= ops.recording.ranks) return { what: "none", text: `there is no rank ${value}: ranks are 0 to ${ops.recording.ranks - 1}` };
      const row = ops.recording.merged ? Math.floor(value / ops.recording.merged.ranks_per_group) : value;
      return { what: "rank", row, text: `rank ${value}` };
    }
    if (number[1] === "block") {
      if (ops.recording.merged) return { what: "none", text: "a recording in summary form does not keep blocks" };
      if (value >= ops.recording.blocks) return { what: "none", text: `there is no block ${value}: blocks are 0 to ${ops.recording.blocks - 1}` };
      const found = pick((op) => ops.blocks.has(op, value));
      return { what: "block", block: value, ops: found, text: `block ${value}: ${many(found.length)}` };
    }
    const found = pick((op) => ops.round[op] === value);
    return found.length ? { what: "ops", ops: found, text: `round ${value}: ${many(found.length)}` }
      : { what: "none", text: `there is no round ${value}: rounds are 0 to ${ops.rounds - 1}` };
  }
  // Numbers must match as a whole: "0 -> 8" does not match "10 -> 80".
  const arrow = words.replace(/\s*->\s*/g, " -> ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const label = new RegExp(`${/^\d/.test(arrow) ? "(?:^|[^\\d])" : ""}${arrow}${/\d$/.test(arrow) ? "(?!\\d)" : ""}`);
  const found = pick((op) => label.test(ops.label(op).toLowerCase()));
  return found.length ? { what: "ops", ops: found, text: many(found.length) }
    : { what: "none", text: `nothing is labelled "${typed.trim()}"; try "rank 3", "block 5", "round 1" or "0 -> 4"` };
}
