"""A picture as text for a terminal: a tree of scopes in program order, one line per box.

x  Placeholder  float32 (batch, 3)
dense/
  kernel  Const    float32 (3, 4)
  matmul  MatMul   float32 (batch, 4)  <- x, dense/kernel
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...printable_text import printable
from ..content.closed_scopes import collapse
from ..content.picture import Box, BoxKind, Group, Path, Picture, all_groups, members_in_order, sorted_arrows

_MARKS = {BoxKind.FETCHED: "  [fetched]", BoxKind.PRUNED: "  [not needed]"}
_WIDEST_NAME = 40


def text_tree(picture: Picture, full_names: bool = False) -> str:
    """The whole picture as indented text. Only scopes that are marked collapsed are closed.

    Args:
        picture: the picture.
        full_names: whether a line begins with the full name, `dense/kernel`, instead of the last part of it.

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
    members = members_in_order(picture)
    tree = _Tree(members, all_groups(picture), _inputs(picture), full_names)
    return "\n".join([*lines, *tree.lines(())]) + "\n"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _inputs(picture: Picture) -> dict[str, str]:
    data: dict[str, list[tuple[int, str]]] = {
        box.id: [(each.slot, printable(each.line)) for each in box.constants] for box in picture.boxes if box.constants
    }
    control: dict[str, list[str]] = {}
    following: dict[str, list[str]] = {}  # of loop variables
    for arrow in sorted_arrows(picture):
        name = arrow.tensors[0] if len(arrow.tensors) == 1 else arrow.source
        shown = printable(f"{name} ({arrow.label})" if len(arrow.tensors) > 1 else name)
        if arrow.kind == "write":
            continue  # its box says so
        if arrow.kind == "loop":
            following.setdefault(arrow.source, []).append(f"next {printable(arrow.tensors[0])}")
            continue
        if arrow.kind == "control":
            control.setdefault(arrow.target, []).append(shown)
        else:
            data.setdefault(arrow.target, []).append((arrow.slot, shown))
    texts: dict[str, str] = {}
    for target in data.keys() | control.keys() | following.keys():
        in_order = sorted(data.get(target, ()), key=lambda each: each[0])
        parts = ["<- " + ", ".join(shown for _, shown in in_order)] if in_order else []
        parts += ["after " + ", ".join(control[target])] if target in control else []
        texts[target] = "  ".join([*parts, *following.get(target, ())])
    return texts


@dataclass(frozen=True, slots=True)
class _Tree:
    """The lines of the tree: the members of each scope in program order, its boxes in columns."""

    members: Mapping[Path, Sequence[Box | Path]]
    groups: Mapping[Path, Group]
    inputs: Mapping[str, str]
    full_names: bool

    def lines(self, path: Path) -> Iterator[str]:
        """The lines of a scope with all its content."""
        indent = "  " * len(path)
        members = self.members[path]
        rows = {member.id: self._row(member) for member in members if isinstance(member, Box)}
        widths = [min(max(map(len, column)), _WIDEST_NAME) for column in zip(*rows.values(), strict=True)]
        for member in members:
            if isinstance(member, Box):
                cells = [cell.ljust(width) for cell, width in zip(rows[member.id], widths, strict=True) if width]
                line = "  ".join([*cells, self.inputs.get(member.id, "")]).rstrip() + _MARKS.get(member.kind, "")
                yield indent + line.rstrip()
            else:
                group = self.groups[member]
                label = group.label or member[-1]
                name = "/".join([*member[:-1], label if group.times > 1 else member[-1]]) if self.full_names else label
                each = f"  one of {group.times} equal scopes" if group.times > 1 else ""
                yield f"{indent}{printable(name)}/{each}"
                yield from self.lines(member)

    def _row(self, box: Box) -> tuple[str, str, str]:
        name = box.id if self.full_names else box.label
        return printable(name), printable(box.type), printable("  ".join(line for line in box.detail if line))
