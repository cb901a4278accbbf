"""decode_csv: lines of comma-separated values as columns.

Lines without quotes inside fields are cut many at a time. Where anything is wrong, the lines are read once more one by
one, which finds the first field at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Annotated, Any, NoReturn, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.batched import by_elements_of_first
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import STRING, Attr, Flag, Operand, TensorLike, as_ints, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, float32, float64, int32, int64
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape
from ..declare.string_arguments import Strings, Text, array_of, as_bytes
from .string_to_number import numbers_of

PUBLIC_NAMES = {"start_0x io": "decode_csv"}


def _columns(value: Any) -> tuple[int, ...]:
    columns = () if value is None else as_ints(value)
    if any(column < 0 for column in columns):
        raise ValueRuleError("contains negative values.")
    if any(b <= a for a, b in pairwise(columns)):
        raise ValueRuleError("is not strictly increasing.")
    return columns


def _delimiter(value: Any) -> bytes:
    delimiter = as_bytes(value)
    if len(delimiter) != 1:
        raise ValueRuleError("should be only 1 char")
    return delimiter


_VALUES = bits_of(float32, float64, int32, int64) | STRING
_Defaults: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, _VALUES, many=True, prefer=float32)]
_Delimiter: TypeAlias = Annotated[str | bytes, Attr(_delimiter)]
_Columns: TypeAlias = Annotated[Sequence[int] | None, Attr(_columns)]


@op("DecodeCSV", out=lambda records, record_defaults, *_: tuple(t.dtype for t in record_defaults), host_only=True)
def decode_csv(
    records: Strings,
    record_defaults: _Defaults,
    field_delim: _Delimiter = ",",
    use_quote_delim: Flag = True,
    na_value: Text = "",
    select_cols: _Columns = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values (RFC 4180).

    Args:
        records: strings of any shape, each of them one line, without the end of the line.
        record_defaults: for each column the value of empty fields, which also states the dtype: a float32, float64,
            int32, int64 or string tensor. It is a scalar or a vector of one value; an empty vector means that the
            field must not be empty.
        field_delim: the character between fields.
        use_quote_delim: True (the default) reads "..." as one field, with "" for a quote in it; False takes quotes as
            any other characters.
        na_value: a further string that means an empty field.
        select_cols: the columns to return, in increasing order; None (the default) means all.

    Returns:
        A list with a tensor for each column, with the shape of `records` and the dtype of its default.

    Raises:
        TypeError: a dtype is another one.
        ValueError: there are no defaults, one has more than one value, `field_delim` is not one character, or
            `select_cols` does not increase or has another length than `record_defaults`.
        InvalidArgumentError (when run): a line has another number of fields, a field is not a number or is missing,
            a quote stands inside a field, or a default has more than one value.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.decode_csv(['1,"a, b"', ",c"], [[-1], [""]])))
    [array([ 1, -1], dtype=int32), array([b'a, b', b'c'], dtype=object)]

    Source: TensorFlow 1.x, `tf.decode_csv`.
    """


@decode_csv.shape
def decode_csv_shape(records: Tensor, record_defaults: Sequence[Tensor], *rest: Any) -> list[TensorShape]:
    if not record_defaults:
        raise ValueRuleError("record_defaults is empty; it needs a default for each column")
    if rest[-1] and len(rest[-1]) != len(record_defaults):
        raise ValueRuleError("Length of select_cols and record_defaults do not match.")
    for i, default in enumerate(record_defaults, start=1):
        dims = default.shape.raw or ()
        if len(dims) > 1:
            raise ShapeError(f"Shape must be at most rank 1 but is rank {len(dims)}", operand=i)
        if dims and isinstance(dims[0], int) and dims[0] > 1:
            raise ShapeError("Shape of a default must be a length-0 or length-1 vector, or a scalar.", operand=i)
    return [records.shape] * len(record_defaults)


@decode_csv.kernel
def decode_csv_kernel(
    xp: Any, records: Any, defaults: Sequence[Any], delimiter: bytes, quotes: bool, na: bytes, chosen: tuple[int, ...]
) -> Any:
    for i, default in enumerate(defaults):
        if default.size > 1:
            raise InvalidArgumentError(
                message=f"There should only be 1 default per field but field {i} has {default.size}"
            )
    lines = records.reshape(-1).tolist()
    columns = _cut(lines, len(defaults), delimiter, quotes, chosen)
    try:
        if columns is not None:
            pairs = zip(columns, defaults, strict=True)
            made = [_values(column, default, na) for column, default in pairs]
            return made if records.ndim == 1 else [each.reshape(records.shape) for each in made]
    except InvalidArgumentError:
        pass  # told below, with its place
    _raise_first(lines, defaults, na, lambda line: fields_of(line, delimiter, quotes, chosen))


