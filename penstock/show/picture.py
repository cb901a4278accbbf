"""`Picture`: boxes joined by arrows, some of them inside groups, independent of how they are drawn.

Exporters (text, DOT, SVG) and the layout know these five dataclasses, and nothing of graphs, plans or run records. To
be drawn, an object is turned into a `Picture`.

    Picture ─┬─ Box    one operation, or one closed group, or one run of levels
             ├─ Arrow  one tensor (or several merged ones) from box to box, or a control edge
             └─ Group  a scope: its path is a tuple, ("tower", "dense")

The order of boxes and arrows has no meaning: every exporter sorts by `natural_key` of the ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Path = tuple[str, ...]
ArrowKind = Literal["data", "control"]
NaturalKey = tuple[tuple[str | int, ...], str]


class BoxKind(StrEnum):
    """What a box stands for; exporters choose the colour by it."""

    FED = "fed"
    CONSTANT = "constant"
    VARIABLE = "variable"
    OPERATION = "operation"
    FUSED = "fused"
    FETCHED = "fetched"
    PRUNED = "pruned"
    GROUP = "group"
    LEVELS = "levels"


KIND_LABELS: dict[BoxKind, str] = {
    BoxKind.FED: "fed (placeholder)",
    BoxKind.CONSTANT: "constant",
    BoxKind.VARIABLE: "variable (kept between runs)",
    BoxKind.OPERATION: "operation",
    BoxKind.FUSED: "fused: several operations in one step",
    BoxKind.FETCHED: "fetched",
    BoxKind.PRUNED: "not needed",
    BoxKind.GROUP: "closed scope",
    BoxKind.LEVELS: "run of levels",
}


@dataclass(frozen=True, slots=True)
class Box:
    """One rectangle of a picture.

    Attributes:
        id: its name in the picture, which arrows use.
        label: the text in it.
        kind: what it stands for.
        type: the op type.
        detail: further lines, such as "float32 (batch, 3)".
        group: the path of the scope that it is in.
        paint: a CSS colour (`#rgb`, `#rrggbb` or a colour word) that replaces that of the kind.
        contents: the op types, with their numbers, of a box that stands for several operations.
    """

    id: str
    label: str
    kind: BoxKind = BoxKind.OPERATION
    type: str = ""
    detail: tuple[str, ...] = ()
    group: Path = ()
    paint: str = ""
    contents: tuple[tuple[str, int], ...] = ()

    def counts(self) -> tuple[tuple[str, int], ...]:
        """The op types in this box with their numbers; a plain box counts itself.

        Returns:
            A tuple of pairs (op type, number).

        >>> from penstock.show import Box
        >>> Box("a", "a", type="Add").counts()
        (('Add', 1),)
        """
        return self.contents or ((self.type or self.kind.value, 1),)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from box to box.

    Attributes:
        source: the id of the box where it begins.
        target: the id of the box where it ends.
        label: the text beside it.
        kind: "data" for tensors or "control" for an order.
        tensors: the names of the tensors that it stands for.
        slot: which input of the target it is.
    """

    source: str
    target: str
    label: str = ""
    kind: ArrowKind = "data"
    tensors: tuple[str, ...] = ()
    slot: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A scope of a picture.

    Attributes:
        path: the names of the scopes around it and its own.
        label: the text of its frame; the last name of the path if it is "".
        collapsed: whether it is drawn as a single box.
        open: whether a depth leaves it open; it is then the last to be closed for lack of room.
    """

    path: Path
    label: str = ""
    collapsed: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of the legend.

    Attributes:
        label: its text.
        kind: the kind of box whose colour it explains.
        paint: a CSS colour instead of that of the kind.
    """

    label: str
    kind: BoxKind = BoxKind.OPERATION
    paint: str = ""


