"""Schedules written in Python: a builder that writes tutti's notation.

The builder adds no meaning of its own. It writes the operations that it is told, with the labels, sizes and
dependencies that the notation asks for; the library reads that text, and the same proof judges it.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _options
from ._errors import BadInput
from ._options import Size
from ._schedule import Schedule, schedule

_MOST_BLOCKS = 10_000_000

Index = Union[int, slice, Iterable[int]]


class Operation(NamedTuple):
    """An operation of a program, to be named in `after`."""

    number: int


class Blocks(NamedTuple):
    """Some blocks of a buffer: p.work[3], p.work[0:4], p.scratch[1, 5]."""

    buffer: str
    numbers: tuple[int, ...]

    @property
    def text(self) -> str:
        """The blocks in the notation: work[0:4], which is four blocks from block 0 on."""
        first, count = self.numbers[0], len(self.numbers)
        if count == 1:
            return f"{self.buffer}[{first}]"
        if self.numbers == tuple(range(first, first + count)):
            return f"{self.buffer}[{first}:{count}]"
        return f"{self.buffer}[{','.join(map(str, self.numbers))}]"


class Buffer:
    """A buffer that every rank has: input, work or scratch. An index selects blocks as in Python."""

    def __init__(self, name: str, blocks: int) -> None:
        self._name = name
        self._blocks = blocks

    def __getitem__(self, index: Union[Index, tuple[int, ...]]) -> Blocks:
        if isinstance(index, slice):
            numbers = tuple(range(*index.indices(self._blocks)))
        elif getattr(index, "dtype", None) == bool or isinstance(index, (bool, str)):
            raise BadInput(f"{self._name}[{index}]: expected numbers of blocks")
        elif isinstance(index, Iterable):
            numbers = tuple(_number(f"{self._name}[...]", each) for each in index)
        else:
            numbers = (_number(f"{self._name}[...]", index),)
        for number in numbers:
            if not -self._blocks <= number < self._blocks:
                raise BadInput(f"{self._name}[{number}]: there are {self._blocks} blocks, 0 to {self._blocks - 1}")
        if not numbers:
            raise BadInput(f"{self._name}[{index}]: no blocks are selected")
        return Blocks(self._name, tuple(number % self._blocks for number in numbers))


class Program:
    """A schedule that is being written. program() makes it; docs/reference/python.md has an example."""

    def __init__(self, collective: str, ranks: int, bytes: Size, blocks: Optional[int], root: int,
                 element_bytes: int, name: str) -> None:
        self.ranks = _number("ranks", ranks, 1)
        self.blocks = self.ranks if blocks is None else _number("blocks", blocks, 1)
        element_bytes = _number("element_bytes", element_bytes, 1)
        self._collective = collective
        self._name = name
        self._root = root
        self._element_bytes = element_bytes
        self._bytes = _in_bytes(bytes)
        elements, rest = divmod(self._bytes, element_bytes)
        if rest:
            raise BadInput(f"bytes {bytes}: not a whole number of {element_bytes}-byte elements")
        if self.blocks > _MOST_BLOCKS:
            raise BadInput(f"blocks {blocks}: at most {_MOST_BLOCKS:,}")
        each, longer = divmod(elements, self.blocks)
        self._sizes = [element_bytes * (each + (block < longer)) for block in range(self.blocks)]
        self.input = Buffer("input", self.blocks)  #: what the rank contributes; cannot be written
        self.work = Buffer("work", self.blocks)  #: what the rank has and, at the end, its result
        self.scratch = Buffer("scratch", self.blocks)  #: room for received data
        self._lines: list[str] = []
        self._labels: list[str] = []
        self._levels: list[int] = []
        self._segments: Counter[tuple[int, str]] = Counter()
        # For each rank, buffer and block: the operation that wrote it last, and those that read it since.
        self._writer: dict[tuple[int, str, int], int] = {}
        self._readers: dict[tuple[int, str, int], list[int]] = {}
        self._schedule: Optional[Schedule] = None

    def scratch_slot(self, slot: int) -> Buffer:
        """Returns a further slot of scratch, each as long as the vector; slot 0 is `scratch`."""
        return Buffer("scratch" if slot == 0 else f"scratch#{slot}", self.blocks)

    def send(self, src: int, dst: int, what: Blocks, into: Optional[Blocks] = None, *,
             after: Union[Operation, Iterable[Operation], None] = None, round: Optional[int] = None) -> Operation:
        """Sends blocks of rank `src` to rank `dst`.

        what: the blocks to send; into: where they go at the receiver [the same blocks].
        after: the operations that must have ended. [Those that the data asks for: the operation that wrote what
            this one reads, and those that read or wrote what this one writes, at the same rank.] The proof
            finds what is missing.
        round: number of the round, which is only for people [after those of `after`].
        """
        target = into or what
        src, dst = _number("src", src), _number("dst", dst)
        return self._add(lambda: f"Comm({src},{dst},{self._size(what)}, {what.text} -> {target.text})",
                         [(src, what)], [(dst, target)], (src, dst), after, round)

    def reduce(self, rank: int, left: Blocks, right: Blocks, into: Optional[Blocks] = None, *,
               after: Union[Operation, Iterable[Operation], None] = None, round: Optional[int] = None) -> Operation:
        """Combines blocks of a rank: left op right. The result goes to `into`, which is `left` or `right`
        [right]."""
        target = into or right
        rank = _number("rank", rank)
        return self._add(
            lambda: f"Reduce({rank},{self._size(left)}, {left.text} op {right.text} -> {target.text})",
            [(rank, left), (rank, right)], [(rank, target)], (rank,), after, round)

    def copy(self, rank: int, what: Blocks, into: Blocks, *, after: Union[Operation, Iterable[Operation], None] = None,
             round: Optional[int] = None) -> Operation:
        """Copies blocks within a rank."""
        rank = _number("rank", rank)
        return self._add(lambda: f"Copy({rank},{self._size(what)}, {what.text} -> {into.text})",
                         [(rank, what)], [(rank, into)], (rank, rank), after, round)

    @property
    def notation(self) -> str:
        """The program as text in tutti's notation."""
        head = {"collective": self._collective, "algorithm": self._name, "ranks": self.ranks,
                "bytes": self._bytes, "element_bytes": self._element_bytes, "root": self._root,
                "blocks": self.blocks}
        return "\n".join(["tutti-schedule 1", *(f"{key} {value}" for key, value in head.items()), "",
                          *self._lines, ""])

    @property
    def schedule(self) -> Schedule:
        """The finished schedule. Raises BadInput, which names the line of the notation, if it cannot be read."""
        if self._schedule is None:
            self._schedule = Schedule.from_notation(self.notation)
        return self._schedule

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.schedule  # so that mistakes show here  # noqa: B018

    def _size(self, what: Blocks) -> int:
        return sum(self._sizes[number] for number in what.numbers)

    def _add(self, text: Callable[[], str], reads: Sequence[tuple[int, Blocks]], writes: Sequence[tuple[int, Blocks]],
             places: tuple[int, ...], after: Union[Operation, Iterable[Operation], None], round: Optional[int]) -> Operation:
        if self._schedule is not None:
            raise BadInput("the program is finished: its schedule has been read")
        for _, blocks in (*reads, *writes):
            if not isinstance(blocks, Blocks):
                raise BadInput(f"{blocks!r}: expected blocks, such as p.work[0:2]")
        for place in places:
            if not 0 <= place < self.ranks:
                raise BadInput(f"rank {place}: there are {self.ranks} ranks, 0 to {self.ranks - 1}")
        number = len(self._lines)
        before = sorted(self._hazards(reads, writes) if after is None else self._numbers_of(after))
        level = round if round is not None else 1 + max((self._levels[each] for each in before), default=-1)
        ends = ",".join(map(str, places))
        label = f"Req(<{level},{self._segments[level, ends]}>,{{{ends}}})"
        self._segments[level, ends] += 1
        self._labels.append(label)
        self._levels.append(level)
        waits = f" After({', '.join(self._labels[each] for each in before)})" if before else ""
        self._lines.append(f"{label} = {text()}{waits}")
        for block in _places(reads):
            self._readers.setdefault(block, []).append(number)
        for block in _places(writes):
            self._writer[block] = number
            self._readers[block] = []
        return Operation(number)

    def _numbers_of(self, after: Union[Operation, Iterable[Operation]]) -> set[int]:
        operations = [after] if isinstance(after, Operation) else list(after)
        for each in operations:
            if not isinstance(each, Operation) or not 0 <= each.number < len(self._lines):
                raise BadInput(f"after {each!r}: expected operations of this program")
        return {each.number for each in operations}

    def _hazards(self, reads: Sequence[tuple[int, Blocks]], writes: Sequence[tuple[int, Blocks]]) -> set[int]:
        before = set()
        for place in [*_places(reads), *_places(writes)]:
            if place in self._writer:
                before.add(self._writer[place])
        for place in _places(writes):
            before.update(self._readers.get(place, ()))
        return before


