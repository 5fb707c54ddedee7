"""Runs the cells of a sweep on an executor."""

from __future__ import annotations

import concurrent.futures
import os
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional, Union

from . import _core
from ._errors import BadInput, shown, warn

Progress = Union[bool, Callable[[int, int], Any], None]


def workers_of(executor: Any) -> int:
    """Returns the number of workers of an executor, as well as it can be known."""
    if is_dask(executor):
        return sum(executor.ncores().values()) or 1
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def is_dask(executor: Any) -> bool:
    return type(executor).__module__.partition(".")[0] == "distributed"


def submit(executor: Any, call: Callable[..., Any], *arguments: Any) -> Any:
    """Submits a call. It must not be answered from memory, because it may be submitted again."""
    if is_dask(executor):
        return executor.submit(call, *arguments, pure=False)
    return executor.submit(call, *arguments)


def check(executor: Any) -> None:
    if not callable(getattr(executor, "submit", None)):
        raise BadInput(f"executor {shown(executor)}: expected an object with the method submit(), such as "
                       "concurrent.futures.ProcessPoolExecutor(), mpi4py.futures.MPIPoolExecutor() or "
                       "dask.distributed.Client()")


def check_progress(progress: Any) -> None:
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise BadInput(f"progress {progress!r}: expected True, or a function of (done, all)")


def lost(error: BaseException) -> bool:
    """True if the worker was lost, so that another one can do the work."""
    return isinstance(error, (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError)) or \
        type(error).__name__ in ("KilledWorker", "CommClosedError", "CancelledError")


def run_cell(cell: str) -> str:
    """Runs one cell in a worker. A function of Python, because those of C++ cannot be pickled."""
    return _core.run_cell(cell)


class Shower:
    """Reports progress to the user's function, or to tqdm."""

    def __init__(self, progress: Progress) -> None:
        self._show: Optional[Callable[[int, int], Any]] = None
        self._bar: Any = None
        if callable(progress):
            self._show = progress
        elif progress:
            try:
                from tqdm.auto import tqdm  # type: ignore[import]
            except ImportError:
                warn("progress=True shows nothing, because tqdm is not installed; give a function of "
                     "(done, all) instead")
            else:
                self._bar = tqdm(unit="cell", total=0)

    def show(self, done: int, of: int) -> None:
        if self._show:
            self._show(done, of)
        if self._bar is not None:
            self._bar.total = of
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


MOST_LOSSES = 2  #: after this many lost workers, a piece of work is given up


class LostWorker(NamedTuple):
    """Stands for the answer of a worker that was lost."""

    how: str


class Pool:
    """Calls that run on an executor. Replaces a pool of processes that breaks because one of them died."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._own: Optional[concurrent.futures.Executor] = None
        self._numbers: dict[Any, int] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def running(self) -> int:
        """Number of calls whose end has not been reported."""
        return len(self._numbers)

    def submit(self, number: int, call: Callable[..., Any], *arguments: Any) -> None:
        """Submits a call. `number` is the caller's name for it."""
        try:
            future = submit(self._executor, call, *arguments)
        except concurrent.futures.BrokenExecutor:
            self._replace()
            future = submit(self._executor, call, *arguments)
        if not callable(getattr(future, "add_done_callback", None)):
            raise BadInput(f"executor {self._executor!r}: its submit() returns no future")
        self._numbers[future] = number
        future.add_done_callback(self._ended.put)

    def ended(self, at_most_s: float) -> list[tuple[int, Any]]:
        """Waits until calls have ended, and returns their numbers and answers."""
        ended = []
        try:
            future = self._ended.get(timeout=at_most_s)
            while True:
                number = self._numbers.pop(future, None)
                if number is not None:
                    ended.append((number, self._answer(future)))
                future = self._ended.get_nowait()
        except queue.Empty:
            return ended

    def close(self) -> None:
        for future in self._numbers:
            future.cancel()
        if self._own is not None:
            self._own.shutdown(cancel_futures=True)

    @staticmethod
    def _answer(future: Any) -> Any:
        try:
            return future.result()
        except BaseException as error:
            if not lost(error):
                raise
            return LostWorker(f"the worker was lost ({error or type(error).__name__})")

    def _replace(self) -> None:
        old = self._executor
        if not isinstance(old, concurrent.futures.ProcessPoolExecutor):
            raise BadInput(f"executor {old!r}: it is broken, and only a ProcessPoolExecutor can be made again")
        warn("a process of the executor died, which makes the executor unusable; its cells run in new "
             "processes")
        self._own = self._executor = concurrent.futures.ProcessPoolExecutor(
            old._max_workers, old._mp_context, old._initializer, old._initargs)  # type: ignore[attr-defined]


class Cells:
    """What the library calls to have cells run: expect(), room(), submit(), wait()."""

    def __init__(self, executor: Any, progress: Shower) -> None:
        self._pool = Pool(executor)
        self._progress = progress
        self._most = 4 * workers_of(executor) + 16
        self._done = self._all = 0

    def expect(self, cells: int) -> None:
        self._all += cells
        self._progress.show(self._done, self._all)

    def room(self) -> int:
        return self._most - self._pool.running()

    def submit(self, ticket: int, cell: str) -> None:
        self._pool.submit(ticket, run_cell, cell)

    def wait(self, at_most_s: float) -> list[tuple[int, bool, str]]:
        events = []
        for ticket, answer in self._pool.ended(at_most_s):
            is_lost = isinstance(answer, LostWorker)
            self._done += not is_lost
            events.append((ticket, is_lost, answer.how if is_lost else answer))
        if events:
            self._progress.show(self._done, self._all)
        return events

    def close(self) -> None:
        self._pool.close()


@contextmanager
def cells_on(executor: Any, progress: Progress, needed: bool) -> Iterator[Optional[Cells]]:
    """Yields the object that runs cells on `executor`. Without an executor, yields one that runs them in
    threads if `needed` is true or if progress is to be shown, and None otherwise: the library then runs
    them itself, which is the fastest way."""
    threads = None
    check_progress(progress)
    if executor is not None:
        check(executor)
    elif needed or progress:
        executor = threads = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    if executor is None:
        yield None
        return
    shower = Shower(progress)
    cells = Cells(executor, shower)
    try:
        yield cells
    finally:
        cells.close()
        shower.close()
        if threads is not None:
            threads.shutdown(cancel_futures=True)
