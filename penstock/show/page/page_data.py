"""A picture as plain data for a page.

The data are lists of numbers and texts, with each text once in a table: a page of 100,000 nodes must stay small enough
to open. `Texts` is that table. `view_of` writes a picture as scopes, boxes and arrows that refer to each other by
number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..content.picture import Arrow, ArrowKind, Face, Picture, sorted_arrows
from .page_scopes import homes, page_scopes

Row = list[Any]
_ARROWS: tuple[ArrowKind, ...] = ("data", "control", "write", "loop")


class Texts:
    """A table of texts; the same text has one number, and "" has number 0."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str) -> int:
        """The place of `text` in the table."""
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """The places of all of them."""
        return [self.number(text) for text in texts]

    @property
    def table(self) -> list[str]:
        """All texts in the order of their numbers."""
        return list(self._numbers)


def view_of(picture: Picture, texts: Texts, card_of: Callable[[str], int]) -> dict[str, Any]:
    """The picture as data: `card_of` gives the number of a box's card, -1 where it has none.

    scopes: [parent, label, path, kind, "13 operations", types, open, hue in degrees or -1, number of its first box],
        and the `_face` of one that has one. The operations and types of a row are those of each of its scopes.
    fewer: lists of numbers of scopes, which are closed one list after the other where the drawing is too large.
    boxes: [id, label, kind, type, detail, scope, paint, card, constants]; a constant is [operand, line, name, card].
    arrows: [source, target, label, kind, tensors, slot, type]; kind is its place in `_ARROWS`.
        `tensors` is a list of names, or the output number of the source if the arrow carries exactly that output.
    """
    scopes, fewer = page_scopes(picture)
    home = homes(scopes)
    place = {box.id: number for number, box in enumerate(picture.boxes)}
    firsts = [min((place[box.id] for box in scope.inside), default=0) for _, scope in scopes]
    return {
        "scopes": [
            [parent, *scope.row, first, *_face(scope.face, place, texts, scope.of)]
            for (parent, scope), first in zip(scopes, firsts, strict=True)
        ],
        "boxes": [
            [
                box.id,
                box.label,
                box.kind.value,
                texts.number(box.type),
                texts.numbers(box.detail),
                home[box.id],
                box.paint,
                card_of(box.id),
                [
                    [texts.number(each.operand), texts.number(each.line), each.name, card_of(each.name)]
                    for each in box.constants
                ],
            ]
            for box in picture.boxes
        ],
        "arrows": [_arrow(arrow, place, texts) for arrow in sorted_arrows(picture)],
        "fewer": fewer,
        "legend": [[entry.label, entry.kind.value, entry.paint] for entry in picture.legend],
    }


def _face(face: Face | None, place: dict[str, int], texts: Texts, of: Sequence[str]) -> Row:
    """What a scope is drawn as when it is closed, and the numbers of the boxes whose derivatives are inside.

    It is [label, kind, type, detail, number of the box that it looks like, 1 if no lines from variables lead to it].
    """
    if face is None:
        return [0, [place[name] for name in of]] if of else []
    looks_like = place.get(face.box, -1)
    texts_of = texts.number(face.type), texts.numbers(face.detail)
    return [[face.label, face.kind.value, *texts_of, looks_like, int(face.is_quiet)]]


def _arrow(arrow: Arrow, place: dict[str, int], texts: Texts) -> Row:
    tensors: object = list(arrow.tensors)
    if len(arrow.tensors) == 1:
        source, _, index = arrow.tensors[0].rpartition(":")
        if source == arrow.source and index.isascii() and index.isdigit() and str(int(index[:9])) == index:
            tensors = int(index)
    return [
        place[arrow.source],
        place[arrow.target],
        texts.number(arrow.label),
        _ARROWS.index(arrow.kind),
        tensors,
        arrow.slot,
        texts.number(arrow.type),
    ]
