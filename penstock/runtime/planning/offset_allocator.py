"""The arena: an offset in one piece of memory for each buffer of a plan.

Every buffer is a rectangle: alive from one step to another, so many bytes high. Two that are alive at the same step may
not touch; two that are not may lie in the same place. An offset is sought for each, so that the whole stays low:

    bytes  |  cccccccc                      `c` and `d` are alive with `a`, one after the other.
           |  aaaaaaaddddd                  `b` begins at the step at which `a` is used last and takes its place over,
           |  aaaaaaabbbbb                  if `a` is among its donors: that step reads and writes the same memory.
           +---------------- steps

Two ways are tried. By *first use*: walk through the steps as a program would, with a list of gaps, and take the
smallest gap that fits; 3 us a buffer. *Largest first*: place the big ones, then let the small ones fill the holes,
wherever in time they are; mostly lower (random programs of 1,000 buffers: 1.04 times the minimum against 1.25), but
slower, so it is tried only where the first way leaves something to gain. Both are deterministic.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

ALIGNMENT: Final = 64
# Up to so many buffers the second way costs 2 ms at most; beyond, there has to be so much memory to gain.
FEW: Final = 256
WORTH_IT: Final = 1 << 20
# The second way's work grows with the number of pairs (buffer, step at which it is alive).
MOST_PAIRS: Final = 1 << 16

Found = tuple[dict[int, int], int]  # the offsets and their total


class Live(NamedTuple):
    """A buffer of `size` bytes, alive from step `first` to step `last`, both included.

    `donors`: slots whose buffer it may take over. It does if that slot's last step is this one's first, if that buffer
    is large enough and if nobody else took it; slots that have no buffer here (feeds, constants) may be named.
    """

    slot: int
    size: int
    first: int
    last: int
    donors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of every buffer.

    offsets: slot -> first byte, a multiple of 64.
    total: bytes of the whole.
    minimum: the most bytes that are alive at one step, a buffer taken over counted once: no layout is smaller.
    in_place: slot -> the slot whose buffer it took over.
    """

    offsets: dict[int, int]
    total: int
    minimum: int
    in_place: dict[int, int]

    def scaled(self, factor: int) -> Layout:
        """The layout of buffers each `factor` times as large."""
        offsets = {slot: offset * factor for slot, offset in self.offsets.items()}
        return Layout(offsets, self.total * factor, self.minimum * factor, self.in_place)


