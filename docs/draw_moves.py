"""Drawings of where each element goes, for the ops that only move data, made by running them.

    python docs/draw_moves.py            says which drawings in docs/moves/ are out of date
    python docs/draw_moves.py --write    writes them

A drawing has rows of strips of cells, and a line from each element to the place where the op puts it. The lines are not
drawn from the ops' descriptions: every element is replaced by its own number, the op is run, and the numbers are looked
for in the result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "moves"

CELL, TALL, GAP, BETWEEN, MARGIN, LABEL = 38.0, 28.0, 30.0, 66.0, 18.0, 22.0
HUES = (("#dcebfb", "#3f78bd", "#1c3450", "#86b3e8"), ("#fde8cf", "#c07a1c", "#4a3414", "#e0a75a"),
        ("#dff3e2", "#3c8f57", "#17402a", "#6cc08b"), ("#f6dff0", "#a8518f", "#4a1f40", "#d689bd"))  # fmt: skip
"""For each colour: fill and line on a light page, fill and line on a dark one."""


@dataclass(frozen=True, slots=True)
class Strip:
    """Cells side by side under a label: what stands in each, and its colour (None: no element of the op moves it)."""

    label: str
    texts: Sequence[object]
    hues: Sequence[int | None]
    faded: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Move:
    """A line from a cell to a cell: (row, strip, cell) of both; `lost` where another element took the place later."""

    start: tuple[int, int, int]
    end: tuple[int, int, int]
    hue: int
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Rows of strips, lines between them, and the call that it shows."""

    call: str
    rows: tuple[tuple[Strip, ...], ...]
    moves: tuple[Move, ...]


def run(build: Callable[[Any], Any]) -> Any:
    """The values of the tensors that `build(penstock)` makes."""
    import penstock as tf

    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        return session.run(build(tf))


# ---- the ops ----------------------------------------------------------------------------------------


def dynamic_partition() -> Drawing:
    """Elements into parts, in order."""
    data, partitions = [10, 20, 30, 40, 50, 60], [0, 2, 0, 1, 2, 0]
    parts = run(lambda tf: tf.dynamic_partition(np.arange(len(data)), partitions, 3))
    moves = tuple(
        Move((1, 0, element), (2, part, place), part)
        for part, elements in enumerate(parts)
        for place, element in enumerate(elements.tolist())
    )
    outputs = tuple(
        Strip(f"outputs[{part}]", [data[e] for e in elements], [part] * len(elements))
        for part, elements in enumerate(parts)
    )
    top, inputs = Strip("partitions", partitions, partitions), Strip("data", data, partitions)
    return Drawing("dynamic_partition(data, partitions, 3)", ((top,), (inputs,), outputs), moves)


def dynamic_stitch() -> Drawing:
    """Elements to the places that indices name; of two for one place the later one stays."""
    indices, data = [[0, 2, 5], [4, 1], [3, 2]], [[10, 30, 60], [50, 20], [40, 31]]
    numbers, starts = _numbered(data)
    merged = run(lambda tf: tf.dynamic_stitch(indices, numbers)).tolist()
    place = {number: at for at, number in enumerate(merged)}
    moves = []
    lost: list[set[int]] = [set() for _ in data]
    for part, (start, where) in enumerate(zip(starts, indices, strict=True)):
        for cell, at in enumerate(where):
            stays = place.get(start + cell) == at
            moves.append(Move((1, part, cell), (2, 0, at), part, lost=not stays))
            if not stays:
                lost[part].add(cell)
    flat = [value for values in data for value in values]
    hues = [part for part, values in enumerate(data) for _ in values]
    top = tuple(Strip(f"indices[{p}]", each, [p] * len(each)) for p, each in enumerate(indices))
    inputs = tuple(Strip(f"data[{p}]", each, [p] * len(each), frozenset(lost[p])) for p, each in enumerate(data))
    result = Strip("merged", [flat[n] for n in merged], [hues[n] for n in merged])
    return Drawing("dynamic_stitch(indices, data)", (top, inputs, (result,)), tuple(moves))


def gather() -> Drawing:
    """Elements that indices name, as often as they are named."""
    params, indices = [10, 20, 30, 40, 50], [3, 0, 3, 2]
    taken = run(lambda tf: tf.gather(np.arange(len(params)), indices)).tolist()
    used = list(dict.fromkeys(taken))
    hue = {element: number for number, element in enumerate(used)}
    moves = tuple(Move((0, 0, element), (1, 0, at), hue[element]) for at, element in enumerate(taken))
    hues = [hue[e] for e in taken]
    top = Strip("params", params, [hue.get(e) for e in range(len(params))])
    result = Strip("gather(params, indices)", [params[e] for e in taken], hues)
    return Drawing("gather(params, indices)", ((top,), (result,), (Strip("indices", indices, hues),)), moves)


