"""`tf.nn.fractional_max_pool` and `fractional_avg_pool`: windows of two neighbouring sizes, in random order.

An input of 10 rows becomes one of 7 by windows of 1 and 2 rows. The node gives the first row of each window, and the
row behind the last one, beside the result. Sources: Graham, Fractional Max-Pooling (2014); the sequences are
TensorFlow's for its seeds (core/kernels/fractional_pool_common.cc).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, floor
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.declare.effects import VOLATILE
from ...graph.declare.op_declaration import OpDef, Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Int, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import DType, float32, float64, int32, int64
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, possible, require_rank, require_shapes
from ..elementwise.casting import cast
from ..elementwise.comparison import greater_equal, less
from ..elementwise.logical import logical_and
from ..linalg.einsum import einsum
from ..move.reshaping import expand_dims
from ..random.philox import Position, random_words, stream_start
from ..random.random_shuffle import permutation
from ..reduce.reductions import reduce_sum

PUBLIC_NAMES = {"nn": "fractional_avg_pool fractional_max_pool"}

_Value: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(float32, float64, int32, int64), prefer=float32)]
_Places: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int64), prefer=int64)]
_IMAGES = "Images have the batch, the height, the width and the channels."


def _as_ratio(value: Any) -> tuple[float, ...]:
    if not isinstance(value, (list, tuple)) or any(isinstance(each, (bool, Tensor)) for each in value):
        raise ValueRuleError(f"must be a list of four numbers, not {value!r:.60}")
    found = tuple([float(each) for each in value])
    if len(found) != 4 or found[0] != 1.0 or found[3] != 1.0 or min(found) < 1.0:
        raise ValueRuleError("must be [1.0, of the height, of the width, 1.0] with numbers of at least 1, "
                             f"not {list(found)}")  # fmt: skip
    return found


_Ratio: TypeAlias = Annotated[Any, Attr(_as_ratio)]


class FractionalPool(NamedTuple):
    """What fractional pooling gives.

    Attributes:
        output: the pooled images.
        row_pooling_sequence: the first row of each window, and the row behind the last one.
        col_pooling_sequence: the same of columns.
    """

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


_FORM = (
    "T=value pooling_ratio pseudo_random overlapping deterministic seed seed2 "
    "->output,row_pooling_sequence,col_pooling_sequence"
)


@op(
    "FractionalMaxPool",
    graphdef=_FORM,
    out=("T", int64, int64),
    host_only=True,
    effects=VOLATILE,
)
def fractional_max_pool_op(
    value: _Value, pooling_ratio: _Ratio, pseudo_random: Flag = False, overlapping: Flag = False,
    deterministic: Flag = False, seed: Int = 0, seed2: Int = 0, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The op behind `tf.nn.fractional_max_pool`."""


