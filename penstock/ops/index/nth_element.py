"""nth_element: the element that would stand at a place of a sorted row."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, Operand, Real, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16, int32
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.shape_checks import listed
from .row_indexing import dims_at_least

PUBLIC_NAMES = {"contrib.nn": "nth_element"}

Place: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), host=True)]


@op("NthElement", graphdef="T=input reverse ->values", ranks={"n": 0})
def nth_element(input: Real, n: Place, reverse: Flag = False, name: str | None = None) -> Tensor:
    """The element at place `n` of each row along the last axis, if the row was sorted.

    Args:
        input: ints or floats, of rank 1 or higher. NaN counts as the largest number.
        n: a place, an int32 scalar: 0 is that of the smallest element.
        reverse: whether places are counted from the largest element.

    Returns:
        A tensor of shape input.shape[:-1] with the dtype of `input`.

    Raises:
        TypeError: `input` or `n` has another dtype, or `reverse` is not a bool.
        ValueError: `input` is a scalar, `n` is not, or `n` is known to be negative or too large.
        InvalidArgumentError (when run): the same of what only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.constant([[3, 1, 2], [9, 7, 8]])
    ...     median, largest = tf.contrib.nn.nth_element(rows, 1), tf.contrib.nn.nth_element(rows, 0, reverse=True)
    ...     print(*session.run([median, largest]))
    [2 8] [3 9]

    Source: TensorFlow 1.x, `tf.contrib.nn.nth_element`.
    """


@nth_element.shape
def nth_element_shape(input: Tensor, n: Tensor, reverse: bool) -> TensorShape:
    dims, place = dims_at_least(input, 1, 0), known_int(n)
    if place is not None and place < 0:
        raise ShapeError(f"n must be non-negative but is {place}", operand=1)
    if dims is None:
        return unknown_rank("the rank of the operand is not known", input)
    if place is not None and isinstance(dims[-1], int) and place >= dims[-1]:
        raise ShapeError(f"input must have last dimension > n = {place} but is {dims[-1]}", operand=0)
    return shape_of(dims[:-1])


@nth_element.fails
def nth_element_fails(input: Tensor, n: Tensor, reverse: bool) -> str | None:
    dims = input.shape.raw
    if dims and isinstance(dims[-1], int) and known_int(n) is not None:
        return None  # the shape rule has checked them
    return "whether there are so many elements is not known before the run"


@nth_element.kernel
def nth_element_kernel(xp: Any, input: Any, n: Any, reverse: bool) -> Any:
    if not input.ndim:
        raise InvalidArgumentError(message="Input must be >= 1-D, got shape []")
    if n.ndim:
        raise InvalidArgumentError(message=f"N must be scalar, got shape {listed(n.shape)}")
    place, size = int(n), input.shape[-1]
    if place < 0:
        raise InvalidArgumentError(message=f"Need n >= 0, got {place}")
    if place >= size:
        raise InvalidArgumentError(message=f"Input must have at least n+1 columns, got {size} and n = {place}")
    if reverse:
        place = size - 1 - place
    return xp.partition(input, place, axis=-1)[..., place]


nth_element.distributes(labelled(lambda input, *_: all_but(input, -1)))


@nth_element.gradient("g at the elements that equal the result, in equal parts")
def nth_element_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    input, result = op.inputs[0], op.outputs[0]

    def shared() -> Tensor:
        equal = ops.cast(ops.equal(input, ops.expand_dims(result, -1)), g.dtype)
        shared: Tensor = ops.expand_dims(g, -1) * equal / ops.reduce_sum(equal, -1, keepdims=True)
        return shared

    return [shared, None]


@nth_element.samples
def nth_element_samples(rng: np.random.Generator) -> Samples:
    kinds: list[Any] = ["f4", "f8", "i4", "u1", bfloat16.np]
    for i, dtype in enumerate(kinds):
        yield sample(rng.integers(0, 9, (3, 4)).astype(dtype), np.array(i % 4, "i4"), bool(i % 2), fixed=("n",))
    yield sample(np.array([1.0, np.nan, -0.0, 0.5]), np.array(3, "i4"))
    yield sample(np.zeros((0, 3), "f2"), np.array(1, "i4"))
