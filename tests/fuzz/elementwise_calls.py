"""Random calls of elementwise functions, reductions and sums by number, with derivatives."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from .call_operands import COMPLEX, FLOATS, INTS, Operands

REAL = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "digamma", "erf", "erfc",
    "exp", "expm1", "floor", "is_finite", "is_inf", "is_nan", "lgamma", "log", "log1p", "log_sigmoid", "negative",
    "nn.elu", "nn.leaky_relu", "nn.relu", "nn.relu6", "nn.selu", "nn.softplus", "nn.softsign", "nn.swish",
    "reciprocal", "rint", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
    "zeros_like", "ones_like", "math.reciprocal_no_nan", "nn.crelu", "identity", "math.erfinv", "math.ndtri",
    "nn.l2_loss", "nn.zero_fraction", "stop_gradient",
)  # fmt: skip
OF_INTS = (
    "abs", "negative", "sign", "square", "identity", "zeros_like", "ones_like", "bitwise.invert", "round",
    "nn.relu", "nn.relu6", "count_nonzero", "nn.zero_fraction",
)  # fmt: skip
OF_COMPLEX = (
    "abs", "angle", "conj", "cos", "cosh", "exp", "expm1", "imag", "log", "log1p", "negative", "real", "reciprocal",
    "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "acos", "asin", "atan", "asinh",
    "acosh", "atanh",
)  # fmt: skip
OF_TWO = (
    "add", "atan2", "divide", "div_no_nan", "equal", "floordiv", "floormod", "greater", "greater_equal", "less",
    "less_equal", "maximum", "minimum", "multiply", "not_equal", "pow", "realdiv", "squared_difference", "subtract",
    "truediv", "math.xdivy", "math.xlogy", "math.xlog1py", "math.multiply_no_nan", "math.nextafter", "igamma",
    "igammac", "zeta", "polygamma", "mod", "div",
)  # fmt: skip
OF_TWO_INTS = (
    "add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "floordiv", "floormod", "truncatediv", "truncatemod", "squared_difference",
    "bitwise.bitwise_and", "bitwise.bitwise_or", "bitwise.bitwise_xor", "bitwise.left_shift", "bitwise.right_shift",
    "truediv", "pow", "div", "mod",
)  # fmt: skip
OVER_AXES = (
    "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum", "math.reduce_euclidean_norm", "math.reduce_std", "math.reduce_variance", "count_nonzero",
)  # fmt: skip


def function(tf: Any, name: str) -> Any:
    """What a dotted name of `tf` names."""
    return reduce(getattr, name.split("."), tf)


def with_gradients(o: Operands, results: Any, sources: list[Any]) -> list[Any]:
    """The results, their known shapes, and half of the time their derivatives by the sources that are tensors."""
    every = [*results] if isinstance(results, list | tuple) else [results]
    every = [part for each in every for part in (each if isinstance(each, list) else [each])]
    sources = [each for each in sources if hasattr(each, "op")]
    first = every[0]
    if not sources or o.chance(0.5) or not first.dtype.is_floating:
        return every
    total = o.tf.reduce_sum(first * first) if o.chance(0.5) else first
    return [*every, *(each for each in o.tf.gradients(total, sources) if each is not None)]


def of_one(o: Operands) -> list[Any]:
    """Functions of one array."""
    kind = o.rng.randint(8)
    if kind == 0:
        x = o.draw(o.sizes(), o.pick(*INTS), -9, 9, unusual=0.2)
        return with_gradients(o, function(o.tf, o.pick(*OF_INTS))(x), [])
    if kind == 1:
        x = o.draw(o.sizes(), o.pick(*COMPLEX))
        return with_gradients(o, function(o.tf, o.pick(*OF_COMPLEX))(x), [])
    name = o.pick(*REAL)
    sizes, dtype = o.sizes(), o.pick(*FLOATS)
    low, high = o.pick((-3.0, 3.0), (-1.0, 1.0), (0.1, 30.0))
    x = o.draw(sizes, dtype, low, high, 0.3)
    return with_gradients(o, function(o.tf, name)(x), [x])


def of_two(o: Operands) -> list[Any]:
    """Functions of two arrays that are broadcast; a few do not fit."""
    sizes = o.sizes()
    other = [1 if o.chance(0.2) else size for size in sizes[o.rng.randint(len(sizes) + 1) :]]
    if o.chance(0.03):
        other = [*other, 7]
    if o.chance(0.5):
        sizes, other = other, sizes
    if o.chance(0.3):
        name, dtype = o.pick(*OF_TWO_INTS), o.pick(*INTS)
        x = o.draw(sizes, dtype, -20, 20, unusual=0.2)
        if name == "bitwise.left_shift" or name == "bitwise.right_shift":
            return [function(o.tf, name)(x, o.draw(other, dtype, 0, 7))]
        if name == "pow":
            return [o.tf.pow(x, o.draw(other, dtype, 0, 4))]
        # what the least int over minus one gives is not said
        return [function(o.tf, name)(x, o.draw(other, dtype, 0 if o.chance(0.05) else 1, 20))]
    name, dtype = o.pick(*OF_TWO), o.pick(*FLOATS)
    special = name in ("igamma", "igammac", "zeta", "polygamma")
    dtype = o.pick("float32", "float64") if special or name == "math.nextafter" else dtype
    x = o.array(sizes, dtype, *((0.2, 9.0) if special else (-3.0, 3.0)), unusual=0.2)
    y = o.array(other, dtype, *((1.2, 9.0) if special else (-3.0, 3.0)), unusual=0.2)
    if name == "polygamma":
        x = np.round(x)
    x, y = o.operand(x), o.operand(y)
    return with_gradients(o, function(o.tf, name)(x, y), [x, y])


def over_axes(o: Operands) -> list[Any]:
    """Reductions over one, several, all or no dimensions, running sums, places of extremes."""
    sizes = o.sizes()
    kind = o.rng.randint(4)
    dtype = o.pick(*FLOATS[1:], "int32", "int64", "float16", "complex64")
    if kind == 0:
        name = o.pick("cumsum", "cumprod")
        x = o.draw(sizes or [2], dtype, unusual=0.1)
        along = o.axis(len(sizes or [2]))
        result = function(o.tf, name)(x, along, exclusive=o.chance(0.5), reverse=o.chance(0.5))
        return with_gradients(o, result, [x])
    if kind == 1:
        x = o.draw(sizes or [3], o.pick("float32", "float64", "int32", "int64", "uint8"))
        return [
            o.tf.argmax(x, o.axis(len(sizes or [3]))),
            o.tf.argmin(x, o.axis(len(sizes or [3])), output_type=o.tf.int32),
        ]
    name = o.pick(*OVER_AXES)
    if name in ("reduce_all", "reduce_any"):
        dtype = "bool"
    elif name.startswith("math") or "log" in name:
        dtype = o.pick("float32", "float64")
    elif "m" in name[7:9] and dtype == "complex64":
        dtype = "float32"
    x = o.draw(sizes, dtype, unusual=0.15)
    rank = len(sizes)
    axis: Any = o.pick(
        None, [], o.axis(rank), [o.axis(rank)], o.rng.permutation(rank)[: o.rng.randint(rank + 1)].tolist()
    )
    if rank == 0 and isinstance(axis, int):
        axis = None
    if isinstance(axis, list) and axis and o.chance(0.3):
        axis = o.operand(np.array(axis, o.pick("int32", "int64")))
    # The derivatives of these of zeros are NaN there and 0 here.
    smooth = [] if name in ("math.reduce_euclidean_norm", "math.reduce_std") else [x]
    return with_gradients(o, function(o.tf, name)(x, axis, keepdims=o.chance(0.4)), smooth)


def by_number(o: Operands) -> list[Any]:
    """Segments, counts, matrices of confusion, members of the largest k, permutations turned round."""
    kind = o.rng.randint(9)
    tf, rng = o.tf, o.rng
    dtype = o.pick("float32", "float64", "int32", "int64")
    if kind < 2:
        count = int(rng.randint(0, 7))
        x = o.draw([count, *o.sizes(0, 2)], dtype)
        ids = np.sort(rng.randint(0, 5, count))
        if o.chance(0.05):
            ids = ids[::-1]
        name = o.pick("segment_sum", "segment_mean", "segment_max", "segment_min", "segment_prod")
        return with_gradients(o, getattr(tf, name)(x, o.operand(ids.astype(o.pick("i4", "i8")))), [x])
    if kind < 4:
        sizes = o.sizes(1, 3)
        x = o.draw(sizes, o.pick("float32", "float64") if o.chance(0.7) else dtype)
        ids = rng.randint(-1, 4, sizes[: rng.randint(0, len(sizes) + 1)])
        names = (
            ("sum", "max", "min", "prod") if "int" in str(x.dtype) else ("sum", "max", "min", "prod", "mean", "sqrt_n")
        )
        call = getattr(tf, f"unsorted_segment_{o.pick(*names)}")
        return with_gradients(o, call(x, o.operand(np.asarray(ids, o.pick("i4", "i8"))), int(rng.randint(3, 6))), [x])
    if kind == 4:
        x = o.draw([int(rng.randint(1, 6)), *o.sizes(0, 2)], o.pick("float32", "float64"))
        count = int(rng.randint(0, 6))
        rows = rng.randint(0, 7 if o.chance(0.05) else 1, count) if o.chance(0.3) else np.zeros(count)
        ids = np.sort(rng.randint(0, 4, count)).astype("i4")
        name = o.pick("sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n")
        return with_gradients(o, getattr(tf, name)(x, o.operand(rows.astype("i4")), o.operand(ids)), [x])
    if kind == 5:
        numbers = rng.randint(0, 6, o.sizes(1, 1)).astype("i4")
        weights = o.operand(rng.rand(*numbers.shape).astype("f4")) if o.chance(0.4) else None
        low, high = (int(rng.randint(0, 4)) if o.chance(0.4) else None for _ in range(2))
        kind_ = tf.int32 if weights is None else tf.float32
        return [tf.math.bincount(o.operand(numbers), weights, low, high, kind_)]
    if kind == 6:
        count = int(rng.randint(0, 6))
        labels, guesses = (rng.randint(-1 if o.chance(0.03) else 0, 4, count) for _ in range(2))
        weights = o.operand(rng.rand(count).astype("f4")) if o.chance(0.4) else None
        return [
            tf.math.confusion_matrix(o.operand(labels), o.operand(guesses), o.pick(None, 5), tf.float32, None, weights)
        ]
    if kind == 7:
        height, columns = int(rng.randint(0, 4)), int(rng.randint(1, 6))
        scores = o.draw([height, columns], "float32", unusual=0.2)
        return [
            tf.nn.in_top_k(scores, o.operand(rng.randint(-1, columns + 1, height).astype("i4")), int(rng.randint(0, 7)))
        ]
    order = rng.permutation(int(rng.randint(0, 7))).astype(o.pick("i4", "i8"))
    if o.chance(0.1) and order.size:
        order[0] = o.pick(-1, 99, order[-1])
    return [tf.math.invert_permutation(o.operand(order))]


def histograms_and_order(o: Operands) -> list[Any]:
    """Histograms, sorts, the largest k, distinct elements and differences of lists."""
    tf, rng = o.tf, o.rng
    kind = rng.randint(6)
    dtype = o.pick("float32", "float64", "int32", "int64")
    if kind == 0:
        x = o.draw(o.sizes(), dtype, -9, 9)
        limits = np.array([-3, 4], dtype) if o.chance(0.95) else np.array([4, 4], dtype)
        return [tf.histogram_fixed_width(x, o.operand(limits), int(rng.randint(1, 6)), o.pick(tf.int32, tf.int64))]
    if kind == 1:
        x = o.draw(o.sizes(1), o.pick(dtype, "uint8", "int8", "float16"), -9, 9)
        axis = -1
        return [tf.sort(x, axis, o.pick("ASCENDING", "DESCENDING"))]
    if kind == 2:
        sizes = o.sizes(1)
        x = o.draw(sizes, o.pick(dtype, "uint8", "int8", "float16"), -5, 5)
        return with_gradients(o, tf.nn.top_k(x, int(rng.randint(0, sizes[-1] + 1))), [x])
    if kind == 3:
        x = o.draw(o.sizes(1, 1), o.pick(dtype, "uint8", "int8"), -3, 3)
        unique = tf.unique_with_counts(x, o.pick(tf.int32, tf.int64)) if o.chance(0.5) else tf.unique(x)
        return list(unique)
    if kind == 4:
        return list(tf.setdiff1d(o.draw(o.sizes(1, 1), dtype, -3, 3), o.operand(o.array([2], dtype))))
    x = o.draw(o.sizes(1), "float32")
    edges = np.sort(rng.uniform(-3, 3, int(rng.randint(0, 5)))).astype("f4")
    side = o.pick("left", "right")
    return [
        tf.searchsorted(o.operand(edges), o.operand(rng.uniform(-3, 3, 4).astype("f4")), side),
        tf.rank(x),
        tf.size(x),
    ]
