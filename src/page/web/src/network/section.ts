// The network of a run. Links are coloured by their load at the moment that is selected in the schedule.
import { h, s, button } from "../base/dom";
import { csv_line, file_name, save_svg_as_png, save_text } from "../base/save";
import { per_frame } from "../base/signal";
import { on_theme, palette } from "../base/theme";
import { hide_tip, show_tip } from "../base/tip";
import { percent_text, plural, time_text } from "../base/units";
import { type Recording } from "../data";
import { mixed } from "../schedule/colours";
import { operations, type ScheduleSection } from "../schedule/section";
import { type Edge, type Layout, layout_of } from "./layout";
import { Loads } from "./loads";
import { Routes } from "./messages";
import { link_panel, type LinkChoice } from "./panel";

const kind_words: { [kind: string]: string } = {
  fat_tree: "Fat tree", torus: "Torus", dragonfly: "Dragonfly", gpus: "Nodes of GPUs", star: "Hosts at one switch", generic: "Network",
};

interface DrawnEdge { edge: Edge; line: SVGPathElement; hit: SVGPathElement }

/** Returns the path of a link's line. The line runs to the right of the direct line between its ends, as seen from the
 * sender, so that the lines of both directions, and of parallel links, lie side by side. */
function path_of(layout: Layout, edge: Edge): string {
  const a = layout.places[edge.from], b = layout.places[edge.to];
  const bx = edge.stub ? a.x + edge.stub.x : b.x, by = edge.stub ? a.y + edge.stub.y : b.y;
  const dx = bx - a.x, dy = by - a.y, length = Math.hypot(dx, dy) || 1;
  const aside = edge.stub ? 0 : 2.2 + edge.lane * Math.min(4.4, 12 / edge.lanes);
  const ox = (-dy / length) * aside, oy = (dx / length) * aside;
  const f = (value: number): string => value.toFixed(1);
  return `M${f(a.x + ox)} ${f(a.y + oy)}L${f(bx + ox)} ${f(by + oy)}`;
}

function edge_title(recording: Recording, layout: Layout, edge: Edge): string {
  const links = recording.network!.links;
  if (edge.links.length === 0) return `parallel link from ${layout.places[edge.from].name} to ${layout.places[edge.to].name}`;
  if (edge.links.length === 1) return links[edge.links[0]].place || links[edge.links[0]].name;
  return `${plural(edge.links.length, "link")} from ${layout.places[edge.from].name} to ${layout.places[edge.to].name}`;
}

