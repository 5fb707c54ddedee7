// The load of a link: at a moment, or averaged over the whole run.
import { type NetworkData } from "../data";

export class Loads {
  constructor(private readonly network: NetworkData, private readonly total: number) {}

  /** Load as a share of the capacity, from 0 to 1, at the time `t`, or over the whole run if `t` is null. The result
   * is null if the link was never used. */
  of(link: number, t: number | null): number | null {
    const loads = this.network.loads.of_link[link];
    const { bytes, capacity_bytes_per_s } = this.network.links[link];
    if (t === null || !loads) {
      if (bytes === 0) return null;
      return t === null ? Math.min(1, bytes / (capacity_bytes_per_s * this.total || 1)) : 0;
    }
    if (t >= this.total) return 0;
    return (loads[Math.min(loads.length - 1, Math.floor((t / this.total) * loads.length))] ?? 0) / 100;
  }

  /** The largest load of several links. */
  most(links: number[], t: number | null): number | null {
    let most: number | null = null;
    for (const link of links) {
      const load = this.of(link, t);
      if (load !== null && (most === null || load > most)) most = load;
    }
    return most;
  }
}
