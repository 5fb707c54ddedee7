// Positions of a network's nodes: a fat tree in levels, a torus as a grid (three dimensions as slices), a dragonfly
// in groups, GPUs in their nodes, hosts around one switch, other networks in a circle. If there are too many hosts or links to tell apart,
// several are drawn as one, with their number.
import { type NetworkData } from "../data";

export type Shape = "host" | "hosts" | "switch";
export interface Place { x: number; y: number; name: string; shape: Shape; hosts: number[]; count: number; width: number; label: string; below: boolean }
/** A line of the drawing. Each of several parallel links has a lane of its own. `links` is empty for a parallel link
 * that carried nothing. */
export interface Edge { from: number; to: number; links: number[]; lane: number; lanes: number; stub: { x: number; y: number } | null }
export interface Frame { x: number; y: number; width: number; height: number; label: string }
export interface Layout { width: number; height: number; places: Place[]; edges: Edge[]; frames: Frame[]; undrawn: number[] }

const most_across = 44, most_lanes = 8;

interface Draft { places: Place[]; at: Int32Array; frames: Frame[]; height: number; torus?: { sides: number[]; at: number[][] } }

function span_text(hosts: number[]): string {
  if (hosts.length === 0) return "";
  const low = Math.min(...hosts), high = Math.max(...hosts);
  return low === high ? String(low) : `${low}-${high}`;
}

/** Returns the box that represents `nodes`. */
function place_of(network: NetworkData, nodes: number[], x: number, y: number, width: number): Place {
  const first = network.nodes[nodes[0]];
  const hosts = nodes.map((node) => network.nodes[node].host).filter((host) => host >= 0);
  const shape: Shape = first.host < 0 ? "switch" : nodes.length > 1 ? "hosts" : "host";
  const name = nodes.length === 1 ? first.name
    : shape === "hosts" ? `hosts ${span_text(hosts)}` : `${nodes.length} switches: ${first.name} to ${network.nodes[nodes[nodes.length - 1]].name}`;
  return { x, y, name, shape, hosts, count: nodes.length, width, label: shape === "switch" ? (nodes.length > 1 ? `${nodes.length}×` : "") : span_text(hosts), below: false };
}

/** Groups nodes into at most `most` piles: one for each node if there are few nodes, one for each key if there are few
 * keys, and otherwise piles of consecutive nodes. */
function piles(nodes: number[], key: (node: number) => number, most: number): number[][] {
  if (nodes.length <= most) return nodes.map((node) => [node]);
  const keys = new Set(nodes.map(key));
  if (keys.size <= most && (keys.size > 1 || nodes.length > 4 * most)) {
    const found = new Map<number, number[]>();
    for (const node of nodes) found.set(key(node), [...(found.get(key(node)) ?? []), node]);
    return [...found.values()];
  }
  const size = Math.ceil(nodes.length / Math.min(most, 32));
  const result: number[][] = [];
  for (let i = 0; i < nodes.length; i += size) result.push(nodes.slice(i, i + size));
  return result;
}

/** Returns a horizontal position for each node: the number of a host, or the mean position of the nodes below a
 * switch. */
function across_of(network: NetworkData): Float64Array {
  const at = Float64Array.from(network.nodes, (node, i) => (node.host >= 0 ? node.host : node.level === 0 ? i : NaN));
  const depth = network.nodes.reduce((most, node) => Math.max(most, node.level), 0);
  for (let level = 1; level <= depth; ++level) {
    const sum = new Map<number, number>(), count = new Map<number, number>();
    for (const { from, to } of network.links)
      for (const [above, below] of [[from, to], [to, from]]) {
        if (above < 0 || below < 0 || network.nodes[above].level !== level || network.nodes[below].level >= level || Number.isNaN(at[below])) continue;
        sum.set(above, (sum.get(above) ?? 0) + at[below]);
        count.set(above, (count.get(above) ?? 0) + 1);
      }
    for (const [node, all] of sum) at[node] = all / count.get(node)!;
  }
  return at.map((value, i) => (Number.isNaN(value) ? i : value));
}

/** Returns the parent of each node: its group in the data or, for a host without a group, its switch. */
function parents_of(network: NetworkData): Int32Array {
  const parent = Int32Array.from(network.nodes, (node) => node.group);
  for (const { from, to } of network.links)
    for (const [a, b] of [[from, to], [to, from]])
      if (a >= 0 && b >= 0 && network.nodes[a].host >= 0 && network.nodes[b].host < 0 && network.nodes[a].group < 0) parent[a] = b;
  return parent;
}

