"""Nested runs: user code that is called in a run, and starts a run itself.

A user's kernel or hook may run the session again, as another thread may, but not the run that it is part of. That would
call it again without end, so it is an error at once. A signal handler may run anything.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any, Final

import numpy as np

from ...errors import FailedPreconditionError

Call = Callable[..., Any]
DEEPEST: Final = 32
"""The depth of nested runs from which they are assumed to be endless."""

_under_way: ContextVar[tuple[Hashable, ...]] = ContextVar("penstock_outside", default=())
"""The keys of the enclosing calls of user code, the outermost first."""


class RecursionGuard:
    """Refuses to call user code from a run that the same code started."""

    def __init__(self, what: str, key: Hashable = None) -> None:
        """what: the name of the code in an error. key: identifies the code in the nested run; None: the guard itself.
        """
        self._what = what
        self._key: Hashable = self if key is None else key

    def around(self, function: Call, quiet: bool) -> Call:
        """`function` with the guard; quiet: NumPy's warnings are off during the call."""
        key, what = self._key, self._what

        def guarded(*args: Any) -> Any:
            above = _under_way.get()
            if above and (key in above or len(above) >= DEEPEST) and not _is_interruption(guarded.__code__):
                raise FailedPreconditionError(message=_words(what, key in above))
            try:  # around the first call too: Ctrl-C may come when it returns
                _under_way.set((*above, key))
                if not quiet:
                    return function(*args)
                with np.errstate(all="ignore"):
                    return function(*args)
            finally:
                _under_way.set(above)

        return guarded


def _words(what: str, is_same: bool) -> str:
    if is_same:
        return (
            f"Session.run: {what} started the run that it is part of, which would call it again without end. Code that "
            "is called in a run may only run fetches that do not need it. Fetch something else there, or start the run "
            "after this one has ended"
        )
    return (
        f"Session.run: {what} is called in runs nested {DEEPEST} deep, which would go on without end. Fetch something "
        "there that does not need code that runs a session"
    )


def _is_interruption(guarded: CodeType) -> bool:
    """True if a signal handler is on the stack between this call of user code and the enclosing one."""
    handlers = {code for number in signal.valid_signals() if (code := _code_of(signal.getsignal(number))) is not None}
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not guarded:
        if frame.f_code in handlers:
            return True
        frame = frame.f_back
    return False


def _code_of(handler: Any) -> CodeType | None:
    """The code object that runs when a handler is called, None if it is not a Python function."""
    while hasattr(handler, "func"):  # functools.partial
        handler = handler.func
    handler = getattr(handler, "__func__", handler)
    if not hasattr(handler, "__code__"):
        handler = vars(type(handler)).get("__call__")  # the method that a call of the object runs
    found = getattr(handler, "__code__", None)
    return found if isinstance(found, CodeType) else None
