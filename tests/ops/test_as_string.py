"""as_string: texts and errors that TensorFlow 2.21 was recorded giving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL

VALUES = np.array([1.5, -2.25e10, 0.1, 1e-10, np.nan, np.inf, -np.inf, -0.0])


def texts(value: Any, **options: Any) -> Any:
    with tf.Graph().as_default() as graph:
        tensor = tf.as_string(value, **options)
        found = tf.Session(graph=graph).run(tensor)
    assert tensor.dtype is tf.string and tensor.shape.as_list() == list(np.shape(found))
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({}, "1.500000|-22500000000.000000|0.100000|0.000000|nan|inf|-inf|-0.000000"),
        ({"precision": 2}, "1.50|-22500000000.00|0.10|0.00|nan|inf|-inf|-0.00"),
        ({"precision": 0}, "2|-22500000000|0|0|nan|inf|-inf|-0"),
        ({"precision": -5}, "1.500000|-22500000000.000000|0.100000|0.000000|nan|inf|-inf|-0.000000"),
        ({"scientific": True}, "1.500000e+00|-2.250000e+10|1.000000e-01|1.000000e-10|nan|inf|-inf|-0.000000e+00"),
        ({"scientific": True, "precision": 3}, "1.500e+00|-2.250e+10|1.000e-01|1.000e-10|nan|inf|-inf|-0.000e+00"),
        ({"shortest": True}, "1.5|-2.25e+10|0.1|1e-10|nan|inf|-inf|-0"),
        ({"width": 10},
         "  1.500000|-22500000000.000000|  0.100000|  0.000000|       nan|       inf|      -inf| -0.000000"),
        ({"width": 10, "fill": "0"},
         "001.500000|-22500000000.000000|000.100000|000.000000|       nan|       inf|      -inf|-00.000000"),
        ({"width": 10, "fill": "-"},
         "1.500000  |-22500000000.000000|0.100000  |0.000000  |nan       |inf       |-inf      |-0.000000 "),
        ({"width": 10, "fill": "+"},
         " +1.500000|-22500000000.000000| +0.100000| +0.000000|      +nan|      +inf|      -inf| -0.000000"),
    ],
)  # fmt: skip
def test_floats_are_written_as_by_printf(options: Any, want: str) -> None:
    assert texts(VALUES, **options) == want.encode().split(b"|")


@pytest.mark.parametrize(
    ("dtype", "want"),
    [(tf.float16, b"0.099976"), (tf.bfloat16, b"0.100098"), (tf.float32, b"0.100000"), (tf.float64, b"0.100000")],
)
def test_a_float_is_written_by_its_own_value(dtype: Any, want: bytes) -> None:
    assert texts(np.array(0.1).astype(dtype.np)) == want


def test_as_many_digits_are_written_as_asked_for() -> None:
    want = b"0.100000001490116119384765625000000000000000000000000000000000"
    assert texts(np.float32(0.1), precision=60) == want
    assert texts(np.float32(0.1), precision=9, shortest=True) == b"0.100000001"
    assert len(texts(np.array(1e300))) == 308


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({}, [b"1", b"-2"]),
        ({"width": 5}, [b"    1", b"   -2"]),
        ({"width": 5, "fill": "0"}, [b"00001", b"-0002"]),
        ({"width": 5, "fill": "-"}, [b"1    ", b"-2   "]),
        ({"width": 5, "fill": "+"}, [b"   +1", b"   -2"]),
        ({"width": -5}, [b"1", b"-2"]),
        ({"fill": "0"}, [b"1", b"-2"]),
    ],
)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_signed_ints(dtype: str, options: Any, want: list[bytes]) -> None:
    assert texts(np.array([1, -2], dtype), **options) == want


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_unsigned_ints_have_no_sign(dtype: str) -> None:
    most = np.iinfo(dtype).max
    assert texts(np.array([1, most], dtype)) == [b"1", str(most).encode()]
    assert texts(np.array([2], dtype), width=5, fill="+") == [b"    2"]
    assert texts(np.array([2], dtype), width=5, fill="0") == [b"00002"]


def test_bools_have_no_width() -> None:
    assert texts([True, False], width=9, fill="0") == [b"true", b"false"]


def test_both_parts_of_a_complex_number_have_the_form() -> None:
    assert texts(np.array([1.5 + 2j], "c8")) == [b"(1.500000,2.000000)"]
    assert texts(np.array([1.5 + 2j], "c8"), shortest=True) == [b"(1.5,2)"]
    assert texts(np.array([1 + 2j]), width=12, fill="0") == [b"(00001.000000,00002.000000)"]
    assert texts(np.array([complex(2, -np.inf)]), width=5) == [b"(2.000000, -inf)"]


def test_strings_keep_their_text() -> None:
    assert texts(["a", "bcd"], precision=1) == [b"a", b"bcd"]
    assert texts(["a", "bcdef"], width=4) == [b"   a", b"bcdef"]
    assert texts(["a"], width=4, fill="-") == [b"a   "]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_no_elements_make_no_texts(dtype: Any) -> None:
    assert texts(np.zeros((0, 2), dtype.np)) == []


def test_more_numbers_than_a_block_are_all_written() -> None:
    assert texts(np.arange(10_000)) == [b"%d" % i for i in range(10_000)]


def test_names_of_sizes_stay() -> None:
    with tf.Graph().as_default():
        assert str(tf.as_string(tf.placeholder(tf.int32, ["n", 2])).shape) == "(n, 2)"


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (1.0, {"fill": "ab"}, "Fill string must be one or fewer characters"),
        (1.0, {"fill": "x"}, 'Fill argument not supported: "x"'),
        (1.0, {"scientific": True, "shortest": True}, "Cannot select both scientific and shortest notation"),
        (1, {"precision": 2}, "precision not supported for datatype int32"),
        (True, {"shortest": True}, "scientific and shortest format not supported for datatype bool"),
        (1.0, {"width": 1 << 17}, "must be at most 65536"),
    ],
)
def test_forms_that_do_not_fit_are_refused(value: Any, options: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.as_string(value, **options)
