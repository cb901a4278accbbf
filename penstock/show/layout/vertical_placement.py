"""Vertical placement: the y of every node and of every slanted piece of a line, once all x are fixed.

Each box, each bend and each group of slanted pieces is an object with a range of x and a height. Objects are taken
layer by layer; an object lies below those that share some x with it and were taken before. So a box can rise beside a
tall neighbour of an earlier layer, and lines still cross no box:

    layer 0    [ box ]   [ tall ]        the second box of the left chain stands beside the tall one,
    gap 0         |      [ scope]        not below it
    layer 1    [ box ]   [      ]

Slanted pieces of one gap that share some x form one group and slant at the same height: the order of lines is kept.
Afterwards nodes that nothing above holds, such as constants, come down to their consumers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

_MIN_GAP = 24.0
_MAX_GAP = 64.0
_PLAIN_GAP = 14.0  # between boxes without a line, and above a bend, where no arrow head ends
_SIDE = 8.0  # boxes of different layers that stand side by side keep this distance
_LINE = 4.0
_ALIGNED_SHARE = 0.25  # of the height of a tall box
_ALIGNED = 40.5  # boxes of one layer whose tops differ by less stand at one height
_STRAIGHT = 1.0
_NOISE = 0.01  # less is a difference of rounding


@dataclass(frozen=True, slots=True)
class Wire:
    """A line between two neighbouring layers, with the x of its ends."""

    upper: int
    lower: int
    start: float
    stop: float


@dataclass(frozen=True, slots=True)
class Footprint:
    """A node with its range of x and its height; `solid` marks boxes and titles, `port` a line at the border."""

    left: float
    right: float
    height: float = 0.0
    solid: bool = False
    port: bool = False


@dataclass(slots=True)
class Rows:
    """The tops of the nodes, the y at which each wire begins and ends to slant, and the height of the whole."""

    tops: list[float]
    slants: list[tuple[float, float]]
    height: float


@dataclass(slots=True)
class _Skyline:
    """The lowest object over each x: object `owners[n]` from `starts[n]` to the next start, -1 for none."""

    starts: list[float] = field(default_factory=lambda: [float("-inf")])
    owners: list[int] = field(default_factory=lambda: [-1])

    def under(self, left: float, right: float) -> set[int]:
        """The objects that a new one over this range lies below."""
        left, right = left + _NOISE, right - _NOISE
        first = bisect_left(self.starts, left)
        if first == len(self.starts) or self.starts[first] > left:
            first -= 1
        return {owner for owner in self.owners[first : bisect_left(self.starts, right)] if owner >= 0}

    def cover(self, left: float, right: float, owner: int) -> None:
        """Put an object over the range."""
        first, last = bisect_left(self.starts, left), bisect_left(self.starts, right)
        resumed = self.owners[last - 1]
        ends_here = last < len(self.starts) and self.starts[last] == right
        self.starts[first:last] = [left] if ends_here else [left, right]
        self.owners[first:last] = [owner] if ends_here else [owner, resumed]


@dataclass(slots=True)
class _Object:
    """A node or a group of slanted pieces; `above` are the objects that it lies below, with their distances."""

    height: float
    above: list[tuple[int, float]]
    top: float = 0.0
    late: bool = False

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.top + self.height


def stack(layers: Sequence[Sequence[int]], bodies: Sequence[Footprint], wires: Sequence[Wire]) -> Rows:
    """The rows of a layered drawing."""
    drawing = _Stack(bodies, wires)
    layer_of = {node: number for number, layer in enumerate(layers) for node in layer}
    gaps: list[list[int]] = [[] for _ in layers]
    for number, wire in enumerate(wires):
        gaps[layer_of[wire.upper]].append(number)
    for number, layer in enumerate(layers):
        drawing.add_layer(layer, number)
        for group in _groups(gaps[number], wires):
            drawing.add_group(group)
    drawing.lower_late_ones()
    return drawing.rows()


def _groups(gap: Sequence[int], wires: Sequence[Wire]) -> list[list[int]]:
    """The wires of one gap by shared x."""
    groups: list[list[int]] = []
    reach = float("-inf")
    for number in sorted(gap, key=lambda number: (min(wires[number].start, wires[number].stop), number)):
        wire = wires[number]
        if min(wire.start, wire.stop) - _LINE >= reach - _NOISE:
            groups.append([])
        groups[-1].append(number)
        reach = max(reach, wire.start + _LINE, wire.stop + _LINE)
    return groups


class _Stack:
    def __init__(self, bodies: Sequence[Footprint], wires: Sequence[Wire]) -> None:
        self._bodies, self._wires = bodies, wires
        self._objects: list[_Object] = []
        self._node = [0] * len(bodies)  # the object of each node
        self._group = [0] * len(wires)
        self._skyline = _Skyline()
        self._fed: list[list[int]] = [[] for _ in bodies]
        self._ports_below = any(bodies[wire.lower].port for wire in wires)
        self._is_node: list[bool] = []
        self._floor = 0.0  # boxes keep a distance from the border with its ports and title
        for wire in wires:
            self._fed[wire.lower].append(wire.upper)
        self._feeds = {wire.upper for wire in wires}

    def add_layer(self, layer: Sequence[int], number: int) -> None:
        """Place the nodes of a layer; boxes at almost one height are put at one height."""
        if not number and any(self._bodies[node].port for node in layer):
            self._floor = max(self._bodies[node].height for node in layer) + _PLAIN_GAP
        for node in layer:
            body = self._bodies[node]
            side = _SIDE if body.solid else 0.0
            above = [
                (other, _PLAIN_GAP if body.solid and self._is_node[other] else 0.0)
                for other in sorted(self._skyline.under(body.left - side, body.right + side))
            ]
            self._node[node] = self._add(body.height, above, True, self._floor if body.solid and number else 0.0)
            fed = self._fed[node]
            self._objects[-1].late = bool(number and fed == [] and body.solid and not body.port) or (
                bool(fed) and all(self._objects[self._node[upper]].late for upper in fed)
            )
        for node in layer:
            body = self._bodies[node]
            self._skyline.cover(body.left, body.right, self._node[node])
        self._align([self._objects[self._node[node]] for node in layer if self._bodies[node].solid])

    def _align(self, row: Sequence[_Object]) -> None:
        top = float("inf")
        for each in sorted(row, key=lambda each: -each.top):
            if top - each.top > max(_ALIGNED, _ALIGNED_SHARE * each.height):
                top = each.top
            each.top = top

    def add_group(self, group: Sequence[int]) -> None:
        """Place the slanted pieces of some wires of one gap."""
        wires = [self._wires[number] for number in group]
        sideways = [abs(wire.start - wire.stop) for wire in wires]
        slanted = sum(by > _STRAIGHT for by in sideways)
        boxes = any(self._bodies[wire.lower].solid for wire in wires)
        ports = all(self._bodies[wire.upper].port for wire in wires)
        least = _MIN_GAP if boxes and not ports else _PLAIN_GAP if boxes or slanted else 0.0
        height = min(least + 0.06 * max(sideways) + 1.5 * slanted, _MAX_GAP) if slanted else least
        left = min(min(wire.start, wire.stop) for wire in wires) - _LINE
        right = max(max(wire.start, wire.stop) for wire in wires) + _LINE
        above = [(other, 0.0) for other in sorted(self._skyline.under(left, right))]
        made = self._add(height, above, False)
        self._objects[made].late = all(self._objects[self._node[wire.upper]].late for wire in wires)
        self._skyline.cover(left, right, made)
        for number in group:
            self._group[number] = made

    def _add(self, height: float, above: list[tuple[int, float]], node: bool, least: float = 0.0) -> int:
        top = max([least, *(self._objects[other].bottom + gap for other, gap in above)])
        self._objects.append(_Object(height, above, top))
        self._is_node.append(node)
        return len(self._objects) - 1

    def lower_late_ones(self) -> None:
        """Move nodes that nothing above holds, with their lines, down to what they feed."""
        room = [float("inf")] * len(self._objects)
        first = {self._node[node] for node in self._feeds if self._bodies[node].solid and not self._fed[node]}
        for number in range(len(self._objects) - 1, -1, -1):
            each = self._objects[number]
            if (each.late or number in first) and room[number] != float("inf"):
                each.top = max(each.top, room[number] - each.height)
            for other, gap in each.above:
                room[other] = min(room[other], each.top - gap)

    def rows(self) -> Rows:
        """The result."""
        # Below ports there is only the border, which keeps a distance from the boxes.
        feet = [
            self._objects[number].bottom + (_PLAIN_GAP if body.solid and self._ports_below else 0.0)
            for body, number in zip(self._bodies, self._node, strict=True)
        ]
        height = max([each.bottom for each in self._objects] + feet)
        slants = [(self._objects[group].top, self._objects[group].bottom) for group in self._group]
        return Rows([self._objects[node].top for node in self._node], slants, height)
