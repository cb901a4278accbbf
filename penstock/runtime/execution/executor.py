"""The executor: runs the steps of a plan.

`Program` binds each step once to a call over its input arrays. A run walks the list, filling and freeing slots. A
program holds no state of a run, so several threads may run one program at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from ...errors import InternalError
from ...graph.common.float_errors import unwarned
from ..backends import HOST
from ..base.fp_context import ContextRunner, collector_paused, in_quiet_context
from ..base.pending_writes import PendingWrites
from ..base.session_config import SessionConfig
from ..base.shape_cache import ShapeCache
from ..base.stop_signal import SIGNALS, has_deadline
from ..base.thread_pool import LIMIT, allowed_threads, parallel_for
from ..ir.kernel_protocol import KernelTier, SessionRef
from ..llvm.jit_settings import SETTINGS
from ..memory.buffer_pool import POOL
from ..planning.memory_plan import LiveRanges, MemoryPlan, may_be_placed, sizes_of_feeds
from ..planning.pinned_shapes import claims_of
from ..planning.plan import Plan, calls_user_code
from .bind import BoundStep, SharedGroups, backend_for, bind_step, only_call
from .block_search import BlockSearch, block_search, keeping
from .body_call import InnerCall
from .checked_steps import with_checks
from .inter_op import are_heavy, first_error, parallel_segments
from .joined.joint_calls import JointSteps, joint_steps
from .joined.steps_alone import JointStepFailed
from .native_blocks import StepsApart
from .queue_moves import queue_moves
from .repeated_run import RepeatedRun
from .run_errors import FindOp, run_error
from .step_listener import RecordsRun, StepListener
from .step_loop import JoinedSteps, run_steps
from .tiny_chains import Chains, chains_of
from .user_code import in_caller_context, with_caller_context

Call = Callable[..., Any]
MEMORY_PLANS = 16
"""The most combinations of feed shapes whose memory plans a program keeps."""


class Program:
    """A plan bound to kernels and backends, which can run any number of times."""

    threads: int | None = None
    """The most threads of a run; None: one per core."""

    def __init__(
        self, plan: Plan, find_op: FindOp, config: SessionConfig | None = None, session: SessionRef = None
    ) -> None:
        """A program for `plan`.

        Args:
            plan: the plan to run.
            find_op: finds the operation of a name, for errors.
            config: the session's configuration.
            session: passed to kernels that need it.
        """
        config = config or SessionConfig()
        self.plan = plan
        self._find_op = find_op
        self.threads = config.threads
        self._holders = frozenset(i for i, step in enumerate(plan.steps) if any(isinstance(a, Plan) for a in step.args))
        self._arena = config.arena
        self._feeds = tuple([int(slot) for _, slot in plan.feeds])
        self._feeds_first = self._feeds == tuple(range(len(self._feeds)))  # true unless the plan was edited
        self._fetches = tuple([int(slot) for slot in plan.fetches])
        self._template: list[Any] = [None] * (len(plan.slots) + 1)  # the last one holds the writes of a run
        for slot, array, device in plan.constants:
            self._template[slot] = array if device == HOST.name else backend_for(device).from_host(array)
        pinned = claims_of(plan) if plan.pinned else {}
        constants = {slot: self._template[slot] for slot, _, _ in plan.constants}
        self._session = session
        self._config = config
        self._calls_user_code = calls_user_code(plan)
        inner = self._inner
        groups = SharedGroups(plan)
        self._bound = [bind_step(step, pinned, constants, session, inner, plan.slots, groups) for step in plan.steps]
        self._within: ContextRunner = in_quiet_context  # the context that a run is in
        if self._calls_user_code:
            self._bound, self._within = with_caller_context(self._bound, plan, self.threads), in_caller_context
        self._segments = parallel_segments(plan)
        self._is_plain = self.threads is None and self._segments is None
        self._only: Callable[[Sequence[Any]], list[Any]] | None = None
        if self._is_plain and self._feeds_first:
            self._only = only_call(self._bound, self._feeds, self._fetches, constants)
        self._chains: Chains | None = None
        self._blocks: BlockSearch | None = None
        self._joint: JointSteps | None = None
        if not self._calls_user_code:
            for step in plan.steps:
                if step.joint:
                    self._joint = joint_steps(plan, self._bound)
                    break
            self._chains = chains_of(plan, self._bound, self._joint)
            self._blocks = block_search(plan, self._bound, frozenset() if self._joint is None else self._joint.inside)
        self._has_checks = False
        self._checked: Program | None = None
        self._memory: ShapeCache[MemoryPlan] = ShapeCache(MEMORY_PLANS)
        self._live_ranges: LiveRanges | None = None
        writers = [step for bound, step in zip(self._bound[:-1], plan.steps, strict=False) if bound.into is not None]
        # An arena of a single buffer saves nothing.
        self._may_place = self._arena and len(writers) > 1 and any(may_be_placed(plan, step) for step in writers)

    def _inner(self, plan: Plan) -> InnerCall:
        """The function that runs a graph inside an op."""
        made = Program(plan, self._find_op, self._config, self._session)
        return InnerCall(made, is_quiet=not (self._calls_user_code or made._calls_user_code))

    def repeated(self) -> RepeatedRun | None:
        """For many runs of one thread, one after the other; None if a run may use several threads.

        The caller enters a context without NumPy's warnings.
        """
        is_sequence = self.threads is None and self._is_sequence()
        if not is_sequence or not self._feeds_first or SIGNALS:  # a run with a timeout checks the time in each step
            return None
        return RepeatedRun(self._template, self._bound, self._fetches, self._places if self._may_place else None,
                           self._failed)  # fmt: skip

    def run(
        self, feeds: Sequence[Any], trace: StepListener | None = None, writes: PendingWrites | None = None
    ) -> list[Any]:
        """Run with `feeds` (arrays, in the order of `plan.feeds`); the fetched arrays, on the host, not yet copied.

        With a listener `trace` the steps run in sequence, and it is called after each. Steps that update variables in
        place add to `writes` what the caller does then; without it, and with a listener, they make copies.

        Raises:
            OpError: an operation failed.
        """
        if SIGNALS and not self._has_checks and has_deadline():
            return Program.run(self._with_checks(), feeds, trace, writes)
        if trace is not None and self._within is in_quiet_context and trace.calls_user_code:
            return Program.run(self._for_hooks(), feeds, trace, writes)
        may_place = self._may_place
        steps = self._bound if self._joint is None else self._joint.steps
        in_order = trace is None and (self._is_plain or self._is_sequence())
        only = None if trace is not None else self._only
        if in_order:
            found = None if self._chains is None else self._chains.now()
            if found is not None:
                steps = found
                if self._is_plain:
                    only = found.only or only
            blocks = self._blocks
            if blocks is not None and only is None:
                if blocks.is_due():
                    return self._within(self._limited, self._recorded, blocks, feeds, steps)
                blocked = blocks.found
                if blocked is not None and not SETTINGS.why_off:
                    steps, may_place = blocked, may_place and blocked.take_places
        if only is not None:  # one call on feeds and constants, without slots: 0.6 us less
            try:
                return self._within(only, feeds)
            except Exception as error:
                raise self._run_error(error, 0, [*feeds, *self._template[len(feeds) :]])  # noqa: B904
        slots = self._filled(feeds)
        if writes is not None and trace is None:  # a listener hears values, which the writes have not made yet
            writes.threads = self.threads
            slots[-1] = writes
        places = self._places(feeds) if may_place else None
        if in_order:
            try:
                if self.threads is None:
                    self._within(run_steps, steps, slots, places, self._failed)
                else:
                    self._within(self._limited, run_steps, steps, slots, places, self._failed)
            except StepsApart as apart:
                position = apart.position
                places = self._places(feeds) if self._may_place else None
                self._within(self._limited, self._in_sequence, self._bound[position:], position, slots, places)
            return [slots[i] for i in self._fetches]
        return self._within(self._limited, self._run if trace is None else self._run_traced, slots, places, trace)

    def moves(self) -> Callable[[], int] | None:
        """What makes several runs at once that move elements from queue to queue; None if a run does something else."""
        session = None if self._session is None else self._session()
        if session is None or self._calls_user_code or not self._is_plain:
            return None
        return queue_moves(self.plan, self._bound, self._template, session.objects)

    def on(self, feeds: Sequence[Any]) -> Callable[[], list[Any]]:
        """What `run` gives for these feeds, which stay the same: one call where that is all of a run."""
        only, within = self._only, self._within
        if only is None or self._chains is not None or self._blocks is not None:
            return partial(self.run, feeds)

        def run() -> list[Any]:
            if SIGNALS:
                return self.run(feeds)
            try:
                return within(only, feeds)
            except Exception as error:
                raise self._run_error(error, 0, [*feeds, *self._template[len(feeds) :]])  # noqa: B904

        return run

    def _is_sequence(self) -> bool:
        """Whether no two steps may run at the same time."""
        return self._segments is None or (allowed_threads() if self.threads is None else self.threads) == 1

    def _recorded(self, blocks: BlockSearch, feeds: Sequence[Any], steps: Sequence[BoundStep]) -> list[Any]:
        """A run that keeps all values, of which blocks are made; `steps` run without them.

        It makes no writes: new values of variables are arrays of their own.
        """
        slots = self._filled(feeds)
        # A result that is written into memory is row-major, another one may be as its operands are: sums differ then.
        places = (self._places(feeds) if self._may_place else None) or {}
        apart = {slot: np.empty_like(array) for slot, array in places.items()}
        kept = [keeping(bound, step) for bound, step in zip(self._bound, self.plan.steps, strict=True)]
        self._in_sequence(kept, 0, slots, apart)
        first = [self._position(steps, i) for i in range(len(steps))]
        try:
            blocks.record(slots, steps, first)
        except Exception:  # the steps have served so far, and the results of this run are there
            if self._config.verify or SETTINGS.mode == "now":
                raise
        return [slots[i] for i in self._fetches]

    def _filled(self, feeds: Sequence[Any]) -> list[Any]:
        """The slots before the first step."""
        slots = self._template.copy()
        if self._feeds_first:
            slots[: len(feeds)] = feeds
        else:
            for slot, array in zip(self._feeds, feeds, strict=True):
                slots[slot] = array
        return slots

    def _limited(self, function: Callable[..., Any], *args: Any) -> Any:
        """`function(*args)` with the threads of the session."""
        if self.threads is None:
            return function(*args)
        # The limit is set here because the prepared context does not inherit the caller's variables.
        token = LIMIT.set(self.threads)
        try:
            return function(*args)
        finally:
            LIMIT.reset(token)

    def _for_hooks(self) -> Program:
        """The same program, run in the caller's context, because it calls the user's hooks."""
        made = self._by_steps(with_caller_context(self._bound, self.plan, self.threads))
        made._within = in_caller_context
        return made

    def _with_checks(self) -> Program:
        """The same program with a check of the time after each step, for runs with a timeout."""
        if self._checked is None:
            self._checked = self._by_steps(with_checks(self._bound))
            self._checked._has_checks = True
        return self._checked

    def _by_steps(self, bound: list[BoundStep]) -> Program:
        """The same program with these steps in place of its own, which always run one by one."""
        made = copy(self)
        made._bound = bound
        made._chains = made._blocks = made._joint = made._only = None
        return made

    def shown_plan(self, shapes: Sequence[Any] = ()) -> Plan:
        """The plan as tools show it; another one than `plan` where the steps run in other processes.

        shapes: those of the caller's feeds; () for one that is not known.
        """
        return self.plan

    def recorder(self, values: bool) -> RecordsRun | None:
        """What records one run whose steps run in other processes; None if they run here.

        values: whether values are summarised.
        """
        return None

    def kernels(self) -> tuple[KernelTier, ...]:
        """The tier that runs each step now, and the state of its promotion."""
        return tuple([bound.kernel.now() for bound in self._bound])

    def joined_steps(self) -> JoinedSteps | None:
        """The calls that a run in sequence makes now, some of which are several steps; None if each is one step."""
        chained = None if self._chains is None else self._chains.current
        blocked = None if self._blocks is None or SETTINGS.why_off else self._blocks.found
        is_whole = chained is not None and chained.only is not None and self._is_plain
        return blocked if blocked is not None and not is_whole else chained

    def memory(self, shapes: tuple[tuple[int, ...], ...]) -> MemoryPlan:
        """The memory plan of a run whose feeds have these shapes; cached."""
        memory_plan = self._memory.get(shapes)
        if memory_plan is None:
            if self._live_ranges is None:
                takes = {id(step) for step, bound in zip(self.plan.steps, self._bound, strict=True)
                         if self._arena and bound.into is not None}  # fmt: skip
                with collector_paused():
                    self._live_ranges = LiveRanges(self.plan, lambda step: id(step) in takes)
            with collector_paused():
                memory_plan = self._live_ranges.at(sizes_of_feeds(self.plan, shapes))
            self._memory.keep(shapes, memory_plan)
        return memory_plan

    def _places(self, feeds: Sequence[Any]) -> dict[int, Any] | None:
        """The arrays of one arena by slot, or None if no step writes into given memory."""
        plan = self.memory(tuple([x.shape for x in feeds]))
        if not plan.arena.offsets:
            return None
        try:
            block = POOL.empty((plan.arena.total,), np.uint8)
        except MemoryError:
            return None  # no block of this size is free, but single values may fit
        places: dict[int, Any] = {}
        for buffer in plan.buffers:
            offset = plan.arena.offsets.get(buffer.slot)
            if offset is not None:
                info = self.plan.slots[buffer.slot]
                places[buffer.slot] = block[offset : offset + (buffer.size or 0)].view(info.dtype.np)
        return places

    def _run(self, slots: list[Any], places: dict[int, Any] | None, _: None) -> list[Any]:
        assert self._segments is not None  # or the steps run in sequence
        for start, stop, independent in self._segments:
            steps = self._bound[start:stop]
            if independent and are_heavy([bound.inputs for bound in steps], slots):
                self._in_parallel(steps, start, slots)
            else:
                some = None if self._joint is None else self._joint.between(self._bound, start, stop)
                self._in_sequence(some or steps, 0 if some else start, slots, places)
        return [slots[i] for i in self.plan.fetches]

    def _in_parallel(self, steps: Sequence[BoundStep], start: int, slots: list[Any]) -> None:
        """Run independent steps on several threads, then store their results in order."""
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
            raise self._run_error(first_error(errors, first), start + first, slots)
        for bound, result in zip(steps, results, strict=True):
            if isinstance(bound.output, int):
                slots[bound.output] = result
            else:
                for slot, each in zip(bound.output, result, strict=True):
                    slots[slot] = each
        for bound in steps:
            for slot in bound.frees:
                slots[slot] = None

    def _in_sequence(
        self, steps: Sequence[BoundStep], start: int, slots: list[Any], places: dict[int, Any] | None
    ) -> None:
        run_steps(steps, slots, places, self._failed, start)

    def _failed(self, error: Exception, steps: Sequence[BoundStep], position: int, slots: list[Any]) -> Exception:
        """The error to raise for one of a step of `steps`."""
        if isinstance(error, StepsApart):
            error.position = self._position(steps, position)
            if self._blocks is not None:
                self._blocks.miss()
            return error
        return self._run_error(error, self._position(steps, position), slots)

    def _position(self, steps: Sequence[BoundStep], position: int) -> int:
        """The position in the plan of a step of `steps`, which may have chains or blocks among them."""
        return steps.first[position] if isinstance(steps, JoinedSteps) else position

    def _run_traced(self, slots: list[Any], places: dict[int, Any] | None, trace: StepListener) -> list[Any]:
        trace.begin(slots)
        run_steps(self._bound, slots, places, self._failed, 0, trace, self._holders)
        return [slots[i] for i in self._fetches]

    def _run_error(self, error: Exception, position: int, slots: list[Any]) -> Exception:
        """The error to raise for `error`.

        No local variable of a frame that it passes through may hold it. Its traceback holds those frames and their
        arrays, so a reference back would be a cycle that lives until the next garbage collection.
        """
        step = self.plan.steps[position]
        if isinstance(error, JointStepFailed):
            step = self.plan.steps[position + error.number]
            inputs, error = error.taken()
        else:
            inputs = [slots[i] for i in step.inputs]
        raised = unwarned(run_error, error, step, inputs, self._find_op)
        # A kernel that calls the user's code states the cause itself. Setting it hides the context in any case.
        raised.__cause__ = error if isinstance(raised, InternalError) and raised is not error else raised.__cause__
        return raised
