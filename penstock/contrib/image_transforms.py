"""`tf.contrib.image`: images turned, moved and distorted, and the matrices that do it."""

from __future__ import annotations

from typing import Any

from .. import (
    cast,
    concat,
    cos,
    fill,
    float32,
    matmul,
    ones,
    pack,
    reshape,
    sin,
    tile,
    zeros,
)
from .. import shape as shape_of
from ..api.missing_names import add_hints as _add_hints
from ..errors import DTypeError, ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import composite
from ..ops.images.projective_transforms import projective_transform_op

__all__ = [
    "angles_to_projective_transforms", "compose_transforms", "flat_transforms_to_matrices",
    "matrices_to_flat_transforms", "rotate", "transform", "translate", "translations_to_projective_transforms",
]  # fmt: skip


@composite("rotate")
def rotate(
    images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images turned counter-clockwise around their centers; what comes from outside is 0.

    Args:
        images: (height, width), (height, width, channels) or several with the batch before: floats, uint8, int32 or
            int64.
        angles: in radians: a float32 scalar, or one for each image.
        interpolation: "NEAREST" or "BILINEAR".

    Returns:
        A tensor with the shape and dtype of `images`. Its gradient is turned back, as in TensorFlow.

    Raises:
        TypeError: a dtype or a rank is another.
        ValueError: the sizes do not fit, or no such interpolation.

    >>> import math
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.rotate([[1.0, 2.0], [3.0, 4.0]], math.pi / 2)))
    [[2. 4.]
     [1. 3.]]

    Source: TensorFlow 1.15, `tf.contrib.image.rotate`.
    """
    given, rank = _batch(images)
    sizes = cast(shape_of(given)[1:3], float32)
    return _like(transform(given, _turns(angles, sizes[0], sizes[1]), interpolation), rank)


@composite("translate")
@documented_like(rotate)
def translate(
    images: TensorLike, translations: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images moved to the right and downwards; what comes from outside is 0.

    Args:
        translations: (dx, dy): float32 of shape (2,), or a row for each image.

    Returns:
        A tensor with the shape and dtype of `images`. Its gradient is moved back, as in TensorFlow.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.translate([[1.0, 2.0], [3.0, 4.0]], [1.0, 0.0])))
    [[0. 1.]
     [0. 3.]]

    Source: TensorFlow 1.15, `tf.contrib.image.translate`.
    """
    given, rank = _batch(images)
    return _like(transform(given, _moves(translations), interpolation), rank)


