"""`Picture`: boxes joined by arrows, some of them inside groups, independent of how they are drawn.

Exporters (text, DOT, SVG) and the layout know these dataclasses, and nothing of graphs, plans or run records. To
be drawn, an object is turned into a `Picture`.

    Picture ─┬─ Box    one operation, or one closed group, or one run of levels
             ├─ Arrow  one tensor (or several merged ones) from box to box, or a control edge
             └─ Group  a scope: its path is a tuple, ("tower", "dense")

Boxes are in program order: the order in which operations were made, or in which steps run. Exporters and the layout
keep it, also between scopes: a scope stands where its first box stands. The order of arrows has no meaning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Path = tuple[str, ...]
ArrowKind = Literal["data", "control", "write", "loop"]
BACKWARDS: tuple[ArrowKind, ...] = ("write", "loop")
"""The kinds of arrows whose head is at their source: they lead from the end of a run, or an iteration, to the next."""
Direction = Literal["auto", "down", "right"]
DIRECTIONS: tuple[Direction, ...] = ("auto", "down", "right")
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
class LabelledConstant:
    """A constant that is written in the box of an operation that reads it, instead of in a box of its own.

    Attributes:
        name: the name of the constant.
        operand: the parameter of the operation that it is given to, such as "axis" or "values[1]".
        line: the text in the box, such as "axis = 1" or "b = kernel: float32 (784, 10)".
        type: its type.
        value: its value if it is small, as text.
        slot: which input of the operation it is.
    """

    name: str
    operand: str
    line: str
    type: str = ""
    value: str = ""
    slot: int = 0


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
        alike: what boxes of equal structure have in common besides the type, such as attributes, dtypes and shapes;
            `detail` if it is empty.
        hue: the number of the colour that scopes of equal structure share; -1 for the colour of the kind.
        constants: the constants that are written in it, in the order of the inputs.
        is_constant: whether it stands for a constant.
        value: the value of a small constant, as text.
    """

    id: str
    label: str
    kind: BoxKind = BoxKind.OPERATION
    type: str = ""
    detail: tuple[str, ...] = ()
    group: Path = ()
    paint: str = ""
    contents: tuple[tuple[str, int], ...] = ()
    alike: tuple[str, ...] = ()
    hue: int = -1
    constants: tuple[LabelledConstant, ...] = ()
    is_constant: bool = False
    value: str = ""

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
        label: the text beside it: what its source does not say, such as which of several outputs it carries.
        kind: "data" for tensors, "control" for an order, "write" between a variable and what changes it, "loop" between
            a loop variable and the result that is its next value. The head of the last two is at the variable, which
            is their source: they lead back.
        tensors: the names of the tensors that it stands for.
        slot: which input of the target it is.
        operand: what the target's op calls that input, such as "axis" or "values[1]".
        type: the type of its tensor, or of all its tensors; "" if they differ.
    """

    source: str
    target: str
    label: str = ""
    kind: ArrowKind = "data"
    tensors: tuple[str, ...] = ()
    slot: int = 0
    operand: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Face:
    """What a closed scope is drawn as instead of as a count of operations.

    Attributes:
        label: the text in it.
        kind: what it stands for.
        type: the op type.
        detail: further lines.
        box: the id of the box inside that it shows: a type at an arrow from there would say it twice.
        is_quiet: whether no lines lead to it from the variables that it writes; its label and detail name them.
    """

    label: str
    kind: BoxKind = BoxKind.GROUP
    type: str = ""
    detail: tuple[str, ...] = ()
    box: str = ""
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A scope of a picture.

    Attributes:
        path: the names of the scopes around it and its own.
        label: the text of its frame; the last name of the path if it is "".
        collapsed: whether it is drawn as a single box.
        folded: whether it is collapsed only as long as no depth is given.
        open: whether a depth leaves it open; it is then the last to be closed for lack of room.
        times: how many scopes of equal structure it stands for.
        hue: the number of the colour that scopes of equal structure share; -1 for none.
        face: what it is drawn as when it is closed; None for a count of what is inside.
        opens_for_room: whether a still picture opens it, though it is folded, if it fits a screen then.
        of: the ids of the boxes whose derivatives are inside. A line leads from them to the closed scope, also where
            these need no value of theirs.
    """

    path: Path
    label: str = ""
    collapsed: bool = False
    open: bool = False
    times: int = 1
    hue: int = -1
    folded: bool = False
    face: Face | None = None
    opens_for_room: bool = False
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of the legend.

    Attributes:
        label: its text.
        kind: the kind of box whose colour it explains.
        paint: a CSS colour instead of that of the kind.
        hue: the number of a colour that scopes of equal structure share, instead of that of the kind; -1 for none.
    """

    label: str
    kind: BoxKind = BoxKind.OPERATION
    paint: str = ""
    hue: int = -1


_PAINT = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]+")


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes, arrows and groups under one title.

    Attributes:
        title: the title.
        boxes: the boxes in program order; their ids are all different.
        arrows: the arrows between them.
        groups: the scopes that are marked or have labels of their own.
        legend: the lines of the legend.
        direction: the way in which arrows point, "down" or "right"; "auto" takes the one that fits a screen better.

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
    direction: Direction = "auto"
    # The arrows in order, computed on first use: several parts of an export need them.
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


def sorted_arrows(picture: Picture) -> list[Arrow]:
    """The arrows in a stable order, by their ends first: two arrows compare equal only if they are equal."""
    found: list[Arrow] | None = picture._sorted.get("arrows")
    if found is None:
        ranks = {box.id: rank for rank, box in enumerate(picture.boxes)}

        def key(arrow: Arrow) -> tuple[int, int, str, str, tuple[str, ...], int, str, str]:
            ends = ranks[arrow.source], ranks[arrow.target]
            return (*ends, arrow.kind, arrow.label, arrow.tensors, arrow.slot, arrow.operand, arrow.type)

        found = picture._sorted["arrows"] = sorted(picture.arrows, key=key)
    return list(found)


def all_groups(picture: Picture) -> dict[Path, Group]:
    """Every group by path, parents first and siblings in program order: listed ones and those that boxes mention.

    A listed group without a box in it is not drawn.
    """
    listed = {group.path: group for group in picture.groups}
    children: dict[Path, dict[Path, None]] = {}
    for path in dict.fromkeys(box.group for box in picture.boxes):
        for length in range(1, len(path) + 1):
            children.setdefault(path[: length - 1], {}).setdefault(path[:length])
    found: dict[Path, Group] = {}
    waiting = list(reversed(children.get((), {})))
    while waiting:
        path = waiting.pop()
        found[path] = listed.get(path, Group(path, path[-1]))
        waiting += reversed(children.get(path, {}))
    return found


def members_in_order(picture: Picture) -> dict[Path, list[Box | Path]]:
    """The members of each group, and of the picture under `()`: boxes and inner groups in program order."""
    members: dict[Path, list[Box | Path]] = {(): []}
    for box in picture.boxes:
        if box.group not in members:
            for length in range(1, len(box.group) + 1):
                path = box.group[:length]
                if path not in members:
                    members[path] = []
                    members[path[:-1]].append(path)
        members[box.group].append(box)
    return members


def legend_of(picture: Picture) -> tuple[LegendEntry, ...]:
    """The picture's own legend, else one entry for each kind of box that occurs."""
    if picture.legend:
        return picture.legend
    kinds = {box.kind for box in picture.boxes if box.hue < 0}
    hues = hues_of(picture)
    shared = [LegendEntry("one colour: scopes that are equal inside", BoxKind.GROUP, hue=hues[0])] if hues else []
    return (*(LegendEntry(label, kind) for kind, label in KIND_LABELS.items() if kind in kinds), *shared)


def hues_of(picture: Picture) -> list[int]:
    """The numbers of the colours that scopes of equal structure have in this picture."""
    groups = [group.hue for group in all_groups(picture).values()]
    return sorted({hue for hue in (*groups, *(box.hue for box in picture.boxes)) if hue >= 0})
