"""What kernels of queues, iterators and readers get of the session: `ObjectPlace`.

An object of a session has a name, the *handle*: a string that its operation gives, which travels through the graph as
any other tensor. So a program may choose one of several queues, or feed the handle of an iterator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

R = TypeVar("R")


class ObjectMonitor(Protocol):
    """One lock, and who waits until what it guards has changed."""

    def now(self, attempt: Callable[..., R | None], *args: Any) -> R | None:
        """What `attempt(*args)` returns, called once while the lock is held; None where it would have to wait."""

    def until(
        self, attempt: Callable[[], R | None], doing: str, cure: Callable[[], str] | None = None,
        pays: Callable[[], bool] | None = None,
    ) -> R:  # fmt: skip
        """What `attempt` returns, called again after each change until that is not None.

        Args:
            attempt: is called while the lock is held.
            doing: what the run does meanwhile, such as "waited for an element of queue q".
            cure: what is probably forgotten if the wait lasts; "" if nothing is.
            pays: whether a change is one to wake this run for; it is called while the lock is held. Without it every
                change is. Whatever it says, the run looks again after a tenth of a second.

        Raises:
            CancelledError: the session was closed.
            DeadlineExceededError: the time of the run is over.
        """

    @property
    def waits(self) -> dict[str, float]:
        """For how many seconds runs have waited until now, by what they did meanwhile."""

    def change(self, action: Callable[[], R]) -> R:
        """What `action` returns, called while the lock is held; all who wait look again."""

    def wake(self) -> None:
        """Let all who wait look again, after a change that needs no lock."""


class ObjectTable(Protocol):
    """The queues, iterators and readers of a session, by handle."""

    def get_or_make(self, handle: bytes, make: Callable[[], R]) -> R:
        """The object with this handle, made now if there is none."""

    def get(self, handle: bytes, kind: type[R], words: str) -> R:
        """The object with this handle.

        Raises:
            NotFoundError: there is none, or one of another kind; `words` says what was looked for.
        """

    def put(self, handle: bytes, made: Any) -> None:
        """Let the handle mean this object from now on; the one before is closed."""

    def monitor(self) -> ObjectMonitor:
        """A new monitor, which ends all waiting when the session is closed."""

    def start(self, work: Callable[[], None], name: str) -> None:
        """Call `work` on a new thread, which ends with the session at the latest: `work` waits by monitors only."""

    @property
    def is_closed(self) -> bool:
        """Whether the session is closed."""


class ObjectPlace:
    """The session's objects, for the kernel of one node.

    Attributes:
        objects: the objects.
        node: the name of the node.
        known: the last handle that the kernel got, and its object.
    """

    __slots__ = ("known", "node", "objects")

    def __init__(self, objects: ObjectTable, node: str) -> None:
        self.objects = objects
        self.node = node
        self.known: tuple[Any, Any] = None, None
