"""Single ops as bodies of rows: a softmax, an argmax or a cross entropy by itself, on operands of given shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OpDef
from ...graph.shapes.dtypes import of_numpy
from .fused_ir import Body, body_of_rows
from .row_bodies import row_body_of


@dataclass(frozen=True, slots=True)
class OpRows:
    """What an op computes for rows, on operands of given shapes.

    Attributes:
        body: its instructions; the inputs are the operands on the device, then the constants, then the places.
        constants: the values of these inputs.
        lifted: the operands on the device that get a last axis of size 1.
        places: the number of the input that is the places in a row, 0, 1, 2 ...; None if there is none.
        sizes: the arguments of the op's row rule: attributes, and the sizes of operands.
    """

    body: Body
    constants: tuple[Any, ...]
    lifted: tuple[int, ...]
    places: int | None
    sizes: tuple[Any, ...]

    def lift(self, operands: Sequence[Any]) -> list[Any]:
        """The operands on the device, each with as many axes as the widest one."""
        if not self.lifted:
            return list(operands)
        return [x.reshape(*x.shape, 1) if k in self.lifted else x for k, x in enumerate(operands)]


def rows_of_op(opdef: OpDef[Any, Any], attributes: Sequence[Any], arrays: Sequence[Any]) -> OpRows | None:
    """The rows of an op; None if its row rule does not serve these operands.

    Args:
        opdef: the op.
        attributes: the arguments in the order of the signature, anything for an operand.
        arrays: the operands.
    """
    rule = opdef.row_rule
    assert rule is not None  # the caller asked
    key, sizes, operands = list(attributes), list(attributes), []
    for (place, _, operand), x in zip(opdef.operands, arrays, strict=True):
        key[place] = sizes[place] = _value(x) if operand.host else None
        if not operand.host:
            sizes[place] = x.shape
            operands.append(x)
    widest = max([x.ndim for x in operands])
    if not widest or not rule.applies(*sizes):
        return None
    ranks = tuple([x.ndim for x in operands])
    try:
        rows = row_body_of(opdef.type, tuple([of_numpy(x.dtype) for x in operands]), ranks, tuple(key))
    except TypeError:  # the rule does not serve the dtype
        return None
    body = body_of_rows(rows.graph)
    lifted = tuple([k for k, rank in enumerate(ranks) if rank < widest])
    places = len(body.inputs) - 1 if rows.takes_places else None
    return OpRows(body, rows.constants, lifted, places, tuple(sizes))


def _value(x: Any) -> Any:
    return int(x) if x.ndim == 0 else x.tobytes()
