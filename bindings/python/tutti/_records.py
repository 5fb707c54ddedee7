"""Results: records that cannot be changed, with the fields of tutti's JSON documents."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Optional

from ._errors import BadInput


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    return value


class Record:
    """A JSON document of tutti, or a part of one. The fields are attributes (`record.ranks`) and items
    (`record["ranks"]`); docs/reference/formats.md lists the schemas that define them. Times are in
    seconds, sizes in bytes. A list is a tuple, and a missing value is None.

    >>> Record({"ranks": 4, "best": [{"algorithm": "ring"}]}).best[0].algorithm
    'ring'
    """

    __slots__ = ("_fields", "_seen")
    _fields: dict[str, Any]
    _seen: dict[str, Any]  # the fields that were read, as records and tuples

    def __init__(self, fields: dict[str, Any]) -> None:  # the caller must not change them later
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_seen", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'; it has "
                                 + ", ".join(self._fields)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot set '{name}': results cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete '{name}': results cannot be changed")

    def __getitem__(self, name: str) -> Any:
        if name not in self._seen:
            self._seen[name] = _frozen(self._fields[name])
        return self._seen[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def keys(self) -> Any:
        """The names of the fields."""
        return self._fields.keys()

    def values(self) -> list[Any]:
        """The values of the fields."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Any]]:
        """Names and values of the fields."""
        return [(name, self[name]) for name in self]

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the value of a field, or `default` if the record has no such field."""
        return self[name] if name in self else default

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]  # a record may be large

    def __reduce__(self) -> Any:
        return type(self), (self._fields,)

    def __repr__(self) -> str:
        shown = []
        for name, value in self._fields.items():
            if isinstance(value, dict):
                value_text = "{...}"
            elif isinstance(value, list) and len(value) > 3:
                value_text = f"<{len(value)} entries>"
            else:
                value_text = repr(value)
            shown.append(f"{name}={value_text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self) -> dict[str, Any]:
        """Returns a copy made of dicts, lists, texts and numbers."""
        return copy.deepcopy(self._fields)

    @classmethod
    def from_json(cls, text: str) -> Any:
        """Returns the record of a JSON document that a command of tutti wrote. Raises BadInput if it is of another
        class."""
        from . import _commands

        made = _commands.from_json(text)
        if not isinstance(made, cls):
            raise BadInput(f"this document is a {type(made).__name__} ({made.get('schema')}), not a {cls.__name__}")
        return made

    def to_json(self, indent: Optional[int] = 2) -> str:
        """Returns the document as the command writes it with --json."""
        return json.dumps(self._fields, indent=indent, ensure_ascii=False)


def _flat(fields: dict[str, Any], before: str = "") -> dict[str, Any]:
    """The fields that have a single value; those of a record within are named as in choice.algorithm."""
    row: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            row.update(_flat(value, f"{before}{name}."))
        elif not isinstance(value, list):
            row[before + name] = value
    return row


def to_pandas(rows: Any) -> Any:
    """Returns a pandas.DataFrame with a row for each record, and a column for each field that has a single
    value. Imports pandas."""
    import pandas  # type: ignore[import]

    return pandas.DataFrame([_flat(row._fields) for row in rows])
