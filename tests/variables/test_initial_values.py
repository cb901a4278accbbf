"""Initial values that depend on other variables: one run of all initializers, in any order of the list, is enough."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def loop(a: Any) -> Any:
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + a), [0, tf.zeros([3])])[1]


WAYS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "the variable": (lambda a: a, lambda a: a),
    "arithmetic": (lambda a: a * 2.0 - tf.reduce_sum(a), lambda a: a * 2 - a.sum()),
    "a function": (lambda a: lambda: a * 2.0, lambda a: a * 2),
    "a read": (lambda a: a.read_value() + 1.0, lambda a: a + 1),
    "its value": (lambda a: tf.identity(a.value()), lambda a: a),
    "a part": (lambda a: a[1:], lambda a: a[1:]),
    "rows": (lambda a: tf.gather(a, [2, 0]), lambda a: a[[2, 0]]),
    "a list": (lambda a: [a, a], lambda a: np.stack([a, a])),
    "a branch": (lambda a: tf.cond(a[0] > 0.0, lambda: a * 3.0, lambda: -a), lambda a: a * 3 if a[0] > 0 else -a),
    "a loop": (loop, lambda a: 3 * a),
    "a map": (lambda a: tf.map_fn(lambda each: each * a[0], a), lambda a: a * a[0]),
    "initialized_value": (lambda a: a.initialized_value() * 2.0, lambda a: a * 2),
    "two outputs": (lambda a: tf.nn.top_k(a, 2)[0], lambda a: np.sort(a)[::-1][:2]),
}


@pytest.mark.parametrize("way", WAYS)
def test_one_run_of_all_initializers_is_enough(way: str) -> None:
    build, expected = WAYS[way]
    a = tf.Variable(tf.random_normal([3], seed=5))
    b = tf.Variable(build(a))
    c = tf.get_variable("c", initializer=tf.reduce_sum(b) + a)
    with tf.Session() as session:
        init = tf.group(c.initializer, b.initializer, a.initializer)
        for _ in range(2):  # the second time everything has a value, and gets a new one
            session.run(init)
            x, y, z = session.run([a, b, c])
            np.testing.assert_allclose(y, expected(x), rtol=1e-6)
            np.testing.assert_allclose(z, y.sum() + x, rtol=1e-5)
            session.run(a.assign([5.0, 6.0, 7.0]))


def test_an_initializer_alone_takes_the_value_that_there_is_else_the_initial_one() -> None:
    a = tf.Variable(2.0)
    b = tf.Variable(a * 2.0)
    with tf.Session() as session:
        session.run(b.initializer)
        assert session.run(b) == 4.0 and not session.run(tf.is_variable_initialized(a))
        session.run(a.assign(7.0))
        session.run(b.initializer)
        assert session.run(b) == 14.0


def test_what_is_ordered_by_control_inputs_or_writes_stays_as_it_is(graph: tf.Graph) -> None:
    a = tf.Variable(2.0)
    with tf.control_dependencies([a.assign(5.0)]):
        b = tf.Variable(a.read_value() * 2.0)
    c = tf.Variable(a.assign_add(1.0))
    with tf.Session() as session:
        session.run(b.initializer)
        assert session.run([a, b]) == [5.0, 10.0]
        session.run(c.initializer)
        assert session.run([a, c]) == [6.0, 6.0]
    assert b.initializer.inputs[0] is b.initial_value


def test_values_that_need_no_variable_are_not_copied(graph: tf.Graph) -> None:
    value = tf.reduce_sum(tf.random_normal([3])) * 2.0
    before = len(graph)
    v = tf.Variable(value)
    assert len(graph) == before + 2 and v.initializer.inputs[0] is value
    a = tf.Variable([1.0, 2.0])
    draw = tf.random_normal([2])
    b = tf.Variable(draw + a)  # drawn once: only what depends on the variable is copied
    assert b.initial_value.op is not b.initializer.inputs[0].op
    assert b.initializer.inputs[0].op.inputs[0] is draw
    with tf.Session() as session:
        _, drawn = session.run([[a.initializer, b.initializer], draw])
        assert np.array_equal(session.run(b), drawn + np.array([1, 2], np.float32))


def test_a_failed_call_leaves_nothing_behind(graph: tf.Graph) -> None:
    a = tf.Variable([1.0, 2.0])
    twice = a * 2.0
    names = [op.name for op in graph.get_operations()]
    with pytest.raises(ValueError, match="expected_shape"):
        tf.Variable(twice, expected_shape=[3])
    assert [op.name for op in graph.get_operations()] == names


def test_a_meta_graph_keeps_the_order(tmp_path: Any) -> None:
    a = tf.Variable(tf.random_normal([]), name="a")
    tf.Variable(a * 2.0, name="b")
    tf.train.export_meta_graph(str(tmp_path / "m.meta"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(tmp_path / "m.meta"))
        session.run(tf.global_variables_initializer())
        first, second = session.run(["a:0", "b:0"])
        assert second == 2 * first


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_agree_with_python(seed: int) -> None:
    """Variables made of those before, initialized in random subsets and orders, written between."""
    rng = np.random.default_rng(seed)
    variables: list[Any] = []
    rules: list[Callable[..., Any]] = []
    for _ in range(int(rng.integers(2, 8))):
        number, chosen = float(rng.integers(1, 4)), [int(i) for i in rng.integers(0, 8, 2) if i < len(variables)]
        value: Any = tf.constant(number)
        for i in chosen:
            v = variables[i]
            value = value * 0.5 + [v, v.read_value(), v.value()][int(rng.integers(0, 3))]

        def rule(values: list[Any], number: float = number, chosen: list[int] = chosen) -> Any:
            for i in chosen:
                number = number * 0.5 + values[i]
            return number

        variables.append(tf.Variable(value))
        rules.append(rule)
    values: list[Any] = [None] * len(variables)
    with tf.Session() as session:
        for _ in range(6):
            if rng.random() < 0.3:
                i = int(rng.integers(0, len(variables)))
                values[i] = float(rng.integers(0, 9))
                session.run(variables[i].assign(values[i]))
            else:
                some = [int(i) for i in rng.permutation(len(variables))[: rng.integers(1, len(variables) + 1)]]
                session.run(tf.variables_initializer([variables[i] for i in some]))
                now: list[Any] = []
                for i, rule in enumerate(rules):
                    now.append(rule(now) if i in some or values[i] is None else values[i])
                values = [now[i] if i in some else values[i] for i in range(len(values))]
            there = [i for i, value in enumerate(values) if value is not None]
            np.testing.assert_allclose(session.run([variables[i] for i in there]), [values[i] for i in there], 1e-6)
