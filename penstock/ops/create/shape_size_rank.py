"""Ops that give the shape, rank or size of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.building.constant_evaluation import Entries, Entry
from ...graph.declare.axis_labels import called, is_share, size_along, without_cut
from ...graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Refused, State
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Everything
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ..declare.shape_checks import shape_of_scalar, total

PUBLIC_NAMES = {"start": "rank", "start_0x": "shape size"}


@op("Shape", graphdef="T=input out_type:int32", out=int32, reads_shape_only=True, numpy=np.shape)
def shape(input: Everything, name: str | None = None) -> Tensor:
    """The shape of `input`.

    Args:
        input: any dtype and shape.

    Returns:
        A vector of dtype int32 with one size for each dimension of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.shape(t)))
    [2 2 3]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@shape.shape
def shape_shape(input: Tensor) -> TensorShape:
    if input.shape.raw is None:
        return unknown_dims(1, "the rank of the operand is not known", input)
    return shape_of((len(input.shape.raw),))


@shape.partial
def shape_partial(input: Tensor) -> Entries | None:
    return input.shape.raw


@shape.kernel
def shape_kernel(xp: Any, input: Any) -> Any:
    return np.array(input.shape, np.int32)


@shape.samples
def shape_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array([b"a"], object))
    yield sample(np.zeros((0, 2), "i4"))


@op("Size", graphdef="T=input out_type:int32", out=int32, reads_shape_only=True, shape=shape_of_scalar)
def size(input: Everything, name: str | None = None) -> Tensor:
    """The number of elements of `input`: the product of its sizes.

    Args:
        input: any dtype and shape.

    Returns:
        A scalar of dtype int32.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.size(t)))
    12

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@size.partial
def size_partial(input: Tensor) -> Entry:
    return None if input.shape.raw is None else total(input.shape.raw)


@size.kernel
def size_kernel(xp: Any, input: Any) -> Any:
    return np.array(input.size, np.int32)


@size.samples
def size_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array(b"a", object))
    yield sample(np.zeros((0, 2), "i4"))


@op("Rank", graphdef="T=input", out=int32, reads_shape_only=True, numpy=np.ndim, shape=shape_of_scalar)
@documented_like(size)
def rank(input: Everything, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.constant([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
    ...     print(session.run(tf.rank(t)))
    3
    """


@rank.partial
def rank_partial(input: Tensor) -> Entry:
    return input.shape.ndims


@rank.kernel
def rank_kernel(xp: Any, input: Any) -> Any:
    return np.array(input.ndim, np.int32)


@rank.samples
def rank_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.zeros((2, 0), "f4"))
    yield sample(np.array(b"a", object))


# ---- shards -------------------------------------------------------------------------------------


@shape.distributes
@size.distributes
def shape_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    (state,) = states
    if not isinstance(state, Along):
        return without_cut(operation, states, name)
    dim = size_along(operation, 0, state.axis)
    if not is_share(dim, name):
        return Refused(f"the size of {called(operation, 0)} along axis {state.axis} is only known when all shards are")
    return Distributed((SIZES,))


rank.distributes(lambda operation, states, name: Distributed((WHOLE,)))
