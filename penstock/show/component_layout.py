"""Layered drawing of one connected part of one scope.

    nodes   members in layers by longest path; ports of the scope's border in the first and last layer
    lines   a bend (dummy node) in every layer that a net passes; nets share bends, so a fan-out is one trunk
    order   `crossing_reduction.order_layers`: few crossings
    x       `coordinate_assignment.place`: no overlaps
    y       layers below each other, with more room where lines run far sideways

Within the band of a layer a line runs vertically in a place of its own. It slants only in the gaps between bands, so it
crosses no box. Constants beside a chain, and lines that serve many boxes, hardly pull at the boxes they feed: a chain
of operations is drawn straight down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from .connection_points import Cell, Pins, pins_of
from .coordinate_assignment import Extent, Joint, Placing, place
from .crossing_reduction import Layered, LayerLink, count_crossings, order_layers
from .edge_routing import BORDER, Member, Net, Stream
from .geometry import Point
from .layering import levels_of

Hints = Mapping[Stream, float]
NO_HINTS: Hints = {}

_LINE = Extent(4.0, 4.0, line=True)
_MIN_GAP = 26.0
_MAX_GAP = 84.0
_BORDER_GAP = 14.0
_BOTTOM_BAND = 4.0


@dataclass(frozen=True, slots=True)
class Title:
    """The room that a scope's label needs at its upper left; lines into the scope keep out of it."""

    width: float
    height: float


@dataclass(slots=True)
class Drawing:
    """A finished part: where its members stand (upper left corners) and where its lines run."""

    width: float = 0.0
    height: float = 0.0
    origins: dict[Member, Point] = field(default_factory=dict)
    routes: dict[tuple[Stream, Member], list[Point]] = field(default_factory=dict)
    ports: dict[Stream, float] = field(default_factory=dict)
    widths: dict[Member, float] = field(default_factory=dict)
    padding: float = 0.0
    crossings: int = 0


@dataclass(frozen=True, slots=True)
class _Wire:
    """A piece of a net between neighbouring layers."""

    upper: int
    lower: int
    stream: Stream


@dataclass(slots=True)
class _Nodes:
    """The nodes of the layered graph by number: the title, members, ports and bends."""

    layer: list[int] = field(default_factory=list)
    cell: list[Cell | None] = field(default_factory=list)
    wires: list[_Wire] = field(default_factory=list)
    member: dict[Member, int] = field(default_factory=dict)
    port: dict[Stream, int] = field(default_factory=dict)
    bend: dict[tuple[Stream, int], int] = field(default_factory=dict)
    trunks: list[list[int]] = field(default_factory=list)
    shared: set[Stream] = field(default_factory=set)  # those with several ends
    title: int | None = None

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
        self.wires.append(_Wire(upper, lower, stream))

    def layers(self, hints: Hints) -> Layered:
        """The layered graph. With hints its first layer (the title, then ports) is sorted by where lines come from."""
        layers: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        for node, layer in enumerate(self.layer):
            layers[layer].append(node)
        fixed = self.title is not None and bool(hints)
        if fixed:
            rank = {node: hints.get(stream, 0.0) for stream, node in self.port.items()}
            layers[0].sort(key=lambda node: rank.get(node, float("-inf")))
        links = [LayerLink(w.upper, w.lower, self.fraction(w.upper, w), self.fraction(w.lower, w)) for w in self.wires]
        return Layered(layers, links, self.title, fixed)

    def fraction(self, node: int, wire: _Wire) -> float:
        """The position along the side of the node at which the wire touches it, from 0 to 1."""
        cell = self.cell[node]
        if cell is None or cell.ports is None:
            return 0.5
        return min(max(cell.ports[wire.stream] / cell.width, 0.01), 0.99)

    def beside(self) -> set[_Wire]:
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


def draw_component(
    cells: Sequence[Cell], nets: Sequence[Net], title: Title | None, hints: Hints = NO_HINTS
) -> Drawing:
    """Lay out the members in `cells` with the nets among them and to the border.

    With `hints`, lines enter through the upper border in the order in which they come from outside.
    """
    nodes = _build(cells, nets, title)
    graph = nodes.layers(hints)
    layers = order_layers(graph)
    if not layers:
        return Drawing()
    return _Placed(nodes, layers, pins_of(cells, nets), title).drawing(nets, count_crossings(graph, layers))


def _build(cells: Sequence[Cell], nets: Sequence[Net], title: Title | None) -> _Nodes:
    nodes = _Nodes()
    index = {cell.member: number for number, cell in enumerate(cells)}
    edges = [
        (index[net.hub], index[end]) if net.stream.down else (index[end], index[net.hub])
        for net in nets
        if net.hub is not BORDER
        for end in net.ends
        if end is not BORDER
    ]
    layers = levels_of(len(cells), edges)
    first = 1 if title is not None else 0
    last = max(layers, default=-1) + first + 1
    if title is not None:
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


