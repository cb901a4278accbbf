"""string_to_number: strings read as numbers.

Python's `float` and `int` read each string, with what they take too much (underscores) and too little (hexadecimal
floats, "nan(...)") settled around them.

A float32 is read as float64 and then rounded. Rounding twice goes wrong only where the float64 lies exactly halfway
between two float32 and the text does not: these are looked at again, with exact fractions.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.common.lazy_import import load
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.batched import by_elements_of_first
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import STRING, Attr, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, float32, float64, int32, int64
from ...graph.shapes.literal import Array
from ..declare.shape_checks import shape_of_first

PUBLIC_NAMES = {"start": "string_to_number", "strings": "to_number=string_to_number"}

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBERS = (float32, float64, int32, int64)


def _as_number_dtype(value: Any) -> DType:
    dtype = float32 if value is None else as_dtype(value)
    if dtype not in _NUMBERS:
        raise DTypeError(f"has DataType {dtype} not in list of allowed values: {', '.join(d.name for d in _NUMBERS)}")
    return dtype


_Strings: TypeAlias = Annotated[TensorLike, Operand(None, STRING)]
_NumberDType: TypeAlias = Annotated[DType | str | type | np.dtype[Any] | None, Attr(_as_number_dtype)]


@op("StringToNumber", graphdef="out_type/float32", out="out_type", host_only=True, reads_fixed_width=True,
    shape=shape_of_first, distributes=same_axes, no_gradient="it reads text")  # fmt: skip
def string_to_number(string_tensor: _Strings, out_type: _NumberDType = None, name: str | None = None) -> Tensor:
    """The numbers that strings spell; whitespace around them is ignored.

    Args:
        string_tensor: strings, any shape. A float is decimal or hexadecimal ("0x1.8p1"), or inf, infinity or nan; an
            int is decimal digits with an optional sign.
        out_type: float32 (the default), float64, int32 or int64. A float too large becomes inf, one too small 0.

    Returns:
        A tensor with the shape of `string_tensor` and dtype `out_type`.

    Raises:
        TypeError: `string_tensor` is not string, or `out_type` is another dtype.
        InvalidArgumentError (when run): a string is not a number, or an int does not fit the dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_to_number(["1.5", " -2e1 ", "0x10"])))
    ...     print(session.run(tf.string_to_number(["2147483647"], tf.int32)))
    [  1.5 -20.   16. ]
    [2147483647]

    Source: TensorFlow 0.x, Tensor Transformations.
    """


@string_to_number.kernel
def string_to_number_kernel(xp: Any, string_tensor: Any, out_type: DType) -> Any:
    flat, numbers = string_tensor.reshape(-1), xp.empty(string_tensor.size, out_type.np)
    try:
        for i in range(0, flat.size, _BLOCK):
            numbers[i : i + _BLOCK] = numbers_of(flat[i : i + _BLOCK], out_type)
    except InvalidArgumentError as error:
        error.where = _place_of(error.found, string_tensor)
        raise
    return numbers if string_tensor.ndim == 1 else numbers.reshape(string_tensor.shape)  # a view would be copied


string_to_number.batched(by_elements_of_first)


@string_to_number.samples
def string_to_number_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[b"1", b" -2.5 "], [b"1e400", b"nan"]], object))
    yield sample(np.array(b"-9223372036854775808", object), "int64")
    yield sample(np.array([b"%d" % n for n in rng.integers(-99, 99, 300)], object), "int32")
    yield sample(np.array([], object), "float64")


# ---- reading ------------------------------------------------------------------------------------


_BLOCK = 1 << 14  # strings: their Python objects are dropped before the next ones are made


def numbers_of(strings: Array, dtype: DType) -> Array:
    """The numbers that an array of strings spells; the error for the first invalid string holds it in `found`."""
    texts = [t.encode() if isinstance(t, str) else t for t in strings.reshape(-1).tolist()]
    if len(texts) == 1 and (number := _plain_number(texts[0], dtype)) is not None:
        return np.array(number, dtype.np).reshape(strings.shape)
    if dtype.is_integer:
        ints = _by(int, np.int64, texts)
        if ints is None or ints.size == 0 or ints.min() < dtype.min or ints.max() > dtype.max:
            ints = np.array([_int_of(t, dtype) for t in texts], dtype.np)
        return ints.astype(dtype.np, copy=False).reshape(strings.shape)
    floats = _by(float, np.float64, texts)
    if floats is None:
        floats = np.array([_float_of(t) for t in texts], np.float64)
    return (floats if dtype is float64 else _to_float32(floats, texts)).reshape(strings.shape)


def _plain_number(text: bytes, dtype: DType) -> float | None:
    """The number that one string spells, where that needs none of the care of `numbers_of`; else None."""
    if b"_" in text or len(text) > 18:
        return None
    try:
        if dtype.is_integer:
            whole = int(text)
            limit = 1 << (8 * dtype.np.itemsize - 1)
            return whole if -limit <= whole < limit else None
        number = float(text)
    except ValueError:
        return None
    if dtype is float64 or number == 0.0:
        return number
    is_halfway = _BITS.unpack(_DOUBLE.pack(number))[0] & 0x1FFFFFFF == 0x10000000
    return number if 2.0**-126 <= abs(number) < 2.0**127 and not is_halfway else None


_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")


def _by(number: Callable[[bytes], Any], dtype: Any, texts: list[bytes]) -> Array | None:
    """The strings read by Python's function, if it reads all of them correctly: 227 ms a million."""
    if b"_" in b"".join(texts):
        return None
    try:
        return np.fromiter(map(number, texts), dtype, len(texts))
    except (ValueError, OverflowError):
        return None


