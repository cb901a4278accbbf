"""The planned calls of a session by what is fetched and fed, of which the least recently used is dropped first.

It is found under the order of the caller, so that a usual run costs one look-up; a new order is compared as a set, and
gets a call that reorders the values. There are no locks: every step is one atomic operation of a dict.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Final

from ...graph.model.nodes import Tensor
from .planned_call import PlannedCall

Key = tuple[Hashable, tuple[Tensor, ...], str]
"""What a plan depends on: the fetches, the fed tensors in the caller's order, and the kind of the run."""
ORDERS: Final = 8
"""The most orders of feeds that are kept per plan."""

_tick: Final = count(1).__next__


class CallTable:
    """At most `size` planned calls."""

    __slots__ = ("_by_request", "_is_closed", "_plans", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._plans: dict[tuple[Hashable, frozenset[Tensor], str], PlannedCall] = {}
        self._by_request: dict[Hashable, PlannedCall] = {}
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._plans)

    @property
    def requests(self) -> int:
        """How many orders of feeds are kept."""
        return len(self._by_request)

    def values(self) -> list[PlannedCall]:
        """The calls."""
        return list(self._plans.values())

    def find(self, key: Key) -> PlannedCall | None:
        """The call for a request that was made before."""
        call = self._by_request.get(key)
        if call is not None:
            call.used[0] = _tick()
        return call

    def reordered(self, key: Key) -> PlannedCall | None:
        """The call for a request of the same tensors in another order."""
        fetches, fed, kind = key
        plain = self._plans.get((fetches, frozenset(fed), kind))
        if plain is None:
            return None
        plain.used[0] = _tick()
        call = plain.reordered(fed)
        if len(self._by_request) >= ORDERS * (self._size + 1):
            self._by_request.clear()  # they will be found again by set
        self._by_request[key] = call
        if self._is_closed:  # meanwhile
            self.close()
        return call

    def keep(self, key: Key, call: PlannedCall) -> None:
        """Keep `call`, whose feeds are those of `key` in any order, in place of an older call."""
        fetches, fed, kind = key
        whole = fetches, frozenset(fed), kind
        before = self._plans.get(whole)
        call.used[0] = _tick()
        self._plans[whole] = call
        if before is not None:
            self._forget(before)
        while len(self._plans) > self._size:
            self._drop_one()
        if self._is_closed:  # meanwhile
            self.close()

    def close(self) -> None:
        """Drop all calls, and keep none from now on."""
        self._is_closed = True
        self.forget()

    def forget(self) -> None:
        """Drop all calls."""
        self._plans.clear()
        self._by_request.clear()

    def _drop_one(self) -> None:
        try:
            key, oldest = min(self._plans.copy().items(), key=lambda item: item[1].used[0])
        except ValueError:  # another thread dropped the last
            return
        self._plans.pop(key, None)
        self._forget(oldest)

    def _forget(self, call: PlannedCall) -> None:
        for key, kept in list(self._by_request.copy().items()):
            if kept.used is call.used:  # shared by the calls of one program
                self._by_request.pop(key, None)
