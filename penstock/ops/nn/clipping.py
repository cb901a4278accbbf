"""Clipping: values, and gradients as a whole, are kept within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DTypeError, ValueRuleError
from ...graph.declare.signature import TensorLike
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Tensor
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones_like
from ..create.shape_size_rank import size
from ..declare.composite import all_or_nothing, composite, name_of_scope, reported_as_call
from ..elementwise.arithmetic import add, add_n, divide, maximum, minimum, multiply, rsqrt, sqrt, subtract
from ..elementwise.casting import cast
from ..elementwise.select_where import select
from ..reduce.reductions import reduce_sum

PUBLIC_NAMES = {"start": "clip_by_average_norm clip_by_global_norm clip_by_norm", "start linalg": "global_norm"}

Gradients = Sequence[TensorLike | IndexedSlices | None]


def _values(t: Any) -> Tensor:
    """A tensor, or the rows of indexed slices."""
    return t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t)


def _like(t: Any, values: Tensor) -> Any:
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values


@composite("clip_by_norm")
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """t * clip_norm / norm where the Euclidean norm of `t` is greater than `clip_norm`, else t.

    Args:
        t: floats, any shape; an `IndexedSlices` gives an `IndexedSlices`.
        clip_norm: the greatest norm, a scalar of the dtype of `t`.
        axes: the axes along which the norm is computed; None (the default) means all of them.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: an axis is out of range, or `clip_norm` does not broadcast to the shape of `t`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.clip_by_norm([3.0, 4.0], 1.0)))
    [0.6 0.8]

    Source: TensorFlow 1.x, `tf.clip_by_norm`.
    """
    values = _values(t)
    total = reduce_sum(multiply(values, values), axes, keepdims=True)
    holds = total > 0.0
    # The gradient of the square root at 0 is infinite, and a product with it NaN: there the root of 1 is taken.
    norm = select(holds, sqrt(select(holds, total, ones_like(total))), total)
    clipped = divide(multiply(values, clip_norm), maximum(norm, clip_norm), name=name_of_scope())
    clipped.set_shape(values.shape)
    return _like(t, clipped)


@composite("clip_by_average_norm")
def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """t * clip_norm / average where the average norm of `t`, its norm divided by its size, is greater, else t.

    Args:
        t: floats, any shape.
        clip_norm: the greatest average norm, a scalar of the dtype of `t`.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: `clip_norm` does not broadcast to the shape of `t`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.clip_by_average_norm([3.0, 4.0], 1.0)))
    [1.2 1.6]

    Source: TensorFlow 1.x, `tf.clip_by_average_norm`.
    """
    values = _values(t)
    inverse = rsqrt(reduce_sum(multiply(values, values)))
    limit = divide(1.0, convert_to_tensor(clip_norm, values.dtype))
    factor = minimum(multiply(inverse, cast(size(values), values.dtype)), limit)
    clipped = multiply(multiply(values, clip_norm), factor, name=name_of_scope())
    clipped.set_shape(values.shape)
    return clipped


@reported_as_call("global_norm")
def global_norm(t_list: Gradients, name: str | None = None) -> Tensor:
    """sqrt(sum of the squares of all elements of all tensors).

    Args:
        t_list: a list of tensors of floats and `IndexedSlices`; None is left out.

    Returns:
        A scalar, a tensor of shape () with the dtype of the tensors.

    Raises:
        TypeError: `t_list` is not a list, or a dtype is no float.
        ValueError: nothing is in it, or shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.global_norm([[3.0], None, [4.0, 12.0]])))
    13.0

    Source: TensorFlow 1.x, `tf.global_norm`.
    """
    tensors = _listed(t_list)

    def build() -> Tensor:
        halves = [divide(reduce_sum(multiply(t, t)), 2.0) for t in map(_values, tensors)]
        return sqrt(multiply(add_n(halves), 2.0), "global_norm")

    return all_or_nothing(tensors, build, scope="global_norm" if name is None else name)


@reported_as_call("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Gradients, clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> tuple[list[Tensor | IndexedSlices | None], Tensor]:
    """Each tensor times clip_norm / max(norm, clip_norm), where the norm is the `global_norm` of all of them.

    Args:
        t_list: a list of tensors of floats and `IndexedSlices`; None stays None.
        clip_norm: the greatest norm, a scalar.
        use_norm: the norm, if it has been computed already.

    Returns:
        A list of as many tensors, with their shapes and dtypes, and the norm, a scalar. If the norm is infinite or NaN,
        all elements become NaN.

    Raises:
        TypeError: `t_list` is not a list, or a dtype is no float.
        ValueError: nothing is in it, or shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    ...     print(session.run(clipped), session.run(norm))
    [array([0.6], dtype=float32), array([0.8], dtype=float32)] 5.0

    Source: TensorFlow 1.x, `tf.clip_by_global_norm`.
    """
    tensors = _listed(t_list)

    def build() -> tuple[list[Tensor | IndexedSlices | None], Tensor]:
        norm = global_norm(tensors) if use_norm is None else convert_to_tensor(use_norm)
        bound = convert_to_tensor(clip_norm, norm.dtype)
        scale = multiply(bound, minimum(divide(1.0, norm), divide(1.0, bound)))
        scale = add(scale, subtract(norm, norm))  # NaN, where the norm is not finite
        return [None if t is None else _like(t, multiply(_values(t), scale)) for t in t_list], norm

    return all_or_nothing(tensors, build, scope="clip_by_global_norm" if name is None else name)


def _listed(t_list: Any) -> list[Any]:
    """The elements of a list that are not None."""
    if not isinstance(t_list, (list, tuple)):
        raise DTypeError(f"t_list should be a sequence, not {t_list!r}", cure="Write [t] for a single tensor.")
    found = [t for t in t_list if t is not None]
    if not found:
        raise ValueRuleError("t_list holds no tensor", cure="Are all gradients None? tf.explain_gradient says why.")
    return found
