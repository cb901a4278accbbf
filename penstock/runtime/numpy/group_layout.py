"""The layout of a group for given input shapes: tiles, and registers for intermediate values.

Nearly all of it follows from which sizes are equal and which are 1. That part is a `ShapedForm`, computed once on
stand-ins for sizes (at the end of this file). A `ShapedTiling` is a form with sizes, and cheap: a new batch size takes
6 us a group, a new form 40.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import Any

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...ops.declare.reduction_order import is_trailing, split_shape
from ..base.shape_cache import ShapeCache
from ..ir.fused_ir import Body, broadcast
from ..ir.tiling import LEAST, Shape, Tile, boxes, runs, tile_size
from ..memory import buffer_pool
from .reused_buffers import Frame
from .writers import BoundInstruction, TailReduction


@dataclass(frozen=True, slots=True)
class TilingLimits:
    """Limits of a layout.

    Attributes:
        tile: the most bytes of a tile.
        small: the most elements of a value in a small group.
        worth_copying: the fewest instructions of a small group for which frames pay.
        tiny: the most elements of a value in a group for which frames always pay.
    """

    tile: int
    small: int
    worth_copying: int
    tiny: int


@dataclass(frozen=True, slots=True)
class ShapedForm:
    """The part of a layout that does not depend on sizes; shapes are in stand-ins.

    Attributes:
        whole: the shape of the iteration space.
        small: True if the group runs in frames.
        in_tiles: True if it runs in tiles.
        flat: True if the iteration space is one row.
        made: values that get arrays of their own.
        used: values that the program reads or makes.
        program: the instructions that run tile by tile, or all at once.
        late: reductions that run after their operand is complete.
        tails: reductions that are combined tile by tile.
        register: the register of each intermediate value.
        needs: for each register, (shape, bytes per element) of the values it holds.
    """

    whole: Shape
    small: bool
    in_tiles: bool
    flat: bool
    made: list[int]
    used: set[int]
    program: list[BoundInstruction]
    late: list[BoundInstruction]
    tails: list[TailReduction]
    register: dict[int, int]
    needs: list[list[tuple[Shape, int]]]


@dataclass(slots=True)
class ShapedTiling:
    """A form with sizes.

    Attributes:
        form: the form.
        shapes: the shape of every value.
        whole: the shape of the iteration space.
        count: the elements of a row that is reduced.
        tiles: the tiles.
        registers: the bytes of each register.
        seconds: the predicted time of a run.
        empty: the function that makes arrays: the pool's, or NumPy's if all of them are small.
        idle: frames that no run uses now.
        ran: True if it has run before.
    """

    form: ShapedForm
    shapes: list[Shape]
    whole: Shape
    count: int
    tiles: list[Tile]
    registers: list[int]
    seconds: float
    empty: Callable[[Any, Any], Any]
    idle: deque[Frame] = field(default_factory=deque)
    ran: bool = False


class ShapedForms:
    """The cached forms of one body."""

    def __init__(
        self, body: Body, bound: list[BoundInstruction], tails: dict[int, TailReduction], dtypes: list[Any]
    ) -> None:
        self._bound = bound
        self._tails = tails
        self._dtypes = dtypes
        self._first = len(body.inputs)
        # Fusion never reads a reduction inside its group; other bodies are not divided into tiles.
        self._may_cut = tails.keys().isdisjoint([i for each in bound for i in each.operands])
        kinds = {id(d): d for d in dtypes[self._first :]}  # a dtype's own hash takes 0.1 us
        self._widest = max([d.itemsize for d in kinds.values()] + [4])
        self._results = list(dict.fromkeys(int(o) for o in body.outputs))
        self._cost = sum([each.cost for each in bound]) * 1e-9
        self._shapes: ShapeCache[tuple[list[Shape], Shape]] = ShapeCache()
        self._forms: ShapeCache[ShapedForm] = ShapeCache()

    def tiling(self, inputs: Sequence[Any], limits: TilingLimits, are_dense: bool = True) -> ShapedTiling:
        """The tiling for these inputs; are_dense: whether all results are contiguous."""
        input_shapes, sizes = stand_ins([x.shape for x in inputs])
        inferred = self._shapes.get(input_shapes)
        if inferred is None:
            inferred = self._shapes.keep(input_shapes, self._inferred(input_shapes))
        shapes, whole_form = inferred
        real = sized_all(shapes, sizes)
        whole = tuple([sizes[one] for one in whole_form])
        total = prod(whole)
        most = max(map(prod, set(real)))
        small = most <= limits.small and (len(self._bound) >= limits.worth_copying or most <= limits.tiny)
        is_one_tile = total * self._widest <= min(limits.tile, LEAST)
        tile = total if is_one_tile else tile_size(total, self._widest, limits.tile)
        in_tiles = self._may_cut and total > tile and not small
        in_order = tuple([x.flags.c_contiguous and are_dense for x in inputs]) if in_tiles else ()
        key = (input_shapes, small, in_tiles, in_order)
        form = self._forms.get(key)
        if form is None:
            form = self._forms.keep(key, self._form(shapes, whole_form, small, in_tiles, in_order))
        return self._sized(form, real, sizes, whole, tile)

    def _sized(self, form: ShapedForm, real: list[Shape], sizes: list[int], whole: Shape, tile: int) -> ShapedTiling:
        total = prod(whole)
        count, tiles = 1, []
        if form.in_tiles:
            tails = form.tails
            count = split_shape(whole, tails[0].rule.axes(len(whole), *tails[0].args))[1] if tails else 1
            space = (total,) if form.flat else whole
            tiles = runs(space, count) if tails else boxes(space, tile)
        length = max([t.stop - t.start for t in tiles], default=0)
        registers = [_bytes(need, sizes, length) for need in form.needs]
        largest = max([*registers, max(map(prod, set(real))) * self._widest])
        empty = np.empty if largest < buffer_pool.SMALL else buffer_pool.POOL.empty
        return ShapedTiling(form, real, whole, count, tiles, registers, total * self._cost, empty)

    # ---- on stand-ins -------------------------------------------------------------------------

    def _inferred(self, given: tuple[Shape, ...]) -> tuple[list[Shape], Shape]:
        """The shape of every value, and of the iteration space."""
        shapes: list[Shape] = list(given)
        for _, operands, _, _, _, rule in self._bound:
            own = [shapes[i] for i in operands]
            first = own[0]
            if rule is broadcast and (len(own) == 1 or (first is own[1] and len(own) == 2)):
                shapes.append(first)  # the usual case: 0.1 us
            else:
                shapes.append(rule(own))
        space = [bound for bound in self._bound if bound.value not in self._tails]
        try:
            whole = broadcast(list(dict.fromkeys([shapes[b.value] for b in space])) or [()])
        except ValueError:  # (1, 4) + (2, 4) beside (1, 4) + (3, 4): there is no common space, so no tiles
            whole = ()
        return shapes, whole

    def _form(
        self, shapes: list[Shape], whole: Shape, small: bool, in_tiles: bool, in_order: tuple[bool, ...]
    ) -> ShapedForm:
        tails = self._tiled_tails(shapes, whole) if in_tiles else []
        now = {t.value for t in tails}
        program = [b for b in self._bound if b.value not in self._tails] if in_tiles else self._bound
        late = [b for b in self._bound if b.value in self._tails and b.value not in now] if in_tiles else []
        # A late reduction needs its whole operand.
        outputs = [i for i in dict.fromkeys([*self._results, *[i for b in late for i in b.operands]])
                if i >= self._first and i not in self._tails]  # fmt: skip
        outputs += [] if in_tiles else [i for i in self._results if i in self._tails]
        outputs += [b.value for b in late]
        used = {i for b in program for i in (*b.operands, b.value)} if in_tiles else set()
        in_rows = [prod(s) == 1 or (s == whole and (i >= self._first or in_order[i]))
                   for i, s in enumerate(shapes) if i in used]  # fmt: skip
        kept = {t.operand for t in tails} - set(outputs)
        register, needs = _registers(program, set(outputs), kept, shapes, self._dtypes)
        flat = in_tiles and all(in_rows)
        return ShapedForm(whole, small, in_tiles, flat, outputs, used, program, late, tails, register, needs)

    def _tiled_tails(self, shapes: list[Shape], whole: Shape) -> list[TailReduction]:
        """The reductions of values that fill the iteration space, all over the same last axes."""
        found: list[TailReduction] = []
        common: tuple[int, ...] | None = None
        for tail in self._tails.values():
            if tail.operand < self._first or shapes[tail.operand] != whole:
                continue
            axes = tail.rule.axes(len(whole), *tail.args)
            if is_trailing(axes, len(whole)) and common in (None, axes):
                common = axes
                found.append(tail)
        return found


def _bytes(need: Sequence[tuple[Shape, int]], sizes: Sequence[int], length: int) -> int:
    """The bytes of a register: those of its largest value. length: elements of a tile; 0 if values are whole."""
    most = 0
    for shape, itemsize in need:
        count = prod([sizes[one] for one in shape])
        most = max(most, (min(count, length) if length else count) * itemsize)
    return most


def _registers(
    program: list[BoundInstruction], outputs: set[int], kept: set[int], shapes: list[Shape], dtypes: list[Any]
) -> tuple[dict[int, int], list[list[tuple[Shape, int]]]]:
    """Register allocation: the register of each intermediate value, and (shape, bytes per element) of all its values.

    A register is reused after the last use of its value. The instruction of that last use may reuse it for its result,
    if the result may overwrite the operand: same number of elements, same item size. Values in `kept` are read after
    the program has run.
    """
    last: dict[int, int] = {}
    for position, (_, operands, _, _, _, _) in enumerate(program):
        for i in operands:
            last[i] = position
    bytes_of = {id(dtype): dtype.itemsize for dtype in dtypes}
    pairs = [(shape, bytes_of[id(dtype)]) for shape, dtype in zip(shapes, dtypes, strict=True)]
    one_each = {pair: pair for pair in pairs}  # equal pairs become one object, to be compared by identity
    kinds = [one_each[pair] for pair in pairs]
    free: list[int] = []
    needs: list[dict[tuple[Shape, int], None]] = []
    register: dict[int, int] = {}
    alive: dict[int, int] = {}  # value -> its register, for values that are read later
    for position, (_, operands, i, in_place, _, _) in enumerate(program):
        kind = kinds[i]
        own = -1
        takes_over = in_place and i not in outputs and i not in kept
        dying: list[int] = []
        for j in operands:
            if last[j] == position and j in alive:
                if takes_over and own < 0 and kinds[j] is kind:
                    own = alive.pop(j)
                else:
                    dying.append(alive.pop(j))
        if i not in outputs:
            if own < 0 and free and i not in kept:
                own = free.pop()
            elif own < 0:
                own = len(needs)
                needs.append({})
            register[i] = own
            needs[own][kind] = None
            if i not in kept:
                if i in last:
                    alive[i] = own
                else:
                    free.append(own)
        if dying:
            free += dying
    return register, [list(need) for need in needs]


# ---- stand-ins for sizes ------------------------------------------------------------------------
#
# 0 and 1 stay; every other size becomes a number from 2 on, equal sizes the same number:
#
#     (1000, 8), (8,), (1000, 1)  ->  (2, 3), (3,), (2, 1)    sizes: 0, 1, 1000, 8
#
# Stand-ins are equal exactly where the sizes are, so they broadcast, reduce and compare as the shapes do. A product of
# stand-ins is 0 or 1 exactly where that of the sizes is; no other property of products is preserved.


def stand_ins(shapes: Sequence[Shape]) -> tuple[tuple[Shape, ...], list[int]]:
    """The shapes with stand-ins in place of sizes, and the size of each stand-in."""
    sizes = [0, 1]
    number = {0: 0, 1: 1}
    abstract_shapes: list[Shape] = []
    for shape in shapes:
        own: list[int] = []
        for size in shape:
            one = number.get(size)
            if one is None:
                one = number[size] = len(sizes)
                sizes.append(size)
            own.append(one)
        abstract_shapes.append(tuple(own))
    return tuple(abstract_shapes), sizes


def sized(shape: Shape, sizes: Sequence[int]) -> Shape:
    """The shape with sizes in place of stand-ins."""
    return tuple([sizes[one] for one in shape])


def sized_all(shapes: Sequence[Shape], sizes: Sequence[int]) -> list[Shape]:
    """The same for many; equal ones are made once."""
    real = {shape: sized(shape, sizes) for shape in set(shapes)}
    return [real[shape] for shape in shapes]
