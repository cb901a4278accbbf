"""Runs that use variables: values come from the session's store, new values go there.

New values are written when all steps have ended, all at once (`VariableStore.commit`). A run that fails or is stopped
before that leaves every variable as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ...errors import FailedPreconditionError, OpError
from ...graph.model.nodes import Operation
from ...ops.state.uninitialized_variables import NO_VALUE
from ..base.pending_writes import PendingWrites
from ..base.values_elsewhere import is_elsewhere
from ..execution.executor import Program
from ..execution.row_major import row_major_copies, row_major_copy
from ..execution.step_listener import StepListener
from ..memory.buffer_pool import POOL
from ..planning.aliasing import aliases_of
from ..planning.plan import Plan, SlotInfo
from .run_hooks import FAILURE_HOOKS
from .run_start import HELD_BYTES, RunStart, copies_within, note_start, take_start
from .uninitialized_variable import uninitialized_error
from .variable_store import Lease, MissingValue, VariableStore, use_of

FindOp = Callable[[str], Operation | None]


class OtherShapes(Exception):
    """A variable has another shape than the plan serves; nothing has run."""


class RunsSteps(Protocol):
    """What computes the results: a program."""

    @property
    def threads(self) -> int | None:
        """The most threads of a run; None: one per core."""

    def run(self, feeds: Sequence[Any], trace: StepListener | None, writes: PendingWrites | None) -> list[Any]:
        """The fetched arrays."""


class StateRun:
    """How the runs of one plan take variables from a store, and put them back. Thread-safe."""

    def __init__(
        self,
        plan: Plan,
        store: VariableStore,
        find_op: FindOp,
        keeps_feeds: bool,
        without_values: Callable[[], Program] | None = None,
        shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> None:
        """How the runs of `plan` use variables.

        Args:
            plan: the plan.
            store: the variables.
            find_op: finds the operation of the user's graph that holds a variable.
            keeps_feeds: whether the arrays of the run may be kept after it, as by a trace; they are copies then.
            without_values: makes the program for runs in which a variable has no value, where that need not be an
                error.
            shapes: for some variables the only shape of their values that the plan serves.
        """
        self._shapes = [(i, shapes[each.resource]) for i, each in enumerate(plan.state) if each.resource in shapes]
        self._without_values = without_values
        self._other: tuple[StateRun, Program] | None = None
        self._plan = plan
        self._store = store
        self._find_op = find_op
        self._keeps_feeds = keeps_feeds
        state_slots = [slot for _, slot in plan.feeds[len(plan.user_feeds) :]]
        over = {slot for step in plan.steps for slot in step.over if slot is not None}
        self._use = use_of(
            [(each.resource, each.kind) for each in plan.state],
            plan.written,
            [each.resource for each, slot in zip(plan.state, state_slots, strict=True) if slot in over],
            [_stand_in(plan.slots[slot]) if each.kind == "maybe" else None
             for each, slot in zip(plan.state, state_slots, strict=True)],
        )
        self._count = len(plan.user_fetches)
        aliases = aliases_of(plan)
        taken = {out for step in plan.steps for out, slot in zip(step.outputs, step.over, strict=False)
                 if slot is not None}  # fmt: skip
        ends = plan.fetches[self._count :]
        # What a step makes that writes at the end is not there before: the variable gets it, the caller a copy later.
        pending = {out for step in plan.steps if step.over for out in step.outputs}.intersection(ends)
        of_session = {*state_slots, *taken, *pending}
        returnable = aliases.returnable(plan.fetches)
        owned = [free or (slot in pending and aliases.owns(slot))
                 for free, slot in zip(returnable[self._count :], ends, strict=True)]  # fmt: skip
        self._commits = tuple(zip(plan.written, owned, [slot in taken for slot in ends], strict=True))
        shares = [not of_session.isdisjoint({slot, *aliases.roots(slot)}) for slot in plan.user_fetches]
        self._copied = [i for i, shared in enumerate(shares) if shared]
        self.may_return = tuple([a or b for a, b in zip(returnable, shares, strict=False)])
        """For each fetch of the caller, whether it may get the result itself: what lies in variables is copied."""

    def run(self, program: RunsSteps, arrays: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """The results for the caller, after the new values are in the store.

        Raises:
            FailedPreconditionError: a variable has no value yet.
            OpError: an operation failed.
            OtherShapes: the plan does not serve the shape of a variable.
        """
        store = self._store
        lease = Lease(self._use)
        writes = PendingWrites()
        before: dict[str, Any] = {}
        try:
            try:
                state_values = store.begin(lease)
                for i, shape in self._shapes:
                    if state_values[i].shape != shape:
                        raise OtherShapes
                if FAILURE_HOOKS:
                    before = self._copied_start(state_values)
                if self._keeps_feeds:
                    state_values = [value.copy() for value in state_values]
                results = program.run([*arrays, *state_values], trace, None if self._keeps_feeds else writes)
                new = results[self._count :]
                if new:
                    del results[self._count :]
                    fresh: dict[str, Any] = {}
                    held = store.held
                    for (resource, owned, may_be_start), value in zip(self._commits, new, strict=True):
                        if held(resource) is not value and value is not NO_VALUE:  # it is not written in place
                            starts = state_values if may_be_start else ()
                            kept = is_elsewhere(value) or (owned and _is_kept(value, starts, store))
                            fresh[resource] = value if kept else row_major_copy(value, program.threads)
                    if fresh or writes.calls:
                        store.commit(fresh, writes)
                for i in self._copied:
                    if not is_elsewhere(results[i]):
                        results[i] = row_major_copy(results[i], program.threads)
                return results
            except MissingValue as error:
                if self._without_values is None:
                    found = self._uninitialized(error.resource)
                    self._note_start(found, (), {})
                    raise found from None
            except OtherShapes:
                raise
            except BaseException as error:
                self._note_start(error, self._note_written(error) if writes.ended else (), before)
                raise
            finally:
                lease.is_open = False
                store.end(lease)
        finally:  # Ctrl-C at the first line of the block above
            lease.is_open = False
        return self._run_without_values(arrays, trace)

    def start(self) -> tuple[StateRun, Program | None, list[Any]]:
        """Copies of the values with which a run would begin now, and what would run: another program than the usual one
        where a variable has no value and need not have one; None for the usual one.

        Raises:
            FailedPreconditionError: a variable has no value yet.
        """
        lease = Lease(replace(self._use, writes=(), written=frozenset(), over=frozenset()))
        try:
            try:
                return self, None, [value.copy() for value in self._store.begin(lease)]
            except MissingValue as error:
                if self._without_values is None:
                    raise self._uninitialized(error.resource) from None
            finally:
                self._store.end(lease)
        finally:  # Ctrl-C at the first line of the block above
            lease.is_open = False
        other, program = self._for_missing_values()
        return other, program, other.start()[2]

    def _for_missing_values(self) -> tuple[StateRun, Program]:
        """What runs where a variable has no value, and need not have one."""
        if self._other is None:
            assert self._without_values is not None  # the caller asked
            program = self._without_values()
            self._other = StateRun(program.plan, self._store, self._find_op, self._keeps_feeds), program
        return self._other

    def _run_without_values(self, arrays: Sequence[Any], trace: StepListener | None) -> list[Any]:
        """The results of a run that begins without the value of a variable, all of them copies."""
        other, program = self._for_missing_values()
        try:
            return row_major_copies(other.run(program, arrays, trace), program.threads)
        except FailedPreconditionError as error:
            if error.resource and self._find_op(error.resource) is not None:
                raise self._uninitialized(error.resource) from error
            raise

    def note_rest(self, error: Exception) -> None:
        """Add to an error the values, as they are now, of variables of the run of which it knows nothing."""
        start = take_start(error)
        self._note_start(error, (), {})
        known = dict(take_start(error).variables)
        note_start(error, random=start.random, variables=known | dict(start.variables), written=start.written)

    def _note_start(self, error: BaseException, written: Sequence[str], before: Mapping[str, Any]) -> None:
        """Add to an error the values of the run's variables at its start.

        Args:
            error: the error.
            written: the variables that the run has written.
            before: copies of values at the start. The other values are still in the store, except those that were
                written.
        """
        if not isinstance(error, Exception):
            return
        names = list(dict.fromkeys([*[resource for resource, _ in self._use.order], *self._use.writes]))
        with suppress(MemoryError):
            held = {name: value for name in names if (value := self._store.held(name)) is not None}
            far = [name for name, value in held.items() if is_elsewhere(value)]
            held = {name: value for name, value in held.items() if name not in far}
            known = dict(zip(held, copies_within(list(held.values()), None if before else HELD_BYTES), strict=True))
            values = {name: RunStart.LARGE if copy is None else copy for name, copy in known.items()} | dict(before)
            values |= dict.fromkeys(far, RunStart.LARGE)
            lost = tuple([name for name in written if name not in before])
            note_start(error, variables={name: values.get(name) for name in names}, written=lost)

    def _copied_start(self, given: Sequence[Any]) -> dict[str, Any]:
        """Copies of the values of the variables that a run is about to use."""
        use = self._use
        return {
            name: value.copy()
            for (name, kind), stand_in, value in zip(use.order, use.stand_ins, given, strict=True)
            if kind != "asks" and value is not stand_in
        }

    def _note_written(self, error: BaseException) -> list[str]:
        """Add to an error that the variables have their new values already; these."""
        written = [resource for resource, *_ in self._commits]
        if written:
            names = ", ".join(repr(name) for name in written[:8]) + (" ..." if len(written) > 8 else "")
            error.add_note(f"The run had written its variables before the error: {names}.")
        return written

    def _uninitialized(self, resource: str) -> OpError:
        return uninitialized_error(self._find_op(resource), resource, self._store.has, self._plan)


def _stand_in(info: SlotInfo) -> Any:
    """An array of the dtype of a variable, and of its shape as far as it is known, in place of a missing value."""
    return np.zeros([size if isinstance(size, int) else 0 for size in info.shape or ()], info.dtype.np)


def _is_kept(value: Any, given: Sequence[Any], store: VariableStore) -> bool:
    """Whether the store may keep an array of the run: a whole one that nothing else holds, no other variable either."""
    for each in given:
        if each is value:  # the memory of a variable, overwritten in place
            return bool(each.flags.writeable) and not store.holds(value)
    flags = value.flags
    return bool(flags.carray) and (flags.owndata or POOL.owns(value))
