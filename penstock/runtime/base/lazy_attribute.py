"""`once`: an attribute that is computed when it is first read.

Before Python 3.12 `functools.cached_property` holds one lock for all instances, even across a fork; `once` has no lock.
Threads that read an attribute at the same moment may both compute it.
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
        """The value. It is stored as an instance attribute, which the next read finds first."""
        if instance is None:
            return self
        found = instance.__dict__[self._name] = self._function(instance)
        return found
