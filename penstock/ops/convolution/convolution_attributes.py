"""The attributes of convolutions: strides, dilations, paddings, the layout; and the operands' dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from ...errors import DTypeError, ValueRuleError
from ...graph.dtypes import int32
from ...graph.signature import FLOATS, Attr, Operand, TensorLike, as_ints, bits_of
from ..shape_checks import listed

Float: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS)]
FloatOrInt: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS | bits_of(int32))]
Sizes: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), host=True, prefer=int32)]


def steps(count: int, least: int = 1) -> Callable[[Any], tuple[int, ...]]:
    """A converter to `count` ints, one for each dimension, of at least `least`."""

    def convert(value: Any) -> tuple[int, ...]:
        entries = as_ints(value)
        if len(entries) != count:
            raise ValueRuleError(f"must contain {count} values, one for each dimension, but got {len(entries)}: "
                                 f"{listed(entries)}")  # fmt: skip
        if min(entries) < least:
            raise ValueRuleError(f"must be >= {least}, but got {listed(entries)}")
        return entries

    return convert


def one_of(*words: str) -> Callable[[Any], str]:
    """A converter that takes one of some words."""

    def convert(value: Any) -> str:
        word = value.decode() if isinstance(value, bytes) else value
        if not isinstance(word, str):
            raise DTypeError(f"must be a string, one of {', '.join(words)}, not {word!r}")
        if word not in words:
            near = f"; write {word.upper()!r}" if word.upper() in words else ""
            raise ValueRuleError(f"must be one of {', '.join(words)}, not {word!r}{near}")
        return word

    return convert


def explicit_pairs(count: int) -> Callable[[Any], tuple[int, ...]]:
    """A converter to no ints, or to two for each of `count` dimensions: zeros before and after."""

    def convert(value: Any) -> tuple[int, ...]:
        pairs = as_ints(value)
        if len(pairs) not in (0, 2 * count):
            raise ValueRuleError(f"must contain {2 * count} values, but got {len(pairs)}: {listed(pairs)}")
        if min(pairs, default=0) < 0:
            raise ValueRuleError(f"must be nonnegative, but got {listed(pairs)}")
        return pairs

    return convert


def check_pairs(padding: str, pairs: Sequence[int], is_channels_first: bool) -> None:
    """ValueRuleError unless explicit paddings are given with EXPLICIT only, and along spatial axes only."""
    if padding != "EXPLICIT":
        if pairs:
            raise ValueRuleError("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
        return
    if not pairs:
        raise ValueRuleError("explicit_paddings attribute must contain values if the padding attribute is EXPLICIT")
    others = pairs[:4] if is_channels_first else (*pairs[:2], *pairs[-2:])
    if any(others):
        raise ValueRuleError("Nonzero explicit padding in the batch or depth dimensions is not supported: "
                             f"{listed(pairs)}")  # fmt: skip


Steps4: TypeAlias = Annotated[Sequence[int], Attr(steps(4))]
Steps5: TypeAlias = Annotated[Sequence[int], Attr(steps(5))]
Padding: TypeAlias = Annotated[str, Attr(one_of("SAME", "VALID", "EXPLICIT"))]
PlainPadding: TypeAlias = Annotated[str, Attr(one_of("SAME", "VALID"))]
Pairs4: TypeAlias = Annotated[Sequence[int], Attr(explicit_pairs(4))]
Format4: TypeAlias = Annotated[str, Attr(one_of("NHWC", "NCHW"))]
Format5: TypeAlias = Annotated[str, Attr(one_of("NDHWC", "NCDHW"))]
