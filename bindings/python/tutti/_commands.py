"""The commands of tutti as functions. Each returns the JSON document of the command as a record."""

from __future__ import annotations

import concurrent.futures
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Optional, Union

from . import _core, _options
from ._cells import MOST_LOSSES, LostWorker, Pool, Progress, Shower, cells_on, check, check_progress, workers_of
from ._command import InNotebooks, document, hide, page, picture, run, temporary_folder
from ._contenders import Contenders, With, contenders, schedule_of
from ._errors import BadInput, CheckFailed, shown
from ._machine import Machine, Platform, machine_of
from ._options import PathLike, Ranks, Sizes
from ._program import Program
from ._records import Record, to_pandas
from ._schedule import Run, Schedule
from ._schedule import converted as _converted
from ._schedule import schedule as make_schedule
from ._steps import StepDescription
from ._steps import text_of as text_of_step

AnyMachine = Union[Machine, PathLike, Platform, None]


class DrawableDocument(InNotebooks, Record):
    """A document that tutti can draw."""

    __slots__ = ()

    def svg(self, which: Optional[str] = None) -> str:
        """Draws the document as SVG. `which` is the name of a picture, as for 'tutti plot --which'."""
        return picture(self.to_json(), which)

    def html(self, title: Optional[str] = None) -> str:
        """Returns the report page with this document, as HTML that works offline."""
        return page([self.to_json()], title)


class Comparison(DrawableDocument):
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


class Decision(DrawableDocument):
    """The best algorithm for every number of ranks and size (tutti-decide/2); with `library`, rules for a
    release of this library (tutti-site/1)."""

    __slots__ = ("_texts", "_words", "_with")
    _texts: dict[str, str]
    _words: Optional[list[str]]  # None if the document was read from a file
    _with: With

    @property
    def texts(self) -> Mapping[str, str]:
        """With `library`: the texts of the files with rules, their gains and how to load them, by name."""
        return MappingProxyType(self._texts)

    def __reduce__(self) -> Any:
        return _decision, (self._fields, self._texts, self._words, self._with)

    def export(self, format: str, path: Optional[PathLike] = None) -> str:
        """Returns rules that a library loads: format "ompi4", "ompi5", "ompi6", "mpich41", "json", ...; see
        'tutti decide --help'. Writes them to `path` as well, if it is given. The times are taken from the
        database of decide(); without one (db=), they are simulated again, with the same result.
        """
        wanted = _options.text_of("format", format)
        fitting = [each.file for each in (self["files"] if "files" in self else ()) if each.format == wanted]
        if len(fitting) > 1:
            raise BadInput(f"format {format!r}: there are several such files ({', '.join(fitting)}): use texts")
        if fitting:
            text = self._texts[fitting[0]]
        elif self._words is None:
            raise BadInput("a decision that was read from a file has no times; call decide() again to export it")
        else:
            with cells_on(None, None, any(word.startswith("--db=") for word in self._words)) as cells, \
                    contenders(self._with) as given:
                text = hide(run([*self._words, *given.words(), f"--export={wanted}", "-o", "-"], cells,
                                given.sources))
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each rule (with `library`: for each collective). Imports
        pandas."""
        return to_pandas(self.gains if "gains" in self else self.decisions)


class Verification(Record):
    """Verdicts of proofs (tutti-verify/1): `rows` has a record for each schedule. `proved` is true if all
    that were made are right."""

    __slots__ = ()
    rows: tuple[Record, ...]
    proved: bool

    def to_pandas(self) -> Any:
        return to_pandas(self.rows)


class Lint(Record):
    """What rule files mean, and their errors (tutti-lint/2): `files` has a record for each file."""

    __slots__ = ()
    files: tuple[Record, ...]

    @property
    def sound(self) -> bool:
        """True if no file has an error that a library would refuse or silently ignore."""
        return all(each.sound for each in self.files)

    @property
    def findings(self) -> tuple[Record, ...]:
        """The errors and warnings of all files."""
        return tuple(finding for each in self.files for finding in each.findings)


class Rows(Record):
    """A document whose main part is a list of rows: choices, points, bounds, parameters or rows."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each entry of this list. Imports pandas."""
        return to_pandas(next(self[name] for name in ("choices", "points", "bounds", "parameters", "rows", "jobs")
                              if name in self))


