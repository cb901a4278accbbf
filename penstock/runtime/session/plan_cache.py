"""The plans of a session: which was made for these fetches and feeds, and which one goes when there are too many.

One plan serves the same tensors fed in any order. A plan is found under the order in which it was asked for, so that a
usual run costs one look into a dict; an order that is new is compared as a set, and gets an entry that puts the values
into the order of the plan.

No locks: every step is one operation of a dict, atomic by itself. So a signal handler may run a session in the
middle of its own run, and a forked child finds nothing closed. Threads that miss at the same moment plan twice; one
plan stays.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import count
from operator import itemgetter
from typing import Any, Final

from ...graph.nodes import Tensor
from .planned_call import Entry, Repack

_tick: Final = count(1).__next__
ORDERS: Final = 8
"""For each plan that is kept, how many orders of feeds are remembered."""


Key = tuple[Hashable, tuple[Tensor, ...], str]
"""What a plan depends on: the fetches, what is fed in the order that was asked for, and the kind of the run."""


class PlanCache:
    """At most `size` entries by key, the least recently used dropped first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._plans: dict[tuple[Hashable, frozenset[Tensor], str], Entry] = {}
        self._asked: dict[Hashable, Entry] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._plans)

    def values(self) -> list[Entry]:
        """What is kept."""
        return list(self._plans.values())

    def get(self, key: Key) -> Entry | None:
        """The entry for `key`, marked as used; None if there is no plan for it."""
        entry = self._asked.get(key)
        if entry is None:
            return self._reordered(key)
        entry.used[0] = _tick()
        return entry

    def _reordered(self, key: Key) -> Entry | None:
        fetches, fed, kind = key
        plain = self._plans.get((fetches, frozenset(fed), kind))
        if plain is None:
            return None
        plain.used[0] = _tick()
        entry = plain if plain.tensors == fed else Reordered(plain, fed)
        if len(self._asked) >= ORDERS * (self._size + 1):
            self._asked.clear()  # they are found again
        self._asked[key] = entry
        if self._closed:  # meanwhile
            self.close()
        return entry

    def keep(self, key: Key, entry: Entry) -> None:
        """Keep `entry`, whose feeds are those of `key` in any order, instead of what there was."""
        fetches, fed, kind = key
        whole = fetches, frozenset(fed), kind
        before = self._plans.get(whole)
        entry.used[0] = _tick()
        self._plans[whole] = entry
        if before is not None:
            self._forget(before)
        while len(self._plans) > self._size:
            self._drop_one()
        if self._closed:  # meanwhile
            self.close()

    def close(self) -> None:
        """Drop all, and keep nothing from now on."""
        self._closed = True
        self._plans.clear()
        self._asked.clear()

    def _drop_one(self) -> None:
        try:
            key, oldest = min(self._plans.copy().items(), key=lambda item: item[1].used[0])
        except ValueError:  # another thread dropped the last
            return
        self._plans.pop(key, None)
        self._forget(oldest)

    def _forget(self, entry: Entry) -> None:
        for key, found in list(self._asked.copy().items()):
            if found.program is entry.program:
                self._asked.pop(key, None)


class Reordered(Entry):
    """An entry that takes the values of the feeds in another order than its plan."""

    __slots__ = ("_order",)

    def __init__(self, entry: Entry, tensors: tuple[Tensor, ...]) -> None:
        super().__init__(entry.program, entry.tensors)
        self.used = entry.used
        at = {tensor: i for i, tensor in enumerate(tensors)}
        self._order = itemgetter(*[at[tensor] for tensor in entry.tensors])

    def __call__(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `Entry`."""
        return super().__call__(self._order(values), repack)

    def left_there(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `Entry`."""
        return super().left_there(self._order(values), repack)

    def in_order(self, values: Sequence[Any]) -> Sequence[Any]:
        """As of `Entry`."""
        return self._order(values)  # type: ignore[no-any-return]  # a tuple, since there are two feeds at least
