"""Runs inside runs: what code from outside the package, called in a run, may run itself.

A kernel of an extension or a hook may run the session again, as another thread may, but not the very run that it is
part of: that would call it again, without end, so it is an error at once. A signal handler is called by the
interpreter, wherever that is, and may run anything.
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
"""Runs inside runs, each by code from outside, from which they are taken to be without end."""

_under_way: ContextVar[tuple[Hashable, ...]] = ContextVar("penstock_outside", default=())
"""The calls of code from outside that this one is part of, the outermost first."""


class Guard:
    """Sees to it that code from outside is not called by a run that it started itself.

    what: names the code in an error. key: what is the same in the run inside; None: the guard itself.
    """

    def __init__(self, what: str, key: Hashable = None) -> None:
        self._what = what
        self._key: Hashable = self if key is None else key

    def around(self, function: Call, quiet: bool) -> Call:
        """`function`, guarded; quiet: with NumPy's warnings off, and its error state put back afterwards."""
        key, what = self._key, self._what

        def guarded(*args: Any) -> Any:
            above = _under_way.get()
            if above and (key in above or len(above) >= DEEPEST) and not _is_interruption(guarded.__code__):
                raise FailedPreconditionError(message=_words(what, key in above))
            token = _under_way.set((*above, key))
            try:
                if not quiet:
                    return function(*args)
                with np.errstate(all="ignore"):
                    return function(*args)
            finally:
                _under_way.reset(token)

        return guarded


def _words(what: str, is_same: bool) -> str:
    if is_same:
        return (
            f"Session.run: {what} started the run that it is part of, which would call it again without end. What is "
            "called in a run may run other fetches, not those that need it; fetch something else there, or start the "
            "run when this one has ended"
        )
    return (
        f"Session.run: {what} is called by a run inside a run, {DEEPEST} deep, and so on without end. Fetch something "
        "there that does not need code that runs a session"
    )


def _is_interruption(guarded: CodeType) -> bool:
    """Whether a signal handler stands between this call of code from outside and the one around it."""
    handlers = {code for number in signal.valid_signals() if (code := _code_of(signal.getsignal(number))) is not None}
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not guarded:
        if frame.f_code in handlers:
            return True
        frame = frame.f_back
    return False


def _code_of(handler: Any) -> CodeType | None:
    """The code that runs when a handler is called, None if it is not Python's."""
    while hasattr(handler, "func"):  # functools.partial
        handler = handler.func
    handler = getattr(handler, "__func__", handler)
    if not hasattr(handler, "__code__"):
        handler = vars(type(handler)).get("__call__")  # what a call of such an object runs
    found = getattr(handler, "__code__", None)
    return found if isinstance(found, CodeType) else None
