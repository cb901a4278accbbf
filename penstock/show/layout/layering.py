"""Layering: the layer of each node, and the cutting of a long flat graph into runs of layers.

`flow_order` orders any directed graph so that few (weighted) edges point backwards. `levels_of` gives each node the
length of the longest path to it. Both depend on node numbers and list order alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ..content.arrow_bundles import contents_of, merge_arrows
from ..content.picture import Box, BoxKind, Picture, sorted_arrows

Item = TypeVar("Item")
Edge = tuple[int, int]
Counts = dict[int, int]
_RUNS = 24


def flow_order(count: int, edges: Iterable[Edge]) -> list[int]:
    """A rank for each node; edges from a higher to a lower rank are those to reverse. Acyclic input has none.

    Sources are taken first, sinks last; in what is left (only cycles) the node with most outgoing over
    incoming edges goes next (Eades, Lin and Smyth's heuristic, 1993).
    """
    after, before = _neighbours(count, edges)
    head, tail = _peel(count, after, before)
    left = sorted(set(range(count)).difference(head, tail))
    head += _order_cycles(left, after, before)
    rank = [0] * count
    for position, node in enumerate([*head, *reversed(tail)]):
        rank[node] = position
    return rank


def _layers(order: Sequence[int], after: Sequence[Counts]) -> list[int]:
    layer = [0] * len(after)
    for node in order:
        below = layer[node] + 1
        for target in after[node]:
            if layer[target] < below:
                layer[target] = below
    return layer


def levels_of(count: int, edges: Sequence[Edge]) -> list[int]:
    """The layer of each node by longest path, with the edges that `flow_order` turns backwards left out.

    A node with more consumers than inputs stands right above its consumers. So the constants of a long chain are not
    all in its first layer, but each beside its consumer.
    """
    after, before = _neighbours(count, edges)
    order, _ = _peel(count, after, before)
    if len(order) < count:
        rank = flow_order(count, edges)
        edges = [edge for edge in edges if rank[edge[0]] < rank[edge[1]]]
        after, before = _neighbours(count, edges)
        order, _ = _peel(count, after, before)
    layer = _layers(order, after)
    _pull_down(layer, after, before)
    return layer


def _pull_down(layer: list[int], after: Sequence[Counts], before: Sequence[Counts]) -> None:
    """Move nodes with more outgoing than incoming edges down to their consumers: shorter edges, same depth."""
    for node in sorted(range(len(layer)), key=lambda node: -layer[node]):
        if after[node] and sum(after[node].values()) > sum(before[node].values()):
            layer[node] = min(layer[target] for target in after[node]) - 1


def picture_levels(picture: Picture) -> dict[str, int]:
    """The level of each box by id: producers above consumers, back edges of cycles ignored."""
    ids = [box.id for box in picture.boxes]
    index = {identity: number for number, identity in enumerate(ids)}
    edges = [(index[arrow.source], index[arrow.target]) for arrow in sorted_arrows(picture)]
    return dict(zip(ids, levels_of(len(ids), edges), strict=True))


def runs_of_levels(picture: Picture, runs: int = _RUNS) -> Picture:
    """The picture with one box for each run of consecutive levels, such as "levels 12-40" with "317 operations".

    Args:
        picture: the picture.
        runs: the most runs, at least 1; they hold about equally many operations.

    Returns:
        A Picture.

    Raises:
        ValueError: `runs` is below 1.

    >>> from penstock.show import Arrow, Box, Picture, runs_of_levels
    >>> picture = Picture("", (Box("a", "a"), Box("b", "b"), Box("c", "c")), (Arrow("a", "b"), Arrow("b", "c")))
    >>> [box.label for box in runs_of_levels(picture, runs=2).boxes]
    ['levels 0-1', 'level 2']
    """
    if not isinstance(runs, int) or runs < 1:
        raise ValueError(f"runs_of_levels(runs={runs!r}): it is a number of runs, at least 1")
    level_of = picture_levels(picture)
    home: dict[str, str] = {}
    boxes: list[Box] = []
    for run in cut_runs([(level_of[box.id], box) for box in picture.boxes], runs):
        inside = [box for _, box in run]
        contents = contents_of(inside)
        detail = (contents.size, contents.types)
        name = f"levels {run[0][0]}-{run[-1][0]}"
        boxes.append(Box(name, run_label(run), BoxKind.LEVELS, detail=detail, contents=contents.counts))
        home.update((box.id, name) for box in inside)
    return replace(picture, boxes=tuple(boxes), arrows=merge_arrows(picture, home, {}), groups=(), legend=())


def cut_runs(items: Iterable[tuple[int, Item]], runs: int, inside_level: bool = False) -> list[list[tuple[int, Item]]]:
    """At most `runs` runs of consecutive levels with about equally many items; `inside_level`: a level may be cut."""
    ordered = sorted(items, key=lambda item: item[0])  # stable: the order within a level stays
    target = len(ordered) / runs
    found: list[list[tuple[int, Item]]] = [[]]
    for item in ordered:
        if len(found[-1]) >= target and (inside_level or item[0] != found[-1][-1][0]):
            found.append([])
        found[-1].append(item)
    return found


def run_label(run: Sequence[tuple[int, object]]) -> str:
    """The label of a run: "level 3" or "levels 12-40"."""
    first, last = run[0][0], run[-1][0]
    return f"level {first}" if first == last else f"levels {first}-{last}"


def _neighbours(count: int, edges: Iterable[Edge]) -> tuple[list[Counts], list[Counts]]:
    after: list[Counts] = [{} for _ in range(count)]
    before: list[Counts] = [{} for _ in range(count)]
    for source, target in edges:
        if source != target:
            ahead, behind = after[source], before[target]
            ahead[target] = ahead.get(target, 0) + 1
            behind[source] = behind.get(source, 0) + 1
    return after, before


def _peel(count: int, after: list[Counts], before: list[Counts]) -> tuple[list[int], list[int]]:
    """The nodes taken by removing sources repeatedly, then the nodes of the rest taken by removing sinks."""
    waiting = [len(sources) for sources in before]
    head = [node for node in range(count) if not waiting[node]]
    for node in head:  # the list grows while it is read
        for target in sorted(after[node]):
            waiting[target] -= 1
            if not waiting[target]:
                head.append(target)
    taken = set(head)
    open_ends = [len(targets) for targets in after]
    tail = [node for node in range(count) if not open_ends[node] and node not in taken]
    for node in tail:
        for source in sorted(before[node]):
            open_ends[source] -= 1
            if not open_ends[source] and source not in taken:
                tail.append(source)
    return head, tail


def _order_cycles(left: list[int], after: list[Counts], before: list[Counts]) -> list[int]:
    remaining = set(left)
    surplus = {
        node: sum(n for t, n in after[node].items() if t in remaining)
        - sum(n for s, n in before[node].items() if s in remaining)
        for node in left
    }
    order: list[int] = []
    while remaining:
        node = min(remaining, key=lambda node: (-surplus[node], node))
        remaining.discard(node)
        order.append(node)
        for target, number in after[node].items():
            if target in remaining:
                surplus[target] += number
        for source, number in before[node].items():
            if source in remaining:
                surplus[source] -= number
    return order
