"""Layered drawing of one connected part of one scope.

    nodes   `layered_nodes.build_nodes`: members, ports and bends in layers
    order   `crossing_reduction.order_layers`: few crossings
    x       `coordinate_assignment.place`: no overlaps
    y       `vertical_placement.stack`: each box as high as its lines and neighbours allow

A line runs vertically past boxes and slants only where nothing is in its way, so it crosses no box. Constants beside a
chain, and lines that serve many boxes, hardly pull at the boxes they feed. So a chain of operations is drawn straight
down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from .connection_points import Cell, Pins, pins_of
from .coordinate_assignment import Extent, Joint, Placing, place
from .crossing_reduction import count_crossings, order_layers
from .edge_routing import BORDER, Member, Net, Stream
from .geometry import Point
from .layered_nodes import NO_HINTS, Hints, LayerNodes, LayerWire, build_nodes
from .vertical_placement import Footprint, Wire, stack

_LINE = Extent(4.0, 4.0, line=True)
_PORT_HEIGHT = 4.0


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
    climbs: int = 0
    """How many lines rise from one column to the next."""


def draw_component(
    cells: Sequence[Cell], nets: Sequence[Net], title: Title | None, hints: Hints = NO_HINTS
) -> Drawing:
    """Lay out the members in `cells` with the nets among them and to the border.

    With `hints`, lines enter through the upper border in the order in which they come from outside.
    """
    nodes = build_nodes(cells, nets, title is not None)
    graph = nodes.layers(hints)
    layers = order_layers(graph)
    if not layers:
        return Drawing()
    return _Placed(nodes, layers, pins_of(cells, nets), title).drawing(nets, count_crossings(graph, layers))


class _Placed:
    """The layered graph with coordinates: x and top of each node, and where each line slants."""

    def __init__(
        self, nodes: LayerNodes, layers: Sequence[Sequence[int]], pins: Mapping[Member, Pins], title: Title | None
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
        wires = [
            Wire(j.upper, j.lower, self._x[j.upper] + j.upper_offset, self._x[j.lower] + j.lower_offset) for j in joints
        ]
        self._rows = stack(layers, [self._body(node, extent) for node, extent in enumerate(extents)], wires)
        self._slants = {
            (w.stream, w.upper, w.lower): slant for w, slant in zip(nodes.wires, self._rows.slants, strict=True)
        }

    def drawing(self, nets: Sequence[Net], crossings: int) -> Drawing:
        """The finished drawing."""
        nodes, x = self._nodes, self._x
        drawing = Drawing(self._width, self._rows.height, crossings=crossings)
        for member, node in nodes.member.items():
            pins = self._pins[member]
            drawing.origins[member] = (x[node] - pins.width / 2, self._rows.tops[node] + pins.above)
            drawing.widths[member] = pins.width
        drawing.ports = {stream: x[node] for stream, node in nodes.port.items()}
        for net in nets:
            for end in net.ends:
                drawing.routes[net.stream, end] = self._route(net, end, drawing)
        return drawing

    def _arrange_pins(self, beside: Set[LayerWire]) -> None:
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

    def _body(self, node: int, extent: Extent) -> Footprint:
        nodes, x = self._nodes, self._x[node]
        left, right = x - extent.left, x + extent.right
        cell = nodes.cell[node]
        if cell is not None:
            return Footprint(left, right, self._pins[cell.member].cell_height, solid=True)
        if nodes.layer[node] in (0, len(self._layers) - 1):  # the title and ports
            height = self._title.height if self._title is not None and not nodes.layer[node] else _PORT_HEIGHT
            return Footprint(left, right, height, solid=node == nodes.title, port=True)
        return Footprint(left, right)

    def _route(self, net: Net, end: Member, drawing: Drawing) -> list[Point]:
        """The line from the hub to one end, as points."""
        stream, nodes = net.stream, self._nodes
        step = 1 if stream.down else -1
        hub, last = nodes.of(stream, net.hub), nodes.of(stream, end)
        points = [self._touch(net.hub, stream, drawing, leaving=True)]
        at, x = hub, points[0][0]
        for layer in range(nodes.layer[hub] + step, nodes.layer[last] + step, step):
            following = last if layer == nodes.layer[last] else nodes.bend[stream, layer]
            upper, lower = (at, following) if stream.down else (following, at)
            begin, stop = self._slants[stream, upper, lower][::step]
            points.append((x, begin))
            at, x = following, self._x[following] + self._offset(following, stream)
            points.append((x, stop))
        return [*points, self._touch(end, stream, drawing, leaving=False)]

    def _touch(self, member: Member, stream: Stream, drawing: Drawing, leaving: bool) -> Point:
        """Where a line touches its hub or end."""
        node = self._nodes.of(stream, member)
        x, upper_side = self._x[node], leaving != stream.down
        if member is BORDER:
            return (x, self._rows.height if upper_side else 0.0)
        top = drawing.origins[member][1]
        return (x + self._pins[member].offset[stream], top if upper_side else top + self._pins[member].height)
