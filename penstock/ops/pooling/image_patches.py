"""Patches of images: what a window sees at each position, along the last dimension; and what those of volumes share."""

from __future__ import annotations

from collections.abc import Callable
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

PUBLIC_NAMES = {"tf image": "extract_image_patches", "image": "extract_patches=extract_image_patches"}

Pixels: TypeAlias = Annotated[TensorLike, Operand("T", NUMBERS)]


@op("ExtractImagePatches", graphdef="T=images ksizes strides rates padding ->patches")
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


def shape_of_patches(images: Tensor, moves: Moves) -> TensorShape:
    """The shape of the patches: images, of any rank, have their channels last."""
    *places, _ = moves.output_dims(images)
    channels = dims_of(images, len(moves.ksize))[-1]
    return shape_of((*places, times(channels, prod(moves.ksize), "the number of channels is not known", images)))


def patches_of(xp: Any, images: Any, moves: Moves) -> Any:
    """The patches, each one flat."""
    windows, taps = moves.windows(images.shape), prod(moves.ksize)
    *places, channels = windows.outputs
    patches = xp.zeros((*places, taps, channels), images.dtype)
    for tap in windows.taps():
        patches[(*tap.positions[:-1], tap.number)] = images[tap.elements]
    return patches.reshape((*places, taps * channels))


def patch_labels(moves: Moves) -> Any:
    """What shards of images give: the channels are needed as a whole."""
    labels = [*moves.labels()[:-1], None]
    return [labels], [labels]


def summed_patches(ops: Any, g: Tensor, images: Tensor, ksizes: Any, extract: Callable[[Tensor], Tensor]) -> Tensor:
    """Each element of `g`, of the shape of the patches, added to the pixel that it comes from.

    extract: gives the patches of images like those.
    """
    sizes, taps = ops.shape(images), prod(ksizes)
    batch, *spatial, channels = (sizes[axis] for axis in range(len(ksizes)))
    pixels = prod(spatial[1:], start=spatial[0])
    numbers = ops.reshape(ops.range(1, pixels + 1), ops.pack([1, *spatial, 1]))
    of_patches = extract(numbers)  # 0: outside
    places = ops.shape(of_patches)
    inner = len(spatial) + 1
    positions = [places[axis] for axis in range(1, inner)]
    parts = ops.reshape(g, ops.pack([batch, *positions, taps, channels]))
    count = prod(positions[1:], start=positions[0]) * taps
    turned = ops.transpose(parts, [*range(1, inner + 1), 0, inner + 1])
    rows = ops.reshape(turned, ops.pack([count, batch * channels]))
    total = ops.unsorted_segment_sum(rows, ops.reshape(of_patches, [-1]) - 1, pixels)
    split = ops.reshape(total, ops.pack([*spatial, batch, channels]))
    summed: Tensor = ops.transpose(split, [inner - 1, *range(inner - 1), inner])
    summed.set_shape(images.shape)
    return summed


@extract_image_patches_op.shape
def extract_image_patches_shape(images: Tensor, *attrs: Any) -> TensorShape:
    return shape_of_patches(images, _moves(*attrs))


@extract_image_patches_op.kernel
def extract_image_patches_kernel(xp: Any, images: Any, *attrs: Any) -> Any:
    return patches_of(xp, images, _moves(*attrs))


extract_image_patches_op.fails(lambda images, *attrs: _moves(*attrs).why_not(images))
extract_image_patches_op.mistake(lambda images, *attrs: mistake_of_windows(_moves(*attrs), images))


extract_image_patches_op.distributes(labelled(lambda images, *attrs: patch_labels(_moves(*attrs))))


@extract_image_patches_op.gradient("each element of g added to the pixel that it comes from")
def extract_image_patches_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    images, *attrs = op.args
    return [lambda: summed_patches(ops, g, images, attrs[0], lambda x: extract_image_patches_op(x, *attrs))]


@extract_image_patches_op.samples
def extract_image_patches_samples(rng: np.random.Generator) -> Samples:
    ones = (1, 1, 1, 1)
    for dtype in ("f4", "f8", "f2", "i4"):
        yield sample(rng.integers(-9, 9, (2, 4, 5, 2)).astype(dtype), (1, 2, 3, 1), (1, 2, 1, 1), ones, "SAME")
    yield sample(rng.standard_normal((1, 5, 4, 1)).astype("f4"), (1, 2, 2, 1), ones, (1, 2, 1, 1), "VALID")
    yield sample(np.zeros((0, 3, 3, 2), "f4"), (1, 2, 2, 1), ones, ones, "VALID")
