"""Promises about the results of kernels from outside: how many arrays, their dtypes, and the shapes of the shape rule.

The kernels of the package keep them, as its tests check. A kernel of a program that returns None, or an array of
another shape, would otherwise give wrong values somewhere later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InternalError
from ...graph.dtypes import DType
from ...graph.shape import TensorShape
from ..ir.kernel_protocol import Kernel
from ..planning.plan import Step, returns_list


def with_promises(kernel: Kernel, step: Step, shapes: Sequence[TensorShape]) -> Kernel:
    """The kernel, whose results are checked in each run.

    Args:
        kernel: the kernel, as the program gave it.
        step: its step.
        shapes: for each result what the shape rule knows.
    """
    call = kernel.call
    several = len(step.outputs) != 1 or returns_list(step)
    wanted = tuple(zip(step.dtypes, shapes, strict=True))

    def checked(*arrays: Any) -> Any:
        result = call(*arrays)
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
    return InternalError(message=f"the kernel of {step.op} {what}")


def _shown(result: Any) -> str:
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} {result.shape}"
    if isinstance(result, (list, tuple)):
        return f"a {type(result).__name__} of {len(result)}"
    return f"{result!r:.60}"
