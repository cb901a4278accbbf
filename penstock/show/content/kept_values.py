"""What a closed scope of derivatives reads of the forward pass, as a line in its box instead of a line from each value.

The backward pass reads most of what the forward pass computes. Drawn, these lines hide all others: of a network with
two layers, fourteen of them run from top to bottom.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from .picture import Arrow, Path, Picture
from .visibility import scope_path

_OF_Y = "grad_ys_"
"""How `tf.gradients` calls the gradients with which it begins, those of ys."""
_FEW = 4
"""So many lines are drawn."""


def differentiated_in(operations: Sequence[Any], drawn: Set[str]) -> dict[Path, list[str]]:
    """For each scope of derivatives the operations whose derivatives these are: where their gradients begin."""
    found: dict[Path, list[str]] = {}
    for op in operations:
        scope, _, last = op.name.rpartition("/")
        if last.startswith(_OF_Y):
            name = getattr(getattr(op, "origin", None), "of", "")
            if name in drawn:
                found.setdefault(scope_path(scope.split("/")), []).append(name)
    return found


def derivative_scopes(picture: Picture) -> list[Path]:
    """The folded scopes that hold the gradients of operations, such as "gradients" with "mul_grad" in it."""
    folded = {group.path for group in picture.groups if group.folded and group.face is None}
    inside = {box.group for box in picture.boxes if any(name.endswith("_grad") for name in box.group)}
    return [path for path in folded if any(each[: len(path)] == path for each in inside)]


def without_kept_values(picture: Picture, scopes: list[Path], whole: Picture) -> Picture:
    """The picture with few lines into each closed scope: from what it differentiates, or the box that comes last on the
    way down, and from boxes that nothing else reads. A line of its text says how many other values it reads.

    whole: the picture before scopes were closed.
    """
    begins = _differentiated(picture, whole)
    joined = {(arrow.source, arrow.target) for arrow in picture.arrows}
    added = [Arrow(source, target) for target, sources in begins.items() for source in sources
             if (source, target) not in joined]  # fmt: skip
    places = {box.id: place for place, box in enumerate(picture.boxes)}
    sources = [arrow.source for arrow in (*picture.arrows, *added) if arrow.kind == "data"]
    boxes, arrows = list(picture.boxes), [*picture.arrows, *added]
    for identity in ("/".join(path) + "/" for path in scopes):
        into = [arrow for arrow in arrows if arrow.target == identity and arrow.kind == "data"]
        if identity not in places or len(into) <= _FEW:
            continue
        depths, first = _depths(picture, identity), begins.get(identity, ())
        last = max(into, key=lambda arrow: (arrow.source in first, depths[arrow.source], places[arrow.source]))
        left_out = [arrow for arrow in into if arrow is not last and sources.count(arrow.source) > 1]
        count = len({tensor for arrow in left_out for tensor in _tensors(arrow)})
        box = boxes[places[identity]]
        boxes[places[identity]] = replace(box, detail=(*box.detail, f"reads {count} more values"))
        arrows = [arrow for arrow in arrows if not any(arrow is each for each in left_out)]
    return replace(picture, boxes=tuple(boxes), arrows=tuple(arrows))


def _differentiated(picture: Picture, whole: Picture) -> dict[str, list[str]]:
    """For each closed scope of derivatives the boxes that show what these are of."""
    of = {"/".join(group.path) + "/": group.of for group in whole.groups if group.of}
    ids = {box.id for box in picture.boxes}
    scopes = {box.id: box.group for box in whole.boxes} if ids & of.keys() else {}
    begins: dict[str, list[str]] = {}
    for target in ids & of.keys():
        for name in of[target]:
            around = ("/".join(scopes[name][:length]) + "/" for length in range(1, len(scopes[name]) + 1))
            source = next((each for each in (name, *around) if each in ids), target)
            if source != target:
                begins.setdefault(target, []).append(source)
    return begins


def _depths(picture: Picture, without: str) -> dict[str, int]:
    """How many arrows lead to each box, at most, without those into one of them."""
    depths = dict.fromkeys([box.id for box in picture.boxes], 0)
    arrows = [each for each in picture.arrows if each.kind == "data" and without not in (each.source, each.target)]
    for _ in picture.boxes:
        before = dict(depths)
        for arrow in arrows:
            depths[arrow.target] = max(depths[arrow.target], depths[arrow.source] + 1)
        if depths == before:
            break
    return depths


def _tensors(arrow: Arrow) -> tuple[str, ...]:
    return arrow.tensors or (f"{arrow.source}>{arrow.slot}",)
