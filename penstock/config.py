"""Settings of the process, shared by all sessions.

`penstock.config.memory` controls the memory pool for results, `penstock.config.jit` the compiled tier,
`penstock.config.traceback` which frames tracebacks show, `penstock.config.broadcast_warnings` whether the broadcast
trap is warned of. `docs/config.md` says when to use them.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Final, Literal

from .graph.common.lazy_import import load
from .graph.common.near_names import did_you_mean
from .graph.common.tracebacks import TRACEBACKS, hides_frames
from .graph.diagnostics.broadcast_trap import BROADCAST_WARNINGS
from .runtime.llvm import tier
from .runtime.llvm.jit_settings import SETTINGS
from .runtime.llvm.tier import JitStats
from .runtime.memory.buffer_pool import POOL, MemoryStats, bytes_from

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Jit", "JitStats", "Memory", "MemoryStats", "broadcast_warnings", "jit", "memory", "traceback"]


class Memory:
    """The memory pool for large results on the CPU: blocks of results that nothing refers to any more are used again.

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
        """The most bytes of unused blocks that the pool keeps; what exceeds it goes back to the system.

        It is set to a number of bytes or to text such as "512MiB"; 0 keeps nothing. The default is the environment
        variable PENSTOCK_MEMORY_CAP, or without it 1 GiB or a quarter of the machine's memory, whichever is less. It
        does not limit the memory of results that are in use.

        Raises:
            TypeError, ValueError: the value, or that of the environment variable, is not a number of bytes.
        """
        return POOL.cap

    @cap.setter
    @hides_frames
    def cap(self, value: int | str) -> None:
        POOL.cap = bytes_from(value, "config.memory.cap")

    @hides_frames
    def trim(self, to: int | str = 0) -> int:
        """Gives unused blocks back to the system.

        Args:
            to: how many bytes of unused blocks to keep, an int or text such as "512MiB".

        Returns:
            The number of bytes given back.

        Raises:
            TypeError: `to` is neither an int nor text.
            ValueError: it is not a number of bytes.
        """
        return POOL.trim(bytes_from(to, "config.memory.trim(to)"))

    def stats(self) -> MemoryStats:
        """How much memory the pool holds, and how often it was used again.

        Returns:
            A `MemoryStats`.
        """
        return POOL.stats()

    def __repr__(self) -> str:
        return f"config.memory(cap={self.cap}, {self.stats()})"


memory: Final = Memory()


