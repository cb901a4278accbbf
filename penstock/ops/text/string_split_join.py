"""Strings taken apart and put together: `string_split`, `string_join`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import LIMIT, known_value
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import STRING, Flag, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import int64, string
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape, scalar_shape, shape_of, unknown_rank
from ..declare.composite import composite
from ..declare.failure_rules import why_shapes_may_differ
from ..declare.reduction_decl import either
from ..declare.shape_checks import listed
from ..declare.string_arguments import Strings, Text, array_of

PUBLIC_NAMES = {"start": "string_join string_split", "strings": "join=string_join"}

_Lists: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, STRING, many=True, prefer=string)]


@op("StringJoin", graphdef="N=#inputs separator", out=string, host_only=True)
def string_join(inputs: _Lists, separator: Text = "", name: str | None = None) -> Tensor:
    """The strings at the same place of each tensor, joined: out[i] = inputs[0][i] + separator + inputs[1][i] + ...

    Args:
        inputs: a list of tensors of strings, all of one shape; a scalar is joined to each string of the others.
        separator: what stands between them, a Python string.

    Returns:
        A tensor of dtype string with the shape of the tensors that are no scalars.

    Raises:
        TypeError: a tensor is not string, or `separator` is no string.
        ValueError: known shapes differ.
        InvalidArgumentError (when run): shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.string_join([["a", "b"], "x"], separator="-")))
    [b'a-x' b'b-x']

    Source: TensorFlow 1.x, `tf.string_join`.
    """


@string_join.shape
def string_join_shape(inputs: Sequence[Tensor], separator: bytes) -> TensorShape:
    return _joined_shape(inputs)


def _joined_shape(inputs: Sequence[Tensor]) -> TensorShape:
    """The shape that all have which are no scalars."""
    merged: TensorShape | None = None
    for i, each in enumerate(inputs):
        if each.shape.ndims not in (None, 0):
            try:
                merged = each.shape if merged is None else merged.merge_with(each.shape)
            except ShapeError as error:
                raise error.with_operand(operand=i, cure="Only a scalar may have another shape.") from None
    if merged is not None:
        return merged
    open_ranks = [each for each in inputs if each.shape.ndims is None]
    return unknown_rank("the rank of an operand is not known", open_ranks[0]) if open_ranks else scalar_shape()


@string_join.kernel
def string_join_kernel(xp: Any, inputs: Sequence[Any], separator: bytes) -> Any:
    shapes = [each.shape for each in inputs if each.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            raise InvalidArgumentError(message=f"Input shapes do not match: {listed(shapes[0])} vs. {listed(shape)}")
    if not shapes:
        return array_of([separator.join([each.item() for each in inputs])], ())
    parts = [each.reshape(-1).tolist() if each.ndim else repeat(each.item()) for each in inputs]
    return array_of(list(map(separator.join, zip(*parts, strict=False))), shapes[0])  # a repeated scalar never ends


@string_join.distributes
@labelled
def string_join_distributes(inputs: Sequence[Tensor], separator: bytes) -> Axes | None:
    ranks = [each.shape.ndims for each in inputs]
    known = [rank for rank in ranks if rank is not None]
    return None if len(known) < len(ranks) else ([range(rank) for rank in known], [range(max(known))])


@string_join.fails
def string_join_fails(inputs: Sequence[Tensor], separator: bytes) -> str | None:
    several = [each for each in inputs if each.shape.ndims != 0]
    return why_shapes_may_differ(several) if several else None


@string_join.samples
def string_join_samples(rng: np.random.Generator) -> Samples:
    yield sample([np.array([b"a", b"b"], object), np.array([b"c", b""], object)], "-")
    yield sample([np.array(b"a", object), np.array([[b"b"], [b"c"]], object)])
    yield sample([np.array(b"a", object), np.array(b"b", object)], b"\xff")
    yield sample([np.array([], object)], "-")


@op("StringSplit", called="string_split", graphdef="skip_empty ->indices,values,shape", out=(int64, string, int64),
    host_only=True,
    ranks={"input": 1, "delimiter": 0})  # fmt: skip
def split_op(
    input: Strings, delimiter: Strings, skip_empty: Flag = True, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The indices, values and sizes of `string_split`."""


@split_op.shape
def split_op_shape(input: Tensor, delimiter: Tensor, skip_empty: bool) -> list[TensorShape]:
    count = _known_count(input, delimiter, skip_empty)
    return [shape_of((count, 2)), shape_of((count,)), shape_of((2,))]


