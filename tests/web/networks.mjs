// Makes networks for the recordings of tests: nodes, links, and the route between two hosts.

function maker(kind, dimensions = []) {
  const nodes = [], links = [];
  const node = (name, host, level, group) => nodes.push({ name, host, level, group }) - 1;
  const link = (name, place, group, capacity, from, to) => links.push({
    name, place, group, capacity_bytes_per_s: capacity, from, to, bytes: 0, busy_s: 0, lost_s: 0, lost_on_chain_s: 0, most_flows: 0 }) - 1;
  return { kind, dimensions, nodes, links, node, link };
}

const fast = 25e9;

function fat_tree(hosts, name_of, per_leaf = 8, cores = 2) {
  const made = maker("fat_tree");
  const leaves = Math.ceil(hosts / per_leaf);
  const host = Array.from({ length: hosts }, (_, i) => made.node(name_of(i), i, 0, Math.floor(i / per_leaf)));
  const leaf = Array.from({ length: leaves }, (_, i) => made.node(`leaf switch ${i}`, -1, 1, i));
  const core = Array.from({ length: cores }, (_, i) => made.node(`core switch ${i}`, -1, 2, -1));
  const up = [], down = [], leaf_up = [], leaf_down = [];
  for (let i = 0; i < hosts; ++i) {
    const of = leaf[Math.floor(i / per_leaf)];
    up.push(made.link(`host_${i}_up`, `host ${i} up`, "host links", fast, host[i], of));
    down.push(made.link(`host_${i}_down`, `host ${i} down`, "host links", fast, of, host[i]));
  }
  for (let l = 0; l < leaves; ++l) for (let c = 0; c < cores; ++c) {
    leaf_up.push(made.link(`leaf_${l}_up_${c}`, `up-link ${c} of leaf switch ${l}`, "leaf up-links", fast, leaf[l], core[c]));
    leaf_down.push(made.link(`leaf_${l}_down_${c}`, `down-link ${c} of leaf switch ${l}`, "leaf down-links", fast, core[c], leaf[l]));
  }
  const route = (a, b) => {
    const la = Math.floor(a / per_leaf), lb = Math.floor(b / per_leaf);
    return la === lb ? [up[a], down[b]] : [up[a], leaf_up[la * cores + (b % cores)], leaf_down[lb * cores + (b % cores)], down[b]];
  };
  return { made, route };
}

function torus(hosts, name_of, dimensions) {
  const made = maker("torus", dimensions);
  const at = (i) => dimensions.map((d, k) => Math.floor(i / dimensions.slice(0, k).reduce((a, b) => a * b, 1)) % d);
  const index = (c) => c.reduce((sum, v, k) => sum + v * dimensions.slice(0, k).reduce((a, b) => a * b, 1), 0);
  const host = Array.from({ length: hosts }, (_, i) => made.node(name_of(i), i, 0, -1));
  const next = dimensions.map(() => []);
  const back = dimensions.map(() => []);
  for (let i = 0; i < hosts; ++i) dimensions.forEach((d, k) => {
    const c = at(i);
    c[k] = (c[k] + 1) % d;
    const j = index(c);
    next[k][i] = made.link(`t_${i}_${k}_up`, `${at(i)} to ${c}`, `links of dimension ${k}`, fast, host[i], host[j]);
    back[k][j] = made.link(`t_${i}_${k}_down`, `${c} to ${at(i)}`, `links of dimension ${k}`, fast, host[j], host[i]);
  });
  const route = (a, b) => {
    const way = [];
    const c = at(a), to = at(b);
    dimensions.forEach((d, k) => {
      while (c[k] !== to[k]) {
        const forward = (to[k] - c[k] + d) % d <= d / 2;
        way.push((forward ? next : back)[k][index(c)]);
        c[k] = (c[k] + (forward ? 1 : d - 1)) % d;
      }
    });
    return way;
  };
  return { made, route };
}

function dragonfly(hosts, name_of, groups = 4, routers = 4) {
  const made = maker("dragonfly");
  const per_router = Math.ceil(hosts / (groups * routers));
  const router_of = (i) => Math.floor(i / per_router);
  const host = Array.from({ length: hosts }, (_, i) => made.node(name_of(i), i, 0, Math.floor(router_of(i) / routers)));
  const router = Array.from({ length: groups * routers }, (_, i) => made.node(`router ${i % routers} of group ${Math.floor(i / routers)}`, -1, 1, Math.floor(i / routers)));
  const up = host.map((h, i) => made.link(`h${i}u`, `host ${i} up`, "host links", fast, h, router[router_of(i)]));
  const down = host.map((h, i) => made.link(`h${i}d`, `host ${i} down`, "host links", fast, router[router_of(i)], h));
  const local = new Map(), global = new Map();
  for (let a = 0; a < groups * routers; ++a) for (let b = 0; b < groups * routers; ++b)
    if (a !== b && Math.floor(a / routers) === Math.floor(b / routers))
      local.set(`${a},${b}`, made.link(`l_${a}_${b}`, `router ${a} to ${b}`, "local links", fast, router[a], router[b]));
  for (let g = 0; g < groups; ++g) for (let f = 0; f < groups; ++f)
    if (g !== f) global.set(`${g},${f}`, made.link(`g_${g}_${f}`, `group ${g} to group ${f}`, "global links", fast, router[g * routers + (f % routers)], router[f * routers + (g % routers)]));
  const route = (a, b) => {
    let r = router_of(a);
    const to = router_of(b), way = [up[a]];
    const g = Math.floor(r / routers), f = Math.floor(to / routers);
    const hop = (next) => { if (next !== r) way.push(local.get(`${r},${next}`)); r = next; };
    if (g !== f) { hop(g * routers + (f % routers)); way.push(global.get(`${g},${f}`)); r = f * routers + (g % routers); }
    hop(to);
    way.push(down[b]);
    return way;
  };
  return { made, route };
}

function star(hosts, name_of, kind = "star") {
  const made = maker(kind);
  const host = Array.from({ length: hosts }, (_, i) => made.node(name_of(i), i, 0, -1));
  const middle = made.node("switch", -1, 1, -1);
  const up = host.map((h, i) => made.link(`host_${i}_up`, `host ${i} up`, "host links", fast, h, middle));
  const down = host.map((h, i) => made.link(`host_${i}_down`, `host ${i} down`, "host links", fast, middle, h));
  return { made, route: (a, b) => [up[a], down[b]] };
}

export function network(kind, hosts, name_of = (i) => `node-${i}.tutti`) {
  switch (kind) {
    case "fat_tree": return fat_tree(hosts, name_of, hosts > 128 ? 32 : 8);
    case "torus": {
      const side = Math.round(Math.cbrt(hosts));
      return torus(hosts, name_of, side ** 3 === hosts ? [side, side, side] : hosts % 4 === 0 ? [4, hosts / 4] : [hosts]);
    }
    case "dragonfly": return dragonfly(hosts, name_of);
    default: return star(hosts, name_of, kind);
  }
}
