"""Parts of strings, and strings joined: substr, regex_replace, regex_full_match, reduce_join."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Flag, IntsOrNone, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bool_, int32, string
from ...graph.shapes.shape import TensorShape, broadcast, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.plain_values import flag, ints
from ..declare.reduction_decl import either
from ..declare.shape_checks import at_run, listed
from ..declare.string_arguments import Strings, Text
from .string_functions import Unit, each_string, samples_of_strings

PUBLIC_NAMES = {"tf strings": "reduce_join regex_replace substr", "strings": "regex_full_match"}


@op("RegexReplace", out=string, host_only=True)
def regex_replace(
    input: Strings, pattern: Text, rewrite: Text, replace_global: Flag = True, name: str | None = None
) -> Tensor:
    """The strings with the parts that match a regular expression replaced.

    Args:
        input: strings, any shape.
        pattern: a regular expression that means the same in Python and in RE2, a Python string.
        rewrite: what takes the place of a match, a Python string; \\0 to \\9 stand for the match and its groups.
        replace_global: False replaces the first match only.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `input` is not string, or `pattern` or `rewrite` is no string.
        ValueError: `pattern` is no regular expression.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.regex_replace(["a1b22"], "[0-9]+", "-")))
    [b'a-b-']

    Source: TensorFlow 1.x, `tf.regex_replace`.
    """


_MARK = re.compile(rb"\\(.)")


@functools.lru_cache(64)
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)


def _checked_pattern(pattern: bytes) -> None:
    try:
        _compiled(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueRuleError(
            f"pattern {pattern.decode(errors='replace')!r} is no regular expression: {error}"
        ) from None


@regex_replace.shape
def regex_replace_op_shape(input: Tensor, pattern: bytes, rewrite: bytes, replace_global: bool) -> TensorShape:
    _checked_pattern(pattern)
    for mark in _MARK.findall(rewrite):
        if not mark.isdigit() and mark != b"\\":
            raise ValueRuleError("rewrite: behind a backslash there must be a digit or a backslash")
        if mark.isdigit() and int(mark) > _compiled(pattern).groups:
            raise ValueRuleError(f"rewrite names group {int(mark)}, but pattern has {_compiled(pattern).groups}")
    return input.shape


@regex_replace.kernel
def regex_replace_op_kernel(xp: Any, input: Any, pattern: bytes, rewrite: bytes, replace_global: bool) -> Any:
    def replacement(match: re.Match[bytes]) -> bytes:
        def part(mark: re.Match[bytes]) -> bytes:
            return match[int(mark[1])] or b"" if mark[1].isdigit() else mark[1]

        return _MARK.sub(part, rewrite)

    compiled = _compiled(pattern)
    if replace_global:
        return each_string(lambda s: _all_replaced(compiled, replacement, s), input)
    return each_string(lambda s: compiled.sub(replacement, s, 1), input)


_CHARACTER = re.compile(rb"(?s).[\x80-\xbf]*")
"""A byte and the bytes behind it that only continue a character of UTF-8."""


def _all_replaced(pattern: re.Pattern[bytes], replacement: Callable[[re.Match[bytes]], bytes], text: bytes) -> bytes:
    """Every match replaced as by RE2: unlike in Python, none is empty right behind another or within a character."""
    parts: list[bytes] = []
    place, last = 0, -1
    while place <= len(text) and (match := pattern.search(text, place)):
        parts.append(text[place : match.start()])
        place = match.start()
        if match.end() > place or place != last:
            parts.append(replacement(match))
            place = last = match.end()
            continue
        character = _CHARACTER.match(text, place)
        if character is None:
            break
        parts.append(character[0])
        place = character.end()
    parts.append(text[place:])
    return b"".join(parts)


@op("RegexFullMatch", out=bool_, host_only=True)
def regex_full_match(input: Strings, pattern: Text, name: str | None = None) -> Tensor:
    """Whether a regular expression matches each string as a whole.

    Args:
        input: strings, any shape.
        pattern: a regular expression that means the same in Python and in RE2, a Python string.

    Returns:
        A tensor of dtype bool with the shape of `input`.

    Raises:
        TypeError: `input` is not string, or `pattern` is no string.
        ValueError: `pattern` is no regular expression.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.strings.regex_full_match(["a1", "1a1"], "[a-z][0-9]")))
    [ True False]

    Source: TensorFlow 1.x, `tf.strings.regex_full_match`.
    """


@regex_full_match.shape
def regex_full_match_shape(input: Tensor, pattern: bytes) -> TensorShape:
    _checked_pattern(pattern)
    return input.shape


@regex_full_match.kernel
def regex_full_match_kernel(xp: Any, input: Any, pattern: bytes) -> Any:
    found = _compiled(pattern)
    return each_string(lambda s: found.fullmatch(s) is not None, input, np.bool_)


# ---- substr -------------------------------------------------------------------------------------

_Position = Annotated[TensorLike, Operand("T", INT32_64, prefer=int32)]


@op("Substr", graphdef="T=pos unit", out=string, host_only=True,
    fails="whether the places are inside of the strings is not known before the run")  # fmt: skip
def substr(input: Strings, pos: _Position, len: _Position, name: str | None = None, unit: Unit = "BYTE") -> Tensor:
    """The parts of strings that begin at `pos` and have `len` bytes or characters.

    Args:
        input: strings, any shape.
        pos: int32 or int64 that broadcasts with `input`: the first place; a negative one counts from the end.
        len: the dtype and shape of `pos`: how many.
        unit: "BYTE" counts bytes, "UTF8_CHAR" characters.

    Returns:
        A tensor of dtype string with the broadcast shape.

    Raises:
        TypeError: `input` is not string, or `pos` is not int.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same, or a place is beyond the end of a string.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.substr(["Hello", "World"], 1, 3)))
    [b'ell' b'orl']

    Source: TensorFlow 1.x, `tf.substr`.
    """


@substr.shape
def substr_op_shape(input: Tensor, pos: Tensor, len: Tensor, unit: str) -> TensorShape:
    return broadcast(input.shape, broadcast(pos.shape, len.shape, len), pos)


@substr.kernel
def substr_op_kernel(xp: Any, input: Any, pos: Any, length: Any, unit: str) -> Any:
    try:
        texts, starts, counts = np.broadcast_arrays(input, pos, length)
    except ValueError:
        raise InvalidArgumentError(message=f"Shapes of input, pos and len do not broadcast: {listed(input.shape)}, "
                                           f"{listed(pos.shape)} and {listed(length.shape)}") from None  # fmt: skip
    out = np.empty(texts.shape, object)
    flat = out.reshape(-1)
    rows = zip(texts.reshape(-1).tolist(), starts.reshape(-1).tolist(), counts.reshape(-1).tolist(), strict=True)
    for i, (text, start, count) in enumerate(rows):
        whole: Any = text if unit == "BYTE" else _CHARACTER.findall(text)
        if not -len(whole) <= start <= len(whole):
            raise InvalidArgumentError(message=f"pos {start} out of range for string {text!r} at index {i}")
        first = start if start >= 0 else len(whole) + start
        part = whole[first : first + max(count, 0)]
        flat[i] = part if unit == "BYTE" else b"".join(part)
    return out


@substr.samples
def substr_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([b"hello", b"world"], object), np.array(1, "i4"), np.array(3, "i4"))
    yield sample(np.array(["Äx".encode()], object), np.array([-1]), np.array([1]), unit="UTF8_CHAR")
    yield sample(np.zeros((0,), object), np.array(0, "i4"), np.array(1, "i4"))


# ---- reduce_join --------------------------------------------------------------------------------


@reported_as_call("ReduceJoin", one_op=True)
def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The strings along some axes joined to one.

    Args:
        inputs: strings, any shape.
        axis: an axis or a list of them, Python ints, in whose order the strings are joined; all by default, the last
            one first.
        keep_dims: whether these axes stay, with size 1.
        separator: what stands between two strings, a Python string.
        reduction_indices, keepdims: other names of `axis` and `keep_dims`.

    Returns:
        A tensor of dtype string, and the shape without the axes.

    Raises:
        TypeError: `inputs` is not string, or an axis is not int.
        ValueError: an axis is out of range or given twice.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator="-")))
    [b'a-b' b'c-d']

    Source: TensorFlow 1.x, `tf.reduce_join`.
    """
    along = either("axis", axis, "reduction_indices", reduction_indices)
    along = None if along is None else ints("axis", along)
    keep = either("keepdims", keepdims, "keep_dims", keep_dims)
    keep = False if keep is None else flag("keep_dims", keep)
    return reduce_join_op(inputs, along, keep, separator, name)