/** Returns a function that maps each switch to the number of its pod. The names of the switches in a pod differ only
 * in the number at the front: "switch 3 of hosts 0-255". */
function pods_of(network: NetworkData, nodes: number[]): (node: number) => number {
  const numbers = new Map<string, number>();
  const pod_name = (node: number): string => / of (.+)$/.exec(network.nodes[node].name)?.[1] ?? `${network.nodes[node].group}`;
  for (const node of nodes) if (!numbers.has(pod_name(node))) numbers.set(pod_name(node), numbers.size);
  return (node) => numbers.get(pod_name(node))!;
}

function levels(network: NetworkData, width: number): Draft {
  const by_level = new Map<number, number[]>();
  network.nodes.forEach((node, i) => by_level.set(node.level, [...(by_level.get(node.level) ?? []), i]));
  const numbers = [...by_level.keys()].sort((a, b) => b - a);
  const step = 104, top = 34, order = across_of(network), parent = parents_of(network);
  const places: Place[] = [], at = new Int32Array(network.nodes.length).fill(-1), frames: Frame[] = [];
  numbers.forEach((level, row) => {
    const nodes_here = by_level.get(level)!.sort((a, b) => order[a] - order[b] || a - b);
    const some = level === 0 ? piles(nodes_here, (node) => parent[node], most_across) : piles(nodes_here, pods_of(network, nodes_here), level === 1 ? most_across : 16);
    const across = (width - 20) / some.length;
    some.forEach((nodes, i) => {
      for (const node of nodes) at[node] = places.length;
      places.push(place_of(network, nodes, 10 + (i + 0.5) * across, top + row * step, Math.min(54, across * 0.82)));
    });
  });
  // If the name of any host does not fit into its box, the names of all hosts go below the boxes; if there is no room
  // for all of them, only every second, third, ... one is shown.
  const hosts = places.filter((place) => place.shape !== "switch");
  const longest = hosts.reduce((most, place) => Math.max(most, place.label.length), 0);
  const every = Math.ceil((longest * 6 + 8) / ((width - 20) / Math.max(1, hosts.length)));
  if (hosts.some((place) => place.label.length * 6 + 4 > place.width)) hosts.forEach((place, i) => { place.below = true; if (i % every !== 0) place.label = ""; });
  return { places, at, frames, height: top + (numbers.length - 1) * step + 46 };
}

function torus(network: NetworkData, width: number): Draft {
  const sides = network.dimensions.length > 0 ? network.dimensions : [network.nodes.length];
  const columns = sides[0], lines = sides[1] ?? 1;
  const slices = sides.slice(2).reduce((a, b) => a * b, 1);
  // `per_row`, the number of slices in a row, makes the picture about twice as wide as high and leaves no row partly
  // filled.
  const wished = Math.sqrt((slices * lines * 1.9) / columns);
  const divisors = Array.from({ length: slices }, (_, i) => i + 1).filter((n) => slices % n === 0);
  const per_row = divisors.reduce((best, n) => (Math.abs(Math.log(n / wished)) < Math.abs(Math.log(best / wished)) ? n : best), 1);
  const slice_rows = Math.ceil(slices / per_row);
  const margin = 30;
  const cell = Math.max(13, Math.min(64, (width - per_row * margin) / (per_row * columns), Math.max(170, 620 / slice_rows) / Math.max(1, lines)));
  const slice_width = columns * cell + margin, slice_height = lines * cell + margin + 10;
  const left = Math.max(0, (width - per_row * slice_width) / 2) + margin / 2;
  const places: Place[] = [], at = new Int32Array(network.nodes.length).fill(-1), frames: Frame[] = [], coordinates: number[][] = [];
  for (let slice = 0; slice < slices; ++slice)
    if (slices > 1) frames.push({ x: left + (slice % per_row) * slice_width - 4, y: 20 + Math.floor(slice / per_row) * slice_height - 2,
      width: columns * cell + 8, height: lines * cell + 6, label: `slice ${slice}` });
  network.nodes.forEach((node, i) => {
    let rest = node.host >= 0 ? node.host : i;
    const c = sides.map((side) => { const v = rest % side; rest = Math.floor(rest / side); return v; });
    const slice = c.slice(2).reduceRight((sum, v, k) => sum * sides[2 + k] + v, 0);
    at[i] = places.length;
    coordinates.push(c);
    const place = place_of(network, [i], left + (slice % per_row) * slice_width + (c[0] + 0.5) * cell,
      20 + Math.floor(slice / per_row) * slice_height + ((c[1] ?? 0) + 0.5) * cell, Math.min(30, cell * 0.5));
    if (cell < 30) place.label = "";
    places.push(place);
  });
  return { places, at, frames, height: 20 + slice_rows * slice_height, torus: { sides, at: coordinates } };
}

