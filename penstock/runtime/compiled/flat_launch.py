"""Calls of a flat nest's code on given arrays: layout, output allocation, partition among threads.

A `FlatLaunch` is computed once per `ShapedNest` of input shapes (which sizes are equal, which are 1: see
`runtime.numpy.group_layout`) and then gets the sizes of each batch. It decides which arrays the code writes and how the
work is divided. The code (`compiled.compiled_code`) has three entry points:

    contiguous operands             one call of a ufunc: NumPy checks the operands
    broadcast or strided operands   `@rows`: NumPy's iterator would copy broadcast operands (x + row: 3 times slower)
    reductions                      `@reduce`, in the blocks of `ops.declare.reduction_order`

Code that calls NumPy's functions pays for each row: 1e6 elements in rows of 8, transposed, take 34 ms by `@rows`.
Operands with short rows are therefore copied to contiguous memory first: 2.5 ms.

Operands in foreign byte order or at unaligned addresses always use the ufunc: NumPy copies them. Threads share rows or
blocks.

The code of a step of a small model runs for one or two microseconds; finding out strides, threads and blocks takes six.
So for contiguous arrays that are too small for threads all of that is known beforehand (`direct`): such a call checks
that the arrays are contiguous, aligned and of the expected dtypes, makes the results and calls the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from ...ops.declare.reduction_order import BLOCK, finished
from ..base import thread_pool
from ..base.pending_writes import LONGEST, PendingWrites
from ..base.thread_pool import parallel_ranges, threads_for
from ..ir.strides import contiguous_strides, is_plain
from ..llvm.native_calls import NativeCall, NativeMemory
from ..memory.buffer_pool import allocator
from .compiled_code import BITS, CompiledCode
from .flat_layout import LONG, FlatLayout
from .flat_nest import reductions_of
from .loop_spec import LoopSpec
from .native_launch import native_calls
from .shaped_nest import ShapedNest

_DENSE: Final = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
_ndarray = np.ndarray


class FlatLaunch(FlatLayout):
    """How the code runs on inputs of given shapes.

    Attributes:
        is_direct: whether contiguous inputs need just one call of the code, on one thread.
    """

    __slots__ = ("_address", "_expanded", "_is_flat", "_length", "_made", "_order", "_outputs", "_spec", "is_direct")

    def __init__(self, common: ShapedNest, sizes: Sequence[int]) -> None:
        super().__init__(common, sizes)
        self._outputs = tuple([(allocator(*each), *each) for each in self.results])
        self._made = len(common.parts.made)
        self._order = common.order
        self._is_flat = False
        self._expanded: list[int] = []
        direct = self._direct()
        self.is_direct = direct is not None
        self._spec, self._length = direct or (LoopSpec(()), 0)
        self._address = self._spec.address

    def _direct(self) -> tuple[LoopSpec, int] | None:
        """The spec for contiguous inputs, and the length of what it divides; None if they need several calls."""
        common = self.common
        if self.seconds >= thread_pool.WORTH:
            return None
        dense = [tuple(contiguous_strides(shape, dtype.itemsize)) for shape, dtype in self.inputs]
        if self.reduces:
            blocks = self.blocks(dense)
            return None if blocks is None or self.count > BLOCK or not common.is_ready else (blocks, self.rows)
        path = self.path([*dense, *[tuple(contiguous_strides(self.whole, d.size)) for d in common.outputs]])
        if common.calls and len(path.shape) > 1 and path.shape[-1] < LONG:
            self._expanded = [i for i in common.full if self.inputs[i][0] != self.whole]
            return None if common.has_columns or common.bits else (path.spec, path.shape[0])
        self._is_flat = common.is_simple
        return None if self.repeat is not None else (path.spec, path.shape[0])

    # ---- runs ---------------------------------------------------------------------------------

    def direct(self, code: CompiledCode, inputs: Sequence[Any], place: Any) -> list[Any] | None:
        """The results of the body by one call; None if an input is not as expected. For launches that are direct.

        place: flat memory for a single result.
        """
        if not self._fits(inputs):
            return None
        if place is None:
            outputs = [make(shape, dtype) for make, shape, dtype in self._outputs]
        else:
            outputs = [place.reshape(self._outputs[0][1])]
        if self._is_flat:  # the ufunc takes a third of the time to call
            code.ufunc(*inputs, outputs[0])
        elif self._expanded:
            arrays = list(inputs)
            for i in self._expanded:
                arrays[i] = np.empty(self.whole, self.inputs[i][1])
                arrays[i][...] = inputs[i]
            code.ufunc(*arrays, *outputs)
        elif not self.reduces:
            code.rows(self._address, 0, self._length, *map(id, inputs), *map(id, outputs))
        else:
            pieces = [np.empty(count, dtype) for count, dtype in self.scratch]
            everything = (*inputs, *outputs[: self._made], *pieces, *outputs[self._made :])
            code.reduce(self._address, 0, self._length, *map(id, everything))
        if self._order is None:
            return outputs
        values = [*inputs, *outputs]
        return [values[i] for i in self._order]

    def run(self, code: CompiledCode, inputs: Sequence[Any], place: Any) -> list[Any] | None:
        """The results of the body; None if the code cannot take these arrays.

        place: flat memory for a single result.
        """
        if self.is_direct:
            results = self.direct(code, inputs, place)
            if results is not None:
                return results
        made = self._outputs[: self._made]
        outputs = [make(s, dtype) if place is None else place.reshape(s) for make, s, dtype in made]
        if not self.reduces:
            self._apply(code, inputs, outputs)
        elif not self._reduce(code, inputs, outputs):
            return None
        elif place is not None and not made:
            target = place.reshape(outputs[0].shape)
            np.copyto(target, outputs[0])
            return [target]
        values = [*inputs, *outputs]
        return outputs if self._order is None else [values[i] for i in self._order]

    def over(
        self, writes: PendingWrites, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]
    ) -> list[Any] | None:
        """The results, each to be written in its place if it has one, the memory of an input, when the run ends: see
        `Kernel.over`. None if the code cannot do that, or it would take too long.
        """
        if self._order is not None or not self.common.is_flat or not self._fits(inputs):
            return None
        helpers = 1
        if self.seconds < thread_pool.WORTH:
            total = writes.seconds + self.seconds  # as `may_add`, which takes 60 ns
            if total > LONGEST:
                return None
            writes.seconds = total
        else:
            helpers = threads_for(self.seconds)
            if not writes.may_add(self.seconds, helpers):
                return None
        outputs = [
            make(shape, dtype) if place is None else place
            for place, (make, shape, dtype) in zip(places, self._outputs, strict=True)
        ]
        arrays = [*inputs, *outputs] if not self.common.bits else self._in_bits(inputs, outputs)
        if helpers <= 1:
            writes.calls.append(partial(code.ufunc, *arrays))
            return outputs
        arrays, length = _in_rows(arrays), prod(self.whole)
        for k in range(helpers):
            cut = slice(length * k // helpers, length * (k + 1) // helpers)
            writes.calls.append(partial(code.ufunc, *[x[cut] if x.ndim else x for x in arrays]))
        return outputs

    def write(self, code: CompiledCode, inputs: Sequence[Any], places: Sequence[Any]) -> bool:
        """Write the results of the body to `places`; False if the code does not serve these arrays.

        places: arrays of the shape of the results, in the order of `GroupParts.made`; their last axes may have gaps
            between their rows.
        """
        path = self.path_to(inputs, places)
        if path is not None:
            path.run(code, [*inputs, *places], threads_for(self.seconds))
        return path is not None

    def native(
        self, code: CompiledCode, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
    ) -> list[NativeCall] | None:
        """See `llvm.native_calls`."""
        return native_calls(self, code, inputs, results, memory)

    def _fits(self, inputs: Sequence[Any]) -> bool:
        for x, (shape, dtype) in zip(inputs, self.inputs, strict=True):
            if (
                x.__class__ is not _ndarray or x.shape != shape or x.dtype is not dtype
                or x.flags.num & _DENSE != _DENSE
            ):  # fmt: skip
                return False
        return True

    # ---- elementwise ------------------------------------------------------------------------

    def _apply(self, code: CompiledCode, inputs: Sequence[Any], outputs: list[Any]) -> None:
        helpers = threads_for(self.seconds)
        flat = self.is_flat(inputs)
        by_path = not flat and is_plain(inputs)
        if by_path and self.common.calls and self.path_over(inputs, outputs).shape[-1] < LONG:
            inputs = self._in_one_piece(inputs)
            flat = self.is_flat(inputs)
            by_path = not flat
        if by_path:
            parts: Iterable[list[Any]] = [[*inputs, *outputs]]
            if self.repeat is not None and all(x.size == 1 or x.flags.c_contiguous for x in inputs):
                parts = self.repeat.parts(inputs, outputs)
            for arrays in parts:
                self.path_over(arrays, ()).run(code, arrays, helpers)
            return
        arrays = self._in_bits(inputs, outputs)
        if helpers <= 1 or not flat:
            code.ufunc(*arrays)
            return
        rows = _in_rows(arrays)
        parallel_ranges(
            len(rows[-1]), lambda first, last: code.ufunc(*[x[first:last] if x.ndim else x for x in rows]), helpers
        )

    def _in_one_piece(self, inputs: Sequence[Any]) -> list[Any]:
        """Contiguous copies of the inputs; broadcast inputs are expanded unless they can be repeated."""
        if self.common.has_columns or self.repeat is not None:
            return [x if x.size == 1 else np.ascontiguousarray(x) for x in inputs]
        return [x if x.size == 1 else np.ascontiguousarray(np.broadcast_to(x, self.whole)) for x in inputs]

    def _in_bits(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        """All arrays, those of bfloat16 as their bits."""
        arrays = [*inputs, *outputs]
        for k in self.common.bits:
            arrays[k] = arrays[k].view(BITS)
        return arrays

    # ---- with reductions --------------------------------------------------------------------

    def _reduce(self, code: CompiledCode, inputs: Sequence[Any], outputs: list[Any]) -> bool:
        """Compute all results, and append the reduced ones to `outputs`; False if the inputs are not strided rows."""
        spec = self.blocks([x.strides for x in inputs]) if is_plain(inputs) else None
        if spec is None:
            return False
        blocks_of_row = -(-self.count // BLOCK)
        parts = [np.empty((self.rows, blocks_of_row), node.dtype.np) for node in reductions_of(self.common.nest)]
        arrays, totals = [id(x) for x in (*inputs, *outputs)], [id(x) for x in parts]

        def work(first: int, last: int) -> None:
            pieces = [np.empty(count, dtype) for count, dtype in self.scratch]
            code.reduce(spec.address, first, last, *arrays, *[id(x) for x in pieces], *totals)

        parallel_ranges(self.rows * blocks_of_row, work, threads_for(self.seconds))
        results = self.results[self._made :]
        for tail, part, (shape, dtype) in zip(self.common.parts.tails, parts, results, strict=True):
            outputs.append(finished(tail.rule, part, self.count, dtype).reshape(shape))
        return True


def _in_rows(arrays: Sequence[Any]) -> list[Any]:
    """Contiguous arrays as rows, single numbers without axes."""
    return [x.reshape(-1) if x.size != 1 else x.reshape(()) for x in arrays]
