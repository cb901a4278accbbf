"""Every op of the second set does what TensorFlow was recorded doing. See `golden_extra/README.md`.

The cases are replayed like those of the first set; a table adds, per op, the name of its node and every dtype.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor

from .golden_cases import EXTRA, Case, Json, files, function_of, read
from .golden_exceptions import DTYPE_EXCEPTIONS, NAME_EXCEPTIONS
from .golden_kinds import cases_at_night, cases_by_day
from .helpers import every_case, nightly
from .test_golden import unexpected

TABLE: Json = read(EXTRA / "dtypes.json")["ops"]

# Calls with arguments of other dtypes than the one in the table's row.
CALLS: dict[str, Callable[[Tensor], Any]] = {
    "where": lambda x: tf.where(tf.constant([True, False]), x, x),
    "select": lambda x: tf.select(tf.constant([True, False]), x, x),
    "where/1": lambda x: tf.where(x),
    "boolean_mask": lambda x: tf.boolean_mask(x, [True, False]),
    "unique": lambda x: tf.unique(tf.reshape(x, [-1]))[0],
    "one_hot": lambda x: tf.one_hot([0], 2, on_value=x[0, 0], off_value=x[0, 1]),
    "one_hot/dtype only": lambda x: tf.one_hot([0], 2, dtype=x.dtype),
    "one_hot/indices": lambda x: tf.one_hot(x, 2),
    "fill": lambda x: tf.fill([2], x[0, 0]),
    "fill/dims": lambda x: tf.fill(x[0], 1),
    "linspace": lambda x: tf.linspace(x[0, 0], x[1, 1], 3),
    "placeholder_with_default": lambda x: tf.placeholder_with_default(x, [2, 2]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0]]),
    "gather_nd/indices": lambda x: tf.gather_nd(tf.constant([[1.0, 2.0], [3.0, 4.0]]), x),
    "getitem": lambda x: x[0],
    "getitem/index tensor": lambda x: tf.constant([1.0, 2.0])[tf.reshape(tf.slice(x, [0, 0], [1, 1]), [])],
}


@pytest.mark.parametrize("cases_of", [cases_by_day, *nightly([cases_at_night])])
@every_case("name", files(EXTRA), parts=2)
def test_an_op_does_what_was_recorded(name: str, cases_of: Callable[[Path, str], list[Case]]) -> None:
    lines = unexpected(cases_of(EXTRA, name))
    assert not lines, "\n".join([f"{len(lines)} differences", *lines])


def apply(op: str, x: Tensor) -> Any:
    """The call of the table's row with `x` for each of its operands."""
    if op in CALLS:
        return CALLS[op](x)
    function = function_of(op)
    if op.startswith("op_"):
        return function(x=x) if op in ("op_abs", "op_neg", "op_invert") else function(x=x, y=x)
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    return function(*[x] * len(required))


def rows(op: str) -> Iterator[tuple[str, str, bool]]:
    """(dtype, dtype of the result or "build TypeError", whether it is an error) of an op."""
    for result, dtypes in TABLE[op]["ok"].items():
        for dtype in dtypes:
            yield dtype, dtype if result == "same" else result, False
    for error, dtypes in TABLE[op]["errors"].items():
        for dtype in dtypes:
            yield dtype, error, True


@every_case("op", TABLE)
def test_an_op_takes_the_dtypes_that_tensorflow_takes(op: str) -> None:
    lines = []
    for dtype, want, is_error in rows(op):
        got = result_dtype(op, dtype)
        # A dtype TensorFlow has no kernel for may be refused earlier, or work.
        lenient = is_error and want.startswith("run ")
        if got != want and not lenient and (op, dtype) not in DTYPE_EXCEPTIONS:
            lines.append(f"{op}({dtype}) gives {got}, want {want}")
        if got == want and (op, dtype) in DTYPE_EXCEPTIONS:
            lines.append(f"{op}({dtype}) is no exception any more")
    assert lines == []


def result_dtype(op: str, dtype: str) -> str:
    """The dtype of the result, or the error of the call."""
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, [2, 2])
        try:
            result = apply(op, x)
        except (TypeError, ValueError) as error:
            return f"build {'TypeError' if isinstance(error, TypeError) else 'ValueError'}"
    return str(result.dtype.name)


@every_case("op", [op for op in TABLE if "name" in TABLE[op]])
def test_a_node_without_a_name_is_called_as_in_tensorflow(op: str) -> None:
    dtype = next(iter(d for _, dtypes in TABLE[op]["ok"].items() for d in ["float32", *dtypes] if d in dtypes))
    with tf.Graph().as_default():
        got = apply(op, tf.placeholder(dtype, [2, 2], name="operand")).op.name
    assert got == NAME_EXCEPTIONS.get(op, TABLE[op]["name"])
