"""The memory pool: large arrays whose memory is used again when the last reference to it is gone.

The first touch of fresh memory costs as much as adding numbers into it or more, so memory touched once is kept:

    empty() -> array -> views, memoryviews, DLPack capsules ...      each of these keeps the owner alive;
                 |  base                                             when the owner dies, its memory
               owner                                                 goes back to its shelf (one per size)
                 |  base                                             by one atomic append
               memory <- - shelf of idle memory

Nothing here takes a lock: an owner may die anywhere (the garbage collector runs finalizers in any thread, also in the
middle of `empty`), and a lock that the same thread already holds would never open. Only operations of `deque` and
`dict` that are atomic by themselves change what the threads share. A fork copies the pool as it stands.

One thread: `empty` and giving back together take 1.0 us, 0.6 us for a small array (np.empty: 0.2 us). `np.add(a, b)` of
1e7 float32: 6.8 ms into fresh memory, 3.5 into the pool's, 3.5 into one array again and again.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from math import prod
from operator import attrgetter, index
from sys import getrefcount
from typing import Any, Final, SupportsIndex
from weakref import ref

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, np.dtype[Any]]
Shape = SupportsIndex | Iterable[SupportsIndex]

ALIGNMENT: Final = 64  # one cache line, and the widest vector register
# From here on malloc turns to the system. Arrays of 64-96 KiB, four of them held: np.empty and an addition 3.0 us,
# the pool 5.1; of 128-192 KiB 21 and 7.2; of 256-384 KiB 44 and 11.5. From 0.5 to 24 MiB a program that does nothing
# else teaches malloc to keep its memory, and malloc is up to a fifth faster (17 and 20, 34 and 42, 325 and 330 us);
# above 32 MiB it never keeps any.
SMALL: Final = 1 << 17
LARGEST: Final = 1 << 62  # above it np.empty says what is wrong
CAP_VARIABLE: Final = "PENSTOCK_MEMORY_CAP"

_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
          "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}  # fmt: skip


def bytes_from(value: int | str, what: str) -> int:
    """A number of bytes, given as an int or as text such as "512MiB" or "1.5 GB"; `what` names it in the error.

    Raises:
        TypeError, ValueError: `value` is no such number.
    """
    rule = 'a size is a whole number of bytes (0 or more), or text with a unit such as "512MiB" or "2GB"'
    cure = f"units are B, KiB, MiB, GiB, TiB, KB, MB, GB, TB; write for example {what}=512MiB"
    if isinstance(value, bool) or not isinstance(value, (str, int, np.integer)):
        raise TypeError(f"{what} is {value!r} of type {type(value).__name__}; {rule}; {cure}")
    if not isinstance(value, str):
        if value >= 0:
            return int(value)
        raise ValueError(f"{what} is {value}; {rule}; {cure}")
    found = re.fullmatch(r"\s*(\d+)(\.\d+)?\s*([a-z]*)\s*", value.lower(), re.ASCII)
    unit = _UNITS.get(found[3]) if found else None
    if found is None or unit is None or (found[2] and unit == 1):
        raise ValueError(f"{what} is {value!r}; {rule}; {cure}")
    return int(found[1]) * unit + int(float(found[2] or 0) * unit)


def default_cap() -> int:
    """How much idle memory is kept: what the environment says, or 1 GiB, or a quarter of the memory if that is less."""
    if text := os.environ.get(CAP_VARIABLE, "").strip():
        return bytes_from(text, CAP_VARIABLE)
    return min(1 << 30, _memory_of_the_machine() // 4)


def _memory_of_the_machine() -> int:
    """Bytes of RAM, or fewer where a container is allowed fewer."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such question on this system
        return 4 << 30
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            return min(total, int(file.read()))
    except (OSError, ValueError):  # no such file, or it says "max"
        return total


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """What a memory pool holds, in bytes of whole blocks (up to 12.5 % more than the arrays), and how often it helped.

    Attributes:
        in_use: bytes in blocks whose arrays, or views of them, are alive.
        idle: bytes in unused blocks.
        peak: the largest sum of both so far.
        hits: arrays made in an unused block.
        misses: arrays made in new memory.

    >>> from penstock.config import memory
    >>> memory.stats().peak >= memory.stats().in_use
    True
    """

    in_use: int
    idle: int
    peak: int
    hits: int
    misses: int


