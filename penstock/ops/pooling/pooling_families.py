"""The rules that ops of pooling share, in two and three dimensions.

    y   = max_pool(x)                 the largest number of each window
    dx  = max_pool_grad(x, y, g)      g at the place of the largest number
    gg  = max_pool_grad_grad(x, y, h) h at the place of the largest number, for each window

Each of the last two is linear in its last operand, and the derivative of one is the other. `avg_pool` is linear, and
its gradient, `avg_pool_grad`, has it as derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_vector
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.distribution import Distributed, Refused, State
from ...graph.declare.op_cost import OfResult
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ..convolution.convolution_family import sizes_as_operand
from ..declare.shape_checks import ints_of, listed, require_rank
from .pooling_kernels import from_first_equal, largest, means, to_means
from .window_geometry import Shape, Windows, require_positions
from .window_shapes import Moves, mistake_of_windows, sized_parts, zeros_and


def taps_of(shape: Shape, ksize: Shape) -> int:
    """An operation for each tap at each position."""
    return prod(shape) * prod(ksize)


@dataclass(frozen=True, slots=True, eq=False)
class MaxFamily:
    """Pooling by the largest number, and its derivatives.

    Attributes:
        forward, first, second: the ops.
        moves: from their attributes to `Moves`; it raises ValueRuleError where they do not fit together.
        to_places: (array module, x, y, g, windows) -> the gradient by x.
    """

    forward: OpDef[Any, Any]
    first: OpDef[Any, Any]
    second: OpDef[Any, Any]
    moves: Callable[..., Moves]
    to_places: Callable[..., Any]

    def attach(self) -> None:
        """Attach all rules but the samples to the three ops."""
        self._attach_forward()
        self._attach_first()
        self._attach_second()

    def pooled(self, x: Any, attrs: tuple[Any, ...]) -> Any:
        """The result of the op for an array of NumPy."""
        return largest(np, x, self.moves(*attrs).windows(x.shape))

    def _attach_forward(self) -> None:
        moves, opdef = self.moves, self.forward

        @opdef.shape
        def max_pool_shape(x: Tensor, *attrs: Any) -> TensorShape:
            return shape_of(moves(*attrs).output_dims(x))

        @opdef.kernel
        def max_pool_kernel(xp: Any, x: Any, *attrs: Any) -> Any:
            return largest(xp, x, moves(*attrs).windows(x.shape))

        @opdef.flops
        @OfResult
        def max_pool_flops(result: Shape, x: Shape, *attrs: Any) -> int:
            return taps_of(result, attrs[0])

        opdef.fails(lambda x, *attrs: moves(*attrs).why_not(x))
        opdef.mistake(lambda x, *attrs: mistake_of_windows(moves(*attrs), x))
        opdef.distributes(labelled(lambda x, *attrs: _forward_axes(moves(*attrs))))

        @opdef.gradient(f"{self.first.__name__}(input, output, g)")
        def max_pool_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            x, *attrs = op.args
            return [lambda: self.first(x, op.outputs[0], g, *attrs)]

    def _attach_first(self) -> None:
        moves, opdef = self.moves, self.first

        @opdef.shape
        def max_pool_grad_shape(x: Tensor, y: Tensor, g: Tensor, *attrs: Any) -> TensorShape:
            _check_ranks(moves(*attrs), x, y, g)
            return x.shape if x.shape.raw is not None else _of_rank(moves(*attrs), x)

        @opdef.kernel
        def max_pool_grad_kernel(xp: Any, x: Any, y: Any, g: Any, *attrs: Any) -> Any:
            windows = moves(*attrs).windows(x.shape)
            require_positions(opdef.type, "orig_output", y, windows)
            require_positions(opdef.type, "grad", g, windows)
            return self.to_places(xp, x, y, g, windows)

        @opdef.flops
        @OfResult
        def max_pool_grad_flops(result: Shape, x: Shape, y: Shape, g: Shape, *attrs: Any) -> int:
            return 2 * taps_of(g, attrs[0])

        opdef.fails(lambda x, y, g, *attrs: moves(*attrs).why_not(x, y, g))
        opdef.distributes(labelled(lambda x, y, g, *attrs: _gradient_axes(moves(*attrs))))

        @opdef.gradient(f"grad: {self.second.__name__}(orig_input, orig_output, g)")
        def max_pool_grad_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
            x, y, _, *attrs = op.args
            return zeros_and(ops, x, y, lambda: self.second(x, y, h, *attrs))

    def _attach_second(self) -> None:
        moves, opdef = self.moves, self.second

        @opdef.shape
        def max_pool_grad_grad_shape(x: Tensor, y: Tensor, h: Tensor, *attrs: Any) -> TensorShape:
            _check_ranks(moves(*attrs), x, y, h)
            return shape_of(moves(*attrs).output_dims(x))

        @opdef.kernel
        def max_pool_grad_grad_kernel(xp: Any, x: Any, y: Any, h: Any, *attrs: Any) -> Any:
            windows = moves(*attrs).windows(x.shape)
            require_positions(opdef.type, "orig_output", y, windows)
            if h.shape != x.shape:
                raise InvalidArgumentError(message=f"{opdef.type}: Expected grad shape to be {listed(x.shape)}, but "
                                                   f"got {listed(h.shape)}")  # fmt: skip
            return from_first_equal(xp, x, y, h, windows)

        @opdef.flops
        @OfResult
        def max_pool_grad_grad_flops(result: Shape, x: Shape, y: Shape, h: Shape, *attrs: Any) -> int:
            return taps_of(result, attrs[0])

        @opdef.fails
        def max_pool_grad_grad_fails(x: Tensor, y: Tensor, h: Tensor, *attrs: Any) -> str | None:
            if x.shape.raw != h.shape.raw:
                return "whether grad has the shape of orig_input is not known before the run"
            return moves(*attrs).why_not(x, y)

        opdef.distributes(labelled(lambda x, y, h, *attrs: _gradient_axes(moves(*attrs))))

        @opdef.gradient(f"grad: {self.first.__name__}(orig_input, orig_output, g)")
        def max_pool_grad_grad_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            x, y, _, *attrs = op.args
            return zeros_and(ops, x, y, lambda: self.first(x, y, g, *attrs))


@dataclass(frozen=True, slots=True, eq=False)
class MeanFamily:
    """Pooling by the mean, and its gradient.

    Attributes:
        forward, first: the ops.
        moves: from their attributes to `Moves`.
    """

    forward: OpDef[Any, Any]
    first: OpDef[Any, Any]
    moves: Callable[..., Moves]

    def attach(self) -> None:
        """Attach all rules but the samples to both ops."""
        self._attach_forward()
        self._attach_first()

    def pooled(self, x: Any, attrs: tuple[Any, ...]) -> Any:
        """The result of the op for an array of NumPy."""
        return means(np, x, self.moves(*attrs).windows(x.shape))

    def _attach_forward(self) -> None:
        moves, opdef = self.moves, self.forward

        @opdef.shape
        def avg_pool_shape(x: Tensor, *attrs: Any) -> TensorShape:
            return shape_of(moves(*attrs).output_dims(x))

        @opdef.kernel
        def avg_pool_kernel(xp: Any, x: Any, *attrs: Any) -> Any:
            return means(xp, x, moves(*attrs).windows(x.shape))

        @opdef.flops
        @OfResult
        def avg_pool_flops(result: Shape, x: Shape, *attrs: Any) -> int:
            return taps_of(result, attrs[0]) + prod(result)

        opdef.fails(lambda x, *attrs: moves(*attrs).why_not(x))
        opdef.mistake(lambda x, *attrs: mistake_of_windows(moves(*attrs), x))
        opdef.distributes(labelled(lambda x, *attrs: _forward_axes(moves(*attrs))))

        @opdef.gradient(f"{self.first.__name__}(shape(input), g)")
        def avg_pool_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            x, *attrs = op.args
            return [lambda: self.first(sizes_as_operand(ops, x), g, *attrs)]

    def _attach_first(self) -> None:
        moves, opdef = self.moves, self.first

        @opdef.shape
        def avg_pool_grad_shape(sizes: Tensor, g: Tensor, *attrs: Any) -> TensorShape:
            rank = len(attrs[0])
            require_rank(sizes, 1, 0, "orig_input_shape is a vector: the shape of the input.")
            require_rank(g, rank, 1)
            return sizes_of_result(sizes, rank)

        @opdef.kernel
        def avg_pool_grad_kernel(xp: Any, sizes: Any, g: Any, *attrs: Any) -> Any:
            windows = self.windows_by_sizes(sizes, *attrs)
            require_positions(opdef.type, "grad", g, windows)
            return to_means(xp, g, windows)

        @opdef.flops
        @OfResult
        def avg_pool_grad_flops(result: Shape, sizes: Shape, g: Shape, *attrs: Any) -> int:
            return taps_of(g, attrs[0]) + prod(g)

        @opdef.distributes
        def avg_pool_grad_distributes(
            operation: Operation, states: tuple[State, ...], name: str
        ) -> Distributed | Refused:
            return sized_parts(operation, states, name, moves(*operation.args[2:]))

        @opdef.gradient(f"grad: {self.forward.__name__}(g)")
        def avg_pool_grad_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
            attrs = op.args[2:]
            return [None, lambda: self.forward(h, *attrs)]

    def windows_by_sizes(self, sizes: Any, *attrs: Any) -> Windows:
        """The windows over an array of the sizes that an operand lists."""
        if sizes.ndim != 1:
            raise InvalidArgumentError(message=f"{self.first.type}: orig_input_shape must be 1-dimensional, not "
                                               f"{sizes.ndim}")  # fmt: skip
        entries = ints_of(sizes)
        if any(entry < 0 for entry in entries):
            raise InvalidArgumentError(message=f"{self.first.type}: sizes must not be negative: {listed(entries)}")
        return self.moves(*attrs).windows(entries)


def sizes_of_result(sizes: Tensor, rank: int) -> TensorShape:
    """The static shape that operand 0, a vector, lists."""
    entries = known_vector(sizes)
    if entries is None or len(entries) != rank:
        return shape_of(unknown_dims(rank, "orig_input_shape is not known before the run", sizes))
    return shape_of(
        [unknown(f"orig_input_shape[{i}] is not known before the run", sizes)
         if entry is None or (isinstance(entry, int) and entry < 0) else entry for i, entry in enumerate(entries)]
    )  # fmt: skip


def _check_ranks(moves: Moves, *operands: Tensor) -> None:
    for place, operand in enumerate(operands):
        require_rank(operand, len(moves.ksize), place)


def _of_rank(moves: Moves, x: Tensor) -> TensorShape:
    return shape_of(unknown_dims(len(moves.ksize), "the shape of orig_input is not known", x))


def _forward_axes(moves: Moves) -> Axes:
    return [moves.labels()], [moves.labels()]


def _gradient_axes(moves: Moves) -> Axes:
    return [moves.labels()] * 3, [moves.labels()]
