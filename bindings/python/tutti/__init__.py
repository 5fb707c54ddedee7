"""tutti: schedules of collective communication, proved, timed, explained and drawn.

>>> m = tutti.Machine("crossbar:64,bw=10Gbps,lat=1us")
>>> s = tutti.schedule("allreduce/circulant", ranks=64, bytes="1MiB")
>>> s.prove().proved
True
>>> r = tutti.simulate(s, m)
>>> print(f"{r.total_s:.4g} s in {len(r.start_s)} operations")
0.001793 s in 1216 operations

Sizes are in bytes, times in seconds. Results cannot be changed. In a notebook, schedules, runs and results show
as pictures. The time-consuming functions let other threads run, and end on Ctrl-C.
"""

from ._commands import (
    Comparison,
    Decision,
    Doctor,
    Nccl,
    Search,
    Verification,
    algorithms,
    bound,
    choose,
    command,
    compare,
    convert,
    decide,
    doctor,
    explain,
    fit,
    from_json,
    lint,
    nccl,
    plot,
    query,
    read,
    report,
    score,
    search,
    step,
    jobs,
    validate,
    verify,
)
from ._commands import list_ as list
from ._core import __version__
from ._errors import BadInput, CheckFailed, InternalError, NotProved, TuttiWarning
from ._machine import Machine, Placement, Platform, platform
from ._program import Operation, Program, program
from ._records import Record
from ._schedule import COMM, COPY, REDUCE, Operations, Proof, Run, Schedule, Ties, load, schedule, simulate
from ._steps import StepDescription

# Without `list`, so that 'from tutti import *' leaves Python's own list in place.
__all__ = [
    "COMM", "COPY", "REDUCE", "BadInput", "CheckFailed", "Comparison", "Decision", "Doctor", "InternalError", "Machine",
    "Nccl", "NotProved", "Operation", "Operations", "Placement", "Platform", "Program", "Proof", "Record", "Run",
    "Schedule", "Search", "StepDescription", "Ties", "TuttiWarning", "Verification", "__version__", "algorithms", "bound",
    "choose", "command", "compare", "convert", "decide", "doctor", "explain", "fit", "from_json", "lint", "load", "nccl",
    "platform", "plot", "program", "query", "read", "report", "schedule", "score", "search", "simulate",
    "step", "jobs", "validate", "verify",
]
