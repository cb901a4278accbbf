"""The functions of TensorFlow that programs of `random_control` use, on NumPy arrays at once: an oracle.

A branch is a Python `if`, a loop a Python `while`; nothing is built, captured or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Function = Callable[..., Any]


class PlainArray:
    """A TensorArray as a list."""

    def __init__(self, dtype: str, size: Any, elements: list[Any] | None = None, **_: Any) -> None:
        self._dtype = dtype
        self._elements: list[Any] = [None] * int(size) if elements is None else elements

    def write(self, index: Any, value: Any) -> PlainArray:
        """Another one with an element more."""
        elements = list(self._elements)
        elements[int(index)] = value
        return PlainArray(self._dtype, 0, elements)

    def read(self, index: Any) -> Any:
        """An element."""
        return self._elements[int(index)]

    def unstack(self, value: Any) -> PlainArray:
        """The rows of `value`."""
        return PlainArray(self._dtype, 0, list(value))

    def stack(self) -> Any:
        """The elements as rows."""
        return np.stack(self._elements) if self._elements else np.zeros((0,), self._dtype)


def cond(pred: Any, true_fn: Function, false_fn: Function) -> Any:
    """One of two results."""
    return true_fn() if pred else false_fn()


def case(pairs: Sequence[tuple[Any, Function]], default: Function) -> Any:
    """The result of the first function whose predicate holds."""
    return next((function for pred, function in pairs if pred), default)()


def switch_case(index: Any, functions: Sequence[Function]) -> Any:
    """The result of the function with a number; of the last one for others."""
    return functions[int(index) if 0 <= index < len(functions) else -1]()


def while_loop(goes_on: Function, body: Function, start: Sequence[Any], maximum_iterations: int | None = None) -> Any:
    """The last values of the loop variables."""
    values = [np.asarray(each, "int32") if isinstance(each, int) else each for each in start]
    done = 0
    while goes_on(*values) and done != maximum_iterations:
        values = list(body(*values))
        done += 1
    return values


def map_fn(function: Function, rows: Any) -> Any:
    """The results for each row."""
    return np.stack([function(row) for row in rows])


def scan(function: Function, rows: Any, initializer: Any = None, reverse: bool = False) -> Any:
    """All partial results."""
    found: list[Any] = []
    for row in rows[::-1] if reverse else rows:
        before = found[-1] if found else initializer
        found.append(row if before is None else function(before, row))
    return np.stack(found[::-1] if reverse else found)


def foldl(function: Function, rows: Any, initializer: Any) -> Any:
    """The last partial result."""
    for row in rows:
        initializer = function(initializer, row)
    return initializer


def foldr(function: Function, rows: Any, initializer: Any) -> Any:
    """The last partial result from the end."""
    return foldl(function, rows[::-1], initializer)


def tensor_scatter_nd_update(whole: Any, indices: Any, updates: Any) -> Any:
    """A copy with other rows."""
    made = np.array(whole)
    for (index,), row in zip(indices, updates, strict=True):
        made[index] = row
    return made


def dynamic_partition(data: Any, labels: Any, count: int) -> list[Any]:
    """The rows of each label."""
    return [data[labels == label] for label in range(count)]


def dynamic_stitch(places: Sequence[Any], parts: Sequence[Any]) -> Any:
    """Rows put at their places."""
    made = np.zeros((sum(len(p) for p in places), *parts[0].shape[1:]), parts[0].dtype)
    for place, part in zip(places, parts, strict=True):
        made[place] = part
    return made


def constant(value: Any, dtype: str) -> Any:
    """An array."""
    return np.asarray(value, dtype)


FUNCTIONS: dict[str, Any] = {
    "tanh": np.tanh, "sin": np.sin, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "maximum": np.maximum,
    "where": np.where, "square": np.square, "abs": np.abs, "stop_gradient": np.asarray, "identity": np.asarray,
    "logical_not": np.logical_not, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "not_equal": np.not_equal, "gather": lambda x, i: x[i], "range": lambda n: np.arange(n, dtype="int32"),
    "shape": lambda x: np.array(np.shape(x), "int32"), "size": lambda x: np.asarray(np.size(x), "int32"),
    "stack": lambda parts: np.stack([np.asarray(each, "int32") for each in parts]),
    "cumsum": lambda x: np.cumsum(x, 0, x.dtype),
    "fill": lambda shape, x: np.full(tuple(int(s) for s in shape), x), "reduce_sum": np.sum, "reduce_max": np.max,
    "reduce_any": np.any, "expand_dims": np.expand_dims, "transpose": np.transpose,
    "reshape": lambda x, shape: np.reshape(x, tuple(int(s) for s in shape)), "cast": lambda x, d: np.asarray(x, d),
    "tensor_scatter_nd_update": tensor_scatter_nd_update, "dynamic_partition": dynamic_partition,
    "dynamic_stitch": dynamic_stitch, "constant": constant, "cond": cond, "case": case, "switch_case": switch_case,
    "while_loop": while_loop, "map_fn": map_fn, "scan": scan, "foldl": foldl, "foldr": foldr,
    "TensorArray": PlainArray,
}  # fmt: skip


class PlainNamespace:
    """The functions as attributes; placeholders are the arrays that are fed."""

    def __getattr__(self, name: str) -> Any:
        try:
            return FUNCTIONS[name]
        except KeyError:
            raise AttributeError(name) from None


def plain_results(lines: Sequence[str], feeds: dict[str, Any], fetched: Sequence[str]) -> list[Any]:
    """What the lines give for arrays, without gradients; a value that is fed stays what it is."""
    values: dict[str, Any] = {"tf": PlainNamespace(), "np": np, **feeds}
    with np.errstate(all="ignore"):
        for line in lines:
            name, _, expression = line.partition(" = ")
            if "tf.gradients" not in line and name not in feeds:
                values[name] = eval(expression, values)
    return [values[name] for name in fetched]
