"""The executor: how a plan runs.

Binding turns each step into one callable over its input arrays; running walks the list, filling and dropping slots. A
program holds no state of a run, so several threads may run one at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import copy
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from ...errors import InternalError
from ...graph.float_errors import unwarned
from ..backends import HOST
from ..base.fp_context import Within, collector_paused, quietly
from ..base.session_config import SessionConfig
from ..base.thread_pool import LIMIT, allowed, parallel_for
from ..ir.kernel_protocol import SessionRef, Stage
from ..memory.buffer_pool import POOL
from ..planning.memory_plan import LiveRanges, MemoryPlan, may_be_placed, sizes_of_feeds
from ..planning.pinned_shapes import claims_of
from ..planning.plan import Plan, calls_outside
from .bind import Bound, backend_for, bind_step
from .body_call import InnerCall
from .inter_op import are_heavy, parts_of
from .outside_code import each_apart, straight
from .run_errors import FindOp, run_error
from .step_listener import StepListener

Call = Callable[..., Any]
MEMORY_PLANS = 16
"""How many combinations of feed shapes a program keeps memory plans for."""


class Program:
    """A plan bound to kernels and backends, ready to run any number of times."""

    def __init__(
        self, plan: Plan, find_op: FindOp, config: SessionConfig | None = None, session: SessionRef = None
    ) -> None:
        """find_op: the operation of a name, for errors. session: of which kernels hear that ask for it."""
        config = config or SessionConfig()
        self.plan = plan
        self._find_op = find_op
        self._threads = config.threads
        self._arena = config.arena
        self._feeds = tuple([int(slot) for _, slot in plan.feeds])
        self._feeds_first = self._feeds == tuple(range(len(self._feeds)))  # so they are in plans that nobody edited
        self._fetches = tuple([int(slot) for slot in plan.fetches])
        self._template: list[Any] = [None] * len(plan.slots)
        for slot, array, device in plan.constants:
            self._template[slot] = array if device == HOST.name else backend_for(device).from_host(array)
        pinned = claims_of(plan) if plan.pinned else {}
        constants = {slot: self._template[slot] for slot, _, _ in plan.constants}
        self._session = session
        self._config = config
        inner = self._inner
        self._bound = [bind_step(step, pinned, constants, session, inner) for step in plan.steps]
        self._within: Within = quietly  # the context that a run is in
        if calls_outside(plan):
            self._bound, self._within = each_apart(self._bound, plan, self._threads), straight
        self._parts = None if _is_chain(plan) else parts_of(plan)
        self._is_plain = self._threads is None and self._parts is None
        self._is_one_call = (
            self._is_plain and self._feeds_first and _is_one_call(self._bound, self._feeds, self._fetches)
        )
        self._memory: OrderedDict[Any, MemoryPlan] = OrderedDict()
        self._live_ranges: LiveRanges | None = None
        writers = [step for bound, step in zip(self._bound[:-1], plan.steps, strict=False) if bound.into is not None]
        # An arena for a single buffer would be that buffer.
        self._may_place = self._arena and len(writers) > 1 and any(may_be_placed(plan, step) for step in writers)

    def _inner(self, plan: Plan) -> InnerCall:
        """What runs the graph inside an op."""
        return InnerCall(Program(plan, self._find_op, self._config, self._session))

    def run(self, feeds: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """Run with `feeds` (arrays, in the order of `plan.feeds`); the fetched arrays, on the host, not yet copied.

        `trace` hears of each step; then they run one after another.

        Raises:
            OpError: an operation failed.
        """
        if trace is not None and self._within is quietly and trace.calls_user_code:
            return Program.run(self._for_hooks(), feeds, trace)
        if self._is_one_call and trace is None:
            return [self._within(self._call_only, feeds)]
        slots = self._template.copy()
        if self._feeds_first:
            slots[: len(feeds)] = feeds
        else:
            for slot, array in zip(self._feeds, feeds, strict=True):
                slots[slot] = array
        places = self._places(feeds) if self._may_place else None
        if self._is_plain and trace is None:
            self._within(self._one_by_one, self._bound, 0, slots, places)
            fetches = self._fetches
            return [slots[fetches[0]]] if len(fetches) == 1 else [slots[i] for i in fetches]
        if self._threads is not None:
            return self._within(self._run_limited, slots, places, trace)
        if trace is not None:
            return self._within(self._run_traced, slots, places, trace)
        return self._within(self._run, slots, places)

    def _run_limited(
        self, slots: list[Any], places: dict[int, Any] | None, trace: StepListener | None
    ) -> list[Any]:
        # The limit is set here: the quiet context knows nothing of what the caller's context holds.
        token = LIMIT.set(self._threads)
        try:
            return self._run(slots, places) if trace is None else self._run_traced(slots, places, trace)
        finally:
            LIMIT.reset(token)

    def _for_hooks(self) -> Program:
        """The same program, run in the caller's context, where a hook belongs."""
        made = copy(self)
        made._bound, made._within = each_apart(self._bound, self.plan, self._threads), straight
        return made

    def kernels(self) -> tuple[Stage, ...]:
        """What runs each step now, and how far it is on its way to machine code."""
        return tuple([bound.kernel.now() for bound in self._bound])

    def memory(self, shapes: tuple[tuple[int, ...], ...]) -> MemoryPlan:
        """The memory plan of a run whose feeds have these shapes; worked out once for each."""
        found = self._memory.get(shapes)
        if found is None:
            if self._live_ranges is None:
                takes = {id(step) for step, bound in zip(self.plan.steps, self._bound, strict=True)
                         if self._arena and bound.into is not None}  # fmt: skip
                with collector_paused():
                    self._live_ranges = LiveRanges(self.plan, lambda step: id(step) in takes)
            with collector_paused():
                found = self._memory[shapes] = self._live_ranges.at(sizes_of_feeds(self.plan, shapes))
            if len(self._memory) > MEMORY_PLANS:
                self._memory.popitem(last=False)
        return found

    def _places(self, feeds: Sequence[Any]) -> dict[int, Any] | None:
        """The arrays of one arena by slot, or None if no step writes into given memory."""
        plan = self.memory(tuple([x.shape for x in feeds]))
        if not plan.arena.offsets:
            return None
        try:
            block = POOL.empty((plan.arena.total,), np.uint8)
        except MemoryError:
            return None  # in one piece it is not to be had; value by value it may be
        places: dict[int, Any] = {}
        for buffer in plan.buffers:
            offset = plan.arena.offsets.get(buffer.slot)
            if offset is not None:
                info = self.plan.slots[buffer.slot]
                places[buffer.slot] = block[offset : offset + (buffer.size or 0)].view(info.dtype.np)
        return places

    def _run(self, slots: list[Any], places: dict[int, Any] | None) -> list[Any]:
        if self._parts is None or allowed() == 1:
            self._one_by_one(self._bound, 0, slots, places)
        else:
            for start, stop, apart in self._parts:
                steps = self._bound[start:stop]
                if apart and are_heavy([bound.inputs for bound in steps], slots):
                    self._side_by_side(steps, start, slots)
                else:
                    self._one_by_one(steps, start, slots, places)
        return [slots[i] for i in self.plan.fetches]

    def _side_by_side(self, steps: Sequence[Bound], start: int, slots: list[Any]) -> None:
        """Steps of which none reads what another writes, on several threads; then their results, in order."""
        results: list[Any] = [None] * len(steps)
        errors: dict[int, Exception] = {}

        def work(i: int) -> None:
            try:
                results[i] = steps[i].call(*[slots[slot] for slot in steps[i].inputs])
            except Exception as error:
                errors[i] = error

        parallel_for(len(steps), work)
        if errors:
            first = min(errors)
            raise self._told(_taken(errors, first), start + first, slots)
        for bound, result in zip(steps, results, strict=True):
            if isinstance(bound.output, int):
                slots[bound.output] = result
            else:
                for slot, each in zip(bound.output, result, strict=True):
                    slots[slot] = each
        for bound in steps:
            for slot in bound.frees:
                slots[slot] = None

    def _one_by_one(self, steps: Sequence[Bound], start: int, slots: list[Any], places: dict[int, Any] | None) -> None:
        position = start
        result: Any = None
        try:
            for call, inputs, output, frees, into, take, _ in steps:
                if places is None or into is None or output not in places:
                    result = call(*take(slots)) if take is not None else call(*[slots[i] for i in inputs])
                else:
                    result = into(places[output], *[slots[i] for i in inputs])
                if output.__class__ is int:
                    slots[output] = result
                else:
                    for slot, each in zip(output, result, strict=True):
                        slots[slot] = each
                    result = each = None
                if frees:
                    result = None
                    for slot in frees:
                        slots[slot] = None
                position += 1
        except Exception as error:
            raise self._told(error, position, slots)  # noqa: B904  # the cause is set there

    def _call_only(self, feeds: Sequence[Any]) -> Any:
        """The result of the only step, which takes the feeds as they are: without slots, 0.6 us less."""
        try:
            return self._bound[0].call(*feeds)
        except Exception as error:
            slots = [*feeds, *self._template[len(feeds) :]]
            raise self._told(error, 0, slots)  # noqa: B904  # the cause is set there

    def _run_traced(self, slots: list[Any], places: dict[int, Any] | None, trace: StepListener) -> list[Any]:
        trace.begin(slots)
        hear = trace.step
        result: Any = None
        for position, (call, inputs, output, frees, into, take, _) in enumerate(self._bound):
            start = perf_counter()
            try:
                if places is None or into is None or output not in places:
                    result = call(*take(slots)) if take is not None else call(*[slots[i] for i in inputs])
                else:
                    result = into(places[output], *[slots[i] for i in inputs])
            except Exception as error:
                raise self._told(error, position, slots)  # noqa: B904  # the cause is set there
            stop = perf_counter()
            if output.__class__ is int:
                slots[output] = result
                hear(position, start, stop, (result,))
            else:
                for slot, each in zip(output, result, strict=True):
                    slots[slot] = each
                hear(position, start, stop, result)
                each = None
            result = None
            for slot in frees:
                slots[slot] = None
        return [slots[i] for i in self.plan.fetches]

    def _told(self, error: Exception, position: int, slots: list[Any]) -> Exception:
        """The error to raise. No variable of a frame it passes through may hold it: its traceback holds the frames, and
        with them the run's arrays, and a cycle would keep these until the garbage collector comes by."""
        step = self.plan.steps[position]
        told = unwarned(run_error, error, step, [slots[i] for i in step.inputs], self._find_op)  # it runs a group again
        told.__cause__ = error if isinstance(told, InternalError) and told is not error else None
        return told


def _is_chain(plan: Plan) -> bool:
    """Whether each step reads what the one before it wrote, so that no two steps can run at the same time."""
    return all(set(step.inputs) & set(before.outputs) for before, step in pairwise(plan.steps))


def _is_one_call(steps: Sequence[Bound], feeds: tuple[int, ...], fetches: tuple[int, ...]) -> bool:
    """Whether a run is one call on all the feeds, in their order, whose only result is fetched."""
    return len(steps) == 1 and tuple(map(int, steps[0].inputs)) == feeds and fetches == (steps[0].output,)


def _taken(errors: dict[int, Exception], first: int) -> Exception:
    """The first error, the others forgotten: kept, they and the frames in their tracebacks would hold each other."""
    error = errors[first]
    errors.clear()
    return error
