"""string_to_number: one string against exact fractions, many together against one by one."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import known_value
from penstock.graph.shapes.dtypes import DType
from penstock.ops.text.string_to_number import string_to_number

from .elementwise import run, same
from .nearest import nearest

FLOATS = (tf.float32, tf.float64)
INTS = (tf.int32, tf.int64)
MANY = 300  # enough for the strings to be read together

blanks = st.text(" \t\n\v\f\r", max_size=2)
signs = st.sampled_from(["", "+", "-"])
digits = st.text("0123456789", min_size=1, max_size=25)


@st.composite
def decimals(draw: st.DrawFn) -> str:
    """Decimal numbers in all the forms C reads."""
    whole, fraction = draw(digits), draw(digits)
    number = draw(st.sampled_from([whole, f"{whole}.", f".{fraction}", f"{whole}.{fraction}"]))
    exponent = draw(st.none() | st.integers(-60, 60))
    return draw(signs) + number + ("" if exponent is None else f"{draw(st.sampled_from('eE'))}{exponent}")


def texts(values: Any) -> Any:
    """An object array of bytes."""
    made = np.empty(len(values), object)
    made[:] = [v.encode() if isinstance(v, str) else v for v in values]
    return made


def read(values: Any, dtype: DType = tf.float32) -> Any:
    return run(lambda t: tf.string_to_number(t, dtype), texts(values))


def rounded(text: str, dtype: DType) -> float:
    exact = Fraction(Decimal(text.strip()))
    return nearest(exact, dtype) if exact else math.copysign(0.0, -1 if "-" in text.lower().split("e")[0] else 1)


def equal(got: Any, want: Any, dtype: DType) -> bool:
    with np.errstate(over="ignore"):
        return same(got, np.array(want, dtype.np)) and bool((np.signbit(got) == np.signbit(want)).all())


# ---- floats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@given(st.lists(decimals(), min_size=1, max_size=10), blanks, blanks)
def test_a_decimal_is_rounded_once_to_the_nearest(dtype: DType, values: list[str], left: str, right: str) -> None:
    want = [rounded(v, dtype) for v in values]
    assert equal(read([left + v + right for v in values], dtype), want, dtype)
    padded = [*values, *["1.5"] * MANY]
    assert equal(read(padded, dtype), [*want, *[1.5] * MANY], dtype)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=30))
def test_a_float32_written_with_nine_digits_is_read_back(values: list[float]) -> None:
    for form in ("%.9g", "%.9e", "%r"):
        assert equal(read([form % v for v in values] * 20), values * 20, tf.float32)


@given(st.integers(0, 0x7F7FFFFE), st.integers(-3, 3), st.integers(1, 40), signs)
@example(0, 1, 30, "")
@example(0x007FFFFF, -1, 1, "-")
@example(0x7F7FFFFE, 0, 1, "")
def test_numbers_beside_the_middle_of_two_float32_are_not_rounded_twice(
    bits: int, step: int, far: int, sign: str
) -> None:
    low, high = (Fraction(float(np.array(b, np.uint32).view(np.float32))) for b in (bits, bits + 1))
    middle = (low + high) / 2
    # Farther down than float64 can see: only the text tells on which side of the middle the number lies.
    number = middle + step * Fraction(1, 10**far) * (high - low) / 10**20
    text = sign + written(number)
    assert equal(read([text]), [rounded(text, tf.float32)], tf.float32)


def written(number: Fraction) -> str:
    """A fraction whose denominator divides a power of ten, exactly."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    whole = str((number * 10**places).numerator).rjust(places + 1, "0")
    return f"{whole[:-places]}.{whole[-places:]}" if places else whole


def test_the_middle_itself_goes_to_the_even_neighbour() -> None:
    values = ["16777217", "16777219", "16777217.0000000000000000000000001", "16777216.9999999999999999999999999",
              "-16777217.0000000000000000000000001", "0x1000001", "0x1000001.00000000000000000001",
              "0x1000000.ffffffffffffffffffff"]  # fmt: skip
    want = [16777216.0, 16777220, 16777218, 16777216, -16777218, 16777216, 16777218, 16777216]
    assert read(values).tolist() == want


def test_a_mantissa_of_thousands_of_digits_is_read_exactly() -> None:
    zeros = "0" * 6000
    assert read([f"16777217.{zeros}1", f"16777217{zeros}1e-6001", f"16777217.{zeros}"]).tolist() == [
        16777218, 16777218, 16777216]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10", 16.0),
        ("-0X.8", -0.5),
        ("0x1.8p1", 3.0),
        (" 0x1P-3\n", 0.125),
        ("0x1p1000000000", math.inf),
        ("-0x1p1000000000", -math.inf),
        ("0x1p-10000", 0.0),
        ("inf", math.inf),
        ("-INFINITY", -math.inf),
        ("+Inf", math.inf),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("3.5e38", math.inf),
        ("1e-400", 0.0),
        ("0e99999999999999999999", 0.0),
        ("1e99999999999999999999", math.inf),
    ],
)
def test_other_spellings_of_floats(text: str, value: float) -> None:
    assert read([text]).tolist() == [value]
    assert read(["2"] * MANY + [text]).tolist() == [2.0] * MANY + [value]


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN", "nan(abc)", "NAN(1_2)", "nan()"])
def test_spellings_of_nan(text: str) -> None:
    assert np.isnan(read([text, " " + text + "\t"])).all()


