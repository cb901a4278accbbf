"""HTML tables for notebooks: escaped text, bars behind numbers, and parts that open on a click.

Styles are written into the elements, because a notebook keeps an output apart from style sheets. Colours are those of
the notebook, half transparent, so that light and dark ones both fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..layout.text_measure import shorten
from .svg import escape

_CELL = "text-align:left;vertical-align:top;padding:3px 14px 3px 0;border-bottom:1px solid #8883"
_NAME = f"{_CELL};font-weight:600"
_MONO = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_SHORT = "font-family:monospace;white-space:pre"
_SHORTEST, _LONGEST = 12, 400
_BAR = "#4a90d966"


@dataclass(frozen=True, slots=True)
class Bar:
    """A cell whose background is filled from `start` to `stop`, parts of its width."""

    text: str
    stop: float
    start: float = 0.0


Cell = str | Bar


def named_values(rows: Iterable[tuple[str, str]]) -> str:
    """A table with a name and a value in each row."""
    lines = (
        f'<tr><th style="{_NAME}">{escape(name)}</th><td style="{_CELL};{_MONO}">{escape(shortened(text))}</td></tr>'
        for name, text in rows
    )
    return f'<table style="border-collapse:collapse">{"".join(lines)}</table>'


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], left_out: str = "") -> str:
    """A table without the columns that are empty; `left_out` tells below it what is not shown."""
    whole = [list(row) for row in rows]
    shown = [i for i in range(len(head)) if any(row[i] for row in whole)]
    top = "".join(f'<th style="{_NAME}">{escape(head[i])}</th>' for i in shown)
    body = "".join(f"<tr>{''.join(_cell(row[i]) for i in shown)}</tr>" for row in whole)
    more = paragraph(left_out) if left_out else ""
    return f'<table style="border-collapse:collapse"><tr>{top}</tr>{body}</table>{more}'


def paragraph(text: str, bold: bool = False) -> str:
    """A line of text above or below a table."""
    return f'<p style="margin:6px 0{";font-weight:600" if bold else ""}">{escape(text)}</p>'


def opening(title: str, inside: str) -> str:
    """A part that a click opens."""
    return f'<details><summary style="cursor:pointer">{escape(title)}</summary>{inside}</details>'


def listing(text: str) -> str:
    """Text of several lines as it stands."""
    return f'<pre style="font-size:90%;white-space:pre-wrap;overflow-wrap:anywhere">{escape(text)}</pre>'


def shortened(text: str) -> str:
    """`text` with its lines, each at most 400 characters."""
    return "\n".join(line if len(line) <= _LONGEST else shorten(line, _LONGEST) for line in text.split("\n"))


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        is_short = len(cell) <= _SHORTEST and "\n" not in cell  # a wide neighbour must not break it
        return f'<td style="{_CELL};{_SHORT if is_short else _MONO}">{escape(shortened(cell))}</td>'
    start, stop = (f"{min(max(part, 0.0), 1.0):.1%}" for part in (cell.start, cell.stop))
    bar = f"linear-gradient(90deg,transparent {start},{_BAR} {start},{_BAR} {stop},transparent {stop})"
    return f'<td style="{_CELL};{_MONO};min-width:90px;background:{bar}">{escape(cell.text)}</td>'
