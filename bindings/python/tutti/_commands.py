"""The commands of tutti as functions. Each returns the JSON document of the command as a record."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from . import _core, _options
from ._cells import Progress, Shower, check, cells_on, lost, submit, workers_of
from ._command import document, page, picture, run
from ._errors import CheckFailed
from ._machine import Machine, Platform, machine_of
from ._options import PathLike, Ranks, Size, Sizes
from ._records import Record, to_pandas
from ._schedule import Schedule

AnyMachine = Union[Machine, PathLike, Platform, None]


class Drawn(Record):
    """A document that tutti can draw."""

    __slots__ = ()

    def svg(self, which: Optional[str] = None) -> str:
        """Draws the document as SVG. `which` is the name of a picture, as for 'tutti plot --which'."""
        return picture(self.to_json(), which)

    def html(self, title: Optional[str] = None) -> str:
        """Returns the report page with this document, as HTML that works offline."""
        return page([self.to_json()], title)

    def _repr_svg_(self) -> str:
        return self.svg()


class Comparison(Drawn):
    """Times of all algorithms (tutti-comparison/1).

    cells: one record (tutti-result/1) for each number of ranks, size and algorithm. simulated_s is the time
        in seconds; None if the algorithm was refused, and `refused` says why.
    best: for each number of ranks and size, the fastest algorithm and those that tie with it.
    """

    __slots__ = ()
    collective: str
    cells: tuple[Record, ...]
    best: tuple[Record, ...]

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each cell. Imports pandas."""
        return to_pandas(self.cells)


class Decision(Drawn):
    """The best algorithm for every number of ranks and size (tutti-decide/2)."""

    __slots__ = ("_repeat",)
    _repeat: Any

    def export(self, format: str, path: Optional[PathLike] = None) -> str:
        """Returns rules that a library loads: format "ompi4", "ompi5", "ompi6", "mpich41", "json", ...; see
        'tutti decide --help'. Writes them to `path` as well, if it is given. The times are taken from the
        database of decide(); without one (db=), they are simulated again, with the same result.
        """
        text = self._repeat(["--export", _options.text_of("format", format), "-o", "-"])
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return str(text)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each rule. Imports pandas."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame([
            {"ranks": each.ranks, **{name: value for name, value in interval.to_dict().items()
                                     if not isinstance(value, (dict, list))}}
            for each in self.decisions for interval in each.rules])


class Verification(Record):
    """Verdicts of proofs (tutti-verify/1): `rows` has a record for each schedule. `proved` is true if all
    that were made are right."""

    __slots__ = ()
    rows: tuple[Record, ...]
    proved: bool

    def to_pandas(self) -> Any:
        return to_pandas(self.rows)


class Rows(Record):
    """A document whose main part is a list of rows."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each entry of the longest list. Imports pandas."""
        lists = [self[name] for name in self if isinstance(self[name], tuple)]
        return to_pandas(max(lists, key=len, default=()))


class DrawnRows(Rows, Drawn):
    __slots__ = ()


def _said(first: str, machine: AnyMachine, options: dict[str, Any]) -> list[str]:
    return [first, *machine_of(machine)._words, *_options.words(options)]


def _named(what: Any, name: str) -> str:
    return _options.text_of(name, what)


def algorithms(collective: Optional[str] = None) -> list[Record]:
    """Returns all algorithms: records with name, idea, source, cost and options.

    >>> [each.name for each in tutti.algorithms("barrier")][0]
    'barrier/central'
    """
    known = [Record(each) for each in _core.algorithms()]
    if collective is None:
        return known
    found = [each for each in known if each.name.startswith(f"{collective}/")]
    return found or [Record(each) for each in document(["list", _named(collective, "collective")])["algorithms"]]


def compare(collective: PathLike, *, ranks: Ranks, bytes: Optional[Sizes] = None, machine: AnyMachine = None,
            db: Optional[PathLike] = None, executor: Any = None, progress: Progress = None,
            **options: Any) -> Comparison:
    """Times all algorithms of a collective over numbers of ranks and sizes.

    collective: "allreduce"; or one algorithm ("allreduce/ring"); or the path of a program.
    ranks, bytes: a number, a list, or a text such as "4..64*2" and "1K..16MiB*4".
    machine: a Machine, or what Machine() takes as its platform.
    db: database (SQLite) in which results are kept and found again. This process alone writes it.
    executor: runs the simulations: concurrent.futures.ProcessPoolExecutor(), mpi4py's MPIPoolExecutor(),
        dask.distributed.Client(), or anything with submit(). None: threads of this process.
    progress: True for a bar (tqdm), or a function that is called with (cells done, cells in all).
    The other options are those of 'tutti compare', such as algorithms=["ring", "rabenseifner"].

    >>> c = tutti.compare("allreduce", ranks=4, bytes=["1KiB", "1MiB"], algorithms=["ring", "rabenseifner"])
    >>> [(best.bytes, best.algorithm) for best in c.best]
    [(1024, 'rabenseifner'), (1048576, 'rabenseifner')]
    """
    words = ["compare", *_said(_named(collective, "collective"), machine,
                               {"ranks": ranks, "bytes": bytes, "db": db, **options})]
    with cells_on(executor, progress, db is not None) as cells:
        return Comparison(document(words, cells))


