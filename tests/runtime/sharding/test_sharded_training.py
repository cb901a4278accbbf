"""Synchronous training in shards: sums of the shards' gradients, made in the order of a loop on one machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ...op_samples import same

RNG = np.random.default_rng(5)
X = RNG.standard_normal((33, 6)).astype("f4")
Y = ((X.sum(1) > 0).astype("i4") + (X[:, 0] > 1)).astype("i4")
STEPS = 20


class Network:
    """An MLP with softmax cross entropy in a graph of its own."""

    def __init__(self, optimizer: Callable[[], Any] = lambda: tf.train.GradientDescentOptimizer(0.5)) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, ["batch", 6], name="x")
            self.y = tf.placeholder(tf.int32, ["batch"], name="y")
            rng = np.random.default_rng(1)
            self.variables = [
                tf.Variable((rng.standard_normal(shape) * 0.5).astype("f4"))
                for shape in ((6, 16), (16,), (16, 3), (3,))
            ]
            w, b, v, c = self.variables
            logits = tf.matmul(tf.nn.relu(tf.matmul(self.x, w) + b), v) + c
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=logits)
            self.loss = tf.reduce_mean(losses)
            self.total = tf.reduce_sum(losses)
            self.sums = tf.gradients(self.total, self.variables)
            self.train = optimizer().minimize(self.loss)
            self.init = tf.global_variables_initializer()

    def trained(self, config: tf.SessionConfig | None = None, rows: int = 33) -> list[Any]:
        with tf.Session(graph=self.graph, config=config) as session:
            session.run(self.init)
            losses = [session.run([self.loss, self.train], {self.x: X[:rows], self.y: Y[:rows]})[0]
                      for _ in range(STEPS)]  # fmt: skip
            return [np.array(losses), *session.run(self.variables)]


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "gradient descent": lambda: tf.train.GradientDescentOptimizer(0.5),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_twenty_steps_are_close_to_those_of_one_machine(name: str) -> None:
    network = Network(OPTIMIZERS[name])
    wanted = network.trained()
    assert wanted[0][-1] < wanted[0][0] * 0.8
    for count in (2, 5):
        config = tf.SessionConfig(shard={"batch": count}, verify=True)
        for a, b in zip(wanted, network.trained(config), strict=True):
            np.testing.assert_allclose(a, b, 2e-4, 2e-4)


def test_more_shards_than_rows_train_too() -> None:
    network = Network()
    for a, b in zip(network.trained(rows=3), network.trained(tf.SessionConfig(shard={"batch": 5}), 3), strict=True):
        np.testing.assert_allclose(a, b, 1e-4, 1e-4)


@pytest.mark.parametrize("sums", ["ordered", "tree"])
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_gradient_sums_have_the_bits_of_a_loop_over_the_same_shards(count: int, sums: Any) -> None:
    network = Network()
    parts = list(zip(np.array_split(X, count), np.array_split(Y, count), strict=True))
    with tf.Session(graph=network.graph) as session:
        session.run(network.init)
        of_shards = [session.run(network.sums, {network.x: x, network.y: y}) for x, y in parts]
    with tf.Session(graph=network.graph, config=tf.SessionConfig(shard={"batch": count}, sums=sums)) as session:
        session.run(network.init)
        found = session.run(network.sums, {network.x: X, network.y: Y})
    for place, gradient in enumerate(found):
        assert same(gradient, total([each[place] for each in of_shards], sums))


def total(values: list[Any], sums: str) -> Any:
    if sums == "ordered":
        found = values[0]
        for value in values[1:]:
            found = found + value
        return found
    while len(values) > 1:
        pairs = [a + b for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[2 * len(pairs) :]
    return values[0]


def test_there_is_one_join_for_each_gradient_and_the_update_runs_once() -> None:
    network = Network()
    with tf.Session(graph=network.graph, config=tf.SessionConfig(shard={"batch": 4})) as session:
        found = session.explain([network.train], [network.x, network.y]).shards
    assert found is not None and not found.refused
    assert [join.how for join in found.joins if join.tensor != network.loss.name] == ["sum"] * 4
    assert {name for name in found.once if "GradientDescent" in name} and not [
        name for name in found.in_shards if "GradientDescent" in name
    ]


def test_variables_that_a_run_reads_and_writes_keep_their_values() -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 3})) as session:
        with session.graph.as_default():
            x = tf.placeholder(tf.float32, ["batch", 2])
            w = tf.Variable([1.0, 2.0])
            y = x * w
            with tf.control_dependencies([y]):
                update = tf.assign_add(w, tf.reduce_sum(x, 0))
            init = tf.global_variables_initializer()
        session.run(init)
        ones = np.ones((4, 2), "f4")
        for step in range(3):
            rows, _ = session.run([y, update], {x: ones})
            assert rows.tolist() == [[1.0 + 4 * step, 2.0 + 4 * step]] * 4
        assert session.run(w).tolist() == [13.0, 14.0]


@pytest.mark.parametrize("sums", ["ordered", "tree"])
def test_a_weight_that_is_used_many_times_has_one_join(sums: Any) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["batch", 5, 4])
        w = tf.Variable(np.random.default_rng(2).standard_normal((4, 4)).astype("f4"))
        state = tf.zeros_like(x[:, 0])
        for step in range(5):
            state = tf.tanh(tf.matmul(state + x[:, step], w) - tf.matmul(state, w, transpose_b=True))
        loss = tf.reduce_sum(state)
        gradient = tf.gradients(loss, [w])[0]
        decayed = tf.gradients(tf.nn.l2_loss(w) + loss, [w])[0]
        init = tf.global_variables_initializer()
    given = np.random.default_rng(3).standard_normal((7, 5, 4)).astype("f4")
    config = tf.SessionConfig(shard={"batch": 3}, sums=sums, verify=True)
    with tf.Session(graph=graph) as whole, tf.Session(graph=graph, config=config) as session:
        whole.run(init)
        session.run(init)
        parts = [whole.run(gradient, {x: part}) for part in np.array_split(given, 3)]
        assert same(session.run(gradient, {x: given}), total(parts, sums))
        found = session.run(decayed, {x: given})
        np.testing.assert_allclose(found, total(parts, sums) + whole.run(w), 1e-5)
        for fetch in (gradient, decayed):
            report = session.explain(fetch, [x]).shards
            assert report is not None and [join.how for join in report.joins] == ["sum"]
