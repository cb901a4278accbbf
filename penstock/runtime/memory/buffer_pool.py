"""The buffer pool: large arrays whose memory is reused when the last reference to it is gone.

The first touch of new memory costs at least as much as an addition into it, so touched memory is kept:

    empty() -> array -> views, memoryviews, DLPack capsules ...      each of these keeps the owner alive;
                 |  base                                             when the owner dies, its memory
               owner                                                 goes back to its free list (one per size)
                 |  base                                             by one atomic append
               memory <- - free list of idle memory

No function here takes a lock. An owner may die anywhere (the garbage collector runs finalizers in any thread, even in
the middle of `empty`), and a lock held by the same thread would deadlock. Shared state changes only by operations of
`deque` and `dict` that are atomic. A fork copies the pool as it is.

One thread: `empty` and the return together take 1.0 us, 0.6 us for a small array (np.empty: 0.2 us). `np.add(a, b)` of
1e7 float32: 6.8 ms into new memory, 3.5 into the pool's, 3.5 into one array again and again.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
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
# From this size on malloc asks the system. Arrays of 64-96 KiB, four of them held: np.empty and an addition 3.0 us,
# the pool 5.1; of 128-192 KiB 21 and 7.2; of 256-384 KiB 44 and 11.5. From 0.5 to 24 MiB, in a program that does
# nothing
# else, malloc adapts and keeps its memory, and is up to a fifth faster (17 and 20, 34 and 42, 325 and 330 us); above 32
# MiB it never keeps any.
SMALL: Final = 1 << 17
LARGEST: Final = 1 << 62  # for more np.empty raises the error
CAP_VARIABLE: Final = "PENSTOCK_MEMORY_CAP"

_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
          "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}  # fmt: skip


def bytes_from(value: int | str, what: str) -> int:
    """A number of bytes, given as an int or as text such as "512MiB" or "1.5 GB"; `what` names it in the error.

    Raises:
        TypeError, ValueError: `value` is not such a number.
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
    """The default limit of idle memory: the environment's, else 1 GiB, or a quarter of the memory if that is less."""
    if text := os.environ.get(CAP_VARIABLE, "").strip():
        return bytes_from(text, CAP_VARIABLE)
    return min(1 << 30, _memory_of_the_machine() // 4)


def _memory_of_the_machine() -> int:
    """Bytes of RAM, or the limit of the container if that is less."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not known on this system
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
    """The memory of one block; it is aligned from byte `start` on."""

    __slots__ = ("free_list", "start")

    free_list: _FreeList
    start: int


class _Owner(np.ndarray[Any, Any]):
    """The base of one array of the pool. Because of its class NumPy keeps it as the base of all views."""

    __slots__ = ()

    def __del__(self) -> None:
        memory = self.base
        # A finalizer also runs for an owner in a cycle that another finalizer keeps alive. Its memory is not pooled but
        # freed when the owner dies.
        if type(memory) is _Memory and getrefcount(self) <= _DYING:
            memory.free_list.take_back(memory)


class _FinalizerProbe:
    """Notes `getrefcount` in its finalizer; the number differs between versions of Python."""

    def __init__(self, counts: list[int]) -> None:
        self._counts = counts

    def __del__(self) -> None:
        self._counts.append(getrefcount(self))


def _references_when_dying() -> int:
    counts: list[int] = []
    _FinalizerProbe(counts)
    return counts[0]


_DYING: Final = _references_when_dying()


class _FreeList:
    """The blocks of one size: the idle ones, and weak references to the memory of all."""

    __slots__ = ("existing", "hits", "idle", "misses", "pool", "size", "used")

    def __init__(self, size: int, pool: Pool) -> None:
        self.size: Final = size
        self.pool: Final = pool
        self.idle: Final[deque[_Memory]] = deque()
        self.existing: Final[dict[int, ref[_Memory]]] = {}
        self.used = 0  # the time at which a block last came back
        # Statistics; without a global interpreter lock they may miss an event.
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
        return (index(shape),)  # type: ignore[arg-type]  # raises for a sequence
    except TypeError:
        return tuple(map(index, shape))  # type: ignore[arg-type]  # not an int, so it is iterable


def _new_memory(size: int) -> _Memory:
    # From 4 MiB on NumPy asks the system for huge pages, which makes the first touch several times cheaper.
    return _Memory(size + ALIGNMENT, _BYTE)


_BYTE: Final = np.dtype(np.uint8)


class Pool:
    """A pool of memory for arrays; a block is idle when the last reference to its array is gone. Thread-safe.

    Args:
        cap: the most bytes of idle memory; beyond it blocks are freed, the least recently used size first. None:
            `default_cap()`, computed at first use.

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

    __slots__ = ("__weakref__", "_cap", "_free_lists", "_peak", "may_exceed", "tick")

    def __init__(self, cap: int | None = None) -> None:
        self._cap = None if cap is None else bytes_from(cap, "cap")
        self._free_lists: dict[int, _FreeList] = {}
        self.tick = count(1).__next__
        self._peak = 0
        self.may_exceed = False  # whether all blocks together exceed the cap

    @property
    def cap(self) -> int:
        """The most bytes of idle memory; setting it frees the excess at once."""
        if self._cap is None:
            self._cap = default_cap()
        return self._cap

    @cap.setter
    def cap(self, value: int) -> None:
        self._cap = bytes_from(value, "cap")
        self.may_exceed = True
        self._drop_above(self._cap)

    def empty(self, shape: Shape, dtype: npt.DTypeLike) -> Array:
        """A row-major, writable, uninitialised array; from `SMALL` bytes on aligned to 64 bytes and from the pool.

        Small arrays and arrays of Python objects come from `np.empty`.

        Raises:
            MemoryError: there is not enough memory, even after all idle memory was freed.
        """
        kind = _dtype(dtype)
        # Python ints from here on: a product of NumPy ints would wrap around.
        dims = tuple(map(index, shape)) if type(shape) is tuple else _dims(shape)
        size = prod(dims) * kind.itemsize
        if not SMALL <= size <= LARGEST or kind.hasobject:
            try:
                return _empty(dims, kind)
            except MemoryError:
                self._drop_above(0)
                return _empty(dims, kind)
        # Eight block sizes per power of two, so a block is at most 12.5 % larger than the array.
        step = (size - 1).bit_length() - 4
        size = ((size - 1 >> step) + 1) << step
        free_list = self._free_lists.get(size) or self._free_lists.setdefault(size, _FreeList(size, self))
        try:
            memory = free_list.idle.pop()
            free_list.hits += 1
        except IndexError:
            memory = self._new_block(free_list)
        # At every point exactly one object holds the memory, so an exception (of a signal, say) cannot leak it.
        return _Owner(dims, kind, memory, memory.start).view(_array)

    def owns(self, array: Array) -> bool:
        """True if `array` is an array that `empty` of this pool returned, and not a view."""
        base = array.base
        if not isinstance(base, _Owner) or not isinstance(memory := base.base, _Memory):
            return False
        return memory.free_list.pool is self and bool(array.flags.c_contiguous)

    def trim(self, to: int = 0) -> int:
        """Free idle memory until at most `to` bytes are kept; the number of bytes freed."""
        return self._drop_above(bytes_from(to, "to"))

    def stats(self) -> MemoryStats:
        """The memory that is held now, and the hits and misses so far."""
        free_lists = list(self._free_lists.values())
        idle = self._idle()
        return MemoryStats(
            in_use=max(self._held() - idle, 0),  # other threads may have moved blocks in between
            idle=idle,
            peak=self._peak,
            hits=sum(free_list.hits for free_list in free_lists),
            misses=sum(free_list.misses for free_list in free_lists),
        )

    def keep_below_the_cap(self, free_list: _FreeList) -> None:
        """Free the excess after a block came back to `free_list`."""
        cap = self.cap
        if self._idle() > cap:
            if free_list.size > cap:  # it alone exceeds the cap: keep the others
                self._drop(free_list, free_list.size)
            self._drop_above(cap)
        self.may_exceed = self._held() > cap

    def _idle(self) -> int:
        return sum([free_list.size * len(free_list.idle) for free_list in list(self._free_lists.values())])

    def _held(self) -> int:
        return sum([free_list.size * len(free_list.existing) for free_list in list(self._free_lists.values())])

    def _new_block(self, free_list: _FreeList) -> _Memory:
        if self._cap is None:  # an invalid value is an error here, in the caller, not in a finalizer
            self._cap = default_cap()
        try:
            memory = _new_memory(free_list.size)
        except MemoryError:
            self._drop_above(0)
            memory = _new_memory(free_list.size)
        # Blocks are counted by weak references to their memory, so no interrupt can leave a wrong count.
        memory.free_list, memory.start = free_list, -memory.ctypes.data % ALIGNMENT
        key, existing = self.tick(), free_list.existing
        existing[key] = ref(memory, partial(existing.pop, key))  # in C throughout: Ctrl-C cannot get lost in it
        free_list.misses += 1
        held = self._held()
        self._peak = max(self._peak, held)
        self.may_exceed = held > self._cap
        return memory

    def _drop_above(self, limit: int) -> int:
        """Drop idle blocks, the least recently used size first, until at most `limit` bytes are idle."""
        dropped = 0
        while (excess := self._idle() - limit) > 0:
            free_lists = [free_list for free_list in list(self._free_lists.values()) if free_list.idle]
            if free_lists:
                dropped += self._drop(min(free_lists, key=attrgetter("used")), excess)
        return dropped

    def _drop(self, free_list: _FreeList, excess: int) -> int:
        """Drop idle blocks of one size until `excess` bytes are freed or none is left."""
        dropped = 0
        while dropped < excess:
            try:
                free_list.idle.popleft()
            except IndexError:  # another thread took it
                break
            dropped += free_list.size
        return dropped


POOL: Final = Pool()
