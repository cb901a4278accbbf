"""cond, case, while_loop, map_fn, scan and folds: values, static shapes and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import DTypeError, ShapeError, UseError, ValueRuleError


def run(fetch: Any, feeds: Any = None) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(fetch, feeds)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_only_the_taken_branch_runs() -> None:
    x = tf.placeholder(tf.float32, [None])
    ran: list[str] = []

    def noted(name: str) -> Any:
        return tf.py_func(lambda v: ran.append(name) or v, [x], tf.float32)  # type: ignore[func-returns-value]

    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: noted("yes"), lambda: noted("no"))
    run(y, {x: [1.0]})
    run(y, {x: [-1.0]})
    assert ran == ["yes", "no"]


def test_static_shapes_of_branches_meet() -> None:
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, ["batch", 3])
    assert str(tf.cond(p, lambda: x, lambda: x * 2.0).shape) == "(batch, 3)"
    assert str(tf.cond(p, lambda: x, lambda: tf.zeros([2, 3])).shape) == "(?, 3)"
    assert tf.cond(p, lambda: x, lambda: tf.zeros([2])).shape.ndims is None


def test_structures_and_single_results() -> None:
    p = tf.constant(True)
    found = tf.cond(p, lambda: {"a": tf.constant(1), "b": (tf.constant(2.0),)}, lambda: {"a": 3, "b": (4.0,)})
    assert run([found["a"], found["b"][0]]) == [1, 2.0]
    assert isinstance(tf.cond(p, lambda: [tf.constant(1)], lambda: [2]), tf.Tensor)
    assert isinstance(tf.cond(p, lambda: [tf.constant(1)], lambda: [2], strict=True), list)


def test_a_loop_over_zero_iterations_gives_its_variables() -> None:
    i, x = tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * 2.0), [0, tf.constant([1.0, 2.0])])
    assert run(i) == 0
    assert run(x).tolist() == [1.0, 2.0]


def test_nested_loops_capture_through_both() -> None:
    n = tf.placeholder(tf.int32, [])

    def outer(i: Any, total: Any) -> Any:
        _, inner = tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j * n), [0, 0])
        return i + 1, total + inner

    _, total = tf.while_loop(lambda i, s: i < n, outer, [0, 0])
    assert run(total, {n: 5}) == sum(j * 5 for i in range(5) for j in range(i))


def test_open_sizes_may_change_and_named_ones_survive_where_they_stay() -> None:
    x = tf.placeholder(tf.float32, ["batch", 3])
    kept = tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: a * 2.0, [x])
    grown = tf.while_loop(lambda a: tf.shape(a)[0] < 10, lambda a: tf.concat(0, [a, a]), [x])
    assert str(kept.shape) == "(batch, 3)"
    assert str(grown.shape) == "(?, 3)"
    assert run(grown, {x: np.ones((3, 3))}).shape == (12, 3)


def test_a_size_that_changes_is_refused_with_both_lines() -> None:
    with pytest.raises(ShapeError, match=r"enters the loop with shape \(1,\) .*but has shape \(2,\) after one"):
        tf.while_loop(lambda a: tf.size(a) < 9, lambda a: tf.concat(0, [a, [1]]), [tf.constant([1])])
    a = tf.while_loop(lambda a: tf.size(a) < 9, lambda a: tf.concat(0, [a, [1]]), [tf.constant([1])],
                      shape_invariants=[tf.TensorShape([None])])  # fmt: skip
    assert run(a).shape == (9,)


def test_maximum_iterations_ends_a_loop() -> None:
    assert run(tf.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=7)) == 7
    n = tf.placeholder(tf.int32, [])
    assert run(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=n), {n: 2}) == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tf.cond(True, lambda: 1, lambda: 2), UseError, "must not be a Python bool"),
        (lambda: tf.cond(tf.constant([True]), lambda: 1, lambda: 2), ShapeError, "scalar"),
        (lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2.0), DTypeError, "same type"),
        (lambda: tf.cond(tf.constant(True), lambda: 1, lambda: (1, 2)), ValueRuleError, "same structure"),
        (lambda: tf.cond(tf.constant(True), lambda: None, lambda: 1), UseError, "None"),
        (lambda: tf.while_loop(lambda i: i, lambda i: i + 1, [0]), DTypeError, "boolean scalar"),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1.5, [0]), (TypeError, ValueError), "."),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.to_float(i), [0]), DTypeError, "keeps its dtype"),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]), ValueRuleError, "structure"),
        (lambda: tf.while_loop(lambda: True, list, []), ValueRuleError, "must not be empty"),
        (lambda: tf.map_fn(lambda x: x, tf.constant(1)), ShapeError, "1\\+ dim"),
        (lambda: tf.map_fn(lambda x: tf.to_float(x), tf.constant([1])), DTypeError, "dtype"),
        (lambda: tf.case([]), ValueRuleError, "empty"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_adds_nothing(call: Any, error: Any, words: str) -> None:
    graph = tf.get_default_graph()
    x = tf.constant(1)
    with pytest.raises(error, match=words):
        call()
    assert [op for op in graph.get_operations() if op.type in ("If", "While")] == []
    assert run(x) == 1


def test_rows_are_mapped_scanned_and_folded() -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    value = np.arange(6, dtype="f4").reshape(3, 2)
    doubled = tf.map_fn(lambda row: row * 2.0, x)
    assert str(doubled.shape) == "(n, 2)"
    np.testing.assert_array_equal(run(doubled, {x: value}), value * 2)
    np.testing.assert_array_equal(run(tf.scan(lambda a, r: a + r, x), {x: value}), np.cumsum(value, 0))
    backwards = run(tf.scan(lambda a, r: a + r, x, reverse=True), {x: value})
    np.testing.assert_array_equal(backwards, np.cumsum(value[::-1], 0)[::-1])
    assert run(doubled, {x: np.ones((0, 2))}).shape == (0, 2)
    assert run(tf.foldl(lambda a, r: 10 * a + r, tf.constant([1, 2, 3]))) == 123
    assert run(tf.foldr(lambda a, r: 10 * a + r, tf.constant([1, 2, 3]))) == 321


def test_a_case_without_a_true_predicate_is_an_error_of_the_run() -> None:
    x = tf.placeholder(tf.int32, [])
    y = tf.case([(x < 0, lambda: -1), (x > 0, lambda: 1)])
    assert run(y, {x: 5}) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the conditions evaluated as True"):
        run(y, {x: 0})
    z = tf.case([(x < 5, lambda: 1), (x < 7, lambda: 2)], default=lambda: 3, exclusive=True)
    assert run(z, {x: 6}) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one condition"):
        run(z, {x: 0})


def test_an_error_in_an_iteration_says_which() -> None:
    table = tf.constant([1, 2, 3])
    i = tf.while_loop(lambda i, s: i < 9, lambda i, s: (i + 1, s + tf.gather(table, i)), [0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match='inside iteration 3 of "while"') as found:
        run(i)
    assert str(found.value).splitlines()[-2:] == ["    i  int32 [] = 3", "    s  int32 [] = 6"]


def test_a_trace_addresses_values_by_iteration() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.add(h, x, name="sum"), lambda: h * 2.0, name="choice")

    _, y = tf.while_loop(lambda i, h: i < 5, body, [0, x], name="steps")
    trace = tf.Session(graph=x.graph).trace(y, {x: [1.0, 2.0]})
    assert trace["steps[2]/choice/true/sum"].tolist() == [5.0, 10.0]
    assert trace["steps[3]/h"].tolist() == [5.0, 10.0]
    assert trace["steps[3]/choice"].tolist() == [10.0, 20.0]
    assert not trace["steps[5]/cond/Less"]
    assert "steps[3]/choice/true/sum" not in trace
    assert "Add" in str(trace)


def test_a_trace_of_a_long_loop_keeps_some_iterations() -> None:
    i = tf.while_loop(lambda i: i < 10_000, lambda i: i + 1, [0], name="steps")
    trace = tf.Session(graph=i.graph).trace(i)
    kept = [int(name[6 : name.index("]")]) for name in trace if name.endswith("/add:0")]
    assert kept[:64] == list(range(64))
    assert 64 < len(kept) < 400
    assert kept[-1] > 9_700


def test_a_watch_stops_at_the_iteration() -> None:
    v = tf.while_loop(lambda v: v > -3.0, lambda v: tf.log(v) - 0.1, [tf.constant(5.0)])
    with pytest.raises(tf.errors.NonFiniteError, match='inside iteration 3 of "while"'):
        tf.Session(graph=v.graph, config=tf.SessionConfig(watch=tf.Watch())).run(v)
