"""Objects that a `with` block closes."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from .tracebacks import hides_frames


class ClosedByWith:
    """A base class for what has a method `close`, which the end of a `with` block calls."""

    __slots__ = ()

    def close(self) -> None:
        """Give back what it holds."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    @hides_frames
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