class _Placed:
    """The layered graph with coordinates: x of each node, top and bottom of each layer."""

    def __init__(
        self, nodes: _Nodes, layers: Sequence[Sequence[int]], pins: Mapping[Member, Pins], title: Title | None
    ) -> None:
        self._nodes, self._layers, self._pins, self._title = nodes, layers, pins, title
        beside = nodes.beside()
        self._arrange_pins(beside)
        joints = [
            Joint(w.upper, w.lower, self._offset(w.upper, w.stream), self._offset(w.lower, w.stream), w in beside)
            for w in nodes.wires
        ]
        extents = [self._extent(node) for node in range(len(nodes.layer))]
        x = place(Placing(layers, extents, joints, nodes.trunks, nodes.title))
        left = min(at - extent.left for at, extent in zip(x, extents, strict=True))
        self._x = [at - left for at in x]
        self._width = max(at + extent.right for at, extent in zip(self._x, extents, strict=True))
        self._bands = self._find_bands(joints)

    def drawing(self, nets: Sequence[Net], crossings: int) -> Drawing:
        """The finished drawing."""
        nodes, x = self._nodes, self._x
        drawing = Drawing(self._width, self._bands[-1][1], crossings=crossings)
        for member, node in nodes.member.items():
            pins, (top, bottom) = self._pins[member], self._bands[nodes.layer[node]]
            y = top + (bottom - top - pins.cell_height) / 2 + pins.above
            drawing.origins[member] = (x[node] - pins.width / 2, y)
            drawing.widths[member] = pins.width
        drawing.ports = {stream: x[node] for stream, node in nodes.port.items()}
        for net in nets:
            for end in net.ends:
                drawing.routes[net.stream, end] = self._route(net, end, drawing)
        return drawing

    def _arrange_pins(self, beside: Set[_Wire]) -> None:
        """Sort the pins on each side of each box by where their lines go, so that lines do not cross at the box.

        Where one line from above is the main one, its pin is in the middle.
        """
        nodes = self._nodes
        seat = {node: position for layer in self._layers for position, node in enumerate(layer)}
        desired: dict[Member, dict[tuple[bool, Stream], list[float]]] = {}
        main: dict[Member, set[Stream]] = {}
        for wire in nodes.wires:
            for node, other, top in ((wire.upper, wire.lower, False), (wire.lower, wire.upper, True)):
                cell = nodes.cell[node]
                if cell is not None:
                    far = seat[other] + nodes.fraction(other, wire)
                    desired.setdefault(cell.member, {}).setdefault((top, wire.stream), []).append(far)
                    if top and wire not in beside:
                        main.setdefault(cell.member, set()).add(wire.stream)
        for member, places in desired.items():
            mean = {key: sum(found) / len(found) for key, found in places.items()}
            only = main.get(member, set())
            self._pins[member].arrange(mean, next(iter(only)) if len(only) == 1 else None)

    def _offset(self, node: int, stream: Stream) -> float:
        cell = self._nodes.cell[node]
        return 0.0 if cell is None else self._pins[cell.member].offset[stream]

    def _extent(self, node: int) -> Extent:
        if node == self._nodes.title and self._title is not None:
            return Extent(self._title.width / 2, self._title.width / 2)
        cell = self._nodes.cell[node]
        return _LINE if cell is None else Extent(self._pins[cell.member].left, self._pins[cell.member].right)

    def _find_bands(self, joints: Sequence[Joint]) -> list[tuple[float, float]]:
        """Top and bottom of every layer."""
        farthest = [0.0] * len(self._layers)
        lines = [0] * len(self._layers)
        for joint in joints:
            upper, lower = self._x[joint.upper] + joint.upper_offset, self._x[joint.lower] + joint.lower_offset
            start = self._nodes.layer[joint.upper]
            farthest[start] = max(farthest[start], abs(upper - lower))
            lines[start] += abs(upper - lower) > 1
        bands: list[tuple[float, float]] = []
        y = 0.0
        for number, layer in enumerate(self._layers):
            cells = [cell for node in layer if (cell := self._nodes.cell[node]) is not None]
            height = max((self._pins[cell.member].cell_height for cell in cells), default=_BOTTOM_BAND)
            if self._title is not None and number == 0:
                height = self._title.height
            bands.append((y, y + height))
            slack = 0.08 * farthest[number] + 1.5 * lines[number]
            y += height + min(self._least_gap(number) + slack, _MAX_GAP)
        return bands

    def _least_gap(self, number: int) -> float:
        """The least room below a layer: less below the title and above lower ports, where no arrow head ends."""
        if self._nodes.title is not None and number == 0:
            return _BORDER_GAP
        following = self._layers[number + 1] if number + 1 < len(self._layers) else ()
        return _MIN_GAP if any(self._nodes.cell[node] is not None for node in following) else _BORDER_GAP

    def _route(self, net: Net, end: Member, drawing: Drawing) -> list[Point]:
        """The line from the hub to one end, as points."""
        stream, nodes = net.stream, self._nodes
        step = 1 if stream.down else -1
        points = self._touch(net.hub, stream, drawing, leaving=True)
        start, stop = (nodes.layer[nodes.of(stream, member)] for member in (net.hub, end))
        for layer in range(start + step, stop, step):
            across = self._x[nodes.bend[stream, layer]]
            points += [(across, y) for y in sorted(self._bands[layer], reverse=not stream.down)]
        return points + self._touch(end, stream, drawing, leaving=False)

    def _touch(self, member: Member, stream: Stream, drawing: Drawing, leaving: bool) -> list[Point]:
        """Where a line touches its hub or end, and where it passes the edge of that layer's band."""
        node = self._nodes.of(stream, member)
        x, band = self._x[node], self._bands[self._nodes.layer[node]]
        begin, end = band if stream.down else (band[1], band[0])
        if member is BORDER:
            return [(x, begin), (x, end)]
        x += self._pins[member].offset[stream]
        top = drawing.origins[member][1]
        bottom = top + self._pins[member].height
        if leaving:
            return [(x, bottom if stream.down else top), (x, end)]
        return [(x, begin), (x, top if stream.down else bottom)]
