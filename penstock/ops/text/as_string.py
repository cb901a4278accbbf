"""as_string: numbers written as text, in the forms of C's printf."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import ValueRuleError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.batched import by_elements_of_first
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Attr, Flag, Operand, TensorLike, as_int
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import string
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import never
from ..declare.string_arguments import Text, array_of

PUBLIC_NAMES = {"start strings": "as_string"}

_Any: TypeAlias = Annotated[TensorLike, Operand("T", ANY)]


def _digits(value: Any) -> int:
    number = as_int(value)
    if number > _MOST:
        raise ValueRuleError(f"must be at most {_MOST}, not {number}")
    return number


_MOST = 1 << 16
_Digits: TypeAlias = Annotated[int, Attr(_digits)]


@op("AsString", graphdef="T=input precision scientific shortest width fill", out=string, host_only=True,
    distributes=same_axes, fails=never)  # fmt: skip
def as_string(
    input: _Any,
    precision: _Digits = -1,
    scientific: Flag = False,
    shortest: Flag = False,
    width: _Digits = -1,
    fill: Text = "",
    name: str | None = None,
) -> Tensor:
    """The elements of `input` written as text: 1.5 as "1.500000", -2 as "-2", True as "true".

    Args:
        input: any dtype. A complex number is written as "(1.000000,2.000000)"; of a string only the width changes.
        precision: of floats, the digits after the point, or with `shortest` all that count; -1 (the default) means 6.
        scientific: of floats, True writes 1.5 as "1.500000e+00".
        shortest: of floats, True writes 1.5 as "1.5" and 1e10 as "1e+10".
        width: the least number of characters, which a bool does not have; -1 (the default) means no such number.
        fill: what stands in front of shorter numbers: "" (the default) or " " blanks, "0" zeros, "+" blanks and a sign
            before positive numbers, "-" nothing: the blanks follow.

    Returns:
        A tensor with the shape of `input` and dtype string.

    Raises:
        TypeError: `precision` or `width` is not an int, or `fill` is no string.
        ValueError: `precision`, `scientific` or `shortest` is given for numbers that are not floats, both `scientific`
            and `shortest` are given, `fill` is another string, or a number is above 65,536.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.as_string([3, -2])))
    ...     print(session.run(tf.as_string([3.14159, 0.5], precision=2, width=6, fill="0")))
    [b'3' b'-2']
    [b'003.14' b'000.50']

    Source: TensorFlow 1.x, `tf.as_string`.
    """


@as_string.shape
def as_string_shape(
    input: Tensor, precision: int, scientific: bool, shortest: bool, width: int, fill: bytes
) -> TensorShape:
    if len(fill) > 1:
        raise ValueRuleError("Fill string must be one or fewer characters")
    if fill not in b" +-0":
        raise ValueRuleError(f'Fill argument not supported: "{fill.decode("utf-8", "backslashreplace")}"')
    if scientific and shortest:
        raise ValueRuleError("Cannot select both scientific and shortest notation")
    if not (input.dtype.is_floating or input.dtype.is_complex or input.dtype.is_string):
        if scientific or shortest:
            raise ValueRuleError(f"scientific and shortest format not supported for datatype {input.dtype}")
        if precision > -1:
            raise ValueRuleError(f"precision not supported for datatype {input.dtype}")
    return input.shape


@as_string.kernel
def as_string_kernel(
    xp: Any, input: Any, precision: int, scientific: bool, shortest: bool, width: int, fill: bytes
) -> Any:
    flat, kind = input.reshape(-1), input.dtype.kind
    if kind == "O":
        return array_of(_padded(flat.tolist(), width, fill), input.shape)
    if kind == "b":
        return array_of([b"true" if value else b"false" for value in flat.tolist()], input.shape)
    size = b"%d" % width if width > -1 else b""
    if kind in "iu":
        flag = b"" if kind == "u" and fill in b" +" else fill
        return array_of(_printed(b"%" + flag + size + b"d", flat.tolist()), input.shape)
    digits = b".%d" % precision if precision > -1 else b""
    form = size + digits + (b"e" if scientific else b"g" if shortest else b"f")
    if kind == "c":
        parts = [_floats(part.astype(np.float64), fill, form) for part in (flat.real, flat.imag)]
        return array_of([b"(%b,%b)" % pair for pair in zip(*parts, strict=True)], input.shape)
    return array_of(_floats(flat.astype(np.float64), fill, form), input.shape)


as_string.batched(by_elements_of_first)


def _floats(values: Any, fill: bytes, form: bytes) -> list[bytes]:
    texts = _printed(b"%" + fill + form, values.tolist())
    if fill == b"0":  # C puts no zeros before inf and nan, Python does
        for i in np.flatnonzero(~np.isfinite(values)).tolist():
            texts[i] = (b"%" + form) % values[i]
    return texts


def _printed(form: bytes, values: list[Any]) -> list[bytes]:
    """Each value in the form, many in one call: a million ints take 66 ms, 110 one by one."""
    texts: list[bytes] = []
    for i in range(0, len(values), _BLOCK):
        block = tuple(values[i : i + _BLOCK])
        texts += (((form + b"\n") * len(block)) % block).split(b"\n")[:-1]
    return texts


_BLOCK = 4096


def _padded(texts: list[bytes], width: int, fill: bytes) -> list[bytes]:
    if width <= 0:
        return texts
    return [text.ljust(width) if fill == b"-" else text.rjust(width) for text in texts]


@as_string.samples
def as_string_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[1.5, -0.0], [np.nan, -np.inf]], "f4"), width=9, fill="0")
    yield sample(np.array([3, -70], "i1"), fill="+")
    yield sample(np.array([1.5 - 2j], "c8"), precision=1)
    yield sample(np.array([b"a", b""], object), width=3)
    yield sample(np.zeros((0, 2), bool))
