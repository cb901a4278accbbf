"""Folding: a part that is too tall for its room is cut into columns that stand side by side.

Each column is a layered drawing of its own. A line to a later column leaves below, rises in the gutter to the right of
its column and enters the later one from above, as the lines of a newspaper go on in the next column. The last column
ends at the foot of the drawing, so that results stand at its end:

    [ a ]   +-----+          The cuts are made where few lines are cut and the columns are about equally tall.
      |     |     |          Lines from outside enter their column directly, and lines to outside leave it directly.
    [ b ]   |     |
      +-----+   [ c ]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

from .channel_tracks import Track, least_crossings, levels_of_tracks
from .component_layout import Drawing, Title, draw_component
from .connection_points import Cell, room_along
from .edge_routing import BORDER, Member, Net, Stream
from .geometry import Point
from .layered_nodes import NO_HINTS, Hints, cell_levels

_GAP = 38.0  # the usual distance of two layers
_AIR = 18.0
_LINE_ROOM = 16
_TRACK = 8.0
_STRIP = 12.0  # between the border and what lies below it
_TITLE_GAP = 6.0
_GUTTER = 20.0
_CUT_LINE = 60.0  # a cut line costs as much as columns that differ by this
_CROSSED = 0.025  # each further line through a cut makes columns that much worse: lines cross above them
_GAIN = 0.85  # folded only if that much smaller
_SMALL = 0.84  # smaller than a still picture on a screen is no gain (`content.screen_fit.SCREEN`)
_LEAST = 0.3  # of the tallest column: a shorter one joins its neighbour, as its lines would climb for little
_MOST_COLUMNS = 24
_FAR, _FAR_OUT = 1e6, 1e9  # more than the width of a column, and of all columns
_NOISE = 1e-6  # sizes that differ by rounding alone count as equal


@dataclass(frozen=True, slots=True)
class Room:
    """The room that a drawing should fit into; it is a wish, and its proportion counts more than its size."""

    width: float
    height: float

    def turned(self) -> Room:
        """The room with its sides exchanged."""
        return Room(self.height, self.width)

    def used(self, width: float, height: float) -> float:
        """The factor by which a drawing must be scaled down to fit; below 1 if it fits."""
        return max(width / self.width, height / self.height)


def draw_part(
    cells: Sequence[Cell], nets: Sequence[Net], title: Title | None, hints: Hints, room: Room
) -> Drawing:
    """Lay out one connected part, in columns if it is much too tall for the room."""
    columns = _columns_of(cells, nets, room)
    if len(columns) == 1:
        return draw_component(cells, nets, title, hints)
    return _Columns(columns, nets, title, hints).drawing()


# ---- where to cut -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Profile:
    """The estimated size of each layer of a part, and what a cut below it costs; None: no cut is possible."""

    heights: list[int]
    widths: list[int]
    cut: list[int | None]


def _columns_of(cells: Sequence[Cell], nets: Sequence[Net], room: Room) -> list[list[Cell]]:
    """The cells by column."""
    if sum(_whole(cell.height + _GAP) for cell in cells) <= room.height:
        return [list(cells)]
    levels = cell_levels(cells, nets)
    profile = _profile(cells, nets, levels)
    height, width = sum(profile.heights), max(profile.widths)
    whole = room.used(width, height)
    if height <= room.height or whole <= width / room.width:
        return [list(cells)]
    wished = sqrt(height * room.width / (width * room.height))
    best = _GAIN * whole
    chosen: list[int] = []
    for count in range(max(2, int(wished)), min(int(wished) + 2, len(profile.heights), _MOST_COLUMNS) + 1):
        cuts = _even(profile, _cuts(profile, count))
        used = _used(profile, cuts, room)
        if cuts and used < best:
            best, chosen = used, cuts
    columns: list[list[Cell]] = [[] for _ in range(len(chosen) + 1)]
    for cell, level in zip(cells, levels, strict=True):
        columns[sum(level >= cut for cut in chosen)].append(cell)
    return columns


def _profile(cells: Sequence[Cell], nets: Sequence[Net], levels: Sequence[int]) -> _Profile:
    depth = max(levels) + 1
    heights, widths = [0] * depth, [0] * depth  # whole numbers: the page must come to the same sums
    for cell, level in zip(cells, levels, strict=True):
        label = max((room_along(cell, stream) for stream in cell.labelled), default=0.0)
        heights[level] = max(heights[level], _whole(cell.height + _GAP + label))
        widths[level] += _whole(cell.width + _AIR)
    level_of = {cell.member: level for cell, level in zip(cells, levels, strict=True)}
    cut: list[int | None] = [0] * depth
    for net in nets:
        touched = [level_of[member] for member in (net.hub, *net.ends) if member is not BORDER]
        for level in range(min(touched), max(touched)):
            lines = cut[level]
            cut[level] = None if lines is None or not net.stream.down else lines + 1
            if level > min(touched):
                widths[level] += _LINE_ROOM
    return _Profile(heights, widths, cut)


def _whole(size: float) -> int:
    return ceil(size - _NOISE)


def _cuts(profile: _Profile, count: int) -> list[int]:
    """The first layers of the second and later columns; fewer than wished where no cut is possible."""
    total = sum(profile.heights)
    cuts: list[int] = []
    for number in range(1, count):
        ideal, below = total * number / count, 0
        best, cut = total / count, None
        for level, height in enumerate(profile.heights[:-1]):
            below += height
            lines = profile.cut[level]
            if lines is None or (cuts and level < cuts[-1]):
                continue
            cost = abs(below - ideal) + _CUT_LINE * max(lines - 1, 0)
            if cost < best:
                best, cut = cost, level + 1
        if cut is not None:
            cuts.append(cut)
    return cuts


def _even(profile: _Profile, cuts: list[int]) -> list[int]:
    """The cuts without those beside a column that is much shorter than the tallest one."""
    while cuts:
        bounds = [0, *cuts, len(profile.heights)]
        sizes = [sum(profile.heights[start:stop]) for start, stop in itertools.pairwise(bounds)]
        least = min(sizes)
        if least >= _LEAST * max(sizes):
            break
        place = sizes.index(least)
        joins_next = place == 0 or (place + 1 < len(sizes) and sizes[place + 1] < sizes[place - 1])
        del cuts[place if joins_next else place - 1]
    return cuts


def _used(profile: _Profile, cuts: Sequence[int], room: Room) -> float:
    bounds = [0, *cuts, len(profile.heights)]
    columns = list(itertools.pairwise(bounds))
    lines = [profile.cut[cut - 1] or 0 for cut in cuts]
    width = sum(max(profile.widths[start:stop]) for start, stop in columns) + sum(_GUTTER + _TRACK * n for n in lines)
    height = max(sum(profile.heights[start:stop]) for start, stop in columns) + 2 * _TRACK * max(lines, default=0)
    return max(room.used(width, height), _SMALL) * (1 + _CROSSED * sum(max(n - 1, 0) for n in lines))


# ---- drawing ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Column:
    """One column: its cells, the pieces of the nets in it, its drawing and its left side.

    drop: how far below the top of the columns it begins. The last one ends at the foot: there stand the results.
    """

    cells: list[Cell]
    nets: list[Net] = field(default_factory=list)
    drawing: Drawing = field(default_factory=Drawing)
    left: float = 0.0
    drop: float = 0.0


@dataclass(slots=True)
class _Continued:
    """A line that goes on in later columns, or enters from above: where it rises and where it runs."""

    rise: float  # the x of the riser, or of the port on the upper border
    enters: list[float]  # the x at which it enters columns
    below: float = 0.0  # the y of its piece below its own column
    above: float = 0.0  # the y of its piece above the columns
    port: bool = False  # it passes the upper border


class _Columns:
    """The columns of one part, put together."""

    def __init__(
        self, columns: Sequence[list[Cell]], nets: Sequence[Net], title: Title | None, hints: Hints
    ) -> None:
        self._title = title
        self._nets = nets
        self._column_of = {cell.member: number for number, cells in enumerate(columns) for cell in cells}
        self._columns = [_Column(cells) for cells in columns]
        for net in nets:
            self._divide(net)
        self._home = {net.stream: self._column_of.get(net.hub) for net in nets}
        for number, column in enumerate(self._columns):
            column.drawing = draw_component(column.cells, column.nets, None, self._entries(number, hints))
        self._crossings = sum(column.drawing.crossings for column in self._columns)
        self._lines: dict[Stream, _Continued] = {}
        self._feet = [column.drawing.height for column in self._columns]
        self._width = self._place_columns()
        self._ports = self._place_ports()
        self._top = self._place_tracks()
        self._height = self._top + max(self._feet)
        self._columns[-1].drop = max(self._feet) - self._feet[-1]

    def _divide(self, net: Net) -> None:
        """The pieces of a net by column: a line to or from another column passes the column's border."""
        home = None if net.hub is BORDER else self._column_of[net.hub]
        inside: dict[int, list[Member]] = {} if home is None else {home: []}
        away = False
        for end in net.ends:
            number = home if end is BORDER else self._column_of[end]
            if number is not None and end is not BORDER:
                inside.setdefault(number, []).append(end)
            away = away or end is BORDER or (home is not None and number != home)
        for number, ends in inside.items():
            hub = net.hub if number == home else BORDER
            passing = [BORDER] if away and number == home else []
            self._columns[number].nets.append(Net(net.stream, hub, ends + passing))

    def _entries(self, number: int, hints: Hints) -> Hints:
        """The order in which lines enter a column, if hints are given: those of the nearest column come first."""
        if not hints:
            return NO_HINTS
        entries: dict[Stream, float] = {}
        for net in self._columns[number].nets:
            home = self._home[net.stream]
            if home is None or home == number:
                entries[net.stream] = _FAR_OUT + hints.get(net.stream, 0.0)
            else:
                entries[net.stream] = _FAR * (number - home) + self._columns[home].drawing.ports[net.stream]
        return entries

    def _later(self, net: Net) -> list[int]:
        """The columns, other than that of its hub, in which a net ends."""
        home = None if net.hub is BORDER else self._column_of[net.hub]
        return sorted({self._column_of[end] for end in net.ends if end is not BORDER} - {home})

    def _port(self, number: int, stream: Stream) -> float:
        return self._columns[number].left + self._columns[number].drawing.ports[stream]

    def _place_columns(self) -> float:
        """Places the columns, and the lines that rise between them; returns the width."""
        right = 0.0
        leaving: list[list[Net]] = []
        for number, column in enumerate(self._columns):
            column.left = right
            leaving.append([net for net in self._nets if self._home[net.stream] == number and self._later(net)])
            right += column.drawing.width
            if number + 1 < len(self._columns):
                right += _GUTTER + _TRACK * max(len(leaving[number]) - 1, 0)
        for number, nets in enumerate(leaving):
            if nets:
                self._place_risers(number, nets)
        return right

    def _place_risers(self, number: int, nets: Sequence[Net]) -> None:
        """Places the lines that leave a column for later ones: where they rise, and how they get there."""
        column = self._columns[number]
        rises = [column.left + column.drawing.width + _GUTTER / 2 + _TRACK * at for at in range(len(nets))]
        starts = {net.stream: self._port(number, net.stream) for net in nets}
        enters = {net.stream: [self._port(later, net.stream) for later in self._later(net)] for net in nets}

        def crossings(left: Stream, right: Stream, at: int) -> int:
            below = [Track((starts[each], rises[at + by]), ()) for by, each in enumerate((left, right))]
            above = [Track((), (rises[at + by], *enters[each])) for by, each in enumerate((left, right))]
            return least_crossings(*below) + least_crossings(*above)

        order = sorted((net.stream for net in nets), key=lambda stream: -starts[stream])
        for _ in order:
            swapped = False
            for at in range(len(order) - 1):
                left, right = order[at : at + 2]
                if crossings(right, left, at) < crossings(left, right, at):
                    order[at : at + 2] = right, left
                    swapped = True
            if not swapped:
                break
        levels, crossed = levels_of_tracks(
            [Track((starts[stream], rise), ()) for stream, rise in zip(order, rises, strict=True)]
        )
        self._crossings += crossed
        for stream, rise, level in zip(order, rises, levels, strict=True):
            below = column.drawing.height + _TRACK * level
            self._lines[stream] = _Continued(rise, enters[stream], below)
        self._feet[number] += _TRACK * (max(levels) + 1)

    def _place_ports(self) -> dict[Stream, float]:
        """The x at which each stream passes the border: below where it leaves its column, above beside the title."""
        ports: dict[Stream, float] = {}
        upper: list[tuple[float, Net, list[float]]] = []
        for net in self._nets:
            if net.hub is not BORDER and BORDER not in net.ends:
                continue
            numbers = self._later(net) if net.hub is BORDER else [self._column_of[net.hub]]
            places = [self._port(number, net.stream) for number in numbers]
            if net.stream.down == (net.hub is BORDER):
                upper.append((places[0], net, places))
            else:
                ports[net.stream] = places[0]
        least = 0.0 if self._title is None else self._title.width + _TRACK
        for place, net, places in sorted(upper, key=lambda item: item[0]):
            at = max(place, least)
            least = at + _TRACK
            ports[net.stream] = at
            self._lines[net.stream] = _Continued(at, places, port=True)
            self._width = max(self._width, at + _TRACK)
        return ports

    def _place_tracks(self) -> float:
        """Places the lines above the columns; returns the top of the columns."""
        strip = _STRIP if self._ports else 0.0
        if self._title is not None:
            strip = self._title.height + _TITLE_GAP
        tracks: dict[Stream, Track] = {}
        for stream, line in self._lines.items():
            if not line.port:
                tracks[stream] = Track((), (line.rise, *line.enters))
            elif line.enters != [line.rise]:
                tracks[stream] = Track((line.rise,), tuple(line.enters))
        levels, crossings = levels_of_tracks(list(tracks.values()))
        self._crossings += crossings
        for stream, level in zip(tracks, levels, strict=True):
            self._lines[stream].above = strip + _TRACK * (level + 0.5)
        return strip + (_TRACK * (max(levels) + 1) if levels else 0.0)

    def drawing(self) -> Drawing:
        """The finished drawing."""
        whole = Drawing(self._width, self._height, ports=self._ports, crossings=self._crossings)
        whole.climbs = sum(not line.port for line in self._lines.values())
        for column in self._columns:
            whole.widths.update(column.drawing.widths)
            for member, (x, y) in column.drawing.origins.items():
                whole.origins[member] = (x + column.left, y + self._top + column.drop)
        for net in self._nets:
            for end in net.ends:
                whole.routes[net.stream, end] = self._route(net, end)
        return whole

    def _route(self, net: Net, end: Member) -> list[Point]:
        """The line from the hub to one end, through columns and channels."""
        stream = net.stream
        line = self._lines.get(stream)
        first = None if net.hub is BORDER else self._column_of[net.hub]
        last = None if end is BORDER else self._column_of[end]
        if first is not None and first == last:
            return self._within(first, stream, end)
        points = [] if first is None else self._within(first, stream, BORDER)
        if first is None:
            points += self._from_border(stream, line, self._port(last, stream) if last is not None else 0.0)
        elif last is None:
            points += self._from_border(stream, line, points[-1][0])[::-1]
        elif line is not None:
            below, into = self._top + line.below, self._port(last, stream)
            points += [(points[-1][0], below), (line.rise, below), (line.rise, line.above), (into, line.above)]
        return points if last is None else [*points, *self._within(last, stream, end)]

    def _from_border(self, stream: Stream, line: _Continued | None, x: float) -> list[Point]:
        """The piece from a port on the border to a column."""
        if line is None or not line.port:
            return [(self._ports[stream], self._height)]
        return [(line.rise, 0.0), (line.rise, line.above), (x, line.above)]

    def _within(self, number: int, stream: Stream, end: Member) -> list[Point]:
        column = self._columns[number]
        top = self._top + column.drop
        return [(x + column.left, y + top) for x, y in column.drawing.routes[stream, end]]
