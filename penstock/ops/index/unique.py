"""unique: the distinct values of a vector, in order of first appearance."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ShapeError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import BOOL, REALS, STRING, Attr, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype, bfloat16, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed
from .row_indexing import private

PUBLIC_NAMES = {"start": "unique"}


def _index_dtype(value: Any) -> DType:
    dtype = as_dtype(value)
    if dtype not in (int32, int64):
        raise DTypeError(f"has DataType {dtype.name} not in list of allowed values: int32, int64")
    return dtype


_Values = Annotated[TensorLike, Operand("T", REALS | BOOL | STRING)]
IndexDType = Annotated[DType | str | type | np.dtype[Any], Attr(_index_dtype)]


@op("Unique", graphdef="T=x out_idx ->y,idx", out=("T", "out_idx"))
def unique(x: _Values, out_idx: IndexDType = int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The values of a vector, each once, in the order in which they first occur: x[i] = y[idx[i]].

    NaNs are all different. 0.0 and -0.0 are one value; the one that comes first is kept.

    Args:
        x: a vector of any dtype but complex.
        out_idx: the dtype of `idx`: int32 or int64.

    Returns:
        Two vectors (y, idx): the values, with the dtype of `x`, and for each entry of `x` the position of its value in
        `y`.

    Raises:
        TypeError: `x` is complex, or `out_idx` is another dtype.
        ValueError: `x` is not a vector.
        InvalidArgumentError (when run): `x` is not a vector.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y, idx = tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8])
    ...     print(*session.run([y, idx]))
    [1 2 4 7 8] [0 0 1 2 2 2 3 4 4]

    Source: TensorFlow 1.x, `tf.unique`.
    """


@unique.shape
def unique_shape(x: Tensor, out_idx: DType) -> list[TensorShape]:
    if x.shape.ndims not in (None, 1):
        raise ShapeError(f"Shape must be rank 1 but is rank {x.shape.ndims}", operand=0)
    values = unknown("only the run knows how many values are different", x)
    places = shape_of((unknown("the shape of x is not known", x),)) if x.shape.raw is None else x.shape
    return [shape_of((values,)), places]


def _unique(xp: Any, x: Any, out_idx: DType) -> tuple[Any, Any]:
    if x.dtype.kind == "O":
        return _unique_strings(x, out_idx)
    # Sorting bfloat16 directly leaves NaNs anywhere and does not group equal values.
    keys = x.astype(np.float32) if x.dtype == bfloat16.np else x
    order = xp.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = xp.ones(len(x), bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    # The sort is stable: the first of each group of equal values is the one that appears first in x.
    first = order[starts]
    is_first = xp.zeros(len(x), bool)
    is_first[first] = True
    rank = (xp.cumsum(is_first) - 1)[first]
    idx = xp.empty(len(x), out_idx.np)
    idx[order] = rank[xp.cumsum(starts) - 1]
    return x[is_first], idx


def _unique_strings(x: Any, out_idx: DType) -> tuple[Any, Any]:
    places: dict[bytes, int] = {}
    idx = np.array([places.setdefault(value, len(places)) for value in x], out_idx.np)
    y = np.empty(len(places), object)
    y[:] = list(places)
    return y, idx


@unique.kernel
def unique_kernel(xp: Any, x: Any, out_idx: DType) -> Any:
    if x.ndim != 1:
        raise InvalidArgumentError(message=f"unique expects a 1D vector. The shape is {listed(x.shape)}")
    return _unique(xp, private(x), out_idx)


@unique.samples
def unique_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([3, 1, 3, 2, 1], "f4"))
    yield sample(np.array([3, 1, 3], "i4"), "int64")
    yield sample(np.array([b"b", b"", b"b"], object))
    yield sample(np.array([True, False, True]))
    yield sample(np.zeros((0,), "u1"))


unique.no_gradient("as in TensorFlow, its values count as constants")
