import { h } from "../base/dom";
import { type Recording } from "../data";
import { type ScheduleSection } from "../schedule/section";
export function network_section(_recording: Recording, _schedule: ScheduleSection): HTMLElement { return h("div"); }
