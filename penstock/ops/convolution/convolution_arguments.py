"""Arguments of the functions of convolutions, in the forms that TensorFlow takes, as the attributes of the ops.

Strides and dilations are an int, one for each spatial dimension, or one for each dimension; a padding is a word, or a
list of [before, after] for each dimension; a filter is called `filter` or `filters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...errors import ValueRuleError
from ...graph.signature import as_ints
from ..reduction_decl import either
from .convolution_geometry import is_channels_first

Ints: TypeAlias = int | Sequence[int]
PaddingLike: TypeAlias = str | Sequence[Sequence[int]]

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
"""By number of spatial dimensions: the layout with channels last, and that with channels first."""


def given(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The argument that has two names; ValueRuleError where neither or both are there."""
    value = either(new_name, new, old_name, old)
    if value is None:
        raise ValueRuleError(f"the argument {new_name!r} is missing")
    return value


def layout(data_format: str | None, count: int) -> str:
    """The layout of arrays with `count` spatial dimensions; None means channels last.

    Raises:
        ValueRuleError: it is no such layout.
    """
    last, first = FORMATS[count]
    if data_format in (None, "", last):
        return last
    if data_format != first:
        raise ValueRuleError(f"data_format must be {last!r} or {first!r}, but is {data_format!r}")
    return first


def steps_argument(value: Ints | None, data_format: str, name: str) -> tuple[int, ...]:
    """Strides or dilations with an entry for each dimension; None means 1.

    Raises:
        ValueRuleError: the number of entries does not fit. DTypeError: they are not ints.
    """
    count = len(data_format) - 2
    entries = as_ints(1 if value is None else value)
    if len(entries) == count + 2:
        return entries
    if len(entries) == 1:
        entries = entries * count
    elif len(entries) != count:
        lengths = f"1, {count} or {count + 2}" if count > 1 else f"1 or {count + 2}"
        raise ValueRuleError(f"{name} should be of length {lengths}. Received: {name}={list(entries)} of length "
                             f"{len(entries)}")  # fmt: skip
    return (1, 1, *entries) if is_channels_first(data_format) else (1, *entries, 1)


def paddings_argument(padding: Any, rank: int) -> tuple[Any, tuple[int, ...]]:
    """The padding as a word and as explicit pairs, [before, after] of each dimension one after another.

    Raises:
        ValueRuleError: a list has another length, or its entries are not pairs.
    """
    if padding is None:
        raise ValueRuleError("the argument 'padding' is missing: write padding='SAME' or padding='VALID'")
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueRuleError("'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
                                 "must be a list")  # fmt: skip
        return padding, ()
    if not isinstance(padding, (list, tuple, np.ndarray)):
        return padding, ()  # the op says what it takes
    if len(padding) != rank:
        raise ValueRuleError(f"When padding is a list, it must be of size {rank}. Received: padding={padding} of size "
                             f"{len(padding)}")  # fmt: skip
    pairs: list[int] = []
    for i, pair in enumerate(padding):
        entries = as_ints(pair)
        if len(entries) != 2:
            raise ValueRuleError(f"When padding is a list, each element must be a list of size 2. Received: padding="
                                 f"{padding} with element at index {i} of size {len(entries)}")  # fmt: skip
        pairs += entries
    return "EXPLICIT", tuple(pairs)


def only_words(padding: Any) -> Any:
    """A padding of functions that take no list."""
    word, pairs = paddings_argument(padding, len(padding) if isinstance(padding, (list, tuple, np.ndarray)) else 0)
    if pairs or word == "EXPLICIT":
        raise ValueRuleError(f"padding must be 'SAME' or 'VALID', but is {padding!r}")
    return word


def spatial(entries: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The entries of the spatial dimensions."""
    return tuple(entries[2:] if is_channels_first(data_format) else entries[1:-1])
