"""What do several boxes say when one box stands for them, and what becomes of the arrows between them?

Boxes add up their op types; arrows inside one new box vanish; arrows that became parallel merge into one, labelled
with its only type or with the number of distinct tensors ("3 tensors").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .picture import Arrow, ArrowKind, Box, Picture, sorted_arrows

_SHOWN_TYPES = 3


def describe_counts(boxes: Sequence[Box]) -> tuple[int, str, tuple[tuple[str, int], ...]]:
    """How many operations the boxes hold, "Add x2, Mul x1" for the most frequent types, and all counts."""
    counter: Counter[str] = Counter()
    for box in boxes:
        counter.update(dict(box.counts()))
    counts = tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
    shown = ", ".join(f"{name} x{number}" for name, number in counts[:_SHOWN_TYPES])
    rest = len(counts) - _SHOWN_TYPES
    text = f"{shown}, {rest} more types" if rest > 1 else f"{shown}, 1 more type" if rest == 1 else shown
    return counter.total(), text, counts


def merge_arrows(picture: Picture, home: Mapping[str, str]) -> tuple[Arrow, ...]:
    """The arrows between the boxes that `home` names, where `home` maps each old box id to the box that shows it."""
    merged: list[Arrow] = []
    bundles: dict[tuple[str, str, ArrowKind], list[tuple[int, Arrow]]] = {}
    for index, arrow in enumerate(sorted_arrows(picture)):
        source, target = home[arrow.source], home[arrow.target]
        moved = source != arrow.source or target != arrow.target
        if not moved:
            merged.append(arrow)  # x + x keeps its two arrows
        elif source != target:
            bundles.setdefault((source, target, arrow.kind), []).append((index, arrow))
    merged.extend(_merge(*ends, bundle) for ends, bundle in bundles.items())
    return tuple(merged)


def _merge(source: str, target: str, kind: ArrowKind, bundle: Sequence[tuple[int, Arrow]]) -> Arrow:
    tensors: set[str] = set()
    for index, arrow in bundle:
        # An arrow that names no tensor counts as one of its own.
        tensors.update(arrow.tensors or (f"{arrow.source}>{arrow.target}#{index}",))
    labels = {arrow.label for _, arrow in bundle}
    if kind == "control":
        label = ""
    elif len(tensors) == 1 and len(labels) == 1:
        label = labels.pop()
    else:
        label = f"{len(tensors)} tensor{'s' if len(tensors) != 1 else ''}"
    return Arrow(source, target, label, kind, tuple(sorted(tensors)))
