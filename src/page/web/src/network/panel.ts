// Describes a link, or several links that are drawn as one.
import { h, s, button } from "../base/dom";
import { bytes_text, count_text, percent_text, plural, rate_text, time_text } from "../base/units";
import { type NetworkLink, type Recording } from "../data";
import { table_view } from "../part/table";
import { type Operations } from "../schedule/operations";

function over_time(loads: number[] | null): SVGSVGElement | null {
  if (!loads) return null;
  const path = loads.map((load, i) => `L${i} ${(40 - 0.38 * load).toFixed(1)}`).join("");
  return s("svg", { viewBox: `0 0 ${loads.length} 42`, preserveAspectRatio: "none", class: "over-time", role: "img", "aria-label": "Load over time" },
    s("path", { d: `M0 40${path}L${loads.length} 40z`, class: "load" }));
}

export interface LinkChoice { links: number[]; title: string }

export function link_panel(recording: Recording, ops: Operations, choice: LinkChoice | null, messages: number[],
  choose: (choice: LinkChoice) => void, show: (op: number) => void): HTMLElement {
  if (!choice)
    return h("p", { class: "muted" }, "Click a link, or go to it with the arrow keys and press Enter, to see what it carried and lost.");
  if (choice.links.length === 0) return h("p", {}, `${choice.title}: it carried nothing in this run.`);
  const network = recording.network!;
  const of = choice.links.map((link) => network.links[link]);
  const sum = (value: (link: NetworkLink) => number): number => of.reduce((all, link) => all + value(link), 0);
  const list = h("dl", { class: "facts" });
  const fact = (name: string, text: string): void => { list.append(h("dt", {}, name), h("dd", {}, text)); };
  const one = of.length === 1 ? of[0] : null;
  if (one) {
    fact("name", one.name);
    fact("place", one.place);
    if (one.group) fact("class", one.group);
    fact("capacity", rate_text(one.capacity_bytes_per_s));
  } else {
    fact("capacity", `${rate_text(sum((link) => link.capacity_bytes_per_s))} together`);
  }
  fact("carried", bytes_text(sum((link) => link.bytes)));
  fact("busy", one ? `${time_text(one.busy_s)}, ${percent_text(one.busy_s / (recording.total_s || 1))} of the time`
    : `${percent_text(Math.max(...of.map((link) => link.busy_s)) / (recording.total_s || 1))} of the time for the busiest`);
  fact("most at once", plural(Math.max(...of.map((link) => link.most_flows)), "message"));
  const lost = sum((link) => link.lost_s), on_chain = sum((link) => link.lost_on_chain_s);
  fact("lost by sharing", lost > 0 ? `${time_text(lost)} by all messages, ${on_chain > 0 ? time_text(on_chain) : "nothing"} on the critical chain` : "nothing");
  const members = one ? null : h("details", {}, h("summary", {}, `${plural(of.length, "link")}`), h("ul", { class: "members" },
    ...choice.links.slice().sort((a, b) => network.links[b].lost_s - network.links[a].lost_s || network.links[b].bytes - network.links[a].bytes).slice(0, 200)
      .map((link) => h("li", {}, button(network.links[link].place || network.links[link].name, "Show this link",
        () => choose({ links: [link], title: network.links[link].place || network.links[link].name }), { class: "link" }),
        ` ${bytes_text(network.links[link].bytes)}`))));
  const table = messages.length === 0
    ? h("p", { class: "muted" }, recording.merged ? "A recording in summary form does not keep which messages crossed it." : "No message crossed it.")
    : table_view({ id: "messages", title: "Its messages", columns: [{ name: "message", unit: "", align: "left" }, { name: "start", unit: "", align: "right", csv: "start_s" },
      { name: "end", unit: "", align: "right", csv: "end_s" }, { name: "lost", unit: "", align: "right", csv: "lost_s" }],
    rows: messages.map((op) => [ops.label(op), ops.start[op], ops.end[op], ops.lost[op]]),
    shown: messages.map((op) => [ops.label(op), time_text(ops.start[op]), time_text(ops.end[op]), ops.lost[op] > 0 ? time_text(ops.lost[op]) : "–"]) },
    (row) => show(messages[row]));
  return h("div", { class: "link-panel" },
    h("div", {}, h("h4", {}, choice.title), list, one ? over_time(network.loads.of_link[choice.links[0]]) : null, members),
    h("div", {}, messages.length > 0 ? h("p", { class: "hidden" }, `${count_text(messages.length)} messages`) : null, table));
}
