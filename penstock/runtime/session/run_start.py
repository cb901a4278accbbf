"""`RunStart`: what a run that failed had at its start, and could not be found afterwards.

The numbers that random ops had drawn, and the values of variables. `DrawingRun` and `StateRun` note them on the error
of the run, where `failed_run` takes them away again. A run without an error copies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.literal import Array
from ..base.random_counters import RandomState, StreamState

HELD_BYTES = 64 << 20
"""The most bytes of values that a session holds for its last failed run."""
_NOTE = "_penstock_run_start"


@dataclass(frozen=True, slots=True)
class RunStart:
    """The state that a run found.

    Attributes:
        random: the streams of its random ops.
        variables: copies of the values of the variables that it used; `LARGE` for one too large to copy, None for one
            that has no value.
        written: variables that it wrote before the error, and whose values at the start are lost.
    """

    LARGE: ClassVar[Array] = np.empty(0)

    random: Mapping[str, StreamState] = field(default_factory=dict)
    variables: Mapping[str, Array | None] = field(default_factory=dict)
    written: tuple[str, ...] = ()

    def all_random(self, now: RandomState) -> RandomState:
        """The streams of the session at the start of the run: `now` but for what the run drew."""
        return RandomState({**now.streams, **self.random})


def note_start(error: BaseException, **found: Any) -> None:
    """Add to what the error of a run knows of its start."""
    start = getattr(error, _NOTE, None)
    setattr(error, _NOTE, replace(start, **found) if isinstance(start, RunStart) else RunStart(**found))


def take_start(error: BaseException) -> RunStart:
    """What the error of a run knows of its start. The error knows it no more: it must not hold arrays."""
    start = vars(error).pop(_NOTE, None)
    return start if isinstance(start, RunStart) else RunStart()


def size_of(array: Any) -> int:
    """The bytes of an array, those of its strings included."""
    size = int(array.nbytes)
    if array.dtype.hasobject:
        size += sum([len(each) for each in array.reshape(-1).tolist() if isinstance(each, bytes)])
    return size


def copies_within(arrays: Sequence[Any], most: int | None) -> list[Array | None]:
    """Copies of arrays of at most `most` bytes together (None: of any), the smallest first; None for the others."""
    found: list[Array | None] = [None] * len(arrays)
    for size, i in sorted([(size_of(array), i) for i, array in enumerate(arrays)]):
        if most is not None:
            most -= size
            if most < 0:
                break
        found[i] = np.array(arrays[i], order="C", copy=True)
    return found
