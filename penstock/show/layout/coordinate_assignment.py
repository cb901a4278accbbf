"""Coordinate assignment: the x of every node, once the order within the layers is fixed.

Every node should stand in line with its neighbours above and below. In one layer, desired positions d_i with weights
and the minimum distances between neighbours make the least-squares problem

    minimise sum weight_i (x_i - d_i)^2   subject to   x_(i+1) - x_i >= gap_i

which pooling of adjacent violators solves exactly, so boxes cannot overlap. Layers take turns. Lines through several
layers weigh more. At the end each long line is made exactly vertical as far as its surroundings allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

_ROUNDS = 10
_FAINT = 1e-3  # a node without neighbours keeps its place unless pushed
_BESIDE = 1e-3  # weight of a joint that hardly pulls
_SNAP = 12.0  # a kink smaller than this looks like a mistake


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a node reaches to the left and right of its x; `line` marks a bend of a long line."""

    left: float
    right: float
    line: bool = False


@dataclass(frozen=True, slots=True)
class Joint:
    """A link with the offsets of its two ends from their nodes' x; `beside`: a joint that hardly pulls."""

    upper: int
    lower: int
    upper_offset: float
    lower_offset: float
    beside: bool = False


@dataclass(slots=True)
class Placing:
    """The nodes of one layered drawing, in order within their layers, and their x as it is found."""

    layers: Sequence[Sequence[int]]
    extents: Sequence[Extent]
    joints: Sequence[Joint]
    trunks: Sequence[Sequence[int]] = ()  # the bends of each long line from top to bottom
    pinned: int | None = None
    x: list[float] = field(init=False)
    above: list[list[tuple[int, float, float]]] = field(init=False)  # (neighbour, x difference, weight)
    below: list[list[tuple[int, float, float]]] = field(init=False)
    gaps: list[list[float]] = field(init=False)
    seats: list[tuple[int, int]] = field(init=False)  # (layer, position in it)

    def __post_init__(self) -> None:
        self.x = [0.0] * len(self.extents)
        self.above = [[] for _ in self.extents]
        self.below = [[] for _ in self.extents]
        for joint in self.joints:
            lines = self.extents[joint.upper].line + self.extents[joint.lower].line
            weight = _BESIDE if joint.beside else (1.0, 2.0, 8.0)[lines]
            difference = joint.upper_offset - joint.lower_offset
            self.above[joint.lower].append((joint.upper, difference, weight))
            self.below[joint.upper].append((joint.lower, -difference, weight))
        self.gaps = [[self._gap(a, b) for a, b in itertools.pairwise(layer)] for layer in self.layers]

        self.seats = [(0, 0)] * len(self.extents)
        for number, layer in enumerate(self.layers):
            for position, node in enumerate(layer):
                self.seats[node] = (number, position)

    def _gap(self, a: int, b: int) -> float:
        one, other = self.extents[a], self.extents[b]
        air = 12.0 if one.line or other.line else 18.0
        return one.right + air + other.left


def place(placing: Placing) -> list[float]:
    """The x of every node; neighbours in a layer never overlap."""
    _pack(placing)
    for turn in range(_ROUNDS):
        both = turn >= _ROUNDS - 4
        _pass(placing, down=turn % 2 == 0, both=both)
    for trunk in placing.trunks:
        _straighten(placing, trunk)
    _snap(placing)
    _seat_pinned(placing)
    return placing.x


