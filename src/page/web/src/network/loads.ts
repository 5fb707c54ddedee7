// The load of a link: at a moment, or averaged over the whole run.
import { type NetworkData } from "../data";

export class Loads {
  constructor(private readonly network: NetworkData, private readonly total: number) {}

  /** Returns the load as a share of the capacity, at the time `t` in seconds, or over the whole run if `t` is null.
   * Returns null if the link was never used. */
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

  /** Returns the largest load of several links; null if none of them was used. */
  most(links: number[], t: number | null): number | null {
    let most: number | null = null;
    for (const link of links) {
      const load = this.of(link, t);
      if (load !== null && (most === null || load > most)) most = load;
    }
    return most;
  }
}
