// The data in the page: tutti-report/1, as `tutti report` writes it.

export interface Report { schema: string; title: string; made_by: string; parts: Part[] }

export interface Part {
  kind: "run" | "comparison" | "decision" | "validation" | "query" | "explanation" | "contrast" | "schedule" | "bound" | "picture";
  title: string; source: string; notes: string[];
  document: unknown; tables: TableData[]; pictures: Picture[];
}

export type Cell = number | string | null;
/** `csv`: name of the column in a CSV file, where all its numbers have the same unit. */
export interface Column { name: string; unit: string; align: "left" | "right"; csv?: string }
export interface TableData { id: string; title: string; columns: Column[]; rows: Cell[][]; shown: string[][] | null }

export interface Picture { id: string; title: string; alt: string; svg: string; narrow_svg: string; csv: string; group: string }

export interface Result {
  collective?: string; algorithm?: string; ranks?: number; bytes?: number; platform?: string; engine?: string;
  simulated_s?: number; bound_s?: number | null; of_limit?: number | null; exact_s?: number | null; published_s?: number | null; relative_error?: number | null;
  longest_path_s?: number | null;
  [key: string]: unknown;
}

export interface AccountRow {
  row: string; in_words: string; seconds: number; ops: number[]; rounds: number[];
  link?: string; host?: number;
}
/** Time in which the next operation of the chain was ready, but waited for the port or core `resource` of `rank`. */
export interface WaitRow { in_words: string; seconds: number; resource: string; rank: number }
export interface Improvement { what: string; what_if: string; simulated_s: number; saved: number }
export interface ExplainedLink {
  link: string; place: string; class: string; capacity_bytes_per_s: number; bytes: number; busy_s: number;
  busy_share: number; most_at_once: number; lost_on_chain_s: number; lost_s: number;
}
export interface Explanation {
  total_s: number; account: AccountRow[]; limit?: { in_words: string } | null; waits?: WaitRow[]; links: ExplainedLink[];
  waterfall?: { formula: string | null; steps: { kind: string; what: string; why: string; seconds: number }[] };
  ranks: { slack_s: number; busy_s: number; idle_s: number }[];
  improvements?: Improvement[];
}

export interface OpsData {
  kind: number[]; src: number[]; dst: number[]; bytes: number[]; round: number[];
  ready_s: number[]; start_s: number[]; end_s: number[];
  /** Blocks of each operation: `block_count` blocks, in runs of `block_run` that begin `block_stride` apart. The
   * first run begins at `first_block`; runs wrap around at the end of the vector. block_run 0: a single run.
   * first_block -1: unknown; -2: the blocks are in block_lists. */
  first_block: number[]; block_count: number[]; block_run: number[]; block_stride: number[];
  block_lists: { [op: string]: number[] };
  held_by: number[]; lost_s: number[]; slack_s: number[] | null; count: number[] | null;
  after_start: number[]; after: number[];
}

export interface NetworkNode { name: string; host: number; level: number; group: number }
export interface NetworkLink {
  name: string; place: string; group: string; capacity_bytes_per_s: number; from: number; to: number;
  bytes: number; busy_s: number; lost_s: number; lost_on_chain_s: number; most_flows: number;
  /** Number of links between the same two switches in the same direction, used or not; if missing, this link
   * is the only one. */
  parallel_links?: number;
}
export interface NetworkData {
  kind: "fat_tree" | "torus" | "dragonfly" | "gpus" | "star" | "generic"; dimensions: number[];
  nodes: NetworkNode[]; links: NetworkLink[];
  routes: { src: number[]; dst: number[]; start: number[]; links: number[] };
  loads: { bins: number; of_link: (number[] | null)[] };
}

export interface Recording {
  schema: string; title: string; result: Result; explanation: Explanation | null;
  total_s: number; ranks: number; host_of_rank: number[]; blocks: number;
  merged: null | { ranks_per_group: number; operations: number };
  ops: OpsData; chain: number[]; network: NetworkData | null;
}

export function read_report(): Report {
  const text = document.getElementById("tutti-data")?.textContent ?? "";
  const report = JSON.parse(text) as Report;
  if (report.schema !== "tutti-report/1") throw new Error(`this page reads tutti-report/1, not ${report.schema}`);
  return report;
}