def solve_layer(desired: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The positions nearest to `desired` in weighted least squares that keep the distances `gaps`.

    >>> solve_layer([0.0, 0.0], [1.0, 1.0], [10.0])
    [-5.0, 5.0]
    """
    shift = [0.0]
    for gap in gaps:
        shift.append(shift[-1] + gap)
    blocks: list[tuple[float, float, int]] = []  # (weighted sum, weight, size)
    for value, weight, offset in zip(desired, weights, shift, strict=False):
        total, mass, size = (value - offset) * weight, weight, 1
        while blocks and blocks[-1][0] * mass > total * blocks[-1][1]:
            earlier = blocks.pop()
            total, mass, size = total + earlier[0], mass + earlier[1], size + earlier[2]
        blocks.append((total, mass, size))
    solved = [total / mass for total, mass, size in blocks for _ in range(size)]
    return [value + offset for value, offset in zip(solved, shift, strict=False)]


def _pack(placing: Placing) -> None:
    for layer, gaps in zip(placing.layers, placing.gaps, strict=True):
        at = -sum(gaps) / 2
        for node, gap in zip(layer, [*gaps, 0.0], strict=True):
            placing.x[node] = at
            at += gap


def _pass(placing: Placing, down: bool, both: bool) -> None:
    numbers = range(len(placing.layers)) if down else range(len(placing.layers) - 1, -1, -1)
    _seat_pinned(placing)
    for number in numbers:
        desired: list[float] = []
        weights: list[float] = []
        for node in placing.layers[number]:
            near = placing.above[node] if down else placing.below[node]
            if both or not near:
                near = [*placing.above[node], *placing.below[node]]
            mass = sum(weight for _, _, weight in near)
            total = sum((placing.x[other] + by) * weight for other, by, weight in near)
            desired.append(total / mass if mass else placing.x[node])
            weights.append(mass or _FAINT)
        solved = solve_layer(desired, weights, placing.gaps[number])
        for node, x in zip(placing.layers[number], solved, strict=True):
            placing.x[node] = x


def _room(placing: Placing, seat: tuple[int, int]) -> tuple[float, float]:
    """The range of x in which the node on this seat does not touch its neighbours."""
    number, position = seat
    layer, gaps = placing.layers[number], placing.gaps[number]
    low = placing.x[layer[position - 1]] + gaps[position - 1] if position else float("-inf")
    high = placing.x[layer[position + 1]] - gaps[position] if position + 1 < len(layer) else float("inf")
    return low, high


def _straighten(placing: Placing, trunk: Sequence[int]) -> None:
    seats = [placing.seats[node] for node in trunk]
    start = 0
    while start < len(trunk):
        low, high = _room(placing, seats[start])
        stop = start + 1
        while stop < len(trunk):
            next_low, next_high = _room(placing, seats[stop])
            if max(low, next_low) > min(high, next_high):
                break
            low, high = max(low, next_low), min(high, next_high)
            stop += 1
        target = _desired_by_trunk(placing, trunk, start, stop)
        for node in trunk[start:stop]:
            placing.x[node] = min(max(target, low), high)
        start = stop


def _desired_by_trunk(placing: Placing, trunk: Sequence[int], start: int, stop: int) -> float:
    """The x of the piece of a line: in line with its only neighbour at an end, else its mean."""
    first, last = trunk[start], trunk[stop - 1]
    if stop == len(trunk) and len(placing.below[last]) == 1:
        other, by, _ = placing.below[last][0]
        return placing.x[other] + by
    if start == 0 and len(placing.above[first]) == 1:
        other, by, _ = placing.above[first][0]
        return placing.x[other] + by
    return sum(placing.x[node] for node in trunk[start:stop]) / (stop - start)


def _snap(placing: Placing) -> None:
    """Move boxes by a little where that makes the line from above exactly vertical."""
    for layer in placing.layers:
        for node in layer:
            if placing.extents[node].line or not placing.above[node]:
                continue
            moves = [placing.x[other] + by - placing.x[node] for other, by, _ in placing.above[node]]
            move = min(moves, key=lambda by: (abs(by), by))
            low, high = _room(placing, placing.seats[node])
            if abs(move) < _SNAP and low <= placing.x[node] + move <= high:
                placing.x[node] += move


def _seat_pinned(placing: Placing) -> None:
    """The pinned node (a scope's title) stands at the left edge of all others where its layer allows."""
    node = placing.pinned
    if node is None or len(placing.x) == 1:
        return
    others = (placing.x[n] - placing.extents[n].left for n in range(len(placing.x)) if n != node)
    target = min(others) + placing.extents[node].left
    _, high = _room(placing, placing.seats[node])
    placing.x[node] = min(target, high)