def lay_out(buffers: Iterable[Live]) -> Layout:
    """A place for every buffer; buffers that are alive at the same step do not overlap, but for those taken over.

    Raises:
        ValueError: two buffers have one slot, or one has a negative size or ends before it begins.

    >>> chain = [Live(0, 400, 0, 1), Live(1, 400, 1, 2), Live(2, 400, 2, 3)]
    >>> lay_out(chain)
    Layout(offsets={0: 0, 1: 448, 2: 0}, total=896, minimum=896, in_place={})
    >>> lay_out([Live(0, 400, 0, 1), Live(1, 400, 1, 2, donors=(0,))])
    Layout(offsets={0: 0, 1: 0}, total=448, minimum=448, in_place={1: 0})
    """
    ordered = sorted(buffers, key=attrgetter("first"))
    _check(ordered)
    sizes = {live.slot: -(-live.size // ALIGNMENT) * ALIGNMENT for live in ordered}
    in_place = _pairs(ordered, sizes)
    minimum = _minimum(ordered, sizes, in_place)
    offsets, total = _by_first_use(ordered, sizes, in_place)
    if total - minimum > (0 if len(ordered) <= FEW else WORTH_IT):
        offsets, total = min((offsets, total), _largest_first(ordered, sizes, in_place), key=lambda found: found[1])
    return Layout(offsets, total, minimum, in_place)


def _check(buffers: Sequence[Live]) -> None:
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


def _pairs(ordered: Sequence[Live], sizes: dict[int, int]) -> dict[int, int]:
    """Who takes over whose buffer: of the donors that are possible, the one that fits most closely."""
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


def _may_give(donor: Live | None, live: Live, sizes: dict[int, int]) -> bool:
    # A donor that begins in the same step would be written by it, not read.
    if donor is None or donor.last != live.first or donor.first >= live.first:
        return False
    return sizes[donor.slot] >= sizes[live.slot] > 0


def _minimum(ordered: Sequence[Live], sizes: dict[int, int], in_place: dict[int, int]) -> int:
    """The most bytes that are alive at one step."""
    changes: dict[int, int] = defaultdict(int)
    for live in ordered:
        # In the step that takes a buffer over, the donor stands for both: it is the larger.
        changes[live.first + (live.slot in in_place)] += sizes[live.slot]
        changes[live.last + 1] -= sizes[live.slot]
    return max(accumulate(change for _, change in sorted(changes.items())), default=0)


class _Gaps:
    """Free ranges of a piece of memory that grows at its end; neighbours are joined."""

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
        offset = self._start_of.get(self.total, self.total)  # a gap at the end, too small, is made larger
        if offset < self.total:
            self._remove(offset)
        self.total = offset + size
        return offset

    def give(self, offset: int, size: int) -> None:
        """Make a range free."""
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


def _by_first_use(ordered: Sequence[Live], sizes: dict[int, int], in_place: dict[int, int]) -> Found:
    """The steps in order, each buffer into the smallest gap that fits."""
    gaps = _Gaps()
    offsets: dict[int, int] = {}
    kept = {donor: sizes[slot] for slot, donor in in_place.items()}  # of a donor's bytes, those that live on
    ending = sorted(ordered, key=attrgetter("last"))
    done = 0
    # Within a step the large first: what is left of a large gap may serve a small one.
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
    """Buffers that follow one another in place, so get one offset; each is no larger than the one before.

    parts: the slot, size and last step of each. Steps are numbered as `_chains` says.
    """

    first: int
    last: int
    size: int
    parts: tuple[tuple[int, int, int], ...]


def _chains(ordered: Sequence[Live], sizes: dict[int, int], in_place: dict[int, int]) -> list[_Chain]:
    """What gets one offset. Only steps at which a buffer begins are numbered: lives that meet, meet at such a step."""
    members: dict[int, list[Live]] = {}
    for live in ordered:
        chain = members.pop(in_place[live.slot]) if live.slot in in_place else []
        chain.append(live)
        members[live.slot] = chain
    begins = sorted({live.first for live in ordered})

    def chained(chain: list[Live]) -> _Chain:
        parts = tuple((live.slot, sizes[live.slot], bisect_right(begins, live.last) - 1) for live in chain)
        return _Chain(bisect_left(begins, chain[0].first), parts[-1][2], parts[0][1], parts)

    return [chained(chain) for chain in members.values()]


def _largest_first(ordered: Sequence[Live], sizes: dict[int, int], in_place: dict[int, int]) -> Found:
    """The largest first, each into the smallest gap between those that are alive at its time."""
    if len(ordered) > MOST_PAIRS:
        return {}, sys.maxsize
    chains = _chains(ordered, sizes, in_place)
    if sum(chain.last - chain.first + 1 for chain in chains) > MOST_PAIRS:
        return {}, sys.maxsize
    offsets: dict[int, int] = {}
    alive: dict[int, list[tuple[int, int]]] = defaultdict(list)  # step -> the (offset, end) of those alive at it
    begun: dict[int, list[tuple[int, int]]] = defaultdict(list)  # step -> the (offset, end) of those that begin at it
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
    """The offset of the smallest gap of at least `size` bytes between the places met; the end if there is none."""
    free, smallest, best = 0, sys.maxsize, -1
    for offset, end in met:
        if size <= offset - free < smallest:
            smallest, best = offset - free, free
        free = max(free, end)
    return free if best < 0 else best
