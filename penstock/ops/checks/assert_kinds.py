"""Assertions about ranks, shapes and dtypes: assert_rank, assert_scalar, assert_type, ensure_shape ...

What the static shape or dtype shows is decided while building; only a rank that is not known yet is checked by the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Attr, DTypeLike, T, TensorLike, as_int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import as_dtype
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, merge_shapes
from ..control.control import no_op
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import rank as rank_of
from ..create.shape_size_rank import shape as shape_of
from ..declare.composite import composite
from ..elementwise.comparison import equal, greater_equal
from ..reduce.reductions import reduce_any
from .assertion import Assert

PUBLIC_NAMES = {
    "start debugging": "assert_integer assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_type",
    "start": "ensure_shape",
}

Data = Sequence[TensorLike] | None


def _ranked(
    x: TensorLike,
    words: str,
    ranks: Sequence[int],
    is_right: Callable[[int], bool],
    holds: Callable[[Tensor], Tensor],
    data: Data,
    summarize: int | None,
    message: str | None,
) -> Operation:
    """The assertion that the rank of `x` is right: `is_right` says it of a number, `holds` of a tensor."""
    tensor = convert_to_tensor(x)
    found = tensor.shape.ndims
    about = "" if message is None else f"{message}.  "
    wanted = ranks[0] if len(ranks) == 1 else f"({', '.join(map(str, ranks))})"
    if found is not None and not is_right(found):
        raise ShapeError(f"{about}Tensor {tensor.name} must have rank {words}{wanted}.  Received rank {found}, "
                         f"shape {tensor.shape}")  # fmt: skip
    if found is not None:
        return no_op(name="static_checks_determined_all_ok")
    if data is None:
        told = f"Tensor {tensor.name} must have rank {words}".rstrip()
        data = [told, *ranks, "Received shape: ", shape_of(tensor)]
    return Assert(holds(rank_of(tensor)), data if message is None else [message, *data], summarize)


@composite("assert_rank")
def assert_rank(
    x: TensorLike,
    rank: int,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has that rank.

    Args:
        x: any dtype and shape.
        rank: an int.
        data: a list of tensors that the error shows instead of the shape of `x`.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `rank` is not an int, or `data` is not a list.
        ValueError: `x` is known to have another rank.
        InvalidArgumentError (when run): it has another rank.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [None, 3])
    ...     tf.assert_rank(x, 2).type
    'NoOp'

    Source: TensorFlow 1.x, `tf.assert_rank`.
    """
    wanted = _rank(rank)
    return _ranked(x, "", [wanted], lambda r: r == wanted, lambda r: equal(r, wanted), data, summarize, message)


@composite("assert_rank_at_least")
@documented_like(assert_rank)
def assert_rank_at_least(
    x: TensorLike,
    rank: int,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has that rank or a higher one.

    Raises:
        TypeError: `rank` is not an int, or `data` is not a list.
        ValueError: `x` is known to have a lower rank.
        InvalidArgumentError (when run): it has a lower rank.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32)
    ...     check = tf.assert_rank_at_least(x, 1)
    ...     session.run(check, {x: [1.0]})
    ...     try:
    ...         session.run(check, {x: 1.0})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    assertion failed: [Tensor Placeholder:0 must have rank at least] [1] [Received shape: ] []
    """
    least = _rank(rank)
    return _ranked(x, "at least ", [least], lambda r: r >= least, lambda r: greater_equal(r, least), data, summarize,
                   message)  # fmt: skip


@composite("assert_rank_in")
@documented_like(assert_rank)
def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[int],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has one of the ranks.

    Args:
        ranks: a list of ints.

    Raises:
        TypeError: `ranks` is not a list of ints, or `data` is not a list.
        ValueError: `x` is known to have another rank.
        InvalidArgumentError (when run): it has another rank.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_rank_in(tf.zeros([2, 3]), (1, 2)).type
    'NoOp'
    """
    if not isinstance(ranks, (list, tuple, range)):
        raise DTypeError(f"ranks must be a list of ints, not {ranks!r:.60}")
    wanted = [_rank(each) for each in ranks]
    return _ranked(x, "in ", wanted, lambda r: r in wanted, lambda r: reduce_any(equal(r, wanted)), data, summarize,
                   message)  # fmt: skip


def _rank(value: Any) -> int:
    try:
        return as_int(value)
    except DTypeError as error:
        raise DTypeError(f"a rank {error.message}") from None