decode_csv.batched(by_elements_of_first)


@decode_csv.distributes
@labelled
def decode_csv_distributes(records: Tensor, record_defaults: tuple[Tensor, ...], *_: Any) -> Axes | None:
    rank = records.shape.ndims
    return None if rank is None else ([range(rank)], [range(rank)] * len(record_defaults))


@decode_csv.samples
def decode_csv_samples(rng: np.random.Generator) -> Samples:
    lines = np.array([b'1,"a,""b""",2.5', b",c,"], object)
    defaults = [np.array([7], "i4"), np.array([b"x"], object), np.array(0.5, "f4")]
    yield sample(lines, defaults)
    yield sample(np.array([[b"1;NA;5"]], object), [np.array([], "i8"), np.array(2.0)], ";", False, "NA", [0, 1])
    yield sample(np.array(b"a,b", object), [np.array([b""], object)] * 2)
    yield sample(np.array([], object), defaults)


# ---- many lines ---------------------------------------------------------------------------------

_BLOCK = 4096


def _cut(
    lines: list[bytes], count: int, delimiter: bytes, quotes: bool, chosen: tuple[int, ...]
) -> list[list[bytes]] | None:
    """The fields of each column; None where a line is wrong."""
    columns: list[list[bytes]] = [[] for _ in range(count)]
    for i in range(0, len(lines), _BLOCK):
        block = lines[i : i + _BLOCK]
        found = _cut_plain(block, count, delimiter, quotes, chosen)
        if found is None:
            try:
                rows = [fields_of(line, delimiter, quotes, chosen) for line in block]
            except InvalidArgumentError:
                return None
            if any(len(row) != count for row in rows):
                return None
            found = [list(column) for column in zip(*rows, strict=True)]
        for column, fields in zip(columns, found, strict=True):
            column += fields
    return columns


def _cut_plain(
    block: list[bytes], count: int, delimiter: bytes, quotes: bool, chosen: tuple[int, ...]
) -> list[list[bytes]] | None:
    """The columns of lines that have equally many fields and quotes only around them; None for others."""
    every = block[0].count(delimiter) + 1 if chosen else count
    if delimiter in b'"\r\n' or b"" in block or (chosen and chosen[-1] >= every):
        return None
    # A field of "\n" between lines shows that each line has as many fields as the others.
    whole = (delimiter + b"\n" + delimiter).join(block)
    is_quoted = quotes and b'"' in whole
    joined = _without_quotes(whole, delimiter) if is_quoted else whole
    if joined is None or b"\r" in joined or joined.count(b"\n") != len(block) - 1:
        return None
    fields = joined.split(delimiter)
    stride = every + 1
    if len(fields) != len(block) * stride - 1 or fields[every::stride].count(b"\n") != len(block) - 1:
        return None
    found = [fields[k::stride] for k in (chosen or range(every))]
    if is_quoted and _INSIDE in joined:
        return [[field.replace(_INSIDE, delimiter) for field in column] for column in found]
    return found


_INSIDE = b"\0"
"""What stands for a delimiter inside quotes."""


def _without_quotes(joined: bytes, delimiter: bytes) -> bytes | None:
    """Lines without the quotes around fields; None where quotes are not all around whole fields, or stand in one."""
    pieces = joined.split(b'"')  # those of odd number were inside quotes
    around = pieces[2:-1:2]
    if (
        b'""' in joined
        or _INSIDE in joined
        or len(pieces) % 2 == 0
        or not (pieces[0] or delimiter).endswith(delimiter)
        or not (pieces[-1] or delimiter).startswith(delimiter)
        or any(piece[:1] != delimiter or piece[-1:] != delimiter for piece in around)
    ):
        return None
    pieces[1::2] = [piece.replace(delimiter, _INSIDE) for piece in pieces[1::2]]
    return b"".join(pieces)


