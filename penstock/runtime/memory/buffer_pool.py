"""Where does the memory of a large result come from, and how does it come back?

The first touch of fresh memory costs as much as adding numbers into it or more, so memory touched once is kept:

    empty() -> array -> views, memoryviews, DLPack capsules ...      whoever holds one of these
                 |  base                                             keeps the owner alive;
               owner -> block                                        when the owner dies, the block
                          |                                          goes back to its shelf (one per size),
               shelf of idle blocks  <- - - - - - - - - - -          by one atomic append

Nothing here takes a lock: an owner may die anywhere (the garbage collector runs finalizers in any thread, also in the
middle of `empty`), and a lock that the same thread already holds would never open. Only operations of `deque` and
`dict` that are atomic by themselves change what the threads share, and byte counts are read off these when asked for.
A fork copies the pool as it stands; there is no lock that the child could find closed.

Where llvmlite is, NumPy itself takes large arrays from a pool in machine code after a while (llvm.numpy_allocator).
Then what is handed out comes from there, and what lies here goes back to the system as it comes home; counts are of
both.

Measured, one thread (np.empty: 0.17 us): `empty` and giving back together 2.0 us in the pool, 0.7 us for a small
array. `np.add(a, b)` of 1e7 float32: 6.8 ms into fresh memory, 3.5 into the pool's, 3.5 into one array again and again.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from math import prod
from operator import attrgetter, index
from typing import Any, Final, SupportsIndex
from weakref import ref

import numpy as np
import numpy.typing as npt

from ..base.fp_context import prepare, quietly
from ..llvm.numpy_allocator import Allocator, wanted

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
    """What a pool holds, in bytes (of whole blocks, so up to 12.5 % more than the arrays), and how often it helped.

    in_use: in blocks whose arrays (or views of them) are alive.
    idle: in blocks that wait to be used again.
    peak: the most that was held at once, in use and idle together.
    hits, misses: arrays made from an idle block, and from new memory.
    """

    in_use: int
    idle: int
    peak: int
    hits: int
    misses: int


class _Block:
    """Memory that is handed out as a whole; `address` is its first aligned byte."""

    __slots__ = ("address", "memory")

    def __init__(self, memory: Array) -> None:
        self.memory = memory
        self.address: int = -(-memory.ctypes.data // ALIGNMENT) * ALIGNMENT


class _Return:
    """Gives a block back when it dies; made by a dying owner, which holds it (see `_owner_type`)."""

    __slots__ = ("block", "give_back")

    def __init__(self, block: _Block, give_back: Callable[[_Block], None]) -> None:
        self.block = block
        self.give_back = give_back

    def __del__(self) -> None:
        self.give_back(self.block)


def _owner_type(size: int, give_back: Callable[[_Block], None]) -> Any:
    """The type of the objects that stand behind arrays of one size of block.

    A ctypes array is a buffer at a given address: NumPy takes it with any dtype (an object with `__array_interface__`
    has no word for bfloat16, and costs twice as much: 1.1 against 0.5 us).

    A finalizer may run although the object lives on: the collector finalizes a whole cycle, and one of its members may
    put another where it can be reached. The block must not go back then. So the owner's finalizer only gives the owner
    a new member, and that member's finalizer, which runs when the owner is really gone, gives back the block.
    """

    def finalize(owner: Any) -> None:
        block = getattr(owner, "block", None)  # None: interrupted before the block was put there
        if block is not None:
            owner.last = _Return(block, give_back)

    body = {"_type_": ctypes.c_char, "_length_": size, "__slots__": ("block", "last"), "__del__": finalize}
    return type("PoolBlock", (ctypes.Array,), body)


class _Shelf:
    """Blocks of one size: `idle` ones, and a weak reference to the memory of each that exists, idle or not."""

    __slots__ = ("existing", "hits", "idle", "misses", "owner", "owner_at", "size", "used")

    def __init__(self, size: int) -> None:
        self.size: Final = size
        self.idle: Final[deque[_Block]] = deque()
        self.existing: Final[dict[int, ref[Array]]] = {}
        self.owner: Any = None
        self.owner_at: Any = None
        self.used = 0  # when a block last came back
        # Numbers for people; without a global interpreter lock they may miss an event.
        self.hits = 0
        self.misses = 0


_dtype, _empty, _array = np.dtype, np.empty, np.ndarray  # 20 ns each for the dot


def _dims(shape: Shape) -> tuple[int, ...]:
    try:
        return (index(shape),)  # type: ignore[arg-type]  # asking is how one finds out
    except TypeError:
        return tuple(map(index, shape))  # type: ignore[arg-type]  # no int, so it has to be iterable


def _new_memory(size: int) -> Array:
    # NumPy asks the system for huge pages from 4 MiB on, which makes the first touch several times cheaper.
    return np.empty(size + ALIGNMENT, np.uint8)


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

    __slots__ = ("__weakref__", "_cap", "_made", "_native", "_peak", "_shelves", "_tick", "_wanted")

    def __init__(self, cap: int | None = None, wanted: Callable[[int], Allocator | None] | None = None) -> None:
        self._wanted = wanted
        self._native: Allocator | None = None
        self._made = 0
        self._cap = None if cap is None else bytes_from(cap, "cap")
        self._shelves: dict[int, _Shelf] = {}
        self._tick = count(1).__next__
        self._peak = 0

    @property
    def cap(self) -> int:
        """Bytes of idle memory that are kept at most; setting it gives back at once what is above."""
        if self._cap is None:
            self._cap = default_cap()
        return self._cap

    @cap.setter
    def cap(self, value: int) -> None:
        self._cap = bytes_from(value, "cap")
        if self._native is not None:
            self._native["cap"] = self._cap
            self._native.trim(self._cap)
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
        native = self._native or self._adopted()
        if native is not None:
            return _empty(dims, kind) if native.is_entered() else quietly(_empty, dims, kind)
        # Eight sizes of block per power of two, so at most 12.5 % more than asked for.
        step = (size - 1).bit_length() - 4
        size = ((size - 1 >> step) + 1) << step
        shelf = self._shelves.get(size) or self._new_shelf(size)
        try:
            block = shelf.idle.pop()
            shelf.hits += 1
        except IndexError:
            block = self._new_block(shelf)
        # Wherever an exception (of a signal, say) strikes below, the block has one holder that frees or returns it.
        owner = shelf.owner_at(block.address)
        owner.block = block
        return _array(dims, kind, owner)

    def owns(self, array: Array) -> bool:
        """Whether `array` is a whole result of this pool, as `empty` returned it: no view, nobody else's memory."""
        if array.base is None:
            return self._native is not None and array.nbytes >= SMALL and self._native.owns(array)
        shelf = self._shelves.get(len(base)) if isinstance(base := array.base, ctypes.Array) else None
        return shelf is not None and type(base) is shelf.owner and array.flags.c_contiguous

    def trim(self, to: int = 0) -> int:
        """Give idle memory back to the system until at most `to` bytes are kept; the number of bytes given back."""
        limit = bytes_from(to, "to")
        if self._native is None:
            return self._drop_above(limit)
        return self._drop_above(0) + self._native.trim(limit)

    def stats(self) -> MemoryStats:
        """What is held now, and how often the pool helped so far."""
        shelves = list(self._shelves.values())
        idle = self._idle()
        native = self._native or _NOTHING
        return MemoryStats(
            in_use=max(self._held() - idle, 0) + native["live"],  # other threads may have moved blocks in between
            idle=idle + native["idle"],
            peak=max(self._peak, native["peak"]),
            hits=sum(shelf.hits for shelf in shelves) + native["hits"],
            misses=sum(shelf.misses for shelf in shelves) + native["misses"],
        )

    def _adopted(self) -> Allocator | None:
        """The native pool, if it is there by now; from then on it does the work."""
        self._made += 1
        native = None if self._wanted is None else self._wanted(self._made)
        if native is not None:
            native["cap"] = self.cap
            native["peak"] = self._peak
            self._native = native
            prepare(native.enter)
            self._drop_above(0)
            native["beside"] = self._held()
        return native

    def _idle(self) -> int:
        return sum([shelf.size * len(shelf.idle) for shelf in list(self._shelves.values())])

    def _held(self) -> int:
        return sum([shelf.size * len(shelf.existing) for shelf in list(self._shelves.values())])

    def _new_shelf(self, size: int) -> _Shelf:
        shelf = _Shelf(size)

        def give_back(block: _Block) -> None:
            shelf.used = self._tick()
            shelf.idle.append(block)
            cap = self.cap if self._native is None else 0
            if self._idle() > cap:
                if size > cap:  # it alone is too much: do not drop the others for its sake
                    self._drop(shelf, size)
                self._drop_above(cap)
            if self._native is not None:
                self._native["beside"] = max(self._held() - size, 0)  # the block lives until this returns

        shelf.owner = _owner_type(size, give_back)
        shelf.owner_at = shelf.owner.from_address
        return self._shelves.setdefault(size, shelf)

    def _new_block(self, shelf: _Shelf) -> _Block:
        if self._cap is None:  # one that cannot be read is an error here, where the caller sees it, not in a finalizer
            self._cap = default_cap()
        try:
            memory = _new_memory(shelf.size)
        except MemoryError:
            self._drop_above(0)
            memory = _new_memory(shelf.size)
        # What exists is counted by its memory's own life, so no path, however interrupted, can leave a wrong count.
        key, existing = self._tick(), shelf.existing
        existing[key] = ref(memory, lambda _: existing.pop(key, None))
        shelf.misses += 1
        self._peak = max(self._peak, self._held())
        return _Block(memory)

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


_NOTHING: Final = dict.fromkeys(("live", "idle", "peak", "hits", "misses"), 0)

POOL: Final = Pool(wanted=wanted)
