"""The texts of a recorded run in boxes and on arrows: the shape that a value had, and a small value itself.

`float32 (batch, 3)` becomes `float32 (150, 3)`, and a value of at most six elements is written out:
`int32 (2,) = [150, 4]`. A value inside a fused group is not recorded; its shape follows from the shapes of the feeds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..runtime.observe.run_record import ResultRecord, RunRecord, members_of
from ..runtime.planning.memory_plan import sizes_of_feeds
from .from_graph import LONGEST_VALUE
from .page_stages import sized_text
from .picture import Box, Picture
from .text_measure import shorten
from .type_texts import outputs_text, type_text

_LONGEST_LINE = 40


def told(found: ResultRecord) -> str:
    """A value in one line: its type, followed by its elements if they are few, or by the number of bad ones.

    >>> told(ResultRecord("n:0", "int32", (2,), 8, None))
    'int32 (2,)'
    """
    value = found.value
    if value is None:
        return found.type
    if value.brief:
        return f"{found.type} = {shorten(value.brief, LONGEST_VALUE)}"
    return f"{found.type}, {value.bad}" if value.bad else found.type


def told_lines(texts: Sequence[str]) -> list[str]:
    """The lines of a box for the values of its outputs; a long value has a line of its own."""
    if len(texts) == 1 and len(texts[0]) > _LONGEST_LINE:
        kind, equals, value = texts[0].partition(" = ")
        return [kind, f"= {value}"] if equals else [kind]
    return outputs_text(texts)


class RunTexts:
    """What a recorded run says of the tensors of a graph and of its stages.

    named: the text of each tensor about which the run says more than the static type, as far as asked for.
    """

    def __init__(self, record: RunRecord, kept: Collection[str]) -> None:
        """`kept` are the names of the operations that the run needed."""
        self.named: dict[str, str] = {}
        self._found: dict[str, ResultRecord] = {}
        for (name, _), fed in zip(record.plan.feeds, record.feeds, strict=True):
            self._found[name] = fed
        for step in record.steps:
            for result in step.results:
                self._found.setdefault(result.name, result)
        missing = record.plan.steps[len(record.steps) :]  # a failed run did not come to them
        fed_nodes = (name.rpartition(":")[0] for name, _ in record.plan.feeds)
        self._ran = {*kept, *fed_nodes}.difference(*(members_of(step) for step in missing))
        self._ran.difference_update(step.node for step in missing)
        self._sizes = sizes_of_feeds(record.plan, tuple(fed.shape for fed in record.feeds))
        # By the ids of dtype and shape. Both are kept too, so their ids are not reused.
        self._types: dict[tuple[int, int], tuple[object, object, str, str]] = {}

    def lines_of(self, picture: Picture, operations: dict[str, Any]) -> dict[int, list[str]]:
        """The lines of the run in place of `Box.detail`, by the position of the box; only where they differ."""
        found = {}
        for place, box in enumerate(picture.boxes):
            lines = self._lines(box, operations[box.id])
            if lines is not None:
                found[place] = lines
        return found

    def _lines(self, box: Box, op: Any) -> list[str] | None:
        if op.name not in self._ran:
            return None
        static, ran = [], []
        for tensor in op.outputs:
            plain, text = self._texts(tensor)
            static.append(plain)
            ran.append(text)
            if plain != text:
                self.named[tensor.name] = text
        if static == ran:
            return None
        before = outputs_text(static)
        for start in range(len(box.detail) - len(before) + 1):
            if list(box.detail[start : start + len(before)]) == before:
                return [*box.detail[:start], *told_lines(ran), *box.detail[start + len(before) :]]
        return None

    def _texts(self, tensor: Any) -> tuple[str, str]:
        """The static type, and what the run says."""
        dtype, shape = tensor.dtype, tensor.shape
        known = self._types.get((id(dtype), id(shape)))
        if known is None:
            static = type_text(tensor)
            text = f"{dtype.name} {sized_text(shape.raw, self._sizes)}"
            known = dtype, shape, static, static if "?" in text else text
            self._types[id(dtype), id(shape)] = known
        result = self._found.get(tensor.name)
        return known[2], known[3] if result is None else told(result)
