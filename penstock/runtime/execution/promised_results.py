"""Promises about the results of kernels from outside: how many arrays, their dtypes, and the shapes of the shape rule.

The kernels of the package keep them, as its tests check. A kernel of a program that returns None, or an array of
another shape, would otherwise give wrong values somewhere later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InternalError
from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dimension import Dim, Dimension, Symbol
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..ir.kernel_protocol import Kernel
from ..planning.plan import Step, returns_list

Promises = tuple[tuple[DType, TensorShape], ...]
"""For each result its dtype, and what is known of its shape."""


def with_promises(
    kernel: Kernel, step: Step, shapes: Sequence[TensorShape], operands: Sequence[tuple[Dim, ...] | None] = ()
) -> Kernel:
    """The kernel, whose results are checked in each run.

    Args:
        kernel: the kernel, as the program gave it.
        step: its step.
        shapes: for each result what the shape rule knows.
        operands: the same for each operand; where a size of a result is one of theirs, the run must give that size.
    """
    call = kernel.call
    has_symbols = any(isinstance(dim, Dimension) for shape in shapes for dim in shape.raw or ())
    several = len(step.outputs) != 1 or returns_list(step)
    promised = tuple(zip(step.dtypes, shapes, strict=True))

    def checked(*arrays: Any) -> Any:
        result = call(*arrays)
        wanted = _in_this_run(promised, operands, arrays) if has_symbols else promised
        if several:
            if not isinstance(result, (list, tuple)) or len(result) != len(wanted):
                raise _broken(step, f"returned {_shown(result)}; the op has {len(wanted)} results, so it must return a "
                              f"list of {len(wanted)} arrays")  # fmt: skip
            for number, (each, (dtype, shape)) in enumerate(zip(result, wanted, strict=True)):
                _check(step, each, dtype, shape, f" as result {number}")
        else:
            _check(step, result, *wanted[0], "")
        return result

    return kernel.around(checked, kernel.into)


def _in_this_run(
    promised: Promises, operands: Sequence[tuple[Dim, ...] | None], arrays: Sequence[Any]
) -> Promises:
    """The promises with the sizes that the operands have in this run."""
    sizes: dict[Symbol, int] = {}
    differing: set[Symbol] = set()
    for dims, array in zip(operands, arrays, strict=False):
        for dim, size in zip(dims or (), np.shape(array), strict=False):
            if isinstance(dim, Dimension) and dim.symbol is not None and sizes.setdefault(dim.symbol, size) != size:
                differing.add(dim.symbol)  # a fed tensor in the middle may have another shape
    for symbol in differing:
        del sizes[symbol]

    def known(shape: TensorShape) -> TensorShape:
        if shape.raw is None:
            return shape
        found = [(dim, dim.at(sizes)) if isinstance(dim, Dimension) else (dim, dim) for dim in shape.raw]
        return TensorShape([dim if size is None or size < 0 else size for dim, size in found])

    return tuple([(dtype, known(shape)) for dtype, shape in promised])


def _check(step: Step, result: Any, dtype: DType, shape: TensorShape, which: str) -> None:
    promise = f"it must be an array of {dtype} {shape}"
    if result is None or isinstance(result, (list, tuple, dict)):
        raise _broken(step, f"returned {_shown(result)}{which}; {promise}")
    if isinstance(result, np.ndarray) and not _is_of(result.dtype, dtype):
        raise _broken(step, f"returned {_shown(result)}{which}; {promise}, as the op's declaration says. Write "
                      f".astype({dtype.name!r}) if that is meant")  # fmt: skip
    found = () if dtype.is_string and isinstance(result, (str, bytes)) else np.shape(result)
    if not shape.is_compatible_with(found):
        raise _broken(step, f"returned {_shown(result)}{which}; {promise}, as the op's shape rule says")


def _is_of(found: np.dtype[Any], dtype: DType) -> bool:
    return found.kind in "OSU" if dtype.is_string else found == dtype.np


def _broken(step: Step, what: str) -> InternalError:
    return InternalError(message=f"the kernel of {step.op}{_place(step)} {what}")


def _place(step: Step) -> str:
    """Where the kernel is written."""
    kernels = OPS[step.op].kernels
    code = getattr(step.kernel or kernels.get("numpy") or kernels.get("*"), "__code__", None)
    return "" if code is None else f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"


def _shown(result: Any) -> str:
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} {result.shape}"
    if isinstance(result, (list, tuple)):
        return f"a {type(result).__name__} of {len(result)}"
    return f"{result!r:.60}"
