"""Helpers for tests of graphs, under TensorFlow's name `tf.test`: `TestCase`, and gradients beside differences.

>>> import penstock as tf
>>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
...     x = tf.placeholder(tf.float64, [2])
...     tf.test.compute_gradient_error(x, [2], tf.sin(x), [2]) < 1e-6
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .derivatives.backward import as_tensors, gradients
from .graph.common.tracebacks import hides_frames
from .graph.model.nodes import Tensor
from .ops.create.constant_and_placeholder import convert_to_tensor, placeholder
from .runtime.session.default_session import get_default_session
from .testing.graph_test_case import TestCase
from .testing.running_tests import (
    get_temp_dir, gpu_device_name, is_built_with_cuda, is_gpu_available, main, test_src_dir_path,
)

__all__ = [
    "TestCase",
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_gpu_available",
    "main",
    "test_src_dir_path",
]


@hides_frames
def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """The Jacobian of `y` with respect to `x`, by `gradients` and by central differences.

    Args:
        x: a tensor of floats, or a list of tensors.
        x_shape: its sizes, or a list of these.
        y: a tensor of floats.
        y_shape: its sizes.
        x_init_value: where the derivative is taken: an array of shape `x_shape`, or a list; None means random numbers.
        delta: the step of the differences.
        init_targets: what is run first, such as initialisers.
        extra_feed_dict: feeds of other tensors.

    Returns:
        A pair (by gradients, by differences) of matrices, a row for each element of x and a column for each of y; for a
        list `x` a list of pairs.

    Raises:
        TypeError: a tensor is no float.
        ValueError: there is no default session, or lists have different lengths.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float64, [2])
    ...     exact, near = tf.test.compute_gradient(x, [2], x * x, [2], x_init_value=np.array([1.0, 2.0]))
    ...     print(exact)
    [[2. 0.]
     [0. 4.]]

    Source: TensorFlow 1.x, `tf.test.compute_gradient`.
    """
    is_list = isinstance(x, (list, tuple))
    xs = as_tensors("compute_gradient", "x", x)
    shapes = list(x_shape) if is_list else [x_shape]
    values = list(x_init_value) if is_list and x_init_value is not None else [x_init_value] * len(xs)
    if len(shapes) != len(xs) or len(values) != len(xs):
        raise ValueError(f"compute_gradient: {len(xs)} tensors x, {len(shapes)} shapes and {len(values)} initial "
                         "values; give as many of each")  # fmt: skip
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient: there is no default session; write `with tf.Session(graph=...):` around it")
    if init_targets is not None:
        session.run(init_targets)
    rng = np.random.default_rng(0)
    starts = [rng.uniform(size=shape).astype(t.dtype.as_numpy_dtype) if value is None else np.array(value)
              for t, shape, value in zip(xs, shapes, values, strict=True)]  # fmt: skip
    feeds = {**(extra_feed_dict or {}), **dict(zip(xs, starts, strict=True))}
    pairs = [(_by_gradients(session, y, y_shape, t, feeds), _by_differences(session, y, t, feeds, delta)) for t in xs]
    return pairs if is_list else pairs[0]


@hides_frames
def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """The greatest difference between the two Jacobians of `compute_gradient`.

    Args:
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict: as in `compute_gradient`.

    Returns:
        A float; 0 where there are no elements.

    Raises:
        TypeError: a tensor is no float.
        ValueError: there is no default session, or lists have different lengths.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float64, [2])
    ...     tf.test.compute_gradient_error(x, [2], tf.exp(x), [2]) < 1e-6
    True

    Source: TensorFlow 1.x, `tf.test.compute_gradient_error`.
    """
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return float(max((np.abs(a - b).max(initial=0.0) for a, b in pairs), default=0.0))


def _by_gradients(session: Any, y: Tensor, y_shape: Sequence[int], x: Tensor, feeds: Mapping[Any, Any]) -> Any:
    """A backward pass for each element of y, with a weight of 1 for it."""
    with y.graph.as_default():
        weight = placeholder(y.dtype, y_shape)
        (gradient,) = gradients(y, x, grad_ys=weight, unconnected_gradients="zero")
        run = session.make_callable(convert_to_tensor(gradient), [weight, *feeds])
    count = int(np.prod(y_shape))
    columns = []
    for place in range(count):
        one: Any = np.zeros(count, y.dtype.as_numpy_dtype)
        one[place] = 1
        columns.append(np.asarray(run(one.reshape(tuple(y_shape)), *feeds.values())).reshape(-1))
    size = feeds[x].size
    return np.stack(columns, 1) if columns else np.zeros((size, 0), x.dtype.as_numpy_dtype)


def _by_differences(session: Any, y: Tensor, x: Tensor, feeds: Mapping[Any, Any], delta: float) -> Any:
    run = session.make_callable(y, list(feeds))
    start = feeds[x]
    rows = []
    for place in np.ndindex(*start.shape):
        up, down = start.copy(), start.copy()
        up[place] += delta
        down[place] -= delta
        values = [[array if key is x else value for key, value in feeds.items()] for array in (up, down)]
        rows.append((np.asarray(run(*values[0])) - np.asarray(run(*values[1]))).reshape(-1) / (2 * delta))
    return np.stack(rows) if rows else np.zeros((0, int(np.prod(np.asarray(session.run(y, feeds)).shape))))
