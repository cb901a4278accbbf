"""The quality of the layout of 68 pictures, beside Graphviz `dot` with the same boxes, labels and scopes.

python -m benchmarks.pictures                     a table of both
python -m benchmarks.pictures --json out.json     also the figures as JSON
python -m benchmarks.pictures --before in.json    a table with the earlier figures too
python -m benchmarks.pictures --unfolded          a table with the same layout without columns too
python -m benchmarks.pictures --sheet out.html    every picture of both layouts on one page
python -m benchmarks.pictures --only demo         only pictures with this in their names
python -m benchmarks.pictures --write docs/layout.md   the figures into the page

    crossings    points at which lines cross
    bends        turns of the lines, in right angles
    length       the sum of the lengths of all arrows, px
    area         width times height, megapixels
    aspect       width divided by height; a screen has 1.6
    fit          the scale at which the picture fits 1600 by 1000 px, at most 1
    overlaps     labels that lie on a box, on another label or on a foreign line
    ms           time of the layout; for dot with the start of its process
"""

from __future__ import annotations

import argparse
import html
import itertools
import json
import shutil
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import atan2, hypot, inf, pi
from pathlib import Path
from unittest import mock

from penstock.show import lay_out, svg_text
from penstock.show.content.picture import Picture
from penstock.show.layout import picture_layout
from penstock.show.layout.column_layout import Room
from penstock.show.layout.geometry import Point, Rect

from .dot_layout import Drawn, Line, dot_drawing, sampled
from .picture_corpus import corpus

_WIDTH, _HEIGHT = 1600.0, 1000.0
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """The quality of one layout of one picture."""

    crossings: int
    bends: float
    length: float
    area: float
    aspect: float
    fit: float
    overlaps: int
    ms: float


def own_drawing(picture: Picture) -> Drawn:
    """The picture as Penstock lays it out."""
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        layout = lay_out(picture)
        times.append(time.process_time() - start)
    lines = []
    for placed in layout.arrows:
        points: list[Point] = [placed.points[0]]
        for (x0, y0), (x1, y1) in itertools.pairwise(placed.points):
            if x0 == x1 or y0 == y1:
                points.append((x1, y1))
            else:
                x, y = (x0 + x1) / 2, (y0 + y1) / 2
                soft = ((x, y0), (x, y1)) if placed.across else ((x0, y), (x1, y))
                points += sampled(((x0, y0), *soft, (x1, y1)))
        lines.append(Line(placed.arrow.source, placed.arrow.target, tuple(points), placed.label))
    boxes = {placed.box.id: placed.rect for placed in layout.boxes}
    scopes = {placed.group.path: placed.rect for placed in layout.groups}
    return Drawn(layout.width, layout.height, boxes, scopes, tuple(lines), min(times))


def figures_of(drawn: Drawn) -> Figures:
    """The figures of a drawing."""
    width, height = max(drawn.width, 1.0), max(drawn.height, 1.0)
    return Figures(
        crossings=_crossings(drawn.lines),
        bends=round(sum(_turning(line.points) for line in drawn.lines), 1),
        length=round(sum(_length(line.points) for line in drawn.lines)),
        area=round(width * height / 1e6, 4),
        aspect=round(width / height, 2),
        fit=round(min(_WIDTH / width, _HEIGHT / height, 1.0), 3),
        overlaps=_overlaps(drawn),
        ms=round(1e3 * drawn.seconds, 1),
    )


def _crossings(lines: Sequence[Line]) -> int:
    """Points at which lines cross; a point that several arrows on one line share counts once."""
    pieces = sorted({(min(a, b), max(a, b)) for line in lines for a, b in itertools.pairwise(line.points) if a != b})
    found: set[tuple[int, int]] = set()
    active: list[tuple[Point, Point]] = []
    for a, b in pieces:  # from left to right
        active = [piece for piece in active if piece[1][0] >= a[0]]
        low, high = min(a[1], b[1]), max(a[1], b[1])
        for c, d in active:
            if max(c[1], d[1]) >= low and min(c[1], d[1]) <= high:
                point = _crossing(a, b, c, d)
                if point is not None:
                    found.add((round(point[0] / 2), round(point[1] / 2)))
        active.append((a, b))
    return len(found)