def _number(name: str, value: Any, least: Optional[int] = None) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{name} {value!r}: expected a whole number") from None
    if least is not None and number < least:
        raise BadInput(f"{name} {value!r}: must be at least {least}")
    return number


def _places(blocks: Sequence[tuple[int, Blocks]]) -> Iterator[tuple[int, str, int]]:
    for rank, some in blocks:
        for number in some.numbers:
            yield rank, some.buffer, number


def _in_bytes(size: Size) -> int:
    """The number of bytes that a text such as "1MiB" means, as the library reads it."""
    return schedule("bcast/linear", ranks=1, bytes=size, elem_bytes=1).bytes


def program(collective: str, *, ranks: int, bytes: Size, blocks: Optional[int] = None, root: int = 0,
            element_bytes: int = 8, name: str = "program") -> Program:
    """Begins a schedule written in Python.

    collective: "allreduce", ...
    ranks: number of ranks.
    bytes: size of the largest buffer of a rank: 1024 or "1MiB".
    blocks: number of blocks into which a buffer is cut, as evenly as whole elements allow [the number of ranks].
    name: name of the algorithm.

    >>> with tutti.program("bcast", ranks=4, bytes=64, blocks=1, name="tree") as p:
    ...     first = p.send(0, 2, p.work[0])
    ...     second = p.send(0, 1, p.work[0], after=[first])
    ...     third = p.send(2, 3, p.work[0])
    >>> p.schedule.prove().proved
    True
    >>> print(p.notation.splitlines()[-1])
    Req(<1,0>,{2,3}) = Comm(2,3,64, work[0] -> work[0]) After(Req(<0,0>,{0,2}))
    """
    return Program(collective, ranks, bytes, blocks, root, element_bytes, name)
