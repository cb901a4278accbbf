"""The sessions that a thread has entered: `with session:` and `with session.as_default():`."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from ...errors import GraphError


class _DefaultSessions(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []


default_sessions = _DefaultSessions()
"""The sessions that a thread has entered, the innermost last."""


class DefaultSession:
    """`with session.as_default():`"""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __enter__(self) -> Any:
        default_sessions.stack.append(self._session)
        return self._session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pop_session(self._session)


def pop_session(session: Any) -> None:
    """Leave a session, which must be the innermost one.

    Raises:
        GraphError (a ValueError): it is not.
    """
    if not default_sessions.stack or default_sessions.stack[-1] is not session:
        raise GraphError("Session: `with` blocks must end in the reverse order of their beginning")
    default_sessions.stack.pop()
