"""Ops that compute rows, such as softmax: as the instructions of their row rule (`ir.row_bodies`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body, instructions_of
from ..ir.row_bodies import row_body_of
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
        attributes, sizes, operands = list(args), list(args), list[Value]()
        for place, name, operand in opdef.operands:
            value = args[place]
            if not operand.host:
                require_elements(value.shape)
                operands.append(value)
                attributes[place], sizes[place] = None, value.shape
            elif isinstance(value, Known):
                attributes[place] = sizes[place] = value.array.item()
            else:
                raise NeedsValue(f"{name!r} is known only in the run")
        if not rule.applies(*sizes):
            raise CannotLower("it is not about the last axis")
        ranks = tuple([len(x.shape) for x in operands])
        try:
            rows = row_body_of(op, tuple([x.dtype for x in operands]), ranks, tuple(attributes))
        except TypeError as error:
            raise CannotLower(str(error)) from None
        lifted = [x if len(x.shape) == max(ranks) else self._reshaped(x, (*x.shape, 1)) for x in operands]
        places = [Known(np.arange(operands[0].shape[-1], dtype=np.int32))] if rows.takes_places else []
        constants = [Known(np.asarray(x)) for x in rows.constants]
        return self._instructions(instructions_of(rows.graph), [*lifted, *constants, *places])