class _Memory(np.ndarray[Any, Any]):
    """The bytes of one block; those from `start` on are aligned."""

    __slots__ = ("shelf", "start")

    shelf: _Shelf
    start: int


class _Owner(np.ndarray[Any, Any]):
    """What stands behind one array of the pool. NumPy makes it the base of all views, because its type is its own."""

    __slots__ = ()

    def __del__(self) -> None:
        memory = self.base
        # A finalizer also runs for an owner in a cycle that another finalizer keeps alive. That memory is not pooled
        # again: it is freed when the owner dies.
        if type(memory) is _Memory and getrefcount(self) <= _DYING:
            memory.shelf.take_back(memory)


class _Dying:
    """Tells what `getrefcount` says in the finalizer of an object that dies: it differs between versions of Python."""

    def __init__(self, told: list[int]) -> None:
        self._told = told

    def __del__(self) -> None:
        self._told.append(getrefcount(self))


def _references_when_dying() -> int:
    told: list[int] = []
    _Dying(told)
    return told[0]


_DYING: Final = _references_when_dying()


class _Shelf:
    """Blocks of one size: `idle` ones, and a weak reference to the memory of each that exists, idle or not."""

    __slots__ = ("existing", "hits", "idle", "misses", "pool", "size", "used")

    def __init__(self, size: int, pool: Pool) -> None:
        self.size: Final = size
        self.pool: Final = pool
        self.idle: Final[deque[_Memory]] = deque()
        self.existing: Final[dict[int, ref[_Memory]]] = {}
        self.used = 0  # when a block last came back
        # Numbers for people; without a global interpreter lock they may miss an event.
        self.hits = 0
        self.misses = 0

    def take_back(self, memory: _Memory) -> None:
        """Keep the memory of an array that died."""
        pool = self.pool
        self.used = pool.tick()
        self.idle.append(memory)
        if pool.may_exceed:
            pool.keep_below_the_cap(self)


_dtype, _empty, _array = np.dtype, np.empty, np.ndarray  # 20 ns each for the dot


def _dims(shape: Shape) -> tuple[int, ...]:
    try:
        return (index(shape),)  # type: ignore[arg-type]  # asking is how one finds out
    except TypeError:
        return tuple(map(index, shape))  # type: ignore[arg-type]  # no int, so it has to be iterable


def _new_memory(size: int) -> _Memory:
    # NumPy asks the system for huge pages from 4 MiB on, which makes the first touch several times cheaper.
    return _Memory(size + ALIGNMENT, _BYTE)


_BYTE: Final = np.dtype(np.uint8)


