"""Checked runs, `SessionConfig(check=True)`: a listener that compares memory with the alias analysis of the plan.

- No step changes a value that is still needed, its own operands included, except the one it updates in place.
- A result shares memory with other values only where its op declares it.
- Memory that is no longer needed is filled with 0xA5 bytes at once, so that a value which still lies there is found
  changed when it is read.

A checksum of each value is compared after every step that could have changed it, so a checked run is slow. The fuzz
tests use it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...errors import InternalError
from ..execution.step_listener import EachBodyAlone
from ..planning.aliasing import aliases_of
from ..planning.memory_plan import donors_in_arena
from ..planning.plan import Plan, Slot

_POISON: Final = 0xA5
_STRING: Final = b"\xa5 freed"


class MemoryChecker(EachBodyAlone):
    """A listener that checks one run of `plan`."""

    calls_user_code = False

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._aliases = aliases_of(plan)
        self._values: dict[Slot, Any] = {}
        self._sums: dict[Slot, int] = {}
        self._ends: dict[int, list[Slot]] = {}
        for slot in self._aliases.made:
            self._ends.setdefault(self._aliases.live_until(slot), []).append(slot)

    def begin(self, slots: Sequence[Any]) -> None:
        """Note the values that exist before the first step."""
        for slot, made in self._aliases.made.items():
            if made < 0:
                self._note(slot, slots[slot])

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Check the live values after step `position`, then forget and fill those that are no longer needed."""
        step = self._plan.steps[position]
        if step.donor is not None:
            self._forget(step.donor)
        for slot in donors_in_arena(self._plan, self._aliases, step, position):
            if any(isinstance(r, np.ndarray) and np.may_share_memory(r, self._values[Slot(slot)]) for r in results):
                self._forget(Slot(slot))
        for slot, array in self._values.items():
            if _sum(array) != self._sums[slot]:
                raise InternalError(message=self._changed(position, slot))
        for slot, result in zip(step.outputs, results, strict=True):
            if isinstance(result, np.ndarray):
                self._check_sharing(step.node, slot, result)
                self._note(slot, result)
        self._fill([slot for slot in self._ends.get(position, ()) if slot in self._values])

    def _note(self, slot: Slot, value: Any) -> None:
        if isinstance(value, np.ndarray):  # arrays on a device are not checked
            self._values[slot] = value
            self._sums[slot] = _sum(value)

    def _forget(self, slot: Slot) -> None:
        """Forget a value that is overwritten on purpose, and every view of its memory."""
        roots = set(self._aliases.roots(slot))
        for other in [s for s in self._values if not roots.isdisjoint(self._aliases.roots(s))]:
            del self._values[other], self._sums[other]

    def _check_sharing(self, node: str, slot: Slot, result: Any) -> None:
        own = set(self._aliases.roots(slot))
        foreign = self._aliases.foreign
        for other, array in self._values.items():
            roots = self._aliases.roots(other)
            if not own.isdisjoint(roots) or (not foreign.isdisjoint(own) and not foreign.isdisjoint(roots)):
                continue  # values from outside may share memory with each other
            if np.may_share_memory(result, array):
                raise InternalError(
                    message=f"check: the result {slot} of {node!r} shares memory with {other}, which its op does not "
                    "declare. Name the operand in `views=` of the op, or copy in its kernel"
                )

    def _changed(self, position: int, slot: Slot) -> str:
        step = self._plan.steps[position]
        what = f"its operand {slot}" if slot in step.inputs else f"{slot}, which it does not read"
        return (
            f"check: while step {position}, {step.node!r} ({step.op}), ran, {what} changed. A kernel may write its "
            "result, and the operand that the plan says it updates in place; copy what it changes"
        )

    def _fill(self, ended: list[Slot]) -> None:
        for slot in ended:
            array = self._values.pop(slot)
            del self._sums[slot]
            if self._aliases.owns(slot) and array.flags.writeable:
                if array.dtype.hasobject:
                    array[...] = _STRING if array.dtype.kind == "O" else (None,)
                elif array.flags.c_contiguous:
                    array.reshape(-1).view(np.uint8).fill(_POISON)


def _sum(array: Any) -> int:
    """A checksum of the array's bytes, of its strings, or of which objects it holds and what they say of themselves."""
    if array.dtype.kind == "O":
        return hash(tuple(array.reshape(-1).tolist()))
    if array.dtype.hasobject:
        return hash(tuple([(id(held), str(held)) for (held,) in array.reshape(-1).tolist()]))
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data) if array.size else 0
