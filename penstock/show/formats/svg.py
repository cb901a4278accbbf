"""SVG of a picture: one file that needs nothing else.

Colours are in an embedded style sheet with a light and a dark set (`prefers-color-scheme`); shapes only name their
class. Every text passes through `escape`, which also replaces what XML 1.0 cannot hold. Lines are vertical inside
layers and soft curves between them. A line leaves a gap where its own label stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence, Set

from ..content.closed_scopes import fit
from ..content.invisible_characters import visible
from ..content.open_at_first import VISIBLE_LIMIT
from ..content.palette import LIGHT, STYLE, shared_rules
from ..content.picture import BACKWARDS, Arrow, ArrowKind, Box, BoxKind, Group, LegendEntry, Picture, hues_of, legend_of
from ..layout.geometry import Point, Rect
from ..layout.picture_layout import Layout, PlacedArrow, PlacedBox, PlacedGroup, group_title, lay_out
from ..layout.text_measure import DETAIL_SIZE, LINE_HEIGHT, shorten, text_width

_MARGIN = 28.0
_HEAD = 34.0
_LEGEND_ROW = 22.0
_SWATCH = 16.0
_CORNER = 6.0
_TALL, _WIDE = 1000.0, 1340.0
_SCREEN, _LEAST = (1400.0, _TALL), 0.8
"""What is a little larger than a screen is drawn as much smaller, at the least 0.8: texts can be read at that size."""


def svg_text(picture: Picture, limit: int | None = VISIBLE_LIMIT) -> str:
    """The picture as a complete SVG document.

    Args:
        picture: the picture.
        limit: the most boxes that may be visible; scopes are closed until they are few enough. None closes none.

    Returns:
        The text of an .svg file.

    >>> from penstock.show import Picture, svg_text
    >>> svg_text(Picture("empty")).startswith("<svg xmlns=")
    True
    """
    shown = picture if limit is None else fit(picture, limit)
    layout = lay_out(shown)
    legend = _Legend(legend_of(shown), {arrow.kind for arrow in shown.arrows})
    inner = max(layout.width, legend.least_width, text_width(shorten(shown.title, 80), 16.0), 240.0)
    head = _HEAD if shown.title else 0.0
    legend_lines, legend_height = legend.draw(inner, layout.height + 30.0)
    if head + layout.height + legend_height + 2 * _MARGIN > _TALL:
        inner = max(inner, min(legend.whole_width, _WIDE))  # one row of the legend
        legend_lines, legend_height = legend.draw(inner, layout.height + 30.0)
    width, height = inner + 2 * _MARGIN, head + layout.height + legend_height + 2 * _MARGIN
    factor = min(1.0, _SCREEN[0] / width, _SCREEN[1] / height)
    factor = factor if factor >= _LEAST else 1.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(factor * width)}" height="{_n(factor * height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" role="img">',
        f"<title>{escape(shown.title or 'graph')}</title>",
        f"<style>{STYLE}{shared_rules(hues_of(shown))}</style>",
        _MARKERS,
        f'<rect class="page" width="{_n(width)}" height="{_n(height)}"/>',
    ]
    if shown.title:
        lines.append(_text(_MARGIN, _MARGIN + 14, shorten(shown.title, 80), "heading", "start"))
    lines.append(
        f'<g transform="translate({_n(_MARGIN + (inner - layout.width) / 2)} {_n(_MARGIN + head)})">'
    )
    lines += _body(layout)
    lines += [
        "</g>",
        f'<g transform="translate({_n(_MARGIN)} {_n(_MARGIN + head)})">',
        *legend_lines,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """`text` safe inside XML text and double-quoted attributes; invisible and forbidden characters become escapes.

    >>> escape('<a & "b">')
    '&lt;a &amp; &quot;b&quot;&gt;'
    """
    clean = visible(text)
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        clean = clean.replace(plain, entity)
    return clean


def _marker(identity: str, kind: str) -> str:
    size = 'viewBox="0 0 8 8" refY="4" markerWidth="7" markerHeight="7" orient="auto"'
    at, shape = "7.2", "M0.6 0.8 L7.4 4 L0.6 7.2 Z"
    if kind.rpartition(" ")[2] in BACKWARDS:
        at, shape = "0.8", "M7.4 0.8 L0.6 4 L7.4 7.2 Z"
    return f'<marker id="{identity}" {size} refX="{at}"><path d="{shape}" class="{kind}"/></marker>'


_HEADS = ("head", "head-control", *(f"head-{kind}" for kind in BACKWARDS))
_MARKERS = "".join(_marker(name, name.replace("-", " ")) for name in _HEADS)
_MARKERS = f"<defs>{_MARKERS}</defs>"


def _body(layout: Layout) -> Iterable[str]:
    for group in layout.groups:
        yield from _group(group)
    faded = {placed.box.id for placed in layout.boxes if placed.box.kind is BoxKind.PRUNED}
    for arrow in layout.arrows:
        yield from _arrow(arrow, _is_faded(arrow, faded))
    yield from _labels(layout.arrows)
    for box in layout.boxes:
        yield from _box(box)


def _group(placed: PlacedGroup) -> Iterable[str]:
    depth = min(len(placed.group.path), 4)
    hue = _hue(placed.group.hue)
    yield f'<g class="scope depth{depth}{hue}"><title>{escape(_scope_tip(placed.group))}</title>'
    yield _rect(placed.rect, 10)
    yield (
        _text(placed.title.x, placed.title.y + 18, group_title(placed.group), "scope-label", "start") + "</g>"
    )


def _scope_tip(group: Group) -> str:
    path = "/".join(group.path)
    return path if group.times == 1 else f"{path}\none of {group.times} equal scopes"


def _hue(number: int) -> str:
    return f" hue{number}" if number >= 0 else ""


def _box(placed: PlacedBox) -> Iterable[str]:
    rect, box = placed.rect, placed.box
    paint = f' style="fill:{escape(box.paint)}"' if box.paint else ""
    yield f'<g class="box {box.kind.value}{_hue(box.hue)}"><title>{escape(_tooltip(box))}</title>'
    yield _rect(rect, 6, paint)
    middle = rect.x + rect.width / 2
    baseline = rect.y + (rect.height - LINE_HEIGHT * len(placed.lines)) / 2 + 11.5
    ink = ink_on(box.paint)
    for row, line in enumerate(placed.lines):
        yield _text(middle, baseline + row * LINE_HEIGHT, line, "detail" if row else "name", ink=ink)
    yield "</g>"


def _tooltip(box: Box) -> str:
    counts = [f"{name} x{number}" for name, number in box.contents]
    constants = [f"{each.line} ({each.name})" for each in box.constants]
    return "\n".join(line for line in (box.id, box.type, *constants, *box.detail, *counts) if line)


def _is_faded(placed: PlacedArrow, faded: set[str]) -> bool:
    """Whether an arrow belongs to what no fetch needs."""
    return placed.arrow.source in faded or placed.arrow.target in faded


def _arrow(placed: PlacedArrow, faded: bool) -> Iterable[str]:
    suffix = "" if placed.arrow.kind == "data" else placed.arrow.kind
    kind = f"line {suffix}".rstrip() + (" faded" if faded else "")
    end = "start" if suffix in BACKWARDS else "end"
    head = f"head-{suffix}" if suffix else "head"
    yield f'<path class="{kind}" marker-{end}="url(#{head})" d="{_path(placed)}">'
    yield f"<title>{escape(_arrow_tooltip(placed.arrow))}</title></path>"


def _arrow_tooltip(arrow: Arrow) -> str:
    word = {"control": "before", "write": "is written by", "loop": "is next given by"}.get(arrow.kind, "to")
    tensors = ", ".join(arrow.tensors[:8]) + (
        f" and {len(arrow.tensors) - 8} more" if len(arrow.tensors) > 8 else ""
    )
    lines = (f"{arrow.source} {word} {arrow.target}", arrow.type or arrow.label, tensors)
    return "\n".join(line for line in lines if line)


def _path(placed: PlacedArrow) -> str:
    points = placed.points
    parts = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    if placed.label is not None:
        parts += _gap(points[0], points[1], placed.label)
    turn = placed.across
    for number, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(points)):
        if x0 == x1 or y0 == y1:
            parts.append(_straight((x0, y0), (x1, y1), points[number + 2] if number + 2 < len(points) else None))
            continue
        middle = (x0 + x1) / 2 if turn else (y0 + y1) / 2
        first, second = ((middle, y0), (middle, y1)) if turn else ((x0, middle), (x1, middle))
        parts.append(f"C{_n(first[0])} {_n(first[1])} {_n(second[0])} {_n(second[1])} {_n(x1)} {_n(y1)}")
    return " ".join(parts)


def _straight(start: Point, end: Point, following: Point | None) -> str:
    """A straight piece; a right angle behind it is rounded."""
    if following is None or (end[0] != following[0] and end[1] != following[1]):
        return f"L{_n(end[0])} {_n(end[1])}"
    (x0, y0), (x1, y1), (x2, y2) = start, end, following
    before, after = abs(x1 - x0) + abs(y1 - y0), abs(x2 - x1) + abs(y2 - y1)
    radius = min(_CORNER, before / 2, after / 2)
    near = x1 - (x1 - x0) / before * radius, y1 - (y1 - y0) / before * radius
    far = x1 + (x2 - x1) / after * radius, y1 + (y2 - y1) / after * radius
    return f"L{_n(near[0])} {_n(near[1])} Q{_n(x1)} {_n(y1)} {_n(far[0])} {_n(far[1])}"


def _gap(start: Point, following: Point, label: Rect) -> list[str]:
    """The line stops before its label and goes on behind it."""
    if start[1] == following[1]:
        near, far = (label.x, label.right) if following[0] > start[0] else (label.right, label.x)
        return [f"L{_n(near)} {_n(start[1])}", f"M{_n(far)} {_n(start[1])}"]
    near, far = (label.y, label.bottom) if following[1] > start[1] else (label.bottom, label.y)
    return [f"L{_n(start[0])} {_n(near)}", f"M{_n(start[0])} {_n(far)}"]


def _labels(arrows: Sequence[PlacedArrow]) -> Iterable[str]:
    seen: set[tuple[float, float, str]] = set()
    for placed in arrows:
        label = placed.label
        if label is None or (label.x, label.y, placed.arrow.label) in seen:
            continue
        seen.add((label.x, label.y, placed.arrow.label))
        yield _text(label.x + label.width / 2, label.y + 10, shorten(placed.arrow.label), "arrow-label")


def _rect(rect: Rect, radius: float, extra: str = "") -> str:
    size = f'width="{_n(rect.width)}" height="{_n(rect.height)}" rx="{_n(radius)}"'
    return f'<rect x="{_n(rect.x)}" y="{_n(rect.y)}" {size}{extra}/>'


def ink_on(paint: str) -> str:
    """The colour of text that is read on `paint` in light pages and dark ones; "" where the page's own will do.

    Its contrast is at least 4.5:1; black is taken only where neither the ink of light pages nor white has that.

    >>> ink_on("#fdf7ea"), ink_on("#134"), ink_on("#777"), ink_on("")
    ('#1d2733', '#ffffff', '#000000', '')
    """
    if not paint.startswith("#"):
        return ""
    digits = paint[1:] if len(paint) == 7 else "".join(2 * digit for digit in paint[1:])
    below = _luminance(digits)
    if below > 4.5 * (_luminance(LIGHT.ink[1:]) + 0.05) - 0.05:
        return LIGHT.ink
    return "#ffffff" if below < 1.05 / 4.5 - 0.05 else "#000000"


def _luminance(digits: str) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    levels = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = (level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels)
    return sum(weight * level for weight, level in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _text(x: float, y: float, text: str, kind: str, anchor: str = "middle", ink: str = "") -> str:
    style = f' style="fill:{ink}"' if ink else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" class="{kind}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class _Legend:
    """Swatches with their meaning, in rows as wide as the drawing."""

    def __init__(self, entries: Sequence[LegendEntry], kinds: Set[ArrowKind]) -> None:
        self._entries = entries
        words = {"control": "control: runs before", "write": "writes a variable", "loop": "next iteration"}
        special = [(word, f"line {kind}") for kind, word in words.items() if kind in kinds]
        self._lines = [("data", "line"), *special] if special else []

    @property
    def least_width(self) -> float:
        """The width of the widest entry."""
        labels = [entry.label for entry in self._entries] + [label for label, _ in self._lines]
        return max((self._room(label) for label in labels), default=0.0)

    @property
    def whole_width(self) -> float:
        """The width of the legend in one row."""
        labels = [entry.label for entry in self._entries] + [label for label, _ in self._lines]
        return sum(map(self._room, labels))

    def draw(self, width: float, top: float) -> tuple[list[str], float]:
        """The legend's elements and the height that it adds below the drawing."""
        if not self._entries:
            return [], 0.0
        drawn: list[str] = []
        x, y = 0.0, top
        for label, shape in [*map(self._swatch, self._entries), *map(self._line, self._lines)]:
            if x and x + self._room(label) > width:
                x, y = 0.0, y + _LEGEND_ROW
            drawn.append(f'<g transform="translate({_n(x)} {_n(y)})">{shape}')
            drawn.append(_text(_SWATCH + 8, 10, shorten(label, 40), "legend", "start") + "</g>")
            x += self._room(label)
        return drawn, y - top + 30.0 + 12.0

    def _room(self, label: str) -> float:
        return _SWATCH + 8 + text_width(shorten(label, 40), DETAIL_SIZE) + 22

    def _swatch(self, entry: LegendEntry) -> tuple[str, str]:
        paint = f' style="fill:{escape(entry.paint)}"' if entry.paint else ""
        return (
            entry.label,
            f'<g class="box {entry.kind.value}{_hue(entry.hue)}">{_rect(Rect(0, 0, _SWATCH, 12), 3, paint)}</g>',
        )

    def _line(self, line: tuple[str, str]) -> tuple[str, str]:
        return line[0], f'<path class="{line[1]}" d="M0 6 L{_n(_SWATCH)} 6"/>'
