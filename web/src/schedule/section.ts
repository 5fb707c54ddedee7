// The schedule of one run: tools, diagram, player, and what is known of the choice; a second run below it, in step.
import { h, button, fresh_id } from "../base/dom";
import { csv_line, file_name, save_svg_as_png, save_text } from "../base/save";
import { Signal } from "../base/signal";
import { on_theme, palette } from "../base/theme";
import { time_text } from "../base/units";
import { type Recording } from "../data";
import { table_view } from "../part/table";
import { account_panel } from "./account";
import { colour_words, type ColourBy } from "./colours";
import { Diagram, type Settings } from "./diagram";
import { Moment } from "./moment";
import { kind_words, Operations } from "./operations";
import { Player } from "./player";
import { search } from "./search";
import { selection_panel } from "./selection";
import { TimeSpan } from "./view";

const operations_of = new Map<Recording, Operations>();
export function operations(recording: Recording): Operations {
  let ops = operations_of.get(recording);
  if (!ops) operations_of.set(recording, ops = new Operations(recording));
  return ops;
}

export interface ScheduleSection { element: HTMLElement; moment: Moment; diagram: Diagram; chosen: Signal; show: (ops: number[]) => void }

function operations_csv(diagram: Diagram): string {
  const { ops, time } = diagram;
  let text = csv_line(["operation", "kind", "sender", "receiver", "bytes", "round", "ready_s", "start_s", "end_s",
    "first_block", "blocks", "slowed_by", "lost_s", "slack_s", "on_chain"]);
  ops.within(time.from, time.until, (op) => {
    text += csv_line([op, kind_words[ops.kind[op]], ops.row_name(ops.src[op]), ops.row_name(ops.dst[op]), ops.bytes[op],
      ops.round[op], ops.ready[op], ops.start[op], ops.end[op], ops.first_block[op] < 0 ? null : ops.first_block[op],
      ops.block_count[op], ops.recording.network?.links[ops.held_by[op]]?.name ?? null, ops.lost[op],
      ops.slack ? ops.slack[op] : null, ops.on_chain[op]]);
  });
  return text;
}

function operations_table(diagram: Diagram): HTMLElement {
  const { ops, time } = diagram;
  const rows: (string | number | null)[][] = [], shown: string[][] = [];
  ops.within(time.from, time.until, (op) => {
    rows.push([ops.start[op], ops.end[op], ops.label(op), ops.blocks_text(op), ops.slack ? ops.slack[op] : null]);
    shown.push([time_text(ops.start[op]), time_text(ops.end[op]), ops.label(op), ops.blocks_text(op), ops.slack ? time_text(ops.slack[op]) : ""]);
  });
  return table_view({ id: "operations", title: "Operations in view", rows, shown, columns: [
    { name: "start", unit: "", align: "right" }, { name: "end", unit: "", align: "right" },
    { name: "operation", unit: "", align: "left" }, { name: "blocks", unit: "", align: "left" }, { name: "slack", unit: "", align: "right" }] });
}

