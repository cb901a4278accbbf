"""`ShapedCalls`: calls of one plan that were planned again for the shapes that its feeds had in many runs.

A plan serves feeds of every shape that the placeholders allow. Where these leave sizes open, a run computes what
follows from the sizes: shapes, axes to sum over, reshapes. After some runs whose feeds had equal shapes, the graph is
planned once more as if the placeholders had these shapes. That call serves runs with these shapes; the general one
stays for all others. A scalar bool, such as whether a run trains, counts as its shape does: what it decides is decided
in the plan.

Planning costs some 20 us a node, and a node costs about 1 us in each run. So after `SessionConfig.specialise_after`
runs, 20 by default, the second plan costs no more than the runs before it did. Where a node is much work, that is so
after a few runs already: then it is planned after these, and no machine code is made for groups of the general plan.

A plan with loops whose feeds leave only the number of rows open is planned for the shapes of its first run at once.
Its steps run many times in that run, and the body of a loop would become machine code twice: first that of the general
plan, in the middle of the first run. Batches have the same size as a rule. Where other sizes are open, as the lengths
of sequences are, the next run probably has others, and the code for those of the first would serve nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from math import inf
from typing import Any, Final, Generic, Protocol, TypeVar

from ..passes.known_sizes import Flags, Shapes


class HasUse(Protocol):
    """A call that notes when it was used last."""

    used: list[int]


C = TypeVar("C", bound=HasUse)
_Key = tuple[Shapes, Flags]

SURE: Final = 3
"""Runs with equal shapes before which none is planned, however long they take: the next ones may have others."""
MOST_CALLS: Final = 8
"""The most calls that are kept for one plan."""
MOST_COUNTS: Final = 256
"""The most combinations of shapes whose runs are counted. A program whose shapes never return starts anew."""
MOST_DROPS: Final = 3
"""So many calls of one plan may be dropped because a variable changed its shape. Then no further one is planned."""

_tick: Final = count(1).__next__


class ShapedCalls(Generic[C]):
    """The calls of one plan for feeds of certain shapes. Thread-safe: each step is one operation of a dict.

    Attributes:
        latest: the call that was found last; its shapes are probably those of the next run.
    """

    __slots__ = ("_calls", "_counts", "_drops", "_flags", "_patience", "_plan", "_price", "_spent", "_waits", "latest")

    def __init__(
        self,
        patience: int,
        plan: Callable[[Shapes, Flags], C | None],
        price: float = inf,
        at_first: bool = False,
        flags: Sequence[int] = (),
    ) -> None:
        """No call yet.

        Args:
            patience: the number of runs with equal shapes after which a call is planned for them.
            plan: plans the call for the shapes of the feeds and the values of flags; None where the general one has to
                serve.
            price: seconds that planning takes; when runs have taken as long, fewer of them are enough.
            at_first: whether the first run has a plan for its shapes.
            flags: the places of feeds whose values count where they are scalars.
        """
        self._flags = flags
        self._patience = patience
        self._plan = plan
        self._price = price
        self._waits = not at_first
        self._spent = 0.0
        self._counts: dict[_Key, int] = {}
        self._calls: dict[_Key, C | None] = {}
        self._drops = 0
        self.latest: C | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def find(self, arrays: Sequence[Any]) -> C | None:
        """The call for feeds of these shapes, planned now if it is time; None for the general one.

        arrays: the feeds, which fit the placeholders.
        """
        key = tuple([array.shape for array in arrays]), self.flags(arrays)
        try:
            call = self._calls[key]
        except KeyError:
            if not self._is_time(key):
                return None
            call = self._keep(key, self._plan(*key))
        if call is not None:
            call.used[0] = _tick()
            self.latest = call
        return call

    def flags(self, arrays: Sequence[Any]) -> Flags:
        """The values of the flags among these feeds."""
        return tuple([None if arrays[i].ndim else bool(arrays[i]) for i in self._flags]) if self._flags else ()

    def spend(self, seconds: float) -> None:
        """Note how long a run of the general call took."""
        self._spent += seconds

    def drop(self, call: C) -> None:
        """Forget a call whose variables have other shapes now."""
        self._drops += 1
        if self.latest is call:
            self.latest = None
        for key, each in self._calls.copy().items():
            if each is call:
                self._calls.pop(key, None)

    def known(self, shapes: Shapes, flags: Flags = ()) -> C | None:
        """The call for these shapes and flags if there is one already."""
        return self._calls.get((shapes, flags))

    def _is_time(self, key: _Key) -> bool:
        if self._drops >= MOST_DROPS:
            return False
        if not self._waits:
            self._waits = True
            return True
        counts = self._counts
        runs = counts.get(key, 0) + 1
        if runs > self._patience or (runs > SURE and self._spent >= self._price):
            counts.pop(key, None)
            self._spent = 0.0
            return True
        if len(counts) >= MOST_COUNTS:
            counts.clear()
        counts[key] = runs
        return False

    def _keep(self, key: _Key, call: C | None) -> C | None:
        for each in (self.latest, call):  # the runs of the latest call did not ask `find`
            if each is not None:
                each.used[0] = _tick()
        self._calls[key] = call
        while len(self._calls) > MOST_CALLS:
            oldest = min(self._calls.copy().items(), key=lambda item: -1 if item[1] is None else item[1].used[0])[0]
            self._calls.pop(oldest, None)
        return call
