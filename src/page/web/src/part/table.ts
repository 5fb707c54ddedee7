// A table that the reader can sort with the mouse or the keyboard. Long tables have a filter. With more than a thousand
// rows, only the visible rows are rendered.
import { h, button } from "../base/dom";
import { csv_line, file_name, save_text } from "../base/save";
import { plural } from "../base/units";
import { type Cell, type TableData } from "../data";

const render_all_up_to = 1000;
const filter_from = 12;
const row_height = 26;

function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;     // unknown values come last
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

export function cell_text(table: TableData, row: number, column: number): string {
  const shown = table.shown?.[row]?.[column];
  if (shown !== undefined && shown !== null) return shown;
  const cell = table.rows[row][column];
  return cell === null ? "" : String(cell);
}

/** Shows a table. If `pick` is given, the first cell of each row is a button that calls it. */
export function table_view(table: TableData, pick?: (row: number) => void): HTMLElement {
  let order = table.rows.map((_, i) => i);
  let sorted_by = -1, down = false, wanted = "";
  const body = h("tbody", {});
  const heads = table.columns.map((column, c) => {
    const mark = h("span", { class: "mark", "aria-hidden": "true" });
    const press = h("button", { type: "button", click: () => sort(c) }, column.name, column.unit ? h("span", { class: "unit" }, ` ${column.unit}`) : null, mark);
    return h("th", { scope: "col", class: column.align === "right" ? "right" : null }, press);
  });
  const told = h("span", { class: "muted", "aria-live": "polite" });
  const scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": table.title },
    h("table", { class: "data" }, h("caption", { class: "hidden" }, table.title), h("thead", {}, h("tr", {}, ...heads)), body));

  // Sentences wrap; names and numbers do not.
  const sentences = table.columns.map((column, c) => column.align === "left" && table.rows.length <= render_all_up_to &&
    table.rows.some((_, row) => cell_text(table, row, c).length > 44));
  const class_of = (c: number): string | null => (table.columns[c].align === "right" ? "right" : sentences[c] ? "sentence" : null);
  // On a narrow screen, sentences are on lines of their own below the row.
  const narrow = window.matchMedia("(max-width: 700px)");
  const has_own_line = (c: number): boolean => narrow.matches && c > 0 && sentences[c];
  const own_lines_of = (row: number): HTMLTableRowElement[] => table.columns.flatMap((column, c) => has_own_line(c) && cell_text(table, row, c) !== ""
    ? [h("tr", { class: "own-line" }, h("td", { colspan: table.columns.length }, h("div", {}, `${column.name}: ${cell_text(table, row, c)}`)))] : []);
  const row_of = (row: number): HTMLTableRowElement => h("tr", {}, ...table.columns.map((column, c) => has_own_line(c) ? null :
    h(c === 0 && column.align === "left" ? "th" : "td", { class: class_of(c), scope: c === 0 && column.align === "left" ? "row" : null },
      pick && c === 0 ? h("button", { type: "button", class: "link", click: () => pick(row) }, cell_text(table, row, c)) : cell_text(table, row, c))));
  const gap = (rows: number): HTMLTableRowElement =>
    h("tr", { class: "gap", "aria-hidden": "true" }, h("td", { colspan: table.columns.length, style: `height:${rows * row_height}px` }));
  let first_shown = -1;
  const render = (): void => {
    if (order.length <= render_all_up_to) {
      heads.forEach((head, c) => { head.hidden = has_own_line(c); });
      body.replaceChildren(...order.flatMap((row) => [row_of(row), ...own_lines_of(row)]));
      return;
    }
    const first = Math.max(0, Math.floor(scroller.scrollTop / row_height) - 20);
    const last = Math.min(order.length, first + 20 + Math.ceil((scroller.clientHeight || 400) / row_height) + 40);
    if (first === first_shown) return;
    first_shown = first;
    body.replaceChildren(gap(first), ...order.slice(first, last).map(row_of), gap(order.length - last));
  };
  const again = (): void => {
    const words = wanted.toLowerCase();
    order = table.rows.map((_, i) => i).filter((row) => words === "" ||
      table.columns.some((_, c) => cell_text(table, row, c).toLowerCase().includes(words)));
    if (sorted_by >= 0)
      order.sort((a, b) => {
        const x = table.rows[a][sorted_by], y = table.rows[b][sorted_by];
        const by = x === null || y === null ? compare(x, y) : compare(x, y) * (down ? -1 : 1);
        return by || a - b;
      });
    heads.forEach((head, c) => {
      head.setAttribute("aria-sort", c !== sorted_by ? "none" : down ? "descending" : "ascending");
      head.querySelector(".mark")!.textContent = c !== sorted_by ? "" : down ? " ▾" : " ▴";
    });
    told.textContent = words === "" ? plural(table.rows.length, "row") : `${order.length} of ${plural(table.rows.length, "row")}`;
    first_shown = -1;
    render();
  };
  const sort = (c: number): void => {
    if (sorted_by === c) down = !down;
    else { sorted_by = c; down = false; }
    again();
  };
  narrow.addEventListener("change", again);
  scroller.addEventListener("scroll", () => { if (order.length > render_all_up_to) render(); });
  if (table.rows.length > render_all_up_to) scroller.classList.add("long");
  again();
  const filter = table.rows.length >= filter_from
    ? h("label", {}, h("span", { class: "hidden" }, `Filter ${table.title}`), h("input", { type: "search", placeholder: "filter",
      input: (event: InputEvent) => { wanted = (event.target as HTMLInputElement).value.trim(); scroller.scrollTop = 0; again(); } })) : null;
  return h("section", { class: "table" },
    h("div", { class: "table-head" }, h("h4", {}, table.title), told, filter,
      button("CSV", `${table.title} as comma-separated values`, () => save_text(file_name(table.title, "csv"),
        csv_line(table.columns.map((column) => column.csv ?? (column.unit ? `${column.name} (${column.unit})` : column.name))) +
        order.map((row) => csv_line(table.rows[row])).join(""), "text/csv"))),
    scroller);
}
