"""The journal of a debugged run: results of steps that print, call user code or read files, which must not run again.

When a step runs again after going back, its recorded results stand in. What an edit may have changed has a second
record: its results stand in as long as the step gets the same inputs.

Results may be needed until the end, so they cannot be dropped. Where they are larger than the memory allowed, they go
to a temporary file.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from ...graph.common.when_freed import WhenFreed
from ..observe.nan_watch import on_host
from .held_memory import HeldMemory
from .run_state import Place


@dataclass(frozen=True, slots=True)
class InFile:
    """A record in a file."""

    file: IO[bytes]
    start: int
    size: int


class EffectJournal:
    """Results of steps that must not run again.

    Attributes:
        held: the bytes in memory.
    """

    def __init__(self, memory: int) -> None:
        """memory: the most bytes that it may hold in memory."""
        self._memory = memory
        self._first: dict[Place, Any] = {}
        self._edited: dict[Place, tuple[Any, Any]] = {}
        self._file: IO[bytes] | None = None
        self._process = 0
        self._when_freed: list[WhenFreed] = []
        self.held = 0

    def find(self, place: Place, is_changed: bool, inputs: Sequence[Any]) -> tuple[Any] | None:
        """The results of a step in a tuple of one; None if it has to run.

        Args:
            place: the step.
            is_changed: whether its inputs may depend on an edit.
            inputs: these.
        """
        if not is_changed:
            return (_read(self._first[place]),) if place in self._first else None
        found = self._edited.get(place)
        return None if found is None or found[0] != fingerprint(inputs) else (_read(found[1]),)

    def keep(self, place: Place, is_changed: bool, inputs: Sequence[Any], result: Any) -> None:
        """Note the results of a step that ran."""
        size = HeldMemory().add(result if isinstance(result, (list, tuple)) else [result])
        record = result
        if self.held + size > self._memory:
            record, size = self._written(result, size)
        if is_changed:
            self._edited[place] = fingerprint(inputs), record
        else:
            self._first[place] = record
        self.held += size

    def _written(self, result: Any, size: int) -> tuple[Any, int]:
        """The record of results in a file, and the bytes that it holds in memory."""
        try:
            data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        except Exception:  # what a user's op gives need not be picklable
            return result, size
        if self._file is None or self._process != os.getpid():  # a forked child has a file of its own
            self._file = TemporaryFile()  # noqa: SIM115  # it is open as long as the journal is needed
            self._process = os.getpid()
            self._when_freed.append(WhenFreed(self._file.close))
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(data)
        self._file.flush()
        return InFile(self._file, start, len(data)), 0


def _read(record: Any) -> Any:
    if not isinstance(record, InFile):
        return record
    return pickle.loads(os.pread(record.file.fileno(), record.size, record.start))


def fingerprint(values: Iterable[Any]) -> tuple[Any, ...]:
    """What is equal for equal values."""
    found: list[Any] = []
    for value in values:
        array = np.asarray(on_host(value))
        content: Any
        if array.dtype.hasobject:
            content = tuple(array.reshape(-1).tolist())
        else:
            content = blake2b(array.tobytes(), digest_size=16).digest()
        found.append((array.dtype.str, array.shape, content))
    return tuple(found)
