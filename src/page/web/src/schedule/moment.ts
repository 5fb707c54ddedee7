// The moment that the slider selects. The diagram and the network show the same moment.
import { Signal } from "../base/signal";

export type StepBy = "time" | "round";

export class Moment {
  readonly changed = new Signal();
  by: StepBy = "time";
  /** Seconds since the start of the run; null: the whole run. */
  t: number | null = null;
  round = 0;

  constructor(public total: number, public rounds: number) {}

  show_whole(): void { this.t = null; this.changed.tell(); }
  at_time(t: number): void { this.t = Math.min(Math.max(t, 0), this.total); this.changed.tell(); }
  at_round(round: number, t: number): void {
    this.round = Math.min(Math.max(round, 0), this.rounds - 1);
    this.t = t;
    this.changed.tell();
  }
}
