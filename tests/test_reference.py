"""The reference executor of the tests is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OpDef

from .helpers import EVERY, every_case, nightly, op_of
from .op_samples import USERS_OPS, Call, of_each_kind, run, runnable, same
from .reference import expected, needed, reference


def stands_alone(op: OpDef[Any, Any]) -> bool:
    """Whether a kernel needs no session: random ops count there, and calls of Python run there."""
    return op.draws_rule is None and not op.facts.user_code


@every_case("type", USERS_OPS)
@pytest.mark.parametrize("first", [2, *nightly([EVERY])])
def test_it_gives_what_a_session_gives(type: str, first: int) -> None:
    """first: of each op so many samples are tried, and each of a kind that none before was."""
    for call in of_each_kind(USERS_OPS[type], first):
        if runnable(call) and stands_alone(call.op):
            check(call)


def check(call: Call) -> None:
    with tf.Graph().as_default():
        outputs = call.build()
        wants = expected(outputs) if outputs else []
        for got, want in zip(run(outputs), wants, strict=True):
            assert same(got, want) and type(got) is type(want), call


def test_operations_run_once_in_the_order_of_creation() -> None:
    met: list[float] = []

    def note(x: Any) -> Any:
        met.append(float(x))
        return x

    with tf.Graph().as_default(), op_of(note, stateful=True) as noted:
        first, second = noted(tf.constant(1.0)), noted(tf.constant(2.0))
        with tf.control_dependencies([noted(tf.constant(3.0)).op]):
            last = tf.constant(4.0) + second
        noted(tf.constant(5.0))  # not needed
        assert expected([last, first, last]) == [6.0, 1.0, 6.0]
    assert met == [1.0, 2.0, 3.0]


def test_a_fed_tensor_needs_no_operation() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        a, b = tf.split(0, 2, x)
        y = a + b
        assert needed([y], {a: 0, b: 0}) == [y.op]
        assert expected([y], {a: np.array([1.0], "f4"), b: np.array([2.0], "f4")})[0].tolist() == [3.0]
        fed = {a: np.array([7.0], "f4"), x: np.array([1.0, 2.0], "f4")}
        assert [v.tolist() for v in expected([y, a], fed)] == [[9.0], [7.0]]


def test_results_share_memory_with_nothing() -> None:
    array = np.zeros((2, 3), np.float32)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        fetches = [x, tf.identity(x), tf.transpose(x), tf.reshape(x, [-1]), x[:, ::2]]
        got = expected(fetches, {x: array})
    for i, each in enumerate(got):
        assert each.flags.c_contiguous
        assert not any(np.may_share_memory(each, other) for other in (array, *got[:i]))


def test_a_kernel_that_writes_into_its_operand_is_found() -> None:
    def careless(x: Any) -> Any:
        x[...] = 0.0
        return x

    with tf.Graph().as_default(), op_of(careless) as wrong:
        [failure] = reference([wrong(tf.constant([1.0]))]).failures
    assert failure.kind is tf.errors.InternalError


def test_all_that_fails_is_told_and_what_depends_on_it_is_left_out() -> None:
    met: list[float] = []

    def note(x: Any) -> Any:
        met.append(float(x))
        return x

    with tf.Graph().as_default(), op_of(note, stateful=True) as noted:
        k = tf.placeholder(tf.int32, [])
        good = noted(tf.constant(1.0))
        bad = tf.gather([1.0, 2.0], k, name="bad")
        noted_bad = noted(bad + 1.0)
        after = noted(tf.constant(2.0))
        with tf.control_dependencies([bad.op]):
            worse = tf.floordiv(1, k - k, name="not_run")
        other = tf.floordiv(1, k - k, name="other")
        found = reference([good, noted_bad, after, worse, other], {k: np.int32(5)})
    assert [(f.node, f.kind) for f in found.failures] == [
        ("bad", tf.errors.InvalidArgumentError), ("other", tf.errors.InvalidArgumentError),
    ]  # fmt: skip
    assert met == [1.0]  # after an effect that is left out none happens
    assert good in found.values and after not in found.values and worse not in found.values


def test_a_shape_that_the_user_pinned_is_checked() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = x + 1.0
        y.set_shape([3])
        assert not reference([y], {x: np.zeros(3, "f4")}).failures
        [failure] = reference([y], {x: np.zeros(2, "f4")}).failures
    assert failure.node == y.op.name


def test_a_body_does_what_the_needed_results_need() -> None:
    met: list[float] = []

    def note(x: Any) -> Any:
        met.append(float(x))
        return x

    with tf.Graph().as_default(), op_of(note, stateful=True) as noted:
        x = tf.placeholder(tf.float32, [])
        a, b = tf.cond(x > 0.0, lambda: (noted(x), tf.constant(5.0)), lambda: (x, noted(x)))
        _, v, w = tf.while_loop(lambda i, v, w: i < 3, lambda i, v, w: (i + 1, v + 1.0, noted(w) * v), [0, x, x])
        _, u = tf.while_loop(lambda i, u: i < 2, lambda i, u: (i + 1, noted(tf.stop_gradient(u)) * u), [0, x])
        (slope,) = tf.gradients(u, x)

        def noted_by(*fetches: Any) -> int:
            met.clear()
            expected(fetches, {x: np.float32(2.0)})
            return len(met)

        assert [noted_by(a), noted_by(b), noted_by(a, b)] == [1, 0, 1]
        assert [noted_by(v), noted_by(w), noted_by(w.op.outputs[0])] == [0, 3, 0]
        assert [noted_by(u), noted_by(slope), noted_by(u, slope)] == [2, 2, 2]  # its extended copy runs in its place
        assert expected([slope], {x: np.float32(2.0)}) == [8.0]


def test_the_number_of_iterations_may_need_rows_that_no_result_reads() -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])
        rows = tf.range(tf.gather([n, n], [0])[0])
        counts = tf.scan(lambda count, _: count + 1, rows, 0)
        assert expected([counts], {n: np.int32(3)})[0].tolist() == [1, 2, 3]
