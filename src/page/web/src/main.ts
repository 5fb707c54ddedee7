import { h, button, fresh_id, type Child } from "./base/dom";
import { choice, choose, start_theme, type Choice } from "./base/theme";
import { read_report, type Part, type Picture, type Recording, type Report, type Result } from "./data";
import { network_section } from "./network/section";
import { answer, limits, limits_of_runs } from "./part/answer";
import { picture_view } from "./part/picture";
import { table_view } from "./part/table";
import { why_section } from "./part/why";
import { schedule_section } from "./schedule/section";

interface Section { id: string; title: string }
interface Made { id: string; title: string; element: HTMLElement; sections: Section[] }

const kind_words: { [kind in Part["kind"]]: string } = {
  run: "Run", comparison: "Comparison", decision: "Decision", validation: "Validation", query: "Database",
  explanation: "Run", contrast: "Two runs", schedule: "Schedule", bound: "Lower bounds", picture: "Picture",
};

function section(made: Made, title: string, ...children: Child[]): void {
  const id = fresh_id("section");
  made.sections.push({ id, title });
  made.element.append(h("section", { id, class: "block", "aria-labelledby": `${id}-h` }, h("h3", { id: `${id}-h` }, title), ...children));
}

function run_part(made: Made, part: Part, report: Report): void {
  const recording = part.document as Recording;
  made.element.append(answer(recording));
  const others = report.parts.filter((other) => other.kind === "run" && other !== part)
    .map((other) => ({ title: other.title, recording: other.document as Recording }));
  const schedule = schedule_section(recording, others);
  section(made, "Schedule", schedule.element);
  if (recording.network) section(made, "Network", network_section(recording, schedule));
  const why = why_section(recording, part.pictures.filter((picture) => picture.group === "why"));
  if (why) section(made, "Why", why);
  const rest = part.pictures.filter((picture) => picture.group !== "why");
  if (rest.length > 0) section(made, "Pictures", ...rest.map(picture_view));
}

const group_words: { [group: string]: string } = {
  comparison: "Times", decision: "Maps", validation: "Against measurements", why: "Why", bound: "Bounds", matrix: "Winners",
};

function other_part(made: Made, part: Part): void {
  const { result, explanations } = part.document as { result?: Result; explanations?: { result: Result }[] } | null ?? {};
  const tiles = part.kind === "explanation" && result ? limits_of_runs([result])
    : part.kind === "contrast" && explanations ? limits_of_runs(explanations.map((one) => one.result)) : limits(part.tables);
  if (tiles) made.element.append(tiles);
  const groups = new Map<string, Picture[]>();
  for (const picture of part.pictures) {
    const list = groups.get(picture.group);
    if (list) list.push(picture); else groups.set(picture.group, [picture]);
  }
  for (const [group, pictures] of groups) {
    const words = group_words[group] ?? "Pictures";
    section(made, words, h("div", { class: "pictures" }, ...pictures.map(picture_view)));
  }
}

function make_part(part: Part, report: Report): Made {
  const id = fresh_id("part");
  const made: Made = { id, title: part.title, sections: [], element: h("article", { id, class: `part part-${part.kind}`, "aria-labelledby": `${id}-h` },
    h("header", { class: "part-head" },
      h("p", { class: "kind" }, kind_words[part.kind]),
      h("h2", { id: `${id}-h` }, part.title),
      part.source ? h("p", { class: "source" }, h("code", {}, part.source)) : null,
      ...part.notes.map((note) => h("p", { class: "note" }, note)))) };
  if (part.kind === "run") run_part(made, part, report);
  else other_part(made, part);
  if (part.tables.length > 0) section(made, part.tables.length === 1 ? "Table" : "Tables", ...part.tables.map((table) => table_view(table)));
  return made;
}

function header(report: Report): HTMLElement {
  const theme = h("select", { change: () => choose(theme.value as Choice) },
    ...["auto", "light", "dark"].map((value) => h("option", { value }, value)));
  theme.value = choice();
  // A page whose only part has the same title need not show the title twice.
  const again = report.parts.length === 1 && report.parts[0].title === report.title;
  return h("header", { class: "page-head" },
    h("div", {}, h("h1", { class: again ? "hidden" : null }, report.title), h("p", { class: "muted" }, report.made_by)),
    h("div", { class: "page-tools" }, h("label", {}, "Theme ", theme), button("Print", "Print the page", () => print())));
}

/** Allows a long algorithm name to break after a slash or an underscore. */
function broken(title: string): Child[] {
  return title.split(/(?<=[/_])/).flatMap((piece, i) => (i === 0 ? [piece] : [h("wbr", {}), piece]));
}

function navigation(parts: Made[]): HTMLElement {
  return h("nav", { class: "page-nav", "aria-label": "Parts of the report" }, h("ul", {}, ...parts.map((part) => h("li", {},
    h("a", { href: `#${part.id}` }, ...broken(part.title)),
    part.sections.length > 1 ? h("ul", {}, ...part.sections.map((one) => h("li", {}, h("a", { href: `#${one.id}` }, one.title)))) : null))));
}

/** Marks the navigation entry of the section in view. */
function follow_reading(nav: HTMLElement): void {
  const seen = new Map<string, boolean>();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting);
    let marked = false;
    for (const link of nav.querySelectorAll<HTMLAnchorElement>("a")) {
      const on = !marked && seen.get(link.hash.slice(1)) === true;
      if (on) { link.setAttribute("aria-current", "true"); marked = true; } else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-15% 0px -60% 0px" });
  for (const one of document.querySelectorAll("section.block, article.part")) if (one.id && !one.querySelector("section.block")) observer.observe(one);
}

function start(): void {
  start_theme();
  const page = document.getElementById("page")!;
  let report: Report;
  try {
    report = read_report();
  } catch (error) {
    page.append(h("p", { class: "note" }, `The data of this page cannot be read: ${(error as Error).message}`));
    return;
  }
  const parts = report.parts.map((part) => make_part(part, report));
  const nav = navigation(parts);
  page.append(h("a", { class: "skip", href: "#main" }, "Skip to the report"), header(report), nav,
    h("main", { id: "main", tabindex: -1 }, ...parts.map((part) => part.element)));
  follow_reading(nav);
}

start();