export function network_section(recording: Recording, schedule: ScheduleSection): HTMLElement {
  const network = recording.network!, ops = operations(recording), moment = schedule.moment;
  const loads = new Loads(network, recording.total_s), routes = new Routes(recording, ops);
  const told = h("p", { class: "when" }), live = h("p", { class: "hidden", "aria-live": "polite" });
  const panel = h("div", { class: "link-choice" });
  const box = h("div", { class: "network-box" });
  let layout: Layout, drawn: DrawnEdge[] = [], svg: SVGSVGElement, at = -1;
  let chosen: LinkChoice | null = null;

  const choose = (choice: LinkChoice | null): void => {
    chosen = choice;
    panel.replaceChildren(link_panel(recording, ops, choice, choice ? routes.messages_over(choice.links) : [], choose,
      (op) => { schedule.show(op); schedule.diagram.canvas.scrollIntoView({ block: "center" }); }));
    live.textContent = choice ? choice.title : "";
    colour();
  };
  const choice_of = (edge: Edge): LinkChoice => ({ links: edge.links, title: edge_title(recording, layout, edge) });
  const load_text = (edge: Edge): string => {
    const load = loads.most(edge.links, moment.t);
    return load === null ? "carried nothing" : `${percent_text(load)} of its capacity ${moment.t === null ? "over the whole run" : `at ${time_text(moment.t)}`}` +
      (edge.links.length > 1 ? ", the busiest" : "");
  };

  const colour = (): void => {
    const colours = palette(), t = moment.t;
    const route = new Set(routes.links_of(schedule.diagram.chosen)), wanted = new Set(chosen?.links ?? []);
    for (const { edge, line } of drawn) {
      const load = loads.most(edge.links, t);
      const on_route = edge.links.some((link) => route.has(link)), is_chosen = edge.links.some((link) => wanted.has(link));
      line.setAttribute("stroke", load === null ? colours.grid : mixed(colours.scale.slice(2), load));
      line.setAttribute("stroke-width", (load === null ? 1 : Math.min(1.6 + 2.4 * load, edge.lanes > 2 ? 2.6 : 4)).toFixed(2));
      line.classList.toggle("on-route", on_route || is_chosen);
      if (on_route || is_chosen) { line.setAttribute("stroke", is_chosen ? colours.chain : colours.ink); line.setAttribute("stroke-width", "3.4"); }
    }
    const idle = layout.edges.reduce((count, edge) => count + (edge.links.length === 0 ? 1 : 0), 0);
    told.textContent = (t === null ? "Load over the whole run: bytes carried against bytes possible." : `Load at ${time_text(Math.min(t, recording.total_s))}.`) +
      (network.kind === "fat_tree" ? " Between two boxes, lines on the right go up, lines on the left go down." : "") +
      (layout.edges.some((edge) => edge.links.length > 1) ? " Links between the same boxes are drawn as one, coloured by the busiest." : "") +
      (idle > 0 ? ` ${plural(idle, "parallel link")} carried nothing.` : "");
  };

  const draw = (): void => {
    const colours = palette();
    const width = Math.max(300, box.clientWidth || 900);
    layout = layout_of(network, Math.max(width, 340));
    drawn = [];
    const lines = s("g", { fill: "none", "stroke-linecap": "round" }), hits = s("g", { fill: "none", stroke: "transparent", "stroke-width": 11 });
    layout.edges.forEach((edge, i) => {
      const d = path_of(layout, edge);
      const line = s("path", { d }), hit = s("path", { d, "data-edge": i });
      lines.append(line);
      hits.append(hit);
      drawn.push({ edge, line, hit });
    });
    const frames = layout.frames.map((frame) => s("g", {},
      s("rect", { x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 5, fill: "none", stroke: colours.grid })));
    const frame_names = layout.frames.map((frame) => s("g", { stroke: colours.paper, "stroke-width": 3, "paint-order": "stroke" }, s("text", { x: frame.x + 2, y: frame.y - 5, "font-size": 10.5, style: `fill:${colours.muted};stroke:${colours.paper}` }, frame.label)));
    const used = new Set(recording.host_of_rank);
    const places = layout.places.map((place) => {
      const on = place.hosts.length === 0 || place.hosts.some((host) => used.has(host));
      const tall = place.shape === "switch" ? Math.min(16, place.width) : Math.min(16, place.width * 0.9);
      const round = place.shape === "switch" ? 2 : tall / 2;
      return s("g", { "data-place": place.name },
        s("rect", { x: place.x - place.width / 2, y: place.y - tall / 2, width: place.width, height: tall, rx: round,
          fill: place.shape === "switch" ? colours.muted : colours.paper, stroke: on ? colours.muted : colours.grid, "stroke-width": 1.2 }),
        place.label && place.shape === "switch" && place.label.length * 6 < place.width ? s("text", { x: place.x, y: place.y + 3.5, "font-size": 10, "text-anchor": "middle",
          style: `fill:${colours.paper}` }, place.label) : null,
        place.label && place.shape !== "switch" ? s("text", { x: place.x, y: place.y + (place.below ? 21 : 3.5), "font-size": 10, "text-anchor": "middle",
          style: `fill:${on ? colours.ink : colours.muted}` }, place.label) : null);
    });
    svg = s("svg", { viewBox: `0 0 ${layout.width} ${layout.height}`, tabindex: 0, role: "application",
      "aria-label": `${kind_words[network.kind] ?? "Network"}, ${plural(network.links.length, "link")}; arrow keys go from link to link, Enter chooses`,
      "font-family": "system-ui, sans-serif" }, ...frames, lines, hits, ...frame_names, ...places);
    svg.addEventListener("pointermove", (event) => {
      const target = event.target as Element;
      const edge = target.getAttribute("data-edge"), place = target.closest("[data-place]");
      if (edge !== null) show_tip(`${edge_title(recording, layout, layout.edges[Number(edge)])}\n${load_text(layout.edges[Number(edge)])}`, event.clientX, event.clientY);
      else if (place) show_tip(place.getAttribute("data-place")!, event.clientX, event.clientY);
      else hide_tip();
    });
    svg.addEventListener("pointerleave", hide_tip);
    svg.addEventListener("click", (event) => {
      const edge = (event.target as Element).getAttribute("data-edge");
      if (edge !== null) { at = Number(edge); choose(choice_of(layout.edges[at])); }
    });
    svg.addEventListener("keydown", (event) => {
      const step: { [key: string]: number } = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
      if (event.key in step && drawn.length > 0) {
        event.preventDefault();
        at = Math.min(drawn.length - 1, Math.max(0, at < 0 ? 0 : at + step[event.key]));
        for (const one of drawn) one.line.classList.remove("pointed");
        drawn[at].line.classList.add("pointed");
        const where = drawn[at].line.getBoundingClientRect();
        const text = `${edge_title(recording, layout, drawn[at].edge)}\n${load_text(drawn[at].edge)}`;
        show_tip(text, where.left + where.width / 2, where.top + where.height / 2);
        live.textContent = text;
      } else if (event.key === "Enter" && at >= 0) { event.preventDefault(); choose(choice_of(layout.edges[at])); }
      else if (event.key === "Escape") { hide_tip(); choose(null); }
    });
    svg.addEventListener("blur", hide_tip);
    box.replaceChildren(svg);
    colour();
  };

  const csv = (): string => csv_line(["link", "place", "class", "capacity_bytes_per_s", "bytes", "busy_s", "lost_s", "lost_on_chain_s", "most_at_once", "load_shown"]) +
    network.links.map((link, i) => csv_line([link.name, link.place, link.group, link.capacity_bytes_per_s, link.bytes, link.busy_s, link.lost_s, link.lost_on_chain_s,
      link.most_flows, loads.of(i, moment.t)])).join("");
  const file = (): string => {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    copy.setAttribute("width", String(layout.width));
    copy.setAttribute("height", String(layout.height));
    copy.removeAttribute("tabindex");
    copy.prepend(s("rect", { width: layout.width, height: layout.height, fill: palette().paper }));
    return new XMLSerializer().serializeToString(copy) + "\n";
  };
  const stem = `network ${recording.title}`;
  const scale = h("div", { class: "load-scale" }, "0 %", h("span", { class: "load-ramp", "aria-hidden": "true" }), "100 % of the link");
  const update = per_frame(colour);
  moment.changed.on(update);
  schedule.chosen.on(update);
  on_theme(() => draw());
  let width = 0;
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } }).observe(box);
  draw();
  choose(null);
  return h("div", { class: "network" },
    told, h("div", { class: "legend-row" }, scale, h("span", { class: "buttons exports" },
      button("CSV", "Links as comma-separated values", () => save_text(file_name(stem, "csv"), csv(), "text/csv")),
      button("SVG", "The network as SVG", () => save_text(file_name(stem, "svg"), file(), "image/svg+xml")),
      button("PNG", "The network as PNG", () => save_svg_as_png(file_name(stem, "png"), file(), layout.width, layout.height, palette().paper)))),
    box,
    layout!.undrawn.length > 0 ? h("p", { class: "said" }, `${plural(layout!.undrawn.length, "link")} within a host or a box are not drawn; the CSV has them.`) : null,
    panel, live);
}
