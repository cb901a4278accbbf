"""Numbers read by the loop: the same as by Python alone; and what is no plain number is left to Python."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import FeedError, InvalidArgumentError
from penstock.graph.shapes.dtypes import DType
from penstock.ops.text import string_to_number
from penstock.runtime.arguments import feed_values as feeds
from penstock.runtime.kernels import fast_strings
from penstock.runtime.kernels.bytes_layout import layout_of_bytes

from . import fences
from .buffers import Guarded, guarded, random_bits, same_bits, times
from .fences import loop, loops_at_once, needs_the_tier

pytestmark = needs_the_tier

LAYOUT = layout_of_bytes()
FLOATS, INTS = ("f4", "f8"), ("i4", "i8")
DTYPES = (tf.float32, tf.float64, tf.int32, tf.int64)

blanks = st.text(" \t\n\v\f\r", max_size=2)
digits = st.text("0123456789", max_size=22)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Decimals, and what looks like one."""
    mantissa = draw(digits) + draw(st.sampled_from(["", "", "."])) + draw(digits)
    exponent = draw(st.sampled_from(["", "", "e", "E"]))
    if exponent:
        exponent += draw(st.sampled_from(["", "+", "-"])) + draw(st.text("0123456789", max_size=5))
    odd = draw(st.sampled_from([""] * 20 + ["\0", "_", "x", "é", "inf", "nan", "0x1p3", "1", "\x1c"]))
    sign = draw(st.sampled_from(["", "", "-", "+"]))
    return (draw(blanks) + sign + mantissa + exponent + odd + draw(blanks)).encode()


def objects(values: list[bytes]) -> Any:
    made = np.empty(len(values), object)
    made[:] = values
    return made


def read(source: str, target: str, array: Any) -> tuple[Any, list[int]]:
    """(the numbers, the places that were left)."""
    out, left = Guarded(len(array), target, 2), Guarded(len(array), "i8")
    width = array.itemsize // 4 if source == "U" else array.itemsize
    layout = LAYOUT if source == "O" else (0, 0, 0)
    count = loop("numbers", source, layout, target)(out.array, array, left.array, width, len(array), id(bytes))
    out.check()
    left.check()
    return out.array.copy(), left.array[:count].tolist()


def check(target: str, text: bytes, number: Any) -> None:
    """What the loop reads is what Python reads."""
    dtype = tf.as_dtype(np.dtype(target))
    want = string_to_number.numbers_of(objects([text]), dtype)
    assert np.array_equal(number, want[0], equal_nan=True)
    assert np.signbit(number) == np.signbit(want[0])


@pytest.mark.share(3)
@pytest.mark.parametrize("target", [*FLOATS, *INTS])
@given(st.lists(texts(), min_size=1, max_size=40))
@example([b"-0", b"0.0", b"-0.0e5", b"9007199254740993", b"9007199254740992", b"1e22", b"1e23", b"1e-22", b"1e-23"])
@example([b"2147483647", b"2147483648", b"-2147483648", b"-2147483649", b"9223372036854775807", b"9223372036854775808",
          b"-9223372036854775808", b"-9223372036854775809", b"99999999999999999999", b"18446744073709551616"])
@example([b"16777217", b"16777219", b"0.1", b"1.00000017881393432617187499", b"33554434.1", b"8388608.5", b"8388609.5"])
def test_what_is_read_is_what_python_reads(target: str, values: list[bytes]) -> None:
    without = [v for v in values if not v.endswith(b"\0")]  # an array of fixed width does not keep zeros at the end
    for source, array, given_texts in (
        ("O", objects(values), values),
        ("S", guarded(np.array(without or [b"1"], "S"), 1), without or [b"1"]),
        ("U", guarded(np.array([v.decode() for v in without] or ["1"], "U"), 1), without or [b"1"]),
    ):
        numbers, left = read(source, target, array)
        assert left == sorted(set(left))
        for i in set(range(len(given_texts))) - set(left):
            check(target, given_texts[i], numbers[i])


@pytest.mark.share(8)
@pytest.mark.parametrize("text", [b"7", b"-12.5", b" +1e3\n", b"0.000001", b"123456789012345", b"5.", b".5", b"1E-5"])
@pytest.mark.parametrize("target", FLOATS)
def test_plain_decimals_are_not_left(text: bytes, target: str) -> None:
    assert read("O", target, objects([text]))[1] == []


