"""Layers of pooling: the largest number or the mean of windows over sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..ops.convolution.convolution_arguments import FORMATS
from ..ops.move.reshaping import expand_dims, squeeze
from ..ops.pooling.pooling_calls import avg_pool, avg_pool3d, max_pool, max_pool3d
from .convolution_layer import WindowLayer, window_of
from .layer import Layer, Window, layer_function


class PoolingLayer(WindowLayer):
    """The base of layers that pool windows."""

    pool: Callable[..., Tensor]

    def __init__(
        self, pool_size: Window, strides: Window, padding: str = "valid", data_format: str = "channels_last",
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(True, name)
        self.pool_size = window_of(pool_size, self.rank, "pool_size")
        self.strides = window_of(pool_size if strides is None else strides, self.rank, "strides")
        self._take_layout(padding, data_format)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The pooled inputs."""
        if self.rank == 1:  # images of width 1
            place = 3 if self.is_channels_first else 2
            window, steps = [(*each, 1) for each in (self.pool_size, self.strides)]
            form = FORMATS[2][self.is_channels_first]
            pooled = type(self).pool(expand_dims(x, place), window, steps, self.padding.upper(), form)
            return squeeze(pooled, [place])
        return type(self).pool(x, self.pool_size, self.strides, self.padding.upper(), self.layout)


class MaxPooling1D(PoolingLayer):
    """A layer that takes the largest number of each window of sequences.

    Args:
        pool_size: the size of the window, an int.
        strides: the steps of the window, in the same form.
        padding: "valid" (the default) keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last" (the default) for (batch, length, channels), or "channels_first" for
            (batch, channels, length).
        name: the name of the scope, made unique; by default "max_pooling1d".

    Raises:
        ValueError: an argument is another.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.MaxPooling1D(2, 2)(tf.zeros([2, 6, 3])).shape
    TensorShape((2, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.MaxPooling1D`.
    """

    base_name = "max_pooling1d"
    rank = 1
    pool = staticmethod(max_pool)


@documented_like(MaxPooling1D)
class MaxPooling2D(PoolingLayer):
    """A layer that takes the largest number of each window of images.

    Args:
        pool_size: the size of the window, an int or two of them.
        data_format: "channels_last" (the default) for (batch, height, width, channels), or "channels_first" for
            (batch, channels, height, width).
        name: the name of the scope, made unique; by default "max_pooling2d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.MaxPooling2D(2, 2)(tf.zeros([2, 6, 6, 3])).shape
    TensorShape((2, 3, 3, 3))
    """

    base_name = "max_pooling2d"
    rank = 2
    pool = staticmethod(max_pool)


@documented_like(MaxPooling1D)
class MaxPooling3D(PoolingLayer):
    """A layer that takes the largest number of each window of volumes.

    Args:
        pool_size: the size of the window, an int or three of them.
        data_format: "channels_last" (the default) for (batch, depth, height, width, channels), or "channels_first" for
            (batch, channels, depth, height, width).
        name: the name of the scope, made unique; by default "max_pooling3d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.MaxPooling3D(2, 2)(tf.zeros([2, 6, 6, 6, 3])).shape
    TensorShape((2, 3, 3, 3, 3))
    """

    base_name = "max_pooling3d"
    rank = 3
    pool = staticmethod(max_pool3d)


@documented_like(MaxPooling1D)
class AveragePooling1D(PoolingLayer):
    """A layer that takes the mean of each window of sequences.

    Args:
        name: the name of the scope, made unique; by default "average_pooling1d".
    """

    base_name = "average_pooling1d"
    rank = 1
    pool = staticmethod(avg_pool)


@documented_like(MaxPooling1D)
class AveragePooling2D(PoolingLayer):
    """A layer that takes the mean of each window of images.

    Args:
        pool_size: the size of the window, an int or two of them.
        data_format: "channels_last" (the default) for (batch, height, width, channels), or "channels_first" for
            (batch, channels, height, width).
        name: the name of the scope, made unique; by default "average_pooling2d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.AveragePooling2D(2, 2)(tf.zeros([2, 6, 6, 3])).shape
    TensorShape((2, 3, 3, 3))
    """

    base_name = "average_pooling2d"
    rank = 2
    pool = staticmethod(avg_pool)


@documented_like(MaxPooling1D)
class AveragePooling3D(PoolingLayer):
    """A layer that takes the mean of each window of volumes.

    Args:
        pool_size: the size of the window, an int or three of them.
        data_format: "channels_last" (the default) for (batch, depth, height, width, channels), or "channels_first" for
            (batch, channels, depth, height, width).
        name: the name of the scope, made unique; by default "average_pooling3d".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.AveragePooling3D(2, 2)(tf.zeros([2, 6, 6, 6, 3])).shape
    TensorShape((2, 3, 3, 3, 3))
    """

    base_name = "average_pooling3d"
    rank = 3
    pool = staticmethod(avg_pool3d)


# ---- the layers as functions --------------------------------------------------------------------


_INPUTS = {1: "sequences", 2: "images", 3: "volumes"}
_SIZES = {1: "an int", 2: "an int or two of them", 3: "an int or three of them"}
_DIMENSIONS = {1: "length", 2: "height, width", 3: "depth, height, width"}


def _pooling_function(layer: type[PoolingLayer], chosen: str, numbers: str) -> Callable[..., Tensor]:
    """The function that makes a layer and calls it.

    chosen: what it takes of each window. numbers: which it takes.
    """
    rank = layer.rank

    @layer_function(
        layer, chosen=chosen, numbers=numbers, inputs=_INPUTS[rank], sizes=_SIZES[rank], dimensions=_DIMENSIONS[rank],
        six=", ".join("6" * rank), three=", ".join("3" * rank),
    )  # fmt: skip
    def function(own: Layer, inputs: Any) -> Tensor:
        """The {chosen} of each window of {inputs}.

        Args:
            inputs: {inputs} of shape (batch, {dimensions}, channels): {numbers}.
            pool_size: the size of the window, {sizes}.
            strides: the steps of the window, in the same form.
            padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
            data_format: "channels_last", or "channels_first" for (batch, channels, {dimensions}).
            name: the name of the scope; by default "{name}", made unique.

        Returns:
            A tensor with a position for each window, the layout and the dtype of `inputs`.

        Raises:
            TypeError: the dtype is another.
            ValueError: an argument is another, or the window is larger than the inputs.
            InvalidArgumentError (when run): the same for sizes that only the run knows.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.layers.{name}(tf.zeros([2, {six}, 3]), 2, 2).shape
        TensorShape((2, {three}, 3))

        Source: TensorFlow 1.x, `tf.layers.{name}`.
        """
        return own(inputs)

    return function


max_pooling1d = _pooling_function(MaxPooling1D, "largest number", "numbers")
max_pooling2d = _pooling_function(MaxPooling2D, "largest number", "numbers")
max_pooling3d = _pooling_function(MaxPooling3D, "largest number", "numbers")
average_pooling1d = _pooling_function(AveragePooling1D, "mean", "floats")
average_pooling2d = _pooling_function(AveragePooling2D, "mean", "floats")
average_pooling3d = _pooling_function(AveragePooling3D, "mean", "floats")
