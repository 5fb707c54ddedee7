"""The exceptions of tutti."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Optional


class BadInput(ValueError):
    """An argument is invalid. The message names the argument and its value, and says what is accepted.

    >>> tutti.schedule("allreduce/rng", ranks=4, bytes=64)
    Traceback (most recent call last):
    ...
    tutti.BadInput: unknown algorithm 'allreduce/rng': did you mean 'allreduce/ring'? ('tutti list allreduce' names all of them)
    """

    __module__ = "tutti"


class CheckFailed(Exception):
    """A check has failed: a schedule is wrong, a rule file has errors, or a run failed. `result` is the
    record that the function would have returned; None if there is none."""

    __module__ = "tutti"

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result


class NotProved(CheckFailed):
    """A schedule is wrong. The message is the first error; `result` is the proof with all of them."""

    __module__ = "tutti"


class InternalError(RuntimeError):
    """A bug in tutti."""

    __module__ = "tutti"


class TuttiWarning(UserWarning):
    """Something that the user should know about a result, such as a time that depends on ties."""

    __module__ = "tutti"


def shown(value: Any, longest: int = 60) -> str:
    """Returns a value as text for an error message: its repr(), cut short, with the type if it is cut.

    >>> shown([1, 2]), shown("x" * 100)
    ('[1, 2]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (str)")
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= longest else f"{text[:longest]}... ({type(value).__name__})"


def warn(text: str) -> None:
    """Warns with the line of the user's program that called tutti."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    warnings.warn(text, TuttiWarning, stacklevel=level)