@op("ReduceJoin", out=string, host_only=True)
def reduce_join_op(
    inputs: Strings, axes: IntsOrNone = None, keep_dims: Flag = False, separator: Text = "", name: str | None = None
) -> Tensor:
    """The op behind `reduce_join`."""


def _axes(rank: int, axes: Any, error: Callable[[str], Exception]) -> list[int]:
    if axes is None:
        return [*range(rank)][::-1]
    for axis in axes:
        if not -rank <= axis < rank:
            raise error(f"Invalid reduction dimension {axis} for input with {rank} dimension(s)")
    places = [axis % rank for axis in axes]
    if len(set(places)) < len(places):
        raise error(f"Duplicate reduction dimension in {list(axes)}")
    return places


@reduce_join_op.shape
def reduce_join_op_shape(inputs: Tensor, axes: Any, keep_dims: bool, separator: bytes) -> TensorShape:
    dims = inputs.shape.raw
    if dims is None:
        return unknown_rank("the rank of inputs is not known", inputs)
    places = _axes(len(dims), axes, ShapeError)
    if keep_dims:
        return shape_of(1 if d in places else dim for d, dim in enumerate(dims))
    return shape_of(dim for d, dim in enumerate(dims) if d not in places)


@reduce_join_op.kernel
def reduce_join_op_kernel(xp: Any, inputs: Any, axes: Any, keep_dims: bool, separator: bytes) -> Any:
    places = _axes(inputs.ndim, axes, at_run)
    free = [d for d in range(inputs.ndim) if d not in places]
    turned = inputs.transpose([*free, *reversed(places)])  # the first one is joined first
    shape = turned.shape[: len(free)]
    out = np.empty(shape, object)
    count = int(np.prod(turned.shape[len(free) :], dtype=np.int64))
    for i, row in enumerate(turned.reshape(out.size, count)):
        out.reshape(-1)[i] = separator.join(row.tolist())
    kept = [1 if d in places else n for d, n in enumerate(inputs.shape)] if keep_dims else shape
    return out.reshape(kept)


@reduce_join_op.fails
def reduce_join_op_fails(inputs: Tensor, axes: Any, keep_dims: bool, separator: bytes) -> str | None:
    return None if axes is None or inputs.shape.ndims is not None else "whether the axes exist is not known"


@reduce_join_op.samples
def reduce_join_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([[b"a", b"b"], [b"c", b"d"]], object), (1, 0), False, "-")
    yield sample(np.array([[b"a", b"b"], [b"c", b"d"]], object), None, True, "")
    yield sample(np.zeros((0, 2), object), (0,), False, "")


regex_replace.samples(samples_of_strings("([a-z])", "<\\1>"))
for _each in (regex_replace, regex_full_match):
    _each.distributes(same_axes)
regex_full_match.samples(samples_of_strings("[a-z]+"))
