"""Ops that compute rows, such as softmax and cross entropies, in one launch on a GPU: by their row rules.

The plain kernel runs with CuPy's functions where a rule does not serve the operands, and where the op fails: it words
the error. Whether labels are classes is asked of a copy on the host.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...graph.declare.op_declaration import OPS
from ..ir.op_rows import rows_of_op
from .cuda_group import group_of


@dataclass(frozen=True, slots=True)
class _RowPlaces:
    """Stands for the array 0, 1, 2 ..., which a kernel computes."""

    shape: tuple[int, ...]


def _by_rows(type: str) -> Callable[..., Any]:
    def kernel(xp: Any, *args: Any) -> Any:
        opdef = OPS[type]
        rule, operands = opdef.row_rule, [args[place] for place, _, _ in opdef.operands]
        assert rule is not None  # or the table does not list it
        rows = rows_of_op(opdef, args, operands)
        if rows is None or rows.constants:
            return None
        if rule.succeeds is not None:
            sizes = list(rows.sizes)
            sizes[rule.checked] = xp.asnumpy(args[rule.checked])
            if not rule.succeeds(*sizes):
                return None
        given = rows.lift([args[place] for place, _, operand in opdef.operands if not operand.host])
        if rows.places is not None:
            given.append(_RowPlaces(given[0].shape[-1:]))
        results = group_of(rows.body).in_one_launch(xp, given, rows.places)
        return results[0] if results is not None and opdef.returns == "tensor" else results

    return kernel


softmax = _by_rows("Softmax")
log_softmax = _by_rows("LogSoftmax")
softmax_cross_entropy = _by_rows("SoftmaxCrossEntropyWithLogits")
sparse_softmax_cross_entropy = _by_rows("SparseSoftmaxCrossEntropyWithLogits")