def _crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """The point inside both pieces at which they cross."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = a, b, c, d
    across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if not across:
        return None
    along = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
    other = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / across
    inside = 1e-6 < along < 1 - 1e-6 and 1e-6 < other < 1 - 1e-6
    return (ax + along * (bx - ax), ay + along * (by - ay)) if inside else None


def _turning(points: Sequence[Point]) -> float:
    ways = [atan2(y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in itertools.pairwise(points) if (x0, y0) != (x1, y1)]
    return sum(abs((b - a + pi) % (2 * pi) - pi) for a, b in itertools.pairwise(ways)) / (pi / 2)


def _length(points: Sequence[Point]) -> float:
    return sum(hypot(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in itertools.pairwise(points))


def _overlaps(drawn: Drawn) -> int:
    labels = {(line.label, line.source) for line in drawn.lines if line.label is not None}
    found = 0
    for label, source in labels:
        assert label is not None
        found += any(label.overlaps(rect) for rect in drawn.boxes.values())
        found += any(label.overlaps(other) for other, _ in labels if other is not None and other != label)
        foreign = (piece for line in drawn.lines if line.source != source for piece in itertools.pairwise(line.points))
        found += any(_touches(label, a, b) for a, b in foreign)
    return found


def _touches(rect: Rect, a: Point, b: Point) -> bool:
    if max(a[0], b[0]) < rect.x or min(a[0], b[0]) > rect.right:
        return False
    if max(a[1], b[1]) < rect.y or min(a[1], b[1]) > rect.bottom:
        return False
    corners = [(rect.x, rect.y), (rect.right, rect.y), (rect.x, rect.bottom), (rect.right, rect.bottom)]
    sides = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) for x, y in corners]
    return min(sides) <= 0 <= max(sides)


# ---- tables -----------------------------------------------------------------------------------------------------

_SHOWN = ("area", "fit", "aspect", "crossings", "bends", "length", "overlaps", "ms")
_BEGIN, _END = "<!-- figures: begin -->", "<!-- figures: end -->"
_LESS_IS_BETTER = ("area", "crossings", "bends", "length", "overlaps")


def table(columns: dict[str, dict[str, Figures]]) -> str:
    """A Markdown table: one row for each picture, each figure as "before / Penstock / dot"."""
    names = list(columns["Penstock"])
    told = " / ".join(columns)
    lines = [f"Each cell: {told}.", "", "| picture | " + " | ".join(_SHOWN) + " |", "|---" * (len(_SHOWN) + 1) + "|"]
    for name in names:
        found = [column[name] for column in columns.values() if name in column]
        cells = [" / ".join(_text(getattr(figures, key)) for figures in found) for key in _SHOWN]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_summary(columns)])


def write_page(page: Path, columns: dict[str, dict[str, Figures]]) -> None:
    """Put the figures into a page, between its marks."""
    told = " / ".join(columns)
    shown = ("area", "fit", "crossings", "overlaps")
    lines = [f"Each cell: {told}.", "", "| picture | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for name in columns["Penstock"]:
        found = [column[name] for column in columns.values() if name in column]
        cells = [" / ".join(_text(getattr(figures, key)) for figures in found) for key in shown]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    text = page.read_text("utf-8")
    head, mark, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    if not mark or not end:
        raise ValueError(f"{page}: there is no {_BEGIN} with {_END} behind it; add both lines")
    body = "\n".join([*_summary(columns), "", *lines])
    page.write_text(f"{head}{mark}\n{body}\n{end}{tail}", "utf-8")


def _summary(columns: dict[str, dict[str, Figures]]) -> list[str]:
    own = columns["Penstock"]
    lines = []
    for title, other in columns.items():
        shared = [name for name in own if name in other]
        sums = ", ".join(f"{key} {sum(getattr(other[name], key) for name in shared):.6g}" for key in _LESS_IS_BETTER)
        fit = statistics.geometric_mean(other[name].fit for name in shared)
        lines.append(f"- {title}: {sums}; mean fit {fit:.2f}")
        if title == "Penstock":
            continue
        for key in _LESS_IS_BETTER:
            pairs = [(getattr(own[name], key), getattr(other[name], key)) for name in shared]
            less, same = sum(a < b for a, b in pairs), sum(a == b for a, b in pairs)
            lines.append(f"  - {key}: less than {title} in {less} of {len(pairs)}, the same in {same}")
        larger = sum(own[name].fit > other[name].fit for name in shared)
        lines.append(f"  - fit: larger than {title} in {larger} of {len(shared)}, "
                     f"the same in {sum(own[name].fit == other[name].fit for name in shared)}")  # fmt: skip
    return lines


def _text(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


# ---- contact sheet ----------------------------------------------------------------------------------------------


def sheet(drawings: dict[str, tuple[Picture, Drawn | None]]) -> str:
    """A page with every picture, as Penstock draws it and as dot does."""
    parts = ["<!doctype html><meta charset=utf-8><style>body{font:14px sans-serif;background:#fff}figure{margin:8px}"
             "div{display:flex;gap:8px;align-items:start}svg{max-width:780px;max-height:500px;border:1px solid #ccc;"
             "height:auto;width:auto}</style>"]  # fmt: skip
    for name, (picture, dot) in drawings.items():
        own = svg_text(picture, None)
        parts.append(f"<figure><figcaption>{html.escape(name)}</figcaption><div>{own}{_plain_svg(dot)}</div></figure>")
    return "\n".join(parts)


def _plain_svg(drawn: Drawn | None) -> str:
    if drawn is None:
        return ""
    rects = [(rect, "#eef", "#88a") for rect in drawn.scopes.values()]
    rects += [(rect, "#fff", "#333") for rect in drawn.boxes.values()]
    rects += [(line.label, "#fe8", "none") for line in drawn.lines if line.label is not None]
    shapes = [f'<rect x="{r.x:.1f}" y="{r.y:.1f}" width="{r.width:.1f}" height="{r.height:.1f}" fill="{fill}" '
              f'stroke="{stroke}"/>' for r, fill, stroke in rects]  # fmt: skip
    shapes += [f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)}" fill="none" stroke="#567"/>'
               for line in drawn.lines]  # fmt: skip
    width, height = f"{drawn.width:.0f}", f"{drawn.height:.0f}"
    return f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">{"".join(shapes)}</svg>'


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--unfolded", action="store_true")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args(arguments)
    pictures = corpus(asked.only)
    dots = {name: dot_drawing(picture) if shutil.which("dot") else None for name, picture in pictures.items()}
    columns: dict[str, dict[str, Figures]] = {}
    if asked.before:
        earlier = json.loads(asked.before.read_text())["Penstock"]
        columns["before"] = {name: Figures(**figures) for name, figures in earlier.items() if name in pictures}
    if asked.unfolded:
        with mock.patch.object(picture_layout, "_SCREEN", Room(inf, inf)):  # what fits is neither folded nor turned
            columns["unfolded"] = {name: figures_of(own_drawing(picture)) for name, picture in pictures.items()}
    columns["Penstock"] = {name: figures_of(own_drawing(picture)) for name, picture in pictures.items()}
    columns["dot"] = {name: figures_of(drawn) for name, drawn in dots.items() if drawn is not None}
    print(table({title: column for title, column in columns.items() if column}))
    if asked.json:
        found = {title: {name: asdict(one) for name, one in column.items()} for title, column in columns.items()}
        asked.json.write_text(json.dumps(found, indent=1))
    if asked.write:
        write_page(asked.write, {title: column for title, column in columns.items() if column})
    if asked.sheet:
        asked.sheet.write_text(sheet({name: (picture, dots[name]) for name, picture in pictures.items()}))


if __name__ == "__main__":
    main()
