"""What makes results of totals, such as the division of a mean, as calls of NumPy's loops: for native blocks.

In Python the reduction's rule does it, after the code has run. The number of rows is not a part of the code, which
therefore serves all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.dtypes import DType, of_numpy
from ...graph.op_facts import ReductionRule
from ..ir.fused_ir import Value
from ..ir.scalar_ir import CannotLower, Literal, Scalar, ScalarTrace, Traced
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import numpy_loop


def finishing_calls(
    rule: ReductionRule, rows: int, total: Any, dtype: DType, memory: NativeMemory
) -> list[NativeCall] | None:
    """The calls that make the results, of a dtype, of `total` in place; None if NumPy has no such loops for them."""
    wide = of_numpy(total.dtype)
    if rule.finish is None:
        return [] if wide is dtype else None
    trace = ScalarTrace((wide,))
    try:
        made = rule.finish(Traced(trace, Value(0), wide.np), rows, dtype)
        program = Scalar((wide,), tuple(trace.steps), (made.value,))
    except (CannotLower, TypeError, AttributeError, ValueError):  # it takes arrays only
        return None
    calls: list[NativeCall] = []
    for number, step in enumerate(program.steps):
        chained = all(isinstance(a, Literal) or int(a) == number for a in step.args)  # each reads the one before
        letters = "".join([program.dtype_of(a).np.char for a in step.args]) + f"->{step.dtype.np.char}"
        loop = numpy_loop(step.primitive, letters)
        if not chained or loop is None or step.dtype is not wide:
            return None
        addresses, steps = [], []
        for a in step.args:
            x = memory.constant(np.asarray(a.value)) if isinstance(a, Literal) else total
            addresses.append(x.ctypes.data)
            steps.append(0 if isinstance(a, Literal) else total.itemsize)
        calls.append(loop_call(loop, [*addresses, total.ctypes.data], (total.size,), (*steps, total.itemsize)))
    return calls if program.outputs == (Value(len(program.steps)),) else None
