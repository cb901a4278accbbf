"""Tables that change: what is built later sees what is built earlier has done; wrong keys and values are told.

Random steps stand beside TensorFlow's in `tests/fuzz/test_single_calls_beside_tensorflow.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf


def table(**options: Any) -> Any:
    return tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, **options)


def test_the_order_of_building_is_the_order_of_a_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = table()
        before = words.lookup(["a"])
        put = words.insert(["a"], [1])
        between, size = words.lookup(["a"]), words.size()
        drop = words.remove(["a"])
        after = words.lookup(["a"])
        found = session.run([after, drop, size, between, put, before])
        assert [found[0].tolist(), found[2], found[3].tolist(), found[5].tolist()] == [[-1], 1, [1], [-1]]


def test_each_session_has_a_table_of_its_own() -> None:
    with tf.Graph().as_default():
        words = table()
        put, size = words.insert(["a", "b"], [1, 2]), words.size()
        with tf.Session() as one, tf.Session() as other:
            one.run(put)
            assert (one.run(size), other.run(size)) == (2, 0)


def test_tables_of_one_shared_name_are_one() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one, other = table(shared_name="words", name="one"), table(shared_name="words", name="other")
        session.run(one.insert(["a"], [1]))
        assert session.run(other.lookup(["a"])).tolist() == [1]


def test_a_large_table_keeps_all_keys() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float64, 0.0)
        keys, values = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float64, [None])
        put, found = numbers.insert(keys, values), numbers.lookup(keys)
        want: dict[int, float] = {}
        rng = np.random.default_rng(0)
        for _ in range(20):
            some = rng.integers(0, 5000, 1000)
            numbers_of = rng.random(1000)
            session.run(put, {keys: some, values: numbers_of})
            want.update(zip(some.tolist(), numbers_of.tolist(), strict=True))
        every = np.arange(5001)
        np.testing.assert_array_equal(session.run(found, {keys: every}), [want.get(key, 0.0) for key in every.tolist()])
        exported = session.run(numbers.export())
        assert dict(zip(*map(np.ndarray.tolist, exported), strict=True)) == want


def test_a_look_up_of_sparse_keys_is_sparse() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = table()
        session.run(words.insert(["a"], [1]))
        found = session.run(words.lookup(tf.SparseTensor([[0, 0], [1, 2]], ["a", "?"], [2, 3])))
        assert (found.values.tolist(), found.dense_shape.tolist()) == ([1, -1], [2, 3])


def test_a_loop_may_fill_a_table() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)

        def body(i: Any) -> Any:
            with tf.control_dependencies([numbers.insert([i], [i * i])]):
                return i + 1

        session.run(tf.while_loop(lambda i: i < 4, body, [tf.constant(0, tf.int64)]))
        assert session.run(numbers.lookup([0, 3, 4])).tolist() == [0, 9, -1]


def test_static_shapes_are_those_of_keys_and_values() -> None:
    with tf.Graph().as_default():
        rows = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        assert str(rows.lookup(tf.placeholder(tf.int64, ["n", 3])).shape) == "(n, 3, 2)"
        assert [str(each.shape) for each in rows.export()] == ["(?,)", "(?, 2)"]
        assert rows.size().shape.as_list() == []


@pytest.mark.parametrize(("call", "kind", "words"), [
    (lambda words: words.insert(["a"], [[1]]), ValueError, r"Expected shape \(1,\) for value, got \(1, 1\)"),
    (lambda words: words.insert(["a"], [1.5]), TypeError, "Expected int64, but got 1.5"),
    (lambda words: words.insert(["a"], tf.constant([1])), TypeError, "Values must be dtype int64, got int32"),
    (lambda words: words.lookup([1]), TypeError, "Expected string"),
    (lambda words: words.remove(tf.constant([1])), TypeError, "Keys must be dtype string, got int32"),
    (lambda words: tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, tf.placeholder(tf.int64)), ValueError,
     "default_value has shape .* must be known"),
])  # fmt: skip
def test_wrong_arguments_are_told(call: Any, kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(kind, match=words):
        call(table())


def test_a_run_tells_values_that_do_not_fit() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.int64, None)
        put = table().insert(["a", "b"], fed)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] for value, got \[1\]"):
            session.run(put, {fed: [1]})


@pytest.mark.parametrize(("empty", "deleted", "used", "words"), [
    (0, 0, 1, "Empty and deleted keys cannot be equal"),
    (0, -1, 0, "Using the empty_key as a table key is not allowed: 0"),
    (0, -1, -1, "Using the deleted_key as a table key is not allowed: -1"),
])  # fmt: skip
def test_a_dense_table_refuses_its_two_keys(empty: int, deleted: int, used: int, words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dense = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty, deleted)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(dense.insert([used], [1]))


def test_a_table_that_was_not_made_in_the_session_is_told() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = table()
        with pytest.raises(tf.errors.NotFoundError, match="the table 'other' is not in this session"):
            session.run(words.size(), {words.resource_handle: b"other"})
