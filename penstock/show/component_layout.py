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
        self.layer.append(layer)
        self.cell.append(cell)
        return len(self.layer) - 1


def draw_component(
    cells: Sequence[Cell], nets: Sequence[Net], title: Title | None, hints: Hints = NO_HINTS
) -> Drawing:
    """Lay out the members in `cells` with the nets among them and to the border.

    With `hints`, lines enter through the upper border in the order in which they come from outside.
    """
    nodes = _build(cells, nets, title)
    pins = pins_of(cells, nets)
    layers: list[list[int]] = [[] for _ in range(max(nodes.layer, default=-1) + 1)]
    for node, layer in enumerate(nodes.layer):
        layers[layer].append(node)
    fixed = _fix_entries(nodes, layers, hints)
    graph = Layered(layers, _links(nodes), nodes.title, fixed)
    layers = order_layers(graph)
    crossings = count_crossings(graph, layers)
    beside = _beside(nodes)
    _arrange_pins(nodes, pins, layers, beside)
    joints = [
        Joint(
            w.upper,
            w.lower,
            _offset(nodes, pins, w.upper, w.stream),
            _offset(nodes, pins, w.lower, w.stream),
            w in beside,
        )
        for w in nodes.wires
    ]
    extents = [_extent(nodes, pins, node, title) for node in range(len(nodes.layer))]
    x = place(Placing(layers, extents, joints, nodes.trunks, nodes.title))
    return _assemble(nodes, pins, nets, layers, x, extents, joints, title, crossings)


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
        _add_lines(nodes, net)
    return nodes


def _fix_entries(nodes: _Nodes, layers: list[list[int]], hints: Hints) -> bool:
    """Sort the first layer (the title, then ports) by where the lines come from; return whether it was sorted."""
    if nodes.title is None or not hints:
        return False
    rank = {node: hints.get(stream, 0.0) for stream, node in nodes.port.items()}
    layers[0].sort(key=lambda node: rank.get(node, float("-inf")))
    return True


def _node(nodes: _Nodes, stream: Stream, member: Member) -> int:
    return nodes.port[stream] if member is BORDER else nodes.member[member]


def _add_lines(nodes: _Nodes, net: Net) -> None:
    """One trunk of bends from the hub to the farthest end; each end hangs on it one layer before."""
    stream = net.stream
    if len(net.ends) > 1:
        nodes.shared.add(stream)
    hub = _node(nodes, stream, net.hub)
    step = 1 if stream.down else -1
    trunk = [hub]
    ends = sorted((_node(nodes, stream, end) for end in net.ends), key=lambda node: nodes.layer[node] * step)
    for end in ends:
        while (
            nodes.layer[trunk[-1]] + step != nodes.layer[end] and nodes.layer[trunk[-1]] != nodes.layer[end]
        ):
            layer = nodes.layer[trunk[-1]] + step
            bend = nodes.add(layer)
            nodes.bend[stream, layer] = bend
            _wire(nodes, trunk[-1], bend, stream)
            trunk.append(bend)
        _wire(nodes, trunk[-1], end, stream)
    # A port is a bend too: it may move along the border to keep its line straight.
    line = trunk if net.hub is BORDER else trunk[1:]
    if BORDER in net.ends:
        line = [*line, nodes.port[stream]]
    if line:
        nodes.trunks.append(line[::step])


def _wire(nodes: _Nodes, one: int, other: int, stream: Stream) -> None:
    upper, lower = (one, other) if stream.down else (other, one)
    nodes.wires.append(_Wire(upper, lower, stream))


def _links(nodes: _Nodes) -> list[LayerLink]:
    return [
        LayerLink(
            w.upper,
            w.lower,
            _fraction(nodes.cell[w.upper], w.stream),
            _fraction(nodes.cell[w.lower], w.stream),
        )
        for w in nodes.wires
    ]


def _fraction(cell: Cell | None, stream: Stream) -> float:
    if cell is None or cell.ports is None:
        return 0.5
    return min(max(cell.ports[stream] / cell.width, 0.01), 0.99)


def _beside(nodes: _Nodes) -> set[_Wire]:
    """The wires that hardly pull at their ends.

    They are the wires between a box and a bend of a line with several ends, and the wires from a node that feeds only
    this box, such as a constant, if the box has a larger input too.
    """
    above, below = [0] * len(nodes.layer), [0] * len(nodes.layer)
    hanging = set()
    for wire in nodes.wires:
        above[wire.lower] += 1
        below[wire.upper] += 1
        if wire.stream in nodes.shared and (nodes.cell[wire.upper] is None) != (nodes.cell[wire.lower] is None):
            hanging.add(wire)
    leaves = {
        wire
        for wire in nodes.wires
        if nodes.cell[wire.upper] is not None and not above[wire.upper] and below[wire.upper] == 1
    }
    larger = {wire.lower for wire in nodes.wires if wire not in hanging and wire not in leaves}
    return hanging | {wire for wire in leaves if wire.lower in larger}


def _arrange_pins(
    nodes: _Nodes, pins: Mapping[Member, Pins], layers: Sequence[Sequence[int]], beside: Set[_Wire]
) -> None:
    """Sort the pins on each side of each box by where their lines go, so that lines do not cross at the box.

    Where one line from above is the main one, its pin is in the middle.
    """
    seat = {node: position for layer in layers for position, node in enumerate(layer)}
    desired: dict[Member, dict[tuple[bool, Stream], list[float]]] = {}
    main: dict[Member, set[Stream]] = {}
    for wire in nodes.wires:
        for node, other, top in ((wire.upper, wire.lower, False), (wire.lower, wire.upper, True)):
            cell = nodes.cell[node]
            if cell is not None:
                far = seat[other] + _fraction(nodes.cell[other], wire.stream)
                desired.setdefault(cell.member, {}).setdefault((top, wire.stream), []).append(far)
                if top and wire not in beside:
                    main.setdefault(cell.member, set()).add(wire.stream)
    for member, places in desired.items():
        mean = {key: sum(found) / len(found) for key, found in places.items()}
        only = main.get(member, set())
        pins[member].arrange(mean, next(iter(only)) if len(only) == 1 else None)


