"""Types of the part that is written in C++ (core.cpp)."""

from collections.abc import Sequence
from typing import Any, Optional

import numpy.typing

Array = numpy.typing.NDArray[Any]

__version__: str

class Machine:
    warnings: list[str]
    def __init__(self, options: Sequence[bytes]) -> None: ...

class Proof:
    proved: bool
    in_rank_order: bool
    bitwise_equal: bool
    least_bytes: int
    findings: list[tuple[str, str]]

class Schedule:
    def __init__(self, what: bytes, options: Sequence[bytes], machine: Machine) -> None: ...
    @staticmethod
    def from_notation(text: bytes) -> Schedule: ...
    def notation(self) -> str: ...
    def prove(self) -> Proof: ...
    def arrays(self) -> dict[str, Array]: ...
    def __len__(self) -> int: ...
    algorithm: str
    registered: bool
    collective: str
    ranks: int
    bytes: int
    element_bytes: int
    root: int
    options: dict[str, str]
    switches: int
    messages: int
    bytes_sent: int
    bytes_reduced: int
    rounds: int
    dependencies: int

class Formula:
    text: str
    source: str
    seconds: float

class Ties:
    runs: int
    least_s: float
    median_s: float
    most_s: float
    matter: bool

class Run:
    total_s: float
    start_s: Array
    end_s: Array
    _addresses: tuple[int, int]
    engine: str
    ties: Optional[Ties]
    alpha_s: float
    beta_s_per_byte: float
    gamma_s_per_byte: float
    exact_s: Optional[float]
    published: list[Formula]

def simulate(schedule: Schedule, machine: Machine) -> Run: ...
def run_command(arguments: Sequence[bytes], executor: Any, sources: Sequence[Any],
                temporary_files: bytes = ...) -> tuple[int, str, list[tuple[str, str, str]]]: ...
def run_cell(cell: str) -> str: ...
def algorithms() -> list[dict[str, Any]]: ...
