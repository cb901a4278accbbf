"""What an op does with a batch: rules that say how its use on one element becomes a use on many stacked ones.

    decode_csv(line, defaults)        decode_csv(lines, defaults)
    reshape(bytes, [28, 28])          reshape(batch, [count, 28, 28])

A rule, `@reshape.batched`, gets the arguments of the use with stacked elements in the place of those that differ, these
tensors, and how many elements there are. It returns the arguments of the use on the batch, or None. That use gives for
each element the bits of the use on it alone, or it fails. Elementwise ops need no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

BatchedRule: TypeAlias = Callable[[Sequence[Any], Collection[Any], Any], Sequence[Any] | None]


def by_elements_of_first(args: Sequence[Any], differing: Collection[Any], count: Any) -> Sequence[Any] | None:
    """The rule of an op that works on each element of its first operand apart."""
    return None if any(each in differing for arg in args[1:] for each in _tensors_in(arg)) else args


def _tensors_in(arg: Any) -> Sequence[Any]:
    found = arg if isinstance(arg, (list, tuple)) else (arg,)
    return [each for each in found if hasattr(each, "op")]
