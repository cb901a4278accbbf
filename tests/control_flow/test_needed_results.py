"""What a run does not need of a branch or a loop does not run inside, whatever its effect; in every way to run it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.identity_comparison import MistakeWarning
from penstock.graph.model.subgraph import bodies_of


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def warned(build: Callable[[], Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made = build()
    assert all(each.filename == __file__ and each.category is MistakeWarning for each in found)
    return made, [str(each.message) for each in found]


def two_results(v: Any) -> tuple[Any, Any]:
    """Two results of a branch, of which the second writes."""
    p, x = tf.placeholder_with_default(True, []), tf.placeholder_with_default(3.0, [])
    return tuple(tf.cond(p, lambda: (x * 2.0, tf.identity(v.assign_add(1.0))), lambda: (x, x)))


def two_variables(v: Any) -> tuple[Any, Any]:
    """Two loop variables, of which the second writes."""
    n = tf.placeholder_with_default(3, [])
    found = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a * 2.0, b + v.assign_add(1.0)),
                          [0, 1.0, 0.0])  # fmt: skip
    return found[1], found[2]


def two_stacks(v: Any) -> tuple[Any, Any]:
    """Two stacks of a map, of which the second writes."""
    rows = tf.placeholder_with_default([1.0, 2.0, 3.0], [None])
    return tuple(tf.map_fn(lambda e: (e * 2.0, e + v.assign_add(1.0)), rows, dtype=(tf.float32, tf.float32)))


KINDS = {"cond": (two_results, 1.0), "while_loop": (two_variables, 3.0), "map_fn": (two_stacks, 3.0)}
Run = Callable[[tf.Session, Any], Any]
WAYS: dict[str, Run] = {
    "run": lambda session, fetch: session.run(fetch),
    "callable": lambda session, fetch: session.make_callable(fetch)(),
    "debugger": lambda session, fetch: session.debug(fetch).finish(),
    "trace": lambda session, fetch: session.trace(fetch),
    "recorded": lambda session, fetch: session.run(fetch, run_metadata=tf.RunMetadata()),
}


@pytest.mark.parametrize("passes", [None, ()], ids=["passes", "no_passes"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_result_that_is_not_needed_does_not_write(kind: str, way: str, passes: Any) -> None:
    build, written = KINDS[kind]
    v = tf.Variable(0.0, name="v")
    a, b = build(v)
    waits = tf.group(a)
    with tf.control_dependencies([b]):
        after = tf.identity(a)
    with tf.Session(config=tf.SessionConfig(passes=passes, verify=True)) as session:
        session.run(v.initializer)
        for fetch, times in ((a, 0), (waits, 0), (b, 1), ([a, b], 2), (after, 3), (a.op, 4), (a, 4)):
            WAYS[way](session, fetch)
            assert session.run(v) == written * times, fetch


@pytest.mark.parametrize("form", ["json", "pb"])
@pytest.mark.parametrize("kind", ["cond", "while_loop", "map_fn"])
def test_a_saved_graph_does_the_same(
    kind: str, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def noted(x: Any) -> Any:
        with tf.control_dependencies([tf.Print(x, [x], "noted")]):
            return tf.gather([1.0, 2.0], tf.cast(x, tf.int32) + 7)  # fails, too

    p = tf.placeholder_with_default(True, [], name="p")
    if kind == "cond":
        a, _ = tf.cond(p, lambda: (tf.constant(2.0), noted(tf.constant(1.0))), lambda: (1.0, 1.0))
    elif kind == "while_loop":
        a, _ = tf.while_loop(lambda a, b: a < 5.0, lambda a, b: (a + 1.0, noted(a)), [0.0, 0.0])
    else:
        a, _ = tf.map_fn(lambda e: (e, noted(e)), tf.ones([3]), dtype=(tf.float32, tf.float32))
    name = tf.identity(a, name="a").name
    path = tmp_path / f"graph.{form}"
    tf.save_graph(tf.get_default_graph(), path)
    with tf.Session(graph=tf.load_graph(path)) as session:
        session.run(name)
    assert "noted" not in capfd.readouterr().err


def test_an_operation_that_fails_for_a_result_that_is_not_needed_does_not_fail() -> None:
    x = tf.placeholder(tf.float32, [2])
    a, b = tf.map_fn(lambda e: (e * 2.0, tf.gather([1.0], tf.cast(e, tf.int32))), x, dtype=(tf.float32, tf.float32))
    with tf.Session() as session:
        assert session.run(a, {x: [1, 2]}).tolist() == [2.0, 4.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
            session.run(b, {x: [1, 2]})


def test_a_loop_variable_that_a_needed_one_reads_is_needed() -> None:
    v = tf.Variable(0.0)
    _, a, _, _ = tf.while_loop(
        lambda i, a, b, c: i < 4,
        lambda i, a, b, c: (i + 1, a + b, b + v.assign_add(1.0) * 0.0 + 1.0, c + v.assign_add(100.0)),
        [0, 0.0, 1.0, 0.0],
    )  # fmt: skip
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([a, v]) == [10.0, 0.0]
        assert session.run(v) == 4.0


def test_bodies_inside_bodies_give_what_is_needed_however_deep_they_are() -> None:
    v = tf.Variable(0.0)

    def level(depth: int, x: Any) -> tuple[Any, Any]:
        if not depth:
            return x + 1.0, tf.identity(v.assign_add(1.0))
        if depth % 2:
            return tuple(tf.cond(x < 99.0, lambda: level(depth - 1, x), lambda: (x, x)))
        made: tuple[Any, Any] = tf.while_loop(lambda a, b: a < 3.0, lambda a, b: level(depth - 1, a + b * 0.0),
                                              [x, 0.0])  # fmt: skip
        return made

    a, b = level(12, tf.constant(0.0))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(b) == 3.0 and session.run(v) == 3.0  # a reads b, so both are needed everywhere
        assert session.run(a) == 3.0 and session.run(v) == 6.0


def test_a_fed_result_is_not_needed() -> None:
    v = tf.Variable(0.0)
    a, b = two_results(v)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([a, b * 2.0], {b: 5.0}) == [6.0, 10.0]
        assert session.run(v) == 0.0


def test_rows_of_another_number_are_told_though_one_result_is_needed() -> None:
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    _, b = tf.map_fn(lambda e: (e[0] * 2.0, e[1] * 3.0), (x, y), dtype=(tf.float32, tf.float32))
    with tf.Session() as session:
        assert session.run(b, {x: [0, 0], y: [1, 2]}).tolist() == [3.0, 6.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="rows"):
            session.run(b, {x: [0, 0], y: [1, 2, 3]})


def test_the_needed_part_alone_is_in_the_plan_without_passes() -> None:
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [3])
    a, _ = tf.cond(p, lambda: (x + 1.0, tf.exp(x)), lambda: (x, tf.sin(x)))
    with tf.Session(config=tf.SessionConfig(passes=())) as session:
        text = str(session.plan(a, [p, x]))
    assert "Add" in text and "Exp" not in text and "Sin" not in text


# ---- what no result needs -----------------------------------------------------------------------


def _cond(body: Any, x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: body(x), lambda: x)


def _loop(body: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(y)), [0, x])[1]


CALLS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "cond": ("cond", "true_fn", _cond),
    "case": ("cond", "false_fn", lambda body, x: tf.case([(x > 9.0, lambda: x)], default=lambda: body(x))),
    "switch_case": ("cond", "true_fn", lambda body, x: tf.switch_case(tf.constant(0), [lambda: body(x), lambda: x])),
    "while_loop": ("while_loop", "body", _loop),
    "map_fn": ("map_fn", "fn", lambda body, x: tf.map_fn(body, tf.stack([x, x]))),
    "scan": ("scan", "fn", lambda body, x: tf.scan(lambda a, e: a + body(e), tf.stack([x, x]))),
    "foldl": ("foldl", "fn", lambda body, x: tf.foldl(lambda a, e: a + body(e), tf.stack([x, x]))),
    "foldr": ("foldr", "fn", lambda body, x: tf.foldr(lambda a, e: a + body(e), tf.stack([x, x]))),
}
EFFECTS: dict[str, Callable[[Any, Any], Any]] = {
    "write": lambda v, y: v.assign_add(y),
    "print": lambda v, y: tf.Print(y, [y]),
    "assertion": lambda v, y: tf.Assert(y < 0.0, [y]),
    "assert_less": lambda v, y: tf.assert_less(y, 0.0),
    "function": lambda v, y: tf.py_func(lambda a: [a][1], [y], tf.float32),
    "branch": lambda v, y: tf.cond(y > 0.0, lambda: tf.identity(v.assign(y)), lambda: y),
}


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("call", CALLS)
def test_an_effect_that_no_result_needs_is_told_and_does_not_happen(call: str, effect: str) -> None:
    label, parameter, build = CALLS[call]
    v, x = tf.Variable(0.0, name="v"), tf.constant(2.0)

    def body(y: Any) -> Any:
        EFFECTS[effect](v, y)
        return y * 2.0

    made, texts = warned(lambda: build(body, x))
    assert len(texts) == 1 and f" in {parameter}, does not run, because no result of {parameter} needs it" in texts[0]
    assert texts[0].startswith(f"{label}: ") and "built at test_needed_results.py:" in texts[0]
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(made)
        session.run(made.op)
        assert session.run(v) == 0.0


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("call", CALLS)
def test_one_that_a_result_waits_for_is_not_told_and_happens(call: str, effect: str) -> None:
    _, _, build = CALLS[call]
    v, x = tf.Variable(0.0, name="v"), tf.constant(2.0)

    def body(y: Any) -> Any:
        with tf.control_dependencies([EFFECTS[effect](v, y)]):
            return y * 2.0

    made, texts = warned(lambda: build(body, x))
    assert not texts
    with tf.Session() as session:
        session.run(v.initializer)
        if effect in ("assertion", "assert_less", "function"):
            with pytest.raises(tf.errors.OpError):
                session.run(made)
        else:
            session.run(made)
            assert (session.run(v) != 0.0) == (effect in ("write", "branch"))


def test_what_has_no_effect_and_cannot_be_meant_for_one_is_not_told() -> None:
    def body(y: Any) -> Any:
        tf.exp(y)
        tf.random_uniform([])
        tf.gather([1.0], tf.cast(y, tf.int32))
        tf.no_op()
        tf.Assert(True, [y])
        tf.get_variable("made_here", [], initializer=tf.zeros_initializer())
        return y * 2.0

    assert not warned(lambda: _cond(body, tf.constant(1.0)))[1]


def test_each_line_is_told_once_and_what_only_serves_another_is_not() -> None:
    v = tf.Variable(0.0, name="v")

    def body(y: Any) -> Any:
        printed = tf.Print(y, [y])
        v.assign(printed)
        v.assign_add(1.0), v.assign_add(2.0)
        return y * 2.0

    _, texts = warned(lambda: _cond(body, tf.constant(1.0)))
    assert [text.rpartition("[...]). ")[2] for text in texts] == [
        "v.assign(printed)", "v.assign_add(1.0), v.assign_add(2.0)",
    ]  # fmt: skip


def test_an_optimizer_in_a_body_that_nothing_waits_for_is_told() -> None:
    w = tf.Variable([1.0, 2.0], name="w")

    def body(i: Any) -> Any:
        tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(w * w))
        return i + 1

    loop, texts = warned(lambda: tf.while_loop(lambda i: i < 3, body, [0]))
    assert len(texts) == 1 and "GradientDescentOptimizer(0.5).minimize" in texts[0]
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(loop) == 3 and session.run(w).tolist() == [1.0, 2.0]


def test_a_body_without_effects_any_more_counts_as_pure() -> None:
    v = tf.Variable(0.0, name="v")
    made, _ = warned(lambda: _loop(lambda y: (v.assign_add(1.0), y * 2.0)[1], tf.constant(1.0)))
    assert all(body.effects.is_pure and not body.targets for body in bodies_of(made.op))
    with tf.Session() as session:
        assert np.array_equal(session.run(made), 8.0)  # v has no value, and needs none


def test_a_claim_about_a_result_that_nothing_needs_is_not_checked() -> None:
    x = tf.placeholder(tf.float32, [None])
    loop = tf.while_loop(lambda i, a, b: i < 2, lambda i, a, b: (i + 1, a * 2.0, tf.identity(b)), [0, x, x])
    loop[2].set_shape([3])
    with tf.Session() as session:
        assert session.run(loop[1], {x: [1.0, 2.0]}).tolist() == [4.0, 8.0]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(loop[2], {x: [1.0, 2.0]})


def test_a_fed_result_of_a_loop_that_runs_for_another_one_is_what_is_fed() -> None:
    x, start = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [])
    first = tf.foldl(lambda a, row: tf.sin(a) + row, x, initializer=start)
    total, other = tf.while_loop(lambda i, a, b: i < 2, lambda i, a, b: (i + 1, a + first, b * a),
                                 [0, -first, start])[1:]  # fmt: skip
    slope = tf.gradients(first, x)[0]
    for config in (None, tf.SessionConfig(passes=())):
        with tf.Session(config=config) as session:
            found = session.run([total, slope, other], {x: [1.0, 2.0], start: 0.5, total: 7.0})
            assert found[0] == 7.0


def test_rows_that_nothing_reads_are_not_computed_if_their_number_is_known() -> None:
    v = tf.Variable(0.0)
    x = tf.placeholder(tf.float32, [3])

    def written(row: Any) -> Any:
        row.set_shape([])
        return tf.constant(2.0)

    with tf.control_dependencies([v.assign_add(1.0)]):
        rows = tf.identity(x)
    for fetch in (tf.map_fn(written, rows), tf.scan(lambda a, row: tf.constant(2.0), rows, 0.0)):
        for config in (None, tf.SessionConfig(passes=())):
            with tf.Session(config=config) as session:
                session.run(v.initializer)
                assert session.run(fetch, {x: [1.0, 2.0, 3.0]}).tolist() == [2.0, 2.0, 2.0]
                assert session.run(v) == 0.0
