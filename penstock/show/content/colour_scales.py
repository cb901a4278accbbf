"""Colours for numbers and names in a still picture, with a legend.

A `Colouring` gives boxes a paint and lists the meaning of each paint. Numbers lie on a ramp from pale to strong; the
ramp is logarithmic where a few large numbers would make all others look alike. Names get pale hues that can be told
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass, replace
from math import log

from ...errors import ValueRuleError
from .picture import BoxKind, LegendEntry, Picture, natural_key

HUES = (210, 35, 140, 285, 5, 178, 60, 325, 100, 245, 20, 160)
HEALTH = {"finite": "#d5efdd", "Inf": "#f9d7a8", "NaN": "#f3b6b0"}
"""The paint of a value by its health: finite, or with an Inf or NaN in it."""
OF_GRAPH = ("kind", "type", "dtype", "device")
OF_PLAN = (*OF_GRAPH, "order", "group")
OF_RUN = (*OF_PLAN, "time", "bytes", "memory", "health")
"""The colourings that a graph, a plan and a recorded run have."""
_LOW, _HIGH = (0xFD, 0xF7, 0xEA), (0xF0, 0xA0, 0x4B)
_STEEP = 50
_STEPS = 4


def known_colour(colour: str, known: Sequence[str]) -> str:
    """Return `colour`; ValueError if it is not in `known`."""
    if colour not in known:
        of_runs = "" if "time" in known else (
            ". Times, bytes, memory and health need a recorded run: metadata.record.export(path, colour=...)"
        )  # fmt: skip
        raise ValueRuleError(
            f"there is no such colouring; there are {', '.join(known)}{of_runs}", attempt=f"export(colour={colour!r})"
        )
    return colour


@dataclass(frozen=True, slots=True)
class Colouring:
    """A paint for each box id that has one, and the meaning of the paints."""

    paints: Mapping[str, str]
    legend: tuple[LegendEntry, ...]


def painted(picture: Picture, colouring: Colouring) -> Picture:
    """The picture in these colours, with their legend."""
    boxes = tuple(replace(box, paint=colouring.paints.get(box.id, "")) for box in picture.boxes)
    rest = [LegendEntry("none", BoxKind.PRUNED, "#eef0f3")] if any(not box.paint for box in boxes) else []
    plain = tuple(box if box.paint else replace(box, paint="#eef0f3") for box in boxes)
    return replace(picture, boxes=plain, legend=(*colouring.legend, *rest))


def by_number(values: Mapping[str, float], text: Callable[[float], str], adds_up: bool = False) -> Colouring:
    """Colours on a ramp. `adds_up`: the values are amounts (time, bytes), of which a few may outweigh all others.

    >>> found = by_number({"a": 1.0, "b": 3.0}, str)
    >>> found.paints, [entry.label for entry in found.legend]
    ({'a': '#fdf7ea', 'b': '#f0a04b'}, ['1.0', '3.0'])
    """
    if not values:
        return Colouring({}, ())
    low, high = min(values.values()), max(values.values())
    steep = adds_up and low > 0 and high > _STEEP * low

    def share(value: float) -> float:
        if high <= low:
            return 0.5
        return log(value / low) / log(high / low) if steep else (value - low) / (high - low)

    shown = sorted(values.values(), key=share)
    picked = [shown[round(i * (len(shown) - 1) / (_STEPS - 1))] for i in range(_STEPS)]
    legend = {text(value): _ramp(share(value)) for value in picked}
    paints = {name: _ramp(share(value)) for name, value in values.items()}
    return Colouring(paints, tuple(LegendEntry(label, paint=paint) for label, paint in legend.items()))


def by_name(values: Mapping[str, str], paints: Mapping[str, str] | None = None) -> Colouring:
    """One colour for each different text, the most frequent first; texts beyond a dozen share the last colour."""
    counts = Counter(values.values())
    names = sorted(counts, key=lambda name: (-counts[name], natural_key(name)))
    if paints is None:
        paints = {name: _pale(HUES[min(number, len(HUES) - 1)]) for number, name in enumerate(names)}
        names = names[: len(HUES)]
    legend = tuple(LegendEntry(f"{name} ({counts[name]})", paint=paints[name]) for name in names)
    return Colouring({box: paints[name] for box, name in values.items()}, legend)


def _ramp(share: float) -> str:
    parts = (round(a + (b - a) * share) for a, b in zip(_LOW, _HIGH, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def _pale(hue: int) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in hls_to_rgb(hue / 360, 0.88, 0.62))
