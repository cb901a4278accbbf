"""Batches of some of the examples: `tf.train.maybe_batch` and its like, whose `keep_input` chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.calls import dataset_call
from ..errors import ShapeError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import bool_
from ..ops.create.constant_and_placeholder import convert_to_tensor
from .batches import batched, shuffled


@dataset_call
def maybe_batch(
    tensors: Any, keep_input: TensorLike, batch_size: TensorLike, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch`, of those examples for which `keep_input` is true.

    Args:
        tensors: an example, a tensor, or a list or dict of tensors.
        keep_input: a bool scalar, or a vector with `enqueue_many`: one for each example.
        batch_size: how many examples a batch has.
        num_threads: how many threads compute examples.
        capacity: how many examples wait at most.
        enqueue_many: whether `tensors` are several examples, which have a first dimension more.
        shapes: the shapes of an example.
        dynamic_pad: whether examples of different shapes are padded.
        allow_smaller_final_batch: whether a last, smaller batch comes.
        shared_name: that of the queue.
        name: the name of the scope.

    Returns:
        Tensors in the structure of `tensors`, with a first dimension more; one tensor for a list of one.

    Raises:
        ValueError: a shape is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_batch([tf.constant(1.0)], tf.constant(True), 3).shape)
    (3,)

    Source: TensorFlow 1.x, `tf.train.maybe_batch`.
    """
    return batched("batch", [tensors], batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                   allow_smaller_final_batch, shared_name, name, _kept(keep_input, enqueue_many))  # fmt: skip


@dataset_call
@documented_like(maybe_batch)
def maybe_batch_join(
    tensors_list: Sequence[Any], keep_input: TensorLike, batch_size: TensorLike, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch_join`, of those examples for which `keep_input` is true.

    Args:
        tensors_list: an example for each thread.
        enqueue_many: whether each is several examples, which have a first dimension more.

    Returns:
        Tensors in the structure of an example, with a first dimension more.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_batch_join([[tf.constant(1.0)]], tf.constant(True), 3).shape)
    (3,)
    """
    return batched("batch_join", list(tensors_list), batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad,
                   allow_smaller_final_batch, shared_name, name, _kept(keep_input, enqueue_many))  # fmt: skip


@dataset_call
@documented_like(maybe_batch)
def maybe_shuffle_batch(
    tensors: Any, batch_size: TensorLike, capacity: int, min_after_dequeue: int, keep_input: TensorLike,
    num_threads: int = 1, seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `shuffle_batch`, of those examples for which `keep_input` is true.

    Args:
        min_after_dequeue: how many stay to choose from.
        seed: an op seed.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_shuffle_batch([tf.constant(1.0)], 3, 20, 5, tf.constant(True)).shape)
    (3,)
    """
    return shuffled("shuffle_batch", [tensors], batch_size, capacity, min_after_dequeue, num_threads, seed,
                    enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
                    _kept(keep_input, enqueue_many))  # fmt: skip


@dataset_call
@documented_like(maybe_batch)
def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int, min_after_dequeue: int,
    keep_input: TensorLike, seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `shuffle_batch_join`, of those examples for which `keep_input` is true.

    Args:
        tensors_list: an example for each thread.
        min_after_dequeue: how many stay to choose from.
        seed: an op seed.
        enqueue_many: whether each is several examples, which have a first dimension more.

    Returns:
        Tensors in the structure of an example, with a first dimension more.

    Raises:
        ValueError: a shape is not known, or `min_after_dequeue` is not below `capacity`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.maybe_shuffle_batch_join([[tf.constant(1.0)]], 3, 20, 5, tf.constant(True)).shape)
    (3,)
    """
    return shuffled("shuffle_batch_join", list(tensors_list), batch_size, capacity, min_after_dequeue, 1, seed,
                    enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
                    _kept(keep_input, enqueue_many))  # fmt: skip


def _kept(keep_input: TensorLike, many: bool) -> Tensor:
    """Which examples are kept.

    Raises:
        ValueError: a vector, and the examples come one by one.
    """
    kept = convert_to_tensor(keep_input, bool_, name="keep_input")
    if kept.shape.ndims is None or kept.shape.ndims > many:
        rule = "a scalar, or a vector with enqueue_many=True" if many else "a scalar (a vector with enqueue_many=True)"
        raise ShapeError(f"keep_input must be {rule}, but has shape {kept.shape}")
    return kept
