"""Partitioned variables: names, reuse, writes, use in calls, and errors. Values beside TensorFlow are in
`tests/fuzz/test_embeddings_beside_tensorflow.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf


def two_parts(shape: list[int] | None = None, **more: Any) -> Any:
    return tf.get_variable("v", shape or [5, 2], partitioner=tf.fixed_size_partitioner(2), **more)


def test_a_scope_cuts_variables_but_not_scalars() -> None:
    with tf.Graph().as_default(), tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)) as scope:
        v, scalar = tf.get_variable("v", [5, 2]), tf.get_variable("s", [])
        with tf.variable_scope("b"):
            inner = tf.get_variable("v", [3])
        scope.set_partitioner(None)
        plain = tf.get_variable("p", [3])
        names = ["a/v/part_0:0", "a/v/part_1:0", "a/b/v/part_0:0", "a/b/v/part_1:0"]
        assert [part.name for part in [*v, *inner]] == names
        assert (len(v), v.name, v.dtype, v.shape.as_list()) == (2, "a/v", tf.float32, [5, 2])
        assert isinstance(scalar, tf.Variable)
        assert isinstance(plain, tf.Variable)
        assert tf.trainable_variables() == [*v, scalar, *inner, plain]


def test_reuse_gives_the_same_object_with_and_without_a_partitioner() -> None:
    with tf.Graph().as_default():
        v = two_parts()
        with tf.variable_scope("", reuse=True):
            assert tf.get_variable("v", [5, 2]) is v
            assert two_parts() is v
            assert tf.get_variable("v/part_0", [3, 2]) is v.parts[0]
        with tf.variable_scope("", reuse=tf.AUTO_REUSE):
            assert two_parts() is v


REFUSED: list[tuple[Callable[[], Any], bool, str]] = [
    (two_parts, False, "already exists"),
    (lambda: tf.get_variable("v", [5, 2]), False, "No partitioner was provided"),
    (lambda: tf.get_variable("whole", [5], partitioner=tf.fixed_size_partitioner(2)), False, "unpartitioned version"),
    (lambda: two_parts([6, 2]), True, "specified shape"),
    (lambda: two_parts(dtype=tf.float64), True, "specified dtype"),
    (lambda: tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(3)), True, "specified partitions"),
    (lambda: tf.get_variable("none", [5], partitioner=tf.fixed_size_partitioner(2)), True, "does not exist"),
    (lambda: tf.get_variable("n", [5], partitioner=lambda shape, dtype: 2), False, "must return a sequence"),
    (lambda: tf.get_variable("n", [5], partitioner=lambda shape, dtype: [1, 2]), False, "does not match"),
    (lambda: tf.get_variable("n", [5], partitioner=lambda shape, dtype: [0]), False, "zero partitions"),
    (lambda: tf.get_variable("n", [5, 5], partitioner=lambda shape, dtype: [2, 2]), False, "along one dimension"),
    (lambda: tf.get_variable("n", [None], partitioner=tf.fixed_size_partitioner(2)), False, "fully defined"),
    (lambda: tf.get_variable("n", [5], partitioner=tf.fixed_size_partitioner(2, axis=1)), False, "along axis 1"),
    (lambda: tf.get_variable("n", [5], partitioner=2), False, "give a function"),
    (lambda: tf.variable_axis_size_partitioner(0), False, "must be positive"),
    (lambda: tf.create_partitioned_variables([4], [2, 1], tf.zeros_initializer()), False, "the same length"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_mistakes_are_refused_and_add_nothing(number: int) -> None:
    call, reuse, words = REFUSED[number]
    with tf.Graph().as_default() as graph:
        two_parts()
        tf.get_variable("whole", [5])
        before = len(graph), sorted(graph.shared_variables)
        with tf.variable_scope("", reuse=reuse), pytest.raises(ValueError, match=words):
            call()
        assert (len(graph), sorted(graph.shared_variables)) == before


def test_an_initializer_sees_which_part_it_makes() -> None:
    seen = []

    def initializer(shape: Any, dtype: Any, partition_info: Any) -> Any:
        seen.append((list(shape), partition_info.full_shape, partition_info.var_offset,
                     partition_info.single_slice_dim(shape), partition_info.single_offset(shape)))  # fmt: skip
        return tf.zeros(shape, dtype)

    with tf.Graph().as_default():
        two_parts(initializer=initializer)
    assert seen == [([3, 2], [5, 2], [0, 0], 0, 0), ([2, 2], [5, 2], [3, 0], 0, 3)]


@pytest.mark.parametrize(
    ("initializer", "most"),
    [
        (tf.uniform_unit_scaling_initializer(seed=1), (3 / 1000) ** 0.5),
        (tf.variance_scaling_initializer(3.0, "fan_in", "uniform", seed=1), (9 / 1000) ** 0.5),
    ],
)
def test_values_of_a_part_have_the_scale_of_the_whole(initializer: Any, most: float) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [1000, 4], initializer=initializer, partitioner=tf.fixed_size_partitioner(4))
        session.run(tf.global_variables_initializer())
        for part in session.run(list(v)):
            assert 0.9 * most < abs(part).max() <= most


def test_the_identity_is_cut() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = two_parts([4, 4], initializer=tf.initializers.identity())
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), np.eye(4))


def test_it_stands_for_its_parts_joined_after_the_writes_before() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = two_parts(initializer=tf.ones_initializer())
        total = tf.reduce_sum(v)
        written = v.assign_add(np.ones((5, 2), "f4"))
        with tf.control_dependencies(written):
            after = tf.reduce_sum(v)
            old = tf.reduce_sum(v.as_tensor() * 1.0)
        session.run(tf.global_variables_initializer())
        assert session.run([total, after, old]) == [10.0, 20.0, 20.0]
        assert session.run(v + 1.0)[0, 0] == 3.0
        assert session.run(tf.matmul(tf.ones([1, 5]), v)).tolist() == [[10.0, 10.0]]


def test_writes_take_a_whole_a_list_or_another_partitioned_variable() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = two_parts(initializer=tf.ones_initializer())
        w = tf.get_variable("w", [5, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.zeros_initializer())
        whole = np.arange(10.0, dtype="f4").reshape(5, 2)
        session.run(tf.global_variables_initializer())
        session.run(v.assign(whole))
        np.testing.assert_array_equal(session.run(v), whole)
        session.run(v.assign_sub([np.ones((3, 2), "f4"), np.zeros((2, 2), "f4")]))
        np.testing.assert_array_equal(session.run(v), np.concatenate([whole[:3] - 1, whole[3:]]))
        session.run(w.assign(v))
        np.testing.assert_array_equal(session.run(w), session.run(v))
        assert [type(each) for each in v.assign(whole, read_value=False)] == [tf.Operation] * 2
        with pytest.raises(ValueError, match=r"parts|size"):
            v.assign(np.ones((6, 2), "f4"))


def test_lookups_and_losses_take_the_parts_and_join_nothing() -> None:
    with tf.Graph().as_default() as graph:
        v, b = two_parts([20, 2]), tf.get_variable("b", [20], partitioner=tf.fixed_size_partitioner(2))
        rows = tf.nn.embedding_lookup(v, [1, 19], partition_strategy="div")
        losses = tf.nn.nce_loss(v, b, rows, [[3], [4]], 5, 20, partition_strategy="div")
        gradients = tf.gradients(losses, [*v, *b])
        assert all(isinstance(each, tf.IndexedSlices) for each in gradients)
        assert [op.name for op in graph.get_operations() if "ConcatPartitions" in op.name] == []


def test_an_optimizer_trains_the_parts_of_a_partitioned_variable() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = two_parts(initializer=tf.ones_initializer())
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v.as_tensor()), var_list=v)
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_array_equal(session.run(v), np.full((5, 2), 0.5))


def test_the_parts_of_a_list_are_named_after_its_scope() -> None:
    with tf.Graph().as_default():
        parts = tf.create_partitioned_variables([4, 3], [1, 3], tf.zeros_initializer())
        more = tf.create_partitioned_variables([4, 3], [2, 1], np.ones((4, 3), "f4"), name="own")
        again = tf.create_partitioned_variables([4, 3], [2, 1], np.ones((4, 3), "f4"), name="own", reuse=True)
        assert [each.name for each in parts] == [f"PartitionedVariable/part_{i}:0" for i in range(3)]
        assert [each.shape.as_list() for each in more] == [[2, 3], [2, 3]]
        assert again == more


def test_a_call_that_fails_later_forgets_the_joined_parts() -> None:
    with tf.Graph().as_default() as graph:
        v = two_parts()
        count = len(graph)
        wrong = tf.placeholder(tf.float32, [1, 7])
        with pytest.raises(ValueError, match=r"equal|compatible"):
            tf.matmul(wrong, v)
        assert len(graph) == count + 1  # the placeholder
        assert tf.Session().graph is graph
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(v).shape == (5, 2)


@pytest.mark.parametrize("shape", [[100, 10], [3, 7], [1, 1]])
def test_partitioners_keep_their_bounds(shape: list[int]) -> None:
    sizes = tf.TensorShape(shape)
    parts = tf.variable_axis_size_partitioner(64)(shape=sizes, dtype=tf.float32)[0]
    rows = -(-shape[0] // parts)
    assert rows == 1 or rows * shape[1] * 4 <= 64
    assert tf.variable_axis_size_partitioner(1, max_shards=2)(shape=sizes, dtype=tf.string)[0] <= 2
    assert tf.min_max_variable_partitioner(4, 1, 16)(shape=sizes, dtype=tf.float64)[1] <= min(4, shape[1])
    assert tf.variable_axis_size_partitioner(64)(shape=tf.TensorShape([100]), dtype=tf.string) == [25]
    assert tf.min_max_variable_partitioner(4)(shape=tf.TensorShape([0, 3]), dtype=tf.float64) == [1, 1]


def test_a_call_that_fails_later_forgets_the_partitioned_variables_that_it_made() -> None:
    def fails(row: Any) -> Any:
        two_parts()
        raise RuntimeError("the function fails")

    with tf.Graph().as_default():
        with pytest.raises(RuntimeError, match="the function fails"):
            tf.map_fn(fails, tf.placeholder(tf.float32, [2]))
        assert two_parts().name == "v"


def test_a_partitioned_variable_is_made_of_variables_that_know_their_part() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="save_slice_info"):
            tf.PartitionedVariable("v", [2], tf.float32, [tf.Variable([1.0]), tf.Variable([2.0])], [2])
        v = two_parts()
        whole = tf.PartitionedVariable("v", [5, 2], tf.float32, list(v)[::-1], [2, 1])
        assert list(whole) == list(v)
        assert repr(v) == "<PartitionedVariable 'v' float32 (5, 2) of 2 parts>"


def test_layers_have_weights_in_parts_and_whole_moving_averages() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 6])
        with tf.variable_scope("n", partitioner=tf.fixed_size_partitioner(2)):
            y = tf.layers.dense(tf.layers.batch_normalization(x, training=True), 2, use_bias=False)
        assert [v.name for v in tf.global_variables()] == [
            "n/batch_normalization/gamma/part_0:0", "n/batch_normalization/gamma/part_1:0",
            "n/batch_normalization/beta/part_0:0", "n/batch_normalization/beta/part_1:0",
            "n/batch_normalization/moving_mean:0", "n/batch_normalization/moving_variance:0",
            "n/dense/kernel/part_0:0", "n/dense/kernel/part_1:0",
        ]  # fmt: skip
        step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(y))
        session.run(tf.global_variables_initializer())
        assert session.run([y, step], {x: np.ones((3, 6))})[0].shape == (3, 2)


def test_the_joined_parts_of_a_call_that_fails_later_are_made_anew_and_wait_for_nothing() -> None:
    with tf.Graph().as_default() as graph:
        v, other = two_parts(), tf.Variable(1.0)

        def fails(row: Any) -> Any:
            assert v.element.name == "v:0"
            raise RuntimeError("the function fails")

        with pytest.raises(RuntimeError, match="the function fails"):
            tf.map_fn(fails, tf.placeholder(tf.float32, [2]))
        with tf.control_dependencies([other.assign(2.0)]):
            joined = v.element.op
        assert joined in graph.get_operations()
        assert [op.control_inputs for op in (joined, *[t.op for t in joined.inputs])] == [(), ()]


def test_a_part_of_a_variable_takes_a_value_of_its_shape() -> None:
    with tf.Graph().as_default():
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        for value in ([1.0, 2.0, 3.0], [[1.0]]):
            with pytest.raises(ValueError, match=r"assign: the value has shape .*, the part \(2,\)"):
                v[0].assign(value)


@pytest.mark.parametrize("values", [[[1.5]], [[1.5, 2.5, 3.5]], [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]])
def test_values_that_are_put_into_a_table_have_the_shape_of_the_default_one(values: Any) -> None:
    with tf.Graph().as_default():
        table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        with pytest.raises(ValueError, match=r"Expected shape \(1, 2\) for value"):
            table.insert([7], values)
