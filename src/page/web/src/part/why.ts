// Shows why a run takes as long as it does: what would help, how much slack ranks have, and what links cost.
import { h, s } from "../base/dom";
import { bytes_text, percent_text, rate_text, time_text } from "../base/units";
import { type ExplainedLink, type Explanation, type Picture, type Recording, type TableData } from "../data";
import { picture_view } from "./picture";
import { table_view } from "./table";

function improvements(explanation: Explanation): HTMLElement | null {
  const found = explanation.improvements;
  if (!found || found.length === 0) return null;
  return table_view({ id: "improvements", title: "What would help",
    columns: [{ name: "change", unit: "", align: "left" }, { name: "--what-if", unit: "", align: "left" },
      { name: "new time", unit: "", align: "right", csv: "time_then_s" }, { name: "time saved", unit: "", align: "right", csv: "share_off" }],
    rows: found.map((one) => [one.what, one.what_if, one.simulated_s, one.saved]),
    shown: found.map((one) => [one.what, one.what_if, time_text(one.simulated_s), percent_text(one.saved)]) });
}

/** Returns the used links of the network or, without a network, the links of the explanation. */
function links_of(recording: Recording): ExplainedLink[] {
  const { network, explanation, total_s } = recording;
  if (!network) return explanation?.links ?? [];
  return network.links.filter((link) => link.bytes > 0).map((link) => ({
    link: link.name, place: link.place, class: link.group, capacity_bytes_per_s: link.capacity_bytes_per_s, bytes: link.bytes,
    busy_s: link.busy_s, busy_share: link.busy_s / (total_s || 1), most_at_once: link.most_flows,
    lost_on_chain_s: link.lost_on_chain_s, lost_s: link.lost_s,
  })).sort((a, b) => b.lost_on_chain_s - a.lost_on_chain_s || b.lost_s - a.lost_s || b.busy_share - a.busy_share);
}

function links(recording: Recording): HTMLElement | null {
  const found = links_of(recording);
  if (found.length === 0) return null;
  const table: TableData = { id: "links", title: "Links",
    columns: [{ name: "link", unit: "", align: "left" }, { name: "place", unit: "", align: "left" }, { name: "class", unit: "", align: "left" },
      { name: "lost on the chain", unit: "", align: "right", csv: "lost_on_chain_s" }, { name: "lost by all messages", unit: "", align: "right", csv: "lost_s" },
      { name: "bytes", unit: "", align: "right" }, { name: "busy", unit: "", align: "right", csv: "busy_share" },
      { name: "most at once", unit: "", align: "right" }, { name: "capacity", unit: "", align: "right", csv: "capacity_bytes_per_s" }],
    rows: found.map((link) => [link.link, link.place, link.class, link.lost_on_chain_s, link.lost_s, link.bytes, link.busy_share, link.most_at_once, link.capacity_bytes_per_s]),
    shown: found.map((link) => [link.link, link.place, link.class, time_text(link.lost_on_chain_s), time_text(link.lost_s),
      bytes_text(link.bytes), percent_text(link.busy_share), String(link.most_at_once), rate_text(link.capacity_bytes_per_s)]) };
  return table_view(table);
}

/** Draws the slack of each rank as a bar. The tooltips also show how much of the time a rank is busy. */
function slack_drawing(explanation: Explanation, most: number, width: number): string {
  const ranks = explanation.ranks;
  const height = 190, left = 60, bottom = height - 26, top = 14;
  // If there is no room for a bar for each rank, each bar shows the least slack among several ranks.
  const columns = Math.min(ranks.length, Math.floor(width / 3));
  const bars: SVGElement[] = [];
  const step = (width - left - 12) / columns;
  for (let c = 0; c < columns; ++c) {
    const first = Math.floor((c * ranks.length) / columns), last = Math.floor(((c + 1) * ranks.length) / columns) - 1;
    const some = ranks.slice(first, last + 1);
    const least = Math.min(...some.map((rank) => rank.slack_s));
    const busy = some.reduce((sum, rank) => sum + rank.busy_s, 0) / some.length;
    const tall = Math.max(least > 0 ? 1.5 : 0, ((bottom - top) * least) / most);
    const tip = `${first === last ? `rank ${first}` : `ranks ${first} to ${last}, least`}: slack ${time_text(least)}\nbusy ${percent_text(busy / (explanation.total_s || 1))} of the time`;
    bars.push(s("g", { "data-tip": tip },
      s("rect", { class: "paper", x: left + c * step, y: top, width: step, height: bottom - top, opacity: 0 }),
      least === 0 ? s("rect", { class: "bad", x: left + c * step + step * 0.1, y: bottom - 3, width: step * 0.8, height: 3 })
        : s("rect", { class: "f0", x: left + c * step + step * 0.1, y: bottom - tall, width: step * 0.8, height: tall })));
  }
  const every = Math.max(1, Math.ceil(ranks.length / Math.floor(width / 47)));
  const names: SVGElement[] = [];
  for (let rank = 0; rank < ranks.length; rank += every)
    names.push(s("text", { class: "muted", x: left + ((rank + 0.5) * columns * step) / ranks.length, y: bottom + 15, "text-anchor": "middle", "font-size": 11 }, rank));
  return new XMLSerializer().serializeToString(s("svg", { viewBox: `0 0 ${width} ${height}` },
    s("line", { class: "grid", x1: left, y1: top, x2: width - 12, y2: top }),
    s("text", { class: "muted", x: left - 6, y: top + 4, "text-anchor": "end", "font-size": 11 }, time_text(most)),
    s("line", { class: "muted", x1: left, y1: bottom, x2: width - 12, y2: bottom }),
    s("text", { class: "muted", x: left - 6, y: bottom + 4, "text-anchor": "end", "font-size": 11 }, "0"),
    s("text", { class: "muted", x: left - 6, y: bottom + 15, "text-anchor": "end", "font-size": 11 }, "rank"),
    ...bars, ...names));
}

function slack(explanation: Explanation): HTMLElement | null {
  const ranks = explanation.ranks;
  if (ranks.length === 0) return null;
  const most = ranks.reduce((sum, rank) => Math.max(sum, rank.slack_s), 0);
  if (most === 0)
    return h("p", { class: "note" }, `No rank has slack: any delay of any of the ${ranks.length} ranks delays the run.`);
  const critical = ranks.filter((rank) => rank.slack_s === 0).length;
  const picture: Picture = { id: "slack-by-rank", group: "why",
    csv: "rank,slack_s,busy_s,idle_s\n" + ranks.map((rank, i) => `${i},${rank.slack_s},${rank.busy_s},${rank.idle_s}\n`).join(""),
    title: `Slack by rank: how much later its operations could end without delaying the run${critical > 0 ? ` (${critical} of ${ranks.length} ranks have none)` : ""}`,
    alt: `Bars of slack by rank, at most ${time_text(most)}; ${critical} of ${ranks.length} ranks have none`,
    svg: slack_drawing(explanation, most, 760), narrow_svg: slack_drawing(explanation, most, 356) };
  return picture_view(picture);
}

export function why_section(recording: Recording, pictures: Picture[]): HTMLElement | null {
  const explanation = recording.explanation;
  const parts = [...pictures.map(picture_view), ...(explanation ? [improvements(explanation), slack(explanation)] : []), links(recording)]
    .filter((part): part is HTMLElement => part !== null);
  return parts.length === 0 ? null : h("div", { class: "why" }, ...parts);
}
