"""Changes of dtype: the op `cast`, and five functions that call it.

Its rules are the same on every device and for every memory layout:

    float -> int        the fraction is dropped; NaN gives 0, a value out of range the nearest one in range
    int -> int          modulo 2**n
    any -> bool         x != 0
    complex -> other    the imaginary part is dropped
    any -> 16-bit float rounded to float32 first, then to 16 bits
    otherwise           to nearest, ties to even
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Protocol

import numpy as np

from ...errors import DTypeError
from ...graph.building.constant_evaluation import Entries, known_entries
from ...graph.building.convert import first_tensor
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import named
from ...graph.declare.signature import ANY, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import (
    DType,
    as_plain_dtype,
    bfloat16,
    float32,
    float64,
    int32,
    int64,
    of_numpy,
    uint32,
    uint64,
)
from ...graph.shapes.literal import literal
from ...graph.shapes.shape import TensorShape
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..declare.composite import reported_as_call

PUBLIC_NAMES = {"start": "cast to_bfloat16 to_double to_float to_int32 to_int64"}

_Castable = Annotated[TensorLike | SparseTensor, Operand("T", ANY)]
_FLOAT32 = np.dtype(np.float32)


@op("Cast", graphdef="SrcT=x DstT=dtype ->y", out="dtype", operator="cast", elementwise=True)
def cast(x: _Castable, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The values of `x` as another dtype. A tensor that has that dtype already is returned as it is.

    Args:
        x: any tensor, or a `SparseTensor`, whose values are cast.
        dtype: the new dtype. Floats become ints by dropping the fraction: NaN becomes 0, and a value out of range the
            nearest one in range. Ints wrap around; complex numbers lose their imaginary part; all but 0 becomes True.

    Returns:
        A tensor with the shape of `x` and dtype `dtype`. A `SparseTensor` gives a `SparseTensor`.

    Raises:
        TypeError: there is no such dtype, or just one of the two is string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.constant([1.8, 2.2], dtype=tf.float32)
    ...     print(session.run(tf.cast(a, tf.int32)))
    [1 2]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@cast.prepare
def cast_prepare(x: Any, dtype: Any, name: str | None) -> Any:
    if isinstance(x, DType):
        raise DTypeError(f"x is the dtype {x}, not a tensor", cure="The order is cast(x, dtype).")
    wanted = _destination(dtype)
    if isinstance(x, SparseTensor):
        return x if x.dtype is wanted else SparseTensor(x.indices, cast(x.values, wanted, name), x.dense_shape)
    if first_tensor(x) is not None:
        tensor = convert_to_tensor(x)
        return tensor if tensor.dtype is wanted else (tensor, wanted)
    array = literal(x)
    if of_numpy(array.dtype) is wanted:
        return constant(array, name="Const" if name is None else name)
    return array, wanted


def _destination(dtype: Any) -> DType:
    try:
        return as_plain_dtype(dtype)
    except DTypeError as error:
        found = f"Cannot convert the argument dtype={dtype!r} to a dtype: {error.message}"
        raise DTypeError(found, cure=error.cure) from None


@cast.shape
def cast_shape(x: Tensor, dtype: DType) -> TensorShape:
    if x.dtype.is_string and not dtype.is_string:
        raise DTypeError(f"Cast string to {dtype.tf_name} is not supported", operand=0,
                         cure="Numbers are read from strings by tf.string_to_number(x, out_type).")  # fmt: skip
    if dtype.is_string and not x.dtype.is_string:
        raise DTypeError(f"Cast {x.dtype.tf_name} to string is not supported", operand=0,
                         cure="Numbers are written as strings by tf.as_string(x).")  # fmt: skip
    return x.shape


@cast.partial
def cast_partial(x: Tensor, dtype: DType) -> Entries | None:
    # Sizes are ints that fit all of these dtypes; other entries must be seen to fit, else they wrap.
    if dtype not in (int32, int64, uint32, uint64) or not x.dtype.is_integer:
        return None
    entries = known_entries(x)
    flat = entries if isinstance(entries, tuple) else (entries,)
    return entries if all(not isinstance(e, int) or dtype.min <= e <= dtype.max for e in flat) else None


@cast.kernel
def cast_kernel(xp: Any, x: Any, dtype: DType) -> Any:
    return _converted(xp, x, dtype, _to_int_on_cpu if isinstance(x, np.ndarray) else _saturated)


# In the scalar IR (runtime.ir.scalar_ir) a cast is one primitive, with the same rules for floats and ints.
@cast.kernel_for("scalar")
def cast_scalar_kernel(xp: Any, x: Any, dtype: DType) -> Any:
    return _converted(xp, x, dtype, lambda xp, x, dtype: x.astype(dtype.np))


@cast.gradient("cast(g, dtype of x), between floats and complex numbers")
def cast_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: cast(g, op.inputs[0].dtype)]


@cast.samples
def cast_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([1.8, -2.2, 0.0], "f4"), "int32")
    yield sample(np.array([[np.nan, np.inf], [-np.inf, 1e10]]), "int16")
    yield sample(np.array([1 + 2j, 3j], "c8"), "bool")
    yield sample(np.array(70000, "i4"), "bfloat16")
    yield sample(np.array([1.5, -3.0], bfloat16.np), "complex64")
    yield sample(np.zeros((2, 0), "u1"), "float16")


class Conversion(Protocol):
    """A cast to one dtype."""

    def __call__(self, x: TensorLike | SparseTensor, name: str = ...) -> Tensor: ...


def _conversion(name: str, node: str, dtype: DType, example: str, printed: str, about: str = "") -> Conversion:
    """The cast to a dtype, whose node is called `node`.

    example, printed: what its example computes and shows. about: what else there is to say of the dtype.
    """

    @reported_as_call(one_op=True)
    @named(name, dtype=dtype.name, example=example, printed=printed, about=about)
    def function(x: TensorLike | SparseTensor, name: str = node) -> Tensor:
        """`x` as {dtype}{about}: `cast(x, {dtype})`.

        Args:
            x: numbers, bools, or a `SparseTensor` of these.

        Returns:
            A tensor with the shape of `x` and dtype {dtype}. A `SparseTensor` gives a `SparseTensor`.

        Raises:
            TypeError: `x` holds strings.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.{name}({example})))
        {printed}

        Source: TensorFlow 0.x, Tensor Transformations.
        """
        return cast(x, dtype, name)

    return function


_RANGE = ", which has the range of float32 and 8 bits of precision"
to_double = _conversion("to_double", "ToDouble", float64, "tf.constant([1.5, 2.5])", "[1.5 2.5]")
to_float = _conversion("to_float", "ToFloat", float32, "[True, False]", "[1. 0.]")
to_bfloat16 = _conversion("to_bfloat16", "ToBFloat16", bfloat16, "[257.0, 3.0]", "[256 3]", _RANGE)
to_int32 = _conversion("to_int32", "ToInt32", int32, "[1.9, -1.9, 1e10]", "[         1         -1 2147483647]")
to_int64 = _conversion("to_int64", "ToInt64", int64, "[1.9, 1e10]", "[          1 10000000000]")


# ---- the conversion itself ----------------------------------------------------------------------


def _converted(xp: Any, x: Any, dtype: DType, to_int: Callable[[Any, Any, DType], Any]) -> Any:
    """`x` as `dtype`; `to_int` converts floats to ints."""
    source = of_numpy(x.dtype)
    if source is dtype:
        return x
    if source.is_complex and not dtype.is_complex:
        x, source = x.real, source.real_dtype
        if source is dtype:
            return x.astype(dtype.np)  # the real parts are a view of the operand
    if dtype.is_bool:
        return x.astype(np.bool_)
    if source.is_floating and source.size == 2:
        x = x.astype(_FLOAT32)  # exact, and every further step is far faster from float32
    if source.is_floating and dtype.is_integer:
        return to_int(xp, x, dtype)
    if dtype.is_floating and dtype.size == 2:
        x = x.astype(_FLOAT32, copy=False)
    return x.astype(dtype.np, copy=False)


def _to_int_on_cpu(xp: Any, x: Any, dtype: DType) -> Any:
    """Floats as ints, clamping only if some value needs it."""
    if dtype is int32 or dtype is int64:
        # These two are converted by one instruction, which raises the processor's invalid flag for NaN and overflow.
        try:
            with np.errstate(invalid="raise"):
                return x.astype(dtype.np)
        except FloatingPointError:
            return _saturated(np, x, dtype)
    # The others pass through a wider int and raise no flag. A NaN fails the comparison too.
    low, high = _ends(x.dtype, dtype)
    if x.size == 0 or (x.min() >= low and x.max() <= high):
        return x.astype(dtype.np)
    return _saturated(np, x, dtype)


def _saturated(xp: Any, x: Any, dtype: DType) -> Any:
    """Floats as ints, with NaN 0 and everything out of range at the nearest end."""
    low, high = _ends(x.dtype, dtype)
    inside = xp.clip(xp.nan_to_num(x), low, high).astype(dtype.np)
    # The largest int may lie between two floats: what is above the lower one is out of range.
    return xp.where(x > high, xp.asarray(dtype.max, dtype.np), inside)


@lru_cache
def _ends(source: np.dtype[Any], dtype: DType) -> tuple[Any, Any]:
    """The smallest and the largest float of `source` within the range of `dtype`."""
    low, high = source.type(dtype.min), source.type(dtype.max)
    if int(high) > dtype.max:
        high = np.nextafter(high, source.type(0))
    return low, high
