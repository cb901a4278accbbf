"""Bodies of ops that compute rows: what such an op does to one row, as the instructions of other ops.

    Softmax(%0)    -->    %1 = Max(%0, -1, True)
                          %2 = Sub(%0, %1)
                          %3 = Exp(%2)
                          %4 = Sum(%3, -1, True)
                          %5 = RealDiv(%3, %4)

The op's row rule (`graph.declare.op_facts.RowRule`) is called once with placeholders, in a graph of its own. A fused
group that contains the op has these instructions in its place, with the name of its node; a single op runs them as a
group.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import PURE
from ...graph.declare.op_declaration import OPS, OpDef
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dtypes import DType, int32
from ...ops.create.constant_and_placeholder import placeholder


@dataclass(frozen=True, slots=True)
class RowBody:
    """What an op computes for rows.

    Attributes:
        graph: the operations; its inputs are those of the op, then the constants.
        constants: the values of these inputs.
        takes_places: whether one more input, the last one, is the places in a row.
    """

    graph: SubGraph
    constants: tuple[Any, ...]
    takes_places: bool


def can_join(op: Operation) -> bool:
    """True if a fused group may have the row instructions of `op` in its place, whatever its values and sizes are."""
    rule = op.opdef.row_rule
    if rule is None or not rule.may_join:
        return False
    dims = [t.shape.raw for t in op.inputs]
    if any(d is None for d in dims) or any(t.dtype.holds_objects for t in op.inputs):
        return False
    return rule.applies(*[arg.shape.raw if isinstance(arg, Tensor) else arg for arg in op.args])


def row_body(op: Operation) -> RowBody:
    """The row instructions of an operation for which `can_join` holds."""
    dtypes = tuple([t.dtype for t in op.inputs])
    attributes = tuple([None if isinstance(arg, Tensor) else arg for arg in op.args])
    return row_body_of(op.opdef.type, dtypes, tuple([t.shape.ndims or 0 for t in op.inputs]), attributes)


@lru_cache(maxsize=256)
def row_body_of(
    type: str, dtypes: tuple[DType, ...], ranks: tuple[int, ...], attributes: tuple[Any, ...]
) -> RowBody:
    """The row instructions of an op.

    Args:
        type: the op.
        dtypes, ranks: of its operands.
        attributes: its arguments in the order of the signature, None for each operand on the device.
    """
    opdef = OPS[type]
    rule = opdef.row_rule
    assert rule is not None  # the caller asked
    graph = Graph()
    with graph.as_default():
        operands = [placeholder(dtype, _dims(rank, max(ranks))) for dtype, rank in zip(dtypes, ranks, strict=True)]
        places = placeholder(int32, [None]) if rule.takes_places else None
        results = rule.function(*_arguments(opdef, operands, attributes), *([] if places is None else [places]))
    outputs = tuple(results) if isinstance(results, list) else (results,)
    nodes = graph.get_operations()
    axes = {t.op for op in nodes if op.opdef.reduction is not None for t in op.inputs[1:]}
    constants = [op for op in nodes if op.opdef.facts.is_constant and op not in axes]
    operations = tuple([op for op in nodes if op not in constants and not op.opdef.facts.must_feed])
    inputs = (*operands, *[op.outputs[0] for op in constants], *([] if places is None else [places]))
    body = SubGraph(operations, inputs, outputs, PURE, name=opdef.type)
    return RowBody(body, tuple([op.args[0] for op in constants]), rule.takes_places)


def _dims(rank: int, widest: int) -> list[int | None]:
    """The sizes of an operand: what has one number for each row gets a last axis of size 1."""
    return [None] * rank if rank == widest else [None] * rank + [1] * (widest - rank)


def _arguments(opdef: OpDef[Any, Any], operands: Sequence[Tensor], attributes: Sequence[Any]) -> list[Any]:
    waiting = iter(operands)
    places = {place for place, _, operand in opdef.operands if not operand.host}
    return [next(waiting) if place in places else value for place, value in enumerate(attributes)]