function dragonfly(network: NetworkData, width: number): Draft {
  const groups = new Map<number, number[]>();
  network.nodes.forEach((node, i) => { if (node.host < 0) groups.set(node.group, [...(groups.get(node.group) ?? []), i]); });
  // Each host is drawn at its router.
  const router_of = new Map<number, number>();
  for (const link of network.links) {
    if (link.from < 0 || link.to < 0) continue;
    if (network.nodes[link.from].host >= 0 && network.nodes[link.to].host < 0) router_of.set(link.from, link.to);
  }
  const hosts_of = new Map<number, number[]>();
  for (const [host, router] of router_of) hosts_of.set(router, [...(hosts_of.get(router) ?? []), host]);
  const places: Place[] = [], at = new Int32Array(network.nodes.length).fill(-1), frames: Frame[] = [];
  const names = [...groups.keys()].sort((a, b) => a - b);
  const most = Math.max(...names.map((name) => groups.get(name)!.length), 1);
  const across = Math.ceil(Math.sqrt(most));
  const cell = Math.max(26, Math.min(44, width / 4 / across));
  const box = across * cell + 14, box_height = Math.ceil(most / across) * cell + 14;
  const round = Math.max(150, (names.length * (box + 40)) / 5);
  const radius_x = Math.min(Math.max(0, width / 2 - box / 2 - 8), 1.5 * round);
  const radius_y = names.length === 1 ? 0 : Math.max(Math.min(radius_x, round), (names.length * box_height) / 5);
  const height = 2 * radius_y + box_height + 44;
  names.forEach((name, g) => {
    const angle = (2 * Math.PI * g) / names.length - Math.PI / 2;
    const x = width / 2 + (names.length > 1 ? radius_x * Math.cos(angle) : 0) - box / 2;
    const y = height / 2 + radius_y * Math.sin(angle) - box_height / 2 + 6;
    frames.push({ x, y, width: box, height: box_height, label: `group ${name}` });
    groups.get(name)!.forEach((router, i) => {
      const px = x + 7 + ((i % across) + 0.4) * cell, py = y + 7 + (Math.floor(i / across) + 0.4) * cell;
      at[router] = places.length;
      places.push(place_of(network, [router], px, py, 11));
      const hosts = hosts_of.get(router) ?? [];
      if (hosts.length === 0) return;
      for (const host of hosts) at[host] = places.length;
      const place = place_of(network, hosts, px + cell * 0.36, py + cell * 0.36, 7);
      place.label = "";
      places.push(place);
    });
  });
  return { places, at, frames, height };
}

/** Returns a short name of a switch between nodes, and the unit or pod to which it belongs. */
function switch_words(name: string): { label: string; part: string } {
  const part = / of ((?:unit|pod) \d+)$/.exec(name)?.[1] ?? "";
  const rail = /(?:leaf switch|of rail) (\d+)/.exec(name)?.[1];
  const kind = name.startsWith("leaf") ? "leaf" : name.startsWith("spines") ? "spine" : name.startsWith("top") ? "top" : "";
  return { label: rail === undefined ? kind : `${kind} ${rail}`, part };
}

/** Nodes of several GPUs, from left to right: the cards of a node above its GPUs, and its switch below them. Without
 * such a switch, the GPUs of a node form a circle. Leaf switches and the switches above them are in rows above the
 * nodes. If there is no room for each GPU, those of a node, or of several nodes, are drawn as one. The numbers of cards and
 * GPUs are those within the node. */
