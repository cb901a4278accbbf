"""`WhenFreed`: a function in C that is called when the object that holds this is freed.

`__del__` methods and `weakref.finalize` run Python code when an object dies. Ctrl-C that arrives in it is lost, because
Python ignores what finalizers raise.
"""

from __future__ import annotations

from collections.abc import Callable


class WhenFreed:
    """An object whose finalizer is one call of a function in C.

    `__del__` is a slot: Python finds its value in the object and calls it without arguments.

    Args:
        call: a function in C, a method of an object in C, or a `functools.partial` of one.

    >>> from functools import partial
    >>> calls: list[int] = []
    >>> first, second = WhenFreed(partial(calls.append, 1)), WhenFreed(partial(calls.append, 2))
    >>> second.cancel()
    >>> del first, second
    >>> calls
    [1]
    """

    __slots__ = ("__del__",)

    __del__: Callable[[], object]

    def __init__(self, call: Callable[[], object]) -> None:
        self.__del__ = call

    def cancel(self) -> None:
        """Call nothing when this is freed."""
        self.__del__ = bool
