"""Elements of SimGrid platforms for tests, as text with random figures."""


class Writer:
    """Elements of a platform. All figures are random; names are numbered."""

    def __init__(self, rng):
        self.rng = rng

    def lat(self):
        return f"{self.rng.randint(1, 60)}us"

    def bw(self):
        return f"{self.rng.choice([1, 1, 2, 5, 10])}GBps"

    def speed(self):
        return f"{self.rng.choice([1, 1, 2, 4])}Gf"

    def host(self, name, extra=""):
        return f'<host id="{name}" speed="{self.speed()}"{extra}/>\n'

    def hosts(self, prefix, count, extra=""):
        return "".join(self.host(f"{prefix}{i}", extra) for i in range(count))

    def link(self, name, policy=""):
        policy = f' sharing_policy="{policy}"' if policy else ""
        return f'<link id="{name}" bandwidth="{self.bw()}" latency="{self.lat()}"{policy}/>\n'

    def links(self, prefix, count, policy=""):
        return "".join(self.link(f"{prefix}{i}", policy) for i in range(count))

    def cluster(self, name, hosts=5, extra="", radical=None):
        return (f'<cluster id="{name}" prefix="{name}-" suffix="" radical="{radical or f"0-{hosts - 1}"}" '
                f'speed="{self.speed()}" bw="{self.bw()}" lat="{self.lat()}" {extra}/>\n')

    def backbone(self):
        return f'bb_bw="{self.bw()}" bb_lat="{self.lat()}"'

    def limiter(self):
        return f'limiter_link="{self.rng.choice(["800MBps", "1.5GBps", "3GBps"])}"'

    def loopback(self):
        return f'loopback_bw="{self.bw()}" loopback_lat="{self.rng.randint(0, 2)}us"'

    def cabinet(self, name, hosts=4):
        return (f'<cabinet id="{name}" prefix="{name}-" suffix="" radical="0-{hosts - 1}" speed="{self.speed()}" '
                f'bw="{self.bw()}" lat="{self.lat()}"/>\n')

    def cabinets(self, name, hosts=4):
        """A zone of hosts around a backbone."""
        return zone(name, "Cluster", self.cabinet(f"{name}c", hosts) + f'<backbone id="{name}bb" '
                    f'bandwidth="{self.bw()}" latency="{self.lat()}"/>\n<router id="{name}r"/>\n')

    def mesh(self, names, sparse=False, symmetrical=True):
        """Routes between all points, or only a random tree of them and some more."""
        text = self.links("m", 8, self.rng.choice(["", "SPLITDUPLEX"]))
        split = "SPLITDUPLEX" in text
        for i, one in enumerate(names):
            near = self.rng.randrange(i) if i else 0
            for j, other in enumerate(names[:i]):
                if sparse and j != near and self.rng.randrange(4):
                    continue
                way = "".join(ctn(f"m{self.rng.randrange(8)}", self.rng.choice(["UP", "DOWN"]) if split else "")
                              for _ in range(1 if sparse else self.rng.randint(1, 3)))
                text += route(one, other, way, "" if symmetrical else "NO")
                if not symmetrical:
                    text += route(other, one, ctn(f"m{self.rng.randrange(8)}_UP" if split else "m3"), "NO")
        return text


def platform(*parts):
    return ("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            '<platform version="4.1">\n' + "".join(parts) + "</platform>\n")


def zone(name, routing, *parts):
    return f'<zone id="{name}" routing="{routing}">\n' + "".join(parts) + "</zone>\n"


def ctn(link, direction=""):
    return f'<link_ctn id="{link}"' + (f' direction="{direction}"' if direction else "") + "/>"


def route(src, dst, way, symmetrical=""):
    symmetrical = f' symmetrical="{symmetrical}"' if symmetrical else ""
    return f'<route src="{src}" dst="{dst}"{symmetrical}>{way}</route>\n'


def zone_route(src, dst, gw_src, gw_dst, way, tag="zoneRoute", symmetrical=""):
    symmetrical = f' symmetrical="{symmetrical}"' if symmetrical else ""
    return (f'<{tag} src="{src}" dst="{dst}" gw_src="{gw_src}" gw_dst="{gw_dst}"{symmetrical}>{way}</{tag}>\n')


def prop(name, value):
    return f'<prop id="{name}" value="{value}"/>'
