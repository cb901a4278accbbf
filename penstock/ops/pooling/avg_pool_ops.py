"""The nodes of pooling by the mean, as TensorFlow has them: AvgPool and AvgPoolGrad; AvgPool3D and AvgPool3DGrad."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.model.nodes import Tensor
from ..convolution.convolution_attributes import Float, Format4, Format5, PlainPadding, Sizes, Steps4, Steps5
from .pooling_families import MeanFamily
from .window_shapes import Moves


@op("AvgPool", graphdef="T=value ksize strides padding data_format")
def avg_pool_op(
    value: Float,
    ksize: Steps4,
    strides: Steps4,
    padding: PlainPadding,
    data_format: Format4 = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.avg_pool`: the mean of each window of images."""


@op("AvgPoolGrad", graphdef="T=grad ksize strides padding data_format")
def avg_pool_grad_op(
    orig_input_shape: Sizes,
    grad: Float,
    ksize: Steps4,
    strides: Steps4,
    padding: PlainPadding,
    data_format: Format4 = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of AvgPool, of shape `orig_input_shape`."""


@op("AvgPool3D", graphdef="T=input ksize strides padding data_format")
def avg_pool3d_op(
    input: Float,
    ksize: Steps5,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.avg_pool3d`: the mean of each window of volumes."""


@op("AvgPool3DGrad", graphdef="T=grad ksize strides padding data_format")
def avg_pool3d_grad_op(
    orig_input_shape: Sizes,
    grad: Float,
    ksize: Steps5,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of AvgPool3D, of shape `orig_input_shape`."""


def moves_without_pairs(ksize: tuple[int, ...], strides: tuple[int, ...], padding: str, data_format: str) -> Moves:
    """How the window moves; its sizes are in the layout of the images."""
    return Moves(ksize, strides, padding)


AVG_POOL = MeanFamily(avg_pool_op, avg_pool_grad_op, moves_without_pairs)
AVG_POOL3D = MeanFamily(avg_pool3d_op, avg_pool3d_grad_op, moves_without_pairs)
AVG_POOL.attach()
AVG_POOL3D.attach()


# ---- samples ------------------------------------------------------------------------------------

IMAGE_CASES: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = (
    ((2, 4, 6, 3), ((1, 2, 2, 1), (1, 2, 2, 1), "VALID", "NHWC")),
    ((2, 5, 4, 2), ((1, 3, 2, 1), (1, 2, 1, 1), "SAME", "NHWC")),
    ((2, 3, 5, 4), ((1, 1, 3, 3), (1, 1, 1, 2), "SAME", "NCHW")),
    ((0, 4, 4, 2), ((1, 2, 2, 1), (1, 2, 2, 1), "SAME", "NHWC")),
)
VOLUME_CASES: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = (
    ((2, 3, 4, 2, 2), ((1, 2, 2, 2, 1), (1, 1, 2, 2, 1), "VALID", "NDHWC")),
    ((1, 3, 4, 3, 2), ((1, 2, 3, 2, 1), (1, 2, 1, 1, 1), "SAME", "NDHWC")),
    ((2, 2, 3, 2, 4), ((1, 1, 2, 1, 3), (1, 1, 2, 1, 2), "SAME", "NCDHW")),
    ((0, 3, 2, 2, 1), ((1, 2, 2, 2, 1), (1, 1, 2, 2, 1), "VALID", "NDHWC")),
)


def forward_samples(rng: np.random.Generator, cases: Any) -> Samples:
    """Calls of an op that has one operand, of images of several shapes and dtypes."""
    for shape, attrs in cases:
        yield sample(rng.standard_normal(shape).astype("f4"), *attrs)
    shape, attrs = cases[1]
    for dtype in ("f8", "f2"):
        yield sample(rng.standard_normal(shape).astype(dtype), *attrs)


def _gradient_samples(rng: np.random.Generator, family: MeanFamily, cases: Any) -> Samples:
    for place, (shape, attrs) in enumerate(cases):
        outputs = family.pooled(np.zeros(shape, "f4"), attrs).shape
        for dtype in ("f4", "f8", "f2") if place == 1 else ("f4",):
            yield sample(np.array(shape, "i4"), rng.standard_normal(outputs).astype(dtype), *attrs)


@avg_pool_op.samples
def avg_pool_samples(rng: np.random.Generator) -> Samples:
    yield from forward_samples(rng, IMAGE_CASES)


@avg_pool_grad_op.samples
def avg_pool_grad_samples(rng: np.random.Generator) -> Samples:
    yield from _gradient_samples(rng, AVG_POOL, IMAGE_CASES)


@avg_pool3d_op.samples
def avg_pool3d_samples(rng: np.random.Generator) -> Samples:
    yield from forward_samples(rng, VOLUME_CASES)


@avg_pool3d_grad_op.samples
def avg_pool3d_grad_samples(rng: np.random.Generator) -> Samples:
    yield from _gradient_samples(rng, AVG_POOL3D, VOLUME_CASES)
