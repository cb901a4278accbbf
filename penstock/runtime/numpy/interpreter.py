"""The interpreter: runs a fused group with NumPy alone.

Small groups run instruction by instruction; very small ones in frames, whose memory and call arguments never change.
Larger groups run in tiles: all instructions on some 50,000 elements, then on the next. What one instruction writes, the
next one reads from the cache, and only inputs and results touch main memory. Intermediate values share a few registers,
blocks of the size of a tile. Reductions at the end combine each tile while it is in the cache.

The tiles (runtime.ir.tiling) and registers (runtime.numpy.group_layout) are computed once for each combination of input
shapes and layouts. Tiles are independent, so threads share those of large groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...ops.declare.reduction_order import BLOCK, finished, partials, reduce_block
from ..base import thread_pool
from ..base.shape_cache import KEPT_SHAPES, ShapeCache
from ..base.thread_pool import parallel_ranges, threads_for
from ..ir.fused_ir import Body, broadcast
from ..ir.tiling import Shape, Tile, TileBox
from ..llvm.native_driver import driver
from ..memory.buffer_pool import POOL
from .group_layout import ShapedForms, ShapedTiling, TilingLimits
from .reused_buffers import FrameLayout, make_frame
from .writers import BoundInstruction, bound_of, tail_of

TILE = 1 << 20
"""The most bytes of a tile of the widest value: see `tiling.tile_size`."""
SMALL = 1 << 14
"""The most elements of inputs that are copied to a frame: ten calls on 10,000 float32 then take 30 us, not 39."""
WORTH_COPYING = 4
"""The fewest instructions of a group for which frames pay."""
TINY = 256
"""The most elements of inputs that are copied to a frame however few instructions there are."""


class Interpreter:
    """Runs one body. Thread-safe: it keeps no state of a run."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._first = len(body.inputs)
        dtypes = [*body.inputs, *[instruction.dtype for instruction in body.instructions]]
        self._bound = bound_of(body, dtypes)
        tails = [tail_of(body, i, body.instructions[i]) for i, b in enumerate(self._bound) if b.shape is not broadcast]
        self._dtypes = [dtype.np for dtype in dtypes]
        self._forms = ShapedForms(body, self._bound, {t.value: t for t in tails if t is not None}, self._dtypes)
        self._tilings: ShapeCache[ShapedTiling] = ShapeCache()

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, each an array of its own; the caller copies a result that is an input."""
        return self._run(inputs, {})

    def into(self, place: Any, *inputs: Any) -> Any:
        """The single result, in `place`: flat memory of its dtype and size that no input shares."""
        (result,) = self._run(inputs, {int(self.body.outputs[0]): place})
        return result

    def write(self, places: Sequence[Any], *inputs: Any) -> None:
        """Write the results to `places`, arrays of their shapes and any strides that no input shares."""
        are_dense = all(place.flags.c_contiguous for place in places)
        tiling = self.tiling(inputs, are_dense)
        apart = (tiling.form.small and tiling.ran) or not all(map(_has_rows, places))
        if apart or len(set(self.body.outputs)) < len(places):
            for place, result in zip(places, self._run(inputs, {}), strict=True):
                np.copyto(place, result)
            return
        self._run(inputs, dict(zip(map(int, self.body.outputs), places, strict=True)), are_dense)

    def _run(self, inputs: Sequence[Any], places: dict[int, Any], are_dense: bool = True) -> list[Any]:
        tiling = self.tiling(inputs, are_dense)
        if tiling.form.small and tiling.ran:
            return self._run_small(inputs, tiling, places)
        tiling.ran = True  # a frame takes longer to make than one run saves
        values: list[Any] = [*inputs, *([None] * (len(tiling.shapes) - self._first))]
        for i in tiling.form.made:
            place = places.get(i)
            shape = tiling.shapes[i]
            values[i] = tiling.empty(shape, self._dtypes[i]) if place is None else place.reshape(shape)
        if tiling.tiles:
            self._run_tiles(values, tiling)
        else:
            self._run_each(values, tiling, tiling.form.program)
        self._run_each(values, tiling, tiling.form.late)
        for i, place in places.items():
            if i >= self._first and i not in tiling.form.made:  # combined tile by tile, in memory of its own
                place = place.reshape(tiling.shapes[i])
                np.copyto(place, values[i])
                values[i] = place
        return [values[o] for o in self.body.outputs]

    # ---- small --------------------------------------------------------------------------------

    def _run_small(self, inputs: Sequence[Any], tiling: ShapedTiling, places: dict[int, Any]) -> list[Any]:
        """Copy the inputs to where the calls expect them, and the results away: 0.3 us per instruction, not 0.9."""
        try:
            frame = tiling.idle.pop()
        except IndexError:
            frame = make_frame(self._layout(tiling), driver())
        for own, given in zip(frame.inputs, inputs, strict=True):
            own[...] = given
        return frame.results_of_run(tiling.idle, *places.values())

    def layout(self, inputs: Sequence[Any]) -> FrameLayout | None:
        """The layout of a frame for such inputs; None if they are not small."""
        tiling = self.tiling(inputs)
        return self._layout(tiling) if tiling.form.small else None

    def _layout(self, tiling: ShapedTiling) -> FrameLayout:
        return FrameLayout(self._bound, self._dtypes, tiling.shapes, self._first, self.body.outputs,
                      tiling.form.register, tiling.registers)  # fmt: skip

    def seconds(self, inputs: Sequence[Any]) -> float:
        """Predicted seconds of a run on such inputs; measured times were 0.3 to 20 times as long."""
        seconds = self.tiling(inputs).seconds
        return seconds if seconds < thread_pool.WORTH else seconds / threads_for(seconds)

    # ---- at once ------------------------------------------------------------------------------

    def _run_each(self, values: list[Any], tiling: ShapedTiling, program: list[BoundInstruction]) -> None:
        memory: dict[int, Any] = {}
        for bound in program:
            i = bound.value
            out = values[i]
            if out is None:
                shape, dtype = tiling.shapes[i], self._dtypes[i]
                register = tiling.form.register.get(i)
                if register is None:
                    out = np.empty(shape, dtype)
                else:
                    block = memory.get(register)
                    if block is None:
                        block = memory[register] = tiling.empty(tiling.registers[register], np.uint8)
                    out = block[: prod(shape) * dtype.itemsize].view(dtype).reshape(shape)
                values[i] = out
            bound.call(out, *[values[j] for j in bound.operands])

    # ---- in tiles -----------------------------------------------------------------------------

    def _run_tiles(self, values: list[Any], tiling: ShapedTiling) -> None:
        reach = len(tiling.whole)
        inputs: list[tuple[int, Any, tuple[bool, ...]]] = []
        for i, value in enumerate(values):
            if value is not None and i in tiling.form.used:
                if tiling.form.flat:
                    value = value.reshape(-1) if value.size != 1 else value.reshape(())
                elif value.ndim:
                    value = value.reshape((1,) * (reach - value.ndim) + value.shape)
                inputs.append((i, value, tuple([d == 1 for d in value.shape])))
        parts = [partials(t.rule, self._dtypes[t.operand], prod(tiling.whole) // tiling.count, tiling.count)
                 for t in tiling.form.tails]  # fmt: skip
        tiles = tiling.tiles

        def work(first: int, last: int) -> None:
            self._run_some(tiles[first:last], inputs, parts, tiling)

        parallel_ranges(len(tiles), work, min(threads_for(tiling.seconds), len(tiles)))
        for tail, part in zip(tiling.form.tails, parts, strict=True):
            result = finished(tail.rule, part, tiling.count, self._dtypes[tail.value])
            values[tail.value] = result.reshape(tiling.shapes[tail.value])

    def _run_some(self, tiles: list[Tile], inputs: list[Any], parts: list[Any], tiling: ShapedTiling) -> None:
        scratch = _Scratch(tiling, self._dtypes)
        count = tiling.count
        for tile in tiles:
            for box in tile.boxes:
                values = scratch.views(box).copy()
                cut = box.cut
                for i, value, single in inputs:
                    if tiling.form.flat:
                        values[i] = value[cut[0]] if single else value
                    elif single:
                        values[i] = value[tuple([_ALL if one else c for c, one in zip(cut, single, strict=True)])]
                    else:
                        values[i] = value
                for bound in tiling.form.program:
                    bound.call(values[bound.value], *[values[j] for j in bound.operands])
            for tail, part in zip(tiling.form.tails, parts, strict=True):
                row, place = divmod(tile.start, count)
                block = scratch.block(tail.operand, tile, inputs)
                if part.shape[1] == 1:
                    block = block.reshape(-1, count)
                    reduce_block(tail.rule, block, part[row : row + len(block), 0])
                else:
                    k = place // BLOCK
                    reduce_block(tail.rule, block.reshape(1, -1), part[row, k : k + 1])

    # ---- the cache of tilings -----------------------------------------------------------------

    def tiling(self, inputs: Sequence[Any], are_dense: bool = True) -> ShapedTiling:
        """The tiling for inputs; are_dense: whether all results are contiguous."""
        key = tuple([(x.shape, x.flags.c_contiguous and are_dense) for x in inputs])
        found = self._tilings.get(key)
        if found is None:
            limits = TilingLimits(TILE, SMALL, WORTH_COPYING, TINY)
            found = self._tilings.keep(key, self._forms.tiling(inputs, limits, are_dense))
        return found


_ALL = slice(None)


def _has_rows(place: Any) -> bool:
    """Whether the elements of a row lie together: NumPy 2.4's negative and isnan of strided operands write wrong
    numbers to results that are strided, too."""
    steps = [stride for size, stride in zip(place.shape, place.strides, strict=True) if size != 1]
    return not steps or steps[-1] == place.itemsize


class _Scratch:
    """The registers of one thread, and views of them in the shapes of boxes."""

    def __init__(self, tiling: ShapedTiling, dtypes: list[Any]) -> None:
        self._tiling = tiling
        self._dtypes = dtypes
        self._memory = [POOL.empty(size, np.uint8) for size in tiling.registers]
        self._views: dict[Any, list[Any]] = {}
        self._kept = {t.operand for t in tiling.form.tails}

    def views(self, box: TileBox) -> list[Any]:
        """For each value of the program its memory in this box; None for values that are slices of arrays."""
        key = (box.shape, box.offset)
        views = self._views.get(key)
        if views is None:
            views = [None] * len(self._dtypes)
            for i, register in self._tiling.form.register.items():
                shape = self._shape(i, box.shape)
                dtype = self._dtypes[i]
                start = box.offset * dtype.itemsize if i in self._kept else 0
                size = prod(shape) * dtype.itemsize
                views[i] = self._memory[register][start : start + size].view(dtype).reshape(shape)
            if len(self._views) < KEPT_SHAPES:
                self._views[key] = views
        return views

    def block(self, i: int, tile: Tile, given: list[Any]) -> Any:
        """The value of the whole tile, as one row."""
        register = self._tiling.form.register.get(i)
        if register is None:
            return next(value for j, value, _ in given if j == i).reshape(-1)[tile.start : tile.stop]
        dtype = self._dtypes[i]
        return self._memory[register][: (tile.stop - tile.start) * dtype.itemsize].view(dtype)

    def _shape(self, i: int, box: Shape) -> Shape:
        own = self._tiling.shapes[i]
        if self._tiling.form.flat:
            return box if prod(own) != 1 else ()
        if not own:
            return ()
        padded = (1,) * (len(box) - len(own)) + own
        return tuple([1 if d == 1 else b for d, b in zip(padded, box, strict=True)])
