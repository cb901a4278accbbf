"""shape, size and rank agree with NumPy, and known parts are known while building."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import known_entries, known_value

from .knowing_less import SHAPES, numbered, run_knowing_less


@given(st.data(), SHAPES)
def test_shape_size_and_rank_agree_with_numpy(data: st.DataObject, shape: tuple[int, ...]) -> None:
    array = numbered(shape)
    found = run_knowing_less(data.draw, lambda x: [tf.shape(x), tf.size(x), tf.rank(x)], array)
    assert [f.tolist() for f in found] == [list(array.shape), array.size, array.ndim]
    assert {np.asarray(f).dtype for f in found} == {np.dtype(np.int32)}


def test_a_known_shape_makes_shape_size_and_rank_known_values() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.string, [2, 0, 3])
        assert [np.asarray(known_value(t)).tolist() for t in (tf.shape(x), tf.size(x), tf.rank(x))] == [[2, 0, 3], 0, 3]


def test_a_known_rank_alone_makes_rank_a_known_value() -> None:
    with tf.Graph().as_default():
        rank = known_value(tf.rank(tf.placeholder(tf.float32, [None, None])))
        assert rank is not None and rank.item() == 2
        assert known_value(tf.rank(tf.placeholder(tf.float32))) is None


def test_the_size_of_a_named_batch_is_a_multiple_of_the_name() -> None:
    with tf.Graph().as_default():
        assert str(known_entries(tf.size(tf.placeholder(tf.float32, ["batch", 6])))) == "6*batch"
        assert known_entries(tf.size(tf.placeholder(tf.float32, ["n", "m"]))) is None
        assert known_entries(tf.size(tf.placeholder(tf.float32, ["n", None, 0]))) == 0


def test_python_values_have_a_shape_too() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        assert session.run([tf.rank(5), tf.size([])]) == [0, 0]