def _to_float32(numbers: Array, texts: Sequence[bytes]) -> Array:
    """`numbers`, which are the texts rounded to float64, as the texts rounded to float32."""
    load("fractions")
    from fractions import Fraction  # few programs read strings

    size = np.abs(numbers)
    halfway = (numbers.view(np.uint64) & 0x1FFFFFFF) == 0x10000000  # the 29 bits that float32 does not have
    # Below the smallest normal float32 the bits that count are fewer: multiples of 2**-149, halves odd ones of 2**-150.
    tiny = size < 2.0**-126
    with np.errstate(all="ignore"):
        np.copyto(halfway, (size * 2.0**150) % 2 == 1, where=tiny)
        for i in np.flatnonzero(halfway).tolist():
            exact, near = _fraction_of(texts[i]), Fraction(float(numbers[i]))
            if exact != near:
                numbers[i] = np.nextafter(numbers[i], np.inf if exact > near else -np.inf)
        return numbers.astype(np.float32)


# ---- one string ---------------------------------------------------------------------------------

_INT = re.compile(rb"\s*([+-]?)0*([0-9]+)\s*")  # in bytes, \s is the six ASCII blanks
_NAN = re.compile(rb"\s*[+-]?nan\([0-9a-z_]*\)\s*", re.IGNORECASE)
_HEX = re.compile(rb"\s*([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?[0-9]+))?\s*", re.IGNORECASE)


def _int_of(text: bytes, dtype: DType) -> int:
    match = _INT.fullmatch(text)
    if match is None or len(match[2]) > 19:  # no int64 has more digits, and int() refuses thousands of them
        raise _refused(text)
    number = int(match[1] + match[2])
    if not dtype.min <= number <= dtype.max:
        raise _refused(text)
    return number


def _float_of(text: bytes) -> float:
    if b"_" not in text:
        with suppress(ValueError):
            return float(text)
    if _NAN.fullmatch(text):
        return float("nan")
    if not _HEX.fullmatch(text):
        raise _refused(text)
    try:
        return float.fromhex(text.decode("ascii"))
    except OverflowError:
        return float("-inf" if text.strip().startswith(b"-") else "inf")
    except ValueError:  # no digits at all
        raise _refused(text) from None


def _fraction_of(text: bytes) -> Fraction:
    """The number that `text` spells, exactly. Asked only within float32's range: it would write out 1e999999999."""
    load("decimal")
    from decimal import Decimal
    load("fractions")
    from fractions import Fraction

    match = _HEX.fullmatch(text)
    if match is None:
        return Fraction(Decimal(text.decode("ascii")))
    whole, fraction, exponent = match[2], match[3], int(match[4] or 0)
    number = int(whole + fraction, 16) * Fraction(2) ** (exponent - 4 * len(fraction))
    return -number if match[1] == b"-" else number


def _refused(text: bytes) -> InvalidArgumentError:
    shown = text.decode("utf-8", "backslashreplace")
    error = InvalidArgumentError(message=f"StringToNumberOp could not correctly convert string: {shown}")
    error.found = text
    return error


def _place_of(refused: bytes, strings: Array) -> str:
    """The first position of the refused string, such as `string_tensor[1, 3]`."""
    for i, text in enumerate(strings.reshape(-1).tolist()):
        if (text.encode() if isinstance(text, str) else text) == refused:
            where = ", ".join(map(str, np.unravel_index(i, strings.shape)))
            return f"string_tensor[{where}]" if where else ""
    return ""
