"""Number sequences: `range` by a step, `linspace` with a given count between two ends."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar, known_value
from ...graph.building.convert import first_tensor
from ...graph.common.float_errors import unwarned
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import COMPLEX, FLOATS, INT32_64, DTypeOrNone, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dimension, as_dim, unknown
from ...graph.shapes.dtypes import DType, as_dtype, bfloat16, float32, float64, int32, int64, of_numpy
from ...graph.shapes.literal import Array, literal
from ...graph.shapes.shape import TensorShape, broadcast, shape_of
from ..declare.shape_checks import least, possible, require_one, require_rank, scalar_of
from ..elementwise.casting import cast
from .constant_and_placeholder import convert_to_tensor

PUBLIC_NAMES = {"tf": "lin_space=linspace", "start": "linspace range"}

_RANGE_DTYPES = (int32, int64, bfloat16, float32, float64)  # from narrow to wide: the widest argument decides
_RANGE_BITS = sum(d.bit for d in _RANGE_DTYPES)
_Bound: TypeAlias = Annotated[TensorLike, Operand("T", _RANGE_BITS, host=True)]
_BoundOrNone: TypeAlias = Annotated[TensorLike | None, Operand("T", _RANGE_BITS, host=True)]
_End: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS | COMPLEX)]
_Count: TypeAlias = Annotated[TensorLike, Operand(None, INT32_64, host=True)]


@op(
    "Range",
    graphdef="Tidx=dtype/int32",
    out="dtype",
    flops=1,
    hint="the numbers up to a limit are tf.range(limit), or tf.range(0, limit)",
)
def range(
    start: _Bound, limit: _BoundOrNone = None, delta: _Bound = 1, dtype: DTypeOrNone = None, name: str | None = "range"
) -> Tensor:
    """The numbers start, start + delta, start + 2*delta ... up to but not including `limit`.

    Args:
        start: the first number; `range(n)` counts from 0 to n.
        limit: the end, which is not included.
        delta: the step, not 0.
        dtype: the dtype of the result. Without it, the widest dtype of the arguments in the order int32, int64,
            bfloat16, float32, float64; the others are cast to it.

    Returns:
        A vector of max(0, ceil((limit - start) / delta)) elements with dtype `dtype`.

    Raises:
        TypeError: an argument has another dtype.
        ValueError: an argument is not a scalar; or, of known values, delta is 0 or leads away from `limit`.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.range(5)), session.run(tf.range(3, 18, 3)), session.run(tf.range(3, 1, -0.5)))
    [0 1 2 3 4] [ 3  6  9 12 15] [3.  2.5 2.  1.5]

    Source: TensorFlow 1.x, `tf.range`.
    """


@range.prepare
def range_prepare(start: Any, limit: Any, delta: Any, dtype: Any, name: str | None) -> Any:
    if limit is None:
        start, limit = 0, start
    bounds = [_tensor_or_value(v) for v in (start, limit, delta)]
    wanted = _widest(bounds) if dtype is None else as_dtype(dtype)
    return (*(cast(v, wanted) if isinstance(v, Tensor) else literal(v, wanted) for v in bounds), wanted)


def _tensor_or_value(value: Any) -> Any:
    return value if first_tensor(value) is None else convert_to_tensor(value)


def _widest(bounds: list[Any]) -> DType:
    found = [_dtype_of(v) for v in bounds]
    for label, dtype in zip(("start", "limit", "delta"), found, strict=True):
        if dtype not in _RANGE_DTYPES:
            allowed = ", ".join(d.name for d in _RANGE_DTYPES)
            raise DTypeError(f"{label} is {dtype}, which is not allowed; the dtypes are {allowed}")
    return max(found, key=_RANGE_DTYPES.index)


def _dtype_of(value: Any) -> DType:
    return value.dtype if isinstance(value, Tensor) else of_numpy(literal(value).dtype)


@range.shape
def range_shape(start: Tensor, limit: Tensor, delta: Tensor, dtype: DType) -> TensorShape:
    bounds = (start, limit, delta)
    for i, bound in enumerate(bounds):
        require_rank(bound, 0, i)
    values: list[Any]
    if dtype.is_integer:
        values = [known_scalar(b) for b in bounds]
        first, end, step = values
        if step == 1 and first is not None and isinstance(end, Dimension):
            return shape_of((as_dim(end - first),))  # a run refuses to count down, so the difference is the size
    else:
        values = [known_value(b) for b in bounds]
    for bound, value in zip(bounds, values, strict=True):
        if value is None or isinstance(value, Dimension):
            return shape_of((unknown("an argument of range is not known before the run", bound),))
    return shape_of((_length(*values),))


def _length(start: Any, limit: Any, delta: Any) -> int:
    """The count of numbers: ints exactly, floats in their own precision, so that 0.3 / 0.1 in float32 is 3."""
    if delta == 0:
        raise ValueRuleError("Requires delta != 0")
    if delta > 0 and not start <= limit:
        raise ValueRuleError(f"Requires start <= limit when delta > 0: {start}/{limit}")
    if not delta > 0 and not start >= limit:
        raise ValueRuleError(f"Requires start >= limit when delta < 0: {start}/{limit}")
    if isinstance(delta, int):
        return int(-((start - limit) // delta))
    steps = float(unwarned(lambda: (limit - start) / delta))
    if not math.isfinite(steps):
        raise ValueRuleError(f"Requires a finite number of steps, but (limit - start) / delta is {steps}")
    return math.ceil(steps)


def counted(start: Array, limit: Array, delta: Array, dtype: DType) -> tuple[Any, Any, int]:
    """(start, delta, count) as Python numbers; InvalidArgumentError if they do not fit together."""
    for label, bound in (("start", start), ("limit", limit), ("delta", delta)):
        require_one(bound, label, vector=True)
    first, end, step = (int(b) if dtype.is_integer else b for b in (b.reshape(()) for b in (start, limit, delta)))
    try:
        (length,) = possible((_length(first, end, step),), 8)  # which is counted in 64 bits
    except ValueRuleError as error:
        raise InvalidArgumentError(message=error.message) from None
    return (first, step, length) if dtype.is_integer else (float(first), float(step), length)


@range.kernel
def range_kernel(xp: Any, start: Any, limit: Any, delta: Any, dtype: DType) -> Any:
    first, step, length = counted(start, limit, delta, dtype)
    if dtype.is_integer:
        return xp.arange(length, dtype=dtype.np) * step + first if step != 1 else xp.arange(
            first, first + length, dtype=dtype.np)  # fmt: skip
    # In float64, rounded once: adding delta again and again would drift.
    return (xp.arange(length, dtype=np.float64) * step + first).astype(dtype.np)


@range.fails
def range_fails(start: Tensor, limit: Tensor, delta: Tensor, dtype: DType) -> str | None:
    if dtype.is_integer and all(b.shape.ndims == 0 for b in (start, limit, delta)):
        first, end, step = (known_scalar(b) for b in (start, limit, delta))
        if isinstance(first, int) and isinstance(step, int) and end is not None:
            if step > 0 and first <= least(end):
                return None
            if step < 0 and isinstance(end, int) and first >= end:
                return None
    return "whether it counts from start to limit is not known before the run"


@range.samples
def range_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(2, "i4"), np.array(11, "i4"), np.array(3, "i4"))
    yield sample(np.array(5, "i8"), np.array(5, "i8"), np.array(1, "i8"))
    yield sample(np.array(1.0, "f4"), np.array(-1.0, "f4"), np.array(-0.25, "f4"))
    yield sample(np.array(0, bfloat16.np), np.array(3, bfloat16.np), np.array(1, bfloat16.np))


@op("LinSpace", graphdef="T=start Tidx=num", flops=2, ranks={"num": 0})
def linspace(start: _End, stop: _End, num: _Count, name: str | None = "linspace") -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    out[i] = start + i * (stop - start) / (num - 1)

    Args:
        start, stop: scalars, or tensors of one shape. Ints become float64, or float32 where they have 8 or 16 bits.
        num: how many numbers: an int32 or int64 scalar, at least 0. A single number is `start`.

    Returns:
        A tensor of shape [num] + start.shape with the dtype of `start` and `stop`.

    Raises:
        TypeError: `start` and `stop` are not numbers, or `num` is not int.
        ValueError: `num` is negative or not a scalar, or `start` and `stop` differ in shape or dtype.
        InvalidArgumentError (when run): `num` is negative, or the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.linspace(10.0, 12.0, 3)))
    [10. 11. 12.]

    Source: TensorFlow 1.x, `tf.linspace`.
    """