def _offset(nodes: _Nodes, pins: Mapping[Member, Pins], node: int, stream: Stream) -> float:
    cell = nodes.cell[node]
    return 0.0 if cell is None else pins[cell.member].offset[stream]


def _extent(nodes: _Nodes, pins: Mapping[Member, Pins], node: int, title: Title | None) -> Extent:
    if node == nodes.title and title is not None:
        return Extent(title.width / 2, title.width / 2)
    cell = nodes.cell[node]
    return _LINE if cell is None else Extent(pins[cell.member].left, pins[cell.member].right)


def _assemble(
    nodes: _Nodes,
    pins: Mapping[Member, Pins],
    nets: Sequence[Net],
    layers: Sequence[Sequence[int]],
    x: list[float],
    extents: Sequence[Extent],
    joints: Sequence[Joint],
    title: Title | None,
    crossings: int,
) -> Drawing:
    if not layers:
        return Drawing()
    left = min(x[node] - extents[node].left for node in range(len(x)))
    x = [value - left for value in x]
    width = max(x[node] + extents[node].right for node in range(len(x)))
    drawing = Drawing(width, crossings=crossings)
    bands = _bands(nodes, pins, layers, x, joints, title)
    drawing.height = bands[-1][1]
    for member, node in nodes.member.items():
        top, bottom = bands[nodes.layer[node]]
        y = top + (bottom - top - pins[member].cell_height) / 2 + pins[member].above
        drawing.origins[member] = (x[node] - pins[member].width / 2, y)
        drawing.widths[member] = pins[member].width
    drawing.ports = {stream: x[node] for stream, node in nodes.port.items()}
    for net in nets:
        for end in net.ends:
            drawing.routes[net.stream, end] = _route(nodes, pins, net, end, x, bands, drawing)
    return drawing


def _bands(
    nodes: _Nodes,
    pins: Mapping[Member, Pins],
    layers: Sequence[Sequence[int]],
    x: Sequence[float],
    joints: Sequence[Joint],
    title: Title | None,
) -> list[tuple[float, float]]:
    """Top and bottom of every layer."""
    farthest = [0.0] * len(layers)
    lines = [0] * len(layers)
    for joint in joints:
        sideways = abs(x[joint.upper] + joint.upper_offset - x[joint.lower] - joint.lower_offset)
        start = nodes.layer[joint.upper]
        farthest[start] = max(farthest[start], sideways)
        lines[start] += sideways > 1
    bands: list[tuple[float, float]] = []
    y = 0.0
    for number, layer in enumerate(layers):
        cells = [nodes.cell[node] for node in layer]
        height = max(
            (pins[cell.member].cell_height for cell in cells if cell is not None), default=_BOTTOM_BAND
        )
        if title is not None and number == 0:
            height = title.height
        bands.append((y, y + height))
        slack = 0.08 * farthest[number] + 1.5 * lines[number]
        y += height + min(_least_gap(nodes, layers, number) + slack, _MAX_GAP)
    return bands


def _least_gap(nodes: _Nodes, layers: Sequence[Sequence[int]], number: int) -> float:
    """The least room below a layer: less below the title and above lower ports, where no arrow head ends."""
    if nodes.title is not None and number == 0:
        return _BORDER_GAP
    following = layers[number + 1] if number + 1 < len(layers) else ()
    return _MIN_GAP if any(nodes.cell[node] is not None for node in following) else _BORDER_GAP


def _route(
    nodes: _Nodes,
    pins: Mapping[Member, Pins],
    net: Net,
    end: Member,
    x: Sequence[float],
    bands: Sequence[tuple[float, float]],
    drawing: Drawing,
) -> list[Point]:
    """The line from the hub to one end, as points."""
    stream = net.stream
    hub_node, end_node = _node(nodes, stream, net.hub), _node(nodes, stream, end)
    step = 1 if stream.down else -1
    points = _touch(pins, net.hub, stream, x[hub_node], bands[nodes.layer[hub_node]], drawing, leaving=True)
    for layer in range(nodes.layer[hub_node] + step, nodes.layer[end_node], step):
        across = x[nodes.bend[stream, layer]]
        points += [(across, y) for y in sorted(bands[layer], reverse=not stream.down)]
    return points + _touch(
        pins, end, stream, x[end_node], bands[nodes.layer[end_node]], drawing, leaving=False
    )


def _touch(
    pins: Mapping[Member, Pins],
    member: Member,
    stream: Stream,
    x: float,
    band: tuple[float, float],
    drawing: Drawing,
    leaving: bool,
) -> list[Point]:
    """Where a line touches its hub or end, and where it passes the edge of that layer's band."""
    begin, end = band if stream.down else (band[1], band[0])
    if member is BORDER:
        return [(x, begin), (x, end)]
    x += pins[member].offset[stream]
    top = drawing.origins[member][1]
    bottom = top + pins[member].height
    if leaving:
        return [(x, bottom if stream.down else top), (x, end)]
    return [(x, begin), (x, top if stream.down else bottom)]