class DrawableRows(Rows, DrawableDocument):
    __slots__ = ()


class StepRows(DrawableRows):
    """The time of a step, or the times of several layouts or machines."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each statement or, of several layouts, for each layout that can run,
        with a column for each axis and for the exposed time of each group. Imports pandas."""
        if "layouts" not in self:
            return super().to_pandas()
        import pandas  # type: ignore[import]

        return pandas.DataFrame([
            {**{axis.name: axis.size for axis in each.layout}, "machine": each.machine, "options": each.options,
             "ranks": each.ranks, "total_s": each.total_s,
             "computing_s": each.computing_s, "exposed_s": each.exposed_s, "hidden_s": each.hidden_s,
             **{f"exposed_s.{group.name}": group.exposed_s for group in each.groups}}
            for each in self.layouts if each.refusal is None])


def _arguments(command: str, first: str, machine: AnyMachine, options: dict[str, Any]) -> list[str]:
    return [command, first, *machine_of(machine)._words, *_options.words(command, options)]


def _named(what: Any, name: str) -> str:
    text = _options.text_of(name, what)
    if text.startswith("-"):  # the command would take it for an option
        raise BadInput(f"{name} {text!r}: must not begin with '-'; for a file of this name, write './{text}'")
    return text


def algorithms(collective: Optional[str] = None) -> list[Record]:
    """Returns all algorithms: records with name, idea, source, cost and options.

    >>> [each.name for each in tutti.algorithms("barrier")][0]
    'barrier/linear'
    """
    known = [Record(each) for each in _core.algorithms()]
    if collective is None:
        return known
    found = [each for each in known if each.name.startswith(f"{collective}/")]
    return found or [Record(each) for each in document(["list", _named(collective, "collective")])["algorithms"]]


def compare(collective: Union[PathLike, Schedule, Program], *, ranks: Optional[Ranks] = None,
            bytes: Optional[Sizes] = None, machine: AnyMachine = None, with_: With = None,
            db: Optional[PathLike] = None, executor: Any = None, progress: Progress = None,
            **options: Any) -> Comparison:
    """Times all algorithms of a collective over numbers of ranks and sizes.

    collective: "allreduce"; or one algorithm ("allreduce/ring"); or what with_ takes, except a function.
    ranks, bytes: a number, a list, or a text such as "4..64*2" and "1K..16MiB*4" [those of the schedules].
    machine: a Machine, or what Machine() takes as its platform.
    with_: schedules of your own to compare, or a list of them: a Schedule or a Program, for its number of ranks
        and its size; the path of a program, a schedule or an MSCCL file; or a function f(ranks, bytes) that
        returns one of these, or None if it has none. Schedules with the same name are one algorithm. Each is
        proved first: a wrong one raises CheckFailed. An exception of the function ends the comparison.
    db: database (SQLite) in which results are kept and found again. This process alone writes it.
    executor: runs the simulations: concurrent.futures.ProcessPoolExecutor(), mpi4py's MPIPoolExecutor(),
        dask.distributed.Client(), or anything with submit(). None: threads of this process.
    progress: True for a bar (tqdm), or a function that is called with (cells done, cells in all).
    The other options are those of 'tutti compare', such as algorithms=["ring", "rabenseifner"].

    >>> c = tutti.compare("allreduce", ranks=4, bytes=["1KiB", "1MiB"], algorithms=["ring", "rabenseifner"])
    >>> [(best.bytes, best.algorithm) for best in c.best]
    [(1024, 'rabenseifner'), (1048576, 'rabenseifner')]
    >>> def mine(ranks, bytes):
    ...     return tutti.schedule("allreduce/circulant", ranks=ranks, bytes=bytes, skips="sqrt")
    >>> c = tutti.compare("allreduce", ranks=[4, 9], bytes="1KiB", algorithms=["ring"], with_=mine)
    >>> [(best.ranks, best.algorithm) for best in c.best]
    [(4, 'mine'), (9, 'mine')]
    """
    with contenders(with_) as given:
        schedule = schedule_of(collective)
        first = given.folder.write(schedule) if schedule is not None else _named(collective, "collective")
        words = _arguments("compare", first, machine, {"ranks": ranks, "bytes": bytes, "db": db, **options})
        with cells_on(executor, progress, db is not None) as cells:
            return Comparison(_beside(words, given, cells))


