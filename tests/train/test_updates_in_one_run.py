"""Two updates of one variable in one run are two steps, in the order in which they were built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

train = tf.train
OPTIMIZERS: dict[str, Callable[[], tf.train.Optimizer]] = {
    "gradient descent": lambda: train.GradientDescentOptimizer(0.1),
    "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: train.AdamOptimizer(0.1),
    "rmsprop": lambda: train.RMSPropOptimizer(0.1, centered=True, momentum=0.5),
    "ftrl": lambda: train.FtrlOptimizer(0.1),
    "adadelta": lambda: train.AdadeltaOptimizer(0.1),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "proximal adagrad": lambda: train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.1),
    "proximal descent": lambda: train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.1),
}


def trained(name: str, sparse: bool, runs: list[str]) -> list[Any]:
    """The variable and what the optimizer keeps after runs of the updates "a" and "b"."""

    def slope(factor: float) -> Any:
        row = tf.constant([[0.1 * factor, 0.2 * factor]])
        return tf.IndexedSlices(row, tf.constant([1]), tf.constant([2, 2])) if sparse else tf.tile(row, [2, 1])

    with tf.Graph().as_default() as graph:
        w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        optimizer = OPTIMIZERS[name]()
        steps = {key: optimizer.apply_gradients([(slope(i), w)]) for i, key in enumerate("ab", 1)}
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            for each in runs:
                session.run([steps[key] for key in each])
            found: list[Any] = session.run([w, *optimizer.variables()])
            return found


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_two_updates_in_one_run_are_two_runs(name: str, sparse: bool) -> None:
    together, apart = trained(name, sparse, ["ab", "ba"]), trained(name, sparse, ["a", "b", "a", "b"])
    assert all(map(np.array_equal, together, apart))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_second_update_alone_does_not_run_the_first(name: str) -> None:
    def after(built: int) -> Any:
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            w = tf.Variable([1.0, 2.0], name="w")
            optimizer = OPTIMIZERS[name]()
            steps = [optimizer.apply_gradients([(tf.constant([k, k]), w)]) for k in (0.1, 5.0)[-built:]]
            session.run(tf.global_variables_initializer())
            session.run(steps[-1])
            return session.run([w, *optimizer.variables()])

    assert all(map(np.array_equal, after(1), after(2)))


def test_one_variable_given_twice_gets_both_updates() -> None:
    def after(pairs: int) -> Any:
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            w = tf.Variable([1.0, 2.0], name="w")
            g = tf.constant([0.5, 0.25])
            momentum = tf.train.MomentumOptimizer(0.1, 0.9)
            step = momentum.apply_gradients([(g, w)] * pairs)
            session.run(tf.global_variables_initializer())
            for _ in range(2 // pairs):
                session.run(step)
            return session.run([w, *momentum.variables()])

    assert all(map(np.array_equal, after(1), after(2)))


def test_rows_of_a_variable_given_twice_to_adam_decay_twice() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        w = tf.Variable([1.0, 2.0], name="w")
        rows = tf.IndexedSlices(tf.constant([0.5]), tf.constant([1]), tf.constant([2]))
        adam = tf.train.AdamOptimizer(0.1, beta1=0.5)
        step = adam.apply_gradients([(rows, w)] * 2)
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(adam.get_slot(w, "m")).tolist() == [0.0, 0.5 * 0.25 + 0.25]


def test_the_powers_of_adam_are_beside_the_first_name_and_written_after_all_updates() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            b = tf.Variable(1.0, name="b")
        with tf.device("/cpu:0"):
            a = tf.Variable(1.0, name="a")
        adam = tf.train.AdamOptimizer(0.1)
        adam.apply_gradients([(tf.constant(1.0), b), (tf.constant(2.0), a)])
        power = next(v for v in adam.variables() if v.op.name == "beta1_power")
        assert power.device == a.device != b.device
        write = graph.get_operation_by_name("Adam/Assign")
        assert [op.name for op in write.control_inputs] == ["Adam/update_b/group_deps", "Adam/update_a/group_deps"]


def test_two_losses_with_one_adam_count_both_steps() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
        adam = tf.train.AdamOptimizer(0.1, beta1=0.5)
        steps = [adam.minimize(tf.square(v), var_list=[v]) for v in (a, b)]
        power = next(v for v in adam.variables() if v.op.name == "beta1_power")
        session.run(tf.global_variables_initializer())
        session.run(steps)
        assert session.run(power) == 0.125


def test_an_optimizer_after_an_assignment_starts_from_what_it_wrote() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        w = tf.Variable([8.0], name="w")
        halved = w.assign(w * 0.5)
        step = tf.train.ProximalGradientDescentOptimizer(1.0).apply_gradients([(tf.constant([1.0]), w)])
        session.run(tf.global_variables_initializer())
        session.run([halved, step])
        assert session.run(w) == [3.0]


def test_two_updates_of_an_average_in_one_run_are_two_updates() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        w = tf.Variable(8.0, name="w")
        average = tf.train.ExponentialMovingAverage(0.5)
        steps = [average.apply([w]) for _ in range(2)]
        session.run(tf.global_variables_initializer())
        session.run(w.assign(0.0))
        session.run(steps)
        assert session.run(average.average(w)) == 2.0


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_updates_in_one_run_survive_a_file(suffix: str, tmp_path: Path) -> None:
    def after(graph: tf.Graph, names: list[str]) -> Any:
        with tf.Session(graph=graph) as session:
            session.run("start")
            session.run(names)
            return session.run("w:0")

    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0, 2.0], name="w")
        momentum = tf.train.MomentumOptimizer(0.1, 0.9)
        names = [momentum.apply_gradients([(tf.constant([k, k]), w)]).name for k in (0.1, 5.0)]
        tf.variables_initializer(tf.global_variables(), name="start")
    path = tf.save_graph(graph, tmp_path / f"graph{suffix}")
    assert np.array_equal(after(tf.load_graph(path), names), after(graph, names))
