"""Calls of tf.summary that are recorded from TensorFlow and repeated here; each takes the module."""

from collections.abc import Callable
from typing import Any

import numpy as np


def _scoped(tf: Any) -> Any:
    with tf.name_scope("net"):
        return tf.summary.scalar("loss", tf.constant(2.0))


CASES: dict[str, Callable[[Any], Any]] = {
    "scalar": lambda tf: tf.summary.scalar("loss", tf.constant(1.5)),
    "scalar_zero": lambda tf: tf.summary.scalar("loss", tf.constant(0.0)),
    "scalar_int": lambda tf: tf.summary.scalar("steps", tf.constant(7)),
    "scalar_double": lambda tf: tf.summary.scalar("pi", tf.constant(3.141592653589793, tf.float64)),
    "scalar_in_scope": _scoped,
    "scalar_family": lambda tf: tf.summary.scalar("loss", tf.constant(2.0), family="train"),
    "scalar_cleaned": lambda tf: tf.summary.scalar("my loss (mean)", tf.constant(2.0)),
    "histogram": lambda tf: tf.summary.histogram(
        "h", tf.constant([-1.5, 0.0, 1e-13, 0.25, 0.26, 1000.0, 1e30])
    ),
    "histogram_ints": lambda tf: tf.summary.histogram("h", tf.constant([1, 2, 2, 3, -4], tf.int64)),
    "histogram_empty": lambda tf: tf.summary.histogram("h", tf.constant([], tf.float32)),
    "histogram_linspace": lambda tf: tf.summary.histogram("h", tf.reshape(tf.linspace(-3.0, 3.0, 60), [3, 20])),
    "text": lambda tf: tf.summary.text("t", tf.constant("hello")),
    "text_table": lambda tf: tf.summary.text("t", tf.constant([["a", "b"], ["c", "d"]])),
    "tensor": lambda tf: tf.summary.tensor_summary(
        "x", tf.constant([[1.0, 2.0], [3.0, 4.0]]), summary_description="two", display_name="X"
    ),
    "tensor_ints": lambda tf: tf.summary.tensor_summary("x", tf.constant(5)),
    "merge": lambda tf: tf.summary.merge([tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)]),
}
IMAGES: dict[str, np.ndarray[Any, Any]] = {
    "bytes": np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3),
    "grey": np.linspace(0, 2, 12, dtype="f4").reshape(1, 3, 4, 1),
    "negative": np.linspace(-1, 2, 2 * 3 * 4 * 3, dtype="f4").reshape(2, 3, 4, 3),
    "rgba": np.linspace(0, 1, 2 * 2 * 4, dtype="f8").reshape(1, 2, 2, 4),
    "not_finite": np.array([[[[1, 2, np.nan]], [[4, 5, 6]]]], "f4"),
    "half": np.linspace(-3, 3, 12).astype("f2").reshape(1, 3, 4, 1),
    "dark": np.full((1, 2, 2, 1), 1e-7, "f4"),
}