function gpu_nodes(network: NetworkData, width: number): Draft {
  const places: Place[] = [], at = new Int32Array(network.nodes.length).fill(-1), frames: Frame[] = [];
  const put = (nodes: number[], x: number, y: number, wide: number, label?: string): void => {
    if (nodes.length === 0) return;
    for (const node of nodes) at[node] = places.length;
    places.push(place_of(network, nodes, x, y, wide));
    if (label !== undefined) places[places.length - 1].label = label;
  };
  /** The first number in a name: that of a card or GPU in its node, of a leaf switch, of a unit. */
  const number_of = (node: number): number => Number(/\d+/.exec(network.nodes[node].name)?.[0] ?? 0);
  const all = network.nodes.map((_, i) => i).sort((a, b) => number_of(a) - number_of(b));
  // Links between switches of the same row need a row that is an arc.
  const arc = network.links.some(({ from, to }) => from !== to && network.nodes[from].level > 1 && network.nodes[from].level === network.nodes[to].level) ? 56 : 0;
  const step = 96, top = 34 + arc;
  const levels_above = [...new Set(network.nodes.map((node) => node.level))].filter((level) => level > 1).sort((a, b) => b - a);
  levels_above.forEach((level, row) => {
    const y = top + row * step;
    const parts = new Map<string, number[]>();
    for (const i of all.filter((node) => network.nodes[node].level === level)) {
      const { part } = switch_words(network.nodes[i].name);
      parts.set(part, [...(parts.get(part) ?? []), i]);
    }
    const wide_part = (width - 20) / parts.size, part_number = (part: string): number => Number(/\d+/.exec(part)?.[0] ?? 0);
    [...parts].sort(([a], [b]) => part_number(a) - part_number(b)).forEach(([part, nodes], p) => {
      const some = piles(nodes, () => 0, Math.max(1, Math.floor((wide_part - 8) / 30)));
      const across = (wide_part - 8) / some.length, left = 14 + p * wide_part;
      const up = row === 0 && arc > 0 ? arc * Math.sin((Math.PI * (p + 0.5)) / parts.size) : 0;
      some.forEach((pile, i) => put(pile, left + (i + 0.5) * across, y - up, Math.min(54, across * 0.84), pile.length > 1 ? `${pile.length}×` : switch_words(network.nodes[pile[0]].name).label));
      if (part && wide_part > 40 && up === 0) frames.push({ x: left - 2, y: y - 14, width: wide_part - 4, height: 28, label: part });
    });
  });
  const groups = new Map<number, number[]>();
  for (const i of all) if (network.nodes[i].level <= 1 && network.nodes[i].group >= 0) groups.set(network.nodes[i].group, [...(groups.get(network.nodes[i].group) ?? []), i]);
  const names = [...groups.keys()].sort((a, b) => a - b);
  const gpus = (nodes: number[]): number[] => nodes.filter((i) => network.nodes[i].host >= 0);
  const cards = (nodes: number[]): number[] => nodes.filter((i) => network.nodes[i].host < 0 && network.nodes[i].name.startsWith("card"));
  const inner = (nodes: number[]): number[] => nodes.filter((i) => network.nodes[i].host < 0 && !network.nodes[i].name.startsWith("card"));
  const y = top + levels_above.length * step, below = 56, y_switch = y + 2 * below;
  const most = names.reduce((found, name) => Math.max(found, gpus(groups.get(name)!).length), 1);
  const boxes = Math.max(1, Math.min(most_across, Math.floor((width - 20) / 26)));
  const detailed = (width - 20) / names.length >= 11 * most + 10;
  const size = detailed ? 1 : Math.ceil(names.length / boxes);
  const wide = (width - 20) / Math.ceil(names.length / size);
  for (let first = 0, box = 0; first < names.length; first += size, ++box) {
    const nodes = names.slice(first, first + size).flatMap((name) => groups.get(name)!);
    const left = 10 + box * wide, middle = left + wide / 2, last = names[Math.min(first + size, names.length) - 1];
    const label = size === 1 || last === names[first] ? `node ${last}` : `nodes ${names[first]}-${last}`;
    if (!detailed) {
      put(cards(nodes), middle, y, Math.min(54, wide * 0.84));
      put(gpus(nodes), middle, y + below, Math.min(54, wide * 0.84), "");
      put(inner(nodes), middle, y_switch, Math.min(54, wide * 0.84));
      const every = Math.ceil((label.length * 6 + 10) / wide);
      if (box % every === 0) frames.push({ x: left + 1, y: y - 16, width: wide - 2, height: y_switch - y + 32, label: every > 1 ? label.replace(/^nodes? /, "") : label });
      continue;
    }
    const row = (some: number[], at_y: number, most_wide: number): void => some.forEach((node, i) =>
      put([node], left + 6 + ((i + 0.5) * (wide - 12)) / some.length, at_y, Math.min(most_wide, ((wide - 12) / some.length) * 0.82), String(number_of(node))));
    row(cards(nodes), y, 30);
    const members = gpus(nodes), center = inner(nodes);
    if (center.length > 0 || members.length < 3) row(members, y + below, 26);
    else members.forEach((node, i) => {
      const angle = (2 * Math.PI * (i + 0.5)) / members.length - Math.PI / 2;
      put([node], middle + (wide / 2 - 22) * Math.cos(angle), y + 1.45 * below + 0.62 * below * Math.sin(angle), Math.min(22, wide / 5), String(number_of(node)));
    });
    put(center, middle, y_switch, Math.min(54, wide * 0.7), "switch");
    frames.push({ x: left + 2, y: y - 16, width: wide - 4, height: y_switch - y + 34, label });
  }
  for (const place of places) if (place.shape !== "switch" && place.label.length * 6 + 2 > place.width) place.label = "";
  return { places, at, frames, height: y_switch + 30 };
}

