"""saturate_cast, bitcast, to_complex64 and to_complex128, angle, scalar_mul, realdiv and reciprocal_no_nan."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import NUMBERS, DTypeLike, Operand, TensorLike
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, complex64, complex128
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite, name_of_scope, reported_as_call
from ..declare.shape_checks import listed
from .arithmetic import maximum, minimum, multiply, truediv
from .casting import cast
from .comparison import less
from .complex_parts import imag, real
from .no_nan import div_no_nan
from .select_where import select
from .transcendental import atan2

PUBLIC_NAMES = {
    "tf math": "angle scalar_mul",
    "tf": "bitcast realdiv saturate_cast to_complex128 to_complex64",
    "math": "reciprocal_no_nan",
}


@composite("saturate_cast")
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` as another dtype; what lies outside of its range becomes the nearest number in it.

    Args:
        value: numbers.
        dtype: the new dtype, numbers that are not complex.

    Returns:
        A tensor with the shape of `value` and dtype `dtype`.

    Raises:
        TypeError: `value` or `dtype` is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.saturate_cast([-5.0, 7.5, 300.0], tf.uint8)))
    [  0   7 255]

    Source: TensorFlow 1.x, `tf.saturate_cast`.
    """
    given, wanted = convert_to_tensor(value), as_dtype(dtype)
    for each in (given.dtype, wanted):
        if each.is_complex or each.is_string or each.is_bool:
            raise DTypeError(f"casts between ints and floats, not {given.dtype.name} to {wanted.name}")
    if given.dtype.min < wanted.min:
        given = maximum(given, np.asarray(wanted.min).astype(given.dtype.np))
    if given.dtype.max > wanted.max:
        given = minimum(given, _largest_below(given.dtype, wanted))
    return cast(given, wanted, name_of_scope())


def _largest_below(dtype: DType, wanted: DType) -> Any:
    """The largest number of `dtype` that `wanted` holds: as a float the largest int may round up."""
    most = np.asarray(wanted.max).astype(dtype.np)
    if dtype.is_floating and wanted.is_integer and float(most) > wanted.max:
        most = np.nextafter(most, np.zeros((), dtype.np))
    return most


@op("Bitcast", out="type", no_gradient="it reads bytes, not numbers")
def bitcast(
    input: Annotated[TensorLike, Operand("T", NUMBERS)], type: DTypeLike, name: str | None = None
) -> Tensor:
    """The bytes of `input` read as another dtype.

    Args:
        input: numbers. Where its dtype is smaller than `type`, its last size is the number of elements that make one.
        type: the dtype of the result.

    Returns:
        A tensor of dtype `type` with the shape of `input`; where `type` is smaller, one more dimension holds the parts
        of an element, and where it is larger, the last dimension is gone.

    Raises:
        TypeError: one of the dtypes is not numbers.
        ValueError: the last size is not that of one element.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bitcast(1.0, tf.int32)), session.run(tf.bitcast(tf.constant(258), tf.uint8)))
    1065353216 [2 1 0 0]

    Source: TensorFlow 1.x, `tf.bitcast`.
    """


