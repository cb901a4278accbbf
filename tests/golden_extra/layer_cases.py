"""Programs with `tf.layers` that are recorded: values, variables, names, and what updates do.

`evaluate` runs one with the functions of a namespace: TensorFlow's when it records, Penstock's when it is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Json = dict[str, Any]
X = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [2.0, 0.0, 4.0], [-1.5, 1.0, 1.0]])
KERNEL = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
IMAGES = np.round(np.sin(np.arange(48.0)) * 3, 3).reshape(2, 2, 4, 3)


def _start(tf: Any) -> Json:
    return {"kernel_initializer": tf.constant_initializer(KERNEL), "bias_initializer": tf.constant_initializer([1, -1])}


def _shared(tf: Any, x: Any) -> Any:
    one = tf.layers.dense(x, 2, name="d", **_start(tf))
    return one, tf.layers.dense(2 * x, 2, name="d", reuse=True)


def _in_scope(tf: Any, x: Any) -> Any:
    with tf.variable_scope("model"):
        one = tf.layers.dense(x, 2, **_start(tf))
        return one, tf.layers.dense(x, 2, tf.nn.relu, **_start(tf))


def _object(tf: Any, x: Any) -> Any:
    layer = tf.layers.Dense(2, name="foo", **_start(tf))
    return layer(x), layer(2 * x)


def _regularized(tf: Any, x: Any) -> Any:
    y = tf.layers.dense(x, 2, kernel_regularizer=tf.nn.l2_loss, activity_regularizer=tf.nn.l2_loss, **_start(tf))
    return y, tf.losses.get_regularization_loss()


def _normalized(**options: Any) -> Callable[..., Any]:
    return lambda tf, x: tf.layers.batch_normalization(x, momentum=0.8, **options)


def _flag(value: bool) -> Callable[..., Any]:
    def program(tf: Any, x: Any) -> Any:
        return tf.layers.batch_normalization(x, momentum=0.8, training=tf.placeholder_with_default(value, []))

    return program


PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "dense": (lambda tf, x: tf.layers.dense(x, 2, **_start(tf)), X),
    "dense, relu": (lambda tf, x: tf.layers.dense(x, 2, tf.nn.relu, **_start(tf)), X),
    "dense, no bias": (
        lambda tf, x: tf.layers.dense(x, 2, use_bias=False, kernel_initializer=tf.constant_initializer(KERNEL)), X
    ),
    "dense of rank 3": (lambda tf, x: tf.layers.dense(x, 2, **_start(tf)), X.reshape(2, 2, 3)),
    "dense, shared": (_shared, X),
    "dense in a scope": (_in_scope, X),
    "a Dense twice": (_object, X),
    "dense, regularized": (_regularized, X),
    "dense, frozen": (lambda tf, x: tf.layers.dense(x, 2, trainable=False, **_start(tf)), X),
    "batch_normalization": (_normalized(), X),
    "batch_normalization, training": (_normalized(training=True), X),
    "batch_normalization, axis 1 of 3": (_normalized(training=True, axis=1), X.reshape(2, 2, 3)),
    "batch_normalization, images": (_normalized(training=True), IMAGES),
    "batch_normalization, images, no training": (_normalized(), IMAGES),
    "batch_normalization, images, not fused": (_normalized(training=True, fused=False), IMAGES),
    "batch_normalization, no center": (_normalized(training=True, center=False, epsilon=0.1), X),
    "batch_normalization, no scale": (_normalized(training=True, scale=False), X),
    "batch_normalization, a flag": (_flag(True), X),
    "batch_normalization, a flag that is False": (_flag(False), X),
    "batch_normalization, renorm": (_normalized(training=True, renorm=True, renorm_momentum=0.7), X),
    "batch_normalization, renorm, no training": (_normalized(renorm=True), X),
    "batch_normalization, renorm, clipped": (_normalized(
        training=True, renorm=True, renorm_clipping={"rmin": 0.5, "rmax": 1.25, "dmax": 0.5}, scale=False), X),
    "batch_normalization, renorm, images": (_normalized(training=True, renorm=True), IMAGES),
    "flatten": (lambda tf, x: tf.layers.flatten(x), IMAGES),
    "flatten, channels first": (lambda tf, x: tf.layers.flatten(x, data_format="channels_first"), IMAGES),
    "flatten a vector": (lambda tf, x: tf.layers.flatten(x), X[0]),
    "dropout, no training": (lambda tf, x: tf.layers.dropout(x, 0.5), X),
    "dropout": (lambda tf, x: tf.layers.dropout(x, 0.5, seed=7, training=True), X),
}  # fmt: skip


def evaluate(
    tf: Any, name: str, session_of: Callable[[Any], Any], programs: dict[str, tuple[Callable[..., Any], Any]] = PROGRAMS
) -> Json:
    """What a program does: its outputs, gradients of the variables, and the variables after two steps of updates."""
    program, array = programs[name]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, *array.shape[1:]], name="x")
        made = program(tf, x)
        outputs = list(made) if isinstance(made, tuple) else [made]
        variables = tf.global_variables()
        learning = tf.trainable_variables()
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        weights = [tf.reshape(tf.range(tf.cast(tf.size(y), tf.float32)), tf.shape(y)) / 8.0 for y in outputs]
        total = tf.add_n([tf.reduce_sum(y * w) for y, w in zip(outputs, weights, strict=True)])
        slopes = tf.gradients(total, [x, *learning])
        with session_of(graph) as session:
            session.run(tf.global_variables_initializer())
            found: Json = {
                "variables": [[v.name, [int(n) for n in v.shape.as_list()]] for v in variables],
                "trainable": [v.name for v in learning],
                "updates": len(updates),
                "names": [y.op.name.rpartition("/")[0] for y in outputs],
                "outputs": session.run(outputs, {x: array}),
                "gradients": [session.run(slope, {x: array}) for slope in slopes],
            }
            for step in (1.0, 0.5):
                session.run(updates, {x: array * step})
            found["after"] = session.run(variables)
    return found
