"""A picture as text for a terminal: a tree of scopes, producers above consumers, one line per box.

dense/
  kernel  Const    float32 (3, 4)
  matmul  MatMul   float32 (batch, 4)  <- x, dense/kernel
x  Placeholder  float32 (batch, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..graph.inspect.printable_text import printable
from .closed_scopes import collapse
from .layering import picture_levels
from .picture import Box, BoxKind, Path, Picture, all_groups, groups_by_parent, sorted_arrows, sorted_boxes

_MARKS = {BoxKind.FETCHED: "  [fetched]", BoxKind.PRUNED: "  [not needed]"}
_WIDEST_NAME = 40


def text_tree(picture: Picture) -> str:
    """The whole picture as indented text. Only scopes that are marked collapsed are closed.

    Args:
        picture: the picture.

    Returns:
        The text of a .txt file.

    >>> from penstock.show import Arrow, Box, Picture, text_tree
    >>> picture = Picture("", (Box("a", "a", type="Const"), Box("b", "b", type="Neg")), (Arrow("a", "b"),))
    >>> print(text_tree(picture), end="")
    2 boxes, 1 arrow
    a  Const
    b  Neg    <- a
    """
    picture = collapse(picture)
    lines = [printable(picture.title)] if picture.title else []
    lines.append(
        f"{_count(len(picture.boxes), 'box', 'boxes')}, {_count(len(picture.arrows), 'arrow', 'arrows')}"
    )
    levels = picture_levels(picture)
    members: dict[Path, list[Box]] = {}
    for box in sorted(sorted_boxes(picture), key=lambda box: levels[box.id]):
        members.setdefault(box.group, []).append(box)
    inputs = _inputs(picture)
    labels = {path: group.label or path[-1] for path, group in all_groups(picture).items()}
    lines += _scope((), groups_by_parent(labels), labels, members, inputs)
    return "\n".join(lines) + "\n"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _inputs(picture: Picture) -> dict[str, str]:
    data: dict[str, list[str]] = {}
    control: dict[str, list[str]] = {}
    for arrow in sorted(sorted_arrows(picture), key=lambda arrow: arrow.slot):
        column = control if arrow.kind == "control" else data
        name = arrow.tensors[0] if len(arrow.tensors) == 1 else arrow.source
        shown = f"{name} ({arrow.label})" if len(arrow.tensors) > 1 else name
        column.setdefault(arrow.target, []).append(printable(shown))
    texts: dict[str, str] = {}
    for target in data.keys() | control.keys():
        parts = ["<- " + ", ".join(data[target])] if target in data else []
        parts += ["after " + ", ".join(control[target])] if target in control else []
        texts[target] = "  ".join(parts)
    return texts


def _scope(
    path: Path,
    inside: Mapping[Path, Sequence[Path]],
    labels: Mapping[Path, str],
    members: Mapping[Path, Sequence[Box]],
    inputs: Mapping[str, str],
) -> Iterable[str]:
    indent = "  " * len(path)
    boxes = members.get(path, ())
    yield from (indent + line for line in _table(boxes, inputs))
    for inner in inside.get(path, ()):
        yield f"{indent}{printable(labels[inner])}/"
        yield from _scope(inner, inside, labels, members, inputs)


def _table(boxes: Sequence[Box], inputs: Mapping[str, str]) -> Iterable[str]:
    rows = [
        (printable(box.label), printable(box.type), printable("  ".join(line for line in box.detail if line)))
        for box in boxes
    ]
    widths = [min(max((len(row[column]) for row in rows), default=0), _WIDEST_NAME) for column in range(3)]
    for box, row in zip(boxes, rows, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        yield ("  ".join([*cells, inputs.get(box.id, "")]).rstrip() + _MARKS.get(box.kind, "")).rstrip()
