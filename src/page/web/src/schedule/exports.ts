// Exports the view: operations as CSV or as a table, the diagram as SVG or PNG.
import { h, button } from "../base/dom";
import { csv_line, file_name, save_svg_as_png, save_text } from "../base/save";
import { palette } from "../base/theme";
import { time_text } from "../base/units";
import { table_view } from "../part/table";
import { type Diagram } from "./diagram";
import { kind_words } from "./operations";

function operations_csv(diagram: Diagram): string {
  const { ops, time } = diagram;
  const lines = [csv_line(["operation", "kind", "sender", "receiver", "bytes", "round", "ready_s", "start_s", "end_s",
    "blocks", "slowed_by", "lost_s", "slack_s", "on_chain", "operations"])];
  const merged = ops.recording.merged !== null;       // entries are sums, for which some values are unknown
  ops.within(time.from, time.until, (op) => {
    lines.push(csv_line([op, kind_words[ops.kind[op]], ops.row_name(ops.src[op]), ops.row_name(ops.dst[op]), ops.bytes[op],
      ops.round[op], merged ? null : ops.ready[op], ops.start[op], ops.end[op], ops.blocks.runs_text(op) || null,
      ops.recording.network?.links[ops.held_by[op]]?.name ?? null, merged ? null : ops.lost[op],
      ops.slack ? ops.slack[op] : null, merged ? null : ops.on_chain[op], ops.merged_count ? ops.merged_count[op] : 1]));
  });
  return lines.join("");
}

export function export_buttons(diagram: Diagram): HTMLElement {
  const title = diagram.ops.recording.title, stem = `schedule ${title}`;
  return h("span", { class: "buttons exports" },
    button("CSV", "Operations in view as comma-separated values", () => save_text(file_name(stem, "csv"), operations_csv(diagram), "text/csv")),
    button("SVG", "The diagram as SVG", () => save_text(file_name(stem, "svg"), diagram.svg(title).text, "image/svg+xml")),
    button("PNG", "The diagram as PNG", () => {
      const { text, width, height } = diagram.svg(title);
      save_svg_as_png(file_name(stem, "png"), text, width, height, palette().paper);
    }));
}

function operations_table(diagram: Diagram): HTMLElement {
  const { ops, time } = diagram;
  const rows: (string | number | null)[][] = [], shown: string[][] = [];
  ops.within(time.from, time.until, (op) => {
    const slack = ops.slack ? ops.slack[op] : null;
    rows.push([ops.start[op], ops.end[op], ops.label(op), ops.blocks.text(op), slack]);
    shown.push([time_text(ops.start[op]), time_text(ops.end[op]), ops.label(op), ops.blocks.text(op), slack === null ? "" : time_text(slack)]);
  });
  return table_view({ id: "operations", title: "Operations in view", rows, shown, columns: [
    { name: "start", unit: "", align: "right", csv: "start_s" }, { name: "end", unit: "", align: "right", csv: "end_s" },
    { name: "operation", unit: "", align: "left" }, { name: "blocks", unit: "", align: "left" }, { name: "slack", unit: "", align: "right", csv: "slack_s" }] });
}

/** Returns a table of operations. It is filled when the reader opens it, with the operations in view at that time. */
export function operations_list(diagram: Diagram): HTMLElement {
  const listed = h("div", {});
  const list = h("details", { class: "listed", toggle: () => { listed.replaceChildren(...(list.open ? [operations_table(diagram)] : [])); } },
    h("summary", {}, "Operations in view as a table"), listed);
  return list;
}
