// Describes the chosen operation in words.
import { h, button } from "../base/dom";
import { bytes_text, count_text, factor_text, time_text } from "../base/units";
import { kind_words, message, type Operations } from "./operations";

function host(ops: Operations, row: number): string {
  const { merged, network, host_of_rank } = ops.recording;
  if (merged || !network) return "";
  const node = network.nodes.find((one) => one.host >= 0 && one.host === host_of_rank[row]);
  return node ? ` on ${node.name}` : "";
}

export function selection_panel(ops: Operations, op: number, choose: (op: number) => void): HTMLElement {
  if (op < 0)
    return h("div", { class: "selection" }, h("p", { class: "muted" },
      "Point at a message or a bar, or press N in the diagram, to see what it carries and what it waited for."));
  const list = h("dl", { class: "facts" });
  const fact = (name: string, ...value: (string | Node | null)[]): void => {
    list.append(h("dt", {}, name), h("dd", {}, ...value));
  };
  const link = (other: number): Node =>
    button(ops.label(other), "Show this operation", () => choose(other), { class: "link" });
  const who = ops.recording.merged ? "ranks" : "rank";
  if (ops.kind[op] === message) {
    fact("sender", `${who} ${ops.row_name(ops.src[op])}${host(ops, ops.src[op])}`);
    fact("receiver", `${who} ${ops.row_name(ops.dst[op])}${host(ops, ops.dst[op])}`);
  } else {
    fact("done by", `${who} ${ops.row_name(ops.src[op])}${host(ops, ops.src[op])}`);
  }
  if (ops.merged_count) fact("stands for", `${count_text(ops.merged_count[op])} operations`);
  const blocks = ops.blocks.text(op);
  fact("payload", `${bytes_text(ops.bytes[op])}${blocks ? `, ${blocks}` : ""}`);
  fact("round", String(ops.round[op]));
  const length = ops.end[op] - ops.start[op];
  fact("time", `${time_text(ops.start[op])} to ${time_text(ops.end[op])}, ${time_text(length)}`);
  const before = ops.waited_for(op);
  if (before >= 0) fact("waited for", link(before), ` until ${time_text(ops.end[before])}`);
  else if (!ops.recording.merged) fact("waited for", "nothing: it was ready at the start");
  const wait = ops.start[op] - ops.ready[op];
  if (wait > 1e-12 * ops.recording.total_s) {
    const holder = ops.held_until_start(op);
    fact(ops.kind[op] === message ? "then for a port" : "then for the core",
      time_text(wait), ...(holder >= 0 ? [", held by ", link(holder)] : []));
  }
  const slow = ops.recording.network?.links[ops.held_by[op]];
  if (slow && ops.lost[op] > 0)
    fact("slowed by", `${slow.place || slow.name}: ${time_text(ops.lost[op])} lost` +
      (length > ops.lost[op] ? `, ${factor_text(length / (length - ops.lost[op]))} times as long as alone` : ""));
  if (ops.slack) fact("slack", ops.slack[op] > 0 ? `could end ${time_text(ops.slack[op])} later without delaying the run` : "none: any delay delays the run");
  if (ops.recording.chain.length > 0) fact("critical chain", ops.on_chain[op] ? "on it" : "not on it");
  return h("div", { class: "selection" },
    h("h4", {}, h("span", { class: "kind" }, kind_words[ops.kind[op]]), " ", ops.label(op)), list);
}
