"""Example calls of an op, which stand beside its declaration; the generic tests call it with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from ..common.quick_dataclass import dataclass


@dataclass(frozen=True)
class Sample:
    """One example call of an op, with which the generic tests call it.

    Args:
        args: the arguments: arrays, or lists of arrays, for operands, and Python values for attributes.
        kwargs: arguments by name.
        fixed: the names of operands that stay constants where the tests make placeholders of the others.

    >>> from penstock.extend import sample
    >>> sample([1.0, 2.0], axis=0, fixed=["x"])
    Sample(args=([1.0, 2.0],), kwargs={'axis': 0}, fixed=frozenset({'x'}))
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


Samples: TypeAlias = Iterator[Sample]
"""What a rule of samples yields."""


def sample(*args: Any, fixed: Iterable[str] = (), **kwargs: Any) -> Sample:
    """A `Sample`, written like the call.

    Args:
        args: the arguments of the call by position.
        fixed: the names of operands that stay constants where the tests make placeholders of the others.
        kwargs: the arguments of the call by name.

    Returns:
        A `Sample`.

    >>> from penstock.extend import sample
    >>> sample([1.0, 2.0], axis=0).kwargs
    {'axis': 0}
    """
    return Sample(args, kwargs, frozenset(fixed))