def _beside(words: list[str], given: Contenders, cells: Any = None, keep_paths: bool = False) -> Any:
    """Runs a command with the user's schedules, and returns its document. Replaces the paths of their temporary
    files by their names, unless `keep_paths` is true."""
    fields = document([*words, *given.words()], cells, given.sources)
    return fields if keep_paths else given.folder.hidden(fields)


def decide(collective: str, *, ranks: Optional[Ranks] = None, bytes: Optional[Sizes] = None,
           machine: AnyMachine = None, library: Optional[str] = None, with_: With = None,
           db: Optional[PathLike] = None, executor: Any = None, progress: Progress = None,
           **options: Any) -> Decision:
    """Finds the best algorithm for every number of ranks and size.

    collective: "allreduce", ...; with `library`, also "all".
    library: "Open MPI 5.0.6", "MPICH 4.2", ...: decides among the algorithms of this release, beside its own
        choices. The result has the files of rules; output="FOLDER" keeps them in a new folder.
    with_: schedules of your own, as for compare(). Sizes between those of `bytes` are tried only if they are
        not for single sizes.
    The other arguments are those of compare(), and the options of 'tutti decide'.

    >>> d = tutti.decide("bcast", ranks=[8, 16], bytes="1K..1MiB*4")
    >>> print(d.export("ompi4").splitlines()[0])
    # bcast decided by tutti, times by simulation on a crossbar
    """
    alone: dict[str, Any] = {"ranks": _once(ranks), "bytes": _once(bytes), "db": db, **options}
    first = _named(collective, "collective")
    with_ = _once(with_)
    with temporary_folder() as folder, contenders(with_) as given:
        request = dict(alone)
        if library is not None:
            request = {**request, "library": library,
                       "output": options.get("output") or os.path.join(folder, "rules")}
        with cells_on(executor, progress, db is not None) as cells:
            decision = Decision(_beside(_arguments("decide", first, machine, request), given, cells))
        texts = _texts_in(request["output"]) if library is not None else {}
    if library is not None:  # for export() in the format of another library
        alone = {**alone, "output": None, "bytes": "8..16MiB*2" if bytes is None else bytes}
    return _decision(decision._fields, texts, _arguments("decide", first, machine, alone), with_)


def _decision(fields: dict[str, Any], texts: dict[str, str], words: Optional[list[str]], with_: With) -> Decision:
    decision = Decision(fields)
    object.__setattr__(decision, "_texts", texts)
    object.__setattr__(decision, "_words", words)
    object.__setattr__(decision, "_with", with_)
    return decision


def _once(values: Any) -> Any:
    """A list instead of an iterator, which can be read only once."""
    return list(values) if isinstance(values, Iterator) else values


def _texts_in(folder: PathLike) -> dict[str, str]:
    texts = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name] = file.read()
    return texts


