// The account of the critical chain: where the whole time of the run goes.
import { h, button } from "../base/dom";
import { type Explanation } from "../data";
import { percent_text, plural, time_text } from "../base/units";

/** Maximum number of rows. The remaining rows are summed up in one row until the reader asks for them. */
const most_rows = 8;

export function account_panel(explanation: Explanation): HTMLElement {
  const { account, total_s } = explanation;
  const most = account.reduce((sum, row) => Math.max(sum, row.seconds), 1e-30);
  const row_of = (words: Node | string, kind: string, seconds: number): HTMLElement => h("tr", {},
    h("th", { scope: "row" }, words),
    h("td", { class: "bar-cell" }, h("span", { class: `account-bar row-${kind}`, style: `width:${Math.min(100, (100 * seconds) / most).toFixed(1)}%` })),
    h("td", { class: "right" }, time_text(seconds)),
    h("td", { class: "right" }, percent_text(seconds / (total_s || 1))));
  const body = h("tbody", {});
  const fill = (all: boolean): void => {
    const shown = all || account.length <= most_rows + 1 ? account : account.slice(0, most_rows);
    const rest = account.slice(shown.length);
    const rows = shown.map((row) => row_of(row.in_words, row.row, row.seconds));
    if (rest.length > 0)
      rows.push(row_of(button(`${plural(rest.length, "smaller row")}`, "Show them all", () => fill(true), { class: "link" }), "rest",
        rest.reduce((sum, row) => sum + row.seconds, 0)));
    body.replaceChildren(...rows);
  };
  fill(false);
  const table = (rows: HTMLElement): HTMLElement =>
    h("table", {}, h("thead", { class: "hidden" }, h("tr", {}, h("th", {}, "what"), h("th", {}, "bar"), h("th", {}, "time"), h("th", {}, "share"))), rows);
  const waits = (explanation.waits ?? []).slice(0, most_rows).map((row) => row_of(row.in_words, "waiting", row.seconds));
  return h("div", { class: "account" },
    h("h4", {}, "Where the time goes, on the critical chain"), table(body),
    waits.length > 0 ? h("h4", {}, "Of this, while the next operation was ready but waited") : null,
    waits.length > 0 ? table(h("tbody", {}, ...waits)) : null);
}
