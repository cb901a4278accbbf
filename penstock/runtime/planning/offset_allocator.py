"""The offset allocator: an offset in the arena, one block of memory, for each buffer of a plan.

Every buffer is a rectangle: its live range in steps wide, its bytes high. Buffers that are live at the same step may
not overlap; others may. The allocator keeps the total low:

    bytes  |  cccccccc                      `c` and `d` are live together with `a`, one after the other.
           |  aaaaaaaddddd                  `b` begins at the last step of `a` and takes over its place,
           |  aaaaaaabbbbb                  if `a` is one of its donors: that step reads and writes the same memory.
           +---------------- steps

There are two strategies. *First use* walks through the steps with a list of gaps and takes the smallest gap that fits
(3 us a buffer). *Largest first* places the big buffers first and fills the holes with small ones, at any step. It is
mostly better (random programs of 1,000 buffers: 1.04 times the minimum instead of 1.25) but slower, so it is tried only
if first use wastes memory. Both are deterministic.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from ...graph.common.quick_dataclass import dataclass

ALIGNMENT: Final = 64
# Up to FEW buffers largest first costs 2 ms at most; for more it has to save at least WORTH_IT bytes.
FEW: Final = 256
WORTH_IT: Final = 1 << 20
# The work of largest first grows with the number of pairs (buffer, step at which it is live).
MOST_PAIRS: Final = 1 << 16

Found = tuple[dict[int, int], int]  # the offsets and their total


class LiveBuffer(NamedTuple):
    """A buffer of `size` bytes that is live from step `first` to step `last`, both included.

    `donors` are slots whose buffer it may take over. It takes one whose last step is its own first step, if that buffer
    is large enough and not taken. Slots without a buffer (feeds, constants) may be among them.
    """

    slot: int
    size: int
    first: int
    last: int
    donors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ArenaLayout:
    """The offset of every buffer.

    Attributes:
        offsets: slot -> its first byte, a multiple of 64.
        total: the bytes of the arena.
        minimum: the most live bytes at one step, shared buffers counted once; a lower bound for every layout.
        in_place: slot -> the slot whose buffer it took over.
    """

    offsets: dict[int, int]
    total: int
    minimum: int
    in_place: dict[int, int]

    def scaled(self, factor: int) -> ArenaLayout:
        """The layout of the same buffers, each `factor` times as large."""
        offsets = {slot: offset * factor for slot, offset in self.offsets.items()}
        return ArenaLayout(offsets, self.total * factor, self.minimum * factor, self.in_place)


def lay_out(buffers: Iterable[LiveBuffer]) -> ArenaLayout:
    """An offset for every buffer; buffers that are live at the same step do not overlap, except those taken over.

    Raises:
        ValueError: two buffers have one slot, or one has a negative size or ends before it begins.

    >>> chain = [LiveBuffer(0, 400, 0, 1), LiveBuffer(1, 400, 1, 2), LiveBuffer(2, 400, 2, 3)]
    >>> lay_out(chain)
    ArenaLayout(offsets={0: 0, 1: 448, 2: 0}, total=896, minimum=896, in_place={})
    >>> lay_out([LiveBuffer(0, 400, 0, 1), LiveBuffer(1, 400, 1, 2, donors=(0,))])
    ArenaLayout(offsets={0: 0, 1: 0}, total=448, minimum=448, in_place={1: 0})
    """
    ordered = sorted(buffers, key=attrgetter("first"))
    _check(ordered)
    sizes = {live.slot: -(-live.size // ALIGNMENT) * ALIGNMENT for live in ordered}
    in_place = _pairs(ordered, sizes)
    minimum = _minimum(ordered, sizes, in_place)
    offsets, total = _by_first_use(ordered, sizes, in_place)
    if total - minimum > (0 if len(ordered) <= FEW else WORTH_IT):
        offsets, total = min((offsets, total), _largest_first(ordered, sizes, in_place), key=lambda found: found[1])
    return ArenaLayout(offsets, total, minimum, in_place)


def _check(buffers: Sequence[LiveBuffer]) -> None:
    for live in buffers:
        if live.size < 0 or live.last < live.first:
            raise ValueError(
                f"lay_out: {live} has {live.size} bytes from step {live.first} to step {live.last}; a buffer has 0 or "
                "more bytes and ends no earlier than it begins; correct size, first or last"
            )
    if len({live.slot for live in buffers}) < len(buffers):
        slots = [live.slot for live in buffers]
        twice = next(slot for slot in slots if slots.count(slot) > 1)
        raise ValueError(f"lay_out: slot {twice} has several buffers; a slot has one; give each buffer its own slot")


def _pairs(ordered: Sequence[LiveBuffer], sizes: dict[int, int]) -> dict[int, int]:
    """Slot -> the donor whose buffer it takes over: the smallest one that is large enough."""
    by_slot = {live.slot: live for live in ordered}
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for live in ordered:
        if not live.donors:
            continue
        possible = [slot for slot in live.donors if slot not in taken and _may_give(by_slot.get(slot), live, sizes)]
        if possible:
            donor = min(possible, key=sizes.__getitem__)
            pairs[live.slot] = donor
            taken.add(donor)
    return pairs


def _may_give(donor: LiveBuffer | None, live: LiveBuffer, sizes: dict[int, int]) -> bool:
    # A donor that begins at the same step is not an operand of that step.
    if donor is None or donor.last != live.first or donor.first >= live.first:
        return False
    return sizes[donor.slot] >= sizes[live.slot] > 0


def _minimum(ordered: Sequence[LiveBuffer], sizes: dict[int, int], in_place: dict[int, int]) -> int:
    """The most live bytes at one step."""
    changes: dict[int, int] = defaultdict(int)
    for live in ordered:
        # At the step that takes a buffer over, only the donor counts: it is the larger one.
        changes[live.first + (live.slot in in_place)] += sizes[live.slot]
        changes[live.last + 1] -= sizes[live.slot]
    return max(accumulate(change for _, change in sorted(changes.items())), default=0)


class _Gaps:
    """The free ranges of a block that grows at its end; adjacent ranges are joined."""

    def __init__(self) -> None:
        self.total = 0
        self._by_size: list[tuple[int, int]] = []  # (size, offset), sorted
        self._size_at: dict[int, int] = {}  # offset -> size
        self._start_of: dict[int, int] = {}  # end -> offset

    def take(self, size: int) -> int:
        """The offset of `size` bytes: from the smallest gap that fits, otherwise from the end."""
        at = bisect_left(self._by_size, (size, -1))
        if at < len(self._by_size):
            found, offset = self._by_size.pop(at)
            del self._size_at[offset], self._start_of[offset + found]
            if found > size:
                self._add(offset + size, found - size)
            return offset
        offset = self._start_of.get(self.total, self.total)  # a gap at the end that is too small grows
        if offset < self.total:
            self._remove(offset)
        self.total = offset + size
        return offset

    def give(self, offset: int, size: int) -> None:
        """Free a range."""
        before = self._start_of.get(offset)
        if before is not None:
            size += self._remove(before)
            offset = before
        if offset + size in self._size_at:
            size += self._remove(offset + size)
        self._add(offset, size)

    def _add(self, offset: int, size: int) -> None:
        insort(self._by_size, (size, offset))
        self._size_at[offset] = size
        self._start_of[offset + size] = offset

    def _remove(self, offset: int) -> int:
        size = self._size_at.pop(offset)
        del self._start_of[offset + size]
        del self._by_size[bisect_left(self._by_size, (size, offset))]
        return size


def _by_first_use(ordered: Sequence[LiveBuffer], sizes: dict[int, int], in_place: dict[int, int]) -> Found:
    """First use: each buffer, in the order of steps, goes into the smallest gap that fits."""
    gaps = _Gaps()
    offsets: dict[int, int] = {}
    kept = {donor: sizes[slot] for slot, donor in in_place.items()}  # donor -> the bytes that stay live
    ending = sorted(ordered, key=attrgetter("last"))
    done = 0
    # Within a step large buffers come first: a small one may use the rest of a large gap.
    for live in sorted(ordered, key=lambda live: (live.first, -sizes[live.slot])):
        first = live.first
        while (ended := ending[done]).last < first:
            done += 1
            size, used = sizes[ended.slot], kept.get(ended.slot, 0)
            if size > used:
                gaps.give(offsets[ended.slot] + used, size - used)
        slot = live.slot
        if slot in in_place:
            offsets[slot] = offsets[in_place[slot]]
        else:
            offsets[slot] = gaps.take(sizes[slot]) if sizes[slot] else 0
    return offsets, gaps.total


@dataclass(frozen=True, slots=True)
class _Chain:
    """Buffers that take over each other, so that they have one offset; none is larger than the one before.

    Attributes:
        first: the first step, numbered as in `_chains`.
        last: the last step.
        size: the bytes of the first buffer.
        parts: the slot, size and last step of each buffer.
    """

    first: int
    last: int
    size: int
    parts: tuple[tuple[int, int, int], ...]


def _chains(ordered: Sequence[LiveBuffer], sizes: dict[int, int], in_place: dict[int, int]) -> list[_Chain]:
    """The chains. Only steps at which a buffer begins are numbered: live ranges that overlap share such a step."""
    members: dict[int, list[LiveBuffer]] = {}
    for live in ordered:
        chain = members.pop(in_place[live.slot]) if live.slot in in_place else []
        chain.append(live)
        members[live.slot] = chain
    begins = sorted({live.first for live in ordered})

    def chained(chain: list[LiveBuffer]) -> _Chain:
        parts = tuple((live.slot, sizes[live.slot], bisect_right(begins, live.last) - 1) for live in chain)
        return _Chain(bisect_left(begins, chain[0].first), parts[-1][2], parts[0][1], parts)

    return [chained(chain) for chain in members.values()]


def _largest_first(ordered: Sequence[LiveBuffer], sizes: dict[int, int], in_place: dict[int, int]) -> Found:
    """Largest first: each buffer goes into the smallest gap between the buffers that are live with it."""
    if len(ordered) > MOST_PAIRS:
        return {}, sys.maxsize
    chains = _chains(ordered, sizes, in_place)
    if sum(chain.last - chain.first + 1 for chain in chains) > MOST_PAIRS:
        return {}, sys.maxsize
    offsets: dict[int, int] = {}
    alive: dict[int, list[tuple[int, int]]] = defaultdict(list)  # step -> (offset, end) of the buffers live at it
    begun: dict[int, list[tuple[int, int]]] = defaultdict(list)  # step -> (offset, end) of the buffers that begin at it
    total = 0
    for chain in sorted(chains, key=lambda chain: (-chain.size, chain.first, chain.parts)):
        later = [place for step in range(chain.first + 1, chain.last + 1) for place in begun[step]]
        offset = _closest_gap(sorted(alive[chain.first] + later), chain.size) if chain.size else 0
        total = max(total, offset + chain.size)
        begun[chain.first].append((offset, offset + chain.size))
        step = chain.first
        for slot, size, last in chain.parts:
            offsets[slot] = offset
            for at in range(step, last + 1):
                alive[at].append((offset, offset + size))
            step = last + 1
    return offsets, total


def _closest_gap(met: Sequence[tuple[int, int]], size: int) -> int:
    """The offset of the smallest gap of at least `size` bytes between the ranges; their end if there is none."""
    free, smallest, best = 0, sys.maxsize, -1
    for offset, end in met:
        if size <= offset - free < smallest:
            smallest, best = offset - free, free
        free = max(free, end)
    return free if best < 0 else best
