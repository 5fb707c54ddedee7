// Shows the schedule of one run: tools, diagram, player, and facts about the chosen operation. A second run can be
// shown below, with the same time axis.
import { h, button } from "../base/dom";
import { Signal } from "../base/signal";
import { on_theme } from "../base/theme";
import { type Recording } from "../data";
import { account_panel } from "./account";
import { colour_words, colours_known, type ColourBy } from "./colours";
import { Diagram, type Settings } from "./diagram";
import { export_buttons, operations_list } from "./exports";
import { finder } from "./finder";
import { help } from "./help";
import { Legend } from "./legend";
import { Moment } from "./moment";
import { Operations } from "./operations";
import { Player } from "./player";
import { selection_panel } from "./selection";
import { TimeSpan } from "./view";

export interface OtherRun { title: string; recording: Recording }

export interface ScheduleSection {
  element: HTMLElement;
  moment: Moment;
  diagram: Diagram;
  /** Signals that another operation of the run was chosen. */
  chosen: Signal;
  show: (op: number) => void;
}

const operations_of = new Map<Recording, Operations>();
export function operations(recording: Recording): Operations {
  let ops = operations_of.get(recording);
  if (!ops) operations_of.set(recording, ops = new Operations(recording));
  return ops;
}

/** A run that takes no time is drawn on a short time axis. */
const total = (recording: Recording): number => (recording.total_s > 0 ? recording.total_s : 1e-9);

export function schedule_section(recording: Recording, others: OtherRun[]): ScheduleSection {
  const ops = operations(recording);
  const time = new TimeSpan(total(recording));
  time.whole();
  const moment = new Moment(total(recording), ops.rounds);
  const settings: Settings = { colour_by: "kind", follow: -1, show_chain: true, show_waiting: true, box_zoom: false };
  const chosen = new Signal();
  const player = new Player(moment, ops);
  const panel = h("div", { class: "choice", "aria-live": "polite" });

  const shown: { diagram: Diagram; legend: Legend }[] = [];
  const draw_soon = (): void => { for (const { diagram } of shown) diagram.draw_soon(); };
  const show_choice = (diagram: Diagram): void => {
    panel.replaceChildren(selection_panel(diagram.ops, diagram.chosen, (op) => { diagram.choose(op, true); diagram.canvas.focus(); }));
  };
  const add = (one: Recording): { diagram: Diagram; legend: Legend } => {
    const diagram = new Diagram(operations(one), time, moment, settings, `Schedule of ${one.title}`, draw_soon);
    diagram.chosen_changed = () => { show_choice(diagram); if (diagram === first.diagram) chosen.tell(); };
    diagram.key = (event) => {
      if (event.key === " ") player.toggle();
      else if (event.key === ".") player.step(1);
      else if (event.key === ",") player.step(-1);
      else return false;
      return true;
    };
    const made = { diagram, legend: new Legend(diagram, settings) };
    shown.push(made);
    return made;
  };
  const first = add(recording);
  show_choice(first.diagram);

  const colour = h("select", { change: () => {
    settings.colour_by = colour.value as ColourBy;
    for (const { diagram, legend } of shown) { diagram.recolour(); legend.show(); }
  } }, ...colours_known(recording).map((by) => h("option", { value: by }, colour_words[by])));

  const block = h("input", { type: "number", min: 0, max: Math.max(0, recording.blocks - 1), placeholder: "none", class: "short",
    title: "Show the way of this block", input: () => follow(block.value === "" ? -1 : Number(block.value)) });
  const follow = (wanted: number): void => {
    settings.follow = Number.isInteger(wanted) && wanted >= 0 && wanted < most_blocks() ? wanted : -1;
    if (block.value !== "" || wanted >= 0) block.value = wanted < 0 ? "" : String(wanted);
    draw_soon();
  };
  const most_blocks = (): number => Math.max(...shown.map(({ diagram }) => diagram.ops.recording.blocks));
  const find = finder(() => shown.map(({ diagram }) => diagram), follow);

  const check = (text: string, name: "show_chain" | "show_waiting" | "box_zoom", tip: string): HTMLElement => {
    const box = h("input", { type: "checkbox", change: () => {
      settings[name] = box.checked;
      draw_soon();
      for (const { legend } of shown) legend.show();
    } });
    box.checked = settings[name];
    return h("label", { class: "check", title: tip }, box, text);
  };
  const zoom = (factor: number): void => { time.zoom(factor, (time.from + time.until) / 2); draw_soon(); };
  const whole = (): void => { time.whole(); for (const { diagram } of shown) diagram.rows.whole(); draw_soon(); };

  const diagrams = h("div", { class: "diagrams" }, first.diagram.element);
  const show_beside = (other: OtherRun | undefined): void => {
    shown.length = 1;
    // If two runs are shown, both use the time axis of the longer run.
    time.total = moment.total = Math.max(total(recording), other ? total(other.recording) : 0);
    moment.rounds = Math.max(ops.rounds, other ? operations(other.recording).rounds : 0);
    if (other) {
      const { diagram, legend } = add(other.recording);
      diagrams.replaceChildren(h("h4", { class: "run-title" }, recording.title), first.diagram.element,
        h("h4", { class: "run-title" }, other.title), h("div", { class: "legend-row" }, legend.element, export_buttons(diagram)),
        diagram.element, operations_list(diagram));
    } else diagrams.replaceChildren(first.diagram.element);
    block.max = String(most_blocks() - 1);
    find.forget();
    moment.show_whole();
    whole();
  };
  const beside = h("select", { change: () => show_beside(others[Number(beside.value)]) },
    h("option", { value: "-1" }, "no other run"), ...others.map((other, i) => h("option", { value: i }, other.title)));

  const tools = h("div", { class: "tools", role: "group", "aria-label": "Diagram" },
    h("label", {}, "Colour by ", colour),
    recording.blocks > 1 && !recording.merged ? h("label", {}, "Follow block ", block) : null,
    h("label", {}, "Find ", find.field),
    recording.chain.length > 0 ? check("chain", "show_chain", "Draw the critical chain on top") : null,
    recording.merged ? null : check("waiting", "show_waiting", "Show when an operation was ready but waited for a port or core"),
    check("zoom by dragging a box", "box_zoom", "Drag a box to zoom into it (or hold Shift)"),
    h("span", { class: "buttons" }, button("+", "Zoom in", () => zoom(0.6)), button("−", "Zoom out", () => zoom(1 / 0.6)),
      button("all", "Show the whole run", whole)),
    others.length > 0 ? h("label", {}, "Compare with ", beside) : null,
    find.said);

  moment.changed.on(draw_soon);
  on_theme(() => { for (const { diagram, legend } of shown) { diagram.draw(); legend.show(); } });
  const element = h("div", { class: "schedule" },
    tools, h("div", { class: "legend-row" }, first.legend.element, export_buttons(first.diagram)), diagrams, player.element,
    h("div", { class: "columns" }, panel, recording.explanation ? account_panel(recording.explanation) : null),
    operations_list(first.diagram), help());
  return { element, moment, diagram: first.diagram, chosen, show: (op) => first.diagram.choose(op, true) };
}
