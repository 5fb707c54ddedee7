"""Results: records that cannot be changed, with the fields of tutti's JSON documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Optional


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


class Record:
    """A JSON document of tutti, or a part of one. The fields are attributes (`record.ranks`) and items
    (`record["ranks"]`); docs/reference/formats.md lists the schemas that define them. Times are in
    seconds, sizes in bytes. A list is a tuple, and a missing value is None.

    >>> Record({"ranks": 4, "best": [{"algorithm": "ring"}]}).best[0].algorithm
    'ring'
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: dict[str, Any]) -> None:
        object.__setattr__(self, "_fields", {name: _frozen(value) for name, value in fields.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'; it has "
                                 + ", ".join(self._fields)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot set '{name}': results cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete '{name}': results cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def keys(self) -> Any:
        return self._fields.keys()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]  # a record may be large

    def __reduce__(self) -> Any:
        return type(self), (self.to_dict(),)

    def __repr__(self) -> str:
        shown = []
        for name, value in self._fields.items():
            if isinstance(value, Record):
                value_text = "{...}"
            elif isinstance(value, tuple) and len(value) > 3:
                value_text = f"<{len(value)} entries>"
            else:
                value_text = repr(value)
            shown.append(f"{name}={value_text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self) -> dict[str, Any]:
        """Returns a copy made of dicts, lists, texts and numbers."""
        return {name: _plain(value) for name, value in self._fields.items()}

    def to_json(self, indent: Optional[int] = 2) -> str:
        """Returns the document as the command writes it with --json."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


def flat_row(record: Record) -> dict[str, Any]:
    """The fields of a record that have a single value."""
    return {name: record[name] for name in record if not isinstance(record[name], (Record, tuple))}


def to_pandas(rows: Any) -> Any:
    """Returns a pandas.DataFrame with a row for each record, and a column for each field that has a single
    value. Imports pandas."""
    import pandas  # type: ignore[import]

    return pandas.DataFrame([flat_row(row) for row in rows])
