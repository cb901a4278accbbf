"""The nodes of one layered drawing: members, ports of the scope's border, and the bends of long lines.

Members stand in layers by longest path, ports in the first and last layer. A line has a bend (dummy node) in every
layer that it passes. Nets share bends, so a fan-out is one trunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .connection_points import Cell
from .crossing_reduction import Layered, LayerLink
from .edge_routing import BORDER, Member, Net, Stream
from .layering import levels_of

Hints = Mapping[Stream, float]
NO_HINTS: Hints = {}
_TALL = 150.0  # scopes above this height are kept from standing below each other
_NEAR = 3


@dataclass(frozen=True, slots=True)
class LayerWire:
    """A piece of a net between neighbouring layers."""

    upper: int
    lower: int
    stream: Stream


@dataclass(slots=True)
class LayerNodes:
    """The nodes of the layered graph by number: the title, members, ports and bends."""

    layer: list[int] = field(default_factory=list)
    cell: list[Cell | None] = field(default_factory=list)
    wires: list[LayerWire] = field(default_factory=list)
    member: dict[Member, int] = field(default_factory=dict)
    port: dict[Stream, int] = field(default_factory=dict)
    bend: dict[tuple[Stream, int], int] = field(default_factory=dict)
    trunks: list[list[int]] = field(default_factory=list)
    shared: set[Stream] = field(default_factory=set)  # those with several ends
    title: int | None = None
    border_row: bool = False  # the first layer holds the title and ports, and no members

    def add(self, layer: int, cell: Cell | None = None) -> int:
        """A new node in that layer."""
        self.layer.append(layer)
        self.cell.append(cell)
        return len(self.layer) - 1

    def of(self, stream: Stream, member: Member) -> int:
        """The node of a member, or of the stream's port if the member is the border."""
        return self.port[stream] if member is BORDER else self.member[member]

    def add_lines(self, net: Net) -> None:
        """One trunk of bends from the hub to the farthest end; each end hangs on it one layer before."""
        stream = net.stream
        if len(net.ends) > 1:
            self.shared.add(stream)
        step = 1 if stream.down else -1
        trunk = [self.of(stream, net.hub)]
        for end in sorted((self.of(stream, end) for end in net.ends), key=lambda node: self.layer[node] * step):
            while self.layer[trunk[-1]] + step != self.layer[end] and self.layer[trunk[-1]] != self.layer[end]:
                layer = self.layer[trunk[-1]] + step
                bend = self.bend[stream, layer] = self.add(layer)
                self._wire(trunk[-1], bend, stream)
                trunk.append(bend)
            self._wire(trunk[-1], end, stream)
        # A port is a bend too: it may move along the border to keep its line straight.
        line = trunk if net.hub is BORDER else trunk[1:]
        if BORDER in net.ends:
            line = [*line, self.port[stream]]
        if line:
            self.trunks.append(line[::step])

    def _wire(self, one: int, other: int, stream: Stream) -> None:
        upper, lower = (one, other) if stream.down else (other, one)
        self.wires.append(LayerWire(upper, lower, stream))

    def layers(self, hints: Hints) -> Layered:
        """The layered graph. With hints its first layer (the title, then ports) is sorted by where lines come from."""
        layers: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        for node, layer in enumerate(self.layer):
            layers[layer].append(node)
        fixed = bool(hints) and self.border_row
        if fixed:
            rank = {node: hints.get(stream, 0.0) for stream, node in self.port.items()}
            layers[0].sort(key=lambda node: rank.get(node, float("-inf")))
        links = [LayerLink(w.upper, w.lower, self.fraction(w.upper, w), self.fraction(w.lower, w)) for w in self.wires]
        return Layered(layers, links, self.title, fixed)

    def fraction(self, node: int, wire: LayerWire) -> float:
        """The position along the side of the node at which the wire touches it, from 0 to 1."""
        cell = self.cell[node]
        if cell is None or cell.ports is None:
            return 0.5
        return min(max(cell.ports[wire.stream] / cell.width, 0.01), 0.99)

    def beside(self) -> set[LayerWire]:
        """The wires that hardly pull at their ends.

        They are the wires between a box and a bend of a line with several ends, and the wires from a node that feeds
        only this box, such as a constant, if the box has a larger input too.
        """
        above, below = [0] * len(self.layer), [0] * len(self.layer)
        hanging = set()
        for wire in self.wires:
            above[wire.lower] += 1
            below[wire.upper] += 1
            if wire.stream in self.shared and (self.cell[wire.upper] is None) != (self.cell[wire.lower] is None):
                hanging.add(wire)
        leaves = {
            wire
            for wire in self.wires
            if self.cell[wire.upper] is not None and not above[wire.upper] and below[wire.upper] == 1
        }
        larger = {wire.lower for wire in self.wires if wire not in hanging and wire not in leaves}
        return hanging | {wire for wire in leaves if wire.lower in larger}