def decide(collective: str, *, ranks: Optional[Ranks] = None, bytes: Optional[Sizes] = None,
           machine: AnyMachine = None, library: Optional[str] = None, db: Optional[PathLike] = None,
           executor: Any = None, progress: Progress = None, **options: Any) -> Decision:
    """Finds the best algorithm for every number of ranks and size.

    collective: "allreduce", ...; with `library`, also "all".
    library: "Open MPI 5.0.6", "MPICH 4.2", ...: uses the algorithms of this release, and writes its rules with
        output="FOLDER".
    The other arguments are those of compare(), and the options of 'tutti decide'.

    >>> d = tutti.decide("bcast", ranks=[8, 16], bytes="1K..1MiB*4")
    >>> d.export("ompi4").splitlines()[0]
    '1 # number of collectives'
    """
    words = ["decide", *_said(_named(collective, "collective"), machine,
                              {"ranks": ranks, "bytes": bytes, "library": library, "db": db, **options})]
    with cells_on(executor, progress, db is not None) as cells:
        decision = Decision(document(words, cells))

    def repeat(more: Sequence[str]) -> str:
        with cells_on(None, None, db is not None) as own:
            return run([*words, *more], own)

    object.__setattr__(decision, "_repeat", repeat)
    return decision


def verify(what: PathLike, *, ranks: Optional[Ranks] = None, bytes: Optional[Sizes] = None, root: Any = None,
           executor: Any = None, progress: Progress = None, **options: Any) -> Verification:
    """Proves schedules: of an algorithm, of all algorithms of a collective, of "all", or of a file. Raises
    CheckFailed if one of them is wrong; its `result` is the Verification.

    root: a rank, or "all".
    executor, progress: as for compare().

    >>> tutti.verify("allreduce/ring", ranks="1..8", bytes=64).proved
    True
    """
    words = ["verify", _named(what, "what"), *_options.words({"ranks": ranks, "bytes": bytes, "root": root,
                                                              **options})]
    rows, failure = _verdicts(words) if executor is None else _verdicts_on(words, executor, progress)
    result = Verification({"rows": rows, "proved": failure is None})
    if failure is not None:
        raise CheckFailed(failure, result)
    return result


def _verdicts(words: Sequence[str]) -> tuple[list[Any], Optional[str]]:
    """Runs 'tutti verify'. Returns its rows, and the message if one of them is not proved."""
    try:
        return document(words), None
    except CheckFailed as failed:
        if failed.result is None:
            raise
        return failed.result, str(failed)


def _verdicts_on(words: Sequence[str], executor: Any, progress: Progress) -> tuple[list[Any], Optional[str]]:
    """Runs the parts of 'tutti verify' on an executor. A part whose worker is lost runs again."""
    check(executor)
    parts = 4 * workers_of(executor)
    shower = Shower(progress)
    rows: list[Any] = []
    failure = None
    try:
        open_parts = {part: submit(executor, _verdicts, [*words, f"--shard={part + 1}/{parts}"])
                      for part in range(parts)}
        for part, future in open_parts.items():
            try:
                found, failed = future.result()
            except Exception as error:
                if not lost(error):
                    raise
                found, failed = _verdicts([*words, f"--shard={part + 1}/{parts}"])
            rows += found
            failure = failure or failed
            shower.show(part + 1, parts)
    finally:
        shower.close()
    names = {each["name"]: number for number, each in enumerate(_core.algorithms())}
    rows.sort(key=lambda row: (names.get(f"{row['collective']}/{row['algorithm']}", len(names)),
                               row["ranks"], row["bytes"], row["root"] or 0))
    return rows, failure


