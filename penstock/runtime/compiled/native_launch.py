"""The native form of flat nests: which calls a launch makes on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ...ops.declare.reduction_order import BLOCK
from ..base.thread_pool import threads_for
from ..ir.strides import is_plain
from ..kernels.native_forms import finishing_calls
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import Loop
from .compiled_code import CompiledCode
from .flat_layout import FEW, FlatLayout
from .inner_loop import NAME

_MOST_COPIES: Final = 64
"""The most calls that expand an operand."""


def native_calls(
    launch: FlatLayout, code: CompiledCode, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The calls that compute the results of the body; None if several threads, or copies, are needed."""
    if launch.too_short or threads_for(launch.seconds) > 1 or not is_plain(inputs):
        return None
    common = launch.common
    if common.bits:
        return None
    memory.seconds += launch.seconds
    of_value = {int(value): result for value, result in zip(common.body.outputs, results, strict=True)}
    outs: list[Any] = [of_value.get(v) for v in common.parts.made]
    if any(x is None or x.shape != launch.whole or not x.flags.c_contiguous for x in outs):
        return None
    if launch.reduces:
        return _reduction(launch, code, inputs, outs, of_value, memory)
    if launch.is_flat(inputs):
        return [_flat(code, inputs, outs)]
    path = launch.path_to(inputs, outs)
    if path is None:  # NumPy's functions are called for each row
        return _on_whole_arrays(launch, code, inputs, outs, memory)
    memory.keep(path.spec)
    return [NativeCall(code.library["rows"], (path.spec.address, 0, path.shape[0], *inputs, *outs))]


def _flat(code: CompiledCode, inputs: Sequence[Any], outs: Sequence[Any]) -> NativeCall:
    """The call on operands that are one row each, or one number."""
    strides = [0 if x.size == 1 else x.itemsize for x in inputs] + [x.itemsize for x in outs]
    addresses = [x.ctypes.data for x in (*inputs, *outs)]
    return loop_call(Loop(code.library[NAME], 0), addresses, (outs[0].size,), strides)


def _on_whole_arrays(
    launch: FlatLayout, code: CompiledCode, inputs: Sequence[Any], outs: Sequence[Any], memory: NativeMemory
) -> list[NativeCall] | None:
    """The same with operands that are matrices with gaps between their rows, or one row, copied to whole arrays."""
    if len(launch.whole) != 2 or launch.common.has_columns:
        return None
    calls: list[NativeCall] = []
    operands = [_expanded(x, launch.whole, calls, memory, is_dense=True) for x in inputs]
    return None if any(x is None for x in operands) else [*calls, _flat(code, operands, outs)]


def _reduction(
    launch: FlatLayout,
    code: CompiledCode,
    inputs: Sequence[Any],
    outs: Sequence[Any],
    of_value: dict[int, Any],
    memory: NativeMemory,
) -> list[NativeCall] | None:
    """The calls of a body that ends in reductions of one block a row."""
    body, tails = launch.common.body, launch.common.parts.tails
    before: list[NativeCall] = []
    spec = launch.blocks([x.strides for x in inputs])
    if spec is None and prod(launch.whole) <= FEW:  # as where each row of one operand meets each of another one
        inputs = [_expanded(x, launch.whole, before, memory) for x in inputs]
        if all(x is not None for x in inputs):
            spec = launch.blocks([x.strides for x in inputs], [x.shape for x in inputs])
    totals: list[Any] = [of_value.get(tail.value) for tail in tails]
    if spec is None or launch.count > BLOCK or any(x is None or x.size != launch.rows for x in totals):
        return None
    finishing: list[NativeCall] = []
    for tail, total in zip(tails, totals, strict=True):
        calls = finishing_calls(tail.rule, body.dtype_of(tail.operand), total, launch.count, memory)
        if calls is None:
            return None
        finishing += calls
    memory.keep(spec)
    scratch = [memory.scratch((room,), dtype) for room, dtype in launch.scratch]
    arrays: list[Any] = [*inputs, *outs, *scratch, *totals]
    return [*before, NativeCall(code.library["reduce"], (spec.address, 0, launch.rows, *arrays)), *finishing]


def _expanded(
    x: Any, whole: Sequence[int], calls: list[NativeCall], memory: NativeMemory, is_dense: bool = False
) -> Any:
    """An operand as an array of the shape `whole`, which `calls` fill; itself if it needs no call, None if too many.

    is_dense: whether there shall be no gaps between the rows of a matrix.
    """
    has_gaps = is_dense and not x.flags.c_contiguous
    if x.size == 1 or (x.shape == tuple(whole) and not has_gaps):
        return x
    if x.shape == tuple(whole) and x.strides[-1] == x.itemsize:
        out, row = memory.scratch(x.shape, x.dtype), whole[1] * x.itemsize
        calls.append(NativeCall(memory.copy, (out, x, 0, row, x.strides[0], whole[0], row)))
        return out
    if not x.flags.c_contiguous or len(x.shape) > len(whole):
        return None
    sizes = (1,) * (len(whole) - x.ndim) + x.shape
    inner = len(whole)
    while inner and sizes[inner - 1] == whole[inner - 1]:
        inner -= 1
    begin = inner
    while begin and sizes[begin - 1] == 1:
        begin -= 1
    copies = prod(sizes[:begin])
    if sizes[:begin] != tuple(whole[:begin]) or copies > _MOST_COPIES:
        return None
    out = memory.scratch(tuple(whole), x.dtype)
    length = prod(whole[inner:]) * x.itemsize
    parts = x.reshape((copies, -1))
    places = out.reshape((copies, -1))
    for part, place in zip(parts, places, strict=True):
        calls.append(NativeCall(memory.copy, (place, part, 0, length, 0, prod(whole[begin:inner]), length)))
    return out
