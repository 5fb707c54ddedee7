"""Writes a platform of each kind that SimGrid's documentation describes, with random figures.

KINDS has the kinds that bounds must answer, REFUSED those that they must refuse, with a part of the reason.
`python3 platform_kinds.py FOLDER [SEED]` writes one file of each kind."""

import pathlib
import random
import sys

from platform_elements import Writer, ctn, platform, prop, route, zone, zone_route


def joined(w, first, second, extra="", routing="Full", names=("a", "b"), gateways=None):
    """Two zones that one link joins."""
    one, other = names
    gw_one, gw_other = gateways or (f"{one}-{one}_router", f"{other}-{other}_router")
    return platform(zone("all", routing, first, second, w.link("wan"), extra,
                         zone_route(one, other, gw_one, gw_other, ctn("wan"))))


def joined_by_links(w, *pairs):
    """A link for each pair of clusters, whose names have one letter."""
    return "".join(map(w.link, pairs)) + "".join(
        zone_route(one, other, f"{one}-{one}_router", f"{other}-{other}_router", ctn(one + other))
        for one, other in pairs)


def in_zone(routing="Full", **options):
    """A <cluster> in a zone; `options` of Writer.cluster(), where `extra` may be a function."""
    def write(w):
        own = {key: value(w) if callable(value) else value for key, value in options.items()}
        return platform(zone("all", routing, w.cluster("a", **own)))
    return write


def single(extra="", **options):
    def write(w):
        return platform(w.cluster("a", extra=extra(w) if callable(extra) else extra, **options))
    return write


def two_clusters(extra=""):
    def write(w):
        return joined(w, w.cluster("a", extra=extra(w) if callable(extra) else extra), w.cluster("b", 4))
    return write


def several_clusters(routing):
    """Clusters around a router, or in a row."""
    def write(w):
        text = "".join(w.cluster(name, 3, w.rng.choice(["", w.backbone(), w.limiter()])) for name in "abcd")
        return platform(zone("all", routing, text, joined_by_links(w, "ab", "bc", "cd")))
    return write


def full_clusters(w):
    text = "".join(w.cluster(name, 3) for name in "abc")
    return platform(zone("all", "Full", text, joined_by_links(w, "ab", "ac", "bc")))


def nested(w):
    """Clusters in zones in a zone, as in files of several sites."""
    sites = ""
    for site in "xy":
        inner = "".join(w.cluster(f"{site}{i}", 3, w.rng.choice(["", w.backbone()])) for i in range(2))
        inner += zone(f"{site}gw", "Full", f'<router id="{site}r"/>\n') + w.links(f"{site}l", 3)
        inner += "".join(zone_route(f"{site}{i}", f"{site}gw", f"{site}{i}-{site}{i}_router", f"{site}r",
                                    ctn(f"{site}l{i}")) for i in range(2))
        inner += zone_route(f"{site}0", f"{site}1", f"{site}0-{site}0_router", f"{site}1-{site}1_router",
                            ctn(f"{site}l2"))
        sites += zone(site, "Full", inner)
    return platform(zone("all", "Full", sites, w.link("wan"), zone_route("x", "y", "xr", "yr", ctn("wan"))))


def explicit(routing, routers=0, sparse=False, symmetrical=True, hosts=6):
    def write(w):
        names = [f"h{i}" for i in range(hosts)] + [f"r{i}" for i in range(routers)]
        points = w.hosts("h", hosts) + "".join(f'<router id="r{i}"/>\n' for i in range(routers))
        w.rng.shuffle(names)
        return platform(zone("all", routing, points, w.mesh(names, sparse, symmetrical)))
    return write


def small_platform(policy=""):
    """Two hosts behind routers of their own, two at one router, and a link of another kind between them."""
    def write(w):
        text = w.hosts("h", 4) + '<router id="r0"/>\n<router id="r1"/>\n' + w.links("l", 4) + w.link("mid", policy)
        for i in range(4):
            for j in range(i):
                mid = ctn("mid") if i // 2 != j // 2 else ""
                text += route(f"h{i}", f"h{j}", ctn(f"l{i}") + mid + ctn(f"l{j}"))
        return platform(zone("all", "Full", text))
    return write


