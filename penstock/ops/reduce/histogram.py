"""histogram_fixed_width: how many values fall into each of some bins of equal width."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, bits_of, float32, float64, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.failure_rules import refusal, why_refused
from ..declare.shape_checks import listed, possible, require_rank
from ..index.unique import IndexDType

PUBLIC_NAMES = {"start": "histogram_fixed_width"}

_Values = Annotated[TensorLike, Operand("T", bits_of(int32, int64, float32, float64))]
_Range = Annotated[TensorLike, Operand("T", bits_of(int32, int64, float32, float64), host=True)]
_Count = Annotated[TensorLike, Operand(None, bits_of(int32), host=True, prefer=int32)]




@op("HistogramFixedWidth", graphdef="T=values dtype ->out", out="dtype", no_gradient="it gives ints")
def histogram_fixed_width(
    values: _Values,
    value_range: _Range,
    nbins: _Count = 100,
    dtype: IndexDType = int32,
    name: str | None = None,
) -> Tensor:
    """How many of the values lie in each of `nbins` bins of equal width between the two ends of `value_range`.

    A value below the range counts in the first bin, one that is not below its end in the last.

    Args:
        values: int32, int64, float32 or float64, any shape.
        value_range: a vector of the dtype of `values`: the lower and the upper end.
        nbins: an int32 scalar, 1 or more.
        dtype: the dtype of the result: int32 or int64.

    Returns:
        A tensor of shape [nbins] and dtype `dtype`.

    Raises:
        TypeError: `values` or `nbins` has another dtype, `value_range` not that of `values`, or `dtype` is another.
        ValueError: `value_range` is not a vector of two, `nbins` not a scalar, or known not to be positive.
        InvalidArgumentError (when run): the same of what only the run knows, the lower end is not below the upper one,
            or a value is NaN.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
    ...     print(session.run(tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5)))
    [2 1 1 0 2]

    Source: TensorFlow 1.x, `tf.histogram_fixed_width`.
    """


@histogram_fixed_width.shape
def histogram_fixed_width_shape(values: Tensor, value_range: Tensor, nbins: Tensor, dtype: DType) -> TensorShape:
    require_rank(value_range, 1, 1, "value_range is [low, high].")
    dims = value_range.shape.raw
    if dims and isinstance(dims[0], int) and dims[0] != 2:
        raise ShapeError(f"Dimension must be 2 but is {dims[0]}", operand=1, dim=0)
    require_rank(nbins, 0, 2)
    count = known_scalar(nbins)
    if isinstance(count, int) and count <= 0:
        raise ValueRuleError(f"Requires nbins > 0: {count}", operand=2)
    return shape_of((unknown("nbins is not known before the run", nbins) if count is None else count,))


def check_bins(value_range: Any, nbins: Any) -> None:
    """InvalidArgumentError where the two operands describe no bins."""
    if value_range.shape != (2,):
        raise InvalidArgumentError(message=f"value_range should be a vector of 2 elements. Its shape is "
                                           f"{listed(value_range.shape)}")  # fmt: skip
    if not value_range[0] < value_range[1]:
        ends = ", ".join(f"{end:g}" for end in value_range.tolist())
        raise InvalidArgumentError(
            message=f"value_range should satisfy value_range[0] < value_range[1], but got '[{ends}]'"
        )
    if nbins.ndim:
        raise InvalidArgumentError(message=f"nbins should be a scalar. Its shape is {listed(nbins.shape)}")
    if nbins <= 0:
        raise InvalidArgumentError(message=f"nbins should be a positive number, but got '{int(nbins)}'")


@histogram_fixed_width.kernel
def histogram_fixed_width_kernel(xp: Any, values: Any, value_range: Any, nbins: Any, dtype: DType) -> Any:
    check_bins(value_range, nbins)
    count = int(nbins)
    possible((count,), 8)
    low, high = value_range.tolist()
    flat = values.reshape(-1)
    if flat.dtype.kind == "f" and bool(xp.isnan(flat).any()):
        raise InvalidArgumentError(message="Histogram values must not contain NaN")
    # Ints that lie far below the range would wrap around in the difference.
    above = (xp.maximum(flat, flat.dtype.type(low)).astype(np.float64) - low) / ((high - low) / count)
    places = xp.minimum(above, count - 1).astype(np.int64)
    return xp.bincount(places, minlength=count).astype(dtype.np)


@histogram_fixed_width.fails
def histogram_fixed_width_fails(values: Tensor, value_range: Tensor, nbins: Tensor, dtype: DType) -> str | None:
    if values.dtype.is_floating:
        return "a value may be NaN"
    return why_refused(check_bins, value_range, nbins)


@histogram_fixed_width.mistake
def histogram_fixed_width_mistake(values: Tensor, value_range: Tensor, nbins: Tensor, dtype: DType) -> str | None:
    return refusal(check_bins, value_range, nbins)


histogram_fixed_width.flops(lambda values, value_range, nbins, dtype: 4 * prod(values))


@histogram_fixed_width.samples
def histogram_fixed_width_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 4)).astype("f4"), np.array([0, 1], "f4"), np.array(4, "i4"), fixed=("value_range",))
    yield sample(rng.integers(-5, 9, 7), np.array([-2, 5]), np.array(3, "i4"), "int64", fixed=("value_range", "nbins"))
    yield sample(np.zeros(0, "f8"), np.array([0.0, 2.0]), fixed=("value_range",))


@histogram_fixed_width.distributes
@partial(labelled, combined="sum")
def histogram_fixed_width_distributes(values: Tensor, *_: Any) -> Axes | None:
    rank = values.shape.ndims
    return None if rank is None else ([range(rank)], [[None]])