def verify(what: PathLike, *, ranks: Optional[Ranks] = None, bytes: Optional[Sizes] = None, root: Any = None,
           executor: Any = None, progress: Progress = None, **options: Any) -> Verification:
    """Proves schedules: of an algorithm, of all algorithms of a collective, of "all", or of a file. Raises
    CheckFailed if one of them is wrong; its `result` is the Verification.

    root: a rank, or "all".
    executor, progress: as for compare().

    >>> tutti.verify("allreduce/ring", ranks="1..8", bytes=64).proved
    True
    """
    words = ["verify", _named(what, "what"), *_options.words(
        "verify", {"ranks": ranks, "bytes": bytes, "root": root, **options})]
    check_progress(progress)
    if executor is None and progress:
        with concurrent.futures.ThreadPoolExecutor(1) as one:  # the proofs themselves use all processors
            rows, failure = _verdicts_on(words, one, progress)
    elif executor is None:
        rows, failure = _verdicts(words)
    else:
        rows, failure = _verdicts_on(words, executor, progress)
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
    """Runs the parts of 'tutti verify' on an executor. A part whose worker is lost runs again on another."""
    check(executor)
    parts = 4 * workers_of(executor)
    shower = Shower(progress)
    pool = Pool(executor)
    rows: list[Any] = []
    failure = None
    lost_parts: Counter[int] = Counter()
    todo = list(range(parts))
    try:
        while len(todo) > 0 or pool.running() > 0:
            while todo:
                part = todo.pop()
                pool.submit(part, _verdicts, [*words, f"--shard={part + 1}/{parts}"])
            for part, answer in pool.ended(0.1):
                if isinstance(answer, LostWorker):
                    lost_parts[part] += 1
                    if lost_parts[part] == MOST_LOSSES:
                        raise CheckFailed(f"a part of the proofs was lost {MOST_LOSSES} times: {answer.how}")
                    todo.append(part)
                    continue
                rows += answer[0]
                failure = failure or answer[1]
                shower.show(parts - len(todo) - pool.running(), parts)
    finally:
        pool.close()
        shower.close()
    if rows and all("refused" in row for row in rows):
        return _verdicts(words)  # says why
    names = {each["name"]: number for number, each in enumerate(_core.algorithms())}
    rows.sort(key=lambda row: (names.get(f"{row['collective']}/{row['algorithm']}", len(names)),
                               row["ranks"], row["bytes"], row["root"] or 0))
    return rows, failure


def explain(schedule: Union[Schedule, Program, PathLike], machine: AnyMachine = None,
            against: Union[Schedule, Program, PathLike, None] = None, **options: Any) -> DrawableDocument:
    """Explains where the time of a run goes: links, ports, ranks, the formula, and the limit
    (tutti-explanation/1). With `against`, why the times of two algorithms differ (tutti-contrast/1).

    schedule, against: a Schedule; or what schedule() takes, with its options.

    >>> e = tutti.explain("allreduce/ring", ranks=4, bytes="1MiB")
    >>> e.schema
    'tutti-explanation/1'
    """
    with contenders() as given:
        other = schedule_of(against)
        named_other = against if other is None else given.folder.write(other)
        more = [*machine_of(machine)._words, *_options.words("explain", {"against": named_other, **options})]
        made = schedule_of(schedule)
        if made is not None:
            return DrawableDocument(made._with_words(lambda named: _beside(["explain", *named, *more], given)))
        return DrawableDocument(_beside(["explain", _named(schedule, "schedule"), *more], given))


def bound(collective: str, *, ranks: Ranks, bytes: Optional[Sizes] = None, machine: AnyMachine = None,
          **options: Any) -> DrawableRows:
    """Returns a certified lower bound for the time of any schedule (tutti-bound/1), in seconds.

    >>> b = tutti.bound("allreduce", ranks=4, bytes="1MiB")
    >>> b.bounds[0].bound_s < tutti.simulate("allreduce/ring", ranks=4, bytes="1MiB").total_s
    True
    """
    return DrawableRows(document(_arguments("bound", _named(collective, "collective"), machine,
                                            {"ranks": ranks, "bytes": bytes, **options})))


def choose(collective: str, *, ranks: Ranks, bytes: Optional[Sizes] = None, library: Optional[str] = None,
           table: Union[PathLike, Iterable[PathLike], None] = None, **options: Any) -> Rows:
    """Says what an MPI library, a decision table or a rule file chooses for a call (tutti-choice/2).

    >>> choice = tutti.choose("bcast", ranks=64, bytes=["1K", "64K"], library="Open MPI 5.0.6")
    >>> [(each.bytes, each.choice.library_algorithm) for each in choice.choices]
    [(1024, 'knomial'), (65536, 'knomial')]
    """
    return Rows(document(["choose", _named(collective, "collective"), *_options.words(
        "choose", {"ranks": ranks, "bytes": bytes, "library": library, "table": table, **options})]))