@given(st.integers(0, 2**32))
def test_long_decimals_are_rounded_to_the_nearest_double(seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = random_bits(rng, 100, "f8")
    numbers = some[np.isfinite(some)].tolist()
    whole = rng.integers(1, 2**63, 80, np.uint64).tolist()
    odd = [2 * n + 1 for n in rng.integers(2**53, 2**54, 60).tolist()]  # halfway between two doubles
    values = [form % x for x in numbers for form in (b"%r", b"%.16e", b"%.18e", b"%.9g")]
    values += [b"%de%d" % (w, e) for w in whole for e in (-5, 0, 3, 25, -25, int(rng.integers(-345, 310)))]
    values += [b"%de%d" % (n * 5**k, -k) for n in odd for k in (0, 1, 2, 3) if n * 5**k < 10**19]
    values += [b"0.%s%d" % (b"0" * k, w) for w in whole[:20] for k in (1, 5, 30)]
    for target in FLOATS:
        got, left = read("O", target, objects(values))
        assert target == "f4" or len(left) < len(values) // 20
        want = np.array([float(v) for v in values])
        if target == "f4":
            want = string_to_number._to_float32(want, values)
        read_by_loop = np.delete(np.arange(len(values)), left)
        assert same_bits(got[read_by_loop], want[read_by_loop])


@pytest.mark.share(8)
@pytest.mark.parametrize("text", [b"", b" ", b"-", b".", b"e5", b"1e", b"1 2", b"1\0", b"\0", b"inf", b"0x1", b"1_0",
                                  b"+-1", b"12345678901234567890", b"1e309", b"1e-310", b"1" * 300, b"1e99999", b"1,",
                                  b"\xff"])  # fmt: skip
@pytest.mark.parametrize("target", [*FLOATS, *INTS])
def test_all_else_is_left(text: bytes, target: str) -> None:
    assert read("O", target, objects([b"1", text, b"2"]))[1] == [1]


class Bytes(bytes):
    """Not exactly bytes."""


def test_objects_that_are_not_bytes_are_left_and_counted() -> None:
    array = objects([b"1", b"2", b"3"] * 10)
    count = loop("bytes_only", LAYOUT)
    assert count(array, len(array), id(bytes)) == 30
    assert count(array, 0, id(bytes)) == 0
    for odd in ("1", 1, None, Bytes(b"1"), 1.0, bytearray(b"1")):
        array[17] = odd
        assert count(array, len(array), id(bytes)) == 17
        assert read("O", "f4", array)[1] == [17]


# ---- the op -------------------------------------------------------------------------------------


def run(array: Any, dtype: DType) -> Any:
    with loops_at_once():
        return fences.run(string_to_number.string_to_number, array, dtype)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@given(st.lists(texts(), min_size=1, max_size=40), st.integers(0, 3))
def test_the_op_gives_the_same_numbers_and_the_same_words(dtype: DType, values: list[bytes], start: int) -> None:
    array = objects([b"5"] * start + values)
    outcomes = []
    for way in (lambda: run(array, dtype), lambda: string_to_number.numbers_of(array, dtype)):
        try:
            outcomes.append(way())
        except InvalidArgumentError as error:
            outcomes.append(error.message)
    one, other = outcomes
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        assert one.dtype == other.dtype
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("kind", ["O", "S", "U"])
def test_blocks_strides_and_shapes_are_not_seen(kind: str) -> None:
    values = np.array([f"{n}.5".encode() for n in range(40_000)]).astype(kind if kind != "O" else object)
    want = np.arange(40_000) + np.float32(0.5)
    assert (run(values, tf.float32) == want).all()
    assert (run(values[::-2].reshape(100, 200), tf.float32) == want[::-2].reshape(100, 200)).all()


def no_loop(template: str, *key: Any, work: int) -> None:
    """Where nothing is compiled."""


def test_a_session_reads_with_the_loop_and_without() -> None:
    values = objects([b"%d.25" % n for n in range(20_000)])
    loop("numbers", "O", LAYOUT, "f4")
    loop("bytes_only", LAYOUT)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.string)
        numbers = tf.string_to_number(x)
        session.run(numbers, {x: values})  # a first run looks at feeds while it is planned, too
        before = times("numbers"), times("bytes_only")
        got = session.run(numbers, {x: values})
        assert (times("numbers"), times("bytes_only")) == (before[0] + 1, before[1] + 1)
        with patch.object(fast_strings, "find", no_loop), patch.object(feeds, "find", no_loop):
            assert (session.run(numbers, {x: values}) == got).all()
        values[19_999] = "7"
        assert session.run(numbers, {x: values})[-1] == 7
        values[19_999] = 7
        with pytest.raises(FeedError, match="is not a string"):
            session.run(numbers, {x: values})


def test_a_layout_that_is_not_known_leaves_all_to_python() -> None:
    with patch.object(fast_strings, "layout_of_bytes", lambda: None):
        assert run(objects([b"1"] * 300), tf.float32).tolist() == [1.0] * 300