class Pool:
    """Arrays whose memory comes back when nobody holds it any more.

    `cap`: bytes of idle memory to keep; what would exceed it is given to the system, the size least recently used
    first. None: `default_cap()`, asked at first use. Any number of threads may use a pool at once.

    >>> pool = Pool(cap=1 << 20)
    >>> x = pool.empty((300, 200), np.float32)
    >>> pool.owns(x), pool.owns(x[1:]), pool.stats().in_use
    (True, False, 245760)
    >>> row = x[0]
    >>> del x
    >>> pool.stats().idle  # a view is alive
    0
    >>> del row
    >>> pool.stats()
    MemoryStats(in_use=0, idle=245760, peak=245760, hits=0, misses=1)
    """

    __slots__ = ("__weakref__", "_cap", "_peak", "_shelves", "may_exceed", "tick")

    def __init__(self, cap: int | None = None) -> None:
        self._cap = None if cap is None else bytes_from(cap, "cap")
        self._shelves: dict[int, _Shelf] = {}
        self.tick = count(1).__next__
        self._peak = 0
        self.may_exceed = False  # whether all that is held would be more than the cap if it were idle

    @property
    def cap(self) -> int:
        """Bytes of idle memory that are kept at most; setting it gives back at once what is above."""
        if self._cap is None:
            self._cap = default_cap()
        return self._cap

    @cap.setter
    def cap(self, value: int) -> None:
        self._cap = bytes_from(value, "cap")
        self.may_exceed = True
        self._drop_above(self._cap)

    def empty(self, shape: Shape, dtype: npt.DTypeLike) -> Array:
        """A row-major, writable array of any content; from `SMALL` bytes on aligned to 64 bytes and from the pool.

        Arrays of Python objects come from `np.empty`, and so do small ones.

        Raises:
            MemoryError: also without any idle memory there is not enough.
        """
        kind = _dtype(dtype)
        # Plain ints from here on: a product of NumPy's would wrap around.
        dims = tuple(map(index, shape)) if type(shape) is tuple else _dims(shape)
        size = prod(dims) * kind.itemsize
        if not SMALL <= size <= LARGEST or kind.hasobject:
            try:
                return _empty(dims, kind)
            except MemoryError:
                self._drop_above(0)
                return _empty(dims, kind)
        # Eight sizes of block per power of two, so at most 12.5 % more than asked for.
        step = (size - 1).bit_length() - 4
        size = ((size - 1 >> step) + 1) << step
        shelf = self._shelves.get(size) or self._shelves.setdefault(size, _Shelf(size, self))
        try:
            memory = shelf.idle.pop()
            shelf.hits += 1
        except IndexError:
            memory = self._new_block(shelf)
        # Wherever an exception (of a signal, say) strikes, the memory has one holder that frees or returns it.
        return _Owner(dims, kind, memory, memory.start).view(_array)

    def owns(self, array: Array) -> bool:
        """Whether `array` is a whole result of this pool, as `empty` returned it: no view, nobody else's memory."""
        base = array.base
        if not isinstance(base, _Owner) or not isinstance(memory := base.base, _Memory):
            return False
        return memory.shelf.pool is self and bool(array.flags.c_contiguous)

    def trim(self, to: int = 0) -> int:
        """Give idle memory back to the system until at most `to` bytes are kept; the number of bytes given back."""
        return self._drop_above(bytes_from(to, "to"))

    def stats(self) -> MemoryStats:
        """What is held now, and how often the pool helped so far."""
        shelves = list(self._shelves.values())
        idle = self._idle()
        return MemoryStats(
            in_use=max(self._held() - idle, 0),  # other threads may have moved blocks in between
            idle=idle,
            peak=self._peak,
            hits=sum(shelf.hits for shelf in shelves),
            misses=sum(shelf.misses for shelf in shelves),
        )

    def keep_below_the_cap(self, shelf: _Shelf) -> None:
        """Drop what is too much, now that a block came back to `shelf`."""
        cap = self.cap
        if self._idle() > cap:
            if shelf.size > cap:  # it alone is too much: do not drop the others for its sake
                self._drop(shelf, shelf.size)
            self._drop_above(cap)
        self.may_exceed = self._held() > cap

    def _idle(self) -> int:
        return sum([shelf.size * len(shelf.idle) for shelf in list(self._shelves.values())])

    def _held(self) -> int:
        return sum([shelf.size * len(shelf.existing) for shelf in list(self._shelves.values())])

    def _new_block(self, shelf: _Shelf) -> _Memory:
        if self._cap is None:  # one that cannot be read is an error here, where the caller sees it, not in a finalizer
            self._cap = default_cap()
        try:
            memory = _new_memory(shelf.size)
        except MemoryError:
            self._drop_above(0)
            memory = _new_memory(shelf.size)
        # What exists is counted by its memory's own life, so no path, however interrupted, can leave a wrong count.
        memory.shelf, memory.start = shelf, -memory.ctypes.data % ALIGNMENT
        key, existing = self.tick(), shelf.existing
        existing[key] = ref(memory, lambda _: existing.pop(key, None))
        shelf.misses += 1
        held = self._held()
        self._peak = max(self._peak, held)
        self.may_exceed = held > self._cap
        return memory

    def _drop_above(self, limit: int) -> int:
        """Drop idle blocks, the shelf that was used longest ago first, until at most `limit` bytes are idle."""
        dropped = 0
        while (excess := self._idle() - limit) > 0:
            shelves = [shelf for shelf in list(self._shelves.values()) if shelf.idle]
            if shelves:
                dropped += self._drop(min(shelves, key=attrgetter("used")), excess)
        return dropped

    def _drop(self, shelf: _Shelf, excess: int) -> int:
        """Drop idle blocks of one shelf until `excess` bytes are gone or none is left."""
        dropped = 0
        while dropped < excess:
            try:
                shelf.idle.popleft()
            except IndexError:  # another thread took it
                break
            dropped += shelf.size
        return dropped


POOL: Final = Pool()
