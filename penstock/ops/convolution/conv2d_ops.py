"""The nodes of two-dimensional convolutions, as TensorFlow has them: Conv2D and its gradients by input and filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.model.nodes import Tensor
from .band_patches import convolve, filter_gradient, input_gradient
from .convolution_attributes import Float, FloatOrInt, Format4, Padding, Pairs4, Sizes, Steps4, check_pairs
from .convolution_family import Family
from .convolution_geometry import Steps, is_channels_first, steps_of

ONES = (1, 1, 1, 1)


@op("Conv2D", graphdef="T=input strides padding data_format dilations explicit_paddings")
def conv2d_op(
    input: FloatOrInt,
    filter: FloatOrInt,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.conv2d`: images and a filter [height, width, input channels, output channels]."""


@op("Conv2DBackpropInput", graphdef="T=filter strides padding data_format dilations explicit_paddings")
def conv2d_backprop_input_op(
    input_sizes: Sizes,
    filter: FloatOrInt,
    out_backprop: FloatOrInt,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of Conv2D by its input, of shape `input_sizes`."""


@op("Conv2DBackpropFilter", graphdef="T=input strides padding data_format dilations explicit_paddings")
def conv2d_backprop_filter_op(
    input: Float,
    filter_sizes: Sizes,
    out_backprop: Float,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of Conv2D by its filter, of shape `filter_sizes`."""


def steps_of_images(
    strides: tuple[int, ...], padding: str, pairs: tuple[int, ...], data_format: str, dilations: tuple[int, ...]
) -> Steps:
    """The attributes by spatial axis; ValueRuleError where paddings do not fit the others."""
    check_pairs(padding, pairs, is_channels_first(data_format))
    return steps_of(strides, padding, pairs, data_format, dilations)


CONV2D = Family(
    conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op, steps_of_images,
    (convolve, input_gradient, filter_gradient),
)  # fmt: skip
CONV2D.attach()


# ---- samples ------------------------------------------------------------------------------------

Case: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[Any, ...]]
"""The shapes of an input and a filter, and the attributes."""
_CASES: tuple[Case, ...] = (
    ((2, 4, 5, 2), (3, 2, 2, 3), (ONES, "SAME", (), "NHWC", ONES)),
    ((1, 5, 6, 2), (2, 3, 2, 2), ((1, 2, 2, 1), "VALID", (), "NHWC", ONES)),
    ((2, 2, 5, 4), (3, 3, 2, 2), ((1, 1, 2, 1), "SAME", (), "NCHW", ONES)),
    ((1, 4, 4, 1), (2, 2, 1, 2), (ONES, "EXPLICIT", (0, 0, 1, 0, 2, 1, 0, 0), "NHWC", (1, 2, 1, 1))),
    ((2, 3, 3, 4), (2, 2, 2, 2), (ONES, "VALID", (), "NHWC", ONES)),  # two groups
    ((2, 3, 2, 3), (1, 1, 3, 2), (ONES, "SAME", (), "NHWC", ONES)),
    ((1, 2, 3, 1), (2, 2, 1, 2), (ONES, "SAME", (), "NHWC", ONES)),
    ((0, 3, 3, 1), (2, 2, 1, 2), (ONES, "VALID", (), "NHWC", ONES)),
)


def arrays_of(rng: np.random.Generator, *shapes: tuple[int, ...], dtype: str = "f4") -> list[Any]:
    """Random arrays of these shapes."""
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def convolution_samples(rng: np.random.Generator, cases: Sequence[Case], more: int) -> Samples:
    """Calls of a convolution: all cases in float32, and the case `more` in other dtypes."""
    for x, w, attrs in cases:
        yield sample(*arrays_of(rng, x, w), *attrs)
    x, w, attrs = cases[more]
    for dtype in ("f8", "f2"):
        yield sample(*arrays_of(rng, x, w, dtype=dtype), *attrs)


def input_gradient_samples(
    rng: np.random.Generator, family: Family, cases: Sequence[Case], sizes: str = "i4"
) -> Samples:
    """Calls of its gradient by the input; sizes: the dtype of `input_sizes` beside the other dtypes."""
    for x, w, attrs in cases:
        yield sample(np.array(x, "i4"), *arrays_of(rng, w, family.output_shape(x, w, *attrs)), *attrs)
    x, w, attrs = cases[1]
    for dtype in ("f8", "f2"):
        gradients = arrays_of(rng, w, family.output_shape(x, w, *attrs), dtype=dtype)
        yield sample(np.array(x, sizes), *gradients, *attrs)


def filter_gradient_samples(rng: np.random.Generator, family: Family, cases: Sequence[Case]) -> Samples:
    """Calls of its gradient by the filter."""
    in_float32 = [(case, "f4") for case in cases]
    for (x, w, attrs), dtype in (*in_float32, (cases[1], "f8"), (cases[1], "f2")):
        inputs, gradients = arrays_of(rng, x, family.output_shape(x, w, *attrs), dtype=dtype)
        yield sample(inputs, np.array(w, "i4"), gradients, *attrs)


def attach_samples(family: Family, cases: Sequence[Case], more: int, sizes: str = "i4") -> None:
    """Attach the calls of the three ops of a family, with arguments as above."""
    family.forward.samples(lambda rng: convolution_samples(rng, cases, more))
    family.by_input.samples(lambda rng: input_gradient_samples(rng, family, cases, sizes))
    family.by_filter.samples(lambda rng: filter_gradient_samples(rng, family, cases))


attach_samples(CONV2D, _CASES, 0)


@conv2d_op.samples
def conv2d_samples(rng: np.random.Generator) -> Samples:
    yield from convolution_samples(rng, _CASES, 0)
    x, w, attrs = _CASES[0]
    yield sample(rng.integers(-9, 9, x).astype("i4"), rng.integers(-9, 9, w).astype("i4"), *attrs)


@conv2d_backprop_input_op.samples
def conv2d_backprop_input_samples(rng: np.random.Generator) -> Samples:
    yield from input_gradient_samples(rng, CONV2D, _CASES)
    x, w, attrs = _CASES[1]
    yield sample(np.array(x[1:3], "i4"), *arrays_of(rng, w, CONV2D.output_shape(x, w, *attrs)), *attrs)
