"""Programs with `tf.contrib.layers` that are recorded with tf_slim, which holds them now; `layer_cases.evaluate` runs
them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .convolution_layer_cases import FIRST, IMAGES, SEQUENCES, VOLUMES

Program = Callable[..., Any]


def library(tf: Any) -> Any:
    """The module of layers: tf_slim beside TensorFlow."""
    return tf.contrib.layers if "penstock" in tf.__name__ else import_module("tf_slim")


def layer(name: str, *args: Any, **options: Any) -> Program:
    """A program of one call, with weights of a seed."""

    def program(tf: Any, x: Any) -> Any:
        slim = library(tf)
        return getattr(slim, name)(x, *args, weights_initializer=slim.xavier_initializer(seed=3), **options)

    return program


def _network(tf: Any, x: Any) -> Any:
    slim = library(tf)
    start = slim.variance_scaling_initializer(seed=5)
    y = slim.conv2d(x, 4, 3, weights_initializer=start, weights_regularizer=slim.l2_regularizer(0.1))
    y = slim.conv2d(y, 3, [2, 3], 2, weights_initializer=start, weights_regularizer=slim.l1_regularizer(0.1))
    y = slim.conv2d_transpose(y, 2, 3, 2, weights_initializer=start)
    y = slim.fully_connected(slim.flatten(y), 3, activation_fn=None, weights_initializer=start,
                             weights_regularizer=slim.l1_l2_regularizer(0.1, 0.2))  # fmt: skip
    return y, tf.losses.get_regularization_loss()


def _shared(tf: Any, x: Any) -> Any:
    one = layer("conv2d", 2, 3, scope="c")(tf, x)
    return one, layer("conv2d", 2, 3, scope="c", reuse=True)(tf, 2 * x)


def _normalized(tf: Any, x: Any) -> Any:
    slim = library(tf)
    return slim.conv2d(
        x, 4, 3, weights_initializer=slim.xavier_initializer(uniform=False, seed=3), normalizer_fn=lambda y, by: y / by,
        normalizer_params={"by": 2.0},
    )  # fmt: skip


def _in_scope(tf: Any, x: Any) -> Any:
    with tf.variable_scope("model"):
        y = layer("conv2d", 2, 3)(tf, x)
        return layer("conv2d", 2, 3)(tf, y), tf.add_n([tf.reduce_sum(v) for v in tf.get_collection("model_variables")])


PROGRAMS: dict[str, tuple[Program, Any]] = {
    "conv2d": (layer("conv2d", 4, 3), IMAGES),
    "conv2d, strides": (layer("conv2d", 4, [2, 3], [2, 1], "VALID", activation_fn=None), IMAGES),
    "conv2d, rate": (layer("conv2d", 4, 3, rate=2), IMAGES),
    "conv2d, no biases": (layer("conv2d", 4, 3, biases_initializer=None), IMAGES),
    "conv2d, channels first": (layer("conv2d", 4, 3, data_format="NCHW"), FIRST),
    "conv2d, frozen": (layer("conv2d", 4, 3, trainable=False), IMAGES),
    "conv2d, shared": (_shared, IMAGES),
    "conv2d, normalized": (_normalized, IMAGES),
    "conv2d in a scope": (_in_scope, IMAGES),
    "convolution2d": (layer("convolution2d", 2, 3, stride=2), IMAGES),
    "convolution": (layer("convolution", 2, 3), SEQUENCES),
    "conv1d": (layer("conv1d", 2, 3, 2), SEQUENCES),
    "conv3d": (layer("conv3d", 2, [2, 3, 2], 2), VOLUMES),
    "conv2d_transpose": (layer("conv2d_transpose", 2, 3, 2), IMAGES),
    "conv2d_transpose, VALID": (layer("conv2d_transpose", 2, [2, 3], [2, 1], "VALID"), IMAGES),
    "separable_conv2d": (layer("separable_conv2d", 4, 3, 2), IMAGES),
    "separable_conv2d, stride": (layer("separable_conv2d", 4, 3, 1, 2, "VALID"), IMAGES),
    "fully_connected": (layer("fully_connected", 4), SEQUENCES),
    "fully_connected of rows": (layer("fully_connected", 4, activation_fn=None, scope="f"), SEQUENCES[0]),
    "flatten": (lambda tf, x: library(tf).flatten(x), IMAGES),
    "a network": (_network, IMAGES),
}
