"""Schedules and their runs."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional, Union

import numpy
import numpy.typing

from . import _core, _options
from ._command import InNotebooks, document, run, with_file
from ._errors import BadInput, NotProved, warn
from ._machine import Machine, machine_of
from ._options import PathLike, Size
from ._records import Record

Array = numpy.typing.NDArray[Any]

COMM, REDUCE, COPY = 0, 1, 2  #: kinds of operations


class Operations(NamedTuple):
    """The operations of a schedule, one entry for each, as read-only arrays. Operation i depends on the
    operations `after[after_first[i]:after_first[i + 1]]`, which are in ascending order and less than i."""

    kind: Array  #: uint8: COMM, REDUCE or COPY
    src: Array  #: uint32: rank; from `ranks` on, a switch
    dst: Array  #: uint32: receiver of a message; otherwise as src
    bytes: Array  #: uint64
    level: Array  #: uint32: round of the operation
    segment: Array  #: uint32: pipeline segment
    after_first: Array  #: int64, one entry more than there are operations
    after: Array  #: uint32: all dependencies, a view of the schedule's memory


class Proof(NamedTuple):
    """What tutti.Schedule.prove() has found."""

    proved: bool  #: the schedule is right in whatever order messages arrive, and can run on MPI
    in_rank_order: bool  #: also right for operators that do not commute
    bitwise_equal: bool  #: all ranks get bitwise equal floating-point results
    least_bytes: int  #: bytes that all ranks together must send, whatever the algorithm
    findings: tuple[tuple[str, str], ...]  #: errors: kind and sentence


class Schedule(InNotebooks):
    """The operations of a collective and their dependencies: without times. Immutable. schedule(), load() and
    program() make schedules.

    >>> s = tutti.schedule("allreduce/recursive_doubling", ranks=4, bytes=64)
    >>> s
    <tutti.Schedule allreduce/recursive_doubling: 4 ranks, 64 bytes, 16 operations>
    >>> s.operations.src[:4].tolist(), s.messages, s.rounds
    ([0, 1, 2, 3], 8, 2)
    """

    def __init__(self, core: Any, registered: bool = False) -> None:
        self._core = core
        # True for an algorithm that tutti knows: its name and the options say all that the notation says.
        self._registered = registered
        self._operations: Optional[Operations] = None

    @staticmethod
    def from_notation(text: str) -> Schedule:
        """Reads the text of a schedule. Raises BadInput, which names line and column of a mistake."""
        if not isinstance(text, str):
            raise BadInput(f"text {text!r}: expected the text of a schedule")
        return Schedule(_core.Schedule.from_notation(_options.encoded([text])[0]))

    @property
    def algorithm(self) -> str:
        """Collective and algorithm, such as "allreduce/ring"."""
        return str(self._core.algorithm)

    @property
    def collective(self) -> str:
        return str(self._core.collective)

    @property
    def ranks(self) -> int:
        return int(self._core.ranks)

    @property
    def bytes(self) -> int:
        """Size of the largest buffer that any rank holds."""
        return int(self._core.bytes)

    @property
    def element_bytes(self) -> int:
        return int(self._core.element_bytes)

    @property
    def root(self) -> int:
        return int(self._core.root)

    @property
    def options(self) -> dict[str, str]:
        """Options of the algorithm that differ from their defaults, as on the command line."""
        return dict(self._core.options)

    @property
    def switches(self) -> int:
        """Number of switches that take part."""
        return int(self._core.switches)

    @property
    def messages(self) -> int:
        return int(self._core.messages)

    @property
    def bytes_sent(self) -> int:
        return int(self._core.bytes_sent)

    @property
    def bytes_reduced(self) -> int:
        return int(self._core.bytes_reduced)

    @property
    def rounds(self) -> int:
        """Number of rounds with at least one message."""
        return int(self._core.rounds)

    @property
    def dependencies(self) -> int:
        return int(self._core.dependencies)

    def __len__(self) -> int:
        """Number of operations."""
        return len(self._core)

    @property
    def operations(self) -> Operations:
        """All operations as arrays."""
        if self._operations is None:
            self._operations = Operations(**self._core.arrays())
        return self._operations

    def prove(self) -> Proof:
        """Proves that the schedule performs its collective, in whatever order messages arrive. Raises
        NotProved, with the race or the missing block; its `result` is the Proof.

        >>> tutti.schedule("allreduce/ring", ranks=4, bytes=64).prove().bitwise_equal
        True
        """
        found = self._core.prove()
        proof = Proof(found.proved, found.in_rank_order, found.bitwise_equal, found.least_bytes,
                      tuple(found.findings))
        if not proof.proved:
            kind, text = proof.findings[0]
            raise NotProved(f"{kind}: {text}", proof)
        return proof

    def notation(self) -> str:
        """Returns the schedule as text that from_notation() and 'tutti show' understand."""
        return str(self._core.notation())

    def save(self, path: PathLike, *, format: Optional[str] = None,
             machine: Union[Machine, PathLike, None] = None, **options: Any) -> None:
        """Writes the schedule in the format that the file's ending tells, as 'tutti convert' does: .sched or
        .tutti (the notation), .goal, .xml (MSCCL), .et (Chakra: a file for each rank), .dot, .graphml or .json.
        Raises BadInput for another ending, and CheckFailed if a file for another tool is asked for and the
        schedule is wrong.

        format: the format, whatever the ending: "goal", "msccl", ...; see 'tutti convert --help'.
        machine: its times of calculations go into .goal and .et files.
        """
        name = _options.text_of("path", path)
        if format is None and machine is None and not options and name.endswith((".sched", ".tutti")):
            with open(name, "w", encoding="utf-8") as file:  # also if the schedule is wrong
                file.write(self.notation())
            return
        self._with_words(lambda words: converted(words, name, format, machine, options))

    def stats(self, machine: Union[Machine, PathLike, None] = None) -> Record:
        """Numbers about the schedule (tutti-stats/1): traffic of ranks, depth, times of formulas."""
        on = machine_of(machine)
        return Record(self._with_words(
            lambda words: document(["show", *words, *on._words, "--format=stats"])))

    def svg(self, which: Optional[str] = None) -> str:
        """Draws the schedule round by round, as SVG."""
        return str(self._with_words(
            lambda words: run(["plot", "show", *words, "-o", "-", *_options.words("plot", {"which": which})])))

    def to_networkx(self) -> Any:
        """Returns a networkx.DiGraph of the operations: nodes are operation numbers with the attributes
        kind, src, dst, bytes, level and segment; an edge leads from an operation to each one that depends on
        it. Imports networkx."""
        import networkx  # type: ignore[import]

        ops = self.operations
        graph = networkx.DiGraph(algorithm=self.algorithm, ranks=self.ranks)
        columns = [column.tolist() for column in ops[:6]]
        for number, values in enumerate(zip(*columns)):
            graph.add_node(number, **dict(zip(Operations._fields, values)))
        into = numpy.repeat(numpy.arange(len(self)), numpy.diff(ops.after_first))
        graph.add_edges_from(zip(ops.after.tolist(), into.tolist()))
        return graph

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each operation. Imports pandas."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(dict(zip(Operations._fields[:6], self.operations[:6])))

    def _with_words(self, use: Any) -> Any:
        """Calls `use` with the words of a command line that name this schedule."""
        if self._registered:
            return use([self.algorithm, *_options.words("simulate", self._arguments())])
        return with_file(self.notation(), ".sched", lambda path: use([path]),
                         self.algorithm.rpartition("/")[2] or "schedule")

    def _arguments(self) -> dict[str, Any]:
        """What schedule() takes for this schedule of an algorithm that tutti knows."""
        options = {name.replace("-", "_"): text for name, text in self.options.items()}
        if self.root:
            options["root"] = str(self.root)
        # Its default depends on the machine.
        if "cores-per-node" in _options_of(self.algorithm) and "groups" not in options:
            options.setdefault("cores_per_node", "1")
        return {"ranks": self.ranks, "bytes": self.bytes, "elem_bytes": self.element_bytes, **options}

    def __reduce__(self) -> Any:
        if self._registered:
            return _made, (self.algorithm, self._arguments())
        return Schedule.from_notation, (self.notation(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self.notation() == other.notation()

    def __hash__(self) -> int:
        return hash((self.algorithm, self.ranks, self.bytes, len(self)))

    def __repr__(self) -> str:
        return (f"<tutti.Schedule {self.algorithm}: {_counted(self.ranks, 'rank')}, "
                f"{_counted(self.bytes, 'byte')}, {_counted(len(self), 'operation')}>")


def converted(words: list[str], path: PathLike, format: Optional[str],
              machine: Union[Machine, PathLike, None], options: dict[str, Any]) -> None:
    """Runs 'tutti convert'. `words` name the schedule."""
    name = _options.text_of("path", path)
    if name.startswith("-"):  # the command would take it for an option, or for standard output
        name = os.path.join(os.curdir, name)
    try:
        run(["convert", words[0], name, *words[1:], *_options.words("convert", {"to": format, **options}),
             *machine_of(machine)._words])
    except BadInput as error:
        text = str(error).replace("or give to", "or give format")  # the option is --to
        raise BadInput("format" + text[2:] if text.startswith("to '") else text) from None


def _options_of(algorithm: str) -> list[str]:
    return next((each["options"] for each in _core.algorithms() if each["name"] == algorithm), [])


def _made(algorithm: str, arguments: dict[str, Any]) -> Schedule:
    return schedule(algorithm, **arguments)


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def schedule(algorithm: PathLike, *, ranks: Optional[int] = None, bytes: Optional[Size] = None,
             root: Optional[int] = None, machine: Union[Machine, PathLike, None] = None,
             **options: Any) -> Schedule:
    """Makes the schedule of an algorithm ("allreduce/ring"), or of a program in tutti's notation (a path).

    ranks: number of ranks.
    bytes: size of the largest buffer that any rank holds: 1024 or "1MiB".
    root: the root, for a collective that has one.
    machine: needed only for options whose meaning depends on it, such as groups="host".
    The other options are those of 'tutti simulate', such as segment="64K", skips="halving", set={"k": 3}.

    Raises BadInput if the algorithm does not exist or cannot run the problem.

    >>> tutti.schedule("bcast/pipeline", ranks=8, bytes="1MiB", tree="binary", segment="64K").rounds
    3
    """
    on = machine_of(machine)
    what = _options.text_of("algorithm", algorithm)
    words = _options.words("simulate", {"ranks": ranks, "bytes": bytes, "root": root, **options})
    core = _core.Schedule(_options.encoded([what])[0], _options.encoded(words), on._core)
    return Schedule(core, core.registered)


def load(path: PathLike, **options: Any) -> Schedule:
    """Reads a schedule, or a program in tutti's notation with the options that schedule() takes.

    >>> tutti.load("examples/schedules/bruck_allgather.sched", ranks=8, bytes="1KiB").prove().proved
    True
    """
    name = _options.text_of("path", path)
    with open(name, encoding="utf-8"):  # so that a missing file is FileNotFoundError
        return schedule(name, **options)


class Ties(NamedTuple):
    """Total times of a run under different orders of simultaneous messages."""

    runs: int
    least_s: float
    median_s: float
    most_s: float
    matter: bool


class Run(InNotebooks):
    """A simulated run of a schedule. Times are in seconds after the start of the collective.

    >>> s = tutti.schedule("allreduce/ring", ranks=4, bytes="1MiB")
    >>> r = tutti.simulate(s, tutti.Machine())
    >>> f"{r.total_s:.6f}", r.end_s.max() == r.total_s
    ('0.001369', True)
    >>> r.start_s.flags.writeable
    False
    """

    def __init__(self, core: Any, schedule: Schedule, machine: Machine) -> None:
        self._core = core
        self._schedule = schedule
        self._machine = machine

    @property
    def schedule(self) -> Schedule:
        """The schedule that ran."""
        return self._schedule

    @property
    def machine(self) -> Machine:
        """The machine on which it ran."""
        return self._machine

    @property
    def total_s(self) -> float:
        """Time from the start of the collective to the end of its last operation."""
        return float(self._core.total_s)

    @property
    def start_s(self) -> Array:
        """Start of each operation: a read-only view of the library's memory, in the schedule's order."""
        array: Array = self._core.start_s
        return array

    @property
    def end_s(self) -> Array:
        """End of each operation, as start_s."""
        array: Array = self._core.end_s
        return array

    @property
    def engine(self) -> str:
        """The engine that computed the times: "flow", "simgrid" or "critical-path"."""
        return str(self._core.engine)

    @property
    def ties(self) -> Optional[Ties]:
        """Range of total_s under other orders of simultaneous messages; None if none was looked for, because
        no operation waited or the schedule is large."""
        found = self._core.ties
        return found and Ties(found.runs, found.least_s, found.median_s, found.most_s, found.matter)

    @property
    def alpha_s(self) -> float:
        """Time to start a message, as the formulas use it."""
        return float(self._core.alpha_s)

    @property
    def beta_s_per_byte(self) -> float:
        return float(self._core.beta_s_per_byte)

    @property
    def gamma_s_per_byte(self) -> float:
        return float(self._core.gamma_s_per_byte)

    @property
    def exact_s(self) -> Optional[float]:
        """Time by the closed form of the algorithm; None if none is known."""
        return None if self._core.exact_s is None else float(self._core.exact_s)

    @property
    def published(self) -> tuple[tuple[str, str, float], ...]:
        """Formulas from the literature: text, source, and time in seconds."""
        return tuple((each.text, each.source, each.seconds) for each in self._core.published)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame: the schedule's operations with start_s and end_s. Imports pandas."""
        return self.schedule.to_pandas().assign(start_s=self.start_s, end_s=self.end_s)

    def to_json(self) -> str:
        """Returns the result of 'tutti simulate' for this run (tutti-result/1)."""
        return self._command(["simulate"], ["--json=-"])

    def recording(self) -> str:
        """Returns the result with the times of all operations, links and ports (tutti-recording/1)."""
        return self._command(["simulate"], ["--record", "-"])

    def svg(self, which: Optional[str] = None) -> str:
        """Draws the run, as SVG: "timeline" (space-time), "waterfall", ..."""
        return self._command(["plot", "simulate"], ["-o", "-", *_options.words("plot", {"which": which})])

    def html(self, title: Optional[str] = None) -> str:
        """Returns the report page of the run, which works offline."""
        return self._command(["report", "simulate"], ["-o", "-", *_options.words("report", {"title": title})])

    def __reduce__(self) -> Any:
        return simulate, (self.schedule, self.machine)  # runs it again, with the same times

    def _command(self, before: list[str], after: list[str]) -> str:
        return str(self.schedule._with_words(
            lambda named: run([*before, *named, *self.machine._words, *after])))

    def __repr__(self) -> str:
        return f"<tutti.Run {self.schedule.algorithm}: {self.total_s:.9g} s, engine {self.engine}>"


def simulate(schedule_or_algorithm: Union[Schedule, PathLike],
             machine: Union[Machine, PathLike, None] = None, **options: Any) -> Run:
    """Simulates a schedule on a machine. Instead of a schedule, takes what schedule() takes.

    >>> tutti.simulate("allreduce/ring", ranks=4, bytes=64).total_s == tutti.simulate(
    ...     tutti.schedule("allreduce/ring", ranks=4, bytes=64)).total_s
    True
    """
    on = machine_of(machine)
    if isinstance(schedule_or_algorithm, Schedule):
        if options:
            raise BadInput(f"{next(iter(options))}: has no effect on a schedule that exists; options of the "
                           "machine belong to tutti.Machine()")
        made = schedule_or_algorithm
    else:
        made = schedule(schedule_or_algorithm, machine=on, **options)
    done = Run(_core.simulate(made._core, on._core), made, on)
    for text in on._core.warnings:
        warn(text)
    if (ties := done.ties) and ties.matter:
        warn(f"the result depends on which of several simultaneous messages goes first: {ties.least_s:.6g} s to "
             f"{ties.most_s:.6g} s, median {ties.median_s:.6g} s, in {ties.runs} runs with tiny random delays")
    return done
