"""`tf.image.resize_area`: images of another size, each pixel the mean of the area that it covers.

A pixel of the result covers a row of parts of rows, and of columns: out = rows @ image @ columns^T, where a matrix says
how much of each old row is in a new one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.axis_labels import labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import float32
from ..convolution.convolution_attributes import Sizes
from ..declare.shape_checks import require_shapes
from .resizing_ops import Pixels, resized_shape

PUBLIC_NAMES = {"image": "resize_area"}


@op("ResizeArea", graphdef="T=images align_corners ->resized_images", out=float32, host_only=True,
    no_gradient="as in TensorFlow, it has none; resize with bilinear for one", shape=resized_shape)  # fmt: skip
def resize_area(images: Pixels, size: Sizes, align_corners: Flag = False, name: str | None = None) -> Tensor:
    """Images of another size, each pixel the mean of the area of old ones that it covers.

    Args:
        images: of shape (batch, height, width, channels): numbers that are not complex.
        size: [new height, new width], int32.
        align_corners: whether the centers of the pixels in the corners stay where they are.

    Returns:
        float32 images of shape (batch, new height, new width, channels).

    Raises:
        TypeError: a dtype is another.
        ValueError: ranks do not fit.
        InvalidArgumentError (when run): a size is 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.image.resize_area([[[[0.0], [2.0], [4.0]]]], [1, 2])).round(3).ravel())
    [0.667 3.333]

    Source: TensorFlow 1.x, `tf.image.resize_area`.
    """


resize_area.distributes(labelled(lambda images, size, *attrs: (
    [["batch", None, None, None]], [["batch", None, None, None]]
)))  # fmt: skip


@resize_area.kernel
def resize_area_kernel(xp: Any, images: Any, size: Any, align_corners: bool) -> Any:
    require_shapes(images=(images, "nhwc"), size=(size, "2"))
    sizes = [int(each) for each in size]
    if min(sizes) <= 0:
        raise InvalidArgumentError(message=f"output dimensions must be positive, and are {sizes}")
    if not images.shape[1] or not images.shape[2]:
        raise InvalidArgumentError(message=f"input image must be of non-zero size, and has shape {list(images.shape)}")
    rows, columns = (_shares(images.shape[1 + i], sizes[i], align_corners) for i in range(2))
    wide = images.astype(np.float64)
    return np.einsum("ih,bhwc,jw->bijc", rows, wide, columns, optimize=True).astype(np.float32)


def _shares(old: int, new: int, align_corners: bool) -> Any:
    """How much of each old row is in a new one."""
    spans = (old - 1, new - 1) if align_corners and new > 1 else (old, new)
    scale = np.float32(spans[0]) / np.float32(spans[1])
    shares = np.zeros((new, old))
    if not scale:  # one old row
        return np.ones((new, 1))
    for number in range(new):
        first, last = np.float32(number) * scale, np.float32(number + 1) * scale
        for place in range(int(np.floor(first)), int(np.ceil(last))):
            begin, end = max(np.float32(place), first), min(np.float32(place + 1), last)
            shares[number, min(max(place, 0), old - 1)] += end - begin
    return shares / scale


@resize_area.samples
def resize_area_samples(rng: np.random.Generator) -> Samples:
    images = rng.random((2, 6, 5, 3)).astype("f4")
    yield sample(images, np.array([4, 2], "i4"))
    yield sample((images * 255).astype("u1"), np.array([3, 7], "i4"), True)
    yield sample(images[:0], np.array([3, 7], "i4"))