@op(
    "FractionalAvgPool",
    graphdef=_FORM,
    out=("T", int64, int64),
    host_only=True,
    effects=VOLATILE,
)
def fractional_avg_pool_op(
    value: _Value, pooling_ratio: _Ratio, pseudo_random: Flag = False, overlapping: Flag = False,
    deterministic: Flag = False, seed: Int = 0, seed2: Int = 0, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The op behind `tf.nn.fractional_avg_pool`."""


@op("FractionalMaxPoolGrad", called="fractional_max_pool_grad", graphdef="T=orig_input overlapping", host_only=True,
    unread="orig_output")  # fmt: skip
def max_gradient_op(
    orig_input: _Value, orig_output: _Value, out_backprop: _Value, row_pooling_sequence: _Places,
    col_pooling_sequence: _Places, overlapping: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of FractionalMaxPool: it goes to the first largest element of each window."""


@op("FractionalAvgPoolGrad", called="fractional_avg_pool_grad", graphdef="T=out_backprop overlapping", host_only=True,
    ranks={"orig_input_tensor_shape": 1})  # fmt: skip
def avg_gradient_op(
    orig_input_tensor_shape: _Places, out_backprop: _Value, row_pooling_sequence: _Places,
    col_pooling_sequence: _Places, overlapping: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of FractionalAvgPool: each element of a window gets an equal part."""


_POOLS: tuple[OpDef[Any, Any], ...] = (fractional_max_pool_op, fractional_avg_pool_op)
max_gradient_op.no_gradient("TensorFlow has none for it")


# ---- shapes -------------------------------------------------------------------------------------


def _pooled(value: Tensor, axis: int, ratio: float) -> Dim:
    size = dims_of(value, 4)[axis]
    return floor(size / ratio) if isinstance(size, int) else unknown("the size of the input is not known", value)


def pool_shape(value: Tensor, ratio: tuple[float, ...], *attrs: Any) -> list[TensorShape]:
    """The shapes of the pooled images, and of both sequences."""
    require_rank(value, 4, 0, _IMAGES)
    batch, _, _, depth = dims_of(value, 4)
    rows, columns = _pooled(value, 1, ratio[1]), _pooled(value, 2, ratio[2])
    ends = [unknown("the shape of the input is not known", value) if each is None else each for each in (batch, depth)]
    return [shape_of((ends[0], rows, columns, ends[1])), shape_of((rows + 1,)), shape_of((columns + 1,))]


for _pool in _POOLS:
    _pool.shape(pool_shape)


@max_gradient_op.shape
def max_gradient_shape(value: Tensor, *rest: Any) -> TensorShape:
    require_rank(value, 4, 0, _IMAGES)
    return value.shape


@avg_gradient_op.shape
def avg_gradient_shape(sizes: Tensor, *rest: Any) -> TensorShape:
    return shape_of(unknown_dims(4, "the shape is not known before the run", sizes))


# ---- kernels ------------------------------------------------------------------------------------


def _sequences(sizes: Sequence[int], ratio: tuple[float, ...], pseudo: bool, seeds: tuple[int, int]) -> list[Any]:
    """The first row of each window, and the row behind the last one; the same of columns."""
    at = stream_start(*seeds)
    made = []
    for size, part in zip(sizes[1:3], ratio[1:3], strict=True):
        count = floor(size / part)
        if count < 1:
            raise InvalidArgumentError(message=f"pooling {size} rows or columns by {part} leaves none")
        lengths = _pseudo_random_lengths(at, size, count) if pseudo else _random_lengths(at, size, count)
        at = at.skip(1 if pseudo else -(-count // 4))
        made.append(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    return made


def _random_lengths(at: Position, size: int, count: int) -> Any:
    """As many windows of each length as fit, shuffled."""
    length, longer = divmod(size, count)
    lengths = np.full(count, length)
    lengths[:longer] += 1
    return lengths[permutation(at, count - 1)] if count > 1 else lengths


def _pseudo_random_lengths(at: Position, size: int, count: int) -> Any:
    """The gaps of ceil(alpha (i + u)), where one random u decides all."""
    alpha, least = size / count, size // count
    high, low = (int(word) for word in random_words(at, 2))
    most = min((least + 2) / alpha - 1, (size + 1 - least) / alpha - (count - 1))
    u = ((high & 0xFFFFF) << 32 | low) / 2.0**52 * most
    inner = [ceil(alpha * (i + u)) for i in range(1, count)]
    return np.diff([1, *inner, size + 1])


def _windows(places: Any, size: int, overlapping: bool) -> list[slice]:
    return [slice(int(first), min(int(end) + overlapping, size)) for first, end in pairwise(places)]


def _check_bounds(rows: Any, columns: Any, g: Any, sizes: Sequence[int]) -> None:
    """The bounds of windows must be those of the images whose sizes are given."""
    for label, bounds, count, size in (("row", rows, g.shape[1], sizes[1]), ("col", columns, g.shape[2], sizes[2])):
        if bounds.shape != (count + 1,) or (bounds < 0).any() or (bounds > size).any() or (np.diff(bounds) < 1).any():
            raise InvalidArgumentError(message=f"{label}_pooling_sequence must be {count + 1} rising places in "
                                               f"[0, {size}]: the bounds of {count} windows")  # fmt: skip


def _pool_kernel(pool: Callable[[Any], Any]) -> Callable[..., Any]:
    def kernel(
        xp: Any, value: Any, ratio: tuple[float, ...], pseudo: bool, overlapping: bool, deterministic: bool, seed: int,
        seed2: int,
    ) -> Any:  # fmt: skip
        require_shapes(value=(value, "nhwc"))
        if not deterministic and (seed or seed2):
            raise InvalidArgumentError(message="Both seed and seed2 should be 0 if deterministic is false.")
        seeds = (seed, seed2) if deterministic else (secrets.randbits(63), secrets.randbits(63))
        rows, columns = _sequences(value.shape, ratio, pseudo, seeds)
        out = np.empty((len(value), len(rows) - 1, len(columns) - 1, value.shape[3]), value.dtype)
        for i, tall in enumerate(_windows(rows, value.shape[1], overlapping)):
            for j, wide in enumerate(_windows(columns, value.shape[2], overlapping)):
                out[:, i, j] = pool(value[:, tall, wide])
        return [out, rows, columns]

    return kernel


def _mean(window: Any) -> Any:
    if window.dtype.kind == "f":
        return window.mean((1, 2))
    total, count = window.sum((1, 2)), window.shape[1] * window.shape[2]
    return np.sign(total) * (abs(total) // count)  # towards zero, as in C


fractional_max_pool_op.kernel(_pool_kernel(lambda window: window.max((1, 2))))
fractional_avg_pool_op.kernel(_pool_kernel(_mean))


@max_gradient_op.kernel
def max_gradient_kernel(
    xp: Any, value: Any, output: Any, g: Any, rows: Any, columns: Any, overlapping: bool
) -> Any:
    require_shapes(orig_input=(value, "nhwc"), orig_output=(output, "nyxc"), out_backprop=(g, "nyxc"))
    _check_bounds(rows, columns, g, value.shape)
    out = np.zeros_like(value)
    batch, depth = np.ogrid[: len(value), : value.shape[3]]
    for i, tall in enumerate(_windows(rows, value.shape[1], overlapping)):
        for j, wide in enumerate(_windows(columns, value.shape[2], overlapping)):
            width = wide.stop - wide.start
            count = (tall.stop - tall.start) * width
            largest = value[:, tall, wide].reshape(len(value), count, value.shape[3]).argmax(1)
            np.add.at(out, (batch, tall.start + largest // width, wide.start + largest % width, depth), g[:, i, j])
    return out


@avg_gradient_op.kernel
def avg_gradient_kernel(xp: Any, sizes: Any, g: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    require_shapes(orig_input_tensor_shape=(sizes, "4"), out_backprop=(g, "nyxc"))
    whole = [int(size) for size in sizes]
    if min(whole) < 0 or (whole[0], whole[3]) != (g.shape[0], g.shape[3]):
        raise InvalidArgumentError(message=f"images of sizes {whole} do not have a gradient of {list(g.shape)}")
    _check_bounds(rows, columns, g, possible(whole, g.dtype.itemsize))
    out = np.zeros(whole, g.dtype)
    for i, tall in enumerate(_windows(rows, out.shape[1], overlapping)):
        for j, wide in enumerate(_windows(columns, out.shape[2], overlapping)):
            count = (tall.stop - tall.start) * (wide.stop - wide.start)
            out[:, tall, wide] += (g[:, i, j] / count).astype(g.dtype)[:, None, None]
    return out


@fractional_max_pool_op.gradient("value: FractionalMaxPoolGrad")
def max_pool_gradient(ops: Any, op: Operation, g: Tensor | None, *others: Any) -> list[Any]:
    output, rows, columns = op.outputs
    if g is None:
        return [None]
    return [lambda: max_gradient_op(op.inputs[0], output, g, rows, columns, op.args[3])]


@fractional_avg_pool_op.gradient("value: FractionalAvgPoolGrad")
def avg_pool_gradient(ops: Any, op: Operation, g: Tensor | None, *others: Any) -> list[Any]:
    _, rows, columns = op.outputs
    if g is None:
        return [None]
    return [lambda: avg_gradient_op(cast(shape_op(op.inputs[0]), int64), g, rows, columns, op.args[3])]


@avg_gradient_op.gradient("out_backprop: the means of g over the same windows")
def avg_gradient_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    sizes, out_backprop, rows, columns = op.inputs
    overlapping = op.args[4]

    def means() -> Tensor:
        tall = _shares(rows, sizes[1], overlapping, out_backprop.dtype)
        wide = _shares(columns, sizes[2], overlapping, out_backprop.dtype)
        return einsum("ih,bhwc,jw->bijc", tall, g, wide)

    return [None, means, None, None]


def _shares(places: Tensor, size: Tensor, overlapping: bool, dtype: DType) -> Tensor:
    """How much of each window a row is."""
    numbers = range_op(size)
    begins, ends = expand_dims(places[:-1], 1), expand_dims(places[1:], 1) + int(overlapping)
    inside = cast(logical_and(greater_equal(numbers, begins), less(numbers, ends)), dtype)
    return inside / reduce_sum(inside, 1, keep_dims=True)


def pool_samples(rng: np.random.Generator) -> Samples:
    """Seeded pools, with and without overlap."""
    value = rng.permutation(2 * 7 * 8 * 2).reshape(2, 7, 8, 2).astype("f4")
    for pseudo, overlapping in ((False, False), (True, True)):
        yield sample(value, (1.0, 1.5, 1.4, 1.0), pseudo, overlapping, True, 3, 4)
    yield sample(value[:0], (1.0, 1.5, 1.4, 1.0), False, False, True, 3, 4)


for _pool in _POOLS:
    _pool.samples(pool_samples)

_ROWS, _COLUMNS = np.array([0, 2, 3], "i8"), np.array([0, 1, 3, 4], "i8")


@max_gradient_op.samples
def max_gradient_samples(rng: np.random.Generator) -> Samples:
    for batch in (2, 0):
        value, g = rng.random((batch, 3, 4, 2)).astype("f4"), rng.random((batch, 2, 3, 2)).astype("f4")
        yield sample(value, g, g, _ROWS, _COLUMNS, batch == 2)


@avg_gradient_op.samples
def avg_gradient_samples(rng: np.random.Generator) -> Samples:
    for batch in (2, 0):
        g = rng.random((batch, 2, 3, 2)).astype("f4")
        yield sample(np.array([batch, 3, 4, 2], "i8"), g, _ROWS, _COLUMNS, batch == 2)


# ---- the functions ------------------------------------------------------------------------------


def _seeds(deterministic: bool, seed: int, seed2: int) -> tuple[int, int]:
    """Deterministic windows without seeds are those of two random ones."""
    if deterministic and not seed and not seed2:
        return secrets.randbits(62), secrets.randbits(62)
    return seed, seed2


@reported_as_call("FractionalMaxPool", one_op=True)
def fractional_max_pool(
    value: TensorLike, pooling_ratio: Sequence[float], pseudo_random: bool = False, overlapping: bool = False,
    deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None
) -> FractionalPool:  # fmt: skip
    """The largest numbers of windows whose number is a fraction of the input's rows and columns.

    Args:
        value: float32, float64, int32 or int64 images of shape [batch, height, width, channels].
        pooling_ratio: [1.0, of the height, of the width, 1.0]: by how much they become smaller, at least 1.
        pseudo_random: whether one random number decides all windows, else they are shuffled.
        overlapping: whether the row and the column at the border belong to both windows.
        deterministic: whether all runs have the same windows; else `seed` and `seed2` must be 0.
        seed, seed2: two seeds; with both 0 the windows are random ones.

    Returns:
        A `FractionalPool`: images of shape [batch, floor(height / ratio), floor(width / ratio), channels], the first
        row of each window and the row behind the last one, and the same of columns, int64.

    Raises:
        TypeError: the dtype is another one.
        ValueError: the rank is another one, or `pooling_ratio` is no such list.
        InvalidArgumentError (when run): there are seeds without `deterministic`, or nothing would be left.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(10.0), [1, 1, 10, 1])
    ...     pooled = tf.nn.fractional_max_pool(image, [1.0, 1.0, 1.4, 1.0], deterministic=True, seed=1, seed2=2)
    ...     output, _, columns = session.run(pooled)
    ...     print(output.shape, columns[0], columns[-1], len(columns))
    (1, 1, 7, 1) 0 10 8

    Source: TensorFlow 1.15, `tf.nn.fractional_max_pool`.
    """
    seeds = _seeds(deterministic, seed, seed2)
    return FractionalPool(*fractional_max_pool_op(
        value, pooling_ratio, pseudo_random, overlapping, deterministic, *seeds, name=name
    ))  # fmt: skip


@reported_as_call("FractionalAvgPool", one_op=True)
def fractional_avg_pool(
    value: TensorLike, pooling_ratio: Sequence[float], pseudo_random: bool = False, overlapping: bool = False,
    deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None
) -> FractionalPool:  # fmt: skip
    """The means of windows whose number is a fraction of the input's rows and columns: see `fractional_max_pool`.

    Args:
        value: float32, float64, int32 or int64 images of shape [batch, height, width, channels].
        pooling_ratio: [1.0, of the height, of the width, 1.0]: by how much they become smaller, at least 1.
        pseudo_random: whether one random number decides all windows, else they are shuffled.
        overlapping: whether the row and the column at the border belong to both windows.
        deterministic: whether all runs have the same windows; else `seed` and `seed2` must be 0.
        seed, seed2: two seeds; with both 0 the windows are random ones.

    Returns:
        A `FractionalPool`, as there.

    Raises:
        TypeError: the dtype is another one.
        ValueError: the rank is another one, or `pooling_ratio` is no such list.
        InvalidArgumentError (when run): there are seeds without `deterministic`, or nothing would be left.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(10.0), [1, 1, 10, 1])
    ...     pooled = tf.nn.fractional_avg_pool(image, [1.0, 1.0, 2.0, 1.0], deterministic=True, seed=1, seed2=2)
    ...     print(session.run(pooled.output).ravel())
    [0.5 2.5 4.5 6.5 8.5]

    Source: TensorFlow 1.15, `tf.nn.fractional_avg_pool`.
    """
    seeds = _seeds(deterministic, seed, seed2)
    return FractionalPool(*fractional_avg_pool_op(
        value, pooling_ratio, pseudo_random, overlapping, deterministic, *seeds, name=name
    ))  # fmt: skip
