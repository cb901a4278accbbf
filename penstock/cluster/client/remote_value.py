"""Values of variables that lie on workers: handles at the client, which free them when nothing refers to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import Any, Final

import numpy as np

from ...graph.common.when_freed import WhenFreed
from ...graph.shapes.literal import Array

_number: Final = count(1).__next__


class RemoteValue:
    """An array that lies on one or several workers. It never changes: a write makes another value.

    Attributes:
        uid: its name on the workers.
        dtype: its NumPy dtype.
        shape: its sizes.
        places: the workers that have it.
        here: the array itself, if the client has it too.
        why_lost: what is told once no place has it.
        when_freed: tells the workers that have it.
    """

    is_remote = True
    __slots__ = ("__weakref__", "_fetch", "dtype", "here", "places", "shape", "uid", "when_freed", "why_lost")

    def __init__(
        self, uid: str, dtype: Any, shape: tuple[int, ...], places: set[int], fetch: Callable[[RemoteValue], Array]
    ) -> None:
        self.uid = uid
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.places = places
        self.here: Array | None = None
        self.why_lost = "the value of a variable is lost with its worker"
        self._fetch = fetch
        self.when_freed: WhenFreed | None = None

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.size * int(self.dtype.itemsize)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def copy(self) -> Array:
        """The array, fetched from a worker: as `numpy.ndarray.copy`.

        Raises:
            UnavailableError: every worker that has it is lost.
        """
        return self._fetch(self) if self.here is None else self.here.copy()

    def __repr__(self) -> str:
        where = ", ".join(map(str, sorted(self.places)))
        return f"<{self.dtype} {list(self.shape)} at worker {where}>"


class RemoteValues:
    """The remote values of one session: it names them, and notes which are no longer needed."""

    def __init__(self, prefix: str, fetch: Callable[[RemoteValue], Array]) -> None:
        self._prefix = prefix
        self._fetch = fetch
        self._garbage: deque[tuple[str, set[int]]] = deque()

    def new_uid(self) -> str:
        """A name for a value that is about to be made."""
        return f"{self._prefix}.{_number()}"

    def made(self, uid: str, dtype: Any, shape: Iterable[int], places: Iterable[int]) -> RemoteValue:
        """The handle of a value that workers have now."""
        there = set(places)
        value = RemoteValue(uid, dtype, tuple(shape), there, self._fetch)
        value.when_freed = WhenFreed(partial(self._garbage.append, (uid, there)))
        return value

    def drop(self, uid: str, places: Iterable[int]) -> None:
        """Note that a value that may have been made is not needed."""
        self._garbage.append((uid, set(places)))

    def take_garbage(self) -> dict[int, list[str]]:
        """What workers may free now, by worker."""
        found: dict[int, list[str]] = {}
        while self._garbage:
            try:
                uid, places = self._garbage.popleft()
            except IndexError:  # another thread took the last
                break
            for place in places:
                found.setdefault(place, []).append(uid)
        return found


def array_of(value: Any) -> Any:
    """A value as an array: fetched if it lies on workers.

    Raises:
        UnavailableError: every worker that has it is lost.
    """
    return value.copy() if isinstance(value, RemoteValue) else value


def is_remote(value: Any) -> bool:
    """Whether a value lies on workers."""
    return isinstance(value, RemoteValue)
