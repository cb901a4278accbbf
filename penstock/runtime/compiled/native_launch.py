"""The native form of compiled groups: which calls a launch plan makes on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.shapes.dtypes import bfloat16
from ...ops.declare.reduction_order import BLOCK
from ..base.thread_pool import threads_for
from ..ir.strides import is_plain
from ..kernels.native_forms import divided
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import Loop
from .compiled_code import CompiledCode
from .compiled_run import LONG, LaunchPlan
from .inner_loop import NAME
from .loop_nest import LEAF, in_leaves


def native_calls(
    launch: LaunchPlan, code: CompiledCode, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The calls that compute the results of the body; None if several threads, or copies, are needed."""
    if launch.too_short or threads_for(launch.seconds) > 1 or not is_plain(inputs):
        return None
    if launch.shape_class.in_bits or bfloat16 in launch.outputs:
        return None
    memory.seconds += launch.seconds
    of_value = {int(value): result for value, result in zip(launch.body.outputs, results, strict=True)}
    outs: list[Any] = [of_value.get(v) for v in launch.made]
    if any(x is None or x.shape != launch.whole or not x.flags.c_contiguous for x in outs):
        return None
    if launch.ends.tails:
        return _reduction(launch, code, inputs, outs, of_value, memory)
    if launch.is_flat(inputs):
        return [_flat(code, inputs, outs)]
    spec, length = launch.rows_of(inputs)
    if launch.shape_class.calls and spec.numbers[spec.numbers[0]] < LONG:  # NumPy's functions are called for each row
        return _of_copies(launch, code, inputs, outs, memory)
    memory.keep(spec)
    return [NativeCall(code.library["rows"], (spec.address, 0, length, *inputs, *outs))]


def _flat(code: CompiledCode, inputs: Sequence[Any], outs: Sequence[Any]) -> NativeCall:
    """The call on operands that are one row each, or one number."""
    strides = [0 if x.size == 1 else x.itemsize for x in inputs] + [x.itemsize for x in outs]
    addresses = [x.ctypes.data for x in (*inputs, *outs)]
    return loop_call(Loop(code.library[NAME], 0), addresses, (outs[0].size,), strides)


def _of_copies(
    launch: LaunchPlan, code: CompiledCode, inputs: Sequence[Any], outs: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The same with operands that are matrices with gaps between their rows, or one row, copied to whole arrays."""
    whole = launch.whole
    if len(whole) != 2 or launch.shape_class.has_columns:
        return None
    calls: list[NativeCall] = []
    operands = list(inputs)
    for i, x in enumerate(inputs):
        if x.size == 1 or (x.shape == whole and x.flags.c_contiguous):
            continue
        if x.shape[-1:] != whole[-1:] or x.strides[-1] != x.itemsize:
            return None
        step = x.strides[0] if x.shape == whole else 0
        copy = operands[i] = memory.scratch(whole, x.dtype)
        row = whole[1] * x.itemsize
        calls.append(NativeCall(memory.copy, (copy, x, 0, row, step, whole[0], row)))
    return [*calls, _flat(code, operands, outs)]


def _reduction(
    launch: LaunchPlan,
    code: CompiledCode,
    inputs: Sequence[Any],
    outs: Sequence[Any],
    of_value: dict[int, Any],
    memory: NativeMemory,
) -> list[NativeCall] | None:
    """The calls of a body that ends in reductions of one block a row."""
    ends = launch.ends
    if ends.count > BLOCK or any(tail.rule.finish is not None and tail.rule.how != "mean" for tail in ends.tails):
        return None
    kept = [launch.body.dtype_of(tail.value) for tail in ends.tails]
    spec = launch.blocks_of(inputs)
    if spec is None or kept != [node.dtype for node in ends.nodes]:
        return None
    totals: list[Any] = [of_value.get(tail.value) for tail in ends.tails]
    if any(x is None or x.size != ends.rows or not x.flags.c_contiguous for x in totals):
        return None
    memory.keep(spec)
    room = min(ends.count, LEAF if in_leaves(ends.nodes) else BLOCK)
    scratch = [memory.scratch((room,), d.np) for d in launch.outputs[len(launch.made) :]]
    arrays: list[Any] = [*inputs, *outs, *scratch, *totals]
    calls = [NativeCall(code.library["reduce"], (spec.address, 0, ends.rows, *arrays))]
    for tail, total in zip(ends.tails, totals, strict=True):
        if tail.rule.finish is not None:
            if total.dtype not in (np.float32, np.float64):
                return None
            calls.append(divided(total, ends.count, memory))
    return calls
