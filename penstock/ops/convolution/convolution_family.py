"""The rules of a convolution and its two gradients, which three ops share: Conv2D, Conv3D, depthwise ones.

    y  = forward(x, w)
    dx = by_input(shape(x), w, dy)       the gradient of sum(y * dy) by x
    dw = by_filter(x, shape(w), dy)      the same by w

Each of the three is linear in each of its two arrays, so that its derivatives are the other two:

    forward       x: by_input(shape(x), w, g)       w: by_filter(x, shape(w), g)
    by_input      w: by_filter(g, shape(w), dy)     dy: forward(g, w)
    by_filter     x: by_input(shape(x), g, dy)      dy: forward(x, g)
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ...errors import InvalidArgumentError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.distribution import Distributed, Refused, State
from ...graph.declare.op_cost import OfResult
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import refusal
from ..declare.shape_checks import ints_of, listed
from .convolution_geometry import Geometry, Steps, geometry_of
from .convolution_shapes import (
    filter_gradient_parts,
    filter_gradient_shape,
    gradient_mistake,
    input_gradient_parts,
    input_gradient_shape,
    listed_sizes,
    output_parts,
    output_shape,
    why_sizes_may_not_fit,
)

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Three ops whose arguments are two or three operands and the same attributes.

    Attributes:
        forward, by_input, by_filter: the ops.
        steps: from their attributes to `Steps`; it raises ValueRuleError where they do not fit together.
        kernels: (array module, x, w, geometry) -> y; (array module, w, dy, geometry) -> dx; (array module, x, dy,
            geometry) -> dw.
        is_depthwise: whether each channel has filters of its own.
    """

    forward: OpDef[Any, Any]
    by_input: OpDef[Any, Any]
    by_filter: OpDef[Any, Any]
    steps: Callable[..., Steps]
    kernels: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]
    is_depthwise: bool = False

    def attach(self) -> None:
        """Attach all rules but the samples to the three ops."""
        self._attach_forward(self.forward)
        self._attach_by_input(self.by_input)
        self._attach_by_filter(self.by_filter)

    def output_shape(self, x: Shape, w: Shape, *attrs: Any) -> Shape:
        """The shape of the output of arrays with these shapes."""
        return geometry_of(x, w, self.steps(*attrs), self.is_depthwise).output_shape

    def _flops(self, dy: Shape, w: Shape) -> int:
        """A product and a sum for each tap of each element of the output, zeros around the input included."""
        return 2 * prod(dy) * prod(w[:-2] if self.is_depthwise else w[:-1])

    # ---- forward --------------------------------------------------------------------------------

    def _attach_forward(self, opdef: OpDef[Any, Any]) -> None:
        steps, is_depthwise = self.steps, self.is_depthwise

        @opdef.shape
        def convolution_shape(x: Tensor, w: Tensor, *attrs: Any) -> TensorShape:
            return output_shape(x, w, steps(*attrs), is_depthwise)

        @opdef.kernel
        def convolution_kernel(xp: Any, x: Any, w: Any, *attrs: Any) -> Any:
            return self.kernels[0](xp, x, w, geometry_of(x.shape, w.shape, steps(*attrs), is_depthwise))

        @opdef.fails
        def convolution_fails(x: Tensor, w: Tensor, *attrs: Any) -> str | None:
            return why_sizes_may_not_fit(x.shape.raw, w.shape.raw, None, steps(*attrs), is_depthwise, needs_dy=False)

        @opdef.mistake
        def convolution_mistake(x: Tensor, w: Tensor, *attrs: Any) -> str | None:
            return refusal(geometry_of, known_sizes(x), known_sizes(w), steps(*attrs), is_depthwise)

        @opdef.distributes
        def convolution_distributes(op: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
            return output_parts(op, states, name, steps(*op.args[2:]), is_depthwise)

        @opdef.flops
        @OfResult
        def convolution_flops(result: Shape, x: Shape, w: Shape, *attrs: Any) -> int:
            return self._flops(result, w)

        @opdef.gradient(f"input: {self.by_input.__name__}(shape(input), filter, g); "
                        f"filter: {self.by_filter.__name__}(input, shape(filter), g)")  # fmt: skip
        def convolution_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            x, w, *attrs = op.args
            return [
                lambda: self.by_input(sizes_as_operand(ops, x), w, g, *attrs),
                lambda: self.by_filter(x, sizes_as_operand(ops, w), g, *attrs),
            ]

    # ---- the gradient by the input --------------------------------------------------------------

    def _attach_by_input(self, opdef: OpDef[Any, Any]) -> None:
        steps, is_depthwise = self.steps, self.is_depthwise

        @opdef.shape
        def input_gradient_shape_rule(sizes: Tensor, w: Tensor, dy: Tensor, *attrs: Any) -> TensorShape:
            return input_gradient_shape(sizes, w, dy, steps(*attrs), is_depthwise)

        @opdef.kernel
        def input_gradient_kernel(xp: Any, sizes: Any, w: Any, dy: Any, *attrs: Any) -> Any:
            return self.kernels[1](xp, w, dy, self.geometry_by_input(sizes, w, dy, *attrs))

        @opdef.fails
        def input_gradient_fails(sizes: Tensor, w: Tensor, dy: Tensor, *attrs: Any) -> str | None:
            listed_steps = steps(*attrs)
            known = listed_sizes(sizes, w, dy, listed_steps)
            return why_sizes_may_not_fit(known, w.shape.raw, dy.shape.raw, listed_steps, is_depthwise, needs_dy=True)

        @opdef.mistake
        def input_gradient_mistake(sizes: Tensor, w: Tensor, dy: Tensor, *attrs: Any) -> str | None:
            known = listed_sizes(sizes, w, dy, steps(*attrs))
            return gradient_mistake(known, w.shape.raw, dy.shape.raw, steps(*attrs), is_depthwise)

        @opdef.distributes
        def input_gradient_distributes(op: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
            return input_gradient_parts(op, states, name)

        @opdef.flops
        @OfResult
        def input_gradient_flops(result: Shape, sizes: Shape, w: Shape, dy: Shape, *attrs: Any) -> int:
            return self._flops(dy, w)

        @opdef.gradient(f"filter: {self.by_filter.__name__}(g, shape(filter), out_backprop); "
                        f"out_backprop: {self.forward.__name__}(g, filter)")  # fmt: skip
        def input_gradient_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            _, w, dy, *attrs = op.args
            return [
                None,
                lambda: self.by_filter(g, sizes_as_operand(ops, w), dy, *attrs),
                lambda: self.forward(g, w, *attrs),
            ]

    def geometry_by_input(self, sizes: Any, w: Any, dy: Any, *attrs: Any) -> Geometry:
        """The geometry of a run of `by_input`; InvalidArgumentError where arrays do not fit."""
        steps = self.steps(*attrs)
        return geometry_of_gradient(
            self.by_input.type, listed_input(sizes, w, dy, steps), w.shape, dy.shape, steps, self.is_depthwise
        )

    # ---- the gradient by the filter -------------------------------------------------------------

    def _attach_by_filter(self, opdef: OpDef[Any, Any]) -> None:
        steps, is_depthwise = self.steps, self.is_depthwise

        @opdef.shape
        def filter_gradient_shape_rule(x: Tensor, sizes: Tensor, dy: Tensor, *attrs: Any) -> TensorShape:
            return filter_gradient_shape(x, sizes, dy, steps(*attrs))

        @opdef.kernel
        def filter_gradient_kernel(xp: Any, x: Any, sizes: Any, dy: Any, *attrs: Any) -> Any:
            return self.kernels[2](xp, x, dy, self.geometry_by_filter(x, sizes, dy, *attrs))

        @opdef.fails
        def filter_gradient_fails(x: Tensor, sizes: Tensor, dy: Tensor, *attrs: Any) -> str | None:
            known = filter_gradient_shape(x, sizes, dy, steps(*attrs)).raw
            return why_sizes_may_not_fit(
                x.shape.raw, known, dy.shape.raw, steps(*attrs), is_depthwise, needs_dy=True
            )  # fmt: skip

        @opdef.mistake
        def filter_gradient_mistake(x: Tensor, sizes: Tensor, dy: Tensor, *attrs: Any) -> str | None:
            known = filter_gradient_shape(x, sizes, dy, steps(*attrs)).raw
            return gradient_mistake(x.shape.raw, known, dy.shape.raw, steps(*attrs), is_depthwise)

        @opdef.distributes
        def filter_gradient_distributes(op: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
            return filter_gradient_parts(op, states, name, steps(*op.args[3:]))

        @opdef.flops
        @OfResult
        def filter_gradient_flops(result: Shape, x: Shape, sizes: Shape, dy: Shape, *attrs: Any) -> int:
            return self._flops(dy, result)

        @opdef.gradient(f"input: {self.by_input.__name__}(shape(input), g, out_backprop); "
                        f"out_backprop: {self.forward.__name__}(input, g)")  # fmt: skip
        def filter_gradient_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            x, _, dy, *attrs = op.args
            return [
                lambda: self.by_input(sizes_as_operand(ops, x), g, dy, *attrs),
                None,
                lambda: self.forward(x, g, *attrs),
            ]

    def geometry_by_filter(self, x: Any, sizes: Any, dy: Any, *attrs: Any) -> Geometry:
        """The geometry of a run of `by_filter`; InvalidArgumentError where arrays do not fit."""
        _require_vector(self.by_filter.type, "filter_sizes", sizes)
        return geometry_of_gradient(
            self.by_filter.type, x.shape, tuple(ints_of(sizes)), dy.shape, self.steps(*attrs), self.is_depthwise
        )


# ---- functions of operands ----------------------------------------------------------------------


def sizes_as_operand(ops: Any, tensor: Tensor) -> Any:
    """The shape of a tensor as an operand: a constant where it is known."""
    dims = tensor.shape.raw
    if dims is not None and all(isinstance(size, int) for size in dims):
        return list(dims)
    return ops.shape(tensor)


def known_sizes(tensor: Tensor) -> Shape | None:
    """The static shape, where all sizes are numbers."""
    dims = tensor.shape.raw
    return None if dims is None or any(not isinstance(size, int) for size in dims) else tuple(map(int, dims))


def listed_input(sizes: Any, w: Any, dy: Any, steps: Steps) -> Shape:
    """The shape of the input that `input_sizes` gives; of images it may list the two spatial sizes alone."""
    _require_vector("BackpropInput", "input_sizes", sizes)
    entries = tuple(ints_of(sizes))
    if len(entries) == len(steps.strides) == 2 and w.ndim == dy.ndim == 4:
        batch, channels = dy.shape[0], w.shape[2]
        return (batch, channels, *entries) if steps.is_channels_first else (batch, *entries, channels)
    return entries


def _require_vector(type: str, what: str, sizes: Any) -> None:
    if sizes.ndim != 1:
        raise InvalidArgumentError(message=f"{type}: {what} must be 1-dimensional, not {sizes.ndim}")


def geometry_of_gradient(
    type: str, input_shape: Shape, filter_shape: Shape, dy: Shape, steps: Steps, is_depthwise: bool
) -> Geometry:
    """The geometry of a gradient; InvalidArgumentError unless dy has the sizes of the output."""
    for what, sizes in (("input", input_shape), ("filter", filter_shape)):
        if any(size < 0 for size in sizes):
            raise InvalidArgumentError(message=f"{type}: sizes of {what} must not be negative: {listed(sizes)}")
    geometry = geometry_of(input_shape, filter_shape, steps, is_depthwise)
    if dy != geometry.output_shape:
        raise InvalidArgumentError(
            message=f"{type}: Size of out_backprop doesn't match computed: actual = {listed(dy)}, computed = "
            f"{listed(geometry.output_shape)}, of an input {listed(input_shape)} and a filter {listed(filter_shape)}"
        )
    return geometry
