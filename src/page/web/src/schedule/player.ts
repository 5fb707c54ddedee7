// Plays a run: a slider over time or rounds, with play, pause and steps.
import { h, button, fresh_id } from "../base/dom";
import { calm } from "../base/theme";
import { time_text } from "../base/units";
import { type Moment, type StepBy } from "./moment";
import { type Operations } from "./operations";

const seconds_for_all = 12;
const steps = 1000;

export class Player {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly play_button: HTMLButtonElement;
  private readonly shown = h("output", { class: "moment" });
  private playing = false;
  private last = 0;
  /** The moment shown for each round. */
  private readonly middle_of_round: Float64Array;

  constructor(private readonly moment: Moment, ops: Operations) {
    const first = new Float64Array(ops.rounds).fill(Infinity), last = new Float64Array(ops.rounds);
    for (let op = 0; op < ops.count; ++op) {
      first[ops.round[op]] = Math.min(first[ops.round[op]], ops.start[op]);
      last[ops.round[op]] = Math.max(last[ops.round[op]], ops.end[op]);
    }
    this.middle_of_round = first.map((from, i) => (Number.isFinite(from) ? (from + last[i]) / 2 : 0));
    const id = fresh_id("moment");
    this.slider = h("input", { type: "range", min: 0, max: steps, value: 0, id, "aria-label": "Moment of the run",
      input: () => {
        const value = Number(this.slider.value);    // pause() sets the slider back to the old moment
        this.pause();
        this.to_value(value);
      } });
    this.play_button = button("Play", "Play", () => (this.playing ? this.pause() : this.play()), { class: "play" });
    const by = h("select", { "aria-label": "Step by", change: () => { this.by(by.value as StepBy); } },
      h("option", { value: "time" }, "by time"), h("option", { value: "round" }, "by rounds"));
    this.element = h("div", { class: "player", role: "group", "aria-label": "Play the run" },
      this.play_button,
      button("‹", "One step back", () => this.step(-1)),
      button("›", "One step forward", () => this.step(1)),
      this.slider, this.shown, by,
      button("whole run", "Show the whole run again", () => { this.pause(); moment.show_whole(); }));
    moment.changed.on(() => this.show());
    this.show();
  }

  private by(by: StepBy): void {
    this.pause();
    this.moment.by = by;
    if (this.moment.t === null) this.show();
    else if (by === "round") this.to_round(this.moment.round);
    else this.moment.at_time(this.moment.t);
  }

  private to_round(round: number): void {
    const r = Math.min(Math.max(round, 0), this.moment.rounds - 1);
    this.moment.at_round(r, this.middle_of_round[r] ?? this.moment.total);
  }

  private to_value(value: number): void {
    if (this.moment.by === "round") this.to_round(value);
    else this.moment.at_time((value / steps) * this.moment.total);
  }

  step(by: number): void {
    this.pause();
    const { moment } = this;
    if (moment.by === "round") this.to_round(moment.t === null ? (by > 0 ? 0 : moment.rounds - 1) : moment.round + by);
    else moment.at_time((moment.t ?? (by > 0 ? 0 : moment.total)) + (by * moment.total) / 50);
  }

  toggle(): void { if (this.playing) this.pause(); else this.play(); }

  private play(): void {
    const { moment } = this;
    if (moment.t === null || moment.t >= moment.total || (moment.by === "round" && moment.round >= moment.rounds - 1)) {
      if (moment.by === "round") this.to_round(0); else moment.at_time(0);
    }
    this.playing = true;
    this.last = performance.now();
    this.show();
    const frame = (now: number): void => {
      if (!this.playing) return;
      if (moment.by === "round") {
        if (now - this.last >= 900) {
          this.last = now;
          if (moment.round >= moment.rounds - 1) { this.pause(); return; }
          this.to_round(moment.round + 1);
        }
      } else if (!calm() || now - this.last >= 500) {
        // Readers who prefer less motion get a step every half second.
        moment.at_time((moment.t ?? 0) + ((now - this.last) / 1000 / seconds_for_all) * moment.total);
        this.last = now;
        if ((moment.t ?? 0) >= moment.total) { this.pause(); return; }
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  pause(): void {
    this.playing = false;
    this.show();
  }

  private show(): void {
    const { moment } = this;
    this.play_button.textContent = this.playing ? "Pause" : "Play";
    this.play_button.title = this.playing ? "Pause" : "Play";
    const text = moment.t === null ? "whole run"
      : moment.by === "round" ? `round ${moment.round} of 0 to ${moment.rounds - 1}` : time_text(moment.t);
    if (this.shown.textContent !== text) this.shown.textContent = text;
    this.slider.max = String(moment.by === "time" ? steps : moment.rounds - 1);
    this.slider.value = String(moment.t === null ? 0 : moment.by === "round" ? moment.round : Math.round((moment.t / moment.total) * steps));
    this.slider.setAttribute("aria-valuetext", text);
  }
}
