"""Constants as labels at the operands that they feed: `axis = 1` in the box of the op that reads it.

A third of the nodes of a typical graph are constants, and most of them say one number to one op. In a picture such a
constant is a line in the box of each consumer, named after the parameter of the op. A small one shows its value, a
large one its type, and a constant that has a name of its own shows that too:

    axis = 1                          small
    y = rate: 0.1                     small, named by the user
    b: float32 (784, 10)              large
    b = kernel: float32 (784, 10)     large, named by the user

A constant stays a box if it is fed or fetched, if nothing reads it, and if it has control edges.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Literal

from .picture import Arrow, Box, BoxKind, LabelledConstant, Picture, sorted_arrows

Constants = Literal["labels", "boxes"]
INITIALIZER = "initializer"
"""The operand of a control edge from the initializer of a variable to what runs it, which says so itself."""
_FOLDED = (BoxKind.CONSTANT, BoxKind.PRUNED)
_NUMBERED = re.compile(r"_\d+$")


def drawn_with(picture: Picture, constants: Constants) -> Picture:
    """The picture with its constants as "labels" or as "boxes"; `picture` has them as boxes.

    Raises ValueError for any other way to draw them.
    """
    if constants not in ("labels", "boxes"):
        raise ValueError(f"constants={constants!r}: constants are drawn as 'labels' or as 'boxes'")
    if constants == "boxes":
        return picture
    if any(arrow.operand == INITIALIZER for arrow in picture.arrows):
        picture = replace(picture, arrows=tuple([each for each in picture.arrows if each.operand != INITIALIZER]))
    return constants_as_labels(picture)


def constants_as_labels(picture: Picture) -> Picture:
    """The picture with each constant as a label of the boxes that read it.

    >>> axis = Box("sum/axis", "axis", BoxKind.CONSTANT, "Const", is_constant=True, value="1")
    >>> picture = Picture("", (axis, Box("sum", "sum")), (Arrow("sum/axis", "sum", operand="axis", slot=1),))
    >>> [box.constants[0].line for box in constants_as_labels(picture).boxes]
    ['axis = 1']
    """
    readers: dict[str, list[Arrow]] = {
        box.id: [] for box in picture.boxes if box.is_constant and box.kind in _FOLDED
    }
    if not readers:
        return picture
    for arrow in sorted_arrows(picture):
        readers.pop(arrow.target, None)  # it is a constant with an input, which is a control edge
        if arrow.kind == "control":
            readers.pop(arrow.source, None)
        elif arrow.source in readers:
            readers[arrow.source].append(arrow)
    boxes = {box.id: box for box in picture.boxes}
    labels: dict[str, list[LabelledConstant]] = {}
    gone: set[str] = set()
    for name, arrows in readers.items():
        if arrows:
            gone.add(name)
        for arrow in arrows:
            labels.setdefault(arrow.target, []).append(_label(boxes[name], arrow, len(arrows) > 1, boxes))
    return replace(
        picture,
        boxes=tuple(_with_labels(box, labels.get(box.id, ())) for box in picture.boxes if box.id not in gone),
        arrows=tuple(arrow for arrow in picture.arrows if arrow.source not in gone),
    )


def _with_labels(box: Box, labels: Iterable[LabelledConstant]) -> Box:
    in_order = tuple(sorted(labels, key=lambda label: label.slot))
    return replace(box, constants=in_order) if in_order else box


def _label(constant: Box, arrow: Arrow, is_shared: bool, boxes: Container[str]) -> LabelledConstant:
    """The label of a constant at one of its readers."""
    operand = arrow.operand or f"input {arrow.slot}"
    kind, value = constant.detail[0] if constant.detail else "", constant.value
    if (is_shared and not value) or _has_name(constant, operand, boxes):
        line = f"{operand} = {constant.label}: {value or kind or constant.type}"
    else:
        line = f"{operand} = {value}" if value else f"{operand}: {kind or constant.type}"
    return LabelledConstant(constant.id, operand, line, kind, value, arrow.slot)


def _has_name(constant: Box, operand: str, boxes: Container[str]) -> bool:
    """Whether a constant has a name of its own: not that of the operand or of the op type, and not made for an op."""
    operand = operand.rpartition(" ")[2]  # in a fused group "RealDiv y"
    if constant.label in (operand, constant.type) or constant.id.rpartition("/")[0] in boxes:
        return False
    return _NUMBERED.sub("", constant.label) not in (constant.type, operand.partition("[")[0])
