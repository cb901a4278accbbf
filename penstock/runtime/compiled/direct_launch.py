"""Calls of compiled code on contiguous arrays that are too small for threads.

The code of a step of a small model runs for one or two microseconds; finding out strides, threads and blocks took six.
Here all of that is computed once for each combination of shapes. A call checks that the arrays are contiguous, aligned
and of the expected dtypes, makes the results and calls the code. Other arrays are left to the launch plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from ..base.pending_writes import LONGEST, PendingWrites
from ..ir.tiling import Shape
from ..memory.buffer_pool import POOL, SMALL
from .loop_spec import LoopSpec

Made: TypeAlias = tuple[Shape, Any]
"""The shape and NumPy dtype of an array."""
_DENSE: Final = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_ndarray = np.ndarray


class DirectLaunch:
    """A call of `@rows` or `@reduce` whose operands are contiguous.

    Args:
        inputs: the shapes and dtypes of the inputs.
        outputs: the arrays that the code writes: elementwise results, then reduced ones.
        scratch: the elements and dtypes of the pieces that hold the operands of reductions; they are passed in between.
        elementwise: how many of `outputs` are elementwise.
        results: the position of each result of the body in inputs and outputs together.
        spec: the first argument of the code, and the number of rows or blocks.
        reduces: True for `@reduce`.
        is_flat: True if all operands are one row, or single numbers, and there is one result: the ufunc takes a third
            of the time to call.
        expanded: the positions of inputs that are copied to the shape of the results first, for code that takes rows
            of equal operands only.
        seconds: the predicted time of a call.
    """

    __slots__ = (
        "_address", "_count", "_elementwise", "_expanded", "_inputs", "_is_flat", "_may_overwrite", "_outputs",
        "_reduces", "_results", "_scratch", "_seconds", "_spec",
    )  # fmt: skip

    def __init__(
        self, inputs: Sequence[Made], outputs: Sequence[Made], scratch: Sequence[tuple[int, Any]], elementwise: int,
        results: Sequence[int], spec: tuple[LoopSpec, int], reduces: bool, is_flat: bool = False,
        expanded: Sequence[int] = (), seconds: float = 0.0,
    ) -> None:  # fmt: skip
        self._inputs = tuple(inputs)
        self._is_flat = is_flat
        self._expanded = tuple(expanded)
        self._seconds = seconds
        self._outputs = tuple([(_maker(*made), *made) for made in outputs])
        self._scratch = tuple(scratch)
        self._elementwise = elementwise
        first = len(inputs)
        self._results = None if list(results) == list(range(first, first + len(outputs))) else tuple(results)
        self._spec, self._count = spec
        self._address = self._spec.address
        self._reduces = reduces
        shapes = {shape for shape, _ in self._inputs if prod(shape) != 1} | {shape for shape, _ in outputs}
        plain = all(dtype.kind in "biufc" for _, dtype in (*self._inputs, *outputs))
        self._may_overwrite = not reduces and self._results is None and len(shapes) == 1 and plain

    def run(self, code: Any, inputs: Sequence[Any], place: Any) -> list[Any] | None:
        """The results of the body; None if an input is of another kind. place: flat memory for a single result."""
        if not self._fits(inputs):
            return None
        if place is None:
            outputs = [make(shape, dtype) for make, shape, dtype in self._outputs]
        else:
            outputs = [place.reshape(self._outputs[0][1])]
        if self._expanded:
            given = list(inputs)
            for i in self._expanded:
                given[i] = np.empty(self._outputs[0][1], self._inputs[i][1])
                given[i][...] = inputs[i]
            code.ufunc(*given, *outputs)
        elif self._is_flat:
            code.ufunc(*inputs, outputs[0])
        elif not self._reduces:
            code.rows(self._address, 0, self._count, *map(id, inputs), *map(id, outputs))
        else:
            pieces = [np.empty(count, dtype) for count, dtype in self._scratch]
            arrays = (*inputs, *outputs[: self._elementwise], *pieces, *outputs[self._elementwise :])
            code.reduce(self._address, 0, self._count, *map(id, arrays))
        if self._results is None:
            return outputs
        found = [*inputs, *outputs]
        return [found[i] for i in self._results]

    def over(
        self, writes: PendingWrites, code: Any, inputs: Sequence[Any], places: Sequence[Any]
    ) -> list[Any] | None:
        """The results, each to be written in its place if it has one, the memory of an input: see `Kernel.over`. None
        if that takes more than one call.
        """
        total = writes.seconds + self._seconds  # as `may_add`, which takes 60 ns
        if not self._may_overwrite or not self._fits(inputs) or total > LONGEST:
            return None
        writes.seconds = total
        outputs = [
            make(shape, dtype) if place is None else place
            for place, (make, shape, dtype) in zip(places, self._outputs, strict=True)
        ]
        writes.calls.append(partial(code.ufunc, *inputs, *outputs))
        return outputs

    def _fits(self, inputs: Sequence[Any]) -> bool:
        for x, (shape, dtype) in zip(inputs, self._inputs, strict=True):
            if (
                x.__class__ is not _ndarray or x.shape != shape or x.dtype is not dtype
                or x.flags.num & _DENSE != _DENSE
            ):  # fmt: skip
                return False
        return True


def _maker(shape: Shape, dtype: Any) -> Callable[[Any, Any], Any]:
    """The function that makes such an array: NumPy's own for a small one, which takes half a microsecond less."""
    return np.empty if prod(shape) * dtype.itemsize < SMALL else POOL.empty