def scatter_nd() -> Drawing:
    """Updates to the places that indices name in a tensor of zeros; those for one place are added up."""
    indices, updates, size = [[4], [1], [6], [1]], [9, 10, 11, 12], 8
    one_hot = np.eye(len(updates), dtype=np.int64)
    came = run(lambda tf: tf.scatter_nd(indices, one_hot, [size, len(updates)]))  # row: which updates came to a place
    values = came @ np.array(updates)
    hue = _hues_of([place for (place,) in indices])
    moves = tuple(
        Move((1, 0, int(update)), (2, 0, place), hue[place])
        for place in range(size)
        for update in np.flatnonzero(came[place])
    )
    hues = [hue[place] for (place,) in indices]
    top = Strip("indices", [place for (place,) in indices], hues)
    result = Strip("scatter_nd", values.tolist(), [hue.get(place) for place in range(size)])
    return Drawing("scatter_nd(indices, updates, [8])", ((top,), (Strip("updates", updates, hues),), (result,)), moves)


def tensor_scatter_nd_update() -> Drawing:
    """A copy of a tensor in which the places that indices name have new values."""
    tensor, indices, updates = [1, 2, 3, 4, 5, 6], [[4], [1]], [90, 70]
    old, new = np.arange(len(tensor)), 100 + np.arange(len(updates))
    result = run(lambda tf: tf.tensor_scatter_nd_update(old, indices, new)).tolist()
    hue = _hues_of([place for (place,) in indices])
    moves = tuple(
        Move((1, 1, n - 100), (2, 0, place), hue[place]) if n >= 100 else Move((1, 0, n), (2, 0, place), 3)
        for place, n in enumerate(result)
    )
    values = [updates[n - 100] if n >= 100 else tensor[n] for n in result]
    kept = [3 if n in result else None for n in range(len(tensor))]
    gone = frozenset(n for n in range(len(tensor)) if n not in result)
    top = Strip("indices", [place for (place,) in indices], [hue[place] for (place,) in indices])
    inputs = (Strip("tensor", tensor, kept, gone), Strip("updates", updates, [hue[place] for (place,) in indices]))
    made = Strip("tensor_scatter_nd_update", values, [hue.get(place, 3) for place in range(len(result))])
    return Drawing("tensor_scatter_nd_update(tensor, indices, updates)", ((top,), inputs, (made,)), moves)


def reverse_sequence() -> Drawing:
    """The first elements of each row turned round, as many as its length says."""
    rows, lengths = np.arange(15).reshape(3, 5), [4, 2, 5]
    turned = run(lambda tf: tf.reverse_sequence(rows, lengths, 1))
    moves = tuple(
        Move((0, row, int(number) % 5), (1, row, place), row)
        for row in range(3)
        for place, number in enumerate(turned[row])
        if number % 5 != place or place < lengths[row]
    )
    hues = [[row if place < lengths[row] else None for place in range(5)] for row in range(3)]
    top = tuple(Strip(f"row {row}, length {lengths[row]}", rows[row].tolist(), hues[row]) for row in range(3))
    made = tuple(Strip(f"row {row} of the result", turned[row].tolist(), hues[row]) for row in range(3))
    return Drawing("reverse_sequence(input, [4, 2, 5], seq_dim=1)", (top, made), moves)


def _numbered(data: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[int]]:
    """Every element replaced by its own number, and the first number of each list."""
    starts = np.cumsum([0, *map(len, data)])[:-1].tolist()
    return [list(range(s, s + len(values))) for s, values in zip(starts, data, strict=True)], starts


def _hues_of(places: Sequence[int]) -> dict[int, int]:
    """A colour for each place, the same for the same place."""
    return {place: number for number, place in enumerate(dict.fromkeys(places))}


DRAWINGS = (dynamic_partition, dynamic_stitch, gather, scatter_nd, tensor_scatter_nd_update, reverse_sequence)


# ---- SVG --------------------------------------------------------------------------------------------


def svg(drawing: Drawing) -> str:
    """The drawing as an SVG document with a light and a dark set of colours."""
    width = max(_width(row) for row in drawing.rows) + 2 * MARGIN
    corners, bottom = _places(drawing, width)
    size = f'width="{width:g}" height="{bottom:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:g} {bottom:g}" role="img">',
        f"<title>{_escape(drawing.call)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" {size}/>',
    ]
    lines += [_line(move, corners) for move in sorted(drawing.moves, key=lambda move: not move.lost)]
    first = _first_result(drawing)
    for number, row in enumerate(drawing.rows):
        for place, strip in enumerate(row):
            lines += _cells(strip, *corners[number, place], below=number >= first)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _width(row: Sequence[Strip]) -> float:
    return sum(max(len(strip.texts) * CELL, len(strip.label) * 6.4) for strip in row) + GAP * (len(row) - 1)