def test_a_negative_zero_keeps_its_sign_among_many() -> None:
    assert np.signbit(read(["-0", "-0.00", "0", "+0.0"] * MANY)).tolist() == [True, True, False, False] * MANY


BAD_FLOATS = ["", " ", "\n", "abc", "1,000", "1_000", "1.0f", "1d3", "+-1", "--1", "1 2", "1\0", "\0", "\u0661", ".",
              "+", "-.", "e5", "1e", "1e+", "0x", "0x.", "0xp1", "0x1p", "0x_1", "nan(", "nan(-)", "infinit", "1..2",
              "1.2.3", "1\x1f", "1;", "1e5_0", "1,", ",", "½", "0b1", "1e5.0", "+ 1"]  # fmt: skip
BAD_INTS = [*BAD_FLOATS, "1.5", "5.", "1e3", "0x10", "nan", "inf", "1.0", "99999999999999999999", "9" * 5000]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("text", BAD_FLOATS)
def test_what_spells_no_float_is_a_run_error_that_shows_it(text: str, dtype: DType) -> None:
    assert_refused(text, dtype)


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("text", BAD_INTS)
def test_what_spells_no_int_is_a_run_error_that_shows_it(text: str, dtype: DType) -> None:
    assert_refused(text, dtype)


def assert_refused(text: str, dtype: DType) -> None:
    for around in ([], ["1"] * MANY):
        with pytest.raises(tf.errors.InvalidArgumentError) as told:
            read([*around, text, *around], dtype)
        assert told.value.message == f"StringToNumberOp could not correctly convert string: {text}"


def test_the_place_of_what_is_refused_is_told() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        texts = tf.placeholder(tf.string, [None, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"string: 4,5\n  first at string_tensor\[1, 0\]\n"):
            session.run(tf.string_to_number(texts), {texts: [["1", "2"], ["4,5", "4,5"]]})


# ---- ints ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTS, ids=str)
@given(st.data(), blanks, st.sampled_from(["", "0", "000000000000000000000000"]))
def test_an_int_that_fits_is_read_exactly(dtype: DType, data: st.DataObject, blank: str, zeros: str) -> None:
    ends = st.sampled_from([dtype.min, dtype.max, dtype.min + 1, 0])
    values = data.draw(st.lists(ends | st.integers(dtype.min, dtype.max), min_size=1, max_size=20))
    shown = [f"{blank}{'-' if v < 0 else data.draw(st.sampled_from(['', '+']))}{zeros}{abs(v)}{blank}" for v in values]
    assert read(shown, dtype).tolist() == values
    assert read([*shown, *["7"] * MANY], dtype).tolist() == values + [7] * MANY


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("beyond", [1, 2, 10**5, 10**30])
def test_an_int_that_does_not_fit_is_a_run_error(dtype: DType, beyond: int) -> None:
    for number in (dtype.max + beyond, dtype.min - beyond):
        assert_refused(str(number), dtype)


# ---- many ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", (*FLOATS, *INTS), ids=str)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.05, 0.9]))
def test_strings_read_together_are_read_as_they_are_alone(dtype: DType, seed: int, odd: float) -> None:
    rng = np.random.default_rng(seed)
    values = [str(n) for n in rng.integers(-10**9, 10**9, MANY)]
    for i in np.flatnonzero(rng.random(MANY) < odd).tolist():
        forms = [f" {i}", f"+{i} ", "0" * 30 + str(i)]
        if dtype.is_floating:
            forms += [f"{i}.25", f".{i}", f"{i}e3", "inf", "1" * 40]
        values[i] = forms[rng.integers(len(forms))]
    kernel = string_to_number.kernels["*"]  # a run for each string would take most of the test's time
    assert same(read(values, dtype), np.concatenate([kernel(np, texts([v]), dtype) for v in values]))


def test_a_block_boundary_is_not_seen() -> None:
    values = [f"{n}.5" for n in range(40_000)]
    assert (read(values) == np.arange(40_000) + np.float32(0.5)).all()


# ---- the declaration ----------------------------------------------------------------------------


def test_the_shape_is_kept_and_float32_is_the_default() -> None:
    with tf.Graph().as_default():
        made = tf.string_to_number(tf.placeholder(tf.string, ["n", 2, None]))
    assert (made.dtype, str(made.shape), made.op.type) == (tf.float32, "(n, 2, ?)", "StringToNumber")


def test_a_known_string_is_a_known_number() -> None:
    with tf.Graph().as_default():
        known = known_value(tf.string_to_number(["7", "8"], tf.int32))
        assert known is not None
        assert known.tolist() == [7, 8]
        assert known_value(tf.string_to_number(["x"])) is None  # what is wrong with it is the run's to say


@pytest.mark.parametrize("dtype", [tf.bool, tf.int8, tf.float16, tf.string, tf.complex64], ids=str)
def test_other_out_types_are_type_errors(dtype: DType) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=f"out_type has DataType {dtype} not in list"):
        tf.string_to_number(["1"], dtype)


def test_numbers_are_not_strings() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Expected string"):
        tf.string_to_number([1, 2])
