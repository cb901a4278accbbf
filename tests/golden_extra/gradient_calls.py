"""The calls whose gradients are recorded: every op that has a derivative, several inputs each, kinks and ties too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """A placeholder and what it is fed."""

    array: Array


@dataclass(frozen=True, slots=True)
class Node:
    """A node that is made before the call, as an argument of it."""

    op: str
    kwargs: dict[str, Any]
    index: int | None = None
    """Which output is the argument, of several."""


Recorded = tuple[str, dict[str, Any]]


def p(values: Any, dtype: str = "f4") -> Place:
    """A placeholder fed `values`."""
    return Place(np.array(values, dtype))


def grid(*shape: int, dtype: str = "f4", shift: float = 0.0) -> Place:
    """A placeholder with different numbers, of both signs, none 0."""
    size = int(np.prod(shape))
    values = ((np.arange(size) * 7) % 19 - 9.25) / 4 + shift
    if dtype.startswith("c"):
        values = values + 1j * (((np.arange(size) * 5) % 13) - 6.5) / 4
    return Place(values.reshape(shape).astype(dtype))


def ints(values: Any, dtype: str = "i4") -> Array:
    """A constant of integers."""
    return np.array(values, dtype)


def calls() -> Iterator[Recorded]:
    """All of them."""
    for group in (unary, binary, reductions, shapes, indexing, segments, products, rows, activations, others,
                  behind_choices):  # fmt: skip
        yield from group()


# ---- elementwise ---------------------------------------------------------------------------------

REAL_LINE = [-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 3.0]
SPECIAL = [float("nan"), float("inf"), float("-inf")]
ANYWHERE = ("exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "square", "negative",
            "abs", "sign", "sigmoid", "softplus", "relu", "relu6", "identity", "floor", "ceil", "round", "rint",
            "stop_gradient", "zeros_like", "ones_like", "conj", "real", "imag")  # fmt: skip
SOMEWHERE = {
    "log": [0.0, 0.25, 1.0, 3.0, -1.0], "log1p": [-1.0, -0.5, 0.0, 2.0, -2.0], "sqrt": [0.0, 0.25, 1.0, 4.0, -1.0],
    "rsqrt": [0.0, 0.25, 1.0, 4.0, -1.0], "reciprocal": [0.0, -0.5, 0.25, 4.0],
    "asin": [-1.0, -0.5, 0.0, 0.75, 1.0, 2.0],
    "acos": [-1.0, -0.5, 0.0, 0.75, 1.0, 2.0], "acosh": [1.0, 1.5, 3.0, 0.5],
    "atanh": [-1.0, -0.5, 0.0, 0.75, 1.0, 2.0],
}  # fmt: skip
OPERAND = {"relu": "features", "relu6": "features", "softplus": "features", "identity": "input", "real": "input",
           "imag": "input", "stop_gradient": "input", "zeros_like": "tensor", "ones_like": "tensor"}  # fmt: skip
COMPLEX_ONLY = ("conj", "real", "imag")
NOT_COMPLEX = ("erf", "softplus", "relu", "relu6", "floor", "ceil", "rint")


def unary() -> Iterator[Recorded]:
    """Ops of one operand, number by number."""
    for op in (*ANYWHERE, *SOMEWHERE):
        label = OPERAND.get(op, "x")
        line = SOMEWHERE.get(op, [*REAL_LINE, 6.0, 7.0] if op == "relu6" else REAL_LINE)
        if op not in COMPLEX_ONLY:
            for dtype in ("f4", "f8", "f2"):
                yield op, {label: p(line, dtype)}
            yield op, {label: p(SPECIAL)}
            yield op, {label: p(0.5)}
            yield op, {label: p(np.zeros((2, 0, 3)))}
        if op not in NOT_COMPLEX:
            yield op, {label: p([0.5 + 0.25j, -1.5 + 2.0j, 0.25 - 0.75j, 2.0 - 1.0j], "c16")}
            yield op, {label: p([[0.5 + 0.25j], [1.5 - 0.5j]], "c8")}
    for op in ("abs", "sign", "sqrt", "reciprocal", "square", "log"):
        yield op, {"x": p([0.0, 1j, 1.0], "c16")}
    for source, target in (("f4", "float64"), ("f8", "float32"), ("f4", "float16"), ("f2", "float32"), ("f4", "int32"),
                           ("f8", "bool"), ("f4", "complex64"), ("c16", "float64"), ("c8", "complex128"),
                           ("f8", "bfloat16"), ("f4", "float32")):  # fmt: skip
        if target == "bfloat16":
            yield "cast", {"x": Node("cast", {"x": p([1.5, -2.0], source), "dtype": target}), "dtype": "float32"}
        else:
            yield "cast", {"x": p([1.5, -2.0, 0.0], source), "dtype": target}
    for through in ("int32", "bool", "uint8", "int64"):
        yield "cast", {"x": Node("cast", {"x": p([1.5, 2.0]), "dtype": through}), "dtype": "float32"}


PAIRS: list[tuple[Any, Any]] = [
    ([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]], [[0.5, 1.0, -2.0], [2.0, -0.5, 4.0]]),
    ([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]], [0.5, 1.0, -2.0]),
    ([0.5, 1.0, -2.0], [[1.5], [-0.25]]),
    ([[1.5, -2.0, 0.5]], [[0.5], [1.0], [-2.0], [2.0]]),
    (2.0, [[0.5, 1.0], [-2.0, 3.0]]),
    ([[0.5, 1.0], [-2.0, 3.0]], [[2.0]]),
    ([[[0.5]], [[1.5]]], [2.0, 3.0, -1.0]),
    (np.zeros((0, 3)), [1.0, 2.0, 3.0]),
    (np.zeros((2, 0)), 1.5),
    (1.5, 0.5),
]
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "squared_difference", "pow", "floormod",
          "floordiv", "truediv", "div", "mod", "complex")  # fmt: skip


def binary() -> Iterator[Recorded]:
    """Ops of two operands: repeated both ways, equal, empty, of one element."""
    for op in BINARY:
        for number, (x, y) in enumerate(PAIRS):
            for dtype in ("f4", "f8") if number < 4 else ("f4",):
                yield op, {"x": p(np.abs(x) if op == "pow" else x, dtype), "y": p(y, dtype)}
        if op != "complex":
            yield op, {"x": p([1.5, 0.5, 2.0], "f2"), "y": p([[0.5], [2.0]], "f2")}
        if op in ("add", "subtract", "multiply", "divide", "squared_difference", "pow", "truediv"):
            yield op, {"x": p([1.5 + 0.5j, -0.5 + 2j], "c16"), "y": p([[0.5 - 1j], [2.0 + 0.25j]], "c16")}
        yield op, {"x": p([1.0, 2.0]), "y": ints([0.5, 2.0], "f4")}  # the other is a constant
    for op in ("maximum", "minimum"):
        yield op, {"x": p([1.0, 2.0, 3.0, 0.0, float("nan")]), "y": p([1.0, 3.0, 2.0, -0.0, 1.0])}
        yield op, {"x": p([1.0, 2.0, 2.0]), "y": p([[2.0], [1.0]])}
        yield op, {"x": p([1.0, 2.0, 3.0]), "y": p(2.0)}
    yield "pow", {"x": p([0.0, 0.0, 0.0, 0.0, -2.0, -2.0, -2.0, 1.0]), "y": p([0.0, 1.0, 2.0, 0.5, 2.0, 3.0, 0.5, 0.0])}
    yield "pow", {"x": p([0.0, -2.0], "f8"), "y": p([[0.0], [1.0], [2.0], [3.0]], "f8")}
    yield "pow", {"x": p([0.0, 0.0, 2.0]), "y": p([-1.0, -0.5, -2.0])}
    yield "pow", {"x": p([0.0, 1.0 + 1j], "c16"), "y": p([1.0, 0.0], "c16")}
    for op in ("divide", "floormod", "floordiv", "truediv"):
        yield op, {"x": p([1.0, -1.0, 0.0, 5.5, -5.5]), "y": p([0.0, 0.0, 0.0, 2.0, 2.0])}
        yield op, {"x": p([4.0, -4.0]), "y": p([-2.0, 2.0])}
    yield "squared_difference", {"x": p([1.0, 2.0]), "y": p([1.0, 4.0])}
    yield "atan2", {"y": p([0.0, 1.0, -1.0, 0.5, 0.0]), "x": p([1.0, 0.0, -1.0, 2.0, 0.0])}
    yield "atan2", {"y": p([[0.5], [1.0]], "f8"), "x": p([1.0, -2.0, 3.0], "f8")}
    yield "atan2", {"y": p([0.5, -1.0]), "x": p(2.0)}
    for dtype in ("f4", "f8"):
        yield "add_n", {"inputs": [grid(2, 2, dtype=dtype), grid(2, 2, dtype=dtype), grid(2, 2, dtype=dtype)]}
    yield "add_n", {"inputs": [grid(2)]}
    for low, high in ((-1.0, 1.0), (0.0, 6.0)):
        for dtype in ("f4", "f8"):
            yield "clip_by_value", {"t": p([-2.0, -1.0, 0.0, 0.5, 1.0, 6.0, 7.0], dtype),
                                    "clip_value_min": p(low, dtype), "clip_value_max": p(high, dtype)}  # fmt: skip
    yield "clip_by_value", {"t": p([[-2.0, 0.5], [1.0, 3.0]]), "clip_value_min": p([-1.0, 0.5]),
                            "clip_value_max": p([[1.0, 2.0], [1.0, 3.0]])}  # fmt: skip
    for condition in ([True, False, True], [False, False, False]):
        yield "where", {"condition": ints(condition, "?"), "x": p([1.0, 2.0, 3.0]), "y": p([4.0, 5.0, 6.0])}
        yield (
            "select",
            {"condition": ints(condition, "?"), "t": p([1.0, 2.0, 3.0], "f8"), "e": p([4.0, 5.0, 6.0], "f8")},
        )
    yield (
        "where",
        {"condition": ints([True, False], "?"), "x": p([[1.0, 2.0], [3.0, 4.0]]), "y": p([[5.0, 6.0], [7.0, 8.0]])},
    )
    yield "select", {"condition": ints(True, "?"), "t": p([[1.0, 2.0]]), "e": p([[5.0, 6.0]])}


def masked() -> Iterator[Recorded]:
    """Calls recorded with incoming gradients of 0, as behind a `where`, at places where the derivative is infinite."""
    for op, line in SOMEWHERE.items():
        yield op, {"x": p(line)}
        yield op, {"x": p([1e30, -1e30, float("inf"), float("nan")])}
    for op in ("exp", "expm1", "square", "sinh", "cosh", "tanh", "sigmoid", "softplus", "abs"):
        yield op, {OPERAND.get(op, "x"): p([1000.0, -1000.0, float("inf"), float("nan")])}
    for op in ("divide", "pow", "floormod"):
        yield op, {"x": p([1.0, 0.0, -1.0, float("inf")]), "y": p([0.0, 0.0, 0.0, 0.0])}
        yield op, {"x": p([0.0, 0.0, 0.0, -1.0]), "y": p([-1.0, 0.5, 1.0, 0.5])}
    yield "multiply", {"x": p([1.0, 2.0]), "y": p([float("inf"), float("nan")])}
    yield "atan2", {"y": p([0.0, 1.0]), "x": p([0.0, 0.0])}
    yield "reduce_prod", {"input_tensor": p([0.0, float("inf")]), "axis": 0}
    yield "reduce_logsumexp", {"input_tensor": p([float("inf"), 0.0]), "axis": 0}
    yield "softmax", {"logits": p([float("inf"), 0.0])}


def behind_choices() -> Iterator[Recorded]:
    """A function at the ends of its domain, not chosen there; and the products in which zero wins."""
    for op, line in SOMEWHERE.items():
        for dtype in ("f4", "f8"):
            value = Node(op, {"x": p(line, dtype)})
            chosen = ints(np.array(line) == 0.25, "?")
            yield "where", {"condition": chosen, "x": value, "y": ints(np.zeros(len(line)), dtype)}
    for op in ("divide", "pow"):
        value = Node(op, {"x": p([1.0, 0.0, -1.0, 2.0]), "y": p([0.0, -1.0, 0.5, 2.0])})
        yield "where", {"condition": ints([False, False, False, True], "?"), "x": value, "y": ints(np.zeros(4), "f4")}
    for op in ("multiply_no_nan", "div_no_nan"):
        yield op, {"x": p([1.5, float("inf"), 0.0, -2.0]), "y": p([2.0, 0.0, 0.0, -0.5])}
        yield op, {"x": p([[1.5], [-0.5]], "f8"), "y": p([2.0, 0.0, -3.0], "f8")}
        yield op, {"x": p([1.5, -2.0], "f2"), "y": p(2.0, "f2")}


# ---- reductions ----------------------------------------------------------------------------------

TIES = [[[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], [[3.0, 3.0, -1.0], [0.0, -0.0, 5.0]]]
ZEROS = [[[1.0, 3.0, -2.0], [2.0, 0.0, 2.0]], [[0.0, 3.0, 0.0], [0.5, 2.0, 5.0]]]


def reductions() -> Iterator[Recorded]:
    """Sums, products, extremes, running sums; nothing, one axis, several, all."""
    for op in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_logsumexp",
               "reduce_variance", "reduce_std"):  # fmt: skip
        values = ZEROS if op == "reduce_prod" else TIES
        for axis in (None, 0, 1, -1, [0, 2], [1, 0], []):
            for dtype in ("f4", "f8") if axis in (None, -1, [0, 2]) else ("f4",):
                if op == "reduce_std" and axis == []:
                    continue
                yield op, {"input_tensor": p(values, dtype), "axis": axis}
                if op not in ("reduce_variance", "reduce_std"):
                    yield op, {"input_tensor": p(values, dtype), "axis": axis, "keepdims": True}
        yield op, {"input_tensor": p(values, "f2"), "axis": 1}
        yield op, {"input_tensor": p(values, "c16"), "axis": 1}
        yield op, {"input_tensor": p(np.zeros((2, 0))), "axis": 0}
        yield op, {"input_tensor": p(np.zeros((2, 0))), "axis": 1}
        yield op, {"input_tensor": p(1.5), "axis": None}
        yield op, {"input_tensor": p([[1.5]]), "axis": 0}
        yield op, {"input_tensor": p([float("inf"), 1.0, float("inf")]), "axis": 0}
        yield op, {"input_tensor": p([float("nan"), 1.0, 2.0]), "axis": 0}
    for zeros in ([1.0, 2.0, 3.0], [1.0, 0.0, 3.0], [0.0, 2.0, 0.0]):
        yield "reduce_prod", {"input_tensor": p(zeros), "axis": 0}
        for op in ("cumsum", "cumprod"):
            for exclusive in (False, True):
                for reverse in (False, True):
                    yield op, {"x": p(zeros), "axis": 0, "exclusive": exclusive, "reverse": reverse}
    for op in ("cumsum", "cumprod"):
        yield op, {"x": grid(2, 3, dtype="f8"), "axis": -1}
        yield op, {"x": grid(2, 3, dtype="c16"), "axis": 1}
        yield op, {"x": p(np.zeros((0, 3))), "axis": 0}
        yield op, {"x": grid(2, 2, 2), "axis": 1, "reverse": True}
    for axes in ([0], [0, 1], [1]):
        yield "moments", {"x": grid(3, 4), "axes": axes}
        yield "moments", {"x": grid(3, 4, dtype="f8"), "axes": axes}
    for norm in (1.0, 100.0):
        yield "clip_by_norm", {"t": grid(2, 3), "clip_norm": norm}
        yield "clip_by_norm", {"t": grid(2, 3, dtype="f8"), "clip_norm": norm, "axes": [1]}
    yield "clip_by_norm", {"t": p([0.0, 0.0]), "clip_norm": 1.0}
    yield "clip_by_average_norm", {"t": grid(2, 3), "clip_norm": 0.25}
    yield "global_norm", {"t_list": [grid(2, 3), grid(2)]}


# ---- shapes and places ---------------------------------------------------------------------------


def shapes() -> Iterator[Recorded]:
    """Ops that move numbers and count nothing."""
    for dtype in ("f4", "f8", "c16", "f2"):
        yield "reshape", {"tensor": grid(2, 3, dtype=dtype), "shape": [3, -1]}
        yield "transpose", {"a": grid(2, 3, dtype=dtype)}
        yield "transpose", {"a": grid(2, 3, 2, dtype=dtype), "perm": [2, 0, 1]}
        yield "expand_dims", {"input": grid(2, 3, dtype=dtype), "dim": 1}
        yield "squeeze", {"input": grid(1, 3, 1, dtype=dtype)}
        yield "squeeze", {"input": grid(1, 3, 1, dtype=dtype), "squeeze_dims": [2]}
        yield "tile", {"input": grid(2, 3, dtype=dtype), "multiples": [2, 3]}
        yield "pad", {"input": grid(2, 3, dtype=dtype), "paddings": [[1, 0], [0, 2]]}
        yield "slice", {"input_": grid(3, 4, dtype=dtype), "begin": [1, 0], "size": [2, -1]}
        yield "reverse", {"tensor": grid(2, 3, dtype=dtype), "dims": ints([False, True], "?")}
        yield "concat", {"concat_dim": 0, "values": [grid(2, 3, dtype=dtype), grid(1, 3, dtype=dtype)]}
        yield "concat", {"concat_dim": 1, "values": [grid(2, 3, dtype=dtype), grid(2, 1, dtype=dtype)]}
        yield "pack", {"values": [grid(2, dtype=dtype), grid(2, dtype=dtype)]}
        yield "stack", {"x": [grid(2, 3, dtype=dtype), grid(2, 3, dtype=dtype)], "axis": -1}
        yield "unpack", {"value": grid(2, 3, dtype=dtype), "num": 2}
        yield "split", {"split_dim": 1, "num_split": 3, "value": grid(2, 6, dtype=dtype)}
        yield "broadcast_to", {"input": grid(3, 1, dtype=dtype), "shape": [2, 3, 4]}
        yield "roll", {"input": grid(3, 4, dtype=dtype), "shift": [1, -2], "axis": [0, 1]}
        yield "reverse_sequence", {"input": grid(2, 4, dtype=dtype), "seq_lengths": ints([3, 1], "i8"), "seq_dim": 1}
        yield "diag", {"diagonal": grid(3, dtype=dtype)}
        yield "diag_part", {"input": grid(3, 3, dtype=dtype)}
        yield "fill", {"dims": [2, 3], "value": grid(dtype=dtype)}
        yield "identity_n", {"input": [grid(2, dtype=dtype), grid(3, dtype=dtype)]}
        yield "placeholder_with_default", {"input": grid(2, dtype=dtype), "shape": [2]}
    yield "reshape", {"tensor": p(np.zeros((2, 0))), "shape": [0, 5]}
    yield "reshape", {"tensor": p(1.5), "shape": [1, 1]}
    yield "tile", {"input": grid(2, 3), "multiples": [0, 2]}
    yield "tile", {"input": grid(2, 3), "multiples": [1, 1]}
    yield "tile", {"input": p(1.5), "multiples": ints([])}
    yield "pad", {"input": grid(2), "paddings": [[0, 0]]}
    yield "concat", {"concat_dim": 0, "values": [grid(0, 3), grid(2, 3), grid(0, 3)]}
    yield "concat", {"concat_dim": -1, "values": [grid(2, 3), ints([[1.0], [2.0]], "f4")]}
    yield "slice", {"input_": grid(3, 4), "begin": [1, 2], "size": [0, 1]}
    yield "broadcast_to", {"input": p(1.5), "shape": [2, 2]}
    yield "broadcast_to", {"input": grid(2, 3), "shape": [2, 3]}
    yield "broadcast_to", {"input": grid(1, 3), "shape": [0, 3]}
    yield "diag", {"diagonal": grid(2, 2)}
    yield "split", {"split_dim": 0, "num_split": 1, "value": grid(2, 2)}
    yield "check_numerics", {"tensor": grid(2, 2), "message": "bad"}
    yield "fill", {"dims": [0, 3], "value": p(2.0)}


def indexing() -> Iterator[Recorded]:
    """Rows by number and `tensor[...]`."""
    for dtype in ("f4", "f8", "c16"):
        for index in ([0, 2, 0, 0], [[1, 1], [2, 1]], 1, []):
            yield "gather", {"params": grid(3, 2, dtype=dtype), "indices": ints(index)}
        for places in ([[0], [2], [0]], [[0, 1], [0, 1]], [[[2, 0]], [[1, 1]]]):
            yield "gather_nd", {"params": grid(3, 2, dtype=dtype), "indices": ints(places)}
        yield "boolean_mask", {"tensor": grid(3, 2, dtype=dtype), "mask": ints([True, False, True], "?")}
        yield "boolean_mask", {"tensor": grid(2, 2, dtype=dtype), "mask": ints([[True, False], [False, True]], "?")}
        yield "tensor_scatter_nd_update", {"tensor": grid(4, 2, dtype=dtype), "indices": ints([[1], [3]]),
                                           "updates": grid(2, 2, dtype=dtype)}  # fmt: skip
        yield "tensor_scatter_nd_update", {"tensor": grid(4, dtype=dtype), "indices": ints([[1], [1], [2]]),
                                           "updates": grid(3, dtype=dtype)}  # fmt: skip
        yield (
            "scatter_nd",
            {"indices": ints([[1], [3], [1]]), "updates": grid(3, 2, dtype=dtype), "shape": ints([4, 2])},
        )
        yield "scatter_nd", {"indices": ints([[1, 0], [0, 1]]), "updates": grid(2, dtype=dtype), "shape": ints([2, 2])}
    yield "gather", {"params": grid(3), "indices": ints([2, 2], "i8")}
    yield "gather", {"params": grid(0, 2), "indices": ints([])}
    yield "gather", {"params": Node("square", {"x": grid(3, 2)}), "indices": ints([1, 1])}
    yield "boolean_mask", {"tensor": grid(2), "mask": ints([False, False], "?")}
    yield "multiply", {"x": Node("gather", {"params": grid(3, 2), "indices": ints([1, 1])}), "y": grid(2, 2)}
    everything: list[Any] = [
        0, -1, slice(None), slice(1, None), slice(None, None, 2), slice(None, None, -1), slice(-1, None, -2),
        slice(2, 1),
        (0, 1), (slice(None), 1), (Ellipsis, 0), (Ellipsis, slice(1, None)), (None, Ellipsis), (0, None, slice(0, 2)),
        (slice(None), None, slice(None, None, -2)), (slice(None, None, 3), Ellipsis, None), (Ellipsis,), (1, 2, 0),
        (slice(0, 0), Ellipsis), (slice(None, None, -1), slice(None, None, 2), slice(1, None, -1)),
    ]  # fmt: skip
    for number, index in enumerate(everything):
        for dtype in ("f4", "f8") if number % 4 == 0 else ("f4",):
            yield "getitem", {"tensor": grid(4, 3, 2, dtype=dtype), "index": index}
    yield "getitem", {"tensor": grid(4, 3, dtype="c16"), "index": (slice(None, None, -2), 1)}
    yield "getitem", {"tensor": p(1.5), "index": None}


# ---- rows by label -------------------------------------------------------------------------------


def segments() -> Iterator[Recorded]:
    """Rows reduced by segment: ties, zeros, segments without rows, negative ids."""
    for how in ("sum", "mean", "prod", "max", "min"):
        for dtype in ("f4", "f8"):
            yield f"segment_{how}", {"data": grid(5, 2, dtype=dtype), "segment_ids": ints([0, 0, 1, 3, 3])}
        yield f"segment_{how}", {"data": p([1.0, 1.0, 0.0, 0.0, 2.0]), "segment_ids": ints([0, 0, 1, 1, 1])}
        yield f"segment_{how}", {"data": p([0.0, 3.0, 2.0, 0.0]), "segment_ids": ints([0, 0, 2, 2], "i8")}
        yield f"segment_{how}", {"data": p(np.zeros((0, 2))), "segment_ids": ints([])}
    for how in ("sum", "mean", "prod", "max", "min", "sqrt_n"):
        for dtype in ("f4", "f8"):
            yield f"unsorted_segment_{how}", {"data": grid(5, 2, dtype=dtype), "segment_ids": ints([2, 0, 2, 0, 3]),
                                              "num_segments": 5}  # fmt: skip
        yield f"unsorted_segment_{how}", {"data": p([1.0, 1.0, 0.0, 0.0, 2.0]), "segment_ids": ints([1, 1, 0, 0, 0]),
                                          "num_segments": 2}  # fmt: skip
        yield (
            f"unsorted_segment_{how}",
            {"data": p([1.0, 2.0, 3.0]), "segment_ids": ints([-1, 0, 0]), "num_segments": 2},
        )
        yield (
            f"unsorted_segment_{how}",
            {"data": grid(2, 2, 2), "segment_ids": ints([[0, 1], [1, 1]]), "num_segments": 2},
        )
        yield f"unsorted_segment_{how}", {"data": p([0.0, 0.0, 3.0]), "segment_ids": ints([0, 0, 0]), "num_segments": 1}


def rows() -> Iterator[Recorded]:
    """Partitions and stitches, sorts, the largest."""
    for dtype in ("f4", "f8", "c16"):
        yield (
            "dynamic_partition",
            {"data": grid(4, 2, dtype=dtype), "partitions": ints([1, 0, 1, 0]), "num_partitions": 2},
        )
        yield "dynamic_partition", {"data": grid(4, dtype=dtype), "partitions": ints([0, 2, 2, 0]), "num_partitions": 4}
        for op in ("dynamic_stitch", "parallel_dynamic_stitch"):
            yield (
                op,
                {"indices": [ints([0, 2]), ints([3, 1])], "data": [grid(2, 2, dtype=dtype), grid(2, 2, dtype=dtype)]},
            )
            yield op, {"indices": [ints([0, 2]), ints([1])], "data": [grid(2, dtype=dtype), grid(1, dtype=dtype)]}
    yield "dynamic_stitch", {"indices": [ints([0, 1]), ints([1, 2])], "data": [grid(2, 2), grid(2, 2)]}
    yield "dynamic_stitch", {"indices": [ints([0, 0]), ints(1)], "data": [grid(2), grid()]}
    yield "dynamic_stitch", {"indices": [ints([[0, 1], [2, 2]])], "data": [grid(2, 2, 3)]}
    yield "dynamic_partition", {"data": p(np.zeros((0, 2))), "partitions": ints([]), "num_partitions": 2}
    yield "dynamic_partition", {"data": grid(2, 2), "partitions": ints([[1, 0], [0, 1]]), "num_partitions": 2}
    part = Node("dynamic_partition", {"data": grid(4), "partitions": ints([1, 0, 1, 0]), "num_partitions": 2}, 1)
    yield "square", {"x": part}
    ties = [[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, 0.0, 5.0]]
    for dtype in ("f4", "f8"):
        for k in (1, 2, 4):
            yield "top_k", {"input": p(ties, dtype), "k": k}
        for direction in ("ASCENDING", "DESCENDING"):
            yield "sort", {"values": grid(2, 4, dtype=dtype), "axis": -1, "direction": direction}
            yield "sort", {"values": grid(3, 2, dtype=dtype), "axis": 0, "direction": direction}
    yield "top_k", {"input": p([1.0, 2.0]), "k": 0}


# ---- products ------------------------------------------------------------------------------------


def products() -> Iterator[Recorded]:
    """Matrix products in every direction, batches that are repeated, and einsums."""
    for dtype in ("f4", "f8"):
        for a_way in (False, True):
            for b_way in (False, True):
                a, b = (3, 2) if a_way else (2, 3), (4, 3) if b_way else (3, 4)
                yield "matmul", {"a": grid(*a, dtype=dtype), "b": grid(*b, dtype=dtype), "transpose_a": a_way,
                                 "transpose_b": b_way}  # fmt: skip
                yield "matmul", {"a": grid(2, *a, dtype=dtype), "b": grid(2, *b, dtype=dtype), "transpose_a": a_way,
                                 "transpose_b": b_way}  # fmt: skip
                yield "matmul", {"a": grid(2, 1, *a, dtype=dtype), "b": grid(3, *b, dtype=dtype), "transpose_a": a_way,
                                 "transpose_b": b_way}  # fmt: skip
    for a_way in (False, True):
        for b_way in (False, True):
            a, b = (3, 2) if a_way else (2, 3), (4, 3) if b_way else (3, 4)
            yield (
                "matmul",
                {"a": grid(*a, dtype="c16"), "b": grid(*b, dtype="c16"), "adjoint_a": a_way, "adjoint_b": b_way},
            )
            yield "matmul", {"a": grid(*a, dtype="c16"), "b": grid(*b, dtype="c16"), "transpose_a": a_way,
                             "transpose_b": b_way}  # fmt: skip
            yield "matmul", {"a": grid(2, *a, dtype="c16"), "b": grid(1, *b, dtype="c16"), "adjoint_a": a_way,
                             "adjoint_b": b_way}  # fmt: skip
    yield "matmul", {"a": grid(2, 3, dtype="f2"), "b": grid(3, 2, dtype="f2")}
    yield "matmul", {"a": grid(2, 3), "b": grid(4, 3, 2)}
    yield "matmul", {"a": grid(4, 2, 3), "b": grid(3, 2)}
    yield "matmul", {"a": p(np.zeros((2, 0))), "b": p(np.zeros((0, 3)))}
    yield "matmul", {"a": p(np.zeros((0, 2, 3))), "b": grid(3, 2)}
    for dtype in ("f4", "f8", "c16"):
        for equation, *sizes in (("ij,jk->ik", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)), ("ij->ji", (2, 3)),
                                 ("ij->i", (2, 3)), ("ij->", (2, 3)), ("ii->", (3, 3)), ("ii->i", (3, 3)),
                                 ("i,j->ij", (2,), (3,)), ("i,i->", (3,), (3,)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
                                 ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("...ij,jk", (2, 2, 3), (3, 4)),
                                 ("i...->...i", (2, 3)), ("i...,i...->...", (2, 3), (2, 3)),
                                 ("ij,ij->ij", (2, 3), (2, 3)),
                                 ("ij,ij->j", (2, 3), (2, 3)), ("abc,cb->a", (2, 3, 4), (4, 3)),
                                 ("...a,...a->...", (2, 1, 3), (4, 3)), ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)),
                                 ("iij->ij", (2, 2, 3)), ("ij,k->i", (2, 3), (2,))):  # fmt: skip
            yield "einsum", {"equation": equation, "inputs": [grid(*s, dtype=dtype) for s in sizes]}
    for dtype in ("f4", "f8"):
        yield "cross", {"a": grid(2, 3, dtype=dtype), "b": grid(2, 3, dtype=dtype, shift=0.5)}


def activations() -> Iterator[Recorded]:
    """Softmax and its logarithm, along the last axis and others."""
    for op in ("softmax", "log_softmax"):
        for dtype in ("f4", "f8", "f2"):
            yield op, {"logits": grid(2, 3, dtype=dtype)}
        yield op, {"logits": grid(3)}
        for axis in (0, 1, -1):
            yield op, {"logits": grid(2, 3, 2), "axis": axis}
            yield op, {"logits": grid(2, 3, 2, dtype="f8"), "axis": axis}
        yield op, {"logits": p([[1000.0, -1000.0, 0.0], [5.0, 5.0, 5.0]])}
        yield op, {"logits": p(np.zeros((0, 3)))}


def others() -> Iterator[Recorded]:
    """What has no derivative on the way: the gradient is None."""
    yield "cast", {"x": Node("argmax", {"input": grid(2, 3), "axis": 1}), "dtype": "float32"}
    yield "cast", {"x": Node("greater", {"x": grid(3), "y": grid(3)}), "dtype": "float32"}
    yield "cast", {"x": Node("shape", {"input": grid(2, 3)}), "dtype": "float32"}
    yield "cast", {"x": Node("is_nan", {"x": grid(3)}), "dtype": "float32"}
    yield "multiply", {"x": Node("stop_gradient", {"input": grid(3)}), "y": grid(3)}
    yield "one_hot", {"indices": ints([0, 1]), "depth": 2, "on_value": p(2.0), "off_value": p(0.5)}
    yield "linspace", {"start": p(0.0), "stop": p(1.0), "num": 3}
    yield "linspace", {"start": p([0.0, 1.0], "f8"), "stop": p([3.0, -1.0], "f8"), "num": 4}
    yield "linspace", {"start": p(0.5), "stop": p(1.0), "num": 1}
    yield "range", {"start": p(0.0), "limit": p(3.0), "delta": p(1.0)}
    yield "multiply", {"x": Node("floor", {"x": grid(3)}), "y": grid(3)}