def _first_result(drawing: Drawing) -> int:
    """The first row that lines lead to: from there on labels stand below the cells, where no line ends."""
    return min(move.end[0] for move in drawing.moves)


def _places(drawing: Drawing, width: float) -> tuple[dict[tuple[int, int], tuple[float, float]], float]:
    """The upper left corner of each strip's cells, and the height of the whole. Rows joined by lines are far apart."""
    first = _first_result(drawing)
    corners: dict[tuple[int, int], tuple[float, float]] = {}
    y = MARGIN
    for number, row in enumerate(drawing.rows):
        above = LABEL if number < first else 0.0
        if number:
            y += BETWEEN if number == first else 14.0
        x = (width - _width(row)) / 2
        for place, strip in enumerate(row):
            room = max(len(strip.texts) * CELL, len(strip.label) * 6.4)
            corners[number, place] = (x + (room - len(strip.texts) * CELL) / 2, y + above)
            x += room + GAP
        y += LABEL + TALL
    return corners, y + MARGIN


def _cells(strip: Strip, x: float, y: float, below: bool) -> list[str]:
    middle, beside = x + len(strip.texts) * CELL / 2, y + TALL + 16 if below else y - 7
    lines = [f'<text class="label" x="{middle:g}" y="{beside:g}">{_escape(strip.label)}</text>']
    # Plain cells first: the border between two cells has the colour of the one that is not plain.
    cells = sorted(enumerate(zip(strip.texts, strip.hues, strict=True)), key=lambda cell: cell[1][1] is not None)
    for place, (text, hue) in cells:
        kind = "plain" if hue is None else f"hue{hue}"
        kind += " faded" if place in strip.faded else ""
        left = x + place * CELL
        lines.append(f'<g class="cell {kind}"><rect x="{left:g}" y="{y:g}" width="{CELL:g}" height="{TALL:g}"/>'
                     f'<text x="{left + CELL / 2:g}" y="{y + 18.5:g}">{_escape(str(text))}</text></g>')  # fmt: skip
    return lines


def _line(move: Move, corners: dict[tuple[int, int], tuple[float, float]]) -> str:
    (x0, y0), (x1, y1) = (corners[end[:2]] for end in (move.start, move.end))
    start_x, start_y = x0 + (move.start[2] + 0.5) * CELL, y0 + TALL
    end_x, end_y = x1 + (move.end[2] + 0.5) * CELL, y1
    bend = (end_y - start_y) * 0.55
    kind = f"hue{move.hue}" + (" lost" if move.lost else "")
    curve = f"C{start_x:g} {start_y + bend:g} {end_x:g} {end_y - bend:g} {end_x:g} {end_y - 5:g}"
    head = f"M{end_x - 4:g} {end_y - 7:g} L{end_x + 4:g} {end_y - 7:g} L{end_x:g} {end_y - 0.5:g} Z"
    return f'<path class="line {kind}" d="M{start_x:g} {start_y:g} {curve}"/><path class="head {kind}" d="{head}"/>'


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _rules(dark: bool) -> str:
    page, ink, faint, plain, edge = ("#14191f", "#e8edf2", "#b3bfcb", "#2c333b", "#7b8794") if dark else (
        "#fbfcfd", "#1d2733", "#4b5a69", "#eef0f3", "#a3adb8")  # fmt: skip
    rules = f".page{{fill:{page}}}.cell text{{fill:{ink}}}.label{{fill:{faint}}}"
    rules += f".plain rect{{fill:{plain};stroke:{edge}}}"
    for number, hue in enumerate(HUES):
        fill, line = hue[2:] if dark else hue[:2]
        rules += f".hue{number} rect{{fill:{fill};stroke:{line}}}"
        rules += f".line.hue{number}{{stroke:{line}}}.head.hue{number}{{fill:{line}}}"
    return rules


STYLE = f"""
text{{font-family:Helvetica,Arial,"Liberation Sans","Noto Sans",sans-serif;text-anchor:middle}}
.cell text{{font-size:13px;font-weight:600}}
.cell rect{{stroke-width:1.2}}
.label{{font-size:11.5px}}
.line{{fill:none;stroke-width:1.6}}
.faded,.lost{{opacity:.45}}
.line.lost{{stroke-dasharray:4 3}}
{_rules(False)}
@media (prefers-color-scheme:dark){{{_rules(True)}}}
"""


def files() -> dict[Path, str]:
    """Every drawing with the text that it should have."""
    return {FOLDER / f"{draw.__name__}.svg": svg(draw()) for draw in DRAWINGS}


def main() -> int:
    """Compare, or write; the exit code is 1 if a drawing was out of date, or is of no op here."""
    wanted = files()
    outdated = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not what the op does now")
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], "utf-8")
    left = sorted(set(FOLDER.glob("*")) - wanted.keys())
    for path in left:
        print(f"{path.relative_to(ROOT)} is the drawing of nothing")
    return 1 if outdated or left else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
