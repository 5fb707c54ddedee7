// Makes recordings (tutti-recording/1) for tests, without the program: schedules on a simple network model
// with one port per rank, in which messages on the same link slow each other down.
import { network } from "./networks.mjs";

const alpha = 7e-7, beta = 4e-11, gamma = 1.25e-10;

/** Each algorithm calls emit(kind, src, dst, round, first_block, blocks, after) in a topological order; emit returns an id. */
const algorithms = {
  ring(p, emit) {
    let last = Array(p).fill(-1);
    for (let round = 0; round < 2 * (p - 1); ++round) {
      const sent = Array.from({ length: p }, (_, r) => emit(0, r, (r + 1) % p, round, (r - round + 2 * p) % p, 1, last[r] < 0 ? [] : [last[r]]));
      last = Array.from({ length: p }, (_, r) => {
        const got = sent[(r + p - 1) % p];
        return round < p - 1 ? emit(1, r, r, round, (r - 1 - round + 2 * p) % p, 1, [got]) : got;
      });
    }
  },
  doubling(p, emit) {
    let last = Array(p).fill(-1);
    for (let round = 0, d = 1; d < p; ++round, d *= 2) {
      const sent = Array.from({ length: p }, (_, r) => emit(0, r, r ^ d, round, 0, p, last[r] < 0 ? [] : [last[r]]));
      last = Array.from({ length: p }, (_, r) => emit(1, r, r, round, 0, p, [sent[r ^ d], sent[r]]));
    }
  },
  circulant(p, emit) {
    const skips = [];
    for (let d = p; d > 1; d = Math.ceil(d / 2)) skips.push(Math.ceil(d / 2));
    let last = Array(p).fill(-1), upper = p;
    skips.forEach((skip, round) => {
      const count = upper - skip;
      const sent = Array.from({ length: p }, (_, r) => emit(0, r, (r + skip) % p, round, (r + skip) % p, Math.min(count, p - ((r + skip) % p)), last[r] < 0 ? [] : [last[r]]));
      last = Array.from({ length: p }, (_, r) => emit(1, r, r, round, r, 1, [sent[(r + p - skip) % p]]));
      upper = skip;
    });
    [...skips].reverse().forEach((skip, i) => {
      const sent = Array.from({ length: p }, (_, r) => emit(0, r, (r + p - skip) % p, skips.length + i, r, 1, [last[r]]));
      last = Array.from({ length: p }, (_, r) => sent[(r + skip) % p]);
    });
  },
  /** Every rank sends to every other rank, so some lines cross the whole diagram. */
  alltoall(p, emit) {
    let last = Array(p).fill(-1);
    for (let round = 1; round < p; ++round)
      last = Array.from({ length: p }, (_, r) => emit(0, r, (r + round) % p, round - 1, (r + round) % p, 1, last[r] < 0 ? [] : [last[r]]));
  },
  bcast(p, emit) {
    const has = Array(p).fill(-1);
    for (let round = 0, d = 1; d < p; ++round, d *= 2)
      for (let r = 0; r < d && r + d < p; ++r) has[r + d] = emit(0, r, r + d, round, 0, 1, has[r] < 0 ? [] : [has[r]]);
  },
};

