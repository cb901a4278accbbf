"""Feeds in parts: a function that gives any part of a feed, so that the whole need not be in one memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import FeedError
from ...graph.common.tracebacks import hides_frames
from ...graph.shapes.dtypes import DType, as_dtype, float32
from ...graph.shapes.literal import Array


class ShardedFeed:
    """A feed that a function gives in parts: each worker of a cluster computes the part that it needs.

    It is for a placeholder with a named dimension that the session cuts (`SessionConfig(shard={"batch": 4})`). On a
    cluster the function is sent to the workers by Dask, which pickles it. On one machine it is called once, for the
    whole.

    Args:
        function: `function(start, stop)` gives the elements from `start` to `stop` along `axis`, as an array.
        shape: the shape of the whole.
        dtype: the dtype of the whole.
        axis: the axis along which it gives parts, that of the named dimension.

    Raises:
        TypeError: `function` is no function, or `shape` has no ints.

    >>> import numpy as np, penstock as tf
    >>> config = tf.SessionConfig(shard={"batch": 2})
    >>> with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["batch", 2])
    ...     rows = tf.ShardedFeed(lambda start, stop: np.ones([stop - start, 2], np.float32), [1000, 2])
    ...     print(session.run(tf.reduce_sum(x), {x: rows}))
    2000.0
    """

    @hides_frames
    def __init__(
        self,
        function: Callable[[int, int], Any],
        shape: Sequence[int],
        dtype: DType | str = float32,
        axis: int = 0,
    ) -> None:
        if not callable(function):
            raise TypeError(f"ShardedFeed({function!r}): give a function of (start, stop)")
        sizes = tuple(shape)
        if not all(isinstance(size, int) and size >= 0 for size in sizes) or not 0 <= axis < len(sizes):
            raise TypeError(
                f"ShardedFeed(shape={shape!r}, axis={axis!r}): give the whole's sizes and an axis of it"
            )
        self.function = function
        self.shape = sizes
        self.dtype = as_dtype(dtype).np
        self.axis = axis

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.part(0, self.shape[self.axis]), dtype)

    def part(self, start: int, stop: int) -> Array:
        """The elements from `start` to `stop`, checked.

        Args:
            start: the first element along `axis`.
            stop: the one after the last.

        Returns:
            An array of the dtype of the whole.

        Raises:
            FeedError: the function gives another dtype or shape.

        >>> import numpy as np, penstock as tf
        >>> tf.ShardedFeed(lambda start, stop: np.arange(start, stop, dtype=np.float32), [10]).part(2, 4)
        array([2., 3.], dtype=float32)
        """
        return checked_part(self.function(start, stop), (start, stop), self.shape, self.dtype, self.axis)

    def __repr__(self) -> str:
        return f"<ShardedFeed of {self.dtype} {list(self.shape)}>"


def checked_part(found: Any, rows: tuple[int, int], shape: tuple[int, ...], dtype: Any, axis: int) -> Array:
    """A part as an array of the dtype and shape that it must have.

    Raises:
        FeedError: it has another one.
    """
    array = np.asarray(found)
    wanted = (*shape[:axis], rows[1] - rows[0], *shape[axis + 1 :])
    if array.dtype != dtype or array.shape != wanted:
        raise FeedError(
            f"a part of a feed is {array.dtype} {list(array.shape)}, but {dtype} {list(wanted)} was promised for the "
            f"elements {rows[0]} to {rows[1]}; give arrays of that dtype and shape"
        )
    return array