def two_hosts(policy=""):
    def write(w):
        direction = "UP" if policy == "SPLITDUPLEX" else ""
        return platform(zone("all", "Full", w.hosts("h", 2, ' core="4"'), w.link("l", policy),
                             route("h0", "h1", ctn("l", direction))))
    return write


def loopbacks(w):
    text = w.hosts("h", 4, ' core="2"') + w.links("loop", 4, "FATPIPE") + w.links("l", 4, "SPLITDUPLEX")
    text += "".join(route(f"h{i}", f"h{i}", ctn(f"loop{i}")) for i in range(4))
    text += "".join(route(f"h{i}", f"h{j}", ctn(f"l{i}", "UP") + ctn(f"l{j}", "DOWN"))
                    for i in range(4) for j in range(i))
    return platform(zone("all", "Full", text))


def large_floyd(w):
    """More than 512 hosts and routers, of which few are used."""
    count = 520
    text = w.hosts("h", count) + '<router id="r"/>\n' + w.links("l", count, "SPLITDUPLEX")
    text += "".join(route(f"h{i}", "r", ctn(f"l{i}", "UP")) for i in range(count))
    return platform(zone("all", "Floyd", text))


def grid_of_routers(w):
    """A torus of routers with a host each."""
    sides = 3, 3
    text = ""
    for x in range(sides[0]):
        for y in range(sides[1]):
            text += w.host(f"h{x}{y}") + f'<router id="r{x}{y}"/>\n' + w.link(f"l{x}{y}")
            text += w.link(f"x{x}{y}") + w.link(f"y{x}{y}")
    for x in range(sides[0]):
        for y in range(sides[1]):
            text += route(f"h{x}{y}", f"r{x}{y}", ctn(f"l{x}{y}"))
            text += route(f"r{x}{y}", f"r{(x + 1) % sides[0]}{y}", ctn(f"x{x}{y}"))
            text += route(f"r{x}{y}", f"r{x}{(y + 1) % sides[1]}", ctn(f"y{x}{y}"))
    return platform(zone("all", "Dijkstra", text))


def dogbone(w):
    text = w.hosts("h", 6) + '<router id="left"/>\n<router id="right"/>\n' + w.links("l", 6) + w.link("bone")
    text += "".join(route(f"h{i}", "left" if i < 3 else "right", ctn(f"l{i}")) for i in range(6))
    return platform(zone("all", "Floyd", text, route("left", "right", ctn("bone"))))


def vivaldi_peers(w):
    text = "".join(f'<peer id="p{i}" coordinates="{w.rng.randint(0, 40)} {w.rng.randint(0, 40)} '
                   f'{w.rng.randint(0, 9)}" speed="{w.speed()}" bw_in="{w.bw()}" bw_out="{w.bw()}"/>\n'
                   for i in range(6))
    return platform(zone("all", "Vivaldi", text))


def vivaldi_hosts(w):
    text = "".join(f'<host id="h{i}" speed="1Gf" coordinates="{w.rng.randint(0, 40)} {w.rng.randint(0, 40)} 0"/>\n'
                   f'<link id="u{i}" bandwidth="{w.bw()}" latency="0us"/>\n'
                   f'<host_link id="h{i}" up="u{i}" down="u{i}"/>\n'
                   for i in range(5))
    return platform(zone("all", "Vivaldi", text))


def host_links(w):
    text = w.hosts("h", 5) + w.links("u", 5) + w.links("d", 5)
    text += "".join(f'<host_link id="h{i}" up="u{i}" down="d{i}"/>\n' for i in range(5))
    text += f'<backbone id="bb" bandwidth="{w.bw()}" latency="{w.lat()}"/>\n'
    return platform(zone("all", "Cluster", text))


def data_center(w):
    """Zones of cabinets in a cluster zone of the top level."""
    return joined(w, w.cabinets("a"), w.cabinets("b", 3), gateways=("ar", "br"))


