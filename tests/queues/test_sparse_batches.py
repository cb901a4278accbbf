"""Sparse tensors in `tf.train.batch` and its kin, and as strings with TensorFlow's bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

RECORDED = [
    b'\x08\t\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02"\x20' + np.array([[0, 1], [2, 0]], "<i8").tobytes(),
    b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08' + np.array([1.5, 2.5], "<f4").tobytes(),
    b'\x08\t\x12\x04\x12\x02\x08\x02"\x10' + np.array([3, 4], "<i8").tobytes(),
]
"""TensorFlow 2.21: tf.io.serialize_sparse(tf.SparseTensor([[0, 1], [2, 0]], [1.5, 2.5], [3, 4]))."""


def collected(build: Any, runs: int) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        made = build()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = [session.run(made) for _ in range(runs)]
        coordinator.request_stop()
        coordinator.join(threads)
        return found


def example() -> tuple[Any, Any]:
    """Number n, and a sparse vector with n at the places 0 to n - 1."""
    number = tf.train.range_input_producer(4, shuffle=False).dequeue()
    places = tf.cast(tf.expand_dims(tf.range(number), 1), tf.int64)
    values = tf.fill(tf.pack([number]), number)
    return number, tf.SparseTensor(places, values, tf.pack([tf.cast(number, tf.int64)]))


@pytest.mark.parametrize("pads", [False, True])
def test_a_batch_of_sparse_tensors_is_one_of_a_rank_more(pads: bool) -> None:
    def build() -> Any:
        number, sparse = example()
        batch = tf.train.batch({"number": number, "sparse": sparse}, 4, dynamic_pad=pads)
        assert isinstance(batch["sparse"], tf.SparseTensor) and batch["sparse"].get_shape().ndims == 2
        return batch

    (batch,) = collected(build, 1)
    assert batch["number"].tolist() == [0, 1, 2, 3]
    dense = np.zeros(batch["sparse"].dense_shape, int)
    dense[tuple(batch["sparse"].indices.T)] = batch["sparse"].values
    assert dense.tolist() == [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 3, 3]]


def test_slices_of_a_sparse_tensor_are_examples() -> None:
    whole = np.array([[0, 5, 0], [0, 0, 0], [7, 0, 8]])

    def build() -> Any:
        s = tf.SparseTensor(np.argwhere(whole), whole[whole != 0], whole.shape)
        return tf.train.batch([s], 3, enqueue_many=True)

    first, second = collected(build, 2)
    for batch in (first, second):
        assert batch.dense_shape.tolist() == [3, 3]
        assert batch.indices.tolist() == np.argwhere(whole).tolist() and batch.values.tolist() == [5, 7, 8]


def test_shuffled_batches_and_joined_ones_hold_sparse_tensors() -> None:
    def shuffled() -> Any:
        return tf.train.shuffle_batch(list(example()), 4, 20, 4, seed=1)

    for number, sparse in collected(shuffled, 3):
        counts = np.bincount(sparse.indices[:, 0], minlength=4)
        assert counts.tolist() == number.tolist()

    def joined() -> Any:
        return tf.train.batch_join([list(example()), list(example())], 4, allow_smaller_final_batch=True)

    for number, sparse in collected(joined, 2):
        assert np.bincount(sparse.indices[:, 0], minlength=4).tolist() == number.tolist()


def test_a_component_is_sparse_in_every_example_or_in_none() -> None:
    with tf.Graph().as_default():
        number, sparse = example()
        with pytest.raises(TypeError, match="component 1 is sparse in some of the examples"):
            tf.train.batch_join([[number, sparse], [number, tf.zeros([3], tf.int32)]], 2)
        other = tf.SparseTensor([[0]], [1.5], [2])
        with pytest.raises(TypeError, match=r"has the dtypes \['int32', 'float32'\]"):
            tf.train.batch_join([[sparse], [other]], 2)


def test_strings_of_sparse_tensors_are_those_of_tensorflow() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        s = tf.SparseTensor([[0, 1], [2, 0]], [1.5, 2.5], [3, 4])
        assert session.run(tf.serialize_sparse(s)).tolist() == RECORDED
        again = tf.deserialize_many_sparse(tf.serialize_many_sparse(s), tf.float32, rank=1)
        found = session.run(again)
        assert again.get_shape().ndims == 2
    assert found.indices.tolist() == [[0, 1], [2, 0]] and found.values.tolist() == [1.5, 2.5]
    assert found.dense_shape.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.deserialize_many_sparse([[b"", b"", b""]], tf.float32), "."),
        (lambda: tf.deserialize_many_sparse(tf.pack([RECORDED]), tf.int32), "."),
        (lambda: tf.deserialize_many_sparse([[RECORDED[2], RECORDED[1], RECORDED[2]]], tf.float32), "no sparse tensor"),
        (lambda: tf.serialize_many_sparse(tf.SparseTensor([[2, 0], [0, 1]], [1, 2], [3, 4])), "sparse_reorder"),
    ],
)
def test_what_is_no_sparse_tensor_is_an_error_of_the_run(call: Any, words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=words):
        session.run(call())
