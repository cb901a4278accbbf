"""Python values and arrays as constants: which dtype, which shape, what is refused."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, DType
from penstock.graph.shapes.literal import literal

NUMERIC = tuple(d for d in ALL if d.kind in "biufc")
NATIVE = tuple(d for d in NUMERIC if d is not tf.bfloat16)


def of(value: Any, dtype: DType | None = None) -> tuple[str, tuple[int, ...], Any]:
    made = literal(value, dtype)
    return tf.as_dtype(made.dtype).name, made.shape, made.tolist()


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (3, "int32", ()),
        (-(2**31), "int32", ()),
        (2**31, "int64", ()),
        (2**63, "uint64", ()),
        (True, "bool", ()),
        (1.5, "float32", ()),
        (1j, "complex128", ()),
        ("é", "string", ()),
        (b"\xff", "string", ()),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ((1, [2, 3][0]), "int32", (2,)),
        (range(3), "int32", (3,)),
        ([1, 2.5], "float32", (2,)),
        ([True, 2], "int32", (2,)),
        ([1.5, True], "float32", (2,)),
        ([1, 2**40], "int64", (2,)),
        ([1, 2j], "complex128", (2,)),
        ([[1], [2]], "int32", (2, 1)),
        (["a", b"b"], "string", (2,)),
        ([np.float64(1), np.float64(2)], "float64", (2,)),
        ([np.ones(2), np.ones(2)], "float32", (2, 2)),
        (tf.TensorShape([2, 3]), "int32", (2,)),
        ([tf.Dimension(2), 3], "int32", (2,)),
        (tf.Dimension(7), "int32", ()),
    ],
)
def test_python_values_have_the_dtype_of_their_kind(value: Any, dtype: str, shape: tuple[int, ...]) -> None:
    assert of(value)[:2] == (dtype, shape)


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
@given(st.data())
def test_an_array_keeps_its_dtype_and_values(dtype: DType, data: st.DataObject) -> None:
    array = data.draw(hnp.arrays(dtype.np, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)))
    made = literal(array)
    assert made.dtype == array.dtype
    assert made.shape == array.shape
    assert made.tobytes() == array.tobytes()


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.integers(-9, 9)))
def test_a_constant_shares_no_memory_with_its_value_and_cannot_be_written(array: Any) -> None:
    for view in (array, array.T, array[::-1], array[:, ::2]):
        made = literal(view)
        assert not np.shares_memory(made, array)
        assert made.flags.c_contiguous
        assert not made.flags.writeable
        assert (made == view).all()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["i4", "u2", "f8", "c8"])
def test_the_byte_order_of_an_array_does_not_matter(kind: str, order: str) -> None:
    assert literal(np.array([1, 2], order + kind)).dtype == np.dtype(kind)


def test_numpy_strings_become_bytes() -> None:
    for array in (np.array(["é", "b"]), np.array([b"\xc3\xa9", b"b"]), np.array(["é", b"b"], object)):
        assert of(array) == ("string", (2,), ["é".encode(), b"b"])
    assert of(np.array("x", object)) == ("string", (), b"x")


def test_object_arrays_are_read_like_lists() -> None:
    assert of(np.array([[1, 2], [3, 4]], object)) == ("int32", (2, 2), [[1, 2], [3, 4]])
    assert of(np.empty((0, 3), object))[:2] == ("string", (0, 3))


# ---- with a dtype -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_a_bool_becomes_any_number_and_an_int_any_but_bool(dtype: DType) -> None:
    assert literal(True, dtype).dtype == dtype.np
    assert literal([True, False], dtype).tolist() == [1, 0]
    if not dtype.is_bool:
        assert literal(3, dtype).dtype == literal([3], dtype).dtype == dtype.np


@pytest.mark.parametrize(
    ("value", "dtype", "words"),
    [
        (1.5, tf.int32, "Expected int32, but got 1.5 of type 'float'"),
        (2.0, tf.int32, "Expected int32, but got 2.0 of type 'float'"),
        ([1, 2.0], tf.int64, "Expected int64, but got 2.0 of type 'float'"),
        (1, tf.bool, "Expected bool, but got 1 of type 'int'"),
        ([True, 0], tf.bool, "Expected bool, but got 0 of type 'int'"),
        (1, tf.string, "Expected string, but got 1 of type 'int'"),
        ("1", tf.int32, "Expected int32, but got 1 of type 'str'; write tf.string_to_number"),
        (["a", 1], tf.float32, "Expected float32, but got a of type 'str'"),
        (["a", 1], tf.string, "Expected string, but got 1 of type 'int'"),
        (1j, tf.float32, "Expected float32, but got 1j of type 'complex'"),
        (np.ones(2), tf.string, "Expected string"),
        (np.array(["a"]), tf.float32, "Expected float32"),
        (np.array([1j]), tf.float32, "Expected float32"),
        ([1, "a"], None, "Consider casting elements to a supported type"),
        (object(), None, "Expected numbers, bools or strings"),
        ({1: 2}, None, "Expected numbers, bools or strings"),
    ],
)
def test_a_value_is_not_bent_to_another_kind(value: Any, dtype: DType | None, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        literal(value, dtype)


def test_arrays_are_cast_silently_where_python_values_are_not() -> None:
    assert of(np.array([1.5, -2.5]), tf.int32) == ("int32", (2,), [1, -2])
    assert of(np.array([300, -1]), tf.uint8) == ("uint8", (2,), [44, 255])
    assert of(np.array([0.0, 2.0]), tf.bool) == ("bool", (2,), [False, True])


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_integer], ids=str)
@given(st.data())
def test_a_python_int_fits_or_is_refused(dtype: DType, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from([dtype.min, dtype.max, dtype.min - 1, dtype.max + 1]) | st.integers())
    for value in (number, [number, 0]):
        if dtype.min <= number <= dtype.max:
            assert literal(value, dtype).reshape(-1)[0] == number
        else:
            with pytest.raises(ValueError, match=f"{number} does not fit {dtype}"):
                literal(value, dtype)


@given(st.floats())
def test_floats_are_rounded_to_the_dtype(number: float) -> None:
    with np.errstate(all="ignore"):
        for dtype, scalar in ((tf.float32, np.float32), (tf.float16, np.float16), (tf.float64, np.float64)):
            assert literal(number, dtype).tobytes() == scalar(number).tobytes()
            assert literal([number], dtype).tobytes() == scalar(number).tobytes()
    assert literal(1.1, tf.bfloat16) == ml_dtypes.bfloat16(1.1)


# ---- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, [None], [1, None], [[1], [None]]])
def test_none_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"None values not supported\."):
        literal(value)


@pytest.mark.parametrize("value", [[[1], [2, 3]], [1, [2]], [[[1]], [2]], ["a", ["b"]]])
def test_a_ragged_list_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match="inhomogeneous shape after"):
        literal(value)


def test_a_shape_that_is_not_known_is_a_value_error() -> None:
    for value in (tf.TensorShape([None, 2]), tf.TensorShape(None), tf.Dimension("n"), [tf.Dimension(None), 2]):
        with pytest.raises(ValueError, match=r"use tf\.shape"):
            literal(value)


def test_an_int_beyond_every_dtype_is_a_value_error() -> None:
    for value in (2**64, -(2**63) - 1, [2**64], [-1, 2**63]):
        with pytest.raises(ValueError, match="does not fit"):
            literal(value)


# ---- constant -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shape", "want"),
    [
        ([1, 2, 3, 4], [2, 2], [[1, 2], [3, 4]]),
        ([1, 2], [2, 2], [[1, 2], [2, 2]]),
        (7, [3], [7, 7, 7]),
        ([5], [], 5),
        ([], [2], [0, 0]),
        ("x", [2], [b"x", b"x"]),
        (1, [0], []),
        ([1, 2], [0, 3], []),
    ],
)
def test_a_constant_is_laid_out_in_its_shape(value: Any, shape: list[int], want: Any) -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        made = tf.constant(value, shape=shape)
        got = session.run(made)
    assert made.shape == shape
    assert (got.tolist() if hasattr(got, "tolist") else got) == want


def test_too_many_values_for_a_shape_are_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Takes at most 2, but got 3"):
        tf.constant([1, 2, 3], shape=[2])


def test_tensors_in_a_list_are_cast_only_if_a_dtype_is_asked_for() -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])
        assert tf.convert_to_tensor([n, 3]).dtype is tf.int32
        assert tf.convert_to_tensor([[n, 3]], tf.int64).dtype is tf.int64
        with pytest.raises(TypeError, match=r"Expected int32, but got 2\.5"):
            tf.convert_to_tensor([n, 2.5])


@pytest.mark.parametrize("dtype", ["f4", "i4", "?"])
def test_a_constant_of_a_masked_array_is_refused_where_anything_is_masked(dtype: str) -> None:
    masked, whole = (np.ma.masked_array(np.ones(2, dtype), [False, m]) for m in (True, False))
    with tf.Graph().as_default():
        for value in (masked, [masked, masked], [[1, 1], masked], masked[1:]):
            with pytest.raises(ValueError, match=r"masked.*\.filled\(value\)"):
                tf.constant(value)
        assert tf.constant(whole).op.args[0].tolist() == [1, 1]
        assert tf.constant([whole, whole]).shape == [2, 2]