def _values(fields: list[bytes], default: Any, na: bytes) -> Array:
    """A column as an array; InvalidArgumentError where a field is no number, or missing without a default."""
    is_text = default.dtype.kind == "O"
    if b"" not in fields and na not in fields:
        return array_of(fields, (len(fields),)) if is_text else _numbers(fields, default.dtype)
    if not default.size:
        raise InvalidArgumentError(message="a field is missing")
    if is_text:
        value = default.reshape(-1)[0]
        return array_of([value if field in (b"", na) else field for field in fields], (len(fields),))
    numbers = _numbers([b"0" if field in (b"", na) else field for field in fields], default.dtype)
    numbers[[field in (b"", na) for field in fields]] = default.reshape(-1)[0]
    return numbers


_DTYPES: dict[Any, DType] = {dtype.np: dtype for dtype in (float32, float64, int32, int64)}
_WORDS = {float32: "float", float64: "double", int32: "int32", int64: "int64"}


def _numbers(fields: list[bytes], dtype: Any) -> Array:
    if len(fields) <= _BLOCK:
        return numbers_of(array_of(fields, (-1,)), _DTYPES[dtype])
    parts = [numbers_of(array_of(fields[i : i + _BLOCK], (-1,)), _DTYPES[dtype]) for i in range(0, len(fields), _BLOCK)]
    return np.concatenate(parts)


# ---- one line -----------------------------------------------------------------------------------


def fields_of(line: bytes, delimiter: bytes, quotes: bool, chosen: tuple[int, ...]) -> list[bytes]:
    """The fields of a line, of chosen columns only those; what follows the last of these is not looked at.

    Raises:
        InvalidArgumentError: quotes or ends of lines stand where they must not.
    """
    fields: list[bytes] = []
    at, most = 0, chosen[-1] + 1 if chosen else -1
    while at < len(line) and len(fields) != most:
        if line[at] in b"\r\n":
            at += 1
            continue
        if quotes and line[at] == _QUOTE:
            field, at = _quoted(line, at + 1, delimiter)
        else:
            end = line.find(delimiter, at)
            field = line[at : end if end >= 0 else len(line)]
            if (quotes and b'"' in field) or b"\n" in field or b"\r" in field:
                raise InvalidArgumentError(message="Unquoted fields cannot have quotes/CRLFs inside")
            at += len(field) + 1
        fields.append(field)
    if line.endswith(delimiter) and len(fields) != most:
        fields.append(b"")
    return [fields[column] for column in chosen if column < len(fields)] if chosen else fields


_QUOTE = ord('"')


def _quoted(line: bytes, at: int, delimiter: bytes) -> tuple[bytes, int]:
    """The field whose quote stands before `at`, and where the next field begins."""
    parts: list[bytes] = []
    while True:
        end = line.find(b'"', at)
        if end < 0:
            raise InvalidArgumentError(message="Quoted field has to end with quote followed by delim or end")
        parts.append(line[at:end])
        after = line[end + 1 : end + 2]
        if after in (b"", delimiter):
            return b'"'.join(parts), end + 2
        if after != b'"':
            raise InvalidArgumentError(message="Quote inside a string has to be escaped by another quote")
        at = end + 2


def _raise_first(
    lines: list[bytes], defaults: Sequence[Any], na: bytes, fields_in: Callable[[bytes], list[bytes]]
) -> NoReturn:
    """Raises the error of the first field that is wrong."""
    for i, line in enumerate(lines):
        fields = fields_in(line)
        if len(fields) != len(defaults):
            text = line.decode("utf-8", "backslashreplace")
            raise InvalidArgumentError(message=f"Expect {len(defaults)} fields but have {len(fields)} in record {i}: "
                                               f"{text if len(text) <= 80 else text[:79] + '…'!r}")  # fmt: skip
        for f, (field, default) in enumerate(zip(fields, defaults, strict=True)):
            if not default.size and field in (b"", na):
                raise InvalidArgumentError(message=f"Field {f} is required but missing in record {i}!")
            try:
                _values([field], default, na)
            except InvalidArgumentError:
                word, shown = _WORDS[_DTYPES[default.dtype]], field.decode("utf-8", "backslashreplace")
                raise InvalidArgumentError(message=f"Field {f} in record {i} is not a valid {word}: {shown}") from None
    raise AssertionError("every line can be read")


decode_csv.no_gradient("it reads text")