@linspace.prepare
def linspace_prepare(start: Any, stop: Any, num: Any, name: str | None) -> Any:
    first = _tensor_or_value(start)
    given = _dtype_of(first)  # start decides
    dtype = given if not given.is_integer else float32 if given.size <= 2 else float64
    return _as_float(first, given, dtype), _as_float(_tensor_or_value(stop), given, dtype), num


def _as_float(value: Any, given: DType, dtype: DType) -> Any:
    """`value`, which must be of the dtype `given`, as `dtype`."""
    if isinstance(value, Tensor):
        return cast(convert_to_tensor(value, given), dtype)
    return literal(literal(value, given), dtype)


@linspace.shape
def linspace_shape(start: Tensor, stop: Tensor, num: Tensor) -> TensorShape:
    count = known_scalar(num)
    if isinstance(count, int) and count < 0:
        raise ValueRuleError(f"Requires num >= 0: {count}", operand=2)
    size = unknown("num is not known before the run", num) if count is None else count
    return shape_of((size,)) + broadcast(start.shape, stop.shape, stop)


@linspace.kernel
def linspace_kernel(xp: Any, start: Any, stop: Any, num: Any) -> Any:
    count = scalar_of(num, "num", vector=True)
    if count < 0:
        raise InvalidArgumentError(message=f"Requires num >= 0: {count}")
    possible((count, *_common_shape(start, stop)), 8)
    return _spaced(xp, start, stop, count)