def lint(path: PathLike, *, library: Optional[str] = None, **options: Any) -> Lint:
    """Checks a rule file of an MPI library, or a folder of them. A file with errors raises no exception: `sound`
    is false, and `findings` has the errors.

    >>> tutti.lint("examples/decisions/open_mpi_4.1.json").sound
    True
    """
    try:
        return Lint(document(["lint", _named(path, "path"), *_options.words("lint", {"library": library, **options})]))
    except CheckFailed as failed:
        if failed.result is None:
            raise
        return Lint(failed.result)


def score(points: Union[PathLike, Iterable[PathLike]], *, machine: AnyMachine = None,
          db: Optional[PathLike] = None, executor: Any = None, progress: Progress = None,
          **options: Any) -> Rows:
    """Compares measured times with simulated ones (tutti-score/1). Arguments as for compare().

    points: path of a file with measured times, or several.
    """
    with cells_on(executor, progress, db is not None) as cells:
        return Rows(document(["score", *_paths(points), *machine_of(machine)._words,
                              *_options.words("score", {"db": db, **options})], cells))


def fit(points: Union[PathLike, Iterable[PathLike]], parameters_to_fit: Iterable[str], *,
        machine: AnyMachine = None, output: Optional[PathLike] = None, **options: Any) -> Rows:
    """Fits parameters of the message model to measured times (tutti-fit/1). Writes the model to `output`, as a
    file for Machine(parameters=)."""
    return Rows(document(["fit", *_paths(points), *machine_of(machine)._words, *_options.words(
        "fit", {"fit": parameters_to_fit, "output": output, **options})]))


class Search(Rows):
    """What a search has found (tutti-search/1): `sizes` has a record for each size."""

    __slots__ = ("_schedules",)
    sizes: tuple[Record, ...]
    _schedules: tuple[Optional[Schedule], ...]

    @property
    def schedules(self) -> tuple[Optional[Schedule], ...]:
        """For each size, the best schedule that was found; None if the best known one is as fast."""
        return self._schedules

    def __reduce__(self) -> Any:
        return _search, (self._fields, self._schedules)


def _search(fields: dict[str, Any], schedules: Sequence[Optional[Schedule]]) -> Search:
    found = Search(fields)
    object.__setattr__(found, "_schedules", tuple(schedules))
    return found


def search(collective: str, *, ranks: Optional[int] = None, bytes: Optional[Sizes] = None,
           machine: AnyMachine = None, with_: With = None, output: Optional[PathLike] = None,
           **options: Any) -> Search:
    """Looks for a schedule that is faster on a machine than all known algorithms. The options are those of
    'tutti search': time="5s" [60s], evaluations=200, families="trees", seed=2.

    with_: schedules of your own, as for compare(): the search looks for something faster than these, too.
    output: file for the schedule, as for the command; the result has the schedules in any case.

    >>> s = tutti.search("allreduce", ranks=4, bytes="1KiB", evaluations=5)
    >>> s.sizes[0].best_known_s > 0, len(s.schedules)
    (True, 1)
    """
    with contenders(with_) as given:
        # For several sizes, the files must be programs, whose names end in .sched.
        several = not isinstance(bytes, (str, int)) or any(mark in str(bytes) for mark in ",.*")
        path = output or os.path.join(given.folder.new(), "found.sched" if several else "found.tutti")
        words = _arguments("search", _named(collective, "collective"), machine,
                           {"ranks": ranks, "bytes": bytes, "output": path, **options})
        fields = _beside(words, given, keep_paths=True)
        files = {each["bytes"]: each["file"] for each in fields["sizes"]}
        schedules = []
        for each in fields["sizes"]:
            file = files.get(each["choice_bytes"])
            root = {} if fields["root"] is None else {"root": fields["root"]}
            schedules.append(file and make_schedule(file, ranks=fields["ranks"], bytes=each["bytes"],
                                                    elem_bytes=fields["element_bytes"], **root))
        if output is None:
            for each in fields["sizes"]:
                each["file"] = None
        fields = given.folder.hidden(fields)
    return _search(fields, schedules)


