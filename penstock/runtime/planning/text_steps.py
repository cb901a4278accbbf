"""Texts of numbers, as summaries are, are made one after the other.

A step that makes texts stays with Python, and steps on numbers beside each other become one call (native blocks). A
program makes its summaries in the middle of its model, so they would cut it into pieces. They are moved behind the
numbers: before the step that reads them or writes a new value of a variable, whose old value they may read.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from ...graph.model.nodes import Operation, Tensor
from ..ir.stage import Stage
from .neighbours import sizes_of

_MOST: Final = 1 << 20
"""The most bytes of an operand that is kept for longer."""


def with_texts_together(operations: Sequence[Operation], stage: Stage) -> Sequence[Operation]:
    """The operations of a stage, in an order that keeps texts of numbers together."""
    if not any(_makes_text(op) for op in operations):
        return operations
    new = set(stage.fetches[len(stage.fetches) - len(stage.written) :])
    ordered: list[Operation] = []
    texts: dict[Operation, None] = {}
    for op in operations:
        if _makes_text(op):
            texts[op] = None
            continue
        sources = {*[t.op for t in op.inputs], *op.control_inputs}
        if texts and not (new.isdisjoint(op.outputs) and sources.isdisjoint(texts)):
            ordered += texts
            texts.clear()
        ordered.append(op)
    return [*ordered, *texts]


def _makes_text(op: Operation) -> bool:
    """Whether an operation makes texts of small operands, some of them numbers or texts of numbers."""
    opdef = op.opdef
    if not opdef.is_pure or op.control_inputs or not (op.inputs and op.outputs):
        return False
    return (
        opdef.facts.host_only and not opdef.facts.is_constant
        and all(t.dtype.is_string for t in op.outputs) and all(_is_small(t) for t in op.inputs)
    )  # fmt: skip


def _is_small(tensor: Tensor) -> bool:
    sizes = sizes_of(tensor)
    return sizes is not None and prod(sizes) * tensor.dtype.size <= _MOST
