"""The buffer pool: large arrays whose memory is reused when the last reference to it is gone.

The first touch of new memory costs at least as much as an addition into it, so touched memory is kept:

    empty() -> array -> views, memoryviews, DLPack capsules ...      each of these keeps the lease alive;
                 |  base                                             when the lease dies, its memory
               owner                                                 goes back to the idle blocks of its size
                 |  base                                             by one call of a function in C
               lease
                 |  base
               memory <- - idle blocks of one size

A lease dies anywhere: the garbage collector runs finalizers in any thread, even in the middle of `empty`. So no
function here takes a lock, which the same thread may hold, and shared state changes only by operations of `dict` that
are atomic. Nor does Python code run when a lease dies: Python ignores what finalizers raise, so Ctrl-C that arrived in
it would be lost. A fork copies the pool as it is.

Without code at the return, the bound on idle memory is kept where blocks are made: the blocks that may come back, idle
or in use, never exceed the cap together. For a new block those leased longest ago lose their way back: an idle one is
freed, one in use will be freed when its lease dies.

One thread: `empty` and the return together take 1.0 us, 0.6 us for a small array (np.empty: 0.2 us). `np.add(a, b)` of
1e7 float32: 6.8 ms into new memory, 3.5 into the pool's, 3.5 into one array again and again.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from math import prod
from operator import index
from typing import Any, Final, SupportsIndex
from weakref import ref

import numpy as np
import numpy.typing as npt

from ...graph.common.quick_dataclass import dataclass

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

    __slots__ = ("free_list", "key", "lease", "start")

    free_list: _FreeList
    key: int
    lease: ref[_Lease]
    start: int


class _Lease(np.ndarray[Any, Any]):
    """One use of a block. `__del__` is a slot whose value Python calls when the lease dies.

    Only the owner refers to a lease, in a way that the garbage collector does not follow. So the collector never takes
    a lease for garbage and calls `__del__` while a finalizer may still save the array: it is called when memory is
    free indeed.
    """

    __slots__ = ("__del__",)

    __del__: Callable[[], object]


class _Owner(np.ndarray[Any, Any]):
    """The base of one array of the pool. Because of its class NumPy keeps it as the base of all views."""

    __slots__ = ()


_no_return: Final = bool  # a function in C that does nothing


class _FreeList:
    """The blocks of one size: the idle ones, and weak references to the memory of all."""

    __slots__ = ("hits", "idle", "misses", "pool", "returning", "size", "unpooled")

    def __init__(self, size: int, pool: Pool) -> None:
        self.size: Final = size
        self.pool: Final = pool
        self.idle: Final[dict[int, _Memory]] = {}
        self.returning: Final[dict[int, ref[_Memory]]] = {}  # idle or in use
        self.unpooled: Final[dict[int, ref[_Memory]]] = {}  # in use, will be freed
        # Statistics; without a global interpreter lock they may miss an event.
        self.hits = 0
        self.misses = 0


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
        cap: the most bytes of idle memory; of more blocks those used longest ago are freed. None: `default_cap()`,
            computed at first use.

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

    __slots__ = ("__weakref__", "_cap", "_free_lists", "_order", "_peak", "_tick")

    def __init__(self, cap: int | None = None) -> None:
        self._cap = None if cap is None else bytes_from(cap, "cap")
        self._free_lists: dict[int, _FreeList] = {}
        self._order: Final[OrderedDict[int, ref[_Memory]]] = OrderedDict()  # blocks that may come back, by last use
        self._tick = count(1).__next__
        self._peak = 0

    @property
    def cap(self) -> int:
        """The most bytes of idle memory; setting it frees the excess at once."""
        if self._cap is None:
            self._cap = default_cap()
        return self._cap

    @cap.setter
    def cap(self, value: int) -> None:
        self._cap = bytes_from(value, "cap")
        self._keep_below(self._cap)

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
                self._drop_idle_above(0)
                return _empty(dims, kind)
        # Eight block sizes per power of two, so a block is at most 12.5 % larger than the array.
        step = (size - 1).bit_length() - 4
        size = ((size - 1 >> step) + 1) << step
        free_list = self._free_lists.get(size) or self._free_lists.setdefault(size, _FreeList(size, self))
        try:
            memory = free_list.idle.popitem()[1]
            free_list.hits += 1
        except KeyError:
            memory = self._new_block(free_list)
        # At every point exactly one object holds the memory, so an exception (of a signal, say) cannot leak it.
        lease = _Lease(dims, kind, memory, memory.start)
        key = memory.key
        lease.__del__ = partial(free_list.idle.setdefault, key, memory)
        memory.lease = ref(lease)
        try:
            self._order.move_to_end(key)
        except KeyError:  # there is no room for it, or another thread has taken its way back just now
            lease.__del__ = _no_return
        return lease.view(_Owner).view(_array)

    def owns(self, array: Array) -> bool:
        """True if `array` is an array that `empty` of this pool returned, and not a view."""
        base = array.base
        if not isinstance(base, _Owner) or not isinstance(lease := base.base, _Lease):
            return False
        memory = lease.base
        return isinstance(memory, _Memory) and memory.free_list.pool is self and bool(array.flags.c_contiguous)

    def trim(self, to: int = 0) -> int:
        """Free idle memory until at most `to` bytes are kept; the number of bytes freed."""
        return self._drop_idle_above(bytes_from(to, "to"))

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

    def _idle(self) -> int:
        return sum([free_list.size * len(free_list.idle) for free_list in list(self._free_lists.values())])

    def _returning(self) -> int:
        return sum([free_list.size * len(free_list.returning) for free_list in list(self._free_lists.values())])

    def _held(self) -> int:
        unpooled = [free_list.size * len(free_list.unpooled) for free_list in list(self._free_lists.values())]
        return self._returning() + sum(unpooled)

    def _new_block(self, free_list: _FreeList) -> _Memory:
        if self._cap is None:
            self._cap = default_cap()
        size = free_list.size
        try:
            memory = _new_memory(size)
        except MemoryError:
            self._drop_idle_above(0)
            memory = _new_memory(size)
        memory.free_list, memory.start = free_list, -memory.ctypes.data % ALIGNMENT
        key = memory.key = self._tick()
        # A block that alone exceeds the cap drives out no others.
        if size <= self._cap:
            _note(self._order, key, memory)
            _note(free_list.returning, key, memory)
            self._keep_below(self._cap)
        else:
            _note(free_list.unpooled, key, memory)
        free_list.misses += 1
        self._peak = max(self._peak, self._held())
        return memory

    def _keep_below(self, limit: int) -> None:
        """Take the way back from the blocks used longest ago, until those that have one take at most `limit` bytes."""
        excess = self._returning() - limit
        for key, known in list(self._order.items()) if excess > 0 else ():
            memory = known()
            if memory is not None:
                excess -= memory.free_list.size
                self._take_way_back(key, memory)
            if excess <= 0:
                break

    def _take_way_back(self, key: int, memory: _Memory) -> None:
        free_list = memory.free_list
        _stay_away(memory)
        self._order.pop(key, None)
        _note(free_list.unpooled, key, memory)
        free_list.returning.pop(key, None)
        _stay_away(memory)  # another thread may have leased it in between

    def _drop_idle_above(self, limit: int) -> int:
        """Free idle blocks, those used longest ago first, until at most `limit` bytes are idle."""
        dropped, excess = 0, self._idle() - limit
        for key, known in list(self._order.items()) if excess > 0 else ():
            if dropped >= excess:
                break
            memory = known()
            if memory is not None and memory.free_list.idle.pop(key, None) is not None:
                dropped += memory.free_list.size
        return dropped


def _stay_away(memory: _Memory) -> None:
    """Let the memory be freed when its lease dies, or now if it is idle."""
    lease = getattr(memory, "lease", None)
    lease = None if lease is None else lease()
    if lease is not None:
        lease.__del__ = _no_return
    memory.free_list.idle.pop(memory.key, None)


def _note(table: dict[int, ref[_Memory]], key: int, memory: _Memory) -> None:
    """Count a block in a table as long as its memory exists; weak references, so no interrupt leaves a wrong count."""
    table[key] = ref(memory, partial(table.pop, key))  # a function in C: Ctrl-C cannot get lost in it


POOL: Final = Pool()


def allocator(shape: tuple[int, ...], dtype: Any) -> Callable[[Any, Any], Any]:
    """The function that makes such an array: NumPy's own for a small one, which takes half a microsecond less."""
    return np.empty if prod(shape) * dtype.itemsize < SMALL else POOL.empty