def convert(schedule: Union[Schedule, Program, PathLike], path: PathLike, *, format: Optional[str] = None,
            machine: AnyMachine = None, **options: Any) -> None:
    """Writes a schedule in the format that the file's ending tells: .tutti, .sched, .goal, .xml (MSCCL), .et
    (Chakra: a file for each rank), .dot, .graphml or .json. The schedule is proved first.

    schedule: a Schedule; or what schedule() takes, with its options; or a file of another tool.
    format: the format, whatever the ending: "goal", "msccl", ...; see 'tutti convert --help'.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tutti.convert("allreduce/ring", folder + "/ring.json", ranks=4, bytes=64)
    ...     os.listdir(folder)
    ['ring.json']
    """
    made = schedule_of(schedule)
    if made is None:
        _converted([_named(schedule, "schedule")], path, format, machine, options)
    else:
        made.save(path, format=format, machine=machine, **options)


def plot(what: Any, path: PathLike, *, which: Optional[str] = None, also: Iterable[Any] = ()) -> None:
    """Draws a picture into a file, whose ending tells the format, as 'tutti plot' does.

    what: a Run, a Schedule, or a result that tutti can draw; or the path of a file that a command wrote (JSON, or
        a database).
    which: name of the picture: "times", "timeline", "waterfall", ... [the one after which the file is named].
    also: validations whose measured times go into the same picture.
    """
    with contenders() as given:
        parts = []
        for each in [what, *also]:
            schedule = schedule_of(each)
            if schedule is not None:
                parts.append(["show", given.folder.write(schedule)])
            elif isinstance(each, (str, os.PathLike)):
                parts.append([_named(each, "what")])
            elif isinstance(each, Run):
                parts.append([given.folder.write_text("run.json", each.recording())])
            elif callable(getattr(each, "to_json", None)):
                parts.append([given.folder.write_text("result.json", each.to_json())])
            else:
                raise BadInput(f"what {shown(each)}: expected a schedule, a run, a result or a path")
        words = [word for part in parts for word in ("--and", *part)][1:]
        run(["plot", *words, *_options.words("plot", {"output": path, "which": which})])


class Nccl(DrawableDocument):
    """What NCCL would run (tutti-nccl/1).

    cells: one record for each number of ranks and size, with its `choice` and all its `ways`. For calls that
        NCCL runs as grouped sends and receives, `grouped` has the simulated time instead.
    """

    __slots__ = ()
    library: str
    cells: tuple[Record, ...]

    def ways(self) -> tuple[Record, ...]:
        """The algorithms and protocols that can run, as one list: those of each cell, with its ranks and bytes,
        and with `chosen`."""
        found = []
        for cell in self._fields["cells"]:
            choice = cell["choice"] or {}
            for way in cell["ways"] or [{"algorithm": cell["grouped"]["schedule"]["algorithm"], **cell["grouped"]}]:
                chosen = all(choice.get(key) == way.get(key) for key in ("algorithm", "protocol"))
                if way.get("why_not") is None:
                    found.append(Record({"ranks": cell["ranks"], "bytes": cell["bytes"], "chosen": chosen, **way}))
        return tuple(found)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each entry of ways(). Imports pandas."""
        return to_pandas(self.ways())


def nccl(collective: str, *, ranks: Ranks, bytes: Sizes, machine: AnyMachine = None, **options: Any) -> Nccl:
    """Returns the times that NCCL's own cost model gives its algorithms, and its choice, beside simulated times
    (tutti-nccl/1). The options are those of 'tutti nccl': gpu="h100", gpus_per_node=8, nics=8, nic_bw="400Gbps",
    model_only=True, ...

    collective: one of NCCL's five collectives; or "alltoall", "gather", "scatter" or "sendrecv", which have
        simulated times only.

    >>> answer = tutti.nccl("allreduce", ranks=16, bytes="64KiB", gpu="h100")
    >>> answer.cells[0].choice.algorithm, answer.ways()[0].busbw_gb_per_s > 0
    ('tree', True)
    """
    return Nccl(document(_arguments("nccl", _named(collective, "collective"), machine,
                                      {"ranks": ranks, "bytes": bytes, **options})))


class Doctor(DrawableDocument):
    """Whether measured times are those of a healthy machine (tutti-doctor/1).

    outputs: one record for each table of each file, with its `verdict` ("right", "low", "slow", "unknown", "invalid" or
        "wrong"), the answer in a sentence (`headline`), `symptoms` and `rows`.
    together: what several outputs show together.
    """

    __slots__ = ()
    outputs: tuple[Record, ...]
    together: tuple[Record, ...]

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each size of each output. Imports pandas."""
        return to_pandas([Record({"file": output["file"], "collective": output["collective"],
                                  "ranks": output["ranks"], **row})
                          for output in self._fields["outputs"] for row in output["rows"]])


