"""`tf.contrib.resampler`: pixels at places between pixels."""

from __future__ import annotations

from typing import Any

from .. import (
    cast,
    clip_by_value,
    concat,
    convert_to_tensor,
    expand_dims,
    gather_nd,
    int32,
    logical_and,
    name_scope,
    ones_like,
    range,
    reshape,
    shape,
    unpack,
)
from .. import floor as floor_op
from ..ops.declare.composite import reported_as_call

__all__ = ["resampler"]


@reported_as_call("resampler")
def resampler(data: Any, warp: Any, name: str | None = None) -> Any:
    """The values of images at places, each a mean of the four pixels around it; outside of an image they are 0.

    Args:
        data: floats of shape [batch, height, width, channels].
        warp: floats of shape [batch, ..., 2]: x and y of each place, in pixels.
        name: a name for the operations.

    Returns:
        A tensor of shape [batch, ..., channels].

    Raises:
        ValueError: the ranks do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.constant([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    ...     print(session.run(tf.contrib.resampler.resampler(image, [[[0.5, 0.5], [1.0, 0.0], [1.5, 0.0]]])).tolist())
    [[[2.5], [2.0], [1.0]]]

    Source: TensorFlow 1.x, `tf.contrib.resampler.resampler`.
    """
    with name_scope(name, "resampler", [data, warp]):
        images, places = convert_to_tensor(data), convert_to_tensor(warp)
        images.shape.assert_has_rank(4)
        size = shape(images)
        points = reshape(places, [size[0], -1, 2])
        x, y = points[:, :, 0], points[:, :, 1]
        left, top = floor_op(x), floor_op(y)
        batch = expand_dims(range(size[0]), 1) * ones_like(cast(left, int32))
        weighted: Any = 0.0
        for dx in (0, 1):
            for dy in (0, 1):
                column, row = cast(left, int32) + dx, cast(top, int32) + dy
                is_in = logical_and(logical_and(column >= 0, column < size[2]), logical_and(row >= 0, row < size[1]))
                share = (1.0 - abs(x - left - float(dx))) * (1.0 - abs(y - top - float(dy))) * cast(is_in, x.dtype)
                inside = [batch, clip_by_value(row, 0, size[1] - 1), clip_by_value(column, 0, size[2] - 1)]
                pixels = gather_nd(images, concat(2, [expand_dims(each, 2) for each in inside]))
                weighted = weighted + expand_dims(share, 2) * pixels
        return reshape(weighted, _sizes(places, images))


def _sizes(places: Any, images: Any) -> Any:
    """[batch, ..., channels], numbers where they are known."""
    known = [*places.shape.as_list()[:-1], images.shape[3].value]
    open_sizes = [*unpack(shape(places), len(known))[:-1], shape(images)[3]]
    return [each if each is not None else open_sizes[at] for at, each in enumerate(known)]
