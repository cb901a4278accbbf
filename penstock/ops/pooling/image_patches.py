"""Patches of images: what a window sees at each position, along the last dimension."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import NUMBERS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape, shape_of
from ..convolution.convolution_attributes import PlainPadding, Steps4
from ..declare.composite import reported_as_call
from ..declare.reduction_decl import either
from ..declare.shape_checks import dims_of, times
from .window_shapes import Moves, mistake_of_windows

Pixels: TypeAlias = Annotated[TensorLike, Operand("T", NUMBERS)]


@op("ExtractImagePatches", graphdef="T=images ksizes strides rates padding")
def extract_image_patches_op(
    images: Pixels,
    ksizes: Steps4,
    strides: Steps4,
    rates: Steps4,
    padding: PlainPadding,
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.extract_image_patches`."""


@reported_as_call("ExtractImagePatches", one_op=True)
def extract_image_patches(
    images: TensorLike,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """The patches of images, each one flat along the last dimension; 0 outside of the image.

    Args:
        images: numbers of shape (batch, height, width, channels).
        ksizes: the size of a patch, [1, height, width, 1].
        strides: the steps from a patch to the next, [1, down, across, 1].
        rates: the steps from a pixel of a patch to the next, [1, down, across, 1].
        padding: "SAME" gives ceil(size / stride) patches along each dimension, "VALID" those that lie inside.
        sizes: another name of `ksizes`.

    Returns:
        A tensor of shape (batch, patches down, patches across, height * width * channels of a patch) with the dtype of
        `images`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is missing or does not fit, or a patch is larger than the images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9), [1, 3, 3, 1])
    ...     patches = tf.extract_image_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    ...     print(session.run(patches)[0, 0])
    [[0 1 3 4]
     [1 2 4 5]]

    Source: TensorFlow 1.x, `tf.extract_image_patches`.
    """
    window = either("sizes", sizes, "ksizes", ksizes)
    return extract_image_patches_op(images, window, strides, rates, padding, name)


def _moves(ksizes: Any, strides: Any, rates: Any, padding: str) -> Moves:
    return Moves(ksizes, strides, padding, (), rates, may_be_none=True)


@extract_image_patches_op.shape
def extract_image_patches_shape(images: Tensor, ksizes: Any, *attrs: Any) -> TensorShape:
    *places, _ = _moves(ksizes, *attrs).output_dims(images)
    channels = dims_of(images, 4)[3]
    return shape_of((*places, times(channels, prod(ksizes), "the number of channels is not known", images)))


@extract_image_patches_op.kernel
def extract_image_patches_kernel(xp: Any, images: Any, ksizes: Any, *attrs: Any) -> Any:
    windows = _moves(ksizes, *attrs).windows(images.shape)
    places, channels = windows.outputs[:3], windows.outputs[3]
    patches = xp.zeros((*places, prod(ksizes), channels), images.dtype)
    for tap in windows.taps():
        patches[(*tap.positions[:3], tap.number)] = images[tap.elements]
    return patches.reshape((*places, prod(ksizes) * channels))


extract_image_patches_op.fails(lambda images, *attrs: _moves(*attrs).why_not(images))
extract_image_patches_op.mistake(lambda images, *attrs: mistake_of_windows(_moves(*attrs), images))


@extract_image_patches_op.distributes
@labelled
def extract_image_patches_distributes(images: Tensor, *attrs: Any) -> Any:
    labels = _moves(*attrs).labels()
    return [[*labels[:3], None]], [[*labels[:3], None]]


@extract_image_patches_op.gradient("each element of g added to the pixel that it comes from")
def extract_image_patches_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, ksizes, *attrs = op.args

    def summed() -> Tensor:
        sizes = ops.shape(images)
        batch, height, width, channels = (sizes[axis] for axis in range(4))
        pixels = height * width
        numbers = ops.reshape(ops.range(1, pixels + 1), ops.pack([1, height, width, 1]))
        of_patches = extract_image_patches_op(numbers, ksizes, *attrs)  # 0: outside
        places = ops.shape(of_patches)
        parts = ops.reshape(g, ops.pack([batch, places[1], places[2], prod(ksizes), channels]))
        count = places[1] * places[2] * prod(ksizes)
        rows = ops.reshape(ops.transpose(parts, [1, 2, 3, 0, 4]), ops.pack([count, batch * channels]))
        total = ops.unsorted_segment_sum(rows, ops.reshape(of_patches, [-1]) - 1, pixels)
        split = ops.reshape(total, ops.pack([height, width, batch, channels]))
        summed: Tensor = ops.transpose(split, [2, 0, 1, 3])
        summed.set_shape(images.shape)
        return summed

    return [summed]


@extract_image_patches_op.samples
def extract_image_patches_samples(rng: np.random.Generator) -> Samples:
    ones = (1, 1, 1, 1)
    for dtype in ("f4", "f8", "f2", "i4"):
        yield sample(rng.integers(-9, 9, (2, 4, 5, 2)).astype(dtype), (1, 2, 3, 1), (1, 2, 1, 1), ones, "SAME")
    yield sample(rng.standard_normal((1, 5, 4, 1)).astype("f4"), (1, 2, 2, 1), ones, (1, 2, 1, 1), "VALID")
    yield sample(np.zeros((0, 3, 3, 2), "f4"), (1, 2, 2, 1), ones, ones, "VALID")