def _common_shape(start: Any, stop: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(start.shape, stop.shape)
    except ValueError:
        shapes = f"{list(start.shape)} vs. {list(stop.shape)}"
        raise InvalidArgumentError(message=f"Incompatible shapes: {shapes}") from None


def _spaced(xp: Any, start: Any, stop: Any, count: int) -> Any:
    dtype = start.dtype
    if dtype.itemsize == 2:
        start, stop = start.astype(np.float32), stop.astype(np.float32)
    delta = (stop - start) / start.dtype.type(max(count - 1, 1))
    steps = xp.arange(count).astype(start.dtype).reshape((count,) + (1,) * delta.ndim)
    spaced = steps * delta + start
    if count:
        spaced[0] = start
    if count > 1:
        spaced[-1] = stop  # exactly, whatever the rounding of the steps before
    return spaced.astype(dtype, copy=False)


@linspace.samples
def linspace_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(0, "f4"), np.array(1, "f4"), np.array(5, "i4"), fixed=("num",))
    yield sample(np.array([0, 1], "f8"), np.array([1, -1], "f8"), np.array(1, "i8"))
    yield sample(np.array(0, bfloat16.np), np.array(1, bfloat16.np), np.array(0, "i4"))


range.no_gradient("as in TensorFlow, start, limit and delta count as constants")


@linspace.gradient("start: the sum of g * (1 - t) over the new axis; stop: that of g * t; t goes from 0 to 1")
def linspace_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    start, stop, num = op.inputs
    zero, one = ops.constant(0, g.dtype), ops.constant(1, g.dtype)

    def of(place: int, first: Tensor, last: Tensor) -> Tensor:
        shares = ops.linspace(first, last, num)
        rows = ops.reshape(g, ops.pack([ops.size(shares), ops.reduce_prod(ops.shape(g)[1:])]))
        total = ops.reshape(ops.reduce_sum(rows * ops.expand_dims(shares, 1), 0), ops.shape(g)[1:])
        if start.shape.raw == stop.shape.raw is not None:
            return total
        shapes = [ops.shape(start), ops.shape(stop)]
        repeated = ops.broadcast_gradient_args(*shapes)[place]
        return ops.reshape(ops.reduce_sum(total, repeated), shapes[place])

    return [lambda: of(0, one, zero), lambda: of(1, zero, one), None]
