"""Arguments of Python as options of the command line.

Each function of tutti takes the options of the command of the same name. The option --ranks-per-host is
the argument ranks_per_host. Its value is a text as on the command line, a number, a path, True for an
option without a value, or a list. None and False leave the option out. So each value is parsed, checked
and explained by the same code as on the command line.
"""

from __future__ import annotations

import functools
import json
import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from ._errors import BadInput, shown

Size = Union[int, str]
Sizes = Union[int, str, Iterable[Union[int, str]]]
Ranks = Union[int, str, Iterable[int]]
PathLike = Union[str, "os.PathLike[str]"]

# Options that make no sense here, and what does.
_NOT_HERE = {
    "help": "see help(tutti)", "json": "results have to_json()", "csv": "results have to_pandas()",
    "shard": "give an executor instead", "export": "decisions have export()",
}


@functools.cache
def described() -> dict[str, dict[str, dict[str, Any]]]:
    """Returns the descriptions that 'tutti help --json' gives of the options of each command, by their names."""
    _, out, _ = _core.run_command([b"help", b"--json", b"-"], None, [])
    return {command["command"]: {
        name.lstrip("-").replace("-", "_"): option
        for option in command["options"] for name in option["names"] or [option["field"]]}
        for command in json.loads(out)["commands"]}


def text_of(name: str, value: Any) -> str:
    """Returns the text of one value. Raises BadInput if it has none."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    if isinstance(value, str):
        if "\0" in value:
            raise BadInput(f"{name} {value!r}: a text must not contain a zero byte")
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return repr(float(value))
    raise BadInput(f"{name} {shown(value)}: expected a text, a number, a path, or a list of them, "
                   f"but this is of type {type(value).__name__}")


def words(command: str, options: Mapping[str, Any]) -> list[str]:
    """Returns options of a command as words of a command line.

    >>> words("compare", {"ranks": [4, 8], "bytes": "1MiB", "ranks_per_host": None, "set": {"k": 3}})
    ['--ranks=4,8', '--bytes=1MiB', '--set=k=3']
    """
    own = described().get(command, {})
    parts: list[str] = []
    for name, value in options.items():
        plain = name.rstrip("_")
        if not plain.isidentifier():
            raise BadInput(f"{name!r} is not the name of an argument; write {plain.replace('-', '_')!r}")
        flag = "--" + plain.replace("_", "-")
        if plain in _NOT_HERE:
            raise BadInput(f"{plain}: {_NOT_HERE[plain]}")
        if getattr(value, "ndim", None) == 0:  # an array of numpy with a single value, or a truth value of numpy
            value = value.item()
        if value is None or value is False:
            continue
        if value is True:
            if plain in own and own[plain]["value"] is not None:
                raise BadInput(f"{name} True: expected a value: {own[plain]['help']}")
            parts.append(flag)
            continue
        if isinstance(value, Mapping):
            values = [f"{key}={_listed(name, each)}" for key, each in value.items()]
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            values = [text_of(name, each) for each in value]
        else:
            values = [text_of(name, value)]
        if not values:
            raise BadInput(f"{name} {value!r}: is empty")
        if plain in own and own[plain]["repeated"]:
            parts += [f"{flag}={each}" for each in values]
        else:
            separator = own[plain]["separator"] if plain in own else ","
            parts.append(f"{flag}=" + (separator or ",").join(values))
    return parts


def _listed(name: str, value: Any) -> str:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(text_of(name, each) for each in value)
    return text_of(name, value)


def encoded(arguments: Iterable[str]) -> list[bytes]:
    """The words as bytes. File names may have bytes that are not UTF-8; Python keeps them as surrogates."""
    return [each.encode("utf-8", "surrogateescape") for each in arguments]
