"""A graph in shards on two workers gives the bits that the same shards give on this machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

X = np.random.default_rng(5).standard_normal((33, 6)).astype("f4")
Y = (X.sum(1) > 0).astype("i4")
SHARDS = tf.SessionConfig(shard={"batch": 2})


class Training:
    """An MLP in a graph of its own."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, ["batch", 6], name="x")
            self.y = tf.placeholder(tf.int32, ["batch"], name="y")
            rng = np.random.default_rng(1)
            w, v = [tf.Variable((rng.standard_normal(shape) * 0.5).astype("f4")) for shape in ((6, 8), (8, 3))]
            self.logits = tf.matmul(tf.nn.relu(tf.matmul(self.x, w)), v, name="logits")
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=self.logits)
            self.loss = tf.reduce_mean(losses, name="loss")
            self.train = tf.train.GradientDescentOptimizer(0.5).minimize(self.loss)
            self.init = tf.global_variables_initializer()

    def run(self, session: tf.Session) -> list[Any]:
        session.run(self.init)
        feeds = {self.x: X, self.y: Y}
        return [*(session.run([self.loss, self.train], feeds)[0] for _ in range(4)), session.run(self.logits, feeds)]


def test_training_gives_the_same_bits(cluster_address: str) -> None:
    training = Training()
    with tf.Session(graph=training.graph, config=SHARDS) as session:
        wanted = training.run(session)
    with tf.Session(cluster_address, graph=training.graph, config=SHARDS) as session:
        found = training.run(session)
        assert all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True))
        report = session.explain([training.loss, training.train], [training.x, training.y]).shards
    assert report is not None and not report.refused


def test_an_error_of_a_shard_names_the_node_and_the_line_of_the_user(cluster_address: str) -> None:
    training = Training()
    with tf.Session(cluster_address, graph=training.graph, config=SHARDS) as session:
        session.run(training.init)
        wrong = Y.copy()
        wrong[-1] = 7
        with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 7") as caught:
            session.run(training.loss, {training.x: X, training.y: wrong})
    assert "test_shards_on_workers.py" in str(caught.value)
    assert caught.value.op is not None and caught.value.op.type == "SparseSoftmaxCrossEntropyWithLogits"


def test_more_shards_than_workers_go_round_them(cluster_address: str) -> None:
    training = Training()
    config = tf.SessionConfig(shard={"batch": 3})
    with tf.Session(graph=training.graph, config=config) as session:
        wanted = training.run(session)
    with tf.Session(cluster_address, graph=training.graph, config=config) as session:
        found = training.run(session)
        report = session.explain(training.loss, [training.x, training.y]).shards
    assert all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True))
    assert report is not None and report.workers == (0, 1, 0)
