"""The sandbox of a student's program: what the process gives up before the program runs, as far as the platform can.

    limit      means                            where
    time       RLIMIT_CPU and the parent's watch  Unix, and the watch everywhere
    memory     RLIMIT_AS                        Linux; other systems may ignore it
    files      Landlock: writes in one folder   Linux 5.13 and later
    network    a network namespace of its own   Linux where users may make namespaces
    processes  a process namespace of its own   the same; what the program started ends with it

Landlock and namespaces are system calls that `os` of Python 3.11 does not have, so they are made by number. This file
is run by its path in a fresh process, before the package is imported, so it imports nothing of it.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LIMITS: Final = ("time", "memory", "files", "network", "processes")
"""Everything that `confine` tries, in the order of reports."""
_FILE_BYTES = 256 << 20
"""The largest file that a confined program may write."""
_PROCESSES = 256
"""How many processes and threads it may have at a time."""
_NEW_SPACES = 0x10000000 | 0x40000000 | 0x20000000 | 0x08000000  # user, network, processes, shared memory
_NO_NEW_PRIVILEGES = 38
_LANDLOCK = {"create": 444, "add": 445, "restrict": 446}
_READ = 0b1101  # execute, read file, read directory
_ALL = (1 << 13) - 1  # the 13 rights of the first version of Landlock, writes and new files among them
_RIGHTS_SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # by version: rename across folders, truncate, device calls


def confine(folder: str, seconds: float, megabytes: int, readable: list[str]) -> list[str]:
    """Confine this process for good. With namespaces it forks: the caller goes on in the child.

    Args:
        folder: the only folder in which it may write.
        seconds: of processor time, for each process.
        megabytes: of memory, for each process.
        readable: the folders that it may read besides those of Python and the system.

    Returns:
        Those of `LIMITS` that hold.
    """
    holds = _own_spaces() + _resources(seconds, megabytes)
    if _only_in(folder, readable):
        holds.append("files")
    return [each for each in LIMITS if each in holds]


def _own_spaces() -> list[str]:
    """New namespaces without a network, whose first process is a child of this one."""
    if sys.platform != "linux":
        return []
    library = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if library.unshare(_NEW_SPACES) != 0:
        return []
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    return ["network", "processes"]


def _resources(seconds: float, megabytes: int) -> list[str]:
    if resource is None:
        return []
    holds = []
    wanted = {"RLIMIT_CPU": int(seconds) + 1, "RLIMIT_AS": megabytes << 20, "RLIMIT_FSIZE": _FILE_BYTES,
              "RLIMIT_CORE": 0, "RLIMIT_NPROC": _PROCESSES}  # fmt: skip
    told = {"RLIMIT_CPU": "time", "RLIMIT_AS": "memory"}
    for name, value in wanted.items():
        with suppress(AttributeError, OSError, ValueError):
            resource.setrlimit(getattr(resource, name), (value, value))
            holds += [told[name]] if name in told else []
    return holds


def _only_in(folder: str, readable: list[str]) -> bool:
    """Whether Landlock now keeps the process from writing elsewhere, and from reading what is not Python's."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    version = library.syscall(_LANDLOCK["create"], None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = _ALL | sum(bit for since, bit in _RIGHTS_SINCE.items() if version >= since)
    handled = ctypes.create_string_buffer(struct.pack("=Q", rights), 8)
    ruleset = library.syscall(_LANDLOCK["create"], handled, ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    paths = sysconfig.get_paths()
    python = [sys.prefix, sys.base_prefix, paths["purelib"], paths["platlib"], paths["stdlib"]]
    system = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", "/sys/devices/system/cpu", "/opt"]
    for path in dict.fromkeys([*python, *readable, *system]):
        _allow(library, ruleset, path, _READ)
    for path in (folder, "/dev/null", "/dev/urandom"):
        _allow(library, ruleset, path, rights)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    done = bool(library.syscall(_LANDLOCK["restrict"], ruleset, 0) == 0)
    os.close(ruleset)
    return done


def _allow(library: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    with suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS  # others are refused for a file
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        library.syscall(_LANDLOCK["add"], ruleset, 1, rule, 0)
        os.close(place)


_FILE_RIGHTS = 0b111 | 1 << 14 | 1 << 15  # execute, write, read, truncate, device calls
