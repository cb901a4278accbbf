"""Text that fits a width: tables whose widest columns are cut, and long lines that go on below, indented."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from ...printable_text import printable, printable_lines
from ..common.hooks import hooks

WIDTH = 100
"""The columns of a printed report: a terminal beside an editor, and a cell of a notebook, hold as many."""

NOT_KEPT: Mapping[str, int] = MappingProxyType({})

_WIDEST = 40
_NARROWEST = 10
_LEAST = 6
"""The narrowest a column becomes where the names of a kept one would be cut to the same text otherwise."""
_SHORT_PART = 8
_GAP = "  "


def format_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = WIDTH,
    right: Collection[str] = (),
    widest: int | None = _WIDEST,
    keep: Mapping[str, int] = NOT_KEPT,
) -> str:
    """Columns of text, two spaces apart.

    Args:
        head: the names of the columns.
        rows: the cells.
        width: the columns of a line; None for any number.
        right: the names of the columns that are flush right.
        widest: the characters of a cell, whatever the width; None for any number.
        keep: for columns that are cut only if cutting the others is not enough: the characters from which on this
            holds; what is longer is cut first. If the first column is one of them, it has room for different cells to
            stay different as far as the others leave any.

    >>> print(format_table(("node", "time"), [("a/long/name/of/a/node", "1 ms"), ("b", "12 ms")], 20, ("time",)))
    node            time
    a/lon.../node   1 ms
    b              12 ms
    """
    rows = [tuple(map(printable, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    if widest is not None:
        widths = [min(each, widest) for each in widths]
    excess = 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) - width
    kept = [i for i, name in enumerate(head) if name in keep]
    excess = _narrowed(widths, {i: keep[head[i]] for i in kept}, excess)
    excess = _narrowed(widths, {i: _NARROWEST for i in range(len(head)) if i not in kept}, excess)
    excess = _narrowed(widths, dict.fromkeys(kept, _NARROWEST), excess)
    if 0 in kept and width is not None:
        needed = distinct_width([row[0] for row in rows], widths[0])
        if needed > widths[0]:
            others = {i: min(_LEAST, each) for i, each in enumerate(widths) if i}
            left = _narrowed(widths, others, needed - widths[0] + max(excess, 0))
            widths[0] = max(widths[0], needed - left)
    lines = []
    columns = [distinct_cuts(column, limit) for column, limit in zip(zip(*rows, strict=True), widths, strict=False)]
    shown = [[cut_text(cell, limit) for cell, limit in zip(head, widths, strict=True)], *zip(*columns, strict=True)]
    for cells in shown:
        padded = [
            cell.rjust(limit) if name in right else cell.ljust(limit)
            for cell, limit, name in zip(cells, widths, head, strict=True)
        ]
        lines.append(_GAP.join(padded).rstrip())
    return "\n".join(lines)


def _narrowed(widths: list[int], columns: Mapping[int, int], excess: int) -> int:
    """Narrow the widest of the columns until the excess is gone or all have their least widths; the excess left."""
    wide = [i for i, least in columns.items() if widths[i] > least]
    while excess > 0 and wide:
        widest = max(wide, key=widths.__getitem__)
        widths[widest] -= 1
        excess -= 1
        if widths[widest] == columns[widest]:
            wide.remove(widest)
    return excess


class TextTable(str):
    """A table as text, which a notebook shows as a table.

    Attributes:
        columns: the names of the columns.
        rows: the cells, none of them cut.

    >>> TextTable.of(("node", "time"), [("a/long/name/of/a/node", "1 ms")], 20)
    node            time
    a/lon.../node   1 ms
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        width: int | None = None,
        keep: Mapping[str, int] = NOT_KEPT,
    ) -> TextTable:
        """The table of these columns, in lines of at most `width` characters; `keep` as in `format_table`."""
        made = cls(format_table(columns, rows, width, widest=None, keep=keep))
        made.columns, made.rows = tuple(columns), tuple(map(tuple, rows))
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


def usual_width() -> int:
    """The columns of the terminal that is printed to; if it is none, what `COLUMNS` in the environment says, or 100."""
    try:
        if sys.stdout.isatty():
            return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (AttributeError, OSError, ValueError):  # something else stands for it
        pass
    told = os.environ.get("COLUMNS", "")
    return int(told) if told.isdecimal() and int(told) else WIDTH


def cut_text(text: str, limit: int) -> str:
    """`text` with at most `limit` characters; the last part of a name in scopes and the number of a line are kept.

    >>> cut_text("a_program_of_the_user.py:125", 20)
    'a_program_of_...:125'
    """
    if len(text) <= limit:
        return text
    ends = re.search(r"(/[^/ ]*|:\d+)$", text)
    end = ends[0] if ends is not None and " " not in text else ""
    if 0 < len(end) <= limit // 2:
        return text[: limit - 3 - len(end)] + "..." + end
    return text[: max(limit - 3, 0)] + "..."


