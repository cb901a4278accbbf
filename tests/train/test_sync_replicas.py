"""`tf.train.SyncReplicasOptimizer`: every nth run is one step with the mean of n gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf

KINDS: dict[str, Callable[[], tf.train.Optimizer]] = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
}
GRADIENTS = np.random.RandomState(0).standard_normal((12, 3)).astype("f4")


def trained(kind: str, count: int, gradients: Any, **given: Any) -> list[Any]:
    """The variable and the step after each run."""
    with tf.Graph().as_default():
        w, x = tf.Variable([1.0, 2.0, 3.0], name="w"), tf.placeholder(tf.float32, [3])
        optimizer = tf.train.SyncReplicasOptimizer(KINDS[kind](), count, **given)
        number = tf.train.get_or_create_global_step()
        step = optimizer.minimize(tf.reduce_sum(w * x), global_step=number)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            found = []
            for gradient in gradients:
                session.run(step, {x: gradient})
                found.append((session.run(w).tolist(), int(session.run(number))))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_nth_run_is_one_step_with_the_mean_of_the_gradients(kind: str, count: int) -> None:
    means = [part.sum(0, dtype="f4") / np.float32(count) for part in np.split(GRADIENTS, len(GRADIENTS) // count)]
    alone = trained(kind, 1, means)
    together = trained(kind, count, GRADIENTS)
    assert [number for _, number in together] == [i // count for i in range(1, len(GRADIENTS) + 1)]
    np.testing.assert_allclose([value for value, _ in together[count - 1 :: count]],
                               [value for value, _ in alone], rtol=1e-6)  # fmt: skip
    before = [([1.0, 2.0, 3.0], 0), *together]
    assert all(before[i] == before[i - 1] for i in range(1, len(before)) if i % count)


def test_the_whole_batch_of_all_replicas_gives_the_same_step() -> None:
    def run(count: int, batches: Any) -> Any:
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            x = tf.placeholder(tf.float32, [None, 2])
            loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1, name="d", kernel_initializer=tf.ones_initializer())))
            optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.5), count)
            step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
            with tf.Session() as session:
                session.run([tf.global_variables_initializer(), optimizer.chief_init_op])
                for batch in batches:
                    session.run(step, {x: batch})
                return session.run(tf.trainable_variables()[0])

    data = np.random.RandomState(1).rand(4, 6, 2).astype("f4")
    np.testing.assert_allclose(run(2, data), run(1, list(data.reshape(2, 12, 2))), rtol=1e-5)


def test_gradients_of_rows_are_added_up() -> None:
    with tf.Graph().as_default():
        table, ids = tf.Variable(tf.ones([4, 2])), tf.placeholder(tf.int32, [None])
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
        step = optimizer.minimize(tf.reduce_sum(tf.gather(table, ids)), tf.train.get_or_create_global_step())
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), optimizer.local_step_init_op])
            session.run(step, {ids: [0, 1, 1]})
            session.run(step, {ids: [1, 3]})
            assert session.run(table)[:, 0].tolist() == [0.5, -0.5, 1.0, 0.5]


@pytest.mark.filterwarnings("error")
def test_building_it_warns_of_nothing() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0, 2.0])
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)
        optimizer.minimize(tf.reduce_sum(w * w), tf.train.get_or_create_global_step())


def test_averages_follow_each_update() -> None:
    with tf.Graph().as_default():
        w, x = tf.Variable(0.0), tf.placeholder(tf.float32, [])
        averages = tf.train.ExponentialMovingAverage(0.5)
        averages.apply([w])
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(1.0), 2, variable_averages=averages, variables_to_average=[w]
        )
        step = optimizer.minimize(w * x, tf.train.get_or_create_global_step())
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), optimizer.local_step_init_op])
            found = []
            for gradient in (1.0, 3.0, 2.0, 4.0):
                session.run(step, {x: gradient})
                found.append(tuple(map(float, session.run([w, averages.average(w)]))))
    assert found == [(0.0, 0.0), (-2.0, -1.0), (-2.0, -1.0), (-5.0, -3.0)]


def test_sums_stand_beside_their_variables_and_are_not_saved() -> None:
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(2)):
        a, b = tf.Variable([1.0], name="a"), tf.Variable([1.0], name="b")
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
        optimizer.minimize(tf.reduce_sum(a * b), tf.train.get_or_create_global_step())
        sums = {v.op.name: v.device for v in tf.local_variables()}
        assert sums["sync_replicas/a/sum"] == "/job:ps/task:0" and sums["sync_replicas/b/sum"] == "/job:ps/task:1"
        assert not set(tf.local_variables()) & set(tf.global_variables())


def test_what_makes_no_sense_is_refused() -> None:
    descent = tf.train.GradientDescentOptimizer(1.0)
    other: Any = "sgd"
    with pytest.raises(TypeError, match="opt is an optimizer"):
        tf.train.SyncReplicasOptimizer(other, 2)
    with pytest.raises(ValueError, match="at least 1 gradient makes an update"):
        tf.train.SyncReplicasOptimizer(descent, 0)
    with pytest.raises(ValueError, match="Need to specify variables_to_average"):
        tf.train.SyncReplicasOptimizer(descent, 2, variable_averages=tf.train.ExponentialMovingAverage(0.5))
    with tf.Graph().as_default():
        loss = tf.square(tf.Variable(1.0))
        with pytest.raises(ValueError, match="Global step is required"):
            tf.train.SyncReplicasOptimizer(descent, 2).minimize(loss)
    with pytest.raises(ValueError, match="call minimize first"):
        tf.train.SyncReplicasOptimizer(descent, 2).get_init_tokens_op()
    with pytest.raises(tf.errors.UnimplementedError, match="there are no queues"):
        tf.train.SyncReplicasOptimizer(descent, 2).get_chief_queue_runner()
