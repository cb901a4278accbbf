"""What can be set for all sessions of this process, and what does it show?

`penstock.config.memory` is the door to the memory that results come from; `docs/config.md` tells when to use it.
"""

from __future__ import annotations

from typing import Final

from .runtime.memory import POOL, MemoryStats, bytes_from

__all__ = ["Memory", "MemoryStats", "memory"]


class Memory:
    """The memory of large results on the CPU: it is kept when nobody holds a result any more, and used again.

    >>> from penstock.config import memory
    >>> before = memory.cap
    >>> memory.cap = "512MiB"
    >>> memory.cap
    536870912
    >>> memory.cap = before
    >>> memory.trim() >= 0, memory.stats().idle
    (True, 0)
    """

    __slots__ = ()

    @property
    def cap(self) -> int:
        """How many bytes may wait for their next use; what exceeds it goes back to the system.

        It is set to a number of bytes or to text such as "512MiB"; 0 keeps nothing. Until it is set it is what the
        environment variable PENSTOCK_MEMORY_CAP says, otherwise 1 GiB or a quarter of the machine's memory, whichever
        is less. It does not limit the memory of results that are alive.

        Raises:
            TypeError, ValueError: a value, or an environment variable, that is no number of bytes.
        """
        return POOL.cap

    @cap.setter
    def cap(self, value: int | str) -> None:
        POOL.cap = bytes_from(value, "config.memory.cap")

    def trim(self, to: int | str = 0) -> int:
        """Give waiting memory back to the system until at most `to` bytes wait; the number of bytes given back.

        Raises:
            TypeError, ValueError: `to` is no number of bytes.
        """
        return POOL.trim(bytes_from(to, "config.memory.trim(to)"))

    def stats(self) -> MemoryStats:
        """What is held now, in use and waiting, and how often memory was used again."""
        return POOL.stats()

    def __repr__(self) -> str:
        return f"config.memory(cap={self.cap}, {self.stats()})"


memory: Final = Memory()