def cabinets_with_hosts(w):
    text = w.cabinet("c", 3) + w.cabinet("d", 3) + f'<backbone id="bb" bandwidth="{w.bw()}" latency="{w.lat()}"/>\n'
    return platform(zone("all", "Cluster", text))


def cluster_and_host(w):
    alone = zone("b", "Full", w.host("hub"))
    return joined(w, w.cluster("a", 6), alone, gateways=("a-a_router", "hub"))


def bypass_routes(w):
    text = w.hosts("h", 4) + '<router id="r"/>\n' + w.links("l", 4) + w.links("short", 2)
    text += "".join(route(f"h{i}", "r", ctn(f"l{i}")) for i in range(4))
    text += f'<bypassRoute src="h0" dst="h1">{ctn("short0")}</bypassRoute>\n'
    text += f'<bypassRoute src="h3" dst="h2">{ctn("short1")}</bypassRoute>\n'
    return platform(zone("all", "Floyd", text))


def bypass_zone_routes(w):
    text = w.link("short") + joined_by_links(w, "ba", "ca")
    text += zone_route("b", "c", "b-b_router", "c-c_router", ctn("short"), "bypassZoneRoute")
    return platform(zone("all", "Floyd", "".join(w.cluster(name, 3) for name in "abc"), text))


def cores_as_zones(w):
    """Nodes whose cores are hosts that share memory."""
    text = ""
    for node in "ab":
        inner = w.hosts(node, 3) + w.link(f"{node}mem") + f'<router id="{node}r"/>\n' + w.link(f"{node}nic")
        for i in range(3):
            inner += route(f"{node}{i}", f"{node}r", ctn(f"{node}nic"))
            inner += "".join(route(f"{node}{i}", f"{node}{j}", ctn(f"{node}mem")) for j in range(i))
        text += zone(node, "Full", inner)
    return platform(zone("all", "Full", text, w.link("wan"), zone_route("a", "b", "ar", "br", ctn("wan"))))


def with_properties(w):
    """Power and disks, which change no time."""
    power = prop("wattage_per_state", "100:120:200") + prop("wattage_off", "10")
    disk = '<disk id="d" read_bw="100MBps" write_bw="40MBps"/>'
    text = "".join(f'<host id="h{i}" speed="100Mf,50Mf,20Mf" pstate="1">{disk}{power}</host>\n' for i in range(3))
    return platform(zone("all", "Full", text, w.link("l"), *(route(f"h{i}", f"h{j}", ctn("l"))
                                                           for i in range(3) for j in range(i))))


def with_settings(w):
    config = "<config>" + prop("contexts/stack-size", "64") + prop("smpi/host-speed", "1Gf") + "</config>\n"
    return platform(config, zone("all", "Full", w.cluster("a")))


def old_tags(w):
    """The names of elements before version 4.1."""
    return (platform(zone("all", "Full", w.cluster("a", 3), w.cluster("b", 3), w.link("wan"),
                          zone_route("a", "b", "a-a_router", "b-b_router", ctn("wan"), "ASroute")))
            .replace("<zone ", "<AS ").replace("</zone>", "</AS>").replace('version="4.1"', 'version="4"'))


def one_host(w):
    return platform(zone("all", "Full", w.host("h", ' core="8"')))


def sites_of_cabinets(w):
    """Sites with a router, joined in a row by Floyd's algorithm."""
    text = ""
    for site in "abc":
        text += zone(site, "Full", w.cabinets(site + "n", 2), zone(site + "gw", "Full", f'<router id="{site}r"/>\n'),
                     w.link(site + "up"), zone_route(site + "n", site + "gw", site + "nr", site + "r",
                                                     ctn(site + "up")))
    text += w.link("ab") + w.link("bc") + zone_route("a", "b", "ar", "br", ctn("ab"))
    return platform(zone("all", "Floyd", text, zone_route("b", "c", "br", "cr", ctn("bc"))))