@composite("assert_scalar")
def assert_scalar(tensor: TensorLike, name: str | None = None) -> Tensor:
    """`tensor`, which must be known to be a scalar.

    Args:
        tensor: any dtype.

    Returns:
        It as a tensor: a scalar with its dtype.

    Raises:
        ValueError: its static shape is another one, or not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_scalar(1.0).shape
    TensorShape(())

    Source: TensorFlow 1.x, `tf.assert_scalar`.
    """
    found = convert_to_tensor(tensor)
    if found.shape.ndims != 0:
        raise ShapeError(f"Expected scalar shape for {found.name}, saw shape: {found.shape}",
                         cure="Write tf.reshape(x, []) if it has one element.")  # fmt: skip
    return found


@composite("assert_type")
def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Operation:
    """Raises a TypeError unless `tensor` has the dtype `tf_type`.

    Args:
        tensor: any shape.
        tf_type: a dtype.
        message: what the error says first.

    Returns:
        An operation that does nothing.

    Raises:
        TypeError: `tensor` has another dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_type(tf.constant(1), tf.int32).type
    'NoOp'

    Source: TensorFlow 1.x, `tf.assert_type`.
    """
    found, wanted = convert_to_tensor(tensor), as_dtype(tf_type)
    if found.dtype is not wanted:
        about = "" if message is None else f"{message}  "
        raise DTypeError(f"{about}{found.name} must be of type tf.{wanted}; got tf.{found.dtype}",
                         cure=f"Write tf.cast(x, tf.{wanted}) if that is meant.")  # fmt: skip
    return no_op(name="statically_determined_correct_type")


@composite("assert_integer")
@documented_like(assert_type)
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """Raises a TypeError unless `x` has an int dtype.

    Args:
        x: any shape.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.assert_integer([1, 2]).type
    'NoOp'
    """
    found = convert_to_tensor(x)
    if not found.dtype.is_integer:
        about = "" if message is None else f"{message}  "
        raise DTypeError(f'{about}Expected "x" to be integer type.  Found: {found.name} of dtype {found.dtype}')
    return no_op(name="statically_determined_was_integer")


# ---- ensure_shape -------------------------------------------------------------------------------


def _sizes(value: Any) -> TensorShape:
    """The shape without names: the run compares numbers."""
    try:
        raw = as_shape(value).raw
    except TypeError as error:
        raise DTypeError(f"is {value!r:.60}: {error}") from None
    return TensorShape(None if raw is None else [size if isinstance(size, int) else None for size in raw])


@op("EnsureShape", graphdef="T=x shape", moves=True, views="x", distributes=same_axes)
def ensure_shape(x: T, shape: Annotated[ShapeLike, Attr(_sizes)], name: str | None = None) -> Tensor:
    """`x` unchanged, with `shape` as its static shape, which every run checks.

    Args:
        x: any dtype and shape.
        shape: its sizes; None for one that may be any.

    Returns:
        A tensor with the dtype of `x` and what is known of its shape.

    Raises:
        TypeError: `shape` is not a shape.
        ValueError: `x` is known to have another shape.
        InvalidArgumentError (when run): it has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32)
    ...     y = tf.ensure_shape(x, [None, 2])
    ...     print(y.shape)
    ...     try:
    ...         session.run(y, {x: [1.0, 2.0]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    (?, 2)
    Shape of tensor x [2] is not compatible with expected shape [?,2].

    Source: TensorFlow 1.x, `tf.ensure_shape`.
    """


@ensure_shape.shape
def ensure_shape_shape(x: Tensor, shape: TensorShape) -> TensorShape:
    return merge_shapes(x.shape, shape)


@ensure_shape.kernel
def ensure_shape_kernel(xp: Any, x: Any, shape: TensorShape) -> Any:
    sizes = None if shape.raw is None else [size if isinstance(size, int) else None for size in shape.raw]
    if sizes is None or (len(sizes) == x.ndim and all(a in (None, b) for a, b in zip(sizes, x.shape, strict=True))):
        return x
    found, wanted = (",".join("?" if s is None else str(s) for s in each) for each in (x.shape, sizes))
    raise InvalidArgumentError(
        message=f"Shape of tensor x [{found}] is not compatible with expected shape [{wanted}]."
    )


@ensure_shape.gradient("g", takes_slices=True)
def ensure_shape_gradient(ops: Any, op: Operation, g: Any) -> list[Any]:
    return [g]


@ensure_shape.samples
def ensure_shape_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [None, 3])
    yield sample(np.zeros((0,), "i8"), None)
