"""Calls of compiled code on given arrays: layout, output allocation, partition among threads.

A `LaunchPlan` is computed once per `ShapeClass` of input shapes (which sizes are equal, which are 1: see
`runtime.numpy.group_layout`) and then gets the sizes of each batch. It decides which arrays the code writes and how the
work is divided. The code (`compiled.compiled_code`) has three entry points:

    contiguous operands             one call of a ufunc: NumPy checks the operands
    broadcast or strided operands   `@rows`: NumPy's iterator would copy broadcast operands (x + row: 3 times slower)
    reductions                      `@reduce`, in the blocks of `ops.declare.reduction_order`

Code that calls NumPy's functions pays for each row: 1e6 elements in rows of 8, transposed, take 34 ms by `@rows`.
Operands with short rows are therefore copied to contiguous memory first: 2.5 ms.

Operands in foreign byte order or at unaligned addresses always use the ufunc: NumPy copies them. Threads share rows or
blocks. Small contiguous operands take a shorter way: see `compiled.direct_launch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import bfloat16
from ...ops.declare.reduction_order import BLOCK, finished
from ..base import thread_pool
from ..base.lazy_attribute import once
from ..base.thread_pool import parallel_for, threads_for
from ..ir.strides import broadcast_strides, coalesced, contiguous_strides, is_plain
from ..ir.tiling import Shape
from ..memory.buffer_pool import POOL
from ..numpy.group_layout import sized
from .compiled_code import BITS, CompiledCode
from .direct_launch import DirectLaunch
from .loop_nest import LEAF, MOST_AXES, in_leaves
from .loop_spec import LoopSpec
from .repeated_broadcast import RepeatPlan, repeat_of
from .shape_class import GroupReductions, ShapeClass
from .strided_run import StridedWalk, strided_walk

SHARES: Final = 4
"""Pieces of work per thread, so that the slowest thread is at most one piece behind."""

LONG: Final = 256
"""Elements of a row from which the calls of NumPy's functions per row cost nothing. 1e6 float32, 10 of 30 operations
tanh, in ms by rows of 8, 32, 64, 128, 256 (copied): 34 (2.5), 9.1 (2.1), 3.4 (2.1), 2.5 (2.1), 2.1 (2.2)."""
FEW: Final = 1 << 15
"""Elements up to which operands of one number per row are expanded rather than left to the interpreter."""
SHORT: Final = 64
"""Elements of a row below which the interpreter runs groups that call NumPy's functions and have reductions, or
operands of one number per row: 35 ms or 5 for rows of 8, 9.1 or 4.0 for 32, 3.5 or 3.9 for 64."""


class LaunchPlan:
    """How the code runs on inputs of given shapes. `whole` is the shape of the scalar program's outputs."""

    def __init__(
        self, shape_class: ShapeClass, sizes: Sequence[int], whole: Shape, ends: GroupReductions, seconds: float
    ) -> None:
        self.shape_class = shape_class
        self.whole = whole
        self.ends = ends
        self.scalar = shape_class.scalar
        self.body = shape_class.body
        self.made = shape_class.made
        self._sizes = sizes
        self.seconds = seconds
        self.outputs = shape_class.outputs
        self._in_bits = shape_class.in_bits
        self._full = shape_class.full
        self._is_simple = shape_class.is_simple and seconds < thread_pool.WORTH
        self._specs: dict[Any, Any] = {}

    @property
    def wants_expansion(self) -> bool:
        """True if the code for inputs that are expanded to whole arrays is faster than the interpreter."""
        return bool(self.too_short) and not self.ends.tails and prod(self.whole) <= FEW

    @property
    def too_short(self) -> str:
        """The reason why the interpreter is faster; "" if it is not."""
        if not self.shape_class.calls:
            return ""
        row = self.ends.count if self.ends.tails else next((n for n in reversed(self.whole) if n != 1), 1)
        if row >= SHORT or not (self.ends.tails or self.shape_class.has_columns):
            return ""
        return f"its rows of {row} elements are too short for NumPy's functions in it"

    def _shape(self, value: int) -> Shape:
        """The shape of a value of the body."""
        return sized(self.shape_class.shapes[value], self._sizes)

    def run(self, code: CompiledCode, inputs: Sequence[Any], place: Any) -> list[Any] | None:
        """The results of the body; None if the code cannot take these arrays. place: flat memory for a single result.
        """
        if self._is_simple and all(inputs[i].flags.c_contiguous for i in self._full):  # 2 us less
            out = POOL.empty(self.whole, self.outputs[0].np) if place is None else place.reshape(self.whole)
            code.ufunc(*inputs, out)
            return [out]
        if self.direct is not None:
            made = self.direct.run(code, inputs, place)
            if made is not None:
                return made
        values: dict[int, Any] = dict(enumerate(inputs))
        for v, dtype in zip(self.made, self.outputs, strict=False):
            values[v] = POOL.empty(self.whole, dtype.np) if place is None else place.reshape(self.whole)
        outputs = [values[v] for v in self.made]
        if self.ends.tails:
            if not self._reduce(code, inputs, outputs, values):
                return None
            self._place(values, place)
        else:
            self._apply(code, inputs, outputs)
        return [values[int(o)] for o in self.body.outputs]

    # ---- small and contiguous ---------------------------------------------------------------

    @once
    def direct(self) -> DirectLaunch | None:
        """The call on contiguous inputs; None if it needs more than one call of the code, or threads."""
        if self.seconds >= thread_pool.WORTH:
            return None
        ends, whole = self.ends, self.whole
        inputs = [(self._shape(i), d.np) for i, d in enumerate(self.scalar.inputs)]
        dense = [tuple(contiguous_strides(self._shape(i), d.size)) for i, d in enumerate(self.scalar.inputs)]
        place = {v: len(dense) + k for k, v in enumerate([*self.made, *[t.value for t in ends.tails]])}
        results = [place.get(int(o), int(o)) for o in self.body.outputs]
        outputs = [(whole, d.np) for d in self.outputs[: len(self.made)]]
        if not ends.tails:
            spec = self._rows_by(dense)
            rank = spec[0].numbers[0]
            row = spec[0].numbers[rank]
            if self.shape_class.calls and rank > 1 and row < LONG:
                parts = [i for i in self._full if self._shape(i) != whole]
                if self.shape_class.has_columns or self._in_bits or bfloat16 in self.outputs:
                    return None
                return DirectLaunch(inputs, outputs, (), len(outputs), results, spec, reduces=False, expanded=parts,
                                    seconds=self.seconds)
            if self._repeat is not None:
                return None
            return DirectLaunch(inputs, outputs, (), len(outputs), results, spec, reduces=False,
                                is_flat=self._is_simple, seconds=self.seconds)
        blocks = self._blocks_by(dense)
        kept = [self.body.dtype_of(t.value) for t in ends.tails]
        ready = all(t.rule.finish is None for t in ends.tails) and kept == [node.dtype for node in ends.nodes]
        if blocks is None or ends.count > BLOCK or not ready:
            return None
        room = min(ends.count, LEAF if in_leaves(ends.nodes) else BLOCK)
        scratch = [(room, d.np) for d in self.outputs[len(self.made) :]]
        outputs += [(self._shape(t.value), d.np) for t, d in zip(ends.tails, kept, strict=True)]
        return DirectLaunch(inputs, outputs, scratch, len(self.made), results, (blocks, ends.rows), reduces=True)

    # ---- elementwise ------------------------------------------------------------------------

    def _apply(self, code: CompiledCode, inputs: Sequence[Any], outputs: list[Any]) -> None:
        helpers = threads_for(self.seconds)
        flat = self.is_flat(inputs)
        if not flat and self.shape_class.calls and self._row(inputs) < LONG:
            inputs = self._in_one_piece(inputs)
            flat = self.is_flat(inputs)
        if not flat and is_plain(inputs):
            repeated = None if self._repeat is None else self._repeat.made(inputs)
            if repeated is not None:
                self._rest(code, repeated, outputs)
                call_rows(code, self._long_rows, [*repeated, *outputs], helpers)
                return
            walk = self._strided_walk(inputs)
            loop = None if walk is None else walk.loop()
            if walk is not None and loop is not None:
                walk.run(loop, code.loop_address, [*inputs, *outputs], helpers)
                return
            call_rows(code, self.rows_of(inputs), [*inputs, *outputs], helpers)
            return
        operands = list(inputs)
        for i in self._in_bits:
            operands[i] = operands[i].view(BITS)
        constant_operand = [x.view(BITS) if d is bfloat16 else x for x, d in zip(outputs, self.outputs, strict=True)]
        if helpers <= 1 or not flat:
            code.ufunc(*operands, out=tuple(constant_operand))
            return
        operands = [x.reshape(-1) if x.size != 1 else x.reshape(()) for x in operands]
        constant_operand = [x.reshape(-1) for x in constant_operand]
        length = len(constant_operand[0])
        shares = min(length, helpers * SHARES)

        def work(share: int) -> None:
            cut = slice(length * share // shares, length * (share + 1) // shares)
            code.ufunc(*[x[cut] if x.ndim else x for x in operands], out=tuple([x[cut] for x in constant_operand]))

        parallel_for(shares, work, helpers)

    def _in_one_piece(self, inputs: Sequence[Any]) -> list[Any]:
        """Contiguous copies of the inputs; broadcast inputs are expanded unless they can be repeated."""
        given = [x if x.size == 1 else np.ascontiguousarray(x) for x in inputs]
        if self.shape_class.has_columns or self._repeat is not None:
            return given
        return [x if x.size == 1 else np.ascontiguousarray(np.broadcast_to(x, self.whole)) for x in given]

    def _row(self, inputs: Sequence[Any]) -> int:
        """The row length that `@rows` would have."""
        if not is_plain(inputs):
            return LONG
        numbers = self.rows_of(inputs)[0].numbers
        return numbers[numbers[0]]

    def is_flat(self, inputs: Sequence[Any]) -> bool:
        """True if the elements form one contiguous row."""
        whole = self.whole
        return all(x.size == 1 or (x.shape == whole and x.flags.c_contiguous) for x in inputs)

    def _strided_walk(self, inputs: Sequence[Any]) -> StridedWalk | None:
        """How to go over operands that do not lie in order along rows; None if they do."""
        key = "strided", *[x.strides for x in inputs]
        if key not in self._specs:
            shapes = [self._shape(i) for i in range(len(inputs))] + [self.whole] * len(self.outputs)
            strides = [x.strides for x in inputs]
            strides += [tuple(contiguous_strides(self.whole, d.size)) for d in self.outputs]
            sizes = [d.size for d in (*self.scalar.inputs, *self.outputs)]
            self.keep(key, strided_walk(self.whole, shapes, strides, sizes))
        walk: StridedWalk | None = self._specs[key]
        return walk

    def rows_of(self, inputs: Sequence[Any]) -> tuple[LoopSpec, int]:
        """The `spec` of `@rows`, and the length of the first axis."""
        return self._rows_by([x.strides for x in inputs])

    def _rows_by(self, given: Sequence[Shape]) -> tuple[LoopSpec, int]:
        key = tuple(given)
        found: tuple[LoopSpec, int] | None = self._specs.get(key)
        if found is None:
            strides = [broadcast_strides(self._shape(i), own, self.whole) for i, own in enumerate(given)]
            strides += [contiguous_strides(self.whole, d.size) for d in self.outputs]
            shape, strides = coalesced(self.whole, strides)
            spec = [len(shape), *shape, *[s[axis] for axis in range(len(shape)) for s in strides]]
            found = LoopSpec(spec), shape[0]
            self.keep(key, found)
        return found

    @once
    def _repeat(self) -> RepeatPlan | None:
        return repeat_of([self._shape(i) for i in range(len(self.scalar.inputs))], self.whole)

    @once
    def _long_rows(self) -> tuple[LoopSpec, int]:
        """The same for inputs that are repeated to long rows."""
        assert self._repeat is not None  # the caller checked
        length = self._repeat.length
        strides: list[tuple[int, int]] = []
        for i, dtype in enumerate(self.scalar.inputs):
            one = i not in self._full
            strides.append((0 if one or i in self._repeat.inputs else length * dtype.size, 0 if one else dtype.size))
        strides += [(length * d.size, d.size) for d in self.outputs]
        numbers = [2, self._repeat.rows, length, *[s[0] for s in strides], *[s[1] for s in strides]]
        return LoopSpec(numbers), self._repeat.rows

    def _rest(self, code: CompiledCode, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Compute the elements after the last whole row."""
        assert self._repeat is not None  # the caller checked
        rest = self._repeat.rest
        if not rest:
            return
        given = []
        for i, x in enumerate(inputs):
            if i not in self._full:
                given.append(x)
                continue
            given.append(x[:rest] if i in self._repeat.inputs else x.reshape(-1)[-rest:])
        spec = LoopSpec([1, rest, *[0 if i not in self._full else x.itemsize for i, x in enumerate(given)],
                     *[x.itemsize for x in outputs]])  # fmt: skip
        call_rows(code, (spec, rest), [*given, *[x.reshape(-1)[-rest:] for x in outputs]], 1)

    def kept(self, key: Any) -> Any:
        """What was kept under a key; None if nothing was."""
        return self._specs.get(key)

    def keep(self, key: Any, found: Any) -> Any:
        """Keep what depends on the strides of a call."""
        if len(self._specs) >= MOST_AXES:
            self._specs.clear()
        self._specs[key] = found
        return found

    # ---- with reductions --------------------------------------------------------------------

    def _reduce(self, code: CompiledCode, inputs: Sequence[Any], outputs: list[Any], values: dict[int, Any]) -> bool:
        """Compute the reductions into `values`; False if the inputs are not strided rows."""
        ends = self.ends
        spec = self.blocks_of(inputs) if is_plain(inputs) else None
        if spec is None:
            return False
        blocks_of_row = -(-ends.count // BLOCK)
        parts = [np.empty((ends.rows, blocks_of_row), node.dtype.np) for node in ends.nodes]
        blocks = ends.rows * blocks_of_row
        room = LEAF if in_leaves(ends.nodes) else BLOCK
        arrays = [id(x) for x in (*inputs, *outputs)]

        def work(first: int, last: int) -> None:
            scratch = [np.empty(room, d.np) for d in self.outputs[len(self.made) :]]
            code.reduce(spec.address, first, last, *arrays, *[id(x) for x in scratch], *[id(x) for x in parts])

        helpers = min(threads_for(self.seconds), blocks)
        if helpers <= 1:
            work(0, blocks)
        else:
            shares = min(blocks, helpers * SHARES)
            parallel_for(shares, lambda k: work(blocks * k // shares, blocks * (k + 1) // shares), helpers)
        for tail, part in zip(ends.tails, parts, strict=True):
            dtype = self.body.dtype_of(tail.value).np
            if blocks_of_row > 1 or tail.rule.finish is not None or part.dtype != dtype:
                part = finished(tail.rule, part, ends.count, dtype)
            values[tail.value] = part.reshape(self._shape(tail.value))
        return True

    def blocks_of(self, inputs: Sequence[Any]) -> LoopSpec | None:
        """The `spec` of `@reduce`; None if an operand has no constant stride between rows and within a row."""
        return self._blocks_by([x.strides for x in inputs])

    def _blocks_by(self, input_strides: Sequence[Shape]) -> LoopSpec | None:
        key = tuple(input_strides)
        if key in self._specs:
            return self._specs[key]  # type: ignore[no-any-return]  # with reductions all entries have this type
        rank = self.ends.axes
        strides = [broadcast_strides(self._shape(i), own, self.whole) for i, own in enumerate(input_strides)]
        strides += [contiguous_strides(self.whole, d.size) for d in self.outputs]
        outer = coalesced(self.whole[:rank], [s[:rank] for s in strides])
        inner = coalesced(self.whole[rank:], [s[rank:] for s in strides])
        blocks = None
        if len(outer[0]) <= 1 and len(inner[0]) <= 1:
            kept = len(input_strides) + len(self.made)
            by_row = [s[0] if s else 0 for s in outer[1]]
            steps = [s[0] if s else 0 for s in inner[1]]
            sizes = [d.size for d in self.outputs]
            steps[len(input_strides) :] = sizes
            by_row[kept:] = [0] * (len(steps) - kept)
            moves = [s if k < kept else 0 for k, s in enumerate(steps)]
            spec = [self.ends.count, -(-self.ends.count // BLOCK), *by_row, *moves, *steps]
            blocks = LoopSpec(spec)
        self.keep(key, blocks)
        return blocks

    def _place(self, values: dict[int, Any], place: Any) -> None:
        """Copy a single reduced result into `place`."""
        out = int(self.body.outputs[0])
        if place is not None and out not in self.made:
            target = place.reshape(self._shape(out))
            np.copyto(target, values[out])
            values[out] = target


def launch_plan(shape_class: ShapeClass, sizes: Sequence[int]) -> LaunchPlan:
    """The launch plan of a class for these sizes in place of the stand-ins."""
    whole, ends = sized(shape_class.whole, sizes), shape_class.ends
    if ends.tails:
        ends = replace(ends, rows=prod(whole[: ends.axes]), count=prod(whole[ends.axes :]))
    return LaunchPlan(shape_class, sizes, whole, ends, prod(whole) * shape_class.cost)


def call_rows(code: CompiledCode, walk: tuple[LoopSpec, int], arrays: Sequence[Any], helpers: int) -> None:
    """Call `@rows`, with the first axis divided among threads."""
    spec, length = walk
    heads = [id(x) for x in arrays]
    if helpers <= 1:
        code.rows(spec.address, 0, length, *heads)
        return
    shares = min(length, helpers * SHARES)
    parallel_for(shares, lambda share: code.rows(spec.address, length * share // shares,
                 length * (share + 1) // shares, *heads), helpers)  # fmt: skip
