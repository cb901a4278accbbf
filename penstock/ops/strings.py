"""Which ops read strings?

`string_to_number`, in two ways. Plain decimals ("-12.50") are read together: a block of them is joined, checked by
looking at each pair of neighbouring bytes, and read as whole numbers, which are then divided by powers of ten. Any
other string is read alone by Python's `float` or `int`, with what they take too much (underscores) and too little
(hexadecimal floats, "nan(...)") settled around them. A million plain floats take 138 ms in blocks, 403 ms alone.
Where there is a compiled loop it reads the plain ones (15 ms), and leaves the others to the ways above.

A float32 is read as float64 and then rounded. Rounding twice goes wrong only where the float64 lies exactly halfway
between two float32 and the text does not: these are looked at again, with exact fractions.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from ..errors import DTypeError, InvalidArgumentError
from ..graph.dtypes import DType, as_dtype, float32, float64, int32, int64
from ..graph.lazy_import import load
from ..graph.literal import Array
from ..graph.nodes import Tensor
from ..graph.op_declaration import Sample, op, sample
from ..graph.shape import TensorShape
from ..graph.signature import STRING, Attr, Operand, TensorLike
from .native import native

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBERS = (float32, float64, int32, int64)


def _as_number_dtype(value: Any) -> DType:
    dtype = float32 if value is None else as_dtype(value)
    if dtype not in _NUMBERS:
        raise DTypeError(f"has DataType {dtype} not in list of allowed values: {', '.join(d.name for d in _NUMBERS)}")
    return dtype


_Strings: TypeAlias = Annotated[TensorLike, Operand(None, STRING)]
_NumberDType: TypeAlias = Annotated[Any, Attr(_as_number_dtype)]


@op("StringToNumber", out="out_type", host_only=True, reads_packed=True)
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


@string_to_number.shape
def _(string_tensor: Tensor, out_type: DType) -> TensorShape:
    return string_tensor.shape


@string_to_number.kernel
def _(xp: Any, string_tensor: Any, out_type: DType) -> Any:
    try:
        return _read(string_tensor, out_type, xp.empty)
    except InvalidArgumentError as error:
        error.where = _place_of(error.found, string_tensor)
        raise


@string_to_number.samples
def _(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(np.array([[b"1", b" -2.5 "], [b"1e400", b"nan"]], object))
    yield sample(np.array(b"-9223372036854775808", object), "int64")
    yield sample(np.array([b"%d" % n for n in rng.integers(-99, 99, 300)], object), "int32")
    yield sample(np.array([], object), "float64")


# ---- reading ------------------------------------------------------------------------------------

_BLOCK = 1 << 14  # strings: what is made of a block stays in the cache
_WORK = 16  # elements that would cost as much as a string does: 4096 take 70 us with the loop, 500 without
_FEW = 100  # below this a block costs more than its strings do alone


def _read(strings: Array, dtype: DType, empty: Callable[..., Array] = np.empty) -> Array:
    """The numbers, in memory that `empty` gives if there is much of it."""
    flat = strings.reshape(-1)
    numbers = _read_by_compiled_loop(flat, dtype, empty)
    if numbers is None:
        blocks = [_read_block(flat[i : i + _BLOCK], dtype) for i in range(0, len(flat), _BLOCK)]
        numbers = np.concatenate(blocks) if blocks else np.empty(0, dtype.np)
    return numbers if strings.ndim == 1 else numbers.reshape(strings.shape)  # a view would be copied for the caller


def _read_block(strings: Array, dtype: DType) -> Array:
    texts = strings.tolist()
    if strings.dtype.kind == "U":
        texts = [t.encode() for t in texts]
    return _read_ints(texts, dtype) if dtype.is_integer else _read_floats(texts, dtype)


def _read_by_compiled_loop(strings: Array, dtype: DType, empty: Callable[..., Array]) -> Array | None:
    """The numbers, if there is a loop and it is ready: it reads the plain ones, the others are read as without it."""
    kind, layout = strings.dtype.kind, (0, 0, 0)
    if kind == "O":
        found = layout_of_bytes()
        if found is None:
            return None
        layout = found
    if not strings.dtype.isnative:
        return None
    loop = native("numbers", kind, layout, dtype.np.str[1:], work=_WORK * strings.size)
    if loop is None:
        return None
    strings = np.ascontiguousarray(strings)
    width = strings.itemsize // 4 if kind == "U" else strings.itemsize
    numbers, left = empty(len(strings), dtype.np), np.empty(_BLOCK, np.int64)
    for i in range(0, len(strings), _BLOCK):
        texts, target = strings[i : i + _BLOCK], numbers[i : i + _BLOCK]
        places = left[: loop(target, texts, width, len(texts), left, id(bytes))]
        if places.size:
            target[places] = _read_block(texts[places], dtype)
    return numbers


@cache
def layout_of_bytes() -> tuple[int, int, int] | None:
    """Where a bytes object keeps its type, its length and its first character; None if it is not as expected."""
    size_at = object.__basicsize__
    layout = size_at - ctypes.sizeof(ctypes.c_void_p), size_at, bytes.__basicsize__ - 1
    for text in (b"", b"7", b"-12.50", bytes(range(256)) * 20):
        found = (
            ctypes.c_void_p.from_address(id(text) + layout[0]).value,
            ctypes.c_ssize_t.from_address(id(text) + layout[1]).value,
            ctypes.string_at(id(text) + layout[2], len(text) + 1),
        )
        if found != (id(bytes), len(text), text + b"\0"):
            return None
    return layout


def _read_ints(texts: list[bytes], dtype: DType) -> Array:
    numbers, _, plain = _read_plain(texts, dots=False)
    low, high = dtype.min, dtype.max
    # A number that does not fit int64 was read as one of its ends.
    for i in np.flatnonzero(~plain | (numbers <= low) | (numbers >= high)).tolist():
        number = _int_of(texts[i])
        if not low <= number <= high:
            raise _refused(texts[i])
        numbers[i] = number
    return numbers.astype(dtype.np, copy=False)


def _read_floats(texts: list[bytes], dtype: DType) -> Array:
    whole, digits, plain = _read_plain(texts, dots=True)
    # Both are exact in float64, so that the quotient is rounded once. Zeros are read alone for the sign of "-0.0".
    exact = plain & (np.abs(whole) <= 1 << 53) & (digits < len(_POWERS)) & (whole != 0)
    numbers: Array = whole / _POWERS[np.where(exact, digits, 0)]
    rest = np.flatnonzero(~exact)
    if rest.size:
        numbers[rest] = _floats_of([texts[i] for i in rest.tolist()])
    return numbers if dtype is float64 else _to_float32(numbers, texts)


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


# ---- many strings at once -----------------------------------------------------------------------

_POWERS = np.array([10.0**n for n in range(23)])  # the powers of ten that float64 holds exactly
_DIGIT, _SIGN, _DOT, _COMMA, _OTHER = range(5)
_CLASS = np.full(256, _OTHER, np.uint8)
_CLASS[list(b"0123456789")] = _DIGIT
_CLASS[list(b"+-")] = _SIGN
_CLASS[list(b".")] = _DOT
_CLASS[list(b",")] = _COMMA
# Which class may follow which, with a comma before, between and behind the strings.
_MAY_FOLLOW = {_COMMA: (_DIGIT, _SIGN), _SIGN: (_DIGIT,), _DIGIT: (_DIGIT, _DOT, _COMMA), _DOT: (_DIGIT, _COMMA)}
_BAD_PAIR = np.array([b not in _MAY_FOLLOW.get(a, ()) for a in range(5) for b in range(5)])


def _read_plain(texts: list[bytes], dots: bool) -> tuple[Array, Array, Array]:
    """(the texts without their dot as int64, the number of digits behind the dot, whether the text was read).

    What is too large for int64 comes out as one of its two ends.
    """
    count = len(texts)
    nothing = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_)
    if count < _FEW:
        return nothing
    joined = b",%b," % b",".join(texts)
    codes = _CLASS.take(np.frombuffer(joined, np.uint8))
    marks = np.flatnonzero((codes == _COMMA) | (codes == _DOT))
    is_dot = codes.take(marks) == _DOT
    behind = np.flatnonzero(~is_dot)[1:]  # for each text the mark behind it: the one before is its dot if it has one
    if behind.size != count:
        return nothing  # a text with a comma in it spells no number: found when they are read alone
    wrong = np.flatnonzero(_BAD_PAIR.take(codes[:-1] * np.uint8(5) + codes[1:]))
    extra = marks[1:][is_dot[1:] & is_dot[:-1]] if dots else marks[is_dot]
    odd = np.unique(np.searchsorted(marks[behind], np.concatenate([wrong, extra]), side="right"))
    if odd.size > count // 4:
        return nothing
    if odd.size:
        return _read_the_others(texts, odd, dots)
    digits = np.where(is_dot[behind - 1], marks[behind] - marks[behind - 1] - 1, 0)
    whole = np.fromstring(joined[1:-1].replace(b".", b""), np.int64, sep=",")
    return whole, digits, np.ones(count, np.bool_)


def _read_the_others(texts: list[bytes], odd: Array, dots: bool) -> tuple[Array, Array, Array]:
    """The same for all but the texts at `odd`."""
    whole, digits, plain = (np.zeros(len(texts), dtype) for dtype in (np.int64, np.int64, np.bool_))
    kept = np.delete(np.arange(len(texts)), odd)
    whole[kept], digits[kept], plain[kept] = _read_plain([texts[i] for i in kept.tolist()], dots)
    return whole, digits, plain


# ---- one string ---------------------------------------------------------------------------------

_INT = re.compile(rb"\s*([+-]?)0*([0-9]+)\s*")  # in bytes, \s is the six ASCII blanks
_NAN = re.compile(rb"\s*[+-]?nan\([0-9a-z_]*\)\s*", re.IGNORECASE)
_HEX = re.compile(rb"\s*([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?[0-9]+))?\s*", re.IGNORECASE)


def _int_of(text: bytes) -> int:
    match = _INT.fullmatch(text)
    if match is None or len(match[2]) > 19:  # no int64 has more digits, and int() refuses thousands of them
        raise _refused(text)
    return int(match[1] + match[2])


def _floats_of(texts: list[bytes]) -> Array:
    """Each text as a float64: by `float` alone if it takes all of them: 227 ms for a million, not 403."""
    if b"_" not in b"".join(texts):
        try:
            return np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            pass
    return np.array([_float_of(t) for t in texts], np.float64)


def _float_of(text: bytes) -> float:
    try:
        if b"_" not in text:
            return float(text)
    except ValueError:
        pass
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
    """`string_tensor[1, 3]`: where the string that was refused stands first."""
    for i, text in enumerate(strings.reshape(-1).tolist()):
        if (text.encode() if isinstance(text, str) else text) == refused:
            where = ", ".join(map(str, np.unravel_index(i, strings.shape)))
            return f"string_tensor[{where}]" if where else ""
    return ""