class Jit:
    """The compiled tier: groups of operations and moves of elements as machine code, made by llvmlite.

    Results are the same with it and without it.

    >>> from penstock.config import jit
    >>> jit.mode = "off"
    >>> jit.enabled, jit.why_off()
    (False, "penstock.config.jit.mode is 'off'")
    >>> jit.mode = None
    >>> jit.wait(timeout=60.0), jit.stats().seconds >= 0
    (True, True)
    """

    __slots__ = ()

    @property
    def mode(self) -> Literal["off", "on", "now"]:
        """What is compiled: "off" nothing, "on" what pays, "now" everything at its first use, for tests.

        None, the initial setting, means the value of the environment variable PENSTOCK_JIT, or "on" without it.

        Raises:
            ValueError: any other value.
        """
        return SETTINGS.mode

    @mode.setter
    @hides_frames
    def mode(self, value: Literal["off", "on", "now"] | None) -> None:
        if value not in ("off", "on", "now", None):
            raise ValueError(
                f"config.jit.mode is {value!r}; a mode is 'off', 'on' or 'now', or None for what PENSTOCK_JIT says"
            )
        SETTINGS.choose(value)

    @property
    def enabled(self) -> bool:
        """Whether code is compiled; `why_off()` says why not. Setting it chooses the mode "on" or "off"."""
        return tier.on()

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self.mode = "on" if value else "off"

    def why_off(self) -> str:
        """Why nothing is compiled.

        Returns:
            One sentence, or "" if the tier is on.
        """
        return tier.why_off()

    @property
    def cache_folder(self) -> Path | None:
        """The folder in which machine code is kept for later processes, below `objects`; None keeps nothing.

        The default is PENSTOCK_CACHE_DIR ("off" for None), or without it `penstock` in the user's folder for caches
        (XDG_CACHE_HOME, `~/.cache`; on macOS `~/Library/Caches`). It is used only if it belongs to this user and no
        other user can write to it; `stats().no_cache` says why it is not used.
        """
        found = SETTINGS.chosen_folder()
        return None if found is None else found.parent

    @cache_folder.setter
    def cache_folder(self, value: str | os.PathLike[str] | None) -> None:
        SETTINGS.no_folder = value is None
        load("pathlib")
        from pathlib import Path

        SETTINGS.folder = None if value is None else Path(value).expanduser().absolute()

    @property
    def cache_cap(self) -> int:
        """The most bytes of machine code that are kept on disk, 64 MiB by default; the least recently used goes first.

        Raises:
            TypeError, ValueError: the value is not a number of bytes.
        """
        return SETTINGS.cap

    @cache_cap.setter
    @hides_frames
    def cache_cap(self, value: int | str) -> None:
        SETTINGS.cap = bytes_from(value, "config.jit.cache_cap")

    def clear(self) -> int:
        """Removes the machine code kept on disk. Code that is loaded stays.

        Returns:
            The number of files removed.

        >>> import tempfile
        >>> from penstock.config import jit
        >>> before = jit.cache_folder
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     jit.cache_folder = folder
        ...     print(jit.clear())
        0
        >>> jit.cache_folder = before
        """
        return tier.cache().clear()

    def stats(self) -> JitStats:
        """What was compiled and what came from the cache in this process.

        Returns:
            A `JitStats`.
        """
        return tier.stats()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to compile in the background.

        Args:
            timeout: the most seconds to wait; None for no limit.

        Returns:
            False if the time was not enough, otherwise True.
        """
        return tier.wait(timeout)

    def __repr__(self) -> str:
        return f"config.jit(mode={self.mode!r}, {self.stats()})"


jit: Final = Jit()


_OBJECTS = {
    "jit": "config.jit.enabled = False, or config.jit.mode = 'off', 'on' or 'now'",
    "memory": "config.memory.cap = '512MiB'",
}
"""Names of the module that hold objects -> what to set instead."""


class _Settings(ModuleType):
    """The class of this module: it checks what `traceback` and `broadcast_warnings` are set to."""

    @hides_frames
    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") and name not in __all__:
            raise AttributeError(
                f"config has no setting {name!r}{did_you_mean(name, __all__)}; there are config.memory, config.jit, "
                "config.traceback and config.broadcast_warnings; choices of a session are tf.SessionConfig(...)"
            )
        if name in _OBJECTS and value is not globals()[name]:
            raise AttributeError(f"config.{name} is no setting itself, so it cannot be {value!r:.60}; write "
                                 f"{_OBJECTS[name]}")  # fmt: skip
        super().__setattr__(name, value)

    @property
    def traceback(self) -> Literal["short", "full"]:
        return TRACEBACKS.mode

    @traceback.setter
    @hides_frames
    def traceback(self, value: Literal["short", "full"]) -> None:
        if value not in ("short", "full"):
            raise ValueError(f"config.traceback is {value!r}; it is 'short' or 'full'")
        TRACEBACKS.mode = value

    @property
    def broadcast_warnings(self) -> bool:
        return BROADCAST_WARNINGS.are_on

    @broadcast_warnings.setter
    @hides_frames
    def broadcast_warnings(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"config.broadcast_warnings is {value!r}; it is True or False")
        BROADCAST_WARNINGS.are_on = value


traceback: Literal["short", "full"]
"""Which frames the tracebacks of errors show: "short" ends them in your line, "full" adds the package's own frames."""

broadcast_warnings: bool
"""Whether `y_hat - y` of shapes ("rows", 1) and ("rows",), whose result is (rows, rows), is a `MistakeWarning`."""

sys.modules[__name__].__class__ = _Settings
