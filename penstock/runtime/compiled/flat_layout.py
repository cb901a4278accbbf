"""What is known about a flat nest on inputs of given shapes: sizes, and how the code goes over arrays of given strides.

A `FlatLayout` is computed once per `ShapedNest` of input shapes (which sizes are equal, which are 1: see
`runtime.numpy.group_layout`) and then gets the sizes of each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from ...ops.declare.reduction_order import BLOCK
from ..base.shape_cache import ShapeCache
from ..ir.strides import contiguous_strides, is_plain
from ..ir.tiling import Shape
from ..numpy.group_layout import sized
from .flat_nest import reductions_of
from .flat_paths import FlatPath, blocks_of, path_of
from .loop_nest import LEAF, in_leaves
from .loop_spec import LoopSpec
from .repeated_broadcast import repeat_of
from .shaped_nest import ShapedNest

LONG: Final = 256
"""Elements of a row from which the calls of NumPy's functions per row cost nothing. 1e6 float32, 10 of 30 operations
tanh, in ms by rows of 8, 32, 64, 128, 256 (copied): 34 (2.5), 9.1 (2.1), 3.4 (2.1), 2.5 (2.1), 2.1 (2.2)."""
FEW: Final = 1 << 15
"""Elements up to which operands of one number per row are expanded rather than left to the interpreter."""
SHORT: Final = 64
"""Elements of a row below which the interpreter runs groups that call NumPy's functions and have reductions, or
operands of one number per row: 35 ms or 5 for rows of 8, 9.1 or 4.0 for 32, 3.5 or 3.9 for 64."""
KEPT_STRIDES: Final = 32
"""The most combinations of strides that are kept for one of shapes."""


class FlatLayout:
    """The sizes of a flat nest.

    Attributes:
        common: what does not depend on sizes.
        whole: the shape of what the scalar program computes.
        inputs: the shape and NumPy dtype of each input.
        results: those of each result of the code, the reduced ones last.
        rows, count: the rows that are reduced, and their elements.
        reduces: whether there are reductions.
        seconds: the predicted time of a call on one thread.
        scratch: the elements and dtypes of the pieces that hold the operands of reductions.
        repeat: how inputs that are broadcast along short rows are repeated; None if they are not.
    """

    __slots__ = (
        "_kept", "common", "count", "inputs", "reduces", "repeat", "results", "rows", "scratch", "seconds", "whole",
    )  # fmt: skip

    def __init__(self, common: ShapedNest, sizes: Sequence[int]) -> None:
        """sizes: those that `common` has stand-ins for."""
        self.common = common
        whole = self.whole = sized(common.whole, sizes)
        tails, made = common.parts.tails, len(common.parts.made)
        self.rows, self.count = prod(whole[: common.axes]), prod(whole[common.axes :])
        self.reduces = bool(tails)
        self.seconds = prod(whole) * common.cost
        pairs = zip(common.shapes, common.scalar.inputs, strict=False)
        self.inputs = tuple([(sized(shape, sizes), d.np) for shape, d in pairs])
        self.results = [(whole, d.np) for d in common.outputs[:made]]
        self.results += [(sized(common.shapes[t.value], sizes), common.body.dtype_of(t.value).np) for t in tails]
        room = min(self.count, LEAF if in_leaves(reductions_of(common.nest)) else BLOCK)
        self.scratch = tuple([(room, d.np) for d in common.outputs[made:]])
        self.repeat = None if self.reduces else repeat_of([shape for shape, _ in self.inputs], whole)
        self._kept: ShapeCache[Any] = ShapeCache(KEPT_STRIDES)

    # ---- which code is worth it --------------------------------------------------------------

    @property
    def wants_expansion(self) -> bool:
        """True if the code for inputs that are expanded to whole arrays is faster than the interpreter."""
        return bool(self.too_short) and not self.reduces and prod(self.whole) <= FEW

    @property
    def too_short(self) -> str:
        """The reason why the interpreter is faster; "" if it is not."""
        if not self.common.calls:
            return ""
        row = self.count if self.reduces else next((n for n in reversed(self.whole) if n != 1), 1)
        if row >= SHORT or not (self.reduces or self.common.has_columns):
            return ""
        return f"its rows of {row} elements are too short for NumPy's functions in it"

    # ---- strides ------------------------------------------------------------------------------

    def is_flat(self, inputs: Sequence[Any]) -> bool:
        """True if the elements form one contiguous row."""
        whole = self.whole
        return all(x.size == 1 or (x.shape == whole and x.flags.c_contiguous) for x in inputs)

    def path_to(self, inputs: Sequence[Any], places: Sequence[Any]) -> FlatPath | None:
        """The path over these arrays; None if the code does not serve them."""
        if self.reduces or not is_plain(inputs) or any(x.shape != self.whole for x in places):
            return None
        path = self.path_over(inputs, places)
        # NumPy's functions would be called for each row.
        return None if path.shape[-1] < LONG and self.common.calls else path

    def path_over(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> FlatPath:
        """The path over these arrays."""
        arrays = (*inputs, *outputs)
        return self.path([x.strides for x in arrays], [x.shape for x in arrays])

    def path(self, strides: Sequence[Shape], shapes: Sequence[Shape] | None = None) -> FlatPath:
        """The path over operands and results of such strides. shapes: theirs; None for those of the launch."""
        if shapes is None:
            shapes = [*[shape for shape, _ in self.inputs], *[self.whole] * len(self.common.parts.made)]
        key = (shapes[-1], *strides)
        path: FlatPath | None = self._kept.get(key)
        return path or self._kept.keep(key, path_of(shapes, strides, self.common.sizes, len(self.inputs)))

    def blocks(self, strides: Sequence[Shape], shapes: Sequence[Shape] | None = None) -> LoopSpec | None:
        """The spec of `@reduce` for inputs of such strides; None if they are not strided rows. shapes: as in `path`."""
        key = tuple(strides) if shapes is None else (None, *shapes, *strides)
        if key in self._kept:
            return self._kept[key]  # type: ignore[no-any-return]  # with reductions all entries have this type
        outputs = self.common.outputs
        spread = [*zip(shapes or [shape for shape, _ in self.inputs], strides, strict=True)]
        spread += [(self.whole, tuple(contiguous_strides(self.whole, d.size))) for d in outputs]
        kept, sizes = len(self.inputs) + len(self.common.parts.made), [d.size for d in outputs]
        found: LoopSpec | None = self._kept.keep(key, blocks_of(self.whole, self.common.axes, spread, kept, sizes))
        return found
