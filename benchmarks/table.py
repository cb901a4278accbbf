"""The tables of figures, readable as text and as Markdown, with numbered reasons below."""

from __future__ import annotations

from collections.abc import Sequence

from .rounds import TIME, Row

NONE = "-"


class Notes:
    """Reasons, each with one number however often it occurs."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, reason: str | None) -> str:
        """What stands in the table's cell."""
        if reason is None:
            return NONE
        number = self._numbers.setdefault(" ".join(reason.split()), len(self._numbers) + 1)
        return f"WRONG [{number}]" if reason.startswith("WRONG") else f"[{number}]"

    def lines(self) -> list[str]:
        """The reasons by number."""
        return [f"- [{number}] {reason}" for reason, number in self._numbers.items()]


def duration(seconds: float) -> str:
    """Three digits and a unit.

    >>> duration(0.0123456), duration(2.5e-6), duration(123.4)
    ('12.3 ms', '2.50 us', '123 s')
    """
    for factor, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{digits(seconds / factor)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def digits(value: float) -> str:
    """Three digits, without an exponent.

    >>> digits(1.2345), digits(12.345), digits(1234.5), digits(0.01234)
    ('1.23', '12.3', '1234', '0.0123')
    """
    size = abs(value)
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.1 else 4
    return f"{value:.{decimals}f}"


def timed_table(rows: Sequence[Row], engines: Sequence[str], notes: Notes) -> list[str]:
    """A line per case: the limit, Penstock and how many times the limit that is, then the peers."""
    with_limit = any("limit" in row.samples or "limit" in row.reasons for row in rows)
    head = ["case", *(["limit"] if with_limit else [])]
    for name in engines:
        head += [name, "x limit"] if name == "penstock" and with_limit else [name]
    lines: list[list[str]] = [head]
    for row in rows:
        line = [row.case]
        limit = row.value("limit")
        if with_limit:
            line.append(_cell(row, "limit", notes))
        for name in engines:
            line.append(_cell(row, name, notes))
            if name == "penstock" and with_limit:
                own = row.value(name)
                line.append(NONE if own is None or limit is None else digits(own / limit))
        lines.append(line)
    return aligned(lines)


def probe_table(row: Row, engines: Sequence[str], notes: Notes) -> list[str]:
    """A line per engine, a column per figure."""
    figures = list(dict.fromkeys(figure for name in row.samples for figure in row.samples[name]))
    lines: list[list[str]] = [[row.case, *figures]]
    for name in engines:
        values = [row.value(name, figure) for figure in figures]
        cells = [NONE if value is None else digits(value) for value in values]
        lines.append([name, *(cells if name in row.samples else [notes.mark(row.reasons.get(name)), *cells[1:]])])
    return aligned(lines)


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table whose columns stand below each other; numbers to the right.

    >>> print("\\n".join(aligned([["a", "time"], ["one", "2 s"]])))
    | a   | time |
    |-----|-----:|
    | one |  2 s |
    """
    columns = max(len(line) for line in lines)
    full = [[*line, *[""] * (columns - len(line))] for line in lines]
    widths = [max(len(line[i]) for line in full) for i in range(columns)]
    shown = [_line(line, widths) for line in full]
    rules = ["-" * (widths[0] + 2), *["-" * (width + 1) + ":" for width in widths[1:]]]
    return [shown[0], "|" + "|".join(rules) + "|", *shown[1:]]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return "| " + " | ".join([cells[0].ljust(widths[0]), *numbers]) + " |"


def _cell(row: Row, name: str, notes: Notes) -> str:
    value = row.value(name, TIME)
    return notes.mark(row.reasons.get(name)) if value is None else duration(value)