def explain(schedule: Union[Schedule, PathLike], machine: AnyMachine = None,
            against: Optional[PathLike] = None, **options: Any) -> Drawn:
    """Explains where the time of a run goes: links, ports, ranks, the formula, and the limit
    (tutti-explanation/1). With `against`, why the times of two algorithms differ (tutti-contrast/1).

    schedule: a Schedule; or what schedule() takes, with its options.

    >>> e = tutti.explain("allreduce/ring", ranks=4, bytes="1MiB")
    >>> e.schema
    'tutti-explanation/1'
    """
    return _of_schedule("explain", schedule, machine, {"against": against, **options})


def _of_schedule(command: str, schedule: Union[Schedule, PathLike], machine: AnyMachine,
                 options: dict[str, Any]) -> Drawn:
    more = [*machine_of(machine)._words, *_options.words(options)]
    if isinstance(schedule, Schedule):
        return schedule._with_words(lambda named: Drawn(document([command, *named, *more])))
    return Drawn(document([command, _named(schedule, "schedule"), *more]))


def bound(collective: str, *, ranks: Ranks, bytes: Optional[Sizes] = None, machine: AnyMachine = None,
          **options: Any) -> DrawnRows:
    """Returns a certified lower bound for the time of any schedule (tutti-bound/1), in seconds.

    >>> b = tutti.bound("allreduce", ranks=4, bytes="1MiB")
    >>> b.bounds[0].bound_s < tutti.simulate("allreduce/ring", ranks=4, bytes="1MiB").total_s
    True
    """
    return DrawnRows(document(["bound", *_said(_named(collective, "collective"), machine,
                                               {"ranks": ranks, "bytes": bytes, **options})]))


def choose(collective: str, *, ranks: Ranks, bytes: Sizes, library: Optional[str] = None,
           table: Optional[PathLike] = None, **options: Any) -> Rows:
    """Says what an MPI library, a decision table or a rule file chooses for a call (tutti-choice/1).

    >>> tutti.choose("bcast", ranks=64, bytes="64K", library="Open MPI 5.0.6").schema
    'tutti-choice/1'
    """
    return Rows(document(["choose", _named(collective, "collective"), *_options.words(
        {"ranks": ranks, "bytes": bytes, "library": library, "table": table, **options})]))


def lint(path: PathLike, *, library: Optional[str] = None, **options: Any) -> Record:
    """Checks a rule file of an MPI library (tutti-lint/1). A file with errors raises no exception: `sound` is
    false, and `findings` has the errors.

    >>> tutti.lint("examples/decisions/open_mpi_4.1.json").sound
    True
    """
    try:
        return Record(document(["lint", _named(path, "path"), *_options.words({"library": library, **options})]))
    except CheckFailed as failed:
        if failed.result is None:
            raise
        return Record(failed.result)


def score(points: Union[PathLike, Iterable[PathLike]], *, machine: AnyMachine = None,
          db: Optional[PathLike] = None, executor: Any = None, progress: Progress = None,
          **options: Any) -> Rows:
    """Compares measured times with simulated ones (tutti-score/1). Arguments as for compare().

    points: path of a file with measured times, or several.
    """
    with cells_on(executor, progress, db is not None) as cells:
        return Rows(document(["score", *_paths(points), *machine_of(machine)._words,
                              *_options.words({"db": db, **options})], cells))


def fit(points: Union[PathLike, Iterable[PathLike]], parameters_to_fit: Iterable[str], *,
        machine: AnyMachine = None, output: Optional[PathLike] = None, **options: Any) -> Rows:
    """Fits parameters of the message model to measured times (tutti-fit/1). Writes the model to `output`, as a
    file for Machine(parameters=)."""
    return Rows(document(["fit", *_paths(points), *machine_of(machine)._words, *_options.words(
        {"fit": parameters_to_fit, "output": output, **options})]))


def query(databases: Union[PathLike, Iterable[PathLike]], **options: Any) -> DrawnRows:
    """Reads databases of compare(), decide() and score() (tutti-query/1). Options as for 'tutti query'."""
    return DrawnRows(document(["query", *_paths(databases), *_options.words(options)]))


def _paths(paths: Union[PathLike, Iterable[PathLike]]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    return [_options.text_of("path", each) for each in paths]


def report(*results: Any, title: Optional[str] = None) -> str:
    """Returns one report page with several results, as HTML that works offline.

    >>> page = tutti.report(tutti.compare("allreduce", ranks=4, bytes=64), title="Small")
    >>> page.startswith("<!doctype html>")
    True
    """
    return page([each.to_json() for each in results], title)


def command(*arguments: Any) -> str:
    """Runs any command of tutti, as on the command line, and returns what it prints.

    >>> tutti.command("list", "barrier").splitlines()[0]
    'barrier'
    """
    return run([_options.text_of("argument", each) for each in arguments])