def cell_levels(cells: Sequence[Cell], nets: Sequence[Net]) -> list[int]:
    """The layer of each member by longest path; tall members that do not need each other stand side by side."""
    edges = member_edges([cell.member for cell in cells], nets)
    levels = levels_of(len(cells), edges)
    tall = [number for number, cell in enumerate(cells) if cell.ports is not None and cell.height > _TALL]
    return _side_by_side(levels, edges, tall) if len(tall) > 1 else levels


def _side_by_side(levels: list[int], edges: Sequence[tuple[int, int]], tall: Sequence[int]) -> list[int]:
    """The levels with tall members lowered to others a few levels below, and what follows them lowered too.

    Otherwise a tall member whose input is one operation later than that of its neighbour stands below the neighbour.
    """
    below: dict[int, list[int]] = {}
    for source, target in edges:
        if levels[source] < levels[target]:
            below.setdefault(source, []).append(target)
    reached = {number: _reached(number, below) for number in tall}
    found = list(levels)
    for a in tall:
        for b in tall:
            if 0 < levels[b] - levels[a] <= _NEAR and b not in reached[a]:
                found[a] = max(found[a], levels[b])
    for source in sorted(range(len(levels)), key=lambda number: levels[number]):
        for target in below.get(source, ()):
            found[target] = max(found[target], found[source] + 1)
    numbers = {level: number for number, level in enumerate(sorted(set(found)))}  # no level is left empty
    return [numbers[level] for level in found]


def _reached(start: int, below: Mapping[int, list[int]]) -> set[int]:
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        for target in below.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def build_nodes(cells: Sequence[Cell], nets: Sequence[Net], titled: bool) -> LayerNodes:
    """The nodes of a drawing of `cells`; with `titled` a title stands at the upper left."""
    nodes = LayerNodes()
    layers = cell_levels(cells, nets)
    # Lines from above begin in a layer of their own.
    nodes.border_row = titled or any(enters_above(net) for net in nets)
    first = int(nodes.border_row)
    last = max(layers, default=-1) + first + 1
    if titled:
        nodes.title = nodes.add(0)
    for cell, layer in zip(cells, layers, strict=True):
        nodes.member[cell.member] = nodes.add(layer + first, cell)
    for net in nets:
        if net.hub is BORDER:
            nodes.port[net.stream] = nodes.add(0 if net.stream.down else last)
        elif BORDER in net.ends:
            nodes.port[net.stream] = nodes.add(last if net.stream.down else 0)
    for net in nets:
        nodes.add_lines(net)
    return nodes


def member_edges(members: Sequence[Member], nets: Iterable[Net]) -> list[tuple[int, int]]:
    """The edges between members by their numbers, downwards."""
    index = {member: number for number, member in enumerate(members)}
    return [
        (index[net.hub], index[end]) if net.stream.down else (index[end], index[net.hub])
        for net in nets
        if net.hub is not BORDER
        for end in net.ends
        if end is not BORDER
    ]


def enters_above(net: Net) -> bool:
    """Whether the net has a port on the upper border."""
    return (net.hub is BORDER and net.stream.down) or (BORDER in net.ends and not net.stream.down)


def leaves_below(net: Net) -> bool:
    """Whether the net has a port on the lower border."""
    return (net.hub is BORDER and not net.stream.down) or (BORDER in net.ends and net.stream.down)
