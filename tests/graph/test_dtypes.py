"""Element types: one interned value each, known under every name people use."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, bits_of, dtypes_in, of_numpy

NAMES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128", "string"]  # fmt: skip


def test_the_dtypes_are_the_sixteen_of_the_specification() -> None:
    assert [d.name for d in ALL] == NAMES
    assert all(getattr(tf, name) is tf.as_dtype(name) for name in NAMES)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("half", "float16"),
        ("float", "float32"),
        ("double", "float64"),
        ("str", "string"),
        (bool, "bool"),
        (int, "int32"),
        (float, "float32"),
        (complex, "complex128"),
        (str, "string"),
        (bytes, "string"),
        (np.float64, "float64"),
        (np.int8, "int8"),
        (np.bool_, "bool"),
        (np.str_, "string"),
        (np.dtype("S3"), "string"),
        (np.dtype("<U7"), "string"),
        (np.dtype(">i4"), "int32"),
        (np.dtype(object), "string"),
        ("int64", "int64"),
        ("f4", "float32"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.bfloat16), "bfloat16"),
    ],
)
def test_a_dtype_is_found_under_its_other_names(alias: Any, name: str) -> None:
    assert tf.as_dtype(alias) is getattr(tf, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_finds_itself_by_its_numpy_dtype(name: str) -> None:
    dtype = tf.as_dtype(name)
    assert tf.as_dtype(dtype) is dtype
    assert of_numpy(dtype.np) is dtype
    assert np.zeros(2, dtype.as_numpy_dtype).dtype == dtype.np


@pytest.mark.parametrize("bad", ["floot32", "", None, 3, [], {}, "i4,i4", np.datetime64, np.dtype("V8")])
def test_what_names_no_dtype_is_a_type_error_that_lists_the_dtypes(bad: Any) -> None:
    with pytest.raises(TypeError, match="as_dtype"):
        tf.as_dtype(bad)


def test_the_error_for_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(TypeError, match=r"'floot32' is not the name of a dtype; the dtypes are bool, .*bfloat16"):
        tf.as_dtype("floot32")


def test_a_dtype_equals_its_names_and_numpy_dtypes_and_nothing_else() -> None:
    assert tf.float32 == "float32"
    assert tf.float32 == np.float32
    assert tf.float32 == np.dtype("f4")
    assert np.dtype("f4") == tf.float32.np
    assert tf.float32 != tf.float64
    assert tf.float32 != "float64"
    assert tf.float32 != "no dtype at all"
    assert tf.float32 is not None
    assert tf.float32 != None  # noqa: E711  # the comparison itself is tested
    assert tf.float32 != [1]


def test_dtypes_serve_as_dictionary_keys_beside_numpy_dtypes() -> None:
    table = {tf.float32: "a", tf.int8: "b"}
    assert table[tf.as_dtype("float")] == "a"
    assert {np.dtype("f4"): 1}.get(tf.float32.np) == 1
    assert len({tf.float32, tf.as_dtype(np.float32), tf.float64}) == 2


def test_a_dtype_says_what_kind_it_is() -> None:
    def kinds(d: tf.DType) -> list[str]:
        flags = ("is_bool", "is_integer", "is_unsigned", "is_floating", "is_complex", "is_string", "is_numeric")
        return [f.removeprefix("is_") for f in flags if getattr(d, f)]

    assert kinds(tf.bool) == ["bool"]
    assert kinds(tf.uint16) == ["integer", "unsigned", "numeric"]
    assert kinds(tf.int64) == ["integer", "numeric"]
    assert kinds(tf.bfloat16) == kinds(tf.float64) == ["floating", "numeric"]
    assert kinds(tf.complex64) == ["complex", "numeric"]
    assert kinds(tf.string) == ["string"]


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (tf.bool, False, True),
        (tf.uint8, 0, 255),
        (tf.int8, -128, 127),
        (tf.int64, -(1 << 63), (1 << 63) - 1),
        (tf.float16, -65504.0, 65504.0),
        (tf.bfloat16, -3.3895313892515355e38, 3.3895313892515355e38),
        (tf.float64, np.finfo("f8").min, np.finfo("f8").max),
    ],
)
def test_limits_are_the_smallest_and_largest_finite_value(dtype: tf.DType, low: Any, high: Any) -> None:
    assert (float(dtype.min), float(dtype.max)) == (float(low), float(high))


@pytest.mark.parametrize("dtype", [tf.string, tf.complex64])
def test_what_has_no_order_has_no_limits(dtype: tf.DType) -> None:
    with pytest.raises(TypeError, match="not ordered"):
        dtype.max


def test_sizes_and_parts() -> None:
    assert [d.size for d in (tf.bool, tf.bfloat16, tf.float32, tf.complex128)] == [1, 2, 4, 16]
    assert tf.complex64.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int8.real_dtype is tf.int8
    assert tf.float32.base_dtype is tf.float32
    assert tf.float32.is_compatible_with("float")
    assert not tf.float32.is_compatible_with(tf.float64)


def test_a_dtype_prints_briefly_and_pickles_to_itself() -> None:
    assert (str(tf.float32), repr(tf.float32)) == ("<dtype: 'float32'>", "tf.float32")
    assert f"{tf.int32} {tf.int32:>6}" == "int32  int32"
    assert all(pickle.loads(pickle.dumps(d)) is d for d in ALL)


def test_a_set_of_dtypes_is_one_int_and_back() -> None:
    assert dtypes_in(bits_of(tf.int32, tf.float64, tf.int32)) == (tf.int32, tf.float64)
    assert len({d.bit for d in ALL}) == len(ALL)
