"""Crossing reduction: the order of the nodes within each layer.

Barycentre sweeps: each node goes to the mean position of its neighbours in the layer before (downwards), then in the
layer after (upwards), and the best order seen is kept. Sweeps only improve what they are given, so two starting orders
are tried: a depth-first walk from above and one from below. At the end neighbours swap places where that helps.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

_SWEEPS = 8
_SWAP_ROUNDS = 4
_SWAP_EDGES = 3000  # above this many edges swapping costs more than it gives


@dataclass(frozen=True, slots=True)
class LayerLink:
    """A line between neighbouring layers; a pin is the position along the side of its node, from 0 to 1."""

    upper: int
    lower: int
    upper_pin: float = 0.5
    lower_pin: float = 0.5


@dataclass(slots=True)
class Layered:
    """Nodes by layer with the links between neighbouring layers; a pinned node stays first."""

    layers: list[list[int]]
    links: list[LayerLink]
    pinned: int | None = None
    fixed_first: bool = False  # the first layer stays as it is given
    above: list[list[tuple[int, float, float]]] = field(init=False)  # (neighbour, its pin, own pin)
    below: list[list[tuple[int, float, float]]] = field(init=False)

    def __post_init__(self) -> None:
        count = sum(len(layer) for layer in self.layers)
        self.above = [[] for _ in range(count)]
        self.below = [[] for _ in range(count)]
        for link in self.links:
            self.above[link.lower].append((link.upper, link.upper_pin, link.lower_pin))
            self.below[link.upper].append((link.lower, link.lower_pin, link.upper_pin))


def order_layers(graph: Layered) -> list[list[int]]:
    """The layers of `graph`, each in an order with few crossings; it depends on node numbers alone."""
    best: list[list[int]] = graph.layers
    fewest: int | None = None
    for start in (_walk(graph, downwards=True), _walk(graph, downwards=False)):
        order, crossings = _sweep(graph, start)
        if fewest is None or crossings < fewest:
            best, fewest = order, crossings
        if not fewest:
            return best
    if len(graph.links) <= _SWAP_EDGES:
        _swap_neighbours(graph, best)
    return best


def count_crossings(graph: Layered, layers: Sequence[Sequence[int]]) -> int:
    """How many pairs of links cross when the layers stand in this order."""
    total = 0
    place = _places(layers)
    for layer in layers[:-1]:
        ends = sorted(
            (place[node] + own, place[lower] + pin) for node in layer for lower, pin, own in graph.below[node]
        )
        seen: list[float] = []
        for _, lower in ends:
            total += len(seen) - bisect_right(seen, lower)
            insort(seen, lower)
    return total


def _walk(graph: Layered, downwards: bool) -> list[list[int]]:
    """The layers in the order in which a depth-first walk visits the nodes: trees have no crossings."""
    layer_of = {node: number for number, layer in enumerate(graph.layers) for node in layer}
    met: list[list[int]] = [[] for _ in graph.layers]
    seen: set[int] = set()
    onward = graph.below if downwards else graph.above
    for layer in graph.layers if downwards else reversed(graph.layers):
        for root in layer:
            waiting = [root]
            while waiting:
                node = waiting.pop()
                if node in seen:
                    continue
                seen.add(node)
                met[layer_of[node]].append(node)
                following = sorted(onward[node], key=lambda item: (item[2], item[0]), reverse=True)
                waiting.extend(neighbour for neighbour, _, _ in following)
    _pin(graph, met)
    return met


def _sweep(graph: Layered, layers: list[list[int]]) -> tuple[list[list[int]], int]:
    best = [list(layer) for layer in layers]
    fewest = count_crossings(graph, best)
    layers = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        neighbours = graph.above if down else graph.below
        place = _places(layers)
        numbers = range(1, len(layers)) if down else range(len(layers) - 2, -1, -1)
        for number in numbers:
            if graph.fixed_first and not number:
                continue
            layers[number] = _by_barycentre(layers[number], neighbours, place)
            for position, node in enumerate(layers[number]):
                place[node] = position
        _pin(graph, layers)
        crossings = count_crossings(graph, layers)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best, fewest


def _by_barycentre(
    layer: list[int], neighbours: list[list[tuple[int, float, float]]], place: Sequence[int]
) -> list[int]:
    def desired(node: int) -> float:
        near = neighbours[node]
        if not near:
            return float(place[node])
        return sum(place[other] + pin for other, pin, _ in near) / len(near) - 0.5

    return sorted(layer, key=desired)


def _swap_neighbours(graph: Layered, layers: list[list[int]]) -> None:
    place = _places(layers)
    for _ in range(_SWAP_ROUNDS):
        improved = False
        for layer in layers[1:] if graph.fixed_first else layers:
            for left in range(len(layer) - 1):
                a, b = layer[left], layer[left + 1]
                if graph.pinned in (a, b) or _gain(graph, place, a, b) <= 0:
                    continue
                layer[left], layer[left + 1] = b, a
                place[a], place[b] = left + 1, left
                improved = True
        if not improved:
            return


def _gain(graph: Layered, place: Sequence[int], a: int, b: int) -> int:
    """The crossings saved by putting b before a, for neighbours a and b."""
    gain = 0
    for neighbours in (graph.above, graph.below):
        left = [place[node] + pin for node, pin, _ in neighbours[a]]
        right = [place[node] + pin for node, pin, _ in neighbours[b]]
        gain += sum((x > y) - (x < y) for x in left for y in right)
    return gain


def _places(layers: Sequence[Sequence[int]]) -> list[int]:
    place = [0] * sum(len(layer) for layer in layers)
    for layer in layers:
        for position, node in enumerate(layer):
            place[node] = position
    return place


def _pin(graph: Layered, layers: list[list[int]]) -> None:
    if graph.fixed_first:
        layers[0] = list(graph.layers[0])
    if graph.pinned is None:
        return
    for layer in layers:
        if graph.pinned in layer:
            layer.remove(graph.pinned)
            layer.insert(0, graph.pinned)
