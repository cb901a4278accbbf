"""`map_fn` of elementwise operations computes all rows at once, with the bits of a loop over rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS, OpDef
from penstock.graph.declare.signature import FLOATS
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.passes.pipeline import ALL_PASSES

from ...helpers import every_case

RNG = np.random.default_rng(3)
WITHOUT = tuple(name for name in ALL_PASSES if name != "loops")


def run_both(function: Callable[..., Any], rows: Any, *captures: Any) -> tuple[list[str], Any, Any]:
    """The ops of the plan, and the results with and without the pass."""
    with tf.Graph().as_default():
        x = tf.placeholder(rows.dtype, [None, *rows.shape[1:]])
        given = [tf.placeholder(c.dtype, c.shape) for c in captures]
        made = tf.map_fn(lambda row: function(row, *given), x)
        feeds = dict(zip([x, *given], [rows, *captures], strict=True))
        with tf.Session() as one, tf.Session(config=tf.SessionConfig(passes=WITHOUT)) as other:
            ops = [step.op for step in one.plan(made, feeds).steps]
            return ops, one.run(made, feeds), other.run(made, feeds)


def floats(*shape: int) -> Any:
    return RNG.normal(size=shape).astype("f4")


def test_an_operation_that_does_not_broadcast_stays_in_its_loop() -> None:
    with tf.Graph().as_default():
        x, c = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [])
        made = tf.map_fn(lambda row: tf.select(row > 0.0, row, tf.tanh(c)), x)
        with tf.Session() as session:
            found = session.run(made, {x: [1.0, -2.0], c: 0.5})
    assert np.allclose(found, [1.0, np.tanh(0.5)])


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_a_chain_of_operations_on_rows(count: int) -> None:
    ops, whole, looped = run_both(lambda row, w: tf.tanh(row) * w + 1.0, floats(count, 4), floats(4))
    assert "While" not in ops
    assert whole.tobytes() == looped.tobytes()
    assert whole.shape == looped.shape == (count, 4)


@pytest.mark.parametrize(
    "function",
    [
        lambda row, w, s: tf.where(tf.greater(row, s), row, row * s),
        lambda row, w, s: tf.where(tf.greater(s, 0.0), row - w, row + w),
        lambda row, w, s: tf.maximum(tf.exp(row) / s, w * 2.0),
        lambda row, w, s: tf.square(row) + s,
        lambda row, w, s: tf.cast(tf.cast(row * 9.0, tf.int32), tf.float32) - w,
        lambda row, w, s: tf.sigmoid(tf.sin(row) * s),
    ],
)
def test_bodies_of_elementwise_operations(function: Callable[..., Any]) -> None:
    ops, whole, looped = run_both(function, floats(37, 5), floats(5), floats())
    assert "While" not in ops
    assert whole.tobytes() == looped.tobytes()


def test_rows_that_are_numbers() -> None:
    ops, whole, looped = run_both(lambda row, s: tf.log(tf.abs(row)) + s, floats(100), floats())
    assert "While" not in ops
    assert whole.tobytes() == looped.tobytes()


def test_two_inputs_and_two_results() -> None:
    x, y = floats(6, 3), floats(6, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder("float32", [6, 3]), tf.placeholder("float32", [6, 3])
        made = tf.map_fn(lambda r: (r[0] * 2.0, r[1] - r[0]), (a, b), dtype=(tf.float32, tf.float32))
        assert "While" not in [step.op for step in session.plan(list(made), [a, b]).steps]
        doubled, difference = session.run(made, {a: x, b: y})
    assert np.array_equal(doubled, x * np.float32(2))
    assert np.array_equal(difference, y - x)


@pytest.mark.parametrize(
    "function",
    [
        lambda row, w: row * tf.reduce_sum(row),  # not elementwise
        lambda row, w: tf.cast(tf.floordiv(7, tf.cast(row, tf.int32) + 99), tf.float32),  # may fail
        lambda row, w: tf.pow(row, w),  # many exponents: see NumPy's power
        lambda row, w: w + 1.0,  # the same for each row
        lambda row, w: row + tf.ones([2, 1]),  # a result of a higher rank than the row
    ],
)
def test_bodies_that_stay_loops(function: Callable[..., Any]) -> None:
    ops, whole, looped = run_both(function, floats(7, 4), floats(4))
    assert "While" in ops
    assert whole.tobytes() == looped.tobytes()


def test_a_row_returned_as_it_is() -> None:
    _, whole, looped = run_both(lambda row: row, floats(7, 4))
    assert np.array_equal(whole, looped)


def test_rows_of_two_sizes_are_an_error_still() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder("float32", [None, 3]), tf.placeholder("float32", [None, 3])
        made = tf.map_fn(lambda r: r[0] + r[1], (a, b), dtype=tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(made, {a: floats(1, 3), b: floats(5, 3)})


def _elementwise_ops() -> list[OpDef[Any, Any]]:
    return [
        op
        for op in OPS.values()
        if op.facts.elementwise and op.is_plain and op.is_tensorwise and not op.is_from_outside
        and all(operand.allowed & FLOATS for _, _, operand in op.operands)
    ]  # fmt: skip


@every_case("op", _elementwise_ops())
def test_elementwise_operations_give_a_row_the_bits_of_the_whole(op: OpDef[Any, Any]) -> None:
    given = [RNG.normal(size=(20, 3)).astype("f4") * 3 for _ in op.operands]
    with tf.Graph().as_default():
        node = op(*[tf.placeholder("float32", [20, 3]) for _ in given]).op
    call = kernel_for(node)
    with np.errstate(all="ignore"):
        whole = np.asarray(call(*given))
        rows = [np.asarray(call(*[x[i, ...] for x in given])) for i in range(20)]
        numbers = [np.asarray(call(*[x[i, 1, ...] for x in given])) for i in range(20)]
    assert np.stack(rows).tobytes() == whole.tobytes()
    assert np.stack(numbers).tobytes() == np.ascontiguousarray(whole[:, 1]).tobytes()