export function schedule_section(recording: Recording, others: { title: string; recording: Recording }[]): ScheduleSection {
  const ops = operations(recording);
  // A run that takes no time at all is drawn on an axis all the same.
  const total = (one: Recording): number => (one.total_s > 0 ? one.total_s : 1e-9);
  const own_time = new TimeSpan(total(recording));
  own_time.whole();
  const moment = new Moment(total(recording), ops.rounds);
  const settings: Settings = { colour_by: "kind", follow: -1, show_chain: true, show_waiting: true, box_zoom: false };
  const chosen = new Signal();
  let second: Diagram | null = null;
  const all = (work: (diagram: Diagram) => void): void => { work(first); if (second) work(second); };

  const panel = h("div", { class: "choice", "aria-live": "polite" });
  const first = new Diagram(ops, own_time, moment, settings, `Schedule of ${recording.title}`, () => all((d) => d.draw_soon()));
  const player = new Player(moment, ops);
  const legend = h("ul", { class: "legend", "aria-label": "Colours" });

  const show_choice = (diagram: Diagram): void => {
    panel.replaceChildren(selection_panel(diagram.ops, diagram.chosen, (op) => { diagram.choose(op, true); diagram.canvas.focus(); }));
  };
  const connect = (diagram: Diagram): void => {
    diagram.chosen_changed = () => { show_choice(diagram); if (diagram === first) chosen.tell(); };
    diagram.key = (event) => {
      if (event.key === " ") player.toggle();
      else if (event.key === ".") player.step(1);
      else if (event.key === ",") player.step(-1);
      else return false;
      return true;
    };
  };
  connect(first);
  show_choice(first);

  const show_legend = (): void => {
    const colours = first.classes.colours(palette());
    const used = new Set(first.classes.of_op);
    if (second) for (const c of second.classes.of_op) used.add(c);
    const items = first.classes.names.map((name, c) => (used.has(c) ? h("li", {}, h("span", { class: "swatch", style: `background:${colours[c]}` }), name) : null));
    const chain = settings.show_chain && recording.chain.length > 0
      ? h("li", {}, h("span", { class: "swatch line", style: `background:${palette().chain}` }), "critical chain") : null;
    const waiting = settings.show_waiting ? h("li", {}, h("span", { class: "swatch", style: `background:${palette().wait}` }), "waiting for a port or core") : null;
    legend.replaceChildren(...[...items, chain, waiting].filter((item): item is HTMLLIElement => item !== null));
  };

  const colour = h("select", { change: () => {
    settings.colour_by = colour.value as ColourBy;
    all((d) => d.recolour());
    show_legend();
  } }, ...(Object.entries(colour_words)).map(([value, words]) => h("option", { value }, words)));
  const follow = h("input", { type: "number", min: 0, max: Math.max(0, recording.blocks - 1), placeholder: "none", class: "short",
    title: "The block whose way one sees", input: () => {
      const value = follow.value === "" ? -1 : Number(follow.value);
      settings.follow = Number.isInteger(value) && value >= 0 && value < recording.blocks ? value : -1;
      all((d) => d.draw_soon());
    } });
  const said = h("output", { class: "found", "aria-live": "polite" });
  let at = 0, found_ops: number[] = [], found_for = "";
  const find = (): void => {
    const text = field.value;
    if (text.trim() === "") { said.textContent = ""; found_ops = []; found_for = ""; return; }
    if (text === found_for && found_ops.length > 0) at = (at + 1) % found_ops.length;
    else {
      const found = search(ops, text);
      found_for = text;
      at = 0;
      found_ops = found.what === "ops" || found.what === "block" ? found.ops : [];
      said.textContent = found.text;
      if (found.what === "rank") {
        first.rows.set(found.row - 3, found.row + 4);
        first.draw_soon();
      }
      if (found.what === "block") {
        follow.value = String(found.block);
        settings.follow = found.block;
        all((d) => d.draw_soon());
      }
    }
    if (found_ops.length > 0) {
      first.choose(found_ops[at], true);
      if (found_ops.length > 1) said.textContent = `${said.textContent!.replace(/ \(.*\)$/, "")} (${at + 1}; Enter: the next)`;
    }
  };
  const field = h("input", { type: "search", placeholder: "rank 3, block 5, 0 -> 4", class: "search",
    keydown: (event: KeyboardEvent) => { if (event.key === "Enter") { event.preventDefault(); find(); } },
    change: find });
  const check = (text: string, name: "show_chain" | "show_waiting" | "box_zoom", tip: string): HTMLElement => {
    const box = h("input", { type: "checkbox", change: () => { settings[name] = box.checked; all((d) => d.draw_soon()); show_legend(); } });
    box.checked = settings[name];
    return h("label", { class: "check", title: tip }, box, text);
  };

  const zoom = (factor: number): void => {
    first.time.zoom(factor, (first.time.from + first.time.until) / 2);
    all((d) => d.draw_soon());
  };
  const diagrams = h("div", { class: "diagrams" }, first.element);
  const beside = others.length === 0 ? null : h("select", { change: () => show_beside(Number(beside!.value)) },
    h("option", { value: "-1" }, "no other run"), ...others.map((other, i) => h("option", { value: i }, other.title)));
  const title = recording.title;
  const tools = h("div", { class: "tools", role: "group", "aria-label": "Diagram" },
    h("label", {}, "Colour by ", colour),
    recording.blocks > 1 && !recording.merged ? h("label", {}, "Follow block ", follow) : null,
    h("label", {}, "Find ", field),
    recording.chain.length > 0 ? check("chain", "show_chain", "Draw the critical chain above the rest") : null,
    check("waiting", "show_waiting", "Show from when on an operation was ready, but had no port or core"),
    check("box", "box_zoom", "Drag a box to zoom into it (or hold Shift)"),
    h("span", { class: "buttons" }, button("+", "Zoom in", () => zoom(0.6)), button("−", "Zoom out", () => zoom(1 / 0.6)),
      button("all", "Show the whole run", () => { all((d) => { d.time.whole(); d.rows.whole(); d.draw_soon(); }); })),
    beside ? h("label", {}, "In step with ", beside) : null,
    said);
  const exports = h("span", { class: "buttons exports" },
      button("CSV", "Operations in view as comma-separated values", () => save_text(file_name(`schedule ${title}`, "csv"), operations_csv(first), "text/csv")),
      button("SVG", "What is shown as SVG", () => save_text(file_name(`schedule ${title}`, "svg"), first.svg(title), "image/svg+xml")),
      button("PNG", "What is shown as PNG", () => save_svg_as_png(file_name(`schedule ${title}`, "png"), first.svg(title),
        Math.max(700, first.canvas.clientWidth), Math.max(220, first.canvas.clientHeight), palette().paper)));
  const heading = h("h4", { class: "run-title" }, recording.title);
  const show_beside = (which: number): void => {
    second?.element.remove();
    second = null;
    const other = others[which];
    // Two runs in step have one axis of time: that of the longer one.
    moment.rounds = Math.max(ops.rounds, other ? operations(other.recording).rounds : 0);
    own_time.total = moment.total = Math.max(total(recording), other ? total(other.recording) : 0);
    if (other) {
      second = new Diagram(operations(other.recording), own_time, moment, settings, `Schedule of ${other.title}`, () => all((d) => d.draw_soon()));
      connect(second);
      heading.textContent = recording.title;
      diagrams.replaceChildren(heading, first.element, h("h4", { class: "run-title" }, other.title), second.element);
    } else diagrams.replaceChildren(first.element);
    own_time.whole();
    moment.show_whole();
    all((d) => d.draw_soon());
    show_legend();
  };

  moment.changed.on(() => all((d) => d.draw_soon()));
  on_theme(() => { all((d) => d.draw()); show_legend(); });
  show_legend();

  const listed = h("div", {});
  const list = h("details", { class: "listed", toggle: () => { listed.replaceChildren(...(list.open ? [operations_table(first)] : [])); } },
    h("summary", {}, "Operations in view as a table"), listed);
  const id = fresh_id("schedule");
  const account = recording.explanation ? account_panel(recording.explanation) : null;
  const element = h("div", { class: "schedule", id },
    tools, h("div", { class: "legend-row" }, legend, exports), diagrams, player.element,
    h("div", { class: "columns" }, panel, account), list);
  return { element, moment, diagram: first, chosen, show: (wanted) => { if (wanted.length > 0) first.choose(wanted[0], true); } };
}
