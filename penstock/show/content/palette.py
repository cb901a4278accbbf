"""The colours of pictures: one set for light pages and one for dark pages, chosen by the viewer's setting.

Fills are pale and borders carry the hue, so that text keeps its contrast (at least 4.5:1 on
every fill, in both sets). Nodes that no fetch needs are grey and dashed, and their lines are faded.
"""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import hls_to_rgb
from dataclasses import dataclass

from ..layout.text_measure import ARROW_SIZE, DETAIL_SIZE, LABEL_SIZE
from .picture import BoxKind


@dataclass(frozen=True, slots=True)
class Hue:
    """Fill and border of one kind of box."""

    fill: str
    border: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of one page."""

    page: str
    ink: str
    faint: str
    line: str
    control: str
    scope: str
    scope_border: str
    scope_label: str
    kinds: dict[BoxKind, Hue]
    shared: tuple[Hue, ...]


SCOPE_HUES = (18, 178, 75, 290, 345, 265, 192, 310, 58, 3)
"""The hues of scopes of equal structure, by their numbers, in degrees: none is that of fed, fetched or plain boxes."""


def _shared(lightness: float, saturation: float) -> tuple[Hue, ...]:
    """The colours of scopes of equal structure, by their numbers; page.css has the same lightness
    and saturation."""
    return tuple(Hue(_hex(hue, lightness, saturation), _hex(hue, 0.52, 0.45)) for hue in SCOPE_HUES)


def _hex(hue: int, lightness: float, saturation: float) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(hue / 360, lightness, saturation))


LIGHT = Theme(
    page="#fbfcfd",
    ink="#1d2733",
    faint="#4b5a69",
    line="#6d7f91",
    control="#9a7bb5",
    scope="#5f7d9c",
    scope_border="#b9c7d5",
    scope_label="#3d5a78",
    kinds={
        BoxKind.FED: Hue("#fdf1d8", "#d9a441"),
        BoxKind.CONSTANT: Hue("#eef0f3", "#a3adb8"),
        BoxKind.VARIABLE: Hue("#fbe4ef", "#cf7fa6"),
        BoxKind.OPERATION: Hue("#e3eefa", "#6f9fd0"),
        BoxKind.FUSED: Hue("#d3e3f8", "#3f78bd"),
        BoxKind.FETCHED: Hue("#dcf3e4", "#4da673"),
        BoxKind.PRUNED: Hue("#f7f8f9", "#c3cad1"),
        BoxKind.GROUP: Hue("#e9e6f7", "#8f84c7"),
        BoxKind.LEVELS: Hue("#e0f1f3", "#5ba3ad"),
    },
    shared=_shared(0.88, 0.62),
)

DARK = Theme(
    page="#14191f",
    ink="#e8edf2",
    faint="#b3bfcb",
    line="#8294a6",
    control="#b79bd0",
    scope="#8fb0d1",
    scope_border="#3d4d5d",
    scope_label="#9dbbd8",
    kinds={
        BoxKind.FED: Hue("#4a3a14", "#d9a441"),
        BoxKind.CONSTANT: Hue("#2c333b", "#7b8794"),
        BoxKind.VARIABLE: Hue("#4a1f36", "#d689ae"),
        BoxKind.OPERATION: Hue("#1c3450", "#6f9fd0"),
        BoxKind.FUSED: Hue("#1d4478", "#86b3e8"),
        BoxKind.FETCHED: Hue("#17402a", "#57b881"),
        BoxKind.PRUNED: Hue("#1b2128", "#4a5562"),
        BoxKind.GROUP: Hue("#2f2a52", "#9c91d6"),
        BoxKind.LEVELS: Hue("#163c42", "#64b3be"),
    },
    shared=_shared(0.2, 0.42),
)

_SHAPES = f"""
text{{font-family:Helvetica,Arial,"Liberation Sans","Noto Sans",sans-serif}}
.name{{font-size:{LABEL_SIZE}px;font-weight:600}}
.detail,.legend{{font-size:{DETAIL_SIZE}px}}
.arrow-label{{font-size:{ARROW_SIZE}px}}
.scope-label{{font-size:{LABEL_SIZE}px;font-weight:600}}
.heading{{font-size:16px;font-weight:600}}
.box rect{{stroke-width:1.4}}
.line{{fill:none;stroke-width:1.3}}
.line.control{{stroke-dasharray:5 4}}
.scope rect{{fill-opacity:.07;stroke-width:1.2}}
.pruned rect{{stroke-dasharray:3 3}}
.line.faded{{opacity:.4}}
"""


def _rules(theme: Theme) -> str:
    kinds = "".join(
        f".{kind.value} rect{{fill:{hue.fill};stroke:{hue.border}}}" for kind, hue in theme.kinds.items()
    )
    return (
        f".page{{fill:{theme.page}}}.name,.heading{{fill:{theme.ink}}}"
        f".detail,.legend,.arrow-label{{fill:{theme.faint}}}"
        f".pruned text{{fill:{theme.faint}}}"
        f".line{{stroke:{theme.line}}}.head{{fill:{theme.line}}}"
        f".line.control{{stroke:{theme.control}}}.head.control{{fill:{theme.control}}}"
        f".line.write{{stroke:{theme.kinds[BoxKind.VARIABLE].border}}}"
        f".head.write{{fill:{theme.kinds[BoxKind.VARIABLE].border}}}"
        f".line.loop{{stroke:{theme.kinds[BoxKind.LEVELS].border}}}"
        f".head.loop{{fill:{theme.kinds[BoxKind.LEVELS].border}}}"
        f".scope rect{{fill:{theme.scope};stroke:{theme.scope_border}}}"
        f".scope-label{{fill:{theme.scope_label}}}{kinds}"
    )


STYLE = f"{_SHAPES}{_rules(LIGHT)}\n@media (prefers-color-scheme:dark){{{_rules(DARK)}}}\n"


def shared_rules(numbers: Iterable[int]) -> str:
    """The rules of the classes `hue0`, `hue1` ... of these numbers, for scopes of equal structure."""
    numbers = sorted(set(numbers))
    light, dark = ("".join(_shared_rule(theme.shared[each], each) for each in numbers) for theme in (LIGHT, DARK))
    return f"{light}\n@media (prefers-color-scheme:dark){{{dark}}}\n" if numbers else ""


def _shared_rule(hue: Hue, number: int) -> str:
    return (
        f".box.hue{number} rect{{fill:{hue.fill};stroke:{hue.border}}}"
        f".scope.hue{number} rect{{fill:{hue.border};stroke:{hue.border}}}"
    )


def page_rules() -> str:
    """The same colours as CSS variables, for a page on which the reader chooses light or dark."""
    light, dark = _variables(LIGHT), _variables(DARK)
    kinds = "".join(
        f".{kind}>.body,.swatch.{kind}{{fill:var(--{kind});stroke:var(--{kind}-border);"
        f"background:var(--{kind});border-color:var(--{kind}-border)}}"
        for kind in (kind.value for kind in LIGHT.kinds)
    )
    return (
        f":root{{color-scheme:light;{light}}}\n:root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"@media print{{:root,:root[data-theme=dark]{{color-scheme:light;{light}}}}}\n{kinds}\n"
    )


def _variables(theme: Theme) -> str:
    plain = {
        "page": theme.page,
        "ink": theme.ink,
        "faint": theme.faint,
        "line": theme.line,
        "control": theme.control,
        "scope": theme.scope,
        "scope-border": theme.scope_border,
        "scope-label": theme.scope_label,
    }
    colours = [f"--{name}:{value}" for name, value in plain.items()]
    for kind, hue in theme.kinds.items():
        colours += [f"--{kind.value}:{hue.fill}", f"--{kind.value}-border:{hue.border}"]
    return ";".join(colours)
