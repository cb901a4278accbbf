"""The critical path of a graph: the chain of operations of which the costs add up to the most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def longest_path(weights: Mapping[str, float], edges: Iterable[tuple[str, str]]) -> list[str]:
    """The heaviest chain of a graph without cycles: names along edges, of which the weights add up to the most.

    The names must be in topological order: an edge leads to a later name. One pass over them is then enough.

    >>> longest_path({"a": 1, "b": 5, "c": 2, "d": 1}, [("a", "b"), ("a", "c"), ("c", "d"), ("b", "d")])
    ['a', 'b', 'd']
    """
    sources: dict[str, list[str]] = {name: [] for name in weights}
    for source, target in edges:
        sources[target].append(source)
    heaviest: dict[str, float] = {}  # the weight of the heaviest chain that ends at a name
    before: dict[str, str | None] = {}
    for name, weight in weights.items():
        before[name] = max(sources[name], key=heaviest.__getitem__, default=None)
        last = before[name]
        heaviest[name] = weight + (heaviest[last] if last is not None else 0)
    path: list[str] = []
    at = max(heaviest, key=heaviest.__getitem__, default=None)
    while at is not None:
        path.append(at)
        at = before[at]
    return path[::-1]