def _known_count(input: Tensor, delimiter: Tensor, skip_empty: bool) -> Dim:
    """The number of parts, which of constants is worked out while building."""
    texts, delimiters = known_value(input), known_value(delimiter)
    if texts is None or delimiters is None or delimiters.ndim or sum(map(len, texts.flat)) > LIMIT:
        return unknown("how many parts there are is not known before the run", input)
    return sum(map(len, _parts_of(texts.reshape(-1).tolist(), delimiters.item(), skip_empty)))


@split_op.kernel
def split_op_kernel(xp: Any, input: Any, delimiter: Any, skip_empty: bool) -> Any:
    if input.ndim != 1:
        raise InvalidArgumentError(message=f"input must be a vector, got shape: {listed(input.shape)}")
    if delimiter.ndim:
        raise InvalidArgumentError(message=f"delimiter must be a scalar, got shape: {listed(delimiter.shape)}")
    return _split(input, delimiter.item(), skip_empty)


def _split(input: Array, delimiters: bytes, skip_empty: bool) -> tuple[Array, Array, Array]:
    """The indices, values and sizes of the parts."""
    parts: list[bytes] = []
    lengths = np.empty(len(input), np.int64)
    for i in range(0, len(input), _BLOCK):  # the lists of a block are dropped before the next ones are made
        rows = _parts_of(input[i : i + _BLOCK].tolist(), delimiters, skip_empty)
        lengths[i : i + _BLOCK] = [len(row) for row in rows]
        parts += chain.from_iterable(rows)
    indices = np.empty((len(parts), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(input)), lengths)
    indices[:, 1] = np.arange(len(parts)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return indices, array_of(parts, (len(parts),)), np.array([len(input), lengths.max(initial=0)], np.int64)


_BLOCK = 128  # strings: more lists at a time set off the garbage collector


def _parts_of(texts: list[bytes], delimiters: bytes, skip_empty: bool) -> list[list[bytes]]:
    """The parts of each text. Of an empty text there are none."""
    if not delimiters:
        return [[text[i : i + 1] for i in range(len(text))] for text in texts]
    one, others = delimiters[:1], delimiters[1:]
    if others:
        same = bytes.maketrans(others, one * len(others))
        texts = [text.translate(same) for text in texts]
    rows = [text.split(one) if text else [] for text in texts]
    return [[part for part in row if part] if b"" in row else row for row in rows] if skip_empty else rows


def _why_ranks_are_open(input: Tensor, delimiter: Tensor, skip_empty: bool) -> str | None:
    known = input.shape.ndims == 1 and delimiter.shape.ndims == 0
    return None if known else "whether input is a vector and delimiter a scalar is not known before the run"


split_op.fails(_why_ranks_are_open)


@split_op.samples
def split_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([b"a b", b"", b"c  d "], object), np.array(b" ", object))
    yield sample(np.array([b"a,b;c", b";"], object), np.array(b",;", object), False)
    yield sample(np.array([b"abc"], object), np.array(b"", object))
    yield sample(np.array([], object), np.array(b" ", object))


@composite("StringSplit")
def string_split(
    source: TensorLike,
    sep: TensorLike | None = None,
    skip_empty: bool = True,
    delimiter: TensorLike | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The parts of each string between delimiters: part j of string i stands at index [i, j].

    Args:
        source: a vector of strings.
        sep: a scalar string of which each byte is a delimiter; " " where it is left out. "" cuts a string into bytes.
        skip_empty: False keeps empty parts, but none of an empty string.
        delimiter: older name of `sep`.

    Returns:
        A `SparseTensor` of dtype string; its shape is the number of strings and the greatest number of parts.

    Raises:
        TypeError: `source` or `sep` is not string, or `skip_empty` is not a bool.
        ValueError: `source` is not a vector, `sep` is not a scalar, or both names of one argument are given.
        InvalidArgumentError (when run): `source` is not a vector, or `sep` is not a scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     parts = session.run(tf.string_split(["hello world", "a b  c"]))
    ...     print(parts.values, parts.indices.tolist(), parts.dense_shape)
    [b'hello' b'world' b'a' b'b' b'c'] [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]] [2 3]

    Source: TensorFlow 1.x, `tf.string_split`.
    """
    sep = either("sep", sep, "delimiter", delimiter)
    return SparseTensor(*split_op(source, " " if sep is None else sep, skip_empty))
