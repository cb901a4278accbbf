"""Ops that compute rows, such as softmax: as the instructions of their row rule (`ir.op_rows`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body
from ..ir.op_rows import rows_of_op
from ..ir.scalar_ir import CannotLower
from .loop_values import Known, NeedsValue, Value, require_elements


class RowSteps:
    """Writes ops that have a row rule.

    Args:
        instructions: writes a body's instructions on values.
        reshaped: a value with other sizes.
    """

    def __init__(
        self, instructions: Callable[[Body, Sequence[Value]], list[Value]],
        reshaped: Callable[[Value, Sequence[int]], Value],
    ) -> None:  # fmt: skip
        self._instructions = instructions
        self._reshaped = reshaped

    def results(self, op: str, args: Sequence[Any]) -> list[Value]:
        """The results of an operation; `args` as in the signature.

        Raises:
            CannotLower: the rule does not serve these sizes or dtypes, or the op may fail for some values.
        """
        opdef = OPS[op]
        rule = opdef.row_rule
        assert rule is not None  # the caller asked
        if rule.succeeds is not None:
            raise CannotLower("it may fail for some values")
        operands, arrays = list[Value](), []
        for place, name, operand in opdef.operands:
            value = args[place]
            if not operand.host:
                require_elements(value.shape)
                operands.append(value)
                arrays.append(np.broadcast_to(np.zeros((), value.dtype.np), value.shape))  # its sizes and dtype count
            elif isinstance(value, Known):
                arrays.append(value.array)
            else:
                raise NeedsValue(f"{name!r} is known only in the run")
        rows = rows_of_op(opdef, args, arrays)
        if rows is None:
            raise CannotLower("its rows are not along the last axis, or of a dtype that is not served")
        lifted = [self._reshaped(x, (*x.shape, 1)) if k in rows.lifted else x for k, x in enumerate(operands)]
        places = [] if rows.places is None else [Known(np.arange(operands[0].shape[-1], dtype=np.int32))]
        return self._instructions(rows.body, [*lifted, *[Known(np.asarray(x)) for x in rows.constants], *places])
