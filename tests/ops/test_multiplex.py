"""multiplex takes each row from the candidate that the index names."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS

from .index_cases import empty, index_arrays, message_of, run, same, sizes, values

f4 = np.float32
DTYPES = ["f4", "f8", "i4", "i8", "c8", "c16"]


@given(st.data(), st.sampled_from(DTYPES), st.sampled_from(["i4", "i8"]), st.booleans())
def test_multiplex_is_a_loop_over_the_index(data: Any, dtype: str, index_dtype: str, known: bool) -> None:
    rows = data.draw(sizes)
    shape = [rows, *data.draw(st.lists(sizes, min_size=1, max_size=2))]
    inputs = [data.draw(values(shape, dtype)) for _ in range(data.draw(st.integers(2, 4)))]
    index = data.draw(index_arrays([data.draw(st.integers(0, rows)), 1], len(inputs), index_dtype))
    want = empty((len(index), *shape[1:]), inputs[0])
    for i, (k,) in enumerate(index):
        want[i] = inputs[int(k)][i]
    assert same(run(tf.multiplex, inputs, index, known=known), want)
    assert same(OPS["Multiplex"].kernels["*"](np, inputs, index), want)


def test_an_entry_that_names_no_candidate_is_an_error_of_the_run() -> None:
    inputs = [np.zeros((3, 2), f4), np.ones((3, 2), f4)]
    message = message_of(tf.multiplex, inputs, np.array([[0], [2], [-1]], "i4"))
    assert message == "index exceeds the number of candidate tensors: index[1,0] = 2, and there are 2 candidates"
    message = message_of(tf.multiplex, inputs, np.array([[0], [-1], [5]], "i4"))
    assert message == "index must be nonnegative: index[1,0] = -1, and there are 2 candidates"


@pytest.mark.parametrize(
    ("shapes", "index", "words"),
    [
        ([(2, 2), (2, 3)], (2, 1), "All the candidate tensors must have the same size"),
        ([(2,), (2,)], (2, 1), "The rank of candidate tensors must be not less than 2"),
        ([(2, 2), (2, 2)], (2,), "The index tensor must be a vector with"),
        ([(2, 2), (2, 2)], (2, 2), "The index tensor must be a vector with batchSize x 1"),
        ([(2, 2), (2, 2)], (3, 1), "The 2nd-dim of input cannot be smaller than batchSize"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_at_build_and_else_at_run(
    shapes: list[tuple[int, ...]], index: tuple[int, ...], words: str
) -> None:
    arrays = [np.zeros(s, f4) for s in shapes], np.zeros(index, "i4")
    assert message_of(tf.multiplex, *arrays).startswith(words)
    with pytest.raises(ValueError, match=words):
        run(tf.multiplex, *arrays)


def test_candidates_of_several_or_other_dtypes_are_refused() -> None:
    with tf.Graph().as_default():
        a, b = tf.zeros([2, 2]), tf.zeros([2, 2], tf.float64)
        with pytest.raises(TypeError, match="must have the same data type"):
            tf.multiplex([a, b], [[0], [1]])
        with pytest.raises(TypeError, match="inputs is bool"):
            tf.multiplex([tf.zeros([2, 2], "bool")] * 2, [[0], [1]])
        with pytest.raises(TypeError, match="'index' in multiplex must be"):
            tf.multiplex([a, a], tf.zeros([2, 1]))
        with pytest.raises(ValueError, match="more than one candidate"):
            tf.multiplex([a], [[0], [0]])
        with pytest.raises(ValueError, match="got empty list"):
            tf.multiplex([], [[0], [0]])


def test_the_static_shapes_of_candidates_are_merged() -> None:
    with tf.Graph().as_default():
        a, b = tf.placeholder(f4, [None, 3]), tf.placeholder(f4, ["rows", None])
        assert str(tf.multiplex([a, b], tf.placeholder("int32", ["m", 1])).shape) == "(m, 3)"
        assert str(tf.multiplex([a, b], tf.placeholder("int64")).shape) == "(?, 3)"
        assert str(tf.multiplex([tf.placeholder(f4)] * 2, [[0]]).shape) == "<unknown>"


def test_a_tensor_that_is_several_candidates_has_the_sum_of_their_gradients() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.constant(np.zeros((3, 1), f4)), tf.constant(np.ones((3, 1), f4))
        y = tf.multiplex([a, b, a], [[0], [1], [2]]) * [[2.0], [3.0], [5.0]]
        of_a, of_b = session.run(tf.gradients(y, [a, b]))
    assert of_a.tolist() == [[2.0], [0.0], [5.0]]
    assert of_b.tolist() == [[0.0], [3.0], [0.0]]
