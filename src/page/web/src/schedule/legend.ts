// The legend of a diagram's colours.
import { h } from "../base/dom";
import { palette } from "../base/theme";
import { type Diagram, type Settings } from "./diagram";

export class Legend {
  readonly element = h("ul", { class: "legend", "aria-label": "Colours" });
  private readonly waits: boolean;

  constructor(private readonly diagram: Diagram, private readonly settings: Settings) {
    const { ops } = diagram;
    const least = 1e-9 * ops.recording.total_s;
    this.waits = ops.start.some((start, op) => start - ops.ready[op] > least);
    this.show();
  }

  show(): void {
    const { ops, classes } = this.diagram;
    const colours = classes.colours(palette()), used = new Set(classes.of_op);
    const item = (name: string, colour: string, line = false): HTMLLIElement =>
      h("li", {}, h("span", { class: line ? "swatch line" : "swatch", style: `background:${colour}` }), name);
    const items = classes.names.map((name, c) => [name, colours[c], c] as const).filter(([, , c]) => used.has(c)).map(([name, colour]) => item(name, colour));
    if (this.settings.show_chain && ops.recording.chain.length > 0) items.push(item("critical chain", palette().chain, true));
    if (this.settings.show_waiting && this.waits) items.push(item("waiting for a port or core", palette().wait));
    this.element.replaceChildren(...items);
  }
}