function circle(network: NetworkData, width: number): Draft {
  const places: Place[] = [], at = new Int32Array(network.nodes.length).fill(-1);
  const middle = network.kind === "star" ? network.nodes.map((_, i) => i).filter((i) => network.nodes[i].host < 0) : [];
  const around = piles(network.nodes.map((_, i) => i).filter((i) => !middle.includes(i)), () => 0, 64);
  const height = Math.min(520, Math.max(280, around.length * 14)), rx = Math.min(width / 2 - 40, height * 0.75), ry = height / 2 - 34;
  around.forEach((nodes, i) => {
    const angle = (2 * Math.PI * i) / around.length - Math.PI / 2;
    for (const node of nodes) at[node] = places.length;
    places.push(place_of(network, nodes, width / 2 + rx * Math.cos(angle), height / 2 + ry * Math.sin(angle), around.length > 32 ? 20 : 26));
  });
  middle.forEach((node, i) => {
    at[node] = places.length;
    places.push(place_of(network, [node], width / 2 + (i - (middle.length - 1) / 2) * 40, height / 2, 30));
  });
  return { places, at, frames: [], height };
}

/** Returns a separate line for each of several parallel links between two nodes, including unused links. If there are
 * too many, returns one line for all of them. */
function lanes_of(edge: Edge, network: NetworkData, places: Place[]): Edge[] {
  const lanes = edge.links.reduce((most, link) => Math.max(most, network.links[link].parallel_links ?? 1), edge.links.length);
  if (lanes > most_lanes || edge.stub || places[edge.from].count > 1 || places[edge.to].count > 1) return [edge];
  return Array.from({ length: lanes }, (_, lane) => ({ ...edge, links: edge.links.slice(lane, lane + 1), lane, lanes }));
}

export function layout_of(network: NetworkData, width: number): Layout {
  const layered = new Set(network.nodes.map((node) => node.level)).size > 1;
  const draft = network.kind === "torus" ? torus(network, width)
    : network.kind === "gpus" ? gpu_nodes(network, width)
    : network.kind === "dragonfly" ? dragonfly(network, width)
      : network.kind === "fat_tree" || (network.kind === "generic" && layered) ? levels(network, width) : circle(network, width);
  const edges: Edge[] = [], undrawn: number[] = [];
  const by_ends = new Map<string, Edge>();
  network.links.forEach((link, i) => {
    const from = link.from >= 0 ? draft.at[link.from] : -1, to = link.to >= 0 ? draft.at[link.to] : -1;
    if (from < 0 || to < 0 || from === to) { undrawn.push(i); return; }
    // A link around the edge of a torus, or to another slice, is drawn as a stub at the sender.
    let stub: Edge["stub"] = null, which = 0;
    if (draft.torus) {
      const { sides, at } = draft.torus;
      const a = at[link.from], b = at[link.to];
      const k = a.findIndex((v, d) => v !== b[d]);
      const step = b[k] - a[k], around = Math.abs(step) > 1;
      const sign = around ? -Math.sign(step) : Math.sign(step);
      const reach = Math.max(8, draft.places[from].width);
      if (k >= 2) stub = { x: 0.8 * sign * reach, y: -0.8 * sign * reach };
      else if (around && sides[k] > 2) stub = k === 0 ? { x: sign * reach, y: 0 } : { x: 0, y: sign * reach };
      which = stub ? (k + 1) * 2 + (sign > 0 ? 1 : 0) : 0;
    }
    const key = `${from},${to},${which}`;
    let edge = by_ends.get(key);
    if (!edge) {
      by_ends.set(key, edge = { from, to, links: [], lane: 0, lanes: 1, stub });
      edges.push(edge);
    }
    edge.links.push(i);
  });
  const apart = edges.flatMap((edge) => lanes_of(edge, network, draft.places));
  return { width, height: draft.height, places: draft.places, edges: apart, frames: draft.frames, undrawn };
}
