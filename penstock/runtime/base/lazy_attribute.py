"""An attribute that is worked out when it is first read.

As `functools.cached_property`, which before Python 3.12 holds one lock for all instances, also across a fork. Threads
that read at the same moment may both work it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

S = TypeVar("S")
R = TypeVar("R")


class once(Generic[S, R]):
    """`@once` above a method without arguments."""

    def __init__(self, function: Callable[[S], R]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: Any) -> once[S, R]: ...

    @overload
    def __get__(self, instance: S, owner: Any) -> R: ...

    def __get__(self, instance: S | None, owner: Any) -> R | once[S, R]:
        """The value, kept among the instance's attributes, where the next read finds it first."""
        if instance is None:
            return self
        found = instance.__dict__[self._name] = self._function(instance)
        return found
