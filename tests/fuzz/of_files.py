"""The fuzz of files: changed files of every kind that the package reads, with bounds on time and memory.

    python -m tests.fuzz.of_files --count 1000 --seconds 600
    python -m tests.fuzz.of_files --kind "a run" --seed-start 0 --count 5000
    python -m tests.fuzz.of_files --kind "a run" --seed-start 17 --count 1 --keep folder

Every file is read or refused with an error that the reader documents, within 2 seconds of processor time and 64 MiB
beside what is in proportion to its size. `file_kinds` lists the kinds, `file_changes` what is changed.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from penstock.config import jit

from .file_kinds import KINDS, FileKind, changed, contents

SECONDS = 2.0
SECONDS_PER_BYTE = 40e-6
BYTES = 64 << 20
BYTES_PER_BYTE = 400
ROOM = 2 << 30
"""How much more memory a reader may ask for; what asks for more gets a MemoryError, which no reader documents."""
PACKED_ROOM = 160 << 20
"""A record of a small compressed file may have 64 MiB, and is in memory twice."""


class _TooSlow(BaseException):
    """The time of a reader is over; it is no Exception, so that no reader takes it for an error of the file."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file was read: the error that was raised or "", what is wrong or "", seconds and bytes."""

    error: str
    complaint: str
    seconds: float
    memory: int


def read_changed(kind: str, seed: int, good: dict[str, bytes], folder: Path) -> Reading:
    """Read the files of a kind, changed as the seed says, in an empty folder."""
    what = KINDS[kind]
    for name, content in changed(what, good, random.Random(f"{kind} {seed}")).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    what.seal(folder)
    return _read(kind, what, folder, sum(map(len, contents(folder).values())))


def _read(name: str, kind: FileKind, folder: Path, size: int) -> Reading:
    error = complaint = ""
    most = SECONDS + SECONDS_PER_BYTE * size
    before, began = _peak(reset=True), time.process_time()
    try:
        with _limited(most), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind.read(folder)
    except kind.errors as found:
        error = type(found).__name__
        if not str(found) or len(str(found)) > 3000:
            complaint = f"the message of {error} has {len(str(found))} characters"
    except _TooSlow:
        complaint = f"more than {most:.1f} seconds:\n" + "".join(traceback.format_exc(limit=-6))
    except Exception:
        complaint = "an error that is not documented:\n" + "".join(traceback.format_exc(limit=-8))
    seconds, memory = time.process_time() - began, _peak() - before
    room = (PACKED_ROOM if "IP" in name or "LIB" in name else BYTES) + BYTES_PER_BYTE * size
    if not complaint and memory > room:
        complaint = f"{memory >> 20} MiB for a file of {size} bytes"
    return Reading(error, complaint, seconds, memory)


def _peak(reset: bool = False) -> int:
    """The largest resident size of the process since the last reset; Linux forgets it on request."""
    if reset:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) << 10
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """A block that ends after so many seconds of processor time; in the main thread only."""

    def end(*_: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def little_memory() -> Iterator[None]:
    """A block in which the process may ask for `ROOM` more memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def good_files(kind: str) -> dict[str, bytes]:
    """The good files of a kind, which are read once, so that everything is imported and compiled."""
    with tempfile.TemporaryDirectory() as folder:
        KINDS[kind].make(Path(folder))
        found = contents(Path(folder))
        KINDS[kind].read(Path(folder))
    gc.collect()
    gc.freeze()  # collections between readings walk what they made, and nothing else
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_files", description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="a kind of files (default: all)")
    parser.add_argument("--count", type=int, default=100, help="how many files of each kind")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long, for all kinds together")
    parser.add_argument("--keep", help="leave the files of the last seed in this folder")
    chosen = parser.parse_args(arguments)
    jit.mode = "off"  # LLVM may load at any time, and is no part of what is measured
    kinds = chosen.kind or list(KINDS)
    began, failures, total = time.monotonic(), 0, 0
    for number, kind in enumerate(kinds):
        good = good_files(kind)
        share = (chosen.seconds - (time.monotonic() - began)) / (len(kinds) - number)
        ends = time.monotonic() + share
        errors: Counter[str] = Counter()
        slowest, largest, tried = 0.0, 0, 0
        with little_memory():
            for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
                if time.monotonic() > ends:
                    break
                with tempfile.TemporaryDirectory() as folder:
                    reading = read_changed(kind, seed, good, Path(folder))
                    if chosen.keep:
                        shutil.copytree(folder, chosen.keep, dirs_exist_ok=True)
                tried += 1
                errors[reading.error or "read"] += 1
                slowest, largest = max(slowest, reading.seconds), max(largest, reading.memory)
                if reading.complaint:
                    failures += 1
                    print(f"{kind}, seed {seed}: {reading.complaint}", flush=True)
        total += tried
        told = ", ".join(f"{name} {count}" for name, count in errors.most_common())
        print(f"{kind}: {tried} files; {told}; slowest {slowest:.2f} s, most memory {largest >> 20} MiB", flush=True)
    print(f"{total} files, {failures} failures, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
