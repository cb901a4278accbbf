"""Functions in which `v.read_value()` is the value from outside: those of datasets.

Their elements are made at any time after the iterator began, so a variable is the value that it had then, however the
function asks for it, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ARE_CAPTURED: ContextVar[bool] = ContextVar("reads_are_captured", default=False)


def reads_are_captured() -> bool:
    """Whether a read that is built now is the value from outside of the function."""
    return _ARE_CAPTURED.get()


@contextmanager
def captured_reads() -> Iterator[None]:
    """Reads of variables that are built in the block are values from outside of the function."""
    token = _ARE_CAPTURED.set(True)
    try:
        yield
    finally:
        _ARE_CAPTURED.reset(token)
