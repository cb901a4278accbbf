"""The gradient of `tensor[index]`: zeros in which some values stand at an index, as an op of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_shape
from ...graph.declare.axis_labels import called, cut_of_unknown_rank
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import HostIndex, T
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, possible, scalar_of, sizes_of
from ..sharding.fill_tile_sharding import sized_axis
from .getitem import BoundsOperand, Index, KeyAttribute, Span, axes_of_index, getitem


@op("StridedSliceGrad", replayable=True, ranks={"shape": 1})
def placed_at_index(
    shape: HostIndex, dy: T, index: KeyAttribute, bounds: BoundsOperand = (), name: str | None = None
) -> Tensor:
    """Zeros of shape `shape`, but `dy` at `index`: `result[index] = dy`.

    Args:
        shape: the shape of the result, an int32 or int64 vector.
        dy: any dtype, with the shape that `result[index]` has.
        index: an index as `getitem` has read it.
        bounds: the tensors of the index.

    Returns:
        A tensor of shape `shape` with the dtype of `dy`.

    Raises:
        ValueError: `shape` is not a vector.
        InvalidArgumentError (when run): the index does not fit the shape, or `dy` not the index.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0, 3.0, 4.0])
    ...     print(session.run(tf.gradients(x[1::2], x)))
    [array([0., 1., 0., 1.], dtype=float32)]

    Source: TensorFlow, the op StridedSliceGrad.
    """


@placed_at_index.shape
def placed_at_index_shape(shape: Tensor, dy: Tensor, index: Index, bounds: tuple[Tensor, ...]) -> TensorShape:
    return known_shape(shape)


@placed_at_index.kernel
def placed_at_index_kernel(xp: Any, shape: Any, dy: Any, index: Index, bounds: Sequence[Any]) -> Any:
    sizes = possible(sizes_of(shape), dy.dtype.itemsize)
    result = xp.zeros(sizes, dy.dtype)
    if dy.dtype == object:
        result.fill(b"")
    key = index.filled([scalar_of(bound, "an index") for bound in bounds])
    try:
        place = result[key]
    except (IndexError, ValueError):
        raise InvalidArgumentError(message=f"the index {index} does not fit the shape {listed(sizes)}") from None
    if place.shape != dy.shape:
        raise InvalidArgumentError(
            message=f"dy has shape {listed(dy.shape)}, but {index} of shape {listed(sizes)} has {listed(place.shape)}"
        )
    result[key] = dy
    return result


@placed_at_index.distributes
def placed_at_index_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    listed, given, *rest = states
    if not isinstance(given, Along) or any(isinstance(each, Along) for each in (listed, *rest)):
        return cut_of_unknown_rank(operation, states, name)
    rank, own = operation.outputs[0].shape.ndims, sized_axis(operation, 0, name) if listed is SIZES else None
    axis = None if rank is None else axes_of_index(rank, operation.args[2])[given.axis]
    if own is None or isinstance(own, Refused) or axis != own:
        return Refused(f"{called(operation, 0)} does not have the size of the shard")
    return Distributed((Along(own),), frozenset({0}))


@placed_at_index.gradient("dy: g[index]")
def placed_at_index_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, _, index, bounds = op.args
    return [None, lambda: getitem(g, index, bounds), *[None] * len(bounds)]


@placed_at_index.samples
def placed_at_index_samples(rng: np.random.Generator) -> Samples:
    yield sample([4], rng.random(2).astype("f4"), Index((Span(1, None, 2),)))
    yield sample([2, 3], rng.random(2), Index((..., 1)))
    yield sample([0, 2], np.zeros((0, 2, 1), "c8"), Index((..., None)))
    yield sample([3], np.array([b"a"], object), Index((Span(2, None, None),)))