def one_way_clusters(w):
    text = w.cluster("a", 4) + w.cluster("b", 3) + w.link("there") + w.link("back")
    text += zone_route("a", "b", "a-a_router", "b-b_router", ctn("there"), symmetrical="NO")
    text += zone_route("b", "a", "b-b_router", "a-a_router", ctn("back"), symmetrical="NO")
    return platform(zone("all", "Full", text))


TORUS = 'topology="TORUS" topo_parameters="3,2"'
FAT_TREE = 'topology="FAT_TREE" topo_parameters="2;2,3;1,2;1,1"'
DRAGONFLY = 'topology="DRAGONFLY" topo_parameters="2,2;2,1;2,1;2"'

KINDS = {
    "cluster": single(),
    "cluster with shared links": single('sharing_policy="SHARED"'),
    "cluster with backbone": single(Writer.backbone),
    "cluster with shared backbone": single(lambda w: w.backbone() + ' bb_sharing_policy="SHARED"'),
    "cluster with fat backbone": single(lambda w: w.backbone() + ' bb_sharing_policy="FATPIPE"'),
    "cluster with limiter": single(Writer.limiter),
    "cluster with limiter and backbone": single(lambda w: w.limiter() + " " + w.backbone()),
    "cluster with loopback": single(Writer.loopback),
    "cluster with limiter and loopback": single(lambda w: w.limiter() + " " + w.loopback()),
    "cluster with gaps in its numbers": single(radical="0-2,7,10-11"),
    "cluster of cores": single('core="4"'),
    "cluster in a zone": in_zone(),
    "cluster with backbone in a zone": in_zone(extra=Writer.backbone),
    "cluster with limiter in a zone": in_zone(extra=Writer.limiter),
    "cluster with a router's name in a zone": in_zone(extra='router_id="exit"'),
    "torus": single(TORUS, hosts=6),
    "torus in a zone": in_zone(hosts=6, extra=TORUS),
    "torus with limiter": single(lambda w: TORUS + " " + w.limiter(), hosts=6),
    "torus with loopback": in_zone(hosts=6, extra=lambda w: TORUS + " " + w.loopback()),
    "fat tree": single(FAT_TREE, hosts=6),
    "fat tree with limiter": single(lambda w: FAT_TREE + " " + w.limiter(), hosts=6),
    "fat tree with shared links in a zone": in_zone(hosts=6, extra=FAT_TREE + ' sharing_policy="SHARED"'),
    "dragonfly": single(DRAGONFLY, hosts=16),
    "dragonfly with limiter": single(lambda w: DRAGONFLY + " " + w.limiter(), hosts=16),
    "dragonfly in a zone": in_zone(hosts=16, extra=DRAGONFLY),
    "two clusters": two_clusters(),
    "two clusters with backbone": two_clusters(Writer.backbone),
    "two clusters with limiter": two_clusters(Writer.limiter),
    "two clusters with one-way links": one_way_clusters,
    "three clusters": full_clusters,
    "clusters joined by Floyd": several_clusters("Floyd"),
    "clusters joined by Dijkstra": several_clusters("Dijkstra"),
    "clusters joined by DijkstraCache": several_clusters("DijkstraCache"),
    "clusters in zones in a zone": nested,
    "cluster and a single host": cluster_and_host,
    "cabinets": cabinets_with_hosts,
    "data center of cabinets": data_center,
    "sites of cabinets": sites_of_cabinets,
    "hosts with two links at a backbone": host_links,
    "cores that share memory": cores_as_zones,
    "two hosts": two_hosts(),
    "two hosts, split duplex": two_hosts("SPLITDUPLEX"),
    "two hosts, fat pipe": two_hosts("FATPIPE"),
    "small platform": small_platform(),
    "small platform with fat pipe": small_platform("FATPIPE"),
    "full": explicit("Full"),
    "full with routers": explicit("Full", routers=2),
    "full with one-way routes": explicit("Full", symmetrical=False),
    "full with loopbacks": loopbacks,
    "Floyd": explicit("Floyd", sparse=True),
    "Floyd with routers": explicit("Floyd", routers=3, sparse=True),
    "Floyd with over 512 points": large_floyd,
    "Dijkstra": explicit("Dijkstra", sparse=True),
    "Dijkstra with routers": explicit("Dijkstra", routers=3, sparse=True),
    "DijkstraCache": explicit("DijkstraCache", routers=2, sparse=True),
    "torus of routers": grid_of_routers,
    "dogbone": dogbone,
    "Vivaldi with peers": vivaldi_peers,
    "Vivaldi with hosts": vivaldi_hosts,
    "bypass routes": bypass_routes,
    "bypass routes of zones": bypass_zone_routes,
    "properties of power and disks": with_properties,
    "settings without effect": with_settings,
    "names of version 4": old_tags,
    "one host": one_host,
}