@bitcast.shape
def bitcast_shape(input: Tensor, type: DType) -> TensorShape:
    if not type.bit & NUMBERS:
        raise DTypeError(f"type must be a dtype of numbers, not {type.name}")
    dims = input.shape.raw
    if dims is None:
        return unknown_rank("the rank of the operand is not known", input)
    size, new = input.dtype.size, type.size
    if size >= new:
        return shape_of(dims if size == new else (*dims, size // new))
    if not dims or (isinstance(dims[-1], int) and dims[-1] != new // size):
        raise ShapeError(f"Cannot bitcast from {input.dtype.name} to {type.name} due to shape: the last size must be "
                         f"{new // size}, but the shape is {input.shape}", operand=0)  # fmt: skip
    return shape_of(dims[:-1])


@bitcast.kernel
def bitcast_kernel(xp: Any, input: Any, type: DType) -> Any:
    size, new = input.dtype.itemsize, type.size
    if size < new and (input.ndim == 0 or input.shape[-1] != new // size):
        raise InvalidArgumentError(message=f"Cannot bitcast to {type.name}: shape {listed(input.shape)}")
    if size == new:
        return xp.ascontiguousarray(input).view(type.np).reshape(input.shape).copy()
    shape = (*input.shape, size // new) if size > new else input.shape[:-1]
    return xp.ascontiguousarray(input).reshape(-1).view(type.np).reshape(shape).copy()


@bitcast.fails
def bitcast_fails(input: Tensor, type: DType) -> str | None:
    dims = input.shape.raw
    known = input.dtype.size >= type.size or (dims is not None and isinstance(dims[-1], int))
    return None if known else "whether the last size fits is not known before the run"


@bitcast.samples
def bitcast_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), "int32")
    yield sample(np.array([258, 7], "i4"), "uint8")
    yield sample(np.array([[0, 0, 128, 63]], "u1"), "float32")
    yield sample(np.zeros((0, 2), "f4"), "float64")


@reported_as_call("ToComplex64", one_op=True)
def to_complex64(x: TensorLike, name: str = "ToComplex64") -> Tensor:
    """`x` as complex64: `tf.cast(x, tf.complex64)`.

    Args:
        x: any dtype but string.

    Returns:
        A tensor of dtype complex64 with the shape of `x`.

    Raises:
        TypeError: `x` is string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.to_complex64([1.0])))
    [1.+0.j]

    Source: TensorFlow 1.x, `tf.to_complex64`.
    """
    return cast(x, complex64, name)


@reported_as_call("ToComplex128", one_op=True)
@documented_like(to_complex64)
def to_complex128(x: TensorLike, name: str = "ToComplex128") -> Tensor:
    """`x` as complex128: `tf.cast(x, tf.complex128)`.

    Returns:
        A tensor of dtype complex128 with the shape of `x`.
    """
    return cast(x, complex128, name)


@composite("Angle")
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angle of complex numbers in [-pi, pi]: atan2(imag, real). That of real ones is 0 or pi.

    Args:
        input: floats or complex numbers.

    Returns:
        A tensor with the shape of `input` and its real dtype.

    Raises:
        TypeError: `input` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.angle(tf.complex([0.0, -1.0], [2.0, 0.0]))))
    [1.5707964 3.1415927]

    Source: TensorFlow 1.x, `tf.angle`.
    """
    given = convert_to_tensor(input)
    if given.dtype.is_complex:
        return atan2(imag(given), real(given), name_of_scope())
    zeros = zeros_like(given)
    return select(less(given, zeros), zeros + np.pi, zeros, name_of_scope())


@composite("Mul")
def scalar_mul(scalar: TensorLike, x: TensorLike | IndexedSlices, name: str | None = None) -> Any:
    """scalar * x.

    Args:
        scalar: a number.
        x: a tensor, or an `IndexedSlices`, whose values are multiplied.

    Returns:
        A tensor with the shape and dtype of `x`, or an `IndexedSlices`.

    Raises:
        TypeError: `scalar` does not have the dtype of `x`.
        ValueError: `scalar` is no scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.scalar_mul(2.0, [1.0, 3.0])))
    [2. 6.]

    Source: TensorFlow 1.x, `tf.scalar_mul`.
    """
    values = x.values if isinstance(x, IndexedSlices) else convert_to_tensor(x)
    factor = convert_to_tensor(scalar, values.dtype)
    if factor.shape.ndims not in (None, 0):
        raise ValueRuleError(f"Only scalar multiply works, got shape {factor.shape}")
    product = multiply(factor, values, name_of_scope())
    return IndexedSlices(product, x.indices, x.dense_shape) if isinstance(x, IndexedSlices) else product


@reported_as_call("RealDiv", one_op=True)
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y of floats or complex numbers.

    Args:
        x, y: floats or complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.realdiv([7.0, -7.0], 2.0)))
    [ 3.5 -3.5]

    Source: TensorFlow 1.x, `tf.realdiv`.
    """
    return truediv(x, y, "RealDiv" if name is None else name)


@composite("reciprocal_no_nan")
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    Args:
        x: floats or complex numbers.

    Returns:
        A tensor with the shape and dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.math.reciprocal_no_nan([2.0, 0.0])))
    [0.5 0. ]

    Source: TensorFlow 1.x, `tf.math.reciprocal_no_nan`.
    """
    given = convert_to_tensor(x)
    return div_no_nan(convert_to_tensor(1, given.dtype), given, name_of_scope())
