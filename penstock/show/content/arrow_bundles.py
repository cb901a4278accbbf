"""Merged contents and arrows, for boxes that stand for several others.

A box that stands for others counts their op types. Arrows inside it vanish. Arrows that became parallel merge into one
arrow, labelled with the number of distinct tensors ("3 tensors"), or with the type of the only one if it comes out of a
closed scope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .picture import BACKWARDS, Arrow, ArrowKind, Box, Face, Picture, sorted_arrows

_SHOWN_TYPES = 2


@dataclass(frozen=True, slots=True)
class Contents:
    """What boxes hold together.

    size: "13 operations". types: "Add x2, Mul x1" of the most frequent types. counts: the op types with their numbers.
    """

    size: str
    types: str
    counts: tuple[tuple[str, int], ...]


def contents_of(boxes: Sequence[Box], times: Sequence[int] | None = None) -> Contents:
    """What the boxes hold. Constants are no operations: they are counted where there is nothing else.

    times: how many boxes each one stands for; by default one.

    >>> constant = Box("a", "a", type="Const", is_constant=True)
    >>> contents_of([constant, Box("b", "b", type="Add")]).size, contents_of([constant]).size
    ('1 operation', '1 constant')
    """
    counted = list(zip(boxes, times or (1,) * len(boxes), strict=True))
    work = [each for each in counted if not each[0].is_constant]
    counter: Counter[str] = Counter()
    for box, number in work or counted:
        for name, count in box.counts():
            counter[name] += count * number
    # Constants last: in a closed scope there may be nothing else.
    counts = tuple(sorted(counter.items(), key=lambda item: (item[0] == "Const", -item[1], item[0])))
    # "1 more type" would be as long as the name of that type.
    number_shown = len(counts) if len(counts) <= _SHOWN_TYPES + 1 else _SHOWN_TYPES
    shown = [f"{name} x{number}" for name, number in counts[:number_shown]]
    if number_shown < len(counts):
        shown.append(f"{len(counts) - number_shown} more types")
    total, noun = counter.total(), "operation" if work or not counted else "constant"
    return Contents(f"{total} {noun}{'s' if total != 1 else ''}", ", ".join(shown), counts)


def merge_arrows(picture: Picture, home: Mapping[str, str], faces: Mapping[str, Face]) -> tuple[Arrow, ...]:
    """The arrows between the boxes that show them.

    home: the box that shows each old one. faces: what closed scopes are drawn as, by their ids.
    """
    merged: list[Arrow] = []
    bundles: dict[tuple[str, str, ArrowKind], list[tuple[int, Arrow]]] = {}
    for index, arrow in enumerate(sorted_arrows(picture)):
        source, target = home[arrow.source], home[arrow.target]
        moved = source != arrow.source or target != arrow.target
        if not moved:
            merged.append(arrow)  # x + x keeps its two arrows
        elif source != target:
            bundles.setdefault((source, target, arrow.kind), []).append((index, arrow))
    for (source, target, kind), bundle in bundles.items():
        if kind == "data" and (source, target, "write") in bundles:
            continue  # what an update reads of a variable it also writes
        if kind == "write" and target in faces and faces[target].is_quiet:
            continue
        merged.append(_merge(source, target, kind, bundle, faces[source].box if source in faces else ""))
    return tuple(merged)


def _is_named(label: str) -> bool:
    """Whether a label says what a tensor is, such as ":1 total", and not its type."""
    return " " in label and "(" not in label


def _merge(source: str, target: str, kind: ArrowKind, bundle: Sequence[tuple[int, Arrow]], face: str) -> Arrow:
    tensors: set[str] = set()
    for index, arrow in bundle:
        # An arrow that names no tensor counts as one of its own.
        tensors.update(arrow.tensors or (f"{arrow.source}>{arrow.target}#{index}",))
    labels = {arrow.label for _, arrow in bundle}
    types = {arrow.type for _, arrow in bundle}
    type_ = types.pop() if len(types) == 1 else ""
    if kind in BACKWARDS:
        return Arrow(source, target, "", kind)
    if kind == "control":
        label = ""
    elif len(tensors) == 1:
        first = bundle[0][1]
        label = first.label if len(labels) == 1 else ""
        # A box says the type of its output itself, a closed scope does not. A name such as ":1 total" says more.
        if first.source not in (source, face) and not _is_named(label):
            label = type_ or label
    else:
        label = f"{len(tensors)} tensor{'s' if len(tensors) != 1 else ''}"
    slot = min(arrow.slot for _, arrow in bundle)
    return Arrow(source, target, label, kind, tuple(sorted(tensors)), slot, type=type_)
