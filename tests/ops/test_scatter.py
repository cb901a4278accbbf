"""Updates are written where their index vectors point, in order, and nowhere else."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS

from ..standin import computed_there
from .index_cases import Array, dtypes, empty, index_arrays, message_of, run, same, values

f4 = np.float32


@st.composite
def updates_into(draw: st.DrawFn, dtype: str) -> tuple[Array, Array, Array]:
    """(target, indices, updates) that fit, with repeated indices."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    depth = draw(st.integers(1, len(shape)))
    batch = draw(st.lists(st.integers(0, 4), min_size=1, max_size=2))
    kind = draw(st.sampled_from(["i4", "i8"]))
    indices = np.stack([draw(index_arrays(batch, size, kind)) for size in shape[:depth]], -1)
    return draw(values(shape, dtype)), indices, draw(values([*batch, *shape[depth:]], dtype))


def places(indices: Array) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(b, tuple(int(i) for i in indices[b])) for b in np.ndindex(indices.shape[:-1])]


# ---- tensor_scatter_nd_update -------------------------------------------------------------------


@given(st.data(), dtypes, st.booleans())
def test_update_is_a_loop_in_which_the_last_one_wins(data: Any, dtype: str, known: bool) -> None:
    tensor, indices, updates = data.draw(updates_into(dtype))
    before, want = tensor.copy(), tensor.copy()
    for b, place in places(indices):
        want[place] = updates[b]
    assert same(run(tf.tensor_scatter_nd_update, tensor, indices, updates, known=known), want)
    assert same(tensor, before)


@given(st.data(), dtypes)
def test_the_kernel_gives_on_a_device_what_it_gives_on_numpy(data: Any, dtype: str) -> None:
    case = data.draw(updates_into(dtype))
    if dtype != "string":
        kernel = OPS["TensorScatterUpdate"].kernels["*"]
        assert same(computed_there(kernel, *case), kernel(np, *case))


def test_the_alias_is_the_same_op() -> None:
    assert tf.tensor_scatter_update is tf.tensor_scatter_nd_update


@pytest.mark.parametrize("dtype", ["i2", "u2", "i4", "i8"])
def test_indices_may_have_every_promised_dtype(dtype: str) -> None:
    got = run(tf.tensor_scatter_nd_update, np.zeros(3, f4), np.array([[2]], dtype), np.ones(1, f4))
    assert got.tolist() == [0, 0, 1]


def test_a_negative_index_never_counts_from_the_end() -> None:
    for dtype in ("i2", "i4", "i8"):
        message = message_of(tf.tensor_scatter_nd_update, np.zeros(70_000, f4), np.array([[-1]], dtype), np.ones(1, f4))
        assert message == "indices[0] = [-1] does not index into shape [70000]"


def test_the_first_vector_that_points_outside_is_named() -> None:
    indices = np.array([[[0], [5]], [[-1], [0]]], "i4")
    message = message_of(tf.tensor_scatter_nd_update, np.zeros(2, f4), indices, np.zeros((2, 2), f4))
    assert message == "indices[0,1] = [5] does not index into shape [2]"


