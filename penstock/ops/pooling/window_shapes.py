"""Rules of ops with windows that look at static shapes: shapes of results, what may fail, what is a mistake, shards."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ...errors import InvalidArgumentError, ShapeError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.axis_labels import needs_all, without_cut
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.size_quotient import floor_quotient
from ..convolution.convolution_family import known_sizes
from ..convolution.convolution_geometry import reach
from ..declare.failure_rules import refusal
from ..declare.shape_checks import dims_of, least, minus, plus, require_rank
from ..sharding.fill_tile_sharding import sized_axis
from .window_geometry import Shape, Windows, windows_of

_FITS = "whether the sizes fit the windows is not known before the run"


@dataclass(frozen=True, slots=True)
class Moves:
    """How a window moves: the attributes of an op, with an entry for each axis of its array.

    Attributes:
        ksize, strides: its sizes and steps.
        padding: "SAME", "VALID" or "EXPLICIT".
        pairs: for "EXPLICIT", the elements before and after each axis.
        rates: the steps between taps, if they are not 1.
        may_be_none: whether a window larger than the array has no position, where it else is an error of the build.
    """

    ksize: Shape
    strides: Shape
    padding: str
    pairs: Shape = ()
    rates: Shape | None = None
    may_be_none: bool = False

    def windows(self, sizes: Sequence[int]) -> Windows:
        """The windows over an array of these sizes."""
        return windows_of(tuple(sizes), self.ksize, self.strides, self.padding, self.pairs, self.rates)

    def is_free(self, axis: int) -> bool:
        """Whether the window has one tap at each element along the axis, so that the axis can be cut."""
        return self.ksize[axis] == self.strides[axis] == 1 and not any(self.pairs[2 * axis : 2 * axis + 2])

    def labels(self) -> list[Hashable]:
        """A label for each axis that can be cut."""
        return [axis if self.is_free(axis) else None for axis in range(len(self.ksize))]

    def output_dims(self, x: Tensor, operand: int = 0) -> list[Dim]:
        """The static sizes of the positions over a tensor; ShapeError where the window is larger than the tensor."""
        rank = len(self.ksize)
        require_rank(x, rank, operand, f"The window has {rank} sizes, one for each dimension.")
        return [self._positions(axis, dim, x, operand) for axis, dim in enumerate(dims_of(x, rank))]

    def _positions(self, axis: int, size: Dim | None, x: Tensor, operand: int) -> Dim:
        stride = self.strides[axis]
        if size is None:
            return unknown("the shape of the input is not known", x)
        if self.is_free(axis):
            return size
        if self.padding == "SAME":
            return floor_quotient(plus(size, stride - 1), stride, f"{size} / {stride} is rounded up", x)
        padded = plus(size, sum(self.pairs[2 * axis : 2 * axis + 2]))
        span = reach(self.ksize[axis], self.rates[axis] if self.rates else 1)
        if self.may_be_none and isinstance(padded, int) and span - 2 * stride < padded < span:
            return 0
        if isinstance(padded, int) and padded < span:
            raise ShapeError(
                f"Negative dimension size caused by subtracting {span} from {padded}", operand=operand, dim=axis,
                cure='The window must not be larger than the padded input; padding="SAME" cuts it at the edges.',
            )  # fmt: skip
        reason = f"the positions of a window of {span} on {padded} with stride {stride} are rounded"
        return plus(floor_quotient(minus(padded, span), stride, reason, x), 1)

    def why_not(self, x: Tensor, *at_positions: Tensor) -> str | None:
        """None where every run accepts x and tensors with an element for each position; else why one may not."""
        dims = x.shape.raw
        if dims is None or len(dims) != len(self.ksize):
            return _FITS
        try:
            self.windows([least(dim) for dim in dims])
        except InvalidArgumentError as error:
            return f"a run may end in: {error.message}"
        if not at_positions:
            return None
        expected = tuple(self.output_dims(x))
        return None if all(each.shape.raw == expected for each in at_positions) else _FITS


def mistake_of_windows(moves: Moves, x: Tensor) -> str | None:
    """The error of every run, if the static shape shows one."""
    return refusal(moves.windows, known_sizes(x))


def sized_parts(
    operation: Operation, states: tuple[State, ...], name: str, moves: Moves, place: int = 1
) -> Distributed | Refused:
    """Shards of an op that gets the sizes of its result first: cut along an axis of the gradient, operand `place`."""
    sizes, g = states[0], states[place]
    if isinstance(sizes, Along):
        return needs_all(operation, 0, sizes.axis)
    if not isinstance(g, Along):
        return without_cut(operation, states, name)
    if not moves.is_free(g.axis):
        return needs_all(operation, place, g.axis)
    axis = sized_axis(operation, 0, name) if sizes is SIZES else None
    if isinstance(axis, Refused):
        return axis
    if axis != g.axis:
        return Refused("the sizes of the result do not have the size of the shard")
    return Distributed((Along(g.axis),), frozenset({0}))


def zeros_and(ops: Any, x: Tensor, y: Tensor, last: Any) -> list[Any]:
    """The gradients of an op that is constant in its first two operands, almost everywhere."""
    return [lambda: ops.zeros_like(x), lambda: ops.zeros_like(y), last]