export function recording({ algorithm = "circulant", ranks = 16, bytes = 1 << 20, kind = "fat_tree", host_name, title, loads = true } = {}) {
  const { made, route } = network(kind, ranks, host_name);
  const ops = { kind: [], src: [], dst: [], bytes: [], round: [], ready_s: [], start_s: [], end_s: [], first_block: [], block_count: [],
    block_run: [], block_stride: [], held_by: [], lost_s: [], slack_s: [], count: null, after_start: [0], after: [], block_lists: {} };
  const out_free = Array(ranks).fill(0), in_free = Array(ranks).fill(0), core_free = Array(ranks).fill(0);
  const blocks = algorithm === "bcast" ? 1 : ranks;
  const of_link_round = new Map(), ways = new Map();
  const way = (a, b) => {
    const key = a * ranks + b;
    if (!ways.has(key)) ways.set(key, route(a, b));
    return ways.get(key);
  };
  const emitted = [];
  algorithms[algorithm](ranks, (...op) => {
    emitted.push(op);
    if (op[0] === 0) for (const link of way(op[1], op[2])) {
      const key = link * 100000 + op[3];
      of_link_round.set(key, (of_link_round.get(key) ?? 0) + 1);
    }
    return emitted.length - 1;
  });
  for (const [what, src, dst, round, first, count, after] of emitted) {
    const size = Math.ceil((bytes * count) / blocks);
    const ready = after.reduce((most, op) => Math.max(most, ops.end_s[op]), 0);
    let start, length, held = -1, lost = 0;
    if (what === 0) {
      start = Math.max(ready, out_free[src], in_free[dst]);
      let flows = 1;
      for (const link of way(src, dst)) {
        const here = of_link_round.get(link * 100000 + round);
        made.links[link].bytes += size;
        made.links[link].most_flows = Math.max(made.links[link].most_flows, here);
        if (here > flows) { flows = here; held = link; }
      }
      length = alpha + size * beta * flows;
      lost = size * beta * (flows - 1);
      if (held >= 0) made.links[held].lost_s += lost;
      out_free[src] = in_free[dst] = start + length;
    } else {
      start = Math.max(ready, core_free[src]);
      length = size * gamma;
      core_free[src] = start + length;
    }
    for (const [name, value] of Object.entries({ kind: what, src, dst, bytes: size, round, ready_s: ready, start_s: start, end_s: start + length,
      first_block: first, block_count: count, block_run: 0, block_stride: 0, held_by: held, lost_s: lost })) ops[name].push(value);
    ops.after.push(...after);
    ops.after_start.push(ops.after.length);
  }
  const n = ops.kind.length;
  const total = ops.end_s.reduce((a, b) => Math.max(a, b), 0);
  const chain = [];
  for (let op = ops.end_s.indexOf(total); op >= 0;) {
    chain.push(op);
    let before = -1;
    for (let i = ops.after_start[op]; i < ops.after_start[op + 1]; ++i)
      if (before < 0 || ops.end_s[ops.after[i]] > ops.end_s[before]) before = ops.after[i];
    op = before;
  }
  chain.reverse();
  const late = Array(n).fill(total);
  for (let op = n - 1; op >= 0; --op)
    for (let i = ops.after_start[op]; i < ops.after_start[op + 1]; ++i)
      late[ops.after[i]] = Math.min(late[ops.after[i]], late[op] - (ops.end_s[op] - ops.start_s[op]));
  ops.slack_s = late.map((until, op) => Math.max(0, until - ops.end_s[op]));

  const bins = 240;
  const of_link = made.links.map((link) => (link.bytes > 0 ? Array(bins).fill(0) : null));
  const routes = { src: [], dst: [], start: [0], links: [] };
  for (const [key, links] of ways) {
    routes.src.push(Math.floor(key / ranks));
    routes.dst.push(key % ranks);
    routes.links.push(...links);
    routes.start.push(routes.links.length);
  }
  if (loads)
    for (let op = 0; op < n; ++op) {
      if (ops.kind[op] !== 0) continue;
      for (const link of way(ops.src[op], ops.dst[op])) {
        const rate = ops.bytes[op] / (ops.end_s[op] - ops.start_s[op]) / made.links[link].capacity_bytes_per_s;
        made.links[link].busy_s += ops.end_s[op] - ops.start_s[op];
        const a = Math.floor((ops.start_s[op] / total) * bins), b = Math.min(bins - 1, Math.floor((ops.end_s[op] / total) * bins));
        for (let i = a; i <= b; ++i) of_link[link][i] = Math.min(100, of_link[link][i] + Math.round(100 * rate));
      }
    }
  for (const link of made.links) link.busy_s = Math.min(link.busy_s, total);
  const sums = { reduction: 0, transfer: 0, startup: 0, sharing: 0 };
  for (const op of chain) {
    if (ops.kind[op] === 0) {
      sums.startup += alpha;
      sums.transfer += ops.bytes[op] * beta;
      sums.sharing += ops.lost_s[op];
    } else sums.reduction += ops.end_s[op] - ops.start_s[op];
  }
  const on_chain = chain.map((op) => ops.lost_s[op] > 0 ? made.links[ops.held_by[op]] : null).find((link) => link);
  const words = { reduction: "reduction", transfer: "transfer", startup: "start-up", sharing: on_chain ? `sharing of ${on_chain.place}` : "sharing" };
  const account = Object.entries(sums).filter(([, seconds]) => seconds > 0).map(([row, seconds]) => ({ row, in_words: words[row], seconds, ops: [], rounds: [] }))
    .concat(total - Object.values(sums).reduce((a, b) => a + b) > 1e-9 * total
      ? [{ row: "lateness", in_words: "a rank came late", seconds: total - Object.values(sums).reduce((a, b) => a + b), ops: [], rounds: [] }] : [])
    .sort((a, b) => b.seconds - a.seconds);
  const rank_slack = Array(ranks).fill(Infinity), busy = Array(ranks).fill(0);
  for (let op = 0; op < n; ++op) {
    for (const rank of [ops.src[op], ops.dst[op]]) rank_slack[rank] = Math.min(rank_slack[rank], ops.slack_s[op]);
    busy[ops.dst[op]] += ops.end_s[op] - ops.start_s[op];
  }
  const formula = sums.startup + sums.transfer + sums.reduction;
  return {
    schema: "tutti-recording/1", title: title ?? `allreduce/${algorithm}, ${ranks} ranks, 1 MiB`,
    result: { schema: "tutti-result/1", collective: "allreduce", algorithm, ranks, bytes, platform: `${kind}.xml`, simulated_s: total, published_s: formula, exact_s: formula },
    explanation: { schema: "tutti-explanation/1", total_s: total, sum_s: total, account,
      waterfall: { formula: "...", steps: [] },
      links: made.links.filter((link) => link.bytes > 0).map((link) => ({ link: link.name, place: link.place, class: link.group, capacity_bytes_per_s: link.capacity_bytes_per_s,
        bytes: link.bytes, busy_s: link.busy_s, busy_share: Math.min(1, link.busy_s / total), most_at_once: link.most_flows, lost_on_chain_s: link.lost_on_chain_s, lost_s: link.lost_s,
        rounds: [], senders: [], acknowledges: false })),
      ranks: rank_slack.map((slack, r) => ({ slack_s: Number.isFinite(slack) ? slack : total, busy_s: Math.min(total, busy[r]), idle_s: Math.max(0, total - busy[r]) })),
      improvements: [{ what: "twice the speed of reductions", what_if: "gamma*0.5", simulated_s: total * 0.7, saved: 0.3 },
        { what: "half the latency", what_if: "lat*0.5", simulated_s: total * 0.99, saved: 0.01 }],
      chain: [], op_slack_s: [] },
    total_s: total, ranks, host_of_rank: Array.from({ length: ranks }, (_, i) => i), blocks, merged: null, ops, chain,
    network: { kind: made.kind, dimensions: made.dimensions, nodes: made.nodes, links: made.links, routes, loads: { bins, of_link } },
  };
}

export const run_part = (made, notes = []) => ({ kind: "run", title: made.title, source: `simulate ${made.title.split(",")[0]} -p ${made.ranks} -n 1MiB`,
  notes, document: made, tables: [], pictures: [] });
