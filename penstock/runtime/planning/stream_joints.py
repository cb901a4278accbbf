"""Stream joints: elementwise steps that are computed where an op reads a row, or where it gives one.

    t2 = Fused([t0])             a piece of rows of t2 is computed, added, and forgotten     segment_sum(f(x), ids)
    t3 = SegmentSum(t2, t1)

    t2 = Cumsum(t0)              what reads t2 gets each piece while it is in the cache      exp(cumsum(x))
    t3 = Exp(t2)

    t2 = Gather(t0, t1)          so does a reduction that keeps the first dimension          sum(gather(x, i), 1)
    t3 = Sum(t2, 1)

The op says that it goes over the first dimension of an operand or of its result (`OpFacts.reads_rows`, `gives_rows`).
No array of the values in between is written to memory and read again. As with other joint steps, the steps remain.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ...errors import OpError
from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ..ir.fused_ir import LARGEST, fused
from ..ir.stage import Stage
from .neighbours import (
    TensorReaders,
    bytes_of,
    computes_elements,
    is_alone,
    is_first_to_fail,
    keeps_little,
    operation_after,
    reads_elements,
    sizes_of,
)

FEWEST_STREAMED: Final = 1 << 20
"""The fewest bytes of a value in between. Smaller ones stay in the second cache, and pieces of them save nothing."""
LARGEST_ROW: Final = 1 << 18
"""The most bytes of one row, of which a piece has at least one."""


class StepJoint(NamedTuple):
    """Operations around one that goes over rows, or only moves elements.

    Attributes:
        before: what computes the operand; () if it is there.
        reader: what reads the result; None if it is only returned.
    """

    before: tuple[Operation, ...]
    reader: Operation | None


def streams(opdef: OpDef[..., object]) -> bool:
    """Whether an op goes over the rows of an operand or of its result."""
    return bool(opdef.facts.reads_rows) or opdef.facts.gives_rows


def is_large_stream(op: Operation) -> bool:
    """Whether what an operation goes over is large enough, for all that is known."""
    tensors = [*_operand(op), *(op.outputs if op.opdef.facts.gives_rows else ())]
    return any(sizes_of(t) is not None and bytes_of(t) >= FEWEST_STREAMED for t in tensors)


def stream_joint(stage: Stage, op: Operation, readers: TensorReaders, taken: set[Operation]) -> StepJoint | str:
    """What is computed with an operation that goes over rows; why nothing is.

    taken: operations of other joints.
    """
    if not is_alone(op, readers.held) or any(t.dtype.holds_objects for t in (*op.inputs, *op.outputs)):
        return "its place in the order of steps is fixed, or it moves Python objects"
    before = [t.op for t in _operand(op) if _may_stream(t) and _is_maker(stage, t, op, readers) and t.op not in taken]
    reader = readers.only(op.outputs[0]) if op.opdef.facts.gives_rows and len(op.outputs) == 1 else None
    if reader is not None and (
        reader in taken or not _may_stream(op.outputs[0]) or not _is_reader(reader, op, readers)
        or (why_it_may_fail(op) is not None and not is_first_to_fail(stage, op, reader))
    ):  # fmt: skip
        reader = None
    if not before and reader is None:
        return "what it reads or gives is too small, has rows that are too long, or is not computed beside it alone"
    return StepJoint(tuple(before), reader)


def _operand(op: Operation) -> list[Tensor]:
    """The operand of which an operation reads row after row."""
    name = op.opdef.facts.reads_rows
    return [op.args[op.opdef.parameters.index(name)]] if name else []


def _may_stream(tensor: Tensor) -> bool:
    """Whether a value is large, and each of its rows is not."""
    sizes = sizes_of(tensor)
    if not sizes or bytes_of(tensor) < FEWEST_STREAMED:
        return False
    return bytes_of(tensor) <= LARGEST_ROW * sizes[0]


def _is_maker(stage: Stage, tensor: Tensor, op: Operation, readers: TensorReaders) -> bool:
    """Whether a value is computed element by element, for `op` alone."""
    maker = tensor.op
    if not readers.is_only(tensor, op) or not computes_elements(maker, readers):
        return False
    return keeps_little(maker, readers) or operation_after(stage, maker) is op


def _is_reader(reader: Operation, op: Operation, readers: TensorReaders) -> bool:
    """Whether a row of what `reader` gives follows from the same row of what `op` gives."""
    if len(reader.outputs) != 1:
        return False
    return reads_elements(reader, op, readers) or _reduces_rows(reader, op, readers)


def _reduces_rows(reader: Operation, op: Operation, readers: TensorReaders) -> bool:
    """Whether `reader` reduces what `op` gives over axes behind the first one, and may compute before, but not after.
    """
    whole = sizes_of(op.outputs[0])
    known = [sizes_of(t) for t in (*reader.inputs, *reader.outputs)]
    if whole is None or None in known or not is_alone(reader, readers.held):
        return False
    if reader.opdef is not fused:
        return reader.opdef.reduction is not None and reader.inputs[0] is op.outputs[0] and _keeps_rows(reader)
    members = [each for each in reader.args[1].operations if not each.opdef.facts.is_constant]
    ends = {t for each in members if each.opdef.reduction is not None for t in each.outputs}
    if not ends or len(members) > LARGEST or any(why_it_may_fail(each) is not None for each in members):
        return False
    if any(not ends.isdisjoint(each.inputs) or each.opdef.row_rule is not None for each in members):
        return False
    if np.broadcast_shapes(*[sizes_of(t) or () for t in reader.inputs]) != whole:
        return False
    return all(_keeps_rows(each) and sizes_of(each.inputs[0]) == whole for each in members if each.outputs[0] in ends)


def _keeps_rows(reduction: Operation) -> bool:
    """Whether a reduction keeps the first dimension; its axes are constants."""
    rule, sizes = reduction.opdef.reduction, sizes_of(reduction.inputs[0])
    if rule is None or not sizes or not all(t.op.opdef.facts.is_constant for t in reduction.inputs[1:]):
        return False
    try:
        axes = rule.axes(len(sizes), *[a.op.args[0] if isinstance(a, Tensor) else a for a in reduction.args[1:]])
    except OpError:  # the run will refuse it
        return False
    return bool(axes) and 0 not in axes