@composite("transform")
def transform(
    images: TensorLike, transforms: TensorLike, interpolation: str = "NEAREST", output_shape: Any = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """Images distorted by projective maps; what comes from outside is 0.

    A row (a0, a1, a2, b0, b1, b2, c0, c1) says where the pixel (x, y) of the result comes from:
    ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.

    Args:
        images: (height, width), (height, width, channels) or several with the batch before: floats, uint8, int32 or
            int64.
        transforms: float32 of shape (8,), or a row for each image.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: (height, width) of the results; None means that of the images.

    Returns:
        A tensor with the dtype of `images`. Its gradient is moved by the inverse maps, as in TensorFlow.

    Raises:
        TypeError: a dtype or a rank is another.
        ValueError: the sizes do not fit, or no such interpolation.
        InvalidArgumentError (when run): the sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     wider = [0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    ...     half = tf.contrib.image.transform([[1.0, 2.0]], wider, output_shape=[1, 4])
    ...     print(session.run(half))
    [[1. 2. 2. 0.]]

    Source: TensorFlow 1.15, `tf.contrib.image.transform`.
    """
    given, rank = _batch(images)
    rows = convert_to_tensor(transforms, float32)
    if rows.shape.ndims == 1:
        rows = reshape(rows, [1, -1])
    elif rows.shape.ndims != 2:
        raise DTypeError(f"Transforms should have rank 1 or 2, but have the shape {rows.shape}")
    sizes = shape_of(given)[1:3] if output_shape is None else convert_to_tensor(output_shape)
    return _like(projective_transform_op(given, rows, sizes, interpolation), rank)


@composite("angles_to_projective_transforms")
def angles_to_projective_transforms(
    angles: TensorLike, image_height: TensorLike, image_width: TensorLike, name: str | None = None
) -> Tensor:
    """The transforms that turn images of some size around their centers.

    Args:
        angles: in radians: a float32 scalar, or one for each image.
        image_height, image_width: the size of the images, float32 scalars.

    Returns:
        A float32 tensor with a row of 8 numbers for each angle.

    Raises:
        TypeError: the rank of `angles` is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.angles_to_projective_transforms(0.0, 4.0, 4.0)))
    [[ 1. -0.  0.  0.  1.  0.  0.  0.]]

    Source: TensorFlow 1.15, `tf.contrib.image.angles_to_projective_transforms`.
    """
    return _turns(angles, cast(image_height, float32), cast(image_width, float32))


@composite("translations_to_projective_transforms")
def translations_to_projective_transforms(translations: TensorLike, name: str | None = None) -> Tensor:
    """The transforms that move images to the right and downwards.

    Args:
        translations: (dx, dy): float32 of shape (2,), or a row for each image.

    Returns:
        A float32 tensor with a row of 8 numbers for each translation.

    Raises:
        TypeError: the rank of `translations` is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.translations_to_projective_transforms([3.0, 5.0])))
    [[ 1.  0. -3.  0.  1. -5.  0.  0.]]

    Source: TensorFlow 1.15, `tf.contrib.image.translations_to_projective_transforms`.
    """
    return _moves(translations)


@composite("flat_transforms_to_matrices")
def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """Transforms as matrices of three rows: a 1 is added at the end of each.

    Args:
        transforms: float32 of shape (8,) or (number, 8).

    Returns:
        A float32 tensor of shape (number, 3, 3).

    Raises:
        ValueError: the shape is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.flat_transforms_to_matrices([1.0, 0, 5, 0, 1, 0, 0, 0]))[0])
    [[1. 0. 5.]
     [0. 1. 0.]
     [0. 0. 1.]]

    Source: TensorFlow 1.15, `tf.contrib.image.flat_transforms_to_matrices`.
    """
    return _matrices(transforms)


@composite("matrices_to_flat_transforms")
def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """Matrices of three rows as transforms: all is divided by the last number, which is left out.

    Args:
        transform_matrices: float32 of shape (3, 3) or (number, 3, 3).

    Returns:
        A float32 tensor of shape (number, 8).

    Raises:
        ValueError: the shape is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.contrib.image.matrices_to_flat_transforms(2.0 * tf.eye(3))))
    [[1. 0. 0. 0. 1. 0. 0. 0.]]

    Source: TensorFlow 1.15, `tf.contrib.image.matrices_to_flat_transforms`.
    """
    return _flat(convert_to_tensor(transform_matrices, float32))


@composite("compose_transforms")
def compose_transforms(*transforms: TensorLike) -> Tensor:
    """One transform that does the same as several, one after the other.

    Args:
        transforms: float32 tensors of shape (8,) or (number, 8).

    Returns:
        A float32 tensor of shape (number, 8).

    Raises:
        ValueError: there are none, or a shape is another.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     step = tf.contrib.image.translations_to_projective_transforms([3.0, 5.0])
    ...     print(session.run(tf.contrib.image.compose_transforms(step, step)))
    [[  1.   0.  -6.   0.   1. -10.   0.   0.]]

    Source: TensorFlow 1.15, `tf.contrib.image.compose_transforms`.
    """
    if not transforms:
        raise ValueRuleError("compose_transforms: transforms cannot be empty")
    product = _matrices(transforms[0])
    for each in transforms[1:]:
        other = _matrices(each)
        product = matmul(_repeated(product, other), _repeated(other, product))
    return _flat(product)


def _repeated(matrices: Tensor, other: Tensor) -> Tensor:
    """The matrices; one of them as often as there are others."""
    if matrices.shape[0].value != 1:
        return matrices
    return tile(matrices, pack([shape_of(other)[0], 1, 1]))


def _batch(images: TensorLike) -> tuple[Tensor, int]:
    given = convert_to_tensor(images)
    rank = given.shape.ndims
    if rank == 2:
        return given[None, :, :, None], 2
    if rank == 3:
        return given[None], 3
    if rank == 4:
        return given, 4
    raise DTypeError(f"Images should have rank between 2 and 4, but have the shape {given.shape}")


def _like(images: Tensor, rank: int) -> Tensor:
    return {2: lambda: images[0, :, :, 0], 3: lambda: images[0], 4: lambda: images}[rank]()


def _turns(angles: TensorLike, height: Tensor, width: Tensor) -> Tensor:
    given = convert_to_tensor(angles, float32)
    if given.shape.ndims not in (0, 1):
        raise DTypeError(f"Angles should have rank 0 or 1, but have the shape {given.shape}")
    line = reshape(given, [-1, 1])
    c, s = cos(line), sin(line)
    tall, wide = height - 1.0, width - 1.0
    dx = (wide - (c * wide - s * tall)) / 2.0
    dy = (tall - (s * wide + c * tall)) / 2.0
    return concat(1, [c, -s, dx, s, c, dy, zeros(pack([shape_of(line)[0], 2]))])


def _moves(translations: TensorLike) -> Tensor:
    given = convert_to_tensor(translations, float32)
    if given.shape.ndims not in (1, 2):
        raise DTypeError(f"Translations should have rank 1 or 2, but have the shape {given.shape}")
    rows = reshape(given, [-1, 2])
    one, none = ones(pack([shape_of(rows)[0], 1])), zeros(pack([shape_of(rows)[0], 1]))
    return concat(1, [one, none, -rows[:, :1], none, one, -rows[:, 1:], none, none])


def _matrices(transforms: TensorLike) -> Tensor:
    rows = reshape(convert_to_tensor(transforms, float32), [-1, 8])
    return reshape(concat(1, [rows, fill(pack([shape_of(rows)[0], 1]), 1.0)]), [-1, 3, 3])


def _flat(matrices: Tensor) -> Tensor:
    rows = reshape(matrices, [-1, 9])
    return rows[:, :8] / rows[:, 8:]


_add_hints(__name__)