def changing(element, profile):
    """Two hosts and a link; `element` is 'host' or 'link', `profile` its attribute."""
    def write(w):
        text = w.hosts("h", 2) + w.link("l")
        at = text.index(f"<{element} ") + len(element) + 1
        return platform(zone("all", "Full", text[:at] + f' {profile}="figures.profile"' + text[at:],
                             route("h0", "h1", ctn("l"))))
    return write


def wifi_zone(w):
    return platform('<zone id="all" routing="Wifi">\n' + prop("access_point", "ap") + w.hosts("h", 2) +
                    '<router id="ap"/>\n<link id="air" sharing_policy="WIFI" bandwidth="54Mbps" latency="0ms"/>\n'
                    "</zone>\n")


def traced(w):
    return platform('<trace id="t" file="figures.profile" periodicity="1.0"/>\n',
                    zone("all", "Full", w.hosts("h", 2), w.link("l"), route("h0", "h1", ctn("l"))),
                    '<trace_connect kind="SPEED" trace="t" element="h0"/>\n')


def slowed(w):
    return platform("<config>" + prop("network/bandwidth-factor", "0.9") + "</config>\n",
                    zone("all", "Full", w.cluster("a")))


def star_zone(w):
    return platform(zone("all", "Star", w.hosts("h", 3), w.links("u", 3)))


def without_routes(w):
    return platform(zone("all", "None", w.hosts("h", 3)))


def with_gaps(w):
    return platform(zone("all", "Full", w.hosts("h", 3), w.link("l"), route("h0", "h1", ctn("l"))))


def included(w):
    return platform('<include file="other.xml"/>\n', zone("all", "Full", w.cluster("a")))


PROFILE = "0.0 1.0\n0.5 0.4\n"
REFUSED = {
    "profile of a bandwidth": (changing("link", "bandwidth_file"), "a profile of its bandwidth"),
    "profile of a latency": (changing("link", "latency_file"), "a profile of its latency"),
    "profile of a speed": (changing("host", "speed_file"), "a profile of its speed"),
    "failures of a host": (changing("host", "state_file"), "a trace of its failures"),
    "failures of a link": (changing("link", "state_file"), "a trace of its failures"),
    "trace connected to a host": (traced, "a trace of changes over time"),
    "wifi": (wifi_zone, "WiFi"),
    "setting that changes times": (slowed, "the setting network/bandwidth-factor"),
    "routing that SimGrid's files do not have": (star_zone, "Star"),
    "no routes": (without_routes, "there is no route from host to host"),
    "a missing route": (with_gaps, "no route from host"),
    "file that includes another": (included, "<include> is not supported"),
}


def write_all(folder, seed=1):
    """Writes a file of each kind, and the profile to which some refer. Returns {kind: path}."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.profile").write_text(PROFILE)
    written = {}
    for kind, write in {**KINDS, **{kind: write for kind, (write, _) in REFUSED.items()}}.items():
        path = folder / (kind.replace(" ", "_").replace(",", "").replace("'", "") + ".xml")
        path.write_text(write(Writer(random.Random(f"{seed} {kind}"))))
        written[kind] = path
    return written


if __name__ == "__main__":
    write_all(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else 1)
