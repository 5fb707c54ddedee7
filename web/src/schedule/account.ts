// The critical chain's account: where the whole time of the run goes.
import { h } from "../base/dom";
import { type Explanation } from "../data";
import { percent_text, time_text } from "../base/units";

export function account_panel(explanation: Explanation): HTMLElement {
  const most = Math.max(...explanation.account.map((row) => row.seconds), 1e-30);
  const rows = explanation.account.map((row) => h("tr", {},
    h("th", { scope: "row" }, row.in_words),
    h("td", { class: "bar-cell" }, h("span", { class: `account-bar row-${row.row}`, style: `width:${((100 * row.seconds) / most).toFixed(1)}%` })),
    h("td", { class: "right" }, time_text(row.seconds)),
    h("td", { class: "right" }, percent_text(row.seconds / (explanation.total_s || 1)))));
  return h("div", { class: "account" },
    h("h4", {}, "Where the time goes, on the critical chain"),
    h("table", {}, h("thead", { class: "hidden" }, h("tr", {}, h("th", {}, "what"), h("th", {}, "bar"), h("th", {}, "time"), h("th", {}, "share"))),
      h("tbody", {}, ...rows)));
}