def doctor(files: Union[PathLike, Iterable[PathLike]], *, machine: AnyMachine = None, **options: Any) -> Doctor:
    """Says whether the times in outputs of benchmarks are those of a healthy machine, and if not, what is likely wrong
    (tutti-doctor/1). The options are those of 'tutti doctor': gpu="h100", nodes=2, ranks=16, nic_bw="400Gbps",
    library="NCCL 2.27", ...

    >>> doctor = tutti.doctor("examples/doctor/four_nodes.txt")
    >>> doctor.outputs[0].verdict
    'slow'
    """
    return Doctor(
        document(["doctor", *_paths(files), *machine_of(machine)._words, *_options.words("doctor", options)]))


def step(description: Union[PathLike, StepDescription], *, machine: AnyMachine = None, **options: Any) -> StepRows:
    """Simulates a training step (tutti-step/1): its time, and what each statement of its description takes. With
    several layouts or machines, compares them (tutti-step-layouts/1). The description is the path of a file, its text (of several
    lines), or a StepDescription. The options are those of 'tutti step': ranks=64, gpu="h100", nics=4, what_if=True,
    layout="tp=2..8*2,pp=4", versus=["--nics 4", "--placement cyclic"], ...

    >>> step = tutti.step("examples/steps/tensor_parallel.step", ranks=16, gpu="h100")
    >>> step.total_s > step.last.computing_s > 0, len(step.rows)
    (True, 6)
    >>> several = tutti.step("layout tp 2, dp\\ncompute 8ms / tp", ranks=8, layout="tp=1,2,4")
    >>> [(each.layout[0].size, each.total_s) for each in several.layouts]
    [(4, 0.002), (2, 0.004), (1, 0.008)]
    """
    text = text_of_step(description)
    if text is None:
        return StepRows(document(_arguments("step", _named(description, "description"), machine, options)))
    with temporary_folder() as folder:
        path = os.path.join(folder, "description")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return StepRows(document(_arguments("step", path, machine, options)))


def jobs(file: PathLike, *, machine: AnyMachine = None, **options: Any) -> Rows:
    """Simulates several jobs on one cluster (tutti-jobs/1): how much slower each is than alone, and on which links the
    jobs meet. The options are those of 'tutti jobs': gpu="h100", no_pairs=True, ...

    >>> found = tutti.jobs("examples/jobs/near.jobs", gpu="h100")
    >>> [(job.name, job.steps, round(job.slowdown, 9)) for job in found.jobs]
    [('training', 1, 1.0), ('moe', 2, 1.0)]
    """
    return Rows(document(_arguments("jobs", _named(file, "file"), machine, options)))


def list_(collective: Optional[str] = None) -> Record:
    """Returns what 'tutti list' says of all algorithms, or of those of a collective (tutti-list/1): names, ideas,
    sources, costs, limits and options. The module has this function as tutti.list; algorithms() is shorter.

    >>> len(tutti.list("barrier").algorithms) == len(tutti.algorithms("barrier"))
    True
    """
    return Record(document(["list", *([] if collective is None else [_named(collective, "collective")])]))


