"""Descriptions of training steps written in Python: a builder that writes the statements of `tutti step`.

The builder adds no meaning of its own: the library reads its text, and names the line of what it refuses.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional, Union

from ._errors import BadInput

# A number, or a formula with units and names, such as "2 * 436.2MB / tp".
Formula = Union[int, float, str]


class StepDescription:
    """A description of a step that is being written. Numbers are formulas: "26.2ms", "layer / tp", 12.

    >>> step = tutti.StepDescription("two layers", layout={"tp": 4, "dp": None})
    >>> step.let("activation", "16MiB")
    >>> with step.repeat(2):
    ...     step.compute("2ms / tp")
    ...     step.collective("allreduce", "tp", whole="activation")
    >>> print(step)
    step "two layers"
    layout tp 4, dp
    let activation = 16MiB
    repeat 2 {
      compute 2ms / tp
      allreduce whole activation on tp
    }
    >>> tutti.step(step, ranks=8, gpu="h100").ranks
    8
    """

    def __init__(self, name: str = "", *, layout: Optional[dict[str, Optional[Formula]]] = None) -> None:
        self._lines: list[str] = []
        self._depth = 0
        if name:
            if '"' in name or "\n" in name:
                raise BadInput(f"name {name!r}: must be one line without double quotes")
            self.add(f'step "{name}"')
        if layout:
            self.add("layout " + ", ".join(axis if size is None else f"{axis} {size}" for axis, size in layout.items()))

    def add(self, statement: str) -> None:
        """Adds a statement as it is in a file, for what has no method here."""
        self._lines.append("  " * self._depth + statement)

    def let(self, name: str, value: Formula) -> None:
        """Gives a name to a number, a size or a time."""
        self.add(f"let {name} = {value}")

    def group(self, name: str, *parts: str) -> None:
        """Defines a group: step.group("ep", "tp", "dp 2")."""
        self.add(f"group {name} = {', '.join(parts)}")

    def algorithm(self, collective: str, choice: str, *, on: Optional[str] = None) -> None:
        """Says which algorithm runs: "by nccl", "by best", or an algorithm and its options."""
        self.add(f"algorithm {collective}{'' if on is None else f' on {on}'} {choice}")

    def compute(self, time: Formula) -> None:
        """Each rank computes."""
        self.add(f"compute {time}")

    def collective(self, collective: str, on: str, *, whole: Optional[Formula] = None, share: Optional[Formula] = None,
                   root: Optional[Formula] = None, beside: bool = False, name: Optional[str] = None) -> None:
        """Adds a collective of a group, which has the size of the full vector (whole) or of the part of a rank (share).
        beside: computing goes on meanwhile. name: for wait()."""
        if whole is not None and share is not None:
            raise BadInput("a collective has either whole or share")
        words = [] if name is None else [f"name {name}:"]
        words += ["beside"] if beside else []
        words.append(collective)
        words += [f"whole {whole}"] if whole is not None else [f"share {share}"] if share is not None else []
        words.append(f"on {on}")
        words += [] if root is None else [f"root {root}"]
        self.add(" ".join(words))

    def wait(self, what: str) -> None:
        """Computing waits for a collective, or for all collectives of a group so far."""
        self.add(f"wait {what}")

    def handover(self, size: Formula) -> None:
        """The message from each rank of a stage to the next stage; inside pipeline()."""
        self.add(f"handover {size}")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Statements in braces."""
        self.add(head + " {")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.add("}")

    def repeat(self, times: Formula, variable: Optional[str] = None) -> Any:
        """with step.repeat(80, "i"): the statements are carried out 80 times, with i from 0 to 79."""
        return self.block(f"repeat {times}" if variable is None else f"repeat {variable} {times}")

    def pipeline(self, axis: str, micro: Formula) -> Any:
        """with step.pipeline("pp", 12): inside are forward(), backward() and handover()."""
        return self.block(f"pipeline {axis}, micro {micro}")

    def forward(self) -> Any:
        return self.block("forward")

    def backward(self) -> Any:
        return self.block("backward")

    @property
    def text(self) -> str:
        """The description as in a file."""
        return "".join(line + "\n" for line in self._lines)

    def __str__(self) -> str:
        return self.text.rstrip("\n")


def text_of(step: Any) -> Optional[str]:
    """Returns the text of a description; None for the path of a file."""
    if isinstance(step, StepDescription):
        return step.text
    if isinstance(step, str) and "\n" in step:
        return step
    if isinstance(step, (str, os.PathLike)):
        return None
    raise BadInput(f"{type(step).__name__}: a step is the path of a file, the text of a description (of several lines), "
                   "or a StepDescription")
