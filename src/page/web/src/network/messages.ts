// Finds the links of a message, and the messages that crossed a link.
import { type Recording } from "../data";
import { message, type Operations } from "../schedule/operations";

export class Routes {
  private readonly of_pair = new Map<number, number>();
  private readonly hosts: number;

  constructor(private readonly recording: Recording, private readonly ops: Operations) {
    const routes = recording.network!.routes;
    this.hosts = 1 + recording.network!.nodes.reduce((most, node) => Math.max(most, node.host),
      recording.host_of_rank.reduce((most, host) => Math.max(most, host), 0));
    for (let i = 0; i < routes.src.length; ++i) this.of_pair.set(routes.src[i] * this.hosts + routes.dst[i], i);
  }

  private pair(op: number): number {
    const host = this.recording.host_of_rank;
    return (host[this.ops.src[op]] ?? -1) * this.hosts + (host[this.ops.dst[op]] ?? -1);
  }

  links_of(op: number): number[] {
    if (this.recording.merged || op < 0 || this.ops.kind[op] !== message) return [];
    const { start, links } = this.recording.network!.routes;
    const route = this.of_pair.get(this.pair(op));
    return route === undefined ? [] : links.slice(start[route], start[route + 1]);
  }

  messages_over(wanted: number[]): number[] {
    if (this.recording.merged) return [];
    const { src, dst, start, links } = this.recording.network!.routes;
    const set = new Set(wanted), pairs = new Set<number>();
    for (let route = 0; route < src.length; ++route)
      for (let i = start[route]; i < start[route + 1]; ++i)
        if (set.has(links[i])) { pairs.add(src[route] * this.hosts + dst[route]); break; }
    const found: number[] = [];
    for (const op of this.ops.order) if (this.ops.kind[op] === message && pairs.has(this.pair(op))) found.push(op);
    return found;
  }
}
