"""Patches of volumes: what a window sees at each position, along the last dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..convolution.convolution_attributes import PlainPadding, Steps5
from .image_patches import Pixels, patch_labels, patches_of, shape_of_patches, summed_patches
from .window_shapes import Moves, mistake_of_windows

PUBLIC_NAMES = {"tf": "extract_volume_patches"}


@op("ExtractVolumePatches", graphdef="T=input ksizes strides padding ->patches")
def extract_volume_patches(
    input: Pixels, ksizes: Steps5, strides: Steps5, padding: PlainPadding, name: str | None = None
) -> Tensor:
    """The patches of volumes, each one flat along the last dimension; 0 outside of the volume.

    Args:
        input: numbers of shape (batch, planes, height, width, channels).
        ksizes: the size of a patch, [1, planes, height, width, 1].
        strides: the steps from a patch to the next, [1, planes, down, across, 1].
        padding: "SAME" gives ceil(size / stride) patches along each dimension, "VALID" those that lie inside.

    Returns:
        A tensor of shape (batch, patches by plane, patches down, patches across, planes * height * width * channels of
        a patch) with the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or a patch is larger than the volumes.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     volume = tf.reshape(tf.range(8), [1, 2, 2, 2, 1])
    ...     patches = tf.extract_volume_patches(volume, [1, 2, 1, 2, 1], [1, 1, 1, 1, 1], "VALID")
    ...     print(session.run(patches)[0, 0, :, 0])
    [[0 1 4 5]
     [2 3 6 7]]

    Source: TensorFlow 1.x, `tf.extract_volume_patches`.
    """


@extract_volume_patches.shape
def extract_volume_patches_shape(input: Tensor, *attrs: Any) -> TensorShape:
    return shape_of_patches(input, _moves(*attrs))


@extract_volume_patches.kernel
def extract_volume_patches_kernel(xp: Any, input: Any, *attrs: Any) -> Any:
    return patches_of(xp, input, _moves(*attrs))


extract_volume_patches.fails(lambda input, *attrs: _moves(*attrs).why_not(input))
extract_volume_patches.mistake(lambda input, *attrs: mistake_of_windows(_moves(*attrs), input))
extract_volume_patches.distributes(labelled(lambda input, *attrs: patch_labels(_moves(*attrs))))


@extract_volume_patches.gradient("each element of g added to the element that it comes from")
def extract_volume_patches_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    input, *attrs = op.args
    return [lambda: summed_patches(ops, g, input, attrs[0], lambda x: extract_volume_patches(x, *attrs))]


@extract_volume_patches.samples
def extract_volume_patches_samples(rng: np.random.Generator) -> Samples:
    ones = (1, 1, 1, 1, 1)
    for dtype in ("f4", "f8", "f2", "i4"):
        yield sample(rng.integers(-9, 9, (2, 3, 4, 3, 2)).astype(dtype), (1, 2, 3, 1, 1), (1, 2, 2, 1, 1), "SAME")
    yield sample(rng.standard_normal((1, 3, 2, 4, 1)).astype("f4"), (1, 2, 1, 2, 1), ones, "VALID")
    yield sample(np.zeros((0, 2, 3, 3, 2), "f4"), (1, 2, 2, 2, 1), ones, "VALID")


def _moves(ksizes: Any, strides: Any, padding: str) -> Moves:
    return Moves(ksizes, strides, padding, may_be_none=True)
