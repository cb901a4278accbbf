"""Programs with the convolutions of `tf.layers` that are recorded; `layer_cases.evaluate` runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[..., Any]


def wave(*shape: int) -> Any:
    """Numbers that differ."""
    return np.round(np.sin(np.arange(float(np.prod(shape)))) * 3, 3).reshape(shape)


def start(tf: Any, *names: str) -> dict[str, Any]:
    """Initializers that give the same numbers everywhere."""

    class Wave:
        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, **more: Any) -> Any:
            return tf.constant(wave(*[int(n) for n in shape]) / 4, dtype or tf.float32)

    names = names or ("kernel", "bias")
    return {f"{name}_initializer": Wave() for name in names}


SEPARABLE = ("depthwise", "pointwise", "bias")


def layer(name: str, *args: Any, of: tuple[str, ...] = (), **options: Any) -> Program:
    """A program of one call."""
    return lambda tf, x: getattr(tf.layers, name)(x, *args, **start(tf, *of), **options)


def _network(tf: Any, x: Any) -> Any:
    y = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu, **start(tf))
    y = tf.layers.conv2d(y, 3, [2, 3], [2, 1], activation=tf.tanh, **start(tf))
    return tf.layers.conv2d_transpose(y, 2, 3, 2, "same", **start(tf))


def _shared(tf: Any, x: Any) -> Any:
    one = tf.layers.conv2d(x, 2, 3, name="c", **start(tf))
    return one, tf.layers.conv2d(2 * x, 2, 3, name="c", reuse=True)


def _in_scope(tf: Any, x: Any) -> Any:
    with tf.variable_scope("model"):
        return tf.layers.conv2d(x, 2, 3, **start(tf)), tf.layers.separable_conv2d(x, 2, 3, **start(tf, *SEPARABLE))


def _object(tf: Any, x: Any) -> Any:
    made = tf.layers.Conv2D(2, 3, name="foo", **start(tf))
    return made(x), made.apply(2 * x)


def _regularized(tf: Any, x: Any) -> Any:
    y = tf.layers.conv2d(x, 2, 3, kernel_regularizer=tf.nn.l2_loss, activity_regularizer=tf.nn.l2_loss, **start(tf))
    return y, tf.losses.get_regularization_loss()


IMAGES, SEQUENCES, VOLUMES = wave(2, 6, 5, 3), wave(2, 7, 3), wave(1, 4, 3, 5, 2)
FIRST = wave(2, 3, 6, 5)
PROGRAMS: dict[str, tuple[Program, Any]] = {
    "conv2d": (layer("conv2d", 4, 3), IMAGES),
    "conv2d, same": (layer("conv2d", 4, [2, 3], [2, 1], "same"), IMAGES),
    "conv2d, SAME": (layer("conv2d", 4, 3, 2, "SAME"), IMAGES),
    "conv2d, relu": (lambda tf, x: tf.layers.conv2d(x, 4, (3, 2), activation=tf.nn.relu, **start(tf)), IMAGES),
    "conv2d, no bias": (lambda tf, x: tf.layers.conv2d(x, 4, 3, use_bias=False, **start(tf, "kernel")), IMAGES),
    "conv2d, dilated": (layer("conv2d", 2, 2, dilation_rate=(2, 3), padding="same"), IMAGES),
    "conv2d, channels first": (layer("conv2d", 4, 3, 2, "same", data_format="channels_first"), FIRST),
    "conv2d, frozen": (layer("conv2d", 4, 3, trainable=False), IMAGES),
    "conv2d, shared": (_shared, IMAGES),
    "conv2d in a scope": (_in_scope, IMAGES),
    "a Conv2D twice": (_object, IMAGES),
    "conv2d, regularized": (_regularized, IMAGES),
    "a network": (_network, IMAGES),
    "conv1d": (layer("conv1d", 4, 3), SEQUENCES),
    "conv1d, same": (layer("conv1d", 4, 3, 2, "same"), SEQUENCES),
    "conv1d, causal": (layer("conv1d", 4, 3, 1, "causal"), SEQUENCES),
    "conv1d, causal, dilated": (layer("conv1d", 4, 3, 1, "causal", dilation_rate=2), SEQUENCES),
    "conv3d": (layer("conv3d", 2, 2), VOLUMES),
    "conv3d, same": (layer("conv3d", 2, [2, 3, 2], (2, 1, 2), "same"), VOLUMES),
    "conv2d_transpose": (layer("conv2d_transpose", 2, 3), IMAGES),
    "conv2d_transpose, strides": (layer("conv2d_transpose", 2, 3, 2), IMAGES),
    "conv2d_transpose, a small kernel": (layer("conv2d_transpose", 2, 2, 3), IMAGES),
    "conv2d_transpose, same": (layer("conv2d_transpose", 2, [3, 4], [2, 3], "same"), IMAGES),
    "conv2d_transpose, channels first": (
        layer("conv2d_transpose", 2, 3, 2, "same", data_format="channels_first"), FIRST
    ),
    "conv3d_transpose": (layer("conv3d_transpose", 2, 2, 2), VOLUMES),
    "conv3d_transpose, same": (layer("conv3d_transpose", 2, 3, (1, 2, 2), "same"), VOLUMES),
    "separable_conv2d": (layer("separable_conv2d", 4, 3, of=SEPARABLE), IMAGES),
    "separable_conv2d, strides": (layer("separable_conv2d", 4, 3, 2, "same", depth_multiplier=2, of=SEPARABLE), IMAGES),
    "separable_conv2d, dilated": (layer("separable_conv2d", 4, 2, dilation_rate=2, of=SEPARABLE), IMAGES),
    "separable_conv1d": (layer("separable_conv1d", 4, 3, of=SEPARABLE), SEQUENCES),
    "separable_conv1d, strides": (
        layer("separable_conv1d", 4, 3, 2, "same", depth_multiplier=2, of=SEPARABLE), SEQUENCES
    ),
}
