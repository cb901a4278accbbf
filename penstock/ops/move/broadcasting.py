"""Broadcasting as a call: `broadcast_to` repeats a tensor along sizes of 1, `meshgrid` makes grids of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_vector
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import HostIndex, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import size
from ..declare.composite import composite
from ..declare.elementwise_gradient import repeated_axes
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import listed, possible, same_size, sizes_of
from ..sharding.fill_tile_sharding import repeated
from .concat_stack import pack
from .reshaping import reshape

PUBLIC_NAMES = {"start": "broadcast_to meshgrid"}


@op("BroadcastTo", graphdef="T=input Tidx=shape", replayable=True, ranks={"shape": 1})
def broadcast_to(input: T, shape: HostIndex, name: str | None = None) -> Tensor:
    """`input` repeated along its dimensions of size 1, and along new ones in front, until it has the shape `shape`.

    Args:
        input: any dtype and shape.
        shape: the shape of the result, an int32 or int64 vector. Counted from the end, each size of `input` is the one
            in `shape`, or 1.

    Returns:
        A tensor of shape `shape` with the dtype of `input`.

    Raises:
        TypeError: `shape` is not int.
        ValueError: `shape` is not a vector, a known size does not fit, or a known entry is below -1.
        InvalidArgumentError (when run): a size does not fit, or an entry of `shape` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.broadcast_to([1, 2, 3], [2, 3])))
    [[1 2 3]
     [1 2 3]]

    Source: TensorFlow 1.x, `tf.broadcast_to`.
    """


@broadcast_to.shape
def broadcast_to_shape(input: Tensor, shape: Tensor) -> TensorShape:
    entries = known_vector(shape)
    if entries is None:
        return unknown_rank("the length of shape is not known", shape)
    return _target_shape(input, entries, shape)


def _target_shape(input: Tensor, entries: Sequence[Entry], shape: Tensor) -> TensorShape:
    dims = input.shape.raw or ()
    new = len(entries) - len(dims)
    if new < 0:
        raise ShapeError(f"Shape must be at most rank {len(entries)} but is rank {len(dims)}", operand=0,
                         cure="shape needs an entry for each dimension of input.")  # fmt: skip
    known = input.shape.raw is not None
    padded: Sequence[Dim | None] = [1 if known else None] * new + list(dims)
    each = zip(padded, entries, strict=True)
    return shape_of(_target_dim(i, i - new, dim, entry, shape) for i, (dim, entry) in enumerate(each))


def _target_dim(i: int, place: int, dim: Dim | None, entry: Entry, shape: Tensor) -> Dim:
    """The size number i of the result, which dimension `place` of the operand is repeated to."""
    if isinstance(entry, int) and entry < -1:
        raise ValueRuleError(f"Invalid value in tensor used for shape: {entry}", operand=1)
    if entry is None or entry == -1:  # -1 is refused by the run, as in TensorFlow
        fixed = dim is not None and dim != 1 and isinstance(dim, int)
        return dim if fixed and dim is not None else unknown(f"shape[{i}] is not known before the run", shape)
    if isinstance(dim, int) and dim != 1:
        return same_size(dim, entry, 0, place, "Only a size of 1 is repeated.")
    return entry


@broadcast_to.kernel
def broadcast_to_kernel(xp: Any, input: Any, shape: Any) -> Any:
    sizes = checked_target(input.shape, shape, input.dtype.itemsize)
    # A view with strides of 0 would hold every element once: it must not be written, and loops over it are slow.
    result = xp.empty(sizes, input.dtype)
    result[...] = input
    return result


def checked_target(array_shape: Sequence[int], shape: Any, itemsize: int) -> Sequence[int]:
    """The sizes to which an array of shape `array_shape` is repeated; InvalidArgumentError where that does not fit."""
    if shape.ndim != 1:
        raise InvalidArgumentError(
            message=f"shape must be a vector of {{int32,int64}}, got shape {listed(shape.shape)}"
        )
    sizes = sizes_of(shape)
    if len(array_shape) > len(sizes):
        raise InvalidArgumentError(
            message=f"Rank of input ({len(array_shape)}) must be no greater than rank of output shape ({len(sizes)})."
        )
    if any(a not in (1, b) for a, b in zip(reversed(array_shape), reversed(sizes), strict=False)):
        raise InvalidArgumentError(message=f"Incompatible shapes: {listed(array_shape)} vs. {listed(sizes)}")
    return possible(sizes, itemsize)


@broadcast_to.fails
def broadcast_to_fails(input: Tensor, shape: Tensor) -> str | None:
    if _fits_in_every_run(input.shape.raw, known_vector(shape)):
        return None
    return why_refused(checked_target, input.shape.raw if input.shape.is_known else None, shape, 1)


def _fits_in_every_run(given: Sequence[Dim] | None, sizes: Sequence[Entry] | None) -> bool:
    """Whether static shapes show that each size of the operand is 1 or the size it is repeated to."""
    if given is None or sizes is None or len(given) > len(sizes):
        return False
    if not all(isinstance(size, Dimension) or (size is not None and size >= 0) for size in sizes):
        return False
    return all(dim in (1, size) for dim, size in zip(reversed(given), reversed(sizes), strict=False))


# A scalar fits every shape: what is refused then is wrong with the vector.
broadcast_to.distributes(lambda operation, states, name: repeated(operation, states, name, data=0, sizes=1))
broadcast_to.mistake(
    lambda input, shape: refusal(checked_target, input.shape.raw if input.shape.is_known else (), shape, 1)
)


@broadcast_to.gradient("g summed over the axes along which input is repeated")
def broadcast_to_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, sizes = op.inputs

    def summed() -> Tensor:
        axes = repeated_axes(x.shape.raw, op.outputs[0].shape.raw)
        if axes is None:
            axes = ops.broadcast_gradient_args(ops.shape(x), ops.cast(sizes, "int32"))[0]
        return g if axes == [] else ops.reshape(ops.reduce_sum(g, axes), ops.shape(x))

    return [summed, None]


@broadcast_to.samples
def broadcast_to_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 1)).astype("f4"), [2, 3])
    yield sample(np.array([b"a", b"b"], object), np.array([3, 2], "i8"))
    yield sample(np.array(True), [0, 2])
    yield sample(np.zeros((0, 1), "f8"), [2, 0, 3])
    yield sample(np.array(7), np.zeros(0, "i4"))


@composite("meshgrid")
def meshgrid(*args: TensorLike, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """A grid for each vector: in result k, entry j of vector k stands wherever the index of its dimension is j.

    Args:
        args: n vectors of any dtypes. A tensor of another rank counts as the vector of its elements.
        indexing: "xy" (the default): the first vector lies along dimension 1 and the second along dimension 0, as x and
            y do in pictures. "ij": vector k lies along dimension k.

    Returns:
        A list of n tensors with the dtypes of the vectors and one shape: the lengths of all of them, those of the first
        two exchanged for "xy".

    Raises:
        TypeError: an argument cannot become a tensor.
        ValueError: `indexing` is neither.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     for grid in session.run(tf.meshgrid([1, 2, 3], [4, 5])):
    ...         print(grid)
    [[1 2 3]
     [1 2 3]]
    [[4 4 4]
     [5 5 5]]

    Source: TensorFlow 1.x, `tf.meshgrid`.
    """
    if indexing not in ("xy", "ij"):
        raise ValueRuleError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got {indexing!r}")
    vectors = [convert_to_tensor(each) for each in args]
    order = [*range(len(vectors))]
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    if not vectors:
        return []
    lengths = pack([size(vectors[k]) for k in order])
    columns = [[-1 if k == along else 1 for along in order] for k in range(len(vectors))]
    return [broadcast_to(reshape(vector, column), lengths) for vector, column in zip(vectors, columns, strict=True)]
