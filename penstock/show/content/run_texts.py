"""The texts of a recorded run in boxes and on arrows: the shape that a value had, and a small value itself.

`float32 (batch, 3)` becomes `float32 (150, 3)`, and a value of at most six elements is written out:
`int32 (2,) = [150, 4]`. A value inside a fused group is not recorded; its shape follows from the shapes of the feeds
and of the values that are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...graph.model.nodes import Operation
from ...graph.shapes.dimension import Dim, Dimension, Symbol, read_sizes
from ...graph.shapes.dtypes import variant
from ...runtime.observe.run_record import ResultRecord, RunRecord, members_of
from ...runtime.planning.memory_plan import sizes_of_feeds
from ..layout.text_measure import shorten
from ..page.page_stages import size_in, sized_text
from .nested_graphs import operands_of_inputs, output_names
from .picture import Picture
from .type_texts import TypeTexts, outputs_text, type_text

_LONGEST_LINE = 44
_SHORTEST_VALUE = 12


def told(result: ResultRecord) -> str:
    """A value in one line: its type, followed by its elements if they are few, or by the number of bad ones.

    >>> told(ResultRecord("n:0", "int32", (2,), 8, None))
    'int32 (2,)'
    """
    value = result.value
    if value is None:
        return result.type
    if value.brief:
        return f"{result.type} = {cut_value(value.brief, max(_LONGEST_LINE - len(result.type) - 3, _SHORTEST_VALUE))}"
    return f"{result.type}, {value.bad}" if value.bad else result.type


def _held_now(result: ResultRecord) -> str:
    """What a variant held: "TensorArray (4): 2 of 4 float32 written"."""
    return ": ".join(filter(None, (result.type, str(result.value))))


def told_lines(found: ResultRecord) -> list[str]:
    """The same for the only output of a box; a long value has a line of its own."""
    brief = found.value.brief if found.value is not None else ""
    if len(found.type) + 3 + len(brief) <= _LONGEST_LINE:
        return [told(found)]
    return [found.type, f"= {cut_value(brief, _LONGEST_LINE - 2)}"]


def cut_value(text: str, longest: int) -> str:
    """The first elements of a value that have room, with the brackets closed.

    >>> cut_value("[[0.25, 0.5], [0.75, 1.0]]", 20), cut_value("0.25", 12)
    ('[[0.25, 0.5], …]', '0.25')
    """
    if len(text) <= longest:
        return text
    for end in range(min(longest, len(text)) - 3, 0, -1):
        start = text[:end]
        brackets = start.count("[") - start.count("]")
        if text[end : end + 2] == ", " and end + 3 + brackets <= longest:
            return f"{start}, …{']' * brackets}"
    return shorten(text, longest)


class RunTexts:
    """What a recorded run says of the tensors of a graph and of its stages."""

    def __init__(self, record: RunRecord, kept: Collection[str]) -> None:
        """`kept` are the names of the operations that the run needed."""
        self._found: dict[str, ResultRecord] = {}
        self._groups = {step.node: step.results for step in record.steps if step.op == "Fused"}
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
        self._held = TypeTexts()

    def of(self, picture: Picture, operations: Mapping[str, Any]) -> tuple[dict[int, list[str]], dict[str, str]]:
        """The lines in place of `Box.detail` by the position of the box, and the text of each tensor by its name.

        Both only where the run says more than the static type.
        """
        self._read_recorded(operations)
        self._held = TypeTexts(operands=operands_of_inputs(operations.values()))
        lines: dict[int, list[str]] = {}
        named: dict[str, str] = {}
        for place, box in enumerate(picture.boxes):
            op = operations[box.id]
            if op.name not in self._ran:
                continue
            results = self._results(op)
            texts = [self._texts(*each) for each in zip(op.outputs, results, strict=True)]
            if all(static == ran for static, ran in texts):
                continue
            named.update((t.name, ran) for t, (static, ran) in zip(op.outputs, texts, strict=True) if static != ran)
            called = output_names(getattr(op, "stands_for", op))
            made = outputs_text([ran for _, ran in texts], called)
            if len(results) == 1 and results[0] is not None and op.outputs[0].dtype is not variant:
                made = told_lines(results[0])
            found = _replaced(box.detail, outputs_text([static for static, _ in texts], called), made)
            if found is not None:
                lines[place] = found
        return lines, named

    def _read_recorded(self, operations: Mapping[str, Any]) -> None:
        """Take the sizes that only a run knows from the recorded results, then those that a broadcast makes of them."""
        ran = [op for op in operations.values() if op.name in self._ran]
        for op in ran:
            for tensor, result in zip(op.outputs, self._results(op), strict=True):
                if result is not None:
                    read_sizes(tensor.shape.raw, result.shape, self._sizes)
        for op in ran:
            if isinstance(op, Operation) and op.opdef.facts.elementwise:  # no stand-in for a body
                for symbol in _open_symbols(op.outputs[0].shape.raw, self._sizes):
                    sizes = [size_in(size, self._sizes) for size in symbol.sizes]
                    known = [size for size in sizes if size is not None]
                    if known and len(known) == len(sizes):
                        self._sizes[symbol] = next((size for size in known if size != 1), 1)

    def _results(self, op: Any) -> Sequence[ResultRecord | None]:
        """The recorded results of an operation; those of a fused group have the names of the nodes inside it."""
        group = self._groups.get(op.name) if op.type == "Fused" else None
        if group is not None and len(group) == len(op.outputs):
            return group
        return [self._found.get(tensor.name) for tensor in op.outputs]

    def _texts(self, tensor: Any, result: ResultRecord | None) -> tuple[str, str]:
        """The static type, and what the run says."""
        dtype, shape = tensor.dtype, tensor.shape
        if dtype is variant:
            held = self._held.of(tensor)
            return held, held if result is None or result.value is None else _held_now(result)
        known = self._types.get((id(dtype), id(shape)))
        if known is None:
            static = type_text(tensor)
            text = f"{dtype.name} {sized_text(shape.raw, self._sizes)}"
            known = dtype, shape, static, static if "?" in text else text
            self._types[id(dtype), id(shape)] = known
        return known[2], known[3] if result is None else told(result)


def _open_symbols(shape: Sequence[Dim] | None, sizes: Mapping[Symbol, int]) -> Iterator[Symbol]:
    """The dimensions of a shape that are one symbol whose size is not in `sizes`."""
    for dim in shape or ():
        if isinstance(dim, Dimension) and dim.symbol is not None and dim.symbol not in sizes:
            yield dim.symbol


def _replaced(detail: Sequence[str], before: Sequence[str], made: Sequence[str]) -> list[str] | None:
    """`detail` with `made` where the lines `before` are; None if it does not have them."""
    for start in range(len(detail) - len(before) + 1):
        if list(detail[start : start + len(before)]) == before:
            return [*detail[:start], *made, *detail[start + len(before) :]]
    return None
