"""The number of cores that this process may use, limited by CPU affinity and by the quota of a container.

A container with `--cpus=2` on a machine of 64 cores sees all of them, and is stopped for the rest of each period once
its threads together have used two. Linux gives the quota in the files of cgroups:

    version 2   /sys/fs/cgroup/<group>/cpu.max                          "200000 100000": microseconds per period
    version 1   /sys/fs/cgroup/cpu/<group>/cpu.cfs_quota_us, cpu.cfs_period_us      -1 if there is no quota

The quotas of enclosing groups apply too. Inside a container its own group may appear as the root.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache


@cache
def cores() -> int:
    """The number of cores that this process may use, at least 1; a part of a core counts as one."""
    counts = [_by_affinity()]
    quota = cores_of_quota()
    if quota is not None:
        counts.append(-int(-quota // 1))
    return max(1, min(counts))


def _by_affinity() -> int:
    asked = getattr(os, "process_cpu_count", None)  # Python 3.13; it respects affinity
    if asked is not None:
        return asked() or 1
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not known on this system
        return os.cpu_count() or 1


def cores_of_quota(groups: str = "/proc/self/cgroup", root: str = "/sys/fs/cgroup") -> float | None:
    """The quota of the groups of this process, in cores; None if there is none.

    Args:
        groups: the file that names the groups.
        root: the folder of their files.
    """
    shares = []
    for line in _content(groups).splitlines():
        _, _, named = line.partition(":")
        controllers, _, path = named.partition(":")
        if not controllers:
            shares += [_quota_v2(folder) for folder in _folders(root, path)]
        elif "cpu" in controllers.split(","):
            for mounted in (controllers, "cpu", "cpu,cpuacct"):
                shares += [_quota_v1(folder) for folder in _folders(f"{root}/{mounted}", path)]
    return min([share for share in shares if share is not None], default=None)


def _folders(root: str, path: str) -> Iterator[str]:
    """The folders of a group and of all enclosing groups."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for i in range(len(parts), -1, -1):
        yield "/".join([root, *parts[:i]])


def _quota_v2(folder: str) -> float | None:
    return _quota(_content(f"{folder}/cpu.max").split())


def _quota_v1(folder: str) -> float | None:
    return _quota([*_content(f"{folder}/cpu.cfs_quota_us").split(), *_content(f"{folder}/cpu.cfs_period_us").split()])


def _quota(words: list[str]) -> float | None:
    """Quota divided by period; None for "max", -1 and unreadable files."""
    try:
        quota, period = map(int, words)
    except ValueError:
        return None
    return quota / period if quota > 0 and period > 0 else None


def _content(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
