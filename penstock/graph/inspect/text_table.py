"""Text that fits a width: tables whose widest columns are cut, and long lines that go on below, indented."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

WIDTH = 100
"""The columns of a printed report: a terminal beside an editor, and a cell of a notebook, hold as many."""

_WIDEST = 40
_NARROWEST = 10
_GAP = "  "


def format_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = WIDTH, right: Collection[str] = ()
) -> str:
    """Columns of text, two spaces apart.

    Args:
        head: the names of the columns.
        rows: the cells.
        width: the columns of a line; None leaves cells of up to 40 characters whole.
        right: the names of the columns that are flush right.

    >>> print(format_table(("node", "time"), [("a/long/name/of/a/node", "1 ms"), ("b", "12 ms")], 20, ("time",)))
    node            time
    a/lon.../node   1 ms
    b              12 ms
    """
    widths = [min(max(len(row[i]) for row in (head, *rows)), _WIDEST) for i in range(len(head))]
    excess = 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) - width
    while excess > 0 and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        widths[widest] -= 1
        excess -= 1
    lines = []
    for row in (head, *rows):
        cells = [cut_text(cell, limit) for cell, limit in zip(row, widths, strict=True)]
        padded = [
            cell.rjust(limit) if name in right else cell.ljust(limit)
            for cell, limit, name in zip(cells, widths, head, strict=True)
        ]
        lines.append(_GAP.join(padded).rstrip())
    return "\n".join(lines)


def cut_text(text: str, limit: int) -> str:
    """`text` with at most `limit` characters; of a name in scopes the end is kept too."""
    if len(text) <= limit:
        return text
    end = text[text.rfind("/") :] if "/" in text and " " not in text else ""
    if 0 < len(end) <= limit // 2:
        return text[: limit - 3 - len(end)] + "..." + end
    return text[: max(limit - 3, 0)] + "..."


def folded(lines: Iterable[str], width: int = WIDTH) -> list[str]:
    """The lines, those that are longer than `width` as several: the rest is indented four columns more.

    >>> folded(["  a = b + c  # why"], 12)
    ['  a = b + c', '      # why']
    """
    found: list[str] = []
    for line in lines:
        rest = line
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        while len(rest) > width:
            end = rest.rfind(" ", len(indent) + 1, width + 1)
            end = width if end < 0 else end
            found.append(rest[:end].rstrip())
            rest = indent + rest[end:].lstrip()
        found.append(rest)
    return found
