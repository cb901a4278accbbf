"""Pages in a notebook: the document around the data stands in one output, and the pages of all outputs use it.

Style and program of a page are 190 KB. An output holds its data and a still picture; the first one of a session, and a
cell that is run again, hold the document too, packed to a quarter. So a notebook that is opened again or exported draws
its pages without a kernel, and an output whose document is gone (its cell was cleared) shows the still picture.
"""

from __future__ import annotations

import base64
import itertools
import re
import sys
from functools import cache
from hashlib import sha256
from typing import Any

from ...graph.common.lazy_import import load
from ..page.page_document import data_in, page_around, page_part

_LONGEST_STILL = 200_000
"""The largest still picture, in characters, that goes with a page."""

_MARK = "@@data@@"
_TOOLTIP = re.compile(r"<title>[^<]*</title>\n?")
_numbers = itertools.count(1)


def page_output(page: str, still: str, title: str) -> str:
    """The HTML of an output that shows a page.

    Args:
        page: the text of the page.
        still: an SVG that stands in for it where scripts do not run.
        title: what it shows, escaped.
    """
    packed, key = _document()
    name = f"penstock-{key}-{next(_numbers)}-{sha256(page.encode('utf-8', 'replace')).hexdigest()[:8]}"
    document = f'<script type="text/plain">{packed}</script>' if DOCUMENTS.is_needed() else ""
    hint = "A still picture. Run this cell again for the page, which answers clicks."
    drawn = image(still, title) if len(still) <= _LONGEST_STILL else title
    return (
        f'<div class="penstock-page" id="{name}">'
        f'<div class="penstock-still">{drawn}<div style="opacity:.7;font-size:85%">{hint}</div></div>'
        f'<script type="application/json">{data_in(page)}</script>{document}'
        f"<script>{_frame_script()}({name!r}, {key!r});</script></div>"
    )


def image(svg: str, title: str) -> str:
    """An SVG as an image: its style stays its own, and its ids do not meet those of other pictures."""
    svg = _TOOLTIP.sub("", svg)  # an image shows none
    text = base64.b64encode(svg.encode("utf-8", "backslashreplace")).decode("ascii")
    return f'<img alt="{title}" style="max-width:100%" src="data:image/svg+xml;base64,{text}">'


@cache
def _document() -> tuple[str, str]:
    """The packed document around the data of every page, and the key of this version."""
    load("gzip")
    import gzip  # for notebooks only

    text = page_around("Penstock", _MARK)
    assert text.count(_MARK) == 1
    packed = gzip.compress(text.encode(), 9, mtime=0)
    return base64.b64encode(packed).decode("ascii"), sha256(packed).hexdigest()[:12]


@cache
def _frame_script() -> str:
    lines = page_part("notebook_frame.js").split("\n")
    return "\n".join(line.strip() for line in lines if not line.startswith("//")).strip()


class Documents:
    """Decides which outputs hold the document: the first of a session, and the first of each run of a cell that has
    shown a page before, because a cell is run again where its output is gone or shows a still picture."""

    def __init__(self) -> None:
        self._shown: dict[object, object] = {}

    def is_needed(self) -> bool:
        """True if the output that is being made has to hold the document."""
        found = _cell()
        if found is None:
            return True
        cell, run = found
        if self._shown.get(cell) == run:
            return False  # an earlier page of this run has it, or needed none
        needed = not self._shown or cell in self._shown
        self._shown[cell] = run
        return needed


DOCUMENTS = Documents()


def _cell() -> tuple[object, object] | None:
    """The cell that is running and the number of its run; None where each output has to stand alone."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel") or "google.colab" in sys.modules:
        return None  # Colab shows each output in a frame of its own
    try:
        metadata = shell.get_parent().get("metadata", {})
        source = shell.user_ns["In"][-1]  # for clients that do not name their cells
    except (AttributeError, KeyError, IndexError):
        return None
    return metadata.get("cellId") or source, shell.execution_count
