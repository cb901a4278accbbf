"""Native forms of single steps: which C functions compute a product, a sum, a concatenation.

Each says what the kernel of its op would call for these operands, and gives None where that is Python's or NumPy's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, Final, TypeAlias

from ...graph.common.lazy_import import load
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType
from ...ops.move.concat_stack import joined_axis
from ..base.thread_pool import WORTH, allowed_threads
from ..llvm.native_calls import NativeCall, NativeMemory, loop_call
from ..llvm.ufunc_loops import numpy_loop
from . import fast_sum, native_row_forms
from .loops.native_loops import find_after, native_call
from .loops.nest_loops import NARROW
from .native_reductions import divided, places_of_extremes
from .products import blas_products, fast_matmul
from .products.small_products import FEWEST

Calls: TypeAlias = "list[NativeCall] | None"
StepForm: TypeAlias = Callable[[Sequence[Any], Sequence[Any], Any, NativeMemory], Calls]
"""(arguments of the op, with arrays in place of slots; the same arrays in a row; arrays for results; memory)."""

_MULTIPLICATION: Final = 1.2e-11
_CONVOLUTIONS: Final = "penstock.runtime.kernels.convolution.native_patches"


def matmul(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """A product of two matrices, by the loop of small products or by BLAS."""
    return product(args, results[0], memory)


def product(args: Sequence[Any], out: Any, memory: NativeMemory, more: Any = None, times: Any = None) -> Calls:
    """The calls of a product, or of one with `more`: see `small_products.Product`. args: those of the op."""
    a, b, *flags = args
    transpose_a, transpose_b, adjoint_a, adjoint_b = flags[:4]
    is_served = fast_matmul.is_served(a, b)
    if not out.flags.c_contiguous or not (is_served or (more is None and _are_matrices(a, b))):
        return None
    left = a.T if transpose_a or adjoint_a else a
    right = b.T if transpose_b or adjoint_b else b
    (rows, inner), columns = left.shape, right.shape[1]
    if inner != right.shape[0] or not rows * inner * columns:
        return None
    if is_served and rows * inner * columns >= FEWEST and not blas_products.is_own_transpose(a, b):
        if more is not None and (more.dtype is not a.dtype or more.shape not in ((rows, columns), (columns,))):
            return None
        small = fast_matmul.product_of(a.dtype, left.shape, columns, left is not a, right is not b)
        found = small.native(left, right, out, memory, more, times)
        if found is not None or small.cut != () or more is not None:
            return found
    return None if more is not None else by_blas(left, right, out, memory)


def _are_matrices(a: Any, b: Any) -> bool:
    """Whether both are matrices of one dtype of BLAS; there may be gaps between their rows."""
    return a.ndim == b.ndim == 2 and a.dtype is b.dtype and a.dtype.char in "fd"


def by_blas(left: Any, right: Any, out: Any, memory: NativeMemory) -> Calls:
    """NumPy's own loop of `matmul`, which calls BLAS."""
    (rows, inner), columns = left.shape, right.shape[1]
    work = rows * inner * columns
    letter = left.dtype.char
    loop = numpy_loop("matmul", f"{letter}{letter}->{letter}")
    if loop is None or (work >= blas_products.SHARED and allowed_threads() > 1):
        return None
    memory.uses_blas |= work >= blas_products.ALONE
    memory.seconds += work * _MULTIPLICATION
    strides = (0, 0, 0, *left.strides, *right.strides, *out.strides)
    addresses = [x.ctypes.data for x in (left, right, out)]
    return [loop_call(loop, addresses, (1, rows, inner, columns), strides)]


def reduce_sum(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """A sum over the first axes."""
    x, axis, _keepdims = args[:3]
    (out,) = results
    before: list[NativeCall] = []
    if not x.flags.c_contiguous:  # NumPy's kernel copies it too
        dense = memory.scratch(x.shape, x.dtype)
        before = native_row_forms.copied_rows(x, dense, memory) or []
        x = dense if before else x
    served = fast_sum.columns_of(x, axis)
    if served is None or not out.flags.c_contiguous:
        return None
    kind, rows, width = served
    if fast_sum.is_by_row(x, width):
        return None
    loop = find_after("column_sums", kind, width if width <= NARROW else 0, spent=memory.spent)
    memory.is_early |= loop is None
    memory.seconds += x.size * 1e-10
    return None if loop is None else [*before, native_call(loop, out, x, rows, width)]


def reduce_mean(args: Sequence[Any], _: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """The mean over the first axes: the sum divided by the number of rows."""
    found = reduce_sum(args, _, results, memory)
    (out,) = results
    return None if found is None else [*found, divided(out, args[0].size // out.size, memory)]


def finishing_calls(rule: ReductionRule, operand: DType, total: Any, count: int, memory: NativeMemory) -> Calls:
    """The calls that make a result of a total of `count` elements, in its place; None where that takes more."""
    if not total.flags.c_contiguous or total.dtype != rule.wide(operand).np:
        return None
    if rule.finish is None:
        return []
    return [divided(total, count, memory)] if rule.how == "mean" and total.dtype.char in "fd" else None


def concat(args: Sequence[Any], arrays: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
    """Arrays one after the other: copies of rows of bytes."""
    (out,) = results
    axis = joined_axis(args[0], args[1])
    if not out.flags.c_contiguous or out.nbytes * 1e-10 > WORTH:
        return None
    row = prod(out.shape[axis:]) * out.itemsize
    memory.seconds += out.nbytes * 1e-10
    calls: list[NativeCall] = []
    start = 0
    for x in args[1]:
        length = prod(x.shape[axis:]) * x.itemsize
        step = _row_step(x, axis)
        if step is None:
            return None
        if length:
            calls.append(NativeCall(memory.copy, (out, x, start, row, step, prod(x.shape[:axis]), length)))
        start += length
    return calls


def _row_step(x: Any, axis: int) -> int | None:
    """The bytes from one row, of the axes from `axis` on, to the next; None if rows do not lie in one piece."""
    if x.flags.c_contiguous:
        return int(prod(x.shape[axis:])) * int(x.itemsize)
    if x.ndim != 2 or axis != 1 or x.strides[1] != x.itemsize:
        return None
    return int(x.strides[0])


def _convolution(name: str) -> StepForm:
    """The form of that name of `convolution.native_patches`, which is imported at its first use."""

    def form(args: Sequence[Any], arrays: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> Calls:
        load(_CONVOLUTIONS)
        calls: Calls = getattr(sys.modules[_CONVOLUTIONS], name)(args, arrays, results, memory)
        return calls

    return form


STEP_FORMS: Final[dict[str, StepForm]] = {
    "ArgMax": partial(places_of_extremes, True),
    "ArgMin": partial(places_of_extremes, False),
    "Concat": concat,
    "Conv2D": _convolution("conv2d"),
    "Conv2DBackpropFilter": _convolution("filter_gradient"),
    "Conv2DBackpropInput": _convolution("input_gradient"),
    "Gather": native_row_forms.gather,
    "MatMul": matmul,
    "Mean": reduce_mean,
    "Reshape": native_row_forms.reshape,
    "StridedSliceGrad": native_row_forms.placed_at_index,
    "Sum": reduce_sum,
    "UnsortedSegmentSum": native_row_forms.segment_sums,
}
"""Op type -> the native form of a step, for ops whose kernel is the package's."""
FORMS_OVER: Final[dict[str, StepForm]] = {"CombineRows": native_row_forms.combined_rows}
"""The same for steps that change a part of a variable, which is their result."""
