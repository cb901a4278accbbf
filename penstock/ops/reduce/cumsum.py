"""Running sums and products along one axis."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np

from ...graph.building.constant_evaluation import known_int
from ...graph.declare.axis_labels import all_but, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import (
    INT32_64,
    Flag,
    Number,
    Operand,
    TensorLike,
)
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bfloat16, int32
from ..declare.elementwise_decl import same_shape
from ..declare.failure_rules import refusal
from ..declare.shape_checks import one_axis

PUBLIC_NAMES = {"start math": "cumprod cumsum"}

_ScanAxis = Annotated[TensorLike, Operand("Tidx", INT32_64, host=True, prefer=int32)]

SCAN_WORDS = ("ScanOp: Expected scan axis", "ScanOp: axis")


def _scan(ufunc: str, neutral: int, xp: Any, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    if x.dtype == bfloat16.np and not isinstance(x, np.ndarray):
        # CuPy has no running sums of bfloat16: they are made in float32 and rounded at the end.
        return _scan(ufunc, neutral, xp, x.astype(np.float32), axis, exclusive, reverse).astype(x.dtype)
    place = one_axis(axis, x.ndim, *SCAN_WORDS)
    out = xp.empty(x.shape, x.dtype)  # 1e7 float32: 33 ms, 36 where NumPy makes the result
    scan_into(out, x, xp, ufunc, neutral, place, exclusive, reverse)
    return out


def scan_into(
    out: Any, x: Any, xp: Any, ufunc: str, neutral: int, place: int, exclusive: bool, reverse: bool
) -> None:
    """`out` is the running sum ("cumsum") or product ("cumprod") of `x` along the axis `place`."""
    if reverse:
        x, out = xp.flip(x, place), xp.flip(out, place)
    if exclusive:
        # The result is that of the axis shifted by one: the neutral element enters, the last one leaves.
        shape = [min(d, 1) if i == place else d for i, d in enumerate(x.shape)]
        first = xp.full(shape, neutral, x.dtype)
        kept = x[(slice(None),) * place + (slice(0, -1),)]
        x = xp.concatenate([first, kept], axis=place)
    getattr(xp, ufunc)(x, axis=place, dtype=x.dtype, out=out)


@op(
    "Cumsum", graphdef="exclusive reverse T=x Tidx=axis ->out", flops=1, reads_rows="x", gives_rows=True,
    shape=same_shape,
)  # fmt: skip
def cumsum(
    x: Number, axis: _ScanAxis = 0, exclusive: Flag = False, reverse: Flag = False, name: str | None = None
) -> Tensor:
    """Running sums along `axis`: out[i] = x[0] + ... + x[i].

    Args:
        x: ints, floats or complex numbers, of rank 1 or higher.
        axis: an int32 or int64 scalar; a negative one counts from the end.
        exclusive: True leaves x[i] out of out[i]: out[i] = x[0] + ... + x[i-1], and out[0] = 0.
        reverse: True sums from the end: out[i] = x[i] + ... + x[-1].

    Returns:
        A tensor with the shape and dtype of `x`. Ints wrap around; 16-bit floats are rounded at every step.

    Raises:
        TypeError: `x` or `axis` has another dtype.
        InvalidArgumentError (when run): `axis` is not a scalar, or out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cumsum([1, 2, 3])))
    ...     print(session.run(tf.cumsum([1, 2, 3], exclusive=True, reverse=True)))
    [1 3 6]
    [5 3 0]

    Source: TensorFlow 1.x, `tf.cumsum`.
    """


@op(
    "Cumprod", graphdef="exclusive reverse T=x Tidx=axis ->out", flops=1, reads_rows="x", gives_rows=True,
    shape=same_shape,
)  # fmt: skip
@documented_like(cumsum)
def cumprod(
    x: Number, axis: _ScanAxis = 0, exclusive: Flag = False, reverse: Flag = False, name: str | None = None
) -> Tensor:
    """Running products along `axis`: out[i] = x[0] * ... * x[i].

    Args:
        exclusive: True leaves x[i] out of out[i]: out[i] = x[0] * ... * x[i-1], and out[0] = 1.
        reverse: True multiplies from the end: out[i] = x[i] * ... * x[-1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.cumprod([2, 3, 4])))
    [ 2  6 24]
    """


for _each in (cumsum, cumprod):
    _each.mistake(lambda x, axis, exclusive, reverse: refusal(one_axis, axis, x.shape.ndims, *SCAN_WORDS))
cumsum.distributes(labelled(lambda x, axis, *_: all_but(x, known_int(axis))))
cumprod.distributes(labelled(lambda x, axis, *_: all_but(x, known_int(axis))))
cumsum.kernel(partial(_scan, "cumsum", 0))
cumprod.kernel(partial(_scan, "cumprod", 1))


@cumsum.gradient("cumsum(g) from the other end")
def cumsum_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, axis, exclusive, reverse = op.args
    return [lambda: ops.cumsum(g, axis, exclusive, not reverse), None]


@cumprod.gradient("cumsum(g * out) from the other end, / x; 0 where x is 0")
def cumprod_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    x, axis, exclusive, reverse = op.args

    def build() -> Tensor:
        # Not op.outputs[0], which a run may feed; the pass "merge" makes one node of both.
        product = ops.cumprod(x, axis, exclusive, reverse)
        total = ops.cumsum(ops.conj(product) * g, axis, exclusive, not reverse)
        is_zero = ops.equal(x, ops.zeros_like(x))
        divisor = ops.conj(ops.where(is_zero, ops.ones_like(x), x))
        return ops.where(is_zero, ops.zeros_like(x), total / divisor)

    return [build, None]


@cumsum.samples
@cumprod.samples
def cumsum_samples(rng: np.random.Generator) -> Samples:
    for dtype in (np.dtype("f4"), np.dtype("i4"), np.dtype("c8"), bfloat16.np):
        yield sample(rng.integers(-3, 4, (3, 4)).astype(dtype), np.array(1, np.int32))
    x = rng.integers(1, 4, (2, 3, 2)).astype("f8")
    for exclusive in (False, True):
        for reverse in (False, True):
            yield sample(x, np.array(-2, np.int64), exclusive, reverse)
    yield sample(np.zeros((2, 0), "f4"), np.array(1, np.int32), True)
