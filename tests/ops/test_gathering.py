"""Ops that read at given places agree with plain loops, and refuse indices that NumPy would accept."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import Array, dtypes, empty, index_arrays, message_of, run, same, sizes, values

f4 = np.float32

# ---- gather -------------------------------------------------------------------------------------


def gathered(params: Array, indices: Array) -> Array:
    out = empty(indices.shape + params.shape[1:], params)
    for place in np.ndindex(indices.shape):
        out[place] = params[int(indices[place])]
    return out


@given(st.data(), dtypes, st.sampled_from(["i2", "i4", "i8"]), st.booleans())
def test_gather_is_a_loop_over_the_indices(data: Any, dtype: str, index_dtype: str, known: bool) -> None:
    rows = data.draw(st.integers(0, 5))
    params = data.draw(values((rows, *data.draw(st.lists(sizes, max_size=2))), dtype))
    shape = data.draw(st.lists(sizes, max_size=2)) if rows else [0]
    indices = data.draw(index_arrays(shape, rows, index_dtype))
    assert same(run(tf.gather, params, indices, known=known), gathered(params, indices))


@pytest.mark.parametrize("gather", [tf.gather, lambda p, i: tf.gather_nd(p, [i])])
@pytest.mark.parametrize("index", [[-1, 0], [-3], [3]])
def test_a_constant_index_out_of_range_is_no_known_value_but_an_error_of_the_run(gather: Any, index: list[int]) -> None:
    with tf.Graph().as_default() as graph:
        picked = gather([2, 3, 4], index if gather is tf.gather else index[:1])
        made = tf.zeros(tf.reshape(picked, [-1]))
        assert not made.shape.is_known  # NumPy would count -1 from the end
        with tf.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError):
            session.run(made)


def test_gather_names_the_first_index_out_of_range() -> None:
    params = np.zeros((2, 3), f4)
    assert message_of(tf.gather, params, np.array([[0, 1], [1, 7]])) == "indices[1,1] = 7 is not in [0, 2)"
    assert message_of(tf.gather, params, np.array([1, -1, 5])) == "indices[1] = -1 is not in [0, 2)"
    assert message_of(tf.gather, params, np.array(-3)) == "indices = -3 is not in [0, 2)"
    assert message_of(tf.gather, np.zeros((0, 3), f4), np.array([0])) == "indices[0] = 0 is not in [0, 0)"
    assert message_of(tf.gather, np.zeros(70_000, f4), np.array([-1], "i2")) == "indices[0] = -1 is not in [0, 70000)"


def test_gather_keeps_names_of_dimensions() -> None:
    with tf.Graph().as_default():
        params, indices = tf.placeholder(f4, ["n", "m", 3]), tf.placeholder("int32", ["batch", 2])
        assert str(tf.gather(params, indices).shape) == "(batch, 2, m, 3)"
        assert str(tf.gather(params, 0).shape) == "(m, 3)"


def test_gather_of_a_partly_known_shape_is_known_entry_by_entry() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(f4, ["n", 4, None])
        assert str(tf.zeros(tf.gather(tf.shape(x), [1])).shape) == "(4,)"
        assert str(tf.zeros(tf.gather(tf.shape(x), [1, 0])).shape) == "(4, n)"
        assert str(tf.zeros([tf.gather(tf.shape(x), 1), 2]).shape) == "(4, 2)"


def test_an_unknown_shape_of_gather_says_why() -> None:
    with tf.Graph().as_default():
        params = tf.placeholder(f4, name="params")
        why = tf.gather(params, [0]).shape.why
    assert why == ("the rank of params is not known", params)


# ---- gather_nd ----------------------------------------------------------------------------------


@given(st.data(), dtypes, st.booleans())
def test_gather_nd_is_a_loop_over_the_index_vectors(data: Any, dtype: str, known: bool) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    params = data.draw(values(shape, dtype))
    depth = data.draw(st.integers(0, len(shape)))
    batch = data.draw(st.lists(sizes, max_size=2))
    columns = [data.draw(index_arrays(batch, size)) for size in shape[:depth]]
    indices = np.stack(columns, -1) if depth else np.zeros((*batch, 0), "i4")
    want = empty((*batch, *shape[depth:]), params)
    for place in np.ndindex(*batch):
        want[place] = params[tuple(int(i) for i in indices[place])]
    assert same(run(tf.gather_nd, params, indices, known=known), want)


def test_gather_nd_names_the_first_index_vector_that_points_outside() -> None:
    params = np.zeros((2, 2), f4)
    words = "does not index into param shape [2,2]"
    assert message_of(tf.gather_nd, params, np.array([[[0, 0]], [[5, 0]]])) == f"indices[1,0] = [5, 0] {words}"
    assert message_of(tf.gather_nd, params, np.array([[0, 0], [0, -1]])) == f"indices[1] = [0, -1] {words}"
    assert message_of(tf.gather_nd, params, np.array([2])) == f"indices = [2] {words}"


# ---- boolean_mask -------------------------------------------------------------------------------


@given(st.data(), dtypes, st.booleans())
def test_boolean_mask_keeps_the_slices_where_the_mask_is_true(data: Any, dtype: str, negative: bool) -> None:
    shape = data.draw(st.lists(sizes, min_size=1, max_size=3))
    tensor = data.draw(values(shape, dtype))
    axis = data.draw(st.integers(0, len(shape) - 1))
    depth = data.draw(st.integers(1, len(shape) - axis))
    mask = data.draw(values(shape[axis : axis + depth], data.draw(st.sampled_from(["bool", "i4", "f4"]))))
    chosen = [place for place in itertools.product(*map(range, mask.shape)) if mask[place] != 0]
    want = empty((*shape[:axis], len(chosen), *shape[axis + depth :]), tensor)
    before = (slice(None),) * axis
    for i, place in enumerate(chosen):
        want[(*before, i)] = tensor[(*before, *place)]
    written = axis - len(shape) if negative else axis
    assert same(run(lambda t, m: tf.boolean_mask(t, m, axis=written), tensor, mask), want)


def test_boolean_mask_takes_its_name_before_its_axis() -> None:
    with tf.Graph().as_default():
        assert tf.boolean_mask([1, 2], [True, False], "kept", 0).op.name == "kept"
        assert tf.boolean_mask([1, 2], [True, False]).op.name == "boolean_mask"


def test_a_mask_that_does_not_fit_is_refused() -> None:
    def masked(tensor: Any, mask: Any) -> Any:
        mask.set_shape([None] * 2)
        return tf.boolean_mask(tensor, mask)

    message = message_of(masked, np.zeros((3, 2), f4), np.zeros((2, 2), bool))
    assert message.startswith("Shapes [3,2] and [2,2] are incompatible")
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"boolean_mask.*Shapes \(3,\) and \(2,\) are incompatible"):
            tf.boolean_mask(tf.zeros([3, 2]), [True, False])
        with pytest.raises(ValueError, match="mask cannot be scalar"):
            tf.boolean_mask(tf.zeros([3, 2]), True)
        with pytest.raises(ValueError, match="Number of mask dimensions must be specified"):
            tf.boolean_mask(tf.zeros([3, 2]), tf.placeholder("bool"))


def test_a_mask_too_long_is_refused_where_it_names_a_row_that_is_not_there() -> None:
    def masked(tensor: Any, mask: Any) -> Any:
        mask.set_shape([None])
        return tf.boolean_mask(tensor, mask)

    mask = np.array([True, False, False, True])
    assert message_of(masked, np.zeros((3, 2), f4), mask) == "indices[1] = 3 is not in [0, 3)"


def test_boolean_mask_knows_the_dimensions_beside_the_mask() -> None:
    with tf.Graph().as_default():
        tensor = tf.placeholder(f4, ["a", "b", "c"])
        assert str(tf.boolean_mask(tensor, tf.placeholder("bool", ["b"]), axis=1).shape) == "(a, ?, c)"
