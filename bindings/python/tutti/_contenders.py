"""The user's own schedules beside tutti's algorithms: the argument `with_` of compare(), decide() and search().

The library reads a schedule from a file of a temporary folder, and calls functions for the problems that it needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional, Union

from . import _options
from ._command import hide, temporary_folder
from ._errors import BadInput, shown
from ._options import PathLike
from ._program import Program
from ._schedule import Schedule

MadeBy = Callable[[int, int], Union[Schedule, Program, PathLike, None]]
With = Union[Schedule, Program, PathLike, MadeBy, Iterable[Union[Schedule, Program, PathLike, MadeBy]], None]

_EXPECTED = "expected a tutti.Schedule, a path, a function of (ranks, bytes) that returns one, or a list of them"


def schedule_of(value: Any) -> Optional[Schedule]:
    """The schedule that a Schedule or a Program is; None for anything else."""
    return value.schedule if isinstance(value, Program) else value if isinstance(value, Schedule) else None


class Folder:
    """A temporary folder with schedules. Their paths in answers are replaced by their names."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files = 0

    def new(self) -> str:
        """Makes a folder in the folder, and returns its path."""
        self._files += 1
        own = os.path.join(self._path, str(self._files))
        os.mkdir(own)
        return own

    def write(self, schedule: Schedule) -> str:
        """Writes a file that is named after the algorithm, and returns its path."""
        name = (schedule.algorithm.rpartition("/")[2] or "schedule") + ".sched"
        return self.write_text(name, schedule.notation())

    def write_text(self, name: str, text: str) -> str:
        """Writes a file, and returns its path."""
        path = os.path.join(self.new(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def hidden(self, document: Any) -> Any:
        """Returns a JSON document in which paths of the folder are replaced."""
        if isinstance(document, dict):
            return {name: self.hidden(value) for name, value in document.items()}
        if isinstance(document, list):
            return [self.hidden(value) for value in document]
        return hide(document) if isinstance(document, str) else document


class Source:
    """A function of the user: what the library calls for each problem."""

    def __init__(self, make: MadeBy, name: str, folder: Folder) -> None:
        self.name = name
        self._make = make
        self._folder = folder

    def schedule_file(self, ranks: int, bytes: int) -> str:
        """Returns the path of a file with the schedule; "" if the function returns None."""
        call = f"{self.name}({ranks}, {bytes})"
        try:
            made = self._make(ranks, bytes)
            schedule = schedule_of(made)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"in {call}, which tutti called for {ranks} ranks and {bytes} bytes")
            raise
        if made is None:
            return ""
        if schedule is None:
            if not isinstance(made, (str, os.PathLike)):
                raise BadInput(f"{call} returned {shown(made)}: expected a tutti.Schedule, a path, or None")
            return os.fspath(made)
        if (schedule.ranks, schedule.bytes) != (ranks, bytes):
            raise BadInput(f"{call} returned a schedule for {schedule.ranks} ranks and {schedule.bytes} bytes")
        return self._folder.write(schedule)


class Contenders:
    """The user's schedules for one command."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.paths: list[str] = []
        self.sources: list[Source] = []

    def add(self, value: Any) -> None:
        schedule = schedule_of(value)
        if schedule is not None:
            self.paths.append(self.folder.write(schedule))
        elif isinstance(value, (str, os.PathLike)):
            self.paths.append(_options.text_of("with_", value))
        elif callable(value):
            self.sources.append(Source(value, self._name_of(value), self.folder))
        else:
            raise BadInput(f"with_ {shown(value)}: {_EXPECTED}")

    def words(self) -> list[str]:
        return [f"--with={path}" for path in self.paths]

    def _name_of(self, function: Any) -> str:
        name = getattr(function, "__name__", type(function).__name__)
        name = name if name.isidentifier() else "function"
        taken = {source.name for source in self.sources}
        number, own = 1, name
        while own in taken:
            number += 1
            own = f"{name}_{number}"
        return own


@contextmanager
def contenders(*with_: With) -> Iterator[Contenders]:
    """Yields the schedules of the arguments, whose files exist until the end of the block."""
    with temporary_folder() as path:
        found = Contenders(Folder(path))
        for value in with_:
            if value is None:
                continue
            if isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike, Schedule, Program)):
                for each in value:
                    found.add(each)
            else:
                found.add(value)
        yield found