def distinct_cuts(texts: Sequence[str], limit: int) -> list[str]:
    """The texts with at most `limit` characters each; different ones stay different if the room allows it.

    >>> distinct_cuts(["gradients/loss_grad/mul", "gradients/rate_grad/mul"], 16)
    ['gra...s_grad/mul', 'gra...e_grad/mul']
    """
    cuts = {text: cut_text(text, limit) for text in dict.fromkeys(texts)}
    alike: dict[str, list[str]] = {}
    for text, cut in cuts.items():
        alike.setdefault(cut, []).append(text)
    for same in alike.values():
        if len(same) > 1:
            cuts.update(zip(same, _apart(same, limit), strict=True))
    uses = Counter(cuts.values())
    better = cuts | _apart_in_scopes([text for text, cut in cuts.items() if uses[cut] > 1], limit)
    cuts = better if len(set(better.values())) > len(uses) else cuts
    return [cuts[text] for text in texts]


def distinct_width(texts: Sequence[str], start: int) -> int:
    """The characters, at least `start`, with which different texts stay different when they are cut.

    >>> distinct_width(["gradients/loss_grad/mul", "gradients/rate_grad/mul"], 8)
    9
    """
    count, longest = len(set(texts)), max(map(len, texts), default=0)
    # More room does not always tell more apart: the first step that does is near, or the whole text is needed.
    limit = start
    while limit < longest and len(set(distinct_cuts(texts, limit))) < count:
        limit += 1
    return limit


def _apart_in_scopes(names: Sequence[str], limit: int) -> dict[str, str]:
    """Cuts of names that differ in a scope in their middle, which keep what differs; none of those that do not fit.

    >>> for cut in _apart_in_scopes([f"dense_layer_{i}/weights/Adam/Assign" for i in (0, 1)], 20).values():
    ...     print(cut)
    dense_...0/...Assign
    dense_...1/...Assign
    """
    alike: dict[tuple[int, str], list[list[str]]] = {}
    for name in names:
        parts = name.split("/")
        alike.setdefault((len(parts), parts[-1]), []).append(parts)
    cuts: dict[str, str] = {}
    for (count, last), same in alike.items():
        apart = [at for at in range(count) if len({parts[at] for parts in same}) > 1]
        if not apart:
            continue
        common = [_common_start([parts[at] for parts in same]) for at in apart]
        for parts in same:
            ends = [parts[at] if len(parts[at]) <= _SHORT_PART else parts[at][start:]
                    for at, start in zip(apart, common, strict=True)]  # fmt: skip
            kept = "".join(f"...{end}/" for end in ends) + f"...{last}"
            if len(kept) <= limit:
                cuts["/".join(parts)] = "/".join(parts)[: limit - len(kept)] + kept
    return cuts


def _apart(texts: Sequence[str], limit: int) -> list[str]:
    """Cuts of texts that were cut to the same one: with longer and longer ends, else around what differs."""
    best = [cut_text(text, limit) for text in texts]
    for tail in range(limit // 2, limit - 3):
        found = [text if len(text) <= limit else f"{text[: limit - 3 - tail]}...{text[-tail:]}" for text in texts]
        if len(set(found)) > len(set(best)):
            best = found
        if len(set(found)) == len(texts):
            return found
    same = _common_start(texts)
    around = [f"...{text[same : same + limit - 6]}..." if limit > 8 else text[:limit] for text in texts]
    return around if len(set(around)) > len(set(best)) else best


def _common_start(texts: Sequence[str]) -> int:
    """How many letters at their beginning all the texts have in common."""
    first, last = min(texts), max(texts)
    return next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def folded(lines: Iterable[str], width: int = WIDTH) -> list[str]:
    """The lines, those that are longer than `width` as several: the rest is indented four columns more.

    >>> folded(["  a = b + c  # why"], 12)
    ['  a = b + c', '      # why']
    """
    pieces: list[str] = []
    for line in map(printable_lines, lines):
        # Half of the width at most: names may begin with any number of spaces.
        indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
        head, start = "", 0  # what is left is head + line[start:]; a line may be long, so it is not copied
        while len(head) + len(line) - start > width:
            end = line.rfind(" ", start + len(indent) + 1 - len(head), start + width + 1 - len(head))
            end = start + width - len(head) if end < 0 else end
            pieces.append((head + line[start:end]).rstrip())
            start = end
            while start < len(line) and line[start].isspace():
                start += 1
            head = indent
        pieces.append(head + line[start:])
    return pieces
