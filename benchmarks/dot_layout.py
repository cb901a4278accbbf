"""Pictures laid out by Graphviz `dot`, with the same sizes of boxes, the same labels and the same scopes."""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.show.content.picture import Box, Path, Picture, all_groups, members_in_order, sorted_arrows
from penstock.show.formats.dot import quote
from penstock.show.layout.geometry import Point, Rect
from penstock.show.layout.text_measure import ARROW_SIZE, LABEL_SIZE, box_text, shorten, text_width

_LABEL_HEIGHT = 13.0
_STEPS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """An arrow as drawn: its ends, its points with curves sampled, and the rectangle of its label."""

    source: str
    target: str
    points: tuple[Point, ...]
    label: Rect | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with coordinates, whichever program found them."""

    width: float
    height: float
    boxes: dict[str, Rect]
    scopes: dict[Path, Rect]
    lines: tuple[Line, ...]
    seconds: float


def sampled(curve: Sequence[Point]) -> list[Point]:
    """Points of a cubic curve after its first one."""
    points = []
    for step in range(1, _STEPS + 1):
        t = step / _STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        points.append((sum(w * x for w, (x, _) in zip(weights, curve, strict=True)),
                       sum(w * y for w, (_, y) in zip(weights, curve, strict=True))))  # fmt: skip
    return points


def dot_drawing(picture: Picture) -> Drawn:
    """The picture as `dot` lays it out; its seconds are CPU time with the start of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = "\n".join(_text(picture))
    made = subprocess.run(["dot", "-Tjson0"], input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(made.stdout)
    _, _, width, height = (float(part) for part in found["bb"].split(","))
    boxes: dict[str, Rect] = {}
    scopes: dict[Path, Rect] = {}
    paths = list(all_groups(picture))
    ids = [box.id for box in picture.boxes]
    for each in found.get("objects", ()):
        if "nodes" in each or "bb" in each:
            left, low, right, high = (float(part) for part in each["bb"].split(","))
            path = paths[int(each["name"].removeprefix("cluster_"))]
            scopes[path] = Rect(left, height - high, right - left, high - low)
            continue
        x, y = (float(part) for part in each["pos"].split(","))
        across, down = 72 * float(each["width"]), 72 * float(each["height"])
        boxes[ids[int(each["name"][1:])]] = Rect(x - across / 2, height - y - down / 2, across, down)
    edges = sorted(found.get("edges", ()), key=lambda edge: int(edge["comment"]))
    lines = [
        _line(arrow.source, arrow.target, edge, height)
        for arrow, edge in zip(sorted_arrows(picture), edges, strict=True)
    ]
    return Drawn(width, height, boxes, scopes, tuple(lines), seconds)


def _line(source: str, target: str, edge: dict[str, Any], height: float) -> Line:
    points: list[Point] = []
    tip = None
    for part in edge["pos"].split():
        kind, _, place = part.partition(",")
        if kind in ("e", "s"):
            x, y = place.split(",")
            tip = float(x), height - float(y)
        else:
            points.append((float(kind), height - float(place)))
    drawn = [points[0]]
    for start in range(0, len(points) - 1, 3):
        drawn += sampled(points[start : start + 4])
    if tip is not None:
        drawn.append(tip)
    label = None
    if "lp" in edge:
        x, y = (float(part) for part in edge["lp"].split(","))
        width = _label_width(edge["tooltip"])
        label = Rect(x - width / 2, height - y - _LABEL_HEIGHT / 2, width, _LABEL_HEIGHT)
    return Line(source, target, tuple(drawn), label)


def _label_width(text: str) -> float:
    return text_width(shorten(text), ARROW_SIZE)


def _text(picture: Picture) -> Iterable[str]:
    groups = all_groups(picture)
    numbers = {path: number for number, path in enumerate(groups)}
    members = members_in_order(picture)
    nodes = {box.id: number for number, box in enumerate(picture.boxes)}

    def cluster(path: Path) -> Iterable[str]:
        width = text_width(shorten(groups[path].label or path[-1]), LABEL_SIZE)
        yield f"subgraph cluster_{numbers[path]} {{ labeljust=l; label={_sized(width, LABEL_SIZE + 3)};"
        for member in members[path]:
            yield from (f"n{nodes[member.id]};",) if isinstance(member, Box) else cluster(member)
        yield "}"

    yield "digraph { rankdir=TB; node [shape=box, fixedsize=true, label=\"\"]; edge [arrowsize=0.7];"
    for box in picture.boxes:
        text = box_text(box)
        yield f"n{nodes[box.id]} [width={text.width / 72:.4f}, height={text.height / 72:.4f}];"
    yield from itertools.chain.from_iterable(cluster(member) for member in members[()] if not isinstance(member, Box))
    seen: set[tuple[str, str]] = set()
    for number, arrow in enumerate(sorted_arrows(picture)):
        label = ""
        if arrow.label and (arrow.source, arrow.label) not in seen:  # each text once per box, as Penstock does
            seen.add((arrow.source, arrow.label))
            label = f", tooltip={quote(arrow.label)}, label={_sized(_label_width(arrow.label), _LABEL_HEIGHT)}"
        yield f"n{nodes[arrow.source]} -> n{nodes[arrow.target]} [comment={number}{label}];"
    yield "}"


def _sized(width: float, height: float) -> str:
    """A label of exactly this size."""
    size = f'FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{height:.0f}"'
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" {size}><TR><TD></TD></TR></TABLE>>'
