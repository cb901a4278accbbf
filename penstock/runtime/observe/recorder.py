"""The recorder: a listener that notes each step of a run at little cost.

During the run a `Recorder` notes only what will be gone later: times, shapes, the memory a value lies in, and on
request a summary of it. Names, bytes and live memory are computed afterwards, on demand. """

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from time import perf_counter
from typing import Any

from ..backends import find_backend
from ..base.launch_count import LAUNCHES
from ..base.observed_bodies import is_kept
from ..base.session_config import RunOptions, SessionConfig
from ..execution.executor import Program
from ..execution.step_listener import InsideListener, StepListener
from ..ir.kernel_protocol import KernelTier
from ..planning.memory_plan import MemoryPlan
from ..planning.plan import Plan, Slot, written_by_slot
from ..planning.slot_names import results_of
from .run_metadata import RunMetadata
from .run_record import BodyRecord, ResultRecord, RunRecord, StepRecord
from .value_summary import Summary, summary_of

_BufferInfo = tuple[tuple[int, ...], int, int]
"""A value's shape, the identity of the array that owns its memory, and the bytes of that array."""


class Recorder:
    """A listener that records a run of `plan`; `values`: with a summary of every value."""

    calls_user_code = False

    def __init__(self, plan: Plan, values: bool = False) -> None:
        self._plan = plan
        self._values = values
        self._fed: list[tuple[Slot, _BufferInfo]] = []
        self._summaries_fed: list[Summary] = []
        self._noted: list[tuple[Any, ...]] = []
        self._summaries: list[list[Summary]] = []
        self._spent: list[float] = []  # before each step, by the summaries of those before it
        self._began = 0.0
        self._inside: dict[int, list[tuple[int, int, Recorder]]] = {}  # step -> (graph, iteration, its recorder)
        self._launched = [0] if any(step.device == "gpu" for step in plan.steps) else []  # before each step

    def begin(self, slots: Sequence[Any]) -> None:
        """Note the fed values; the constants are in the plan."""
        self._fed = [(slot, _buffer_info(slots[slot])) for _, slot in self._plan.feeds]
        if self._values:
            self._summaries_fed = [summary_of(slots[slot]) for _, slot in self._plan.feeds]
        if self._launched:
            self._launched = [LAUNCHES.total]
        self._began = perf_counter()

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Note one step."""
        # Fast path for the usual case, one small tuple: an array that owns its memory.
        if len(results) == 1 and results[0].base is None:
            self._noted.append((start, stop, results[0].shape, id(results[0])))
        else:
            self._noted.append((start, stop, [_buffer_info(value) for value in results]))
        if self._launched:
            self._launched.append(LAUNCHES.total)
        if self._values:
            self._summaries.append(self._summarise(position, results))
            self._spent.append(perf_counter() - stop)

    def _summarise(self, position: int, results: Sequence[Any]) -> list[Summary]:
        device = self._plan.steps[position].device
        backend = find_backend(device) if device != "cpu" else None
        return [summary_of(r if backend is None or not hasattr(r, "get") else backend.to_host(r)) for r in results]

    def inside(self, position: int) -> InsideListener | None:
        """Recorders of the graphs inside a step, if values are asked for: otherwise loops run as fast as they can."""
        if not self._values:
            return None
        plans = [arg for arg in self._plan.steps[position].args if isinstance(arg, Plan)]
        counts = [0] * len(plans)
        kept = self._inside.setdefault(position, [])

        def run(plan: Plan) -> Recorder | None:
            part = next(i for i, each in enumerate(plans) if each is plan)
            iteration = counts[part]
            counts[part] += 1
            if not is_kept(iteration):
                return None
            recorder = Recorder(plan, True)
            kept.append((part, iteration, recorder))
            return recorder

        return run

    # ---- afterwards ---------------------------------------------------------------------------

    @property
    def began(self) -> float:
        """When the run began (`time.perf_counter`); 0 if it did not."""
        return self._began

    def record(
        self,
        memory: MemoryPlan | None = None,
        fetches: tuple[str, ...] = (),
        graph: Any = None,
        config: SessionConfig | None = None,
        kernels: Sequence[KernelTier] = (),
    ) -> RunRecord:
        """The recorded run as data. `kernels`: which kernel runs each step."""
        rows = [(n[0], n[1], n[2] if len(n) == 3 else [(n[2], n[3], -1)]) for n in self._noted]
        held = self._held([facts for _, _, facts in rows])
        steps: list[StepRecord] = []
        rest = 0.0  # time spent on summaries since the beginning
        written = written_by_slot(self._plan)
        for position, (start, stop, facts) in enumerate(rows):
            step = self._plan.steps[position]
            summaries = self._summaries[position] if position < len(self._summaries) else [None] * len(facts)
            results = tuple(
                self._result(name, slot, fact[0], summary)
                for name, slot, fact, summary in zip(results_of(step), step.outputs, facts, summaries, strict=True)
            )
            ran = kernels[position] if position < len(kernels) else KernelTier("")
            started = self._launched[position + 1] - self._launched[position] if self._launched else 0
            size = sum(r.bytes for r in results)
            writes = tuple(name for slot in step.outputs for name in written.get(slot, ()))
            steps.append(StepRecord(step.node, step.op, step.device, start - self._began - rest, stop - start, size,
                                    held[position], results, ran.tier, started, ran.promotion, writes,
                                    self._bodies(position)))  # fmt: skip
            rest += self._spent[position] if self._values else 0.0
        seconds = steps[-1].start + steps[-1].duration if steps else 0.0
        peak = max(held, default=0)
        return RunRecord(self._plan, tuple(steps), self._feeds(), seconds, peak, memory, fetches, graph, config)

    def _bodies(self, position: int) -> tuple[BodyRecord, ...]:
        """What ran inside a step."""
        found = []
        for part, iteration, recorder in self._inside.get(position, ()):
            made = recorder.record()
            found.append(BodyRecord(part, iteration, sum(s.duration for s in made.steps), made.feeds, made.steps))
        return tuple(found)

    def _feeds(self) -> tuple[ResultRecord, ...]:
        shapes = {slot: fact[0] for slot, fact in self._fed}
        summaries: Sequence[Summary | None] = self._summaries_fed or [None] * len(self._plan.feeds)
        return tuple(
            self._result(name, slot, shapes.get(slot, ()), summary)
            for (name, slot), summary in zip(self._plan.feeds, summaries, strict=True)
        )

    def _result(self, name: str, slot: Slot, shape: tuple[int, ...], summary: Summary | None) -> ResultRecord:
        dtype = self._plan.slots[slot].dtype
        return ResultRecord(name, dtype.name, tuple(shape), dtype.size * prod(shape), summary)

    def _held(self, buffers: Sequence[Sequence[_BufferInfo]]) -> list[int]:
        """The bytes of live memory after each step; shared memory counts once."""
        holders: dict[int, int] = {}
        where: dict[int, int] = {}
        total = 0

        def take(slot: int, fact: _BufferInfo) -> int:
            shape, identity, size = fact
            where[slot] = identity
            holders[identity] = holders.get(identity, 0) + 1
            if holders[identity] > 1:
                return 0
            sizes[identity] = prod(shape) * self._plan.slots[slot].dtype.size if size < 0 else size
            return sizes[identity]

        def drop(slot: int) -> int:
            identity = where.pop(slot, None)
            if identity is None:
                return 0
            holders[identity] -= 1
            if holders[identity]:
                return 0
            del holders[identity]
            return sizes.pop(identity)

        sizes: dict[int, int] = {}
        kept = {slot for slot, _, _ in self._plan.constants}  # the plan keeps its constants
        constants = [(slot, _buffer_info(array)) for slot, array, _ in self._plan.constants]
        for slot, fact in (*self._fed, *constants):
            total += take(slot, fact)
        held: list[int] = []
        for step, facts in zip(self._plan.steps, buffers, strict=False):
            for slot, fact in zip(step.outputs, facts, strict=True):
                total -= drop(slot)
                total += take(slot, fact)
            held.append(total)
            for slot in step.frees:
                total -= drop(slot) if slot not in kept else 0
        return held


def begin_recording(
    program: Program,
    shapes: tuple[tuple[int, ...], ...],
    fetches: tuple[str, ...],
    graph: Any,
    config: SessionConfig,
    options: RunOptions | None,
    into: RunMetadata,
) -> StepListener | None:
    """A listener for a run of `program` with feeds of these shapes; after the run `into` holds the record."""
    if options is not None and not options.trace:
        into.begin(program.shown_plan(shapes), None)
        return None
    values = options is not None and options.values
    elsewhere = program.recorder(values)
    if elsewhere is not None:
        into.begin(None, lambda: elsewhere.record(None, fetches, graph, config))
        return elsewhere
    recorder = Recorder(program.plan, values)
    into.begin(
        program.plan, lambda: recorder.record(program.memory(shapes), fetches, graph, config, program.kernels())
    )
    return recorder


def _buffer_info(value: Any) -> _BufferInfo:
    root = value
    while True:
        base = getattr(root, "base", None)
        if base is None or not hasattr(base, "nbytes"):
            return value.shape, id(root), int(root.nbytes)
        root = base
