"""Pooling that also says where the largest numbers are: MaxPoolWithArgmax and its gradients.

A place is an index into an image, (y * width + x) * channels + c, or into the whole array, with the images of a batch
one after another. The first number of a window stays where none is larger: a NaN that comes first is the largest.
"""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_cost import OfResult
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, REALS, DTypeLike, Flag, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..convolution.convolution_attributes import PlainPadding, Steps4
from ..declare.shape_checks import listed, require_rank
from .max_pool_ops import numbers
from .pooling_families import taps_of
from .pooling_kernels import wide_type
from .window_geometry import Shape, Windows, require_positions
from .window_shapes import Moves, mistake_of_windows

Real: TypeAlias = Annotated[TensorLike, Operand("T", REALS)]
Places: TypeAlias = Annotated[TensorLike, Operand("Targmax", INT32_64)]


@op(
    "MaxPoolWithArgmax",
    graphdef="T=input ksize strides padding Targmax include_batch_in_index ->output,argmax", out=("T", "Targmax"),
)  # fmt: skip
def max_pool_with_argmax_op(
    input: Real,
    ksize: Steps4,
    strides: Steps4,
    padding: PlainPadding,
    Targmax: DTypeLike = int64,
    include_batch_in_index: Flag = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The op behind `tf.nn.max_pool_with_argmax`: (largest numbers, their places)."""


@op(
    "MaxPoolGradWithArgmax",
    graphdef="T=input ksize strides padding Targmax=argmax include_batch_in_index",
    host_only=True,
)
def max_pool_grad_with_argmax_op(
    input: Real,
    grad: Real,
    argmax: Places,
    ksize: Steps4,
    strides: Steps4,
    padding: PlainPadding,
    include_batch_in_index: Flag = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPoolWithArgmax: `grad` added at the places `argmax`."""


@op(
    "MaxPoolGradGradWithArgmax",
    graphdef="T=input ksize strides padding Targmax=argmax include_batch_in_index",
    host_only=True,
    unread="input",
)
def max_pool_grad_grad_with_argmax_op(
    input: Real,
    grad: Real,
    argmax: Places,
    ksize: Steps4,
    strides: Steps4,
    padding: PlainPadding,
    include_batch_in_index: Flag = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPoolGradWithArgmax: the elements of `grad` at the places `argmax`."""


# ---- rules of shapes ----------------------------------------------------------------------------


@max_pool_with_argmax_op.shape
def max_pool_with_argmax_shape(x: Tensor, ksize: Any, strides: Any, padding: str, *rest: Any) -> list[TensorShape]:
    return [shape_of(Moves(ksize, strides, padding).output_dims(x))] * 2


@max_pool_grad_with_argmax_op.shape
def max_pool_grad_with_argmax_shape(x: Tensor, g: Tensor, places: Tensor, *attrs: Any) -> TensorShape:
    for place, operand in enumerate((x, g, places)):
        require_rank(operand, 4, place)
    return x.shape


@max_pool_grad_grad_with_argmax_op.shape
def max_pool_grad_grad_with_argmax_shape(
    x: Tensor, g: Tensor, places: Tensor, ksize: Any, strides: Any, padding: str, *rest: Any
) -> TensorShape:
    for place, operand in enumerate((x, g, places)):
        require_rank(operand, 4, place)
    return shape_of(Moves(ksize, strides, padding).output_dims(x))


max_pool_with_argmax_op.fails(
    lambda x, ksize, strides, padding, *rest: Moves(ksize, strides, padding).why_not(x)
)  # fmt: skip
max_pool_with_argmax_op.mistake(
    lambda x, ksize, strides, padding, *rest: mistake_of_windows(Moves(ksize, strides, padding), x)
)  # fmt: skip


def _by_image(operands: int, results: int, whole: bool) -> Axes:
    """Places in an image do not depend on the other images."""
    labels = ["batch" if not whole else None, None, None, None]
    return [labels] * operands, [labels] * results


max_pool_with_argmax_op.distributes(labelled(lambda x, *attrs: _by_image(1, 2, attrs[-1])))
max_pool_grad_with_argmax_op.distributes(labelled(lambda x, g, places, *attrs: _by_image(3, 1, attrs[-1])))
max_pool_grad_grad_with_argmax_op.distributes(labelled(lambda x, g, places, *attrs: _by_image(3, 1, attrs[-1])))


@max_pool_with_argmax_op.flops
@OfResult
def max_pool_with_argmax_flops(result: Shape, x: Shape, ksize: Shape, *attrs: Any) -> int:
    return taps_of(result, ksize)


# ---- kernels ------------------------------------------------------------------------------------


@max_pool_with_argmax_op.kernel
def max_pool_with_argmax_kernel(
    xp: Any, x: Any, ksize: Any, strides: Any, padding: str, dtype: Any, whole: bool
) -> tuple[Any, Any]:
    y, places = largest_and_places(xp, x, ksize, strides, padding, whole)
    return y, places.astype(dtype.np, copy=False)


def largest_and_places(xp: Any, x: Any, ksize: Any, strides: Any, padding: str, whole: bool = False) -> tuple[Any, Any]:
    """The largest number of each window, and its place as int64."""
    windows = Moves(ksize, strides, padding).windows(x.shape)
    wide = x.astype(wide_type(x.dtype), copy=False)
    y = xp.empty(windows.outputs, wide.dtype)
    places = xp.full(windows.outputs, -1, np.int64)
    for tap in windows.taps():
        values, best, winner = wide[tap.elements], y[tap.positions], places[tap.positions]
        larger = (values > best) | (winner < 0)
        xp.copyto(best, values, where=larger)
        xp.copyto(winner, _indices(xp, x.shape, tap.elements, whole), where=larger)
    return y.astype(x.dtype, copy=False), places


def _indices(xp: Any, shape: Shape, elements: Any, whole: bool) -> Any:
    """The index of each element of a strided view."""
    total = xp.zeros((1,) * len(shape), np.int64)
    for axis, part in enumerate(elements):
        if axis or whole:
            along = xp.arange(part.start, part.stop, part.step) * prod(shape[axis + 1 :])
            total = total + along.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return total


def _checked_places(type: str, x: Any, places: Any, windows: Windows, whole: bool) -> Any:
    """The places as indices into the whole array; InvalidArgumentError where one lies outside of it."""
    require_positions(type, "argmax", places, windows)
    most = x.size if whole else prod(x.shape[1:])
    if places.size and not (int(places.min()) >= 0 and int(places.max()) < most):
        raise InvalidArgumentError(message=f"{type}: Expected argmax to be in [0, {most}), but its least and largest "
                                           f"entries are {int(places.min())} and {int(places.max())}")  # fmt: skip
    wide = places.astype(np.int64)
    if not whole:
        wide += np.arange(x.shape[0]).reshape(-1, 1, 1, 1) * most
    return wide.reshape(-1)


@max_pool_grad_with_argmax_op.kernel
def max_pool_grad_with_argmax_kernel(
    xp: Any, x: Any, g: Any, places: Any, ksize: Any, strides: Any, padding: str, whole: bool
) -> Any:
    windows = Moves(ksize, strides, padding).windows(x.shape)
    require_positions("MaxPoolGradWithArgmax", "grad", g, windows)
    dx = xp.zeros(x.size, wide_type(x.dtype))
    xp.add.at(dx, _checked_places("MaxPoolGradWithArgmax", x, places, windows, whole), g.reshape(-1).astype(dx.dtype))
    return dx.reshape(x.shape).astype(x.dtype, copy=False)


@max_pool_grad_grad_with_argmax_op.kernel
def max_pool_grad_grad_with_argmax_kernel(
    xp: Any, x: Any, g: Any, places: Any, ksize: Any, strides: Any, padding: str, whole: bool
) -> Any:
    windows = Moves(ksize, strides, padding).windows(x.shape)
    if g.shape != x.shape:
        raise InvalidArgumentError(message="MaxPoolGradGradWithArgmax: Expected grad shape to be "
                                           f"{listed(x.shape)}, but got {listed(g.shape)}")  # fmt: skip
    at = _checked_places("MaxPoolGradGradWithArgmax", x, places, windows, whole)
    return g.reshape(-1)[at].reshape(windows.outputs)


# ---- gradients ----------------------------------------------------------------------------------


@max_pool_with_argmax_op.gradient("max_pool_grad_with_argmax(input, g, argmax)")
def max_pool_with_argmax_gradient(ops: Any, op: Operation, g: Tensor | None, *of_places: Any) -> list[Any]:
    x, ksize, strides, padding, _, whole = op.args
    return [
        lambda: None if g is None else max_pool_grad_with_argmax_op(
            x, g, op.outputs[1], ksize, strides, padding, whole
        )
    ]  # fmt: skip


@max_pool_grad_with_argmax_op.gradient("grad: max_pool_grad_grad_with_argmax(input, g, argmax)")
def max_pool_grad_with_argmax_gradient(ops: Any, op: Operation, h: Tensor) -> list[Any]:
    x, _, places, *attrs = op.args
    return [lambda: ops.zeros_like(x), lambda: max_pool_grad_grad_with_argmax_op(x, h, places, *attrs), None]


@max_pool_grad_grad_with_argmax_op.gradient("grad: max_pool_grad_with_argmax(input, g, argmax)")
def max_pool_grad_grad_with_argmax_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, _, places, *attrs = op.args
    return [lambda: ops.zeros_like(x), lambda: max_pool_grad_with_argmax_op(x, g, places, *attrs), None]


# ---- samples ------------------------------------------------------------------------------------

_CASES: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = (
    ((2, 4, 6, 3), ((1, 2, 2, 1), (1, 2, 2, 1), "VALID")),
    ((2, 5, 4, 2), ((1, 3, 2, 1), (1, 2, 1, 1), "SAME")),
    ((0, 3, 3, 1), ((1, 2, 2, 1), (1, 1, 1, 1), "VALID")),
)


@max_pool_with_argmax_op.samples
def max_pool_with_argmax_samples(rng: np.random.Generator) -> Samples:
    for whole in (False, True):
        for shape, attrs in _CASES:
            yield sample(rng.standard_normal(shape).astype("f4"), *attrs, "int64", whole)
    shape, attrs = _CASES[1]
    for dtype in ("f8", "f2", "i4"):
        yield sample(numbers(rng, shape, dtype), *attrs, "int32")


@max_pool_grad_with_argmax_op.samples
def max_pool_grad_with_argmax_samples(rng: np.random.Generator) -> Samples:
    for whole in (False, True):
        for shape, attrs in _CASES:
            x = rng.standard_normal(shape).astype("f4")
            places = largest_and_places(np, x, attrs[0], attrs[1], attrs[2], whole)[1]
            yield sample(x, rng.standard_normal(places.shape).astype("f4"), places, *attrs, whole)


@max_pool_grad_grad_with_argmax_op.samples
def max_pool_grad_grad_with_argmax_samples(rng: np.random.Generator) -> Samples:
    for whole in (False, True):
        for shape, attrs in _CASES:
            x = rng.standard_normal(shape).astype("f4")
            g = rng.standard_normal(shape).astype("f4")
            yield sample(x, g, largest_and_places(np, x, attrs[0], attrs[1], attrs[2], whole)[1], *attrs, whole)
