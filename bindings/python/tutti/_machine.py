"""Machines: a platform, an engine, ports and prices."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Optional, Union

from . import _core, _options
from ._command import run, temporary_folder
from ._errors import BadInput, shown
from ._options import PathLike, Size


class Placement(str):
    """How ranks are placed on hosts: Placement.block (consecutive ranks share a host), Placement.cyclic
    (ranks go to the hosts in turn), Placement.switch (as block, but the hosts come from the leaf switches in
    turn), or Placement.random(seed).

    >>> tutti.Machine("crossbar:8", placement=tutti.Placement.cyclic, ranks_per_host=2)
    Machine('crossbar:8', ranks_per_host=2, placement='cyclic')
    """

    block: Placement
    cyclic: Placement
    switch: Placement

    @staticmethod
    def random(seed: int) -> Placement:
        """As block, but on hosts drawn at random, in the platform's order, as a scheduler assigns them."""
        return Placement(f"random:{_options.text_of('seed', seed)}")

    def __repr__(self) -> str:
        return repr(str(self))


Placement.block, Placement.cyclic, Placement.switch = map(Placement, ("block", "cyclic", "switch"))


class Platform:
    """A platform file in SimGrid's XML.

    >>> tree = tutti.platform("fat_tree", hosts=16, bw="100Gbps", lat="0.5us")
    >>> len(tree.xml.splitlines()) > 5
    True
    >>> tutti.Machine(tree).platform is tree
    True
    """

    def __init__(self, xml: str) -> None:
        if not isinstance(xml, str) or not xml.lstrip("\ufeff").lstrip().startswith("<"):
            raise BadInput(f"xml {shown(xml)}: expected the text of a platform file, which begins with '<'; for a "
                           "file, write tutti.Machine(path), or Platform.load(path)")
        self.xml = xml  #: the text of the file
        self._file: Any = None

    @staticmethod
    def load(path: PathLike) -> Platform:
        """Reads a platform file."""
        with open(path, encoding="utf-8") as file:
            return Platform(file.read())

    def save(self, path: PathLike) -> None:
        """Writes the file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.xml)

    def __fspath__(self) -> str:
        """The path of a temporary file with the platform, for the commands. For workers on other machines, use
        save() and the path of that file."""
        if self._file is None or self._file[0] != os.getpid():  # a fork must not remove its parent's file
            folder = temporary_folder()
            self.save(os.path.join(folder.name, "platform.xml"))
            if self._file is not None:
                self._file[1]._finalizer.detach()
            self._file = os.getpid(), folder
        return os.path.join(self._file[1].name, "platform.xml")

    def __reduce__(self) -> Any:
        return Platform, (self.xml,)

    def __repr__(self) -> str:
        return f"Platform(<{len(self.xml)} characters of XML>)"


def platform(kind: str, **options: Any) -> Platform:
    """Makes a platform: "crossbar", "smp", "fat_tree", "torus", "mesh", "dragonfly", "dragonfly_plus",
    "slingshot", "islands" or "gpu". The options are those of the command 'tutti platform KIND'.

    >>> tutti.platform("torus", dims="4,4").xml.startswith("<?xml")
    True
    """
    name = _options.text_of("kind", kind)
    return Platform(run(["platform", name, *_options.words(f"platform {name}", options), "-o", "-"]))


class Machine:
    """The machine on which schedules run.

    platform: path of a SimGrid platform file; or "crossbar:64,bw=10Gbps,lat=1us"; or a Platform. None: a
        crossbar (10 Gb/s, 2 us) with as many hosts as needed.
    ranks_per_host: number of ranks on each host.
    placement: "block", "cyclic", "switch" or "random:SEED"; see Placement.
    hosts: names of the hosts on which the ranks run, in order, or a file with them.
    ports: number of messages that a rank can send, and can receive, at a time; or "unlimited".
    engine: "auto", "flow", "simgrid" or "critical-path".
    network_model: "hockney", or SimGrid's "lv08", "smpi" or "ib".
    eager: size in bytes of the largest message that does not wait for its receiver.
    alpha, beta, gamma, copy_cost: prices that replace the platform's: seconds for a message, seconds for a
        byte sent, reduced, copied; or texts such as "2us" and "10Gbps".
    parameters: file with measured costs.
    The other options are those of 'tutti simulate', such as what_if="bw(leaf)*2" and jitter="10%".

    Raises BadInput if a value is invalid, or if the platform cannot be read. simulate() uses the platform as it
    was then; functions that run a command read the file again.

    >>> tutti.Machine("crossbar:64,bw=10Gbps,lat=1us")
    Machine('crossbar:64,bw=10Gbps,lat=1us')
    >>> tutti.Machine("crossbar:64", ports=0)
    Traceback (most recent call last):
    ...
    tutti.BadInput: ports '0': must be at least 1, or unlimited
    """

    def __init__(
        self,
        platform: Union[PathLike, Platform, None] = None,
        *,
        ranks_per_host: Optional[int] = None,
        placement: Optional[str] = None,
        hosts: Any = None,
        ports: Union[int, str, None] = None,
        engine: Optional[str] = None,
        network_model: Optional[str] = None,
        eager: Optional[Size] = None,
        alpha: Union[float, str, None] = None,
        beta: Union[float, str, None] = None,
        gamma: Union[float, str, None] = None,
        copy_cost: Union[float, str, None] = None,
        parameters: Optional[PathLike] = None,
        **others: Any,
    ) -> None:
        if hosts is not None and not isinstance(hosts, (str, os.PathLike)):
            hosts = tuple(hosts) if isinstance(hosts, Iterable) else hosts
        self._platform = platform
        self._options = {
            "ranks_per_host": ranks_per_host, "placement": placement, "hosts": hosts, "ports": ports,
            "engine": engine, "network_model": network_model, "eager": eager, "alpha": alpha, "beta": beta,
            "gamma": gamma, "copy_cost": copy_cost, "parameters": parameters, **others}
        self._words = _options.words("simulate", {"platform": platform, **self._options})
        self._core = _core.Machine(_options.encoded(self._words))

    @property
    def platform(self) -> Union[PathLike, Platform, None]:
        """The platform, as it was given."""
        return self._platform

    @property
    def options(self) -> Mapping[str, Any]:
        """The other arguments, as they were given."""
        return MappingProxyType(self._options)

    def __reduce__(self) -> Any:
        return _machine, (type(self), self._platform, self._options)

    def __repr__(self) -> str:
        parts = [] if self._platform is None else [repr(self._platform)]
        parts += [f"{name}={value!r}" for name, value in self._options.items() if value is not None]
        return f"Machine({', '.join(parts)})"


def _machine(kind: Any, platform: Any, options: dict[str, Any]) -> Any:
    return kind(platform, **options)


def machine_of(machine: Union[Machine, PathLike, Platform, None]) -> Machine:
    """The machine that an argument means: a Machine, or what Machine() takes as its platform."""
    if isinstance(machine, Machine):
        return machine
    if machine is None or isinstance(machine, (str, os.PathLike, Platform)):
        return Machine(machine)
    raise BadInput(f"machine {shown(machine)}: expected a tutti.Machine, a path, or None")