def validate(measured: Union[PathLike, Iterable[PathLike]], *, machine: AnyMachine = None,
             **options: Any) -> DrawableDocument:
    """Compares runs that 'tutti-mpi run --json' measured with simulated ones (tutti-validation/1)."""
    return DrawableDocument(
        document(["validate", *_paths(measured), *machine_of(machine)._words, *_options.words("validate", options)]))


def query(databases: Union[PathLike, Iterable[PathLike]], **options: Any) -> DrawableRows:
    """Reads databases of compare(), decide() and score() (tutti-query/1). Options as for 'tutti query'."""
    return DrawableRows(document(["query", *_paths(databases), *_options.words("query", options)]))


def _paths(paths: Union[PathLike, Iterable[PathLike]]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable):
        raise BadInput(f"paths {paths!r}: expected a path, or several")
    return [_named(each, "path") for each in paths]


def report(*results: Any, title: Optional[str] = None) -> str:
    """Returns one report page with several results, as HTML that works offline.

    >>> page = tutti.report(tutti.compare("allreduce", ranks=4, bytes=64), title="Small")
    >>> page.startswith("<!doctype html>")
    True
    """
    for each in results:
        if isinstance(each, (list, tuple)):
            raise BadInput(f"a {type(each).__name__} of {len(each)}: give the results one by one, as in "
                           "report(*results)")
        if not callable(getattr(each, "to_json", None)):
            raise BadInput(f"{shown(each)}: a report shows runs and results, which have to_json()")
    return page([each.to_json() for each in results], title)


_DRAWN = {"tutti-explanation/1", "tutti-contrast/1", "tutti-recording/1", "tutti-result/1", "tutti-validation/1",
          "tutti-schedule/1"}
_RECORDS: dict[str, Any] = {
    "tutti-comparison/1": Comparison, "tutti-lint/2": Lint, "tutti-choice/2": Rows, "tutti-score/1": Rows,
    "tutti-fit/1": Rows, "tutti-step/1": StepRows, "tutti-jobs/1": Rows, "tutti-step-layouts/1": StepRows, "tutti-bound/1": DrawableRows, "tutti-query/1": DrawableRows,
    "tutti-decide/2": lambda fields: _decision(fields, {}, None, None),
    "tutti-site/1": lambda fields: _decision(fields, {}, None, None),
    "tutti-nccl/1": Nccl,
    "tutti-doctor/1": Doctor,
    "tutti-search/1": lambda fields: _search(fields, [None] * len(fields["sizes"])),
    **{schema: DrawableDocument for schema in _DRAWN},
}


def from_json(text: str) -> Record:
    """Returns the record of a JSON document that a command of tutti wrote (--json, --record, -o), or that to_json()
    returned: a Comparison, a Decision, ...

    >>> c = tutti.compare("allreduce", ranks=4, bytes=64, algorithms=["ring"])
    >>> tutti.from_json(c.to_json()) == c
    True
    """
    return _record_of(text, "the text")


def read(path: PathLike) -> Record:
    """Reads a JSON file that a command of tutti wrote, as from_json()."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return _record_of(text, repr(os.fspath(path)))


def _record_of(text: Any, what: str) -> Record:
    try:
        fields = json.loads(text)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} is not JSON: {error}") from None
    if isinstance(fields, list) and fields and all(
            isinstance(row, dict) and row.get("schema") == "tutti-verify/1" for row in fields):
        proved = all(row.get("proved") or row.get("refused") for row in fields)
        return Verification({"rows": fields, "proved": proved})
    schema = fields.get("schema") if isinstance(fields, dict) else None
    if not isinstance(schema, str) or not schema.startswith("tutti-"):
        raise BadInput(f"{what} is not a document of tutti, which has a field \"schema\" such as "
                       "\"tutti-comparison/1\"")
    made: Record = _RECORDS.get(schema, Record)(fields)
    return made


def command(*arguments: Any) -> str:
    """Runs any command of tutti, as on the command line, and returns what it prints.

    >>> tutti.command("list", "barrier").splitlines()[0]
    'barrier/linear'
    """
    return run([_options.text_of("argument", each) for each in arguments])
