"""Runs commands of tutti in this process, and reads what they write."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import tempfile
from collections.abc import Sequence
from typing import Any, Optional

from . import _core
from ._cells import Cells
from ._errors import BadInput, CheckFailed, InternalError, warn
from ._options import described, encoded, words

_OK, _FAILED, _BAD_INPUT = 0, 1, 2
_PREFIX = "tutti-python-"


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Makes a folder for the files of one command. hide() removes its path from texts."""
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=os.path.abspath(tempfile.gettempdir()))


def _temporary() -> str:
    """How the paths of all files in temporary folders of this module begin."""
    return os.path.join(os.path.abspath(tempfile.gettempdir()), _PREFIX)


def hide(text: str) -> str:
    """Replaces the paths of files in temporary folders of this module by the names of the files."""
    return re.sub(re.escape(_temporary()) + "[a-z0-9_]+/(?:[0-9]+/)?", "", text)


def run(arguments: Sequence[str], cells: Optional[Cells] = None, sources: Sequence[Any] = ()) -> str:
    """Runs a command and returns what it prints. Raises BadInput, CheckFailed or InternalError, and warns
    about what the command warns of. `sources` are algorithms of the user (Source in _contenders.py)."""
    described()  # functions of the user, which the command calls, cannot run another command
    code, out, messages = _core.run_command(encoded(arguments), cells, list(sources), os.fsencode(_temporary()))
    errors = [f"the command ended with exit code {code}"]
    for kind, text, details in messages:
        if kind == "error":
            # Findings of a check stand below its line. An excerpt of a bad file says no more than its place.
            shown = details.rstrip("\n") if code == _FAILED else ""
            errors.append(hide(f"{text}\n{shown}" if shown else text))
        elif kind in ("warning", "note"):
            warn(hide(text))
    text = errors[-1]
    if code == _OK:
        return str(out)
    if code == _BAD_INPUT:
        raise BadInput(text)
    if code == _FAILED:
        raise CheckFailed(text, out or None)
    raise InternalError(text)


def document(arguments: Sequence[str], cells: Optional[Cells] = None, sources: Sequence[Any] = ()) -> Any:
    """Runs a command that has the option --json, and returns its document. If a check fails, raises
    CheckFailed whose `result` is the document."""
    try:
        return json.loads(run([*arguments, "--json=-"], cells, sources))
    except CheckFailed as failed:
        if failed.result is not None:
            failed.result = json.loads(failed.result)
        raise


def picture(document_text: str, which: Optional[str]) -> str:
    """Draws a document of tutti as SVG."""
    return str(with_file(document_text, ".json", lambda path: run(
        ["plot", path, "-o", "-", *words("plot", {"which": which})])))


class InNotebooks:
    """What notebooks show of an object that svg() draws. The picture is an image of its own, so that its
    style does not change the page around it."""

    __slots__ = ()

    def svg(self) -> str:
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Draws once for both forms."""
        svg = self._repr_svg_()
        return {"image/svg+xml": svg, "text/html": self._html_of(svg), "text/plain": repr(self)}

    def _repr_html_(self) -> str:
        return self._html_of(self._repr_svg_())

    def _html_of(self, svg: str) -> str:
        encoded_svg = base64.b64encode(svg.encode()).decode()
        return f'<img src="data:image/svg+xml;base64,{encoded_svg}" alt="{html.escape(repr(self)[:200])}">'


def page(documents: Sequence[str], title: Optional[str]) -> str:
    """Returns the report page with these documents, as HTML."""
    with temporary_folder() as folder:
        paths = []
        for number, text in enumerate(documents):
            paths.append(os.path.join(folder, f"{number}.json"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        parts = [word for path in paths for word in ("--and", path)][1:]
        return hide(run(["report", *parts, "-o", "-", *words("report", {"title": title})]))


def with_file(text: str, ending: str, use: Any, name: str = "document") -> Any:
    """Calls `use` with the path of a file with this text, which exists until `use` returns."""
    with temporary_folder() as folder:
        path = os.path.join(folder, name + ending)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return use(path)