_PAINT = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]+")


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes, arrows and groups under one title.

    Attributes:
        title: the title.
        boxes: the boxes; their ids are all different.
        arrows: the arrows between them.
        groups: the scopes that are marked or have labels of their own.
        legend: the lines of the legend.

    >>> from penstock.show import Arrow, Box, Picture
    >>> picture = Picture("two", (Box("a", "a"), Box("b", "b")), (Arrow("a", "b", "float32 (3,)"),))
    >>> [box.id for box in picture.boxes]
    ['a', 'b']
    """

    title: str = ""
    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    groups: tuple[Group, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    # Boxes and arrows in order, computed on first use: sorting the names of a large graph takes most of an export.
    _sorted: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_boxes(self.boxes)
        _check_arrows(self.arrows, {box.id for box in self.boxes})
        for box in self.boxes:
            _check_paint(box.label, box.paint)
        for entry in self.legend:
            _check_paint(entry.label, entry.paint)


def _check_boxes(boxes: tuple[Box, ...]) -> None:
    seen: set[str] = set()
    for box in boxes:
        if box.id in seen:
            raise ValueError(
                f"Picture(boxes={len(boxes)}): the id {box.id!r} occurs twice; box ids must be unique. "
                f"Give one of the two boxes another id."
            )
        seen.add(box.id)


def _check_arrows(arrows: tuple[Arrow, ...], ids: set[str]) -> None:
    for arrow in arrows:
        for end in (arrow.source, arrow.target):
            if end not in ids:
                raise ValueError(
                    f"Picture(arrows={len(arrows)}): the arrow {arrow.source!r} -> {arrow.target!r} names "
                    f"{end!r}, which is not a box; both ends must be box ids. Add that box or drop the arrow."
                )


def _check_paint(label: str, paint: str) -> None:
    if paint and not _PAINT.fullmatch(paint):
        raise ValueError(
            f"Picture: {label!r} has paint {paint!r}; a paint must be #rgb, #rrggbb or a colour word. "
            f"Write for example '#cde'."
        )


# At most 18 digits at a time: int() refuses very long digit strings, and names may be anything.
_DIGITS = re.compile(r"([0-9]{1,18})")


def natural_key(text: str) -> NaturalKey:
    """A sort key under which `a_2` comes before `a_10`.

    >>> sorted(["a_10", "a_2"], key=natural_key)
    ['a_2', 'a_10']
    """
    parts: list[str | int] = [*_DIGITS.split(text)]
    parts[1::2] = map(int, parts[1::2])
    return tuple(parts), text


def path_key(path: Path) -> tuple[NaturalKey, ...]:
    """The natural order of scopes: parents before their children."""
    return tuple(natural_key(name) for name in path)


def sorted_boxes(picture: Picture) -> list[Box]:
    """The boxes in natural order of their ids."""
    found: list[Box] | None = picture._sorted.get("boxes")
    if found is None:
        found = picture._sorted["boxes"] = sorted(picture.boxes, key=lambda box: natural_key(box.id))
    return list(found)


def box_ranks(picture: Picture) -> dict[str, int]:
    """The place of each box in natural order, by its id."""
    found: dict[str, int] | None = picture._sorted.get("ranks")
    if found is None:
        found = picture._sorted["ranks"] = {box.id: rank for rank, box in enumerate(sorted_boxes(picture))}
    return found


def sorted_arrows(picture: Picture) -> list[Arrow]:
    """The arrows in a stable order, by their ends first: two arrows compare equal only if they are equal."""
    found: list[Arrow] | None = picture._sorted.get("arrows")
    if found is None:
        ranks = box_ranks(picture)

        def key(arrow: Arrow) -> tuple[int, int, str, str, tuple[str, ...], int]:
            return ranks[arrow.source], ranks[arrow.target], arrow.kind, arrow.label, arrow.tensors, arrow.slot

        found = picture._sorted["arrows"] = sorted(picture.arrows, key=key)
    return list(found)


def all_groups(picture: Picture) -> dict[Path, Group]:
    """Every group by path, parents first: the listed ones and those that boxes only mention."""
    listed = {group.path: group for group in picture.groups}
    paths = {path[:length] for path in _paths(picture) for length in range(1, len(path) + 1)}
    return {path: listed.get(path, Group(path, path[-1])) for path in sorted(paths, key=path_key)}


def groups_by_parent(groups: Iterable[Path]) -> dict[Path, list[Path]]:
    """The groups directly inside each group, in natural order; the top-level ones are under `()`."""
    inside: dict[Path, list[Path]] = {}
    for path in sorted(groups, key=path_key):
        inside.setdefault(path[:-1], []).append(path)
    return inside


def _paths(picture: Picture) -> set[Path]:
    # A listed group without a box in it is not drawn.
    return {box.group for box in picture.boxes}


def legend_of(picture: Picture) -> tuple[LegendEntry, ...]:
    """The picture's own legend, else one entry for each kind of box that occurs."""
    if picture.legend:
        return picture.legend
    kinds = {box.kind for box in picture.boxes}
    return tuple(LegendEntry(label, kind) for kind, label in KIND_LABELS.items() if kind in kinds)
