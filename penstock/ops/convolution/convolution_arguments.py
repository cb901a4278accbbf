"""Arguments of the functions of convolutions, in the forms that TensorFlow takes, as the attributes of the ops.

Strides and dilations are an int, one for each spatial dimension, or one for each dimension; a padding is a word, or a
list of [before, after] for each dimension; a filter is called `filter` or `filters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...errors import DTypeError, ValueRuleError
from ...graph.declare.signature import as_ints
from ..declare.reduction_decl import either
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
        word = {"channels_last": last, "channels_first": first}.get(str(data_format))
        cure = f"Write {word!r}; the layers of tf.layers take {data_format!r}." if word else None
        raise ValueRuleError(f"data_format must be {last!r} or {first!r}, but is {data_format!r}", cure=cure)
    return first


def steps_argument(value: Ints | None, data_format: str, name: str) -> tuple[int, ...]:
    """Strides or dilations with an entry for each dimension; None means 1.

    Raises:
        ValueRuleError: the number of entries does not fit. DTypeError: they are not ints.
    """
    count = len(data_format) - 2
    try:
        entries = as_ints(1 if value is None else value)
    except DTypeError as error:
        raise DTypeError(f"{name} {error.message}") from None
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
        ValueRuleError: it is another word, a list has another length, or its entries are not pairs.
        DTypeError: it is neither a string nor a list.
    """
    if padding is None:
        raise ValueRuleError("the argument 'padding' is missing: write padding='SAME' or padding='VALID'")
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueRuleError("'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
                                 "must be a list")  # fmt: skip
        if padding not in ("SAME", "VALID"):
            hint = f"; write {padding.upper()!r}" if padding.upper() in ("SAME", "VALID") else ""
            raise ValueRuleError(f"padding must be 'SAME' or 'VALID', not {padding!r}{hint}")
        return padding, ()
    if not isinstance(padding, (list, tuple, np.ndarray)):
        raise DTypeError("padding must be 'SAME', 'VALID' or a list of [before, after] for each dimension, not "
                         f"{padding!r}")  # fmt: skip
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


def attributes_of_images(
    strides: Ints | None, padding: Any, data_format: str | None, dilations: Ints | None
) -> tuple[tuple[int, ...], Any, tuple[int, ...], str, tuple[int, ...]]:
    """The attributes of a convolution of images in their order: strides, padding, explicit pairs, layout, dilations."""
    form = layout(data_format, 2)
    word, pairs = paddings_argument(padding, 4)
    return steps_argument(strides, form, "strides"), word, pairs, form, steps_argument(dilations, form, "dilations")


def attributes_of_volumes(
    strides: Ints | None, padding: Any, data_format: str | None, dilations: Ints | None
) -> tuple[tuple[int, ...], Any, str, tuple[int, ...]]:
    """The same of volumes, which take no explicit pairs."""
    form = layout(data_format, 3)
    word = paddings_argument(padding, 5)[0]
    return steps_argument(strides, form, "strides"), word, form, steps_argument(dilations, form, "dilations")


def attributes_of_windows(
    ksize: Ints | None, strides: Ints | None, padding: Any, data_format: str | None, count: int
) -> tuple[tuple[int, ...], tuple[int, ...], Any, str]:
    """Those of pooling along `count` dimensions: the window, its strides, the padding, the layout."""
    form = layout(data_format, count)
    steps = steps_argument(strides, form, "strides")
    return window_argument(ksize, form), steps, only_words(padding), form


def window_argument(ksize: Any, form: str) -> tuple[int, ...]:
    """The sizes of a window by dimension; ValueRuleError where they are missing."""
    return steps_argument(given("ksize", ksize, "", None), form, "ksize")


def only_words(padding: Any) -> Any:
    """A padding of functions that take no list."""
    word, pairs = paddings_argument(padding, len(padding) if isinstance(padding, (list, tuple, np.ndarray)) else 0)
    if pairs or word == "EXPLICIT":
        raise ValueRuleError(f"padding must be 'SAME' or 'VALID', but is {padding!r}")
    return word


def spatial(entries: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The entries of the spatial dimensions."""
    return tuple(entries[2:] if is_channels_first(data_format) else entries[1:-1])
