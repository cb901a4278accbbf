"""top_k: the largest elements along the last axis, and where they are."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar, known_value
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INDICES, Flag, Operand, Real, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import bfloat16, int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from .row_indexing import dims_at_least
from .sorting import order

PUBLIC_NAMES = {"start start_nn math": "top_k"}

_Count = Annotated[TensorLike, Operand("Tk", INDICES, host=True, prefer=int32)]


class TopK(NamedTuple):
    """The results of `top_k`."""

    values: Tensor
    indices: Tensor


@reported_as_call("TopKV2", one_op=True)
def top_k(input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: str | None = None) -> TopK:
    """The `k` largest elements along the last axis, the largest first, and their indices.

    Of equal elements the one with the lower index comes first. NaNs come last, after -inf.

    Args:
        input: ints or floats, of rank 1 or higher.
        k: an int16, int32 or int64 scalar, at most the last size of `input`.
        sorted: False allows any order; the elements are sorted all the same.

    Returns:
        Two tensors (values, indices) of shape input.shape[:-1] + [k]: the elements with the dtype of `input`, and their
        indices along the last axis as int32.

    Raises:
        TypeError: `input` or `k` has another dtype, or `sorted` is not a bool.
        ValueError: `input` is a scalar, `k` is not, or `k` is known to be negative or too large.
        InvalidArgumentError (when run): the same of what only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     values, indices = tf.top_k([1.0, 5.0, 3.0, 5.0], k=3)
    ...     print(*session.run([values, indices]))
    [5. 5. 3.] [1 3 2]

    Source: TensorFlow 1.x, `tf.nn.top_k`.
    """
    return TopK(*largest(input, k, sorted, name))


@op("TopKV2", called="top_k", graphdef="sorted T=input Tk=k index_type:int32? ->values,indices", out=("T", int32))
def largest(input: Real, k: _Count = 1, sorted: Flag = True, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The op behind `top_k`."""


@largest.shape
def largest_shape(input: Tensor, k: Tensor, sorted: bool) -> list[TensorShape]:
    dims = dims_at_least(input, 1, 0)
    if k.shape.ndims not in (None, 0):
        raise ShapeError(f"Input must be scalar but has rank {k.shape.ndims}", operand=1)
    count = known_scalar(k)
    if isinstance(count, int) and count < 0:
        raise ValueRuleError(f"Dimension size, given by scalar input 1, must be non-negative but is {count}", operand=1)
    if dims is None:
        return [unknown_rank("the rank of the operand is not known", input)] * 2
    if isinstance(count, int) and isinstance(dims[-1], int) and count > dims[-1]:
        raise ShapeError(f"input must have last dimension >= k = {count} but is {dims[-1]}", operand=0)
    return [shape_of((*dims[:-1], unknown("k is not known before the run", k) if count is None else count))] * 2


def count_of(input: Any, k: Any) -> int:
    """How many elements are asked for; InvalidArgumentError where there are not so many."""
    if input.ndim == 0:
        raise InvalidArgumentError(message="input must be >= 1-D, got shape []")
    if k.ndim:
        raise InvalidArgumentError(message=f"k must be scalar, got shape {listed(k.shape)}")
    count = int(k)
    if count < 0:
        raise InvalidArgumentError(message=f"Need k >= 0, got {count}")
    if count > input.shape[-1]:
        raise InvalidArgumentError(message=f"input must have at least k columns. Had {input.shape[-1]}, needed {count}")
    return count


@largest.kernel
def largest_kernel(xp: Any, input: Any, k: Any, sorted: bool) -> Any:
    count = count_of(input, k)
    places = order(xp, input, -1, descending=True)[..., :count]
    return xp.take_along_axis(input, places.astype(np.int64), axis=-1), places


largest.distributes(labelled(lambda input, *_: all_but(input, -1, outputs=2)))


@largest.fails
def largest_fails(input: Tensor, k: Tensor, sorted: bool) -> str | None:
    dims, count = input.shape.raw, known_value(k)
    if dims and count is not None and isinstance(dims[-1], int):
        return None  # the shape rule has checked them
    return "whether there are so many elements is not known before the run"


@largest.gradient("g at the places of the largest, else 0")
def largest_gradient(ops: Any, op: Operation, g: Tensor | None, _: None) -> list[Any]:
    if g is None:
        return [None] * len(op.inputs)
    x, places = op.inputs[0], op.outputs[1]
    return [lambda: ops.placed_along_last(g, places, x), *[None] * (len(op.inputs) - 1)]


@largest.samples
def largest_samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), np.dtype("u1"), bfloat16.np):
        yield sample(rng.integers(0, 5, (3, 4)).astype(dtype), np.array(2, "i4"), fixed=("k",))
    yield sample(np.array([1.0, np.nan, -0.0, 0.0]), np.array(3, "i8"))
    yield sample(np.zeros((0, 3), "f2"), np.array(1, "i2"))