@pytest.mark.parametrize(
    ("tensor", "indices", "updates", "message"),
    [
        ([8], [], [], "Indices shape must have rank at least one. Found:[]"),
        ([8], [1], [], "Updates shape must have rank at least one. Found:[]"),
        ([2, 2], [1], [2], "Indices shape must have rank at least two. Found:[1]"),
        ([8], [2, 1], [1], "Outer dimensions of indices and update must match. "
                           "Indices shape: [2,1], updates shape:[1]"),
        ([8], [1, 2], [1], "Inner dimensions of output shape must match inner dimensions of updates shape. "
                           "Output: [8] updates: [1]"),
        ([8], [1, 1], [1, 1], "Inner dimensions of output shape must match inner dimensions of updates shape. "
                              "Output: [8] updates: [1,1]"),
        ([3], [1, 0], [1, 3], "Indices and updates specified for empty output shape"),
        ([3, 0], [1, 1], [1, 0], "Indices and updates specified for empty output shape"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_errors_of_the_run(
    tensor: list[int], indices: list[int], updates: list[int], message: str
) -> None:
    arrays = np.zeros(tensor, f4), np.zeros(indices, "i4"), np.zeros(updates, f4)
    assert message_of(tf.tensor_scatter_nd_update, *arrays).startswith(message)


def test_an_update_that_would_broadcast_is_refused() -> None:
    rule = r"must match dimensions \[1,2\) of updates"
    with tf.Graph().as_default(), pytest.raises(ValueError, match=rule) as caught:
        tf.tensor_scatter_nd_update(tf.zeros([6, 3]), [[0], [1]], tf.zeros([2, 1]))
    assert getattr(caught.value, "operand", None) == 2
    assert getattr(caught.value, "dim", None) == 1
    message = message_of(tf.tensor_scatter_nd_update, np.zeros((6, 3), f4), np.array([[0], [1]]), np.zeros((2, 1), f4))
    assert message.startswith("Inner dimensions of output shape must match")


def test_no_updates_give_the_tensor_itself_and_a_result_of_its_own() -> None:
    tensor = np.ones((2, 3), f4)
    got = run(tf.tensor_scatter_nd_update, tensor, np.zeros((0, 1), "i4"), np.zeros((0, 3), f4))
    assert same(got, tensor)
    assert not np.shares_memory(got, tensor)


def test_update_keeps_the_names_of_the_tensor() -> None:
    with tf.Graph().as_default():
        x, i = tf.placeholder(f4, ["n", "m"]), tf.placeholder("int32", ["k", 1])
        updated = tf.tensor_scatter_nd_update(x, i, tf.placeholder(f4, ["k", "m"]))
        assert str(updated.shape) == "(n, m)"


# ---- scatter_nd ---------------------------------------------------------------------------------


@given(st.data(), dtypes, st.booleans())
def test_scatter_is_a_loop_that_adds(data: Any, dtype: str, known: bool) -> None:
    target, indices, updates = data.draw(updates_into(dtype))
    shape = np.array(target.shape, indices.dtype)
    want = empty(target.shape, target)
    with np.errstate(all="ignore"):
        for b, place in places(indices):
            want[place] = want[place] + updates[b]
    assert same(run(tf.scatter_nd, indices, updates, shape, known=known), want)


def test_duplicates_wrap_join_and_or() -> None:
    twice = np.array([[1], [1]], "i4")
    shape = np.array([2], "i4")
    assert run(tf.scatter_nd, twice, np.array([127, 1], "i1"), shape).tolist() == [0, -128]
    assert run(tf.scatter_nd, twice, np.array([b"a", b"b"], object), shape).tolist() == [b"", b"ab"]
    assert run(tf.scatter_nd, twice, np.array([True, True]), shape).tolist() == [False, True]


def test_16_bit_floats_round_after_every_addition() -> None:
    twice = np.array([[0], [0], [0]], "i4")
    for dtype in (np.dtype("f2"), tf.bfloat16.np):
        updates = np.array([2048, 1, 1]).astype(dtype)
        want = (updates[0] + updates[1]) + updates[2]
        assert run(tf.scatter_nd, twice, updates, np.array([1], "i4"))[0] == want


@pytest.mark.parametrize(
    ("indices", "updates", "shape", "message"),
    [
        ([[3]], [9], [3], "indices[0] = [3] does not index into shape [3]"),
        ([[-1]], [9], [3], "indices[0] = [-1] does not index into shape [3]"),
        ([[0]], [1], [-1], "Dimension -1 must be >= 0"),
        ([[0], [1]], [5], [3],
         "Dimensions [0,1) of indices[shape=[2,1]] must match dimensions [0,1) of updates[shape=[1]]"),
        ([[0, 0]], [5], [3], "Dimensions [2,1) of input[shape=[3]] must match dimensions [1,1) of updates[shape=[1]]"),
        ([[0]], [1], [0], "Indices and updates specified for empty output.  indices shape: [1,1]"),
        ([[0]], [[1, 2, 3]], [3, 2],
         "Dimensions [1,2) of input[shape=[3,2]] must match dimensions [1,2) of updates[shape=[1,3]]"),
        ([[0]], [1], [[3]], "Shape must be a vector"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error_of_the_run(indices: Any, updates: Any, shape: Any, message: str) -> None:
    arrays = np.array(indices, "i4"), np.array(updates, f4), np.array(shape, "i4")
    assert message_of(tf.scatter_nd, *arrays).startswith(message)


def test_indices_and_shape_share_a_dtype() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.scatter_nd(tf.constant([[0]], tf.int64), [1], tf.constant([3], tf.int32))


def test_the_static_shape_is_what_is_known_of_shape() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(f4, ["n", 3])
        i = tf.placeholder("int32", [None, 1])
        assert str(tf.scatter_nd(i, tf.placeholder(f4, [None, 3]), tf.shape(x)).shape) == "(n, 3)"
        with pytest.raises(ValueError, match="Indices and updates specified for empty input"):
            tf.scatter_nd([[0]], [1], [0])
